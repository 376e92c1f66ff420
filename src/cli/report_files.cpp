// SPDX-License-Identifier: Apache-2.0
//
// What `report` reads besides the database: profiles, and figures that someone published.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/files.h"
#include "base/text.h"
#include "cli/report_input.h"
#include "pstats/call_profile.h"
#include "store/profiles.h"

namespace prengdl {
namespace {

constexpr std::size_t longest_level = 60;  // characters

/// "%2F" and the like, as levels are written in names of files.
std::string level_of(const std::string& name) {
  std::string level;
  for (std::size_t i = 0; i < name.size(); ++i) {
    unsigned code = 0;
    const char* digits = name.data() + i + 1;
    if (name[i] == '%' && i + 2 < name.size() &&
        std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
      level += static_cast<char>(code);
      i += 2;
    } else {
      level += name[i];
    }
  }
  return level;
}

/// Cells of CSV with quotes as in RFC 4180; a row may not go over several lines.
std::vector<std::string> csv_row(std::string_view line, const std::string& where) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  if (quoted)
    throw Error(where + ": a quote is not closed",
                "each row is one line, quotes inside of quotes are doubled");
  for (auto& cell : cells) cell = std::string(trimmed(cell));
  return cells;
}

}  // namespace

std::vector<CellProfileCost> profiles_in(const std::filesystem::path& result, const Study& study) {
  const auto directory = result / "profiles";
  std::vector<CellProfileCost> profiles;
  std::error_code none;
  std::vector<std::filesystem::path> files;
  for (auto at = std::filesystem::recursive_directory_iterator(directory, none);
       at != std::filesystem::recursive_directory_iterator(); at.increment(none))
    if (at->path().extension() == ".prof" && at->is_regular_file(none)) files.push_back(at->path());
  if (files.empty()) return profiles;
  const ApiTable table = ApiTable::shipped();
  std::map<std::filesystem::path, Cell> known;
  for (const auto& cell : cells_of(study)) known[profile_of(result, cell)] = cell;
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    auto profile = read_profile(file);
    if (!profile) throw Error(profile.error());
    CellProfileCost one;
    auto name = file.lexically_relative(directory);
    name.replace_extension();
    for (const auto& part : name) one.label += (one.label.empty() ? "" : " ") + level_of(part);
    one.label = shortened(one.label, longest_level);
    if (const auto cell = known.find(file); cell != known.end()) one.cell = cell->second;
    one.cost = cost_of(one.label, std::move(*profile), table);
    profiles.push_back(std::move(one));
  }
  return profiles;
}

std::vector<std::pair<std::string, std::string>> shorten_names(ResultStudy& found) {
  std::vector<std::pair<std::string, std::string>> names;
  std::map<std::string, std::string> shorter;
  for (const auto& factor : found.study.factors)
    for (const auto& level : factor.levels) {
      const std::string first = shortened(level, longest_level);
      if (first == level || shorter.contains(level)) continue;
      std::string name = first;
      const auto is_taken = [&] {
        return std::any_of(names.begin(), names.end(),
                           [&](const auto& one) { return one.first == name; });
      };
      for (std::size_t i = 2; is_taken(); ++i) name = fmt::format("{} ({})", first, i);
      shorter[level] = name;
      names.emplace_back(name, level);
    }
  rename_levels(found, shorter);
  return names;
}

std::vector<PublishedValue> read_published(const std::string& file, const Study& study) {
  const auto text = read_text(file);
  if (!text) throw Error(text.error());
  std::vector<PublishedValue> values;
  std::vector<std::string> head;
  std::size_t number = 0;
  for (const auto line : split(*text, '\n')) {
    const std::string where = fmt::format("{}:{}", file, ++number);
    if (trimmed(line).empty()) continue;
    auto cells = csv_row(line, where);
    if (head.empty()) {
      head = std::move(cells);
      for (const char* needed : {"measure", "value"})
        if (std::find(head.begin(), head.end(), needed) == head.end())
          throw Error(fmt::format("{} has no column '{}'", where, needed),
                      "its first line names the factors, then measure and value");
      continue;
    }
    if (cells.size() != head.size())
      throw Error(
          fmt::format("{} has {} cells, and the first line {}", where, cells.size(), head.size()));
    PublishedValue one;
    one.line = number;
    for (std::size_t i = 0; i < head.size(); ++i) {
      if (head[i] == "measure") {
        one.measure = cells[i];
      } else if (head[i] == "value") {
        const auto value = parse_number(cells[i]);
        if (!value)
          throw Error(fmt::format("{}: '{}' is not a number", where, cells[i]),
                      "in SI units, without thousands separators");
        one.value = *value;
      } else if (factor_index(study, head[i])) {
        one.cell[head[i]] = cells[i];
      } else {
        throw Error(fmt::format("{}:1: '{}' is neither a factor of the study nor measure or value",
                                file, head[i]),
                    "leave out columns that are something else");
      }
    }
    values.push_back(std::move(one));
  }
  if (values.empty()) throw Error(file + " has no published values in it");
  return values;
}

}  // namespace prengdl
