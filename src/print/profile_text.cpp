// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "base/strings.h"
#include "print/profile.h"
#include "tables/cells.h"
#include "tables/part.h"

namespace prengdl {
namespace {

constexpr std::size_t widest_cell = 64;
constexpr std::size_t most_calls = 20;     // callers or callees of one function
constexpr std::size_t most_functions = 5;  // that one name may stand for
constexpr std::size_t most_differences = 10;

TableCell name_cell(const std::string& name) { return text_cell(shortened(name, widest_cell)); }

TableCell share_or_dash(const std::optional<double>& share) {
  return share ? share_cell(share) : text_cell("–");
}

TableCell grouped_cell(std::uint64_t number) {
  return {grouped(number), static_cast<double>(number), false};
}

std::string share_percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

/// Seconds without a prefix, so that a column can be compared at a glance.
struct SecondsCell {
  int decimals;
  explicit SecondsCell(Seconds total) : decimals(total.count() >= 10 ? 3 : 6) {}
  std::string text(Seconds value) const { return fmt::format("{:.{}f}", value.count(), decimals); }
  TableCell operator()(const std::optional<Seconds>& value) const {
    return value ? TableCell{text(*value), value->count(), false} : text_cell("–");
  }
};

Part part_of(const ProfileCost& cost, const std::string& before = "") {
  Part part{"profile", before + cost.label};
  part.remark =
      fmt::format("{} s in {} functions, {} calls", SecondsCell(cost.total).text(cost.total),
                  grouped(cost.functions.size()), grouped(cost.calls));
  if (cost.slow_down)
    part.remark += fmt::format("; {:.2f} times the time without the profiler", *cost.slow_down);
  return part;
}

void add_functions(const ProfileCost& cost, double least, Part& part) {
  const SecondsCell seconds(cost.total);
  Table table;
  table.columns = {number_column("own_seconds", "own s"),
                   number_column("share", "share"),
                   number_column("calls", "calls"),
                   number_column("cumulative_seconds", "cumulative s"),
                   text_column("class", "class"),
                   text_column("function", "function"),
                   text_column("at", "at")};
  std::size_t left = 0;
  Seconds left_own{};
  for (const auto& one : cost.functions) {
    const auto& function = cost.function(one);
    if (one.share.value_or(0) < least) {
      ++left;
      left_own += function.own;
      continue;
    }
    const auto location = location_of(function);
    table.add(
        {seconds(function.own), share_or_dash(one.share), grouped_cell(function.calls),
         seconds(function.cumulative), text_cell(one.api_class.value_or("")),
         name_cell(name_of(cost, one)),
         // Own code has its file in the name already.
         text_cell(one.api || location.empty() ? "" : fmt::format("line {}", function.line))});
  }
  part.add(std::move(table));
  if (left > 0)
    part.note(fmt::format(
        "{} below {}: {} s{}", left == 1 ? "1 function" : grouped(left) + " functions",
        share_percent(least), seconds.text(left_own),
        cost.total.count() > 0 ? fmt::format(" ({})", share_or_dash(left_own / cost.total).text)
                               : std::string()));
}

void add_classes(const ProfileCost& cost, Part& part) {
  const SecondsCell seconds(cost.total);
  Table table;
  table.columns = {number_column("own_seconds", "own s"), number_column("share", "share"),
                   number_column("calls", "calls"), text_column("class", "class")};
  for (const auto& one : cost.classes)
    table.add({seconds(one.own), share_or_dash(one.share), grouped_cell(one.calls),
               text_cell(one.name.empty() ? "your own code, and what has no class" : one.name)});
  part.add(std::move(table));
}

/// What the figures do not mean.
void add_notes(std::span<const ProfileCost> costs, double least, Part& part) {
  const auto matters = [&](std::string_view name) {
    return std::any_of(costs.begin(), costs.end(), [&](const ProfileCost& cost) {
      return std::any_of(cost.classes.begin(), cost.classes.end(), [&](const ApiCost& one) {
        return one.name == name && one.share.value_or(0) >= least;
      });
    });
  };
  if (matters("waiting"))
    part.note(
        "waiting: a GPU works asynchronously, so this is mostly the time of work requested "
        "before");
  if (matters("graph"))
    part.note("graph: Python sees a graph as one call; what happens inside is not visible here");
}

std::string one_profile(const ProfileCost& cost, const ProfileView& view, const Style& style) {
  Part part = part_of(cost);
  if (cost.functions.empty()) {
    part.say("nothing was profiled");
    return part_text(part, style);
  }
  add_functions(cost, view.least_share, part);
  part.say("");
  add_classes(cost, part);
  add_notes({&cost, 1}, view.least_share, part);
  return part_text(part, style);
}

void add_calls(const ProfileCost& cost, const std::vector<CallLine>& lines,
               const std::vector<std::string>& names, const char* who, Part& part) {
  const SecondsCell seconds(cost.total);
  Table table;
  table.columns = {number_column("calls", "calls"), number_column("own_seconds", "own s"),
                   number_column("cumulative_seconds", "cumulative s"), text_column("who", who)};
  for (std::size_t i = 0; i < lines.size() && i < most_calls; ++i)
    table.add({grouped_cell(lines[i].edge.calls), seconds(lines[i].edge.own),
               seconds(lines[i].edge.cumulative), name_cell(names[lines[i].other])});
  part.add(std::move(table));
  if (lines.size() > most_calls)
    part.note(fmt::format("… and {} more (see --json)", lines.size() - most_calls));
}

Part function_part(const ProfileCost& cost, const FunctionCost& one,
                   const std::vector<std::string>& names) {
  const SecondsCell seconds(cost.total);
  const auto& function = cost.function(one);
  Part part{"function", names[one.place]};
  part.remark = function.file == "~" ? std::string(function.name) : location_of(function);
  std::string text = fmt::format("{} s own ({}), {} s including calls, {} calls",
                                 seconds.text(function.own), share_or_dash(one.share).text,
                                 seconds.text(function.cumulative), grouped(function.calls));
  if (function.primitive_calls != function.calls)
    text += fmt::format(", {} of them not by recursion", grouped(function.primitive_calls));
  part.say(text);
  const auto callers = callers_of(cost, one.place);
  const auto callees = callees_of(cost, one.place);
  if (callers.empty()) part.say("called only from outside");
  add_calls(cost, callers, names, "called by", part);
  if (callees.empty()) part.say("calls nothing that was profiled");
  add_calls(cost, callees, names, "calls", part);
  return part;
}

std::string with_calls(const ProfileCost& cost, const std::string& wanted, const Style& style) {
  Part head = part_of(cost);
  const auto found = functions_named(cost, wanted);
  if (found.empty()) head.say("no function " + wanted);
  std::string out = part_text(head, style);
  const auto names = names_by_place(cost);
  for (std::size_t i = 0; i < found.size() && i < most_functions; ++i)
    out += part_text(function_part(cost, cost.functions[found[i]], names), style);
  if (found.size() > most_functions)
    out += style.dim(fmt::format("  … and {} more functions of this name (see --json)",
                                 found.size() - most_functions)) +
           "\n";
  return out;
}

Part differences_part(const std::vector<ProfileCost>& costs, double least) {
  Part part{"differences", "not the same work? functions that both called, but not equally often"};
  for (std::size_t j = 1; j < costs.size(); ++j) {
    std::size_t shown_lines = 0;
    for (const auto& one : call_differences(costs[0], costs[j], least)) {
      if (one.of == CallDifference::Of::api_class) continue;  // the table's rows say more
      // With more than two profiles the table is enough; steps are what counts.
      if (costs.size() > 2 && one.of != CallDifference::Of::steps) continue;
      if (++shown_lines > most_differences) break;
      const bool is_steps = one.of == CallDifference::Of::steps;
      const auto line =
          fmt::format("{}{}: {} calls in [1], {} in [{}]: {:.4g} times",
                      is_steps ? "steps, by " : "", name_cell(one.name).text, grouped(one.calls[0]),
                      grouped(one.calls[1]), j + 1, one.ratio());
      is_steps ? part.caution(line) : part.say(line);
    }
  }
  return part;
}

std::string several_profiles(const std::vector<ProfileCost>& costs, const ProfileView& view,
                             const Style& style) {
  std::string out;
  Table table;
  table.columns = {text_column("class", "class"), text_column("name", "API or own function")};
  Seconds longest{};
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::string number = fmt::format("[{}] ", i + 1);
    const auto head = part_text(part_of(costs[i], number), style);
    out += head.substr(0, head.size() - 1);
    table.columns.push_back(number_column(number + "own_seconds", number + "own s"));
    table.columns.push_back(number_column(number + "share", "share"));
    table.columns.push_back(number_column(number + "calls", "calls"));
    longest = std::max(longest, costs[i].total);
  }
  const SecondsCell seconds(longest);
  for (const auto& row : side_by_side(costs, view.least_share)) {
    std::vector<TableCell> cells{text_cell(row.api_class.value_or("")), name_cell(row.name)};
    for (const auto& one : row.in) {
      cells.push_back(one ? seconds(one->own) : text_cell("–"));
      cells.push_back(one ? share_or_dash(one->share) : text_cell("–"));
      cells.push_back(one ? grouped_cell(one->calls) : text_cell("–"));
    }
    table.add(std::move(cells));
  }
  Part part{"side_by_side", fmt::format("functions with {} or more of the time in any of them",
                                        share_percent(view.least_share))};
  part.add(std::move(table));
  add_notes(costs, view.least_share, part);
  out += "\n" + part_text(part, style);
  if (const Part differences = differences_part(costs, view.least_share);
      !differences.blocks.empty())
    out += part_text(differences, style);
  return out;
}

}  // namespace

std::string profile_text(const std::vector<ProfileCost>& costs, const ProfileView& view,
                         const Style& style) {
  if (!view.function)
    return costs.size() == 1 ? one_profile(costs.front(), view, style)
                             : several_profiles(costs, view, style);
  std::string out;
  for (const auto& cost : costs) out += with_calls(cost, *view.function, style);
  return out;
}

}  // namespace prengdl
