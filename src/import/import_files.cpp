// SPDX-License-Identifier: Apache-2.0
#include "import/import_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "base/suggestions.h"
#include "import/kinds.h"

namespace prengdl {
namespace {

struct ImportKind {
  std::string_view name;
  Imported (*read)(const ForeignPaths&, const ImportOptions&);
  bool takes_one_path;  // the folder of a study
  bool has_own_recipe;  // --as-published
  bool takes_names;     // --names
};
constexpr std::array<ImportKind, 8> kinds{{
    {"icse22", import_icse22, true, true, false},
    {"itu23", import_itu23, true, true, false},
    {"perf-stat", import_perf_stat, false, false, true},
    {"nvidia-smi", import_nvidia_smi, false, false, true},
    {"hyperfine", import_hyperfine, false, false, false},
    {"codecarbon", import_codecarbon, false, false, false},
    {"energibridge", import_energibridge, false, false, true},
    {"csv", import_csv, false, false, false},
}};

/// An option that the kind would ignore is a mistake.
void check_options(const ImportKind& kind, const ForeignPaths& paths,
                   const ImportOptions& options) {
  const auto refuse = [&](const char* option, const char* hint) {
    throw UsageError(fmt::format("{} means nothing for {}", option, kind.name), hint);
  };
  if (paths.empty()) throw UsageError("prengdl import needs a PATH", "see prengdl import --help");
  if (kind.takes_one_path && paths.size() > 1)
    throw UsageError(fmt::format("{} is one folder", kind.name), "name that folder alone");
  if (options.as_published && !kind.has_own_recipe)
    refuse("--as-published", "it is for the published studies, icse22 and itu23");
  if (!options.names.empty() && !kind.takes_names)
    refuse("--names", "it is for kinds with a file for each run");
  if (!options.map.empty() && kind.name != "csv") refuse("--map", "it is for csv");
  if (options.quality && kind.name != "csv") refuse("--quality", "it is for csv");
  if (options.interval && kind.name != "nvidia-smi")
    refuse("--interval", "it is for nvidia-smi without time stamps");
}

}  // namespace

std::vector<std::string> import_kinds() {
  std::vector<std::string> names;
  names.reserve(kinds.size());
  for (const auto& kind : kinds) names.emplace_back(kind.name);
  return names;
}

Imported import_files(const std::string& name, const ForeignPaths& paths,
                      const ImportOptions& options) {
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const ImportKind& one) { return one.name == name; });
  if (kind == kinds.end()) {
    const auto meant = nearest(name, import_kinds());
    throw UsageError(
        fmt::format("there is no kind '{}' to import", name),
        meant ? fmt::format("did you mean {}?", *meant) : "known: " + joined(import_kinds(), ", "));
  }
  check_options(*kind, paths, options);
  for (const auto& path : paths)
    if (!std::filesystem::exists(path))
      throw UsageError(fmt::format("there is no {}", path.string()));
  Imported imported = kind->read(paths, options);
  if (imported.runs.empty()) {
    const bool has_reason = !imported.left_out.empty();
    throw Error(fmt::format("no run of {} was found in {}", name, paths.front().string()),
                has_reason ? fmt::format("{}: {}", imported.left_out.front().file,
                                         imported.left_out.front().why)
                           : "docs/reference/import.md lists the files it looks for");
  }
  return imported;
}

}  // namespace prengdl
