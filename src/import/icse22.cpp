// SPDX-License-Identifier: Apache-2.0
//
// The published data of "Green AI: do deep learning frameworks have different costs?" (ICSE 2022):
// data/measurements_{train,inference}/MODEL_FRAMEWORK_{perf,nvidia_smi}_RUN.txt, and
// data/cProfile_results/MODEL_FRAMEWORK_PHASE.prof with other names for the same models.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <tuple>

#include "base/parse.h"
#include "base/strings.h"
#include "import/kinds.h"
#include "import/nvidia_smi.h"
#include "import/perf_stat.h"
#include "import/run_totals.h"

namespace prengdl {
namespace {

struct Alias {
  std::string_view written;  // in small letters, '_' between words
  std::string_view level;
};
constexpr std::array<Alias, 13> models{{{"gnmt", "gnmt"},
                                        {"mask_rcnn", "mask_rcnn"},
                                        {"maskrcnn", "mask_rcnn"},
                                        {"mask_r_cnn", "mask_rcnn"},
                                        {"ncf", "ncf"},
                                        {"resnet50", "resnet50"},
                                        {"resnet_50", "resnet50"},
                                        {"resnet", "resnet50"},
                                        {"rn50", "resnet50"},
                                        {"ssd", "ssd"},
                                        {"transformer_xl", "transformer_xl"},
                                        {"transformerxl", "transformer_xl"},
                                        {"transformer", "transformer_xl"}}};
constexpr std::array<Alias, 5> frameworks{{{"pytorch", "pytorch"},
                                           {"torch", "pytorch"},
                                           {"pt", "pytorch"},
                                           {"tensorflow", "tensorflow"},
                                           {"tf", "tensorflow"}}};
constexpr std::array<Alias, 6> phases{{{"train", "train"},
                                       {"training", "train"},
                                       {"inference", "infer"},
                                       {"infer", "infer"},
                                       {"evaluation", "infer"},
                                       {"test", "infer"}}};

template <std::size_t N>
std::optional<std::string> level_of(const std::array<Alias, N>& aliases, std::string_view word) {
  const auto found = std::find_if(aliases.begin(), aliases.end(),
                                  [&](const Alias& alias) { return alias.written == word; });
  if (found == aliases.end()) return std::nullopt;
  return std::string(found->level);
}

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-' || c == ' ') c = '_';
  }
  return small;
}

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  const std::string small = in_small_letters(text);
  for (const auto part : split(small, '_'))
    if (!part.empty()) parts.emplace_back(part);
  return parts;
}

/// MODEL_FRAMEWORK at the front of the parts; gives how many parts they are.
std::optional<std::size_t> read_cell(const std::vector<std::string>& parts,
                                     std::map<std::string, std::string>& levels) {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto framework = level_of(frameworks, parts[i]);
    const auto model = level_of(models, joined(std::span(parts).first(i), "_"));
    if (!framework || !model) continue;
    levels["framework"] = *framework;
    levels["model"] = *model;
    return i + 1;
  }
  return std::nullopt;
}

/// The phase that a folder on the way to the file names: "measurements_inference".
std::optional<std::string> phase_of_folder(std::string_view relative) {
  const auto slash = relative.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto folders = split(relative.substr(0, slash), '/');
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder)
    for (const auto& part : parts_of(*folder))
      if (auto phase = level_of(phases, part)) return phase;
  return std::nullopt;
}

/// The files that one run left behind.
struct Icse22Files {
  const ForeignFile* perf = nullptr;
  const ForeignFile* smi = nullptr;
};

/// Cells by name and their runs by number: in which order the cells ran is not in the files.
using RunKey = std::tuple<std::string, std::string, std::string, std::int64_t>;

class Icse22 {
 public:
  Icse22(const std::filesystem::path& root, const ImportOptions& options)
      : options_(options), files_(foreign_files({root})), root_(root.filename().string()) {}

  Imported read() {
    imported_.name = "icse22";
    imported_.factors = {"phase", "model", "framework"};
    imported_.groups = {{"recommender", {"ncf"}},
                        {"nlp", {"transformer_xl", "gnmt"}},
                        {"vision", {"resnet50", "mask_rcnn", "ssd"}}};
    for (const auto& file : files_)
      if (const auto why = sort_in(file); !why.empty()) leave_out(file, why);
    for (const auto& [key, files] : runs_) read_run(key, files);
    if (options_.as_published)
      imported_.notes.emplace_back(
          "as published: the joules of the GPU are the plain sum of its watts, as if one second "
          "lay between any two");
    return std::move(imported_);
  }

 private:
  void leave_out(const ForeignFile& file, const std::string& why) {
    imported_.left_out.push_back({file.relative, why});
  }

