// SPDX-License-Identifier: Apache-2.0
#include "profile/api_classes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/csv.h"
#include "base/escaping.h"
#include "base/strings.h"
#include "profile/embedded.h"

namespace prengdl {
namespace {

constexpr std::array<std::string_view, 4> columns{"function", "api", "class", "per"};
constexpr std::string_view header = "function,api,class,per";

/// The API of a row for the part of the name that its star stands for.
std::string with_star(const std::string& api, std::string_view part) {
  const auto star = api.find('*');
  if (star == std::string::npos) return api;
  return api.substr(0, star) + std::string(part) + api.substr(star + 1);
}

}  // namespace

ApiTable ApiTable::shipped() {
  ApiTable table;
  if (const auto added = table.add(embedded::api_classes(), "data/api_classes.csv"); !added)
    throw Error(added.error());
  return table;
}

Result<bool> ApiTable::Part::put(const std::string& function, const Row& row) {
  const auto star = function.find('*');
  bool is_new = true;
  if (star == std::string::npos)
    is_new = names.emplace(function, row).second;
  else if (star == function.size() - 1 && function.size() > 2 && function.ends_with(".*"))
    is_new = beginnings.emplace(function.substr(0, star - 1), row).second;
  else if (star == 0 && function.size() > 1 && function.find('*', 1) == std::string::npos)
    ends.emplace_back(function.substr(1), row);
  else
    return failure(fmt::format("'{}' is not a function", printable(function)),
                   "write a dotted name, torch.optim.* for all below it, or *.step for all that "
                   "end so");
  if (!is_new) return failure(fmt::format("'{}' appears twice", printable(function)));
  return true;
}

Result<bool> ApiTable::add(std::string_view csv, const std::string& name) {
  Part part;
  bool has_header = false;
  const auto rows = csv_rows(csv, name, {.has_comments = true});
  if (!rows) return tl::unexpected(rows.error());
  for (const auto& cells : *rows) {
    const auto where = fmt::format("{} line {}", name, cells.front().line);
    if (!std::exchange(has_header, true)) {
      if (std::ranges::equal(cells, columns, {}, &CsvCell::text)) continue;
      return failure(where + ": the first line must name the columns",
                     fmt::format("begin the file with: {}", header));
    }
    if (cells.size() != columns.size())
      return failure(fmt::format("{}: {} cells instead of 4", where, cells.size()),
                     fmt::format("write {}; all but the function may be empty", header));
    Row row;
    row.api = cells[1].text;
    if (!cells[2].text.empty()) row.api_class = cells[2].text;
    const auto& per = cells[3].text;
    row.is_once_a_step = per == "step";
    if (!per.empty() && !row.is_once_a_step)
      return failure(fmt::format("{} column 4: '{}' is not known", where, printable(per)),
                     "write step where a training calls it once a step, else nothing");
    const auto functions = words(cells[0].text);
    if (functions.empty())
      return failure(where + " column 1: there is no function", "write its dotted name");
    for (const auto function : functions)
      if (const auto put = part.put(std::string(function), row); !put)
        return failure(fmt::format("{} column 1: {}", where, put.error().what()), put.error().hint);
  }
  if (!has_header)
    return failure(name + ": it has no lines", fmt::format("begin the file with: {}", header));
  parts_.insert(parts_.begin(), std::move(part));
  return true;
}

ApiTable::Match ApiTable::Part::match(std::string_view dotted) const {
  if (const auto found = names.find(dotted); found != names.end()) return {&found->second, ""};
  for (const auto& [end, row] : ends)
    if (dotted.ends_with(end)) return {&row, dotted.substr(0, dotted.size() - end.size())};
  for (auto dot = dotted.rfind('.'); dot != std::string_view::npos && dot > 0;
       dot = dotted.rfind('.', dot - 1))
    if (const auto found = beginnings.find(dotted.substr(0, dot)); found != beginnings.end())
      return {&found->second, dotted.substr(dot + 1)};
  return {};
}

Api ApiTable::find(const std::string& dotted) const {
  Api api{dotted, std::nullopt, false};
  for (const auto& part : parts_) {
    const auto [row, star] = part.match(dotted);
    if (!row) continue;
    if (!row->api.empty()) api.name = with_star(row->api, star);
    api.is_once_a_step = row->is_once_a_step;
    break;
  }
  // Rows of the user count first, whether they name the function or its API.
  for (const auto& part : parts_) {
    const Row* row = part.match(dotted).row;
    if (!(row && row->api_class) && api.name != dotted) row = part.match(api.name).row;
    if (!row || !row->api_class) continue;
    api.api_class = row->api_class;
    api.is_once_a_step = api.is_once_a_step || row->is_once_a_step;
    break;
  }
  return api;
}

}  // namespace prengdl
