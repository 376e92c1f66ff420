// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/json.h"
#include "print/study.h"
#include "tables/cells.h"
#include "tables/part.h"

namespace prengdl {
namespace {

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.0f} MB", static_cast<double>(bytes) / 1e6);
}

Json check_json(const EnvironmentMark& mark) {
  return mark.check.empty() ? Json(nullptr) : Json::parse(mark.check, nullptr, false);
}

TableCell size_cell(std::uint64_t bytes) {
  if (bytes == 0) return {};
  return {megabytes(bytes), static_cast<double>(bytes), false};
}

/// The directories lie in one: each is called by its name, and where they lie is said once.
TableColumn directory_column() {
  TableColumn column = text_column("directory", "directory");
  column.spare = 1;
  return column;
}

Table made_table(const std::vector<SetupRow>& rows) {
  Table table;
  table.columns = {text_column("environment", "environment"),
                   number_column("size", "size"),
                   text_column("state", "state"),
                   text_column("version", "version"),
                   text_column("device", "device"),
                   directory_column()};
  for (const auto& row : rows) {
    const auto& made = row.made;
    table.add({toned_cell(row.site.title(), CellTone::strong), size_cell(made.mark.bytes),
               row.trouble      ? toned_cell("failed", CellTone::bad)
               : made.was_there ? text_cell("was there")
                                : text_cell("made in " + for_people(made.took)),
               text_cell(text_in_check(made.mark.check, "version")),
               text_cell(text_in_check(made.mark.check, "device")),
               text_cell(row.site.is_made() ? row.site.directory.filename().string() : "")});
  }
  return table;
}

Part data_part(const DataReport& data) {
  Table table;
  table.columns = {text_column("set", "data set"), text_column("state", "state"),
                   text_column("problem", "what is wrong")};
  for (const auto& set : data.sets) {
    table.add({text_cell(set.name),
               set.problems.empty() ? toned_cell("ok", CellTone::good)
                                    : toned_cell("not ready", CellTone::bad),
               text_cell(set.problems.empty() ? "" : set.problems.front())});
    for (std::size_t i = 1; i < set.problems.size(); ++i)
      table.add({TableCell{}, TableCell{}, text_cell(set.problems[i])});
    if (!set.problems.empty() && !set.origin.empty())
      table.add(
          {TableCell{}, TableCell{}, toned_cell("it comes from " + set.origin, CellTone::faint)});
  }
  Part part{"data", "data"};
  part.remark = "in " + data.directory.string();
  part.add(std::move(table));
  return part;
}

/// Where the directories of a table lie.
std::string place_text(const std::filesystem::path& directory, const Style& style) {
  return "  " + style.dim("in " + printable(directory.parent_path().string())) + "\n";
}

}  // namespace

bool DataReport::is_complete() const {
  return std::all_of(sets.begin(), sets.end(),
                     [](const auto& set) { return set.problems.empty(); });
}

std::string setup_text(const std::vector<SetupRow>& rows, const std::optional<DataReport>& data,
                       const Style& style) {
  std::string text;
  if (rows.empty()) text = "no environment is needed: commands run in the caller's own\n";
  if (!rows.empty()) text += table_text(made_table(rows), style);
  const auto made = std::find_if(rows.begin(), rows.end(),
                                 [](const SetupRow& row) { return row.site.is_made(); });
  if (made != rows.end()) text += place_text(made->site.directory, style);
  if (!data) return text;
  text += "\n" + part_text(data_part(*data), style);
  text.pop_back();  // the line behind the part
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
  Table table;
  table.columns = {text_column("environment", "environment"), number_column("size", "size"),
                   text_column("state", "state"), text_column("lock", "made from"),
                   directory_column()};
  table.columns[3].spare = 2;
  std::uint64_t bytes = 0;
  for (const auto& one : environments) {
    bytes += one.bytes;
    const auto used = one.variant == "own" ? "of a study's requirements file"
                      : one.lock.empty()   ? "no current lock"
                                           : one.lock.string();
    table.add(
        {toned_cell(fmt::format("{} {} {}", one.name, one.version, one.variant), CellTone::strong),
         size_cell(one.bytes),
         one.is_complete ? toned_cell("complete", CellTone::good)
                         : toned_cell("incomplete", CellTone::caution),
         text_cell(used), text_cell(one.directory.filename().string())});
  }
  return table_text(table, style) + place_text(environments.front().directory, style) +
         fmt::format("{} in all\n", megabytes(bytes));
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