  /// Why the file is left out; empty where it is not.
  std::string sort_in(const ForeignFile& file) {
    // The user may have named data/, or a folder in it: then that is part of the way too.
    const std::string way = root_ + "/" + file.relative;
    const auto name = file.path.filename().string();
    const auto dot = name.rfind('.');
    const std::string ending = dot == std::string::npos ? "" : in_small_letters(name.substr(dot));
    const auto parts = parts_of(name.substr(0, dot));
    std::map<std::string, std::string> levels;
    const auto next = read_cell(parts, levels);
    if (ending == ".prof") {
      if (!next) return "no model and framework of the study in its name";
      auto phase = *next < parts.size() ? level_of(phases, parts[*next]) : std::nullopt;
      if (!phase) phase = phase_of_folder(way);
      if (!phase) return "neither its name nor its folder says train or inference";
      levels["phase"] = *phase;
      return add_profile(file, std::move(levels));
    }
    if (!next)
      return "no measurement: its name is not MODEL_FRAMEWORK_perf_RUN.txt or "
             "..._nvidia_smi_RUN.txt";
    const auto phase = phase_of_folder(way);
    if (!phase) return "its folder says neither train nor inference";
    const std::size_t left = parts.size() - *next;
    const auto number = left > 0 ? parse_integer(parts.back()) : std::nullopt;
    if (!number || *number < 0 || left < 2) return "no number of a run at the end of its name";
    const std::string& what = parts[*next];
    const bool is_perf = what == "perf" && left == 2;
    const bool is_smi = (what == "nvidia" && left == 3 && parts[*next + 1] == "smi") ||
                        (what == "nvidiasmi" && left == 2);
    if (!is_perf && !is_smi) return "it is neither of perf nor of nvidia_smi";
    Icse22Files& files = runs_[{*phase, levels["model"], levels["framework"], *number}];
    const ForeignFile*& place = is_perf ? files.perf : files.smi;
    if (place) return fmt::format("{} is of the same run", place->relative);
    place = &file;
    return "";
  }

  std::string add_profile(const ForeignFile& file, std::map<std::string, std::string> levels) {
    for (const auto& other : imported_.profiles)
      if (other.levels == levels)
        return fmt::format("{} is of the same cell", other.file.filename().string());
    imported_.profiles.push_back({file.path, std::move(levels)});
    return "";
  }

  void read_run(const RunKey& key, const Icse22Files& files) {
    if (!files.perf)
      return leave_out(*files.smi, "there is no perf file of this run, so its duration is unknown");
    ImportedRun run;
    run.levels = {
        {"phase", std::get<0>(key)}, {"model", std::get<1>(key)}, {"framework", std::get<2>(key)}};
    run.number = std::get<3>(key);
    run.file = files.perf->relative;
    const ForeignText text = read_foreign(files.perf->path);
    const auto stats = parse_perf_stat(text);
    if (stats.size() != 1)
      throw foreign_error(text.name, stats[1].line, 1, "a second output of perf stat in the file",
                          "each file of this study is of one run");
    StatedJoules stated = add_perf_stat(run, stats.front(), text.name);
    add_gpu(run, files.smi, stated);
    fill_figures(run, stated);
    imported_.runs.push_back(std::move(run));
  }

  void add_gpu(ImportedRun& run, const ForeignFile* file, StatedJoules& stated) {
    const std::size_t from = run.stored.meters.size();
    const ForeignText text = file ? read_foreign(file->path) : ForeignText{};
    if (trimmed(text.text).empty()) {
      // The meter stands there without a figure: a sum without it would look like a saving.
      MeterInfo meter =
          imported_meter("nvidia-smi", "gpu", "nvidia-smi power.draw", Quality::sensor);
      meter.kind = Kind::gauge;
      meter.unit = Unit::watt;
      run.stored.meters.push_back(std::move(meter));
      stated[from] = std::nullopt;
      const std::string what = file ? "the nvidia_smi file of this run is empty"
                                    : "there is no nvidia_smi file of this run";
      run.stored.run.warnings.push_back(what);
      imported_.notes.push_back(run.file + ": " + what);
      return;
    }
    SmiLog log = parse_nvidia_smi(text);
    if (log.has_stamps)
      throw Error(
          fmt::format("{} has time stamps, which this study's files do not", file->path.string()),
          "import it as nvidia-smi");
    const Seconds elapsed = run.stored.run.window;
    const auto lines = static_cast<double>(log.lines);
    spread_evenly(log, elapsed);
    add_smi_log(run, std::move(log));
    stated.merge(held_joules(run, from, options_.as_published ? Seconds{1} : elapsed / lines));
  }

  const ImportOptions& options_;
  std::vector<ForeignFile> files_;
  std::string root_;
  std::map<RunKey, Icse22Files> runs_;
  Imported imported_;
};

}  // namespace

Imported import_icse22(const ForeignPaths& paths, const ImportOptions& options) {
  const auto data = paths.front() / "data";
  const auto root = std::filesystem::is_directory(data) ? data : paths.front();
  return Icse22(std::filesystem::weakly_canonical(root), options).read();
}

}  // namespace prengdl
