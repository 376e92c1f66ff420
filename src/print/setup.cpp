// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/json.h"
#include "print/study.h"

namespace prengdl {
namespace {

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6);
}

template <class Rows, class Name>
std::size_t widest(const Rows& rows, const Name& name) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, name(row).size());
  return width;
}

Json check_json(const EnvironmentMark& mark) {
  return mark.check.empty() ? Json(nullptr) : Json::parse(mark.check, nullptr, false);
}

std::string state_of(const SetupRow& row, const Style& style) {
  if (row.trouble) return style.bad("failed");
  std::string text = row.made.was_there ? "was there" : "made in " + for_people(row.made.took);
  const auto version = text_in_check(row.made.mark.check, "version");
  const auto device = text_in_check(row.made.mark.check, "device");
  if (!version.empty()) text += fmt::format(", version {}", version);
  if (!device.empty()) text += fmt::format(" on {}", device);
  return text;
}

std::string data_text(const DataReport& data, const Style& style) {
  std::string text = fmt::format("\ndata in {}\n", printable(data.directory.string()));
  const auto width = widest(data.sets, [](const auto& set) { return set.name; });
  for (const auto& set : data.sets) {
    text += fmt::format("  {:<{}}  {}\n", printable(set.name), width,
                        set.problems.empty() ? style.good("ok") : style.bad("not ready"));
    for (const auto& problem : set.problems) text += fmt::format("    {}\n", printable(problem));
    if (!set.problems.empty() && !set.origin.empty())
      text += fmt::format("    it comes from {}\n", printable(set.origin));
  }
  return text;
}

}  // namespace

bool DataReport::is_complete() const {
  return std::all_of(sets.begin(), sets.end(),
                     [](const auto& set) { return set.problems.empty(); });
}

std::string setup_text(const std::vector<SetupRow>& rows, const std::optional<DataReport>& data,
                       const Style& style) {
  std::string text;
  if (rows.empty()) text = "no environment is asked for: commands run in the caller's own\n";
  const auto width = widest(rows, [](const auto& row) { return row.site.title(); });
  for (const auto& row : rows) {
    text += fmt::format(
        "{}  {:>9}  {}\n", style.bold(fmt::format("{:<{}}", printable(row.site.title()), width)),
        row.made.mark.bytes > 0 ? megabytes(row.made.mark.bytes) : "", state_of(row, style));
    if (row.site.is_made())
      text += style.dim(fmt::format("  {}", printable(row.site.directory.string()))) + "\n";
  }
  if (data) text += data_text(*data, style);
  return text;
}

std::string setup_json(const std::vector<SetupRow>& rows, const std::optional<DataReport>& data,
                       const EnvironmentPlaces& places) {
  Json json;
  json["schema"] = "prengdl.setup/2";
  json["cache"] = places.cache.string();
  json["environments"] = Json::array();
  for (const auto& row : rows) {
    Json one{{"environment", row.site.label}, {"ready", !row.trouble}};
    if (row.site.kind == EnvironmentSite::Kind::locked) {
      one["name"] = row.site.name.name;
      one["version"] = row.site.name.version;
      one["variant"] = row.site.variant;
    }
    if (!row.site.directory.empty()) one["directory"] = row.site.directory.string();
    if (row.site.is_made()) one["lock_sha256"] = row.site.lock_hash;
    if (row.trouble) {
      one["error"] = row.trouble->what();
      one["advice"] = row.trouble->hint;
    } else {
      one["was_there"] = row.made.was_there;
      one["seconds"] = row.made.took.count();
      if (row.site.is_made()) {
        one["bytes"] = row.made.mark.bytes;
        one["tool"] = row.made.mark.tool;
        one["python"] = row.made.mark.python;
        one["made_at"] = row.made.mark.made_at;
        one["check"] = check_json(row.made.mark);
      }
    }
    json["environments"].push_back(std::move(one));
  }
  if (data) {
    json["data"] = {{"directory", data->directory.string()}, {"sets", Json::array()}};
    for (const auto& set : data->sets)
      json["data"]["sets"].push_back(
          {{"name", set.name}, {"origin", set.origin}, {"problems", set.problems}});
  }
  return dump(json) + "\n";
}

std::string cached_text(const std::vector<CachedEnvironment>& environments, const Style& style) {
  if (environments.empty()) return "there are no environments\n";
  const auto title = [](const CachedEnvironment& one) {
    return fmt::format("{} {} {}", one.name, one.version, one.variant);
  };
  const auto width = widest(environments, title);
  std::string text;
  std::uint64_t bytes = 0;
  for (const auto& one : environments) {
    bytes += one.bytes;
    const auto used = one.variant == "own" ? "of a study's requirements file"
                      : one.lock.empty()   ? "no lock that is there today"
                                           : one.lock.string();
    text += fmt::format(
        "{}  {:>9}  {}  {}\n", style.bold(fmt::format("{:<{}}", printable(title(one)), width)),
        megabytes(one.bytes), one.is_complete ? style.good("complete  ") : style.warn("incomplete"),
        printable(used));
    text += style.dim(fmt::format("  {}", printable(one.directory.string()))) + "\n";
  }
  return text + fmt::format("{} in all\n", megabytes(bytes));
}

std::string cached_json(const std::vector<CachedEnvironment>& environments,
                        const EnvironmentPlaces& places) {
  Json json;
  json["schema"] = "prengdl.environments/2";
  json["cache"] = places.cache.string();
  json["environments"] = Json::array();
  for (const auto& one : environments) {
    Json row{{"name", one.name},       {"version", one.version},
             {"variant", one.variant}, {"directory", one.directory.string()},
             {"bytes", one.bytes},     {"complete", one.is_complete}};
    if (!one.lock.empty()) row["lock"] = one.lock.string();
    if (one.mark) {
      row["lock_sha256"] = one.mark->lock_hash;
      row["tool"] = one.mark->tool;
      row["python"] = one.mark->python;
      row["made_at"] = one.mark->made_at;
      row["check"] = check_json(*one.mark);
    }
    json["environments"].push_back(std::move(row));
  }
  return dump(json) + "\n";
}

}  // namespace prengdl
