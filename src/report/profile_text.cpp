// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "base/text.h"
#include "report/profile_parts.h"
#include "report/profile_report.h"
#include "report/table.h"
#include "report/terminal.h"

namespace prengdl {
namespace {

constexpr std::size_t widest_cell = 64;
constexpr std::size_t most_calls = 20;     // callers or callees of one function
constexpr std::size_t most_functions = 5;  // that one name may stand for
constexpr std::size_t most_differences = 10;

std::string name_cell(const std::string& name) { return shortened(printable(name), widest_cell); }

std::string share_or_dash(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "–";
}

std::string share_percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

/// Seconds without a prefix, so that a column can be compared at a glance.
struct SecondsCell {
  int decimals;
  explicit SecondsCell(Seconds total) : decimals(total.count() >= 10 ? 3 : 6) {}
  std::string operator()(const std::optional<Seconds>& value) const {
    return value ? fmt::format("{:.{}f}", value->count(), decimals) : "–";
  }
};

/// A table with its head dimmed.
std::string shown(const Table& table, const Style& style) {
  const auto text = table.text("  ", style);
  const auto end = text.find('\n');
  return style.dim(text.substr(0, end)) + text.substr(end);
}

std::string heading(const ProfileCost& cost, const Style& style) {
  std::string text =
      fmt::format("   {} s in {} functions, {} calls", SecondsCell(cost.total)(cost.total),
                  grouped(cost.functions.size()), grouped(cost.calls));
  if (cost.slow_down)
    text += fmt::format("; {:.2f} times the time without the profiler", *cost.slow_down);
  return style.bold(printable(cost.label)) + style.dim(text) + "\n";
}

std::string function_table(const ProfileCost& cost, double least, const Style& style) {
  const SecondsCell seconds(cost.total);
  Table table({{"own s", Table::Align::right},
               {"share", Table::Align::right},
               {"calls", Table::Align::right},
               {"cumulative s", Table::Align::right},
               {"class", Table::Align::left},
               {"function", Table::Align::left},
               {"at", Table::Align::left}});
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
    table.add({seconds(function.own), share_or_dash(one.share), grouped(function.calls),
               seconds(function.cumulative), printable(one.api_class.value_or("")),
               name_cell(name_of(cost, one)),
               // Own code has its file in the name already.
               one.api || location.empty() ? "" : fmt::format("line {}", function.line)});
  }
  std::string out = table.empty() ? "" : shown(table, style);
  if (left > 0)
    out += style.dim(fmt::format(
               "  {} below {}: {} s{}", left == 1 ? "1 function" : grouped(left) + " functions",
               share_percent(least), seconds(left_own),
               cost.total.count() > 0 ? fmt::format(" ({})", share_or_dash(left_own / cost.total))
                                      : std::string())) +
           "\n";
  return out;
}

std::string class_table(const ProfileCost& cost, const Style& style) {
  const SecondsCell seconds(cost.total);
  Table table({{"own s", Table::Align::right},
               {"share", Table::Align::right},
               {"calls", Table::Align::right},
               {"class", Table::Align::left}});
  for (const auto& one : cost.classes)
    table.add({seconds(one.own), share_or_dash(one.share), grouped(one.calls),
               one.name.empty() ? "your own code, and what has no class" : printable(one.name)});
  return shown(table, style);
}

/// What the figures do not mean.
std::string notes(std::span<const ProfileCost> costs, double least, const Style& style) {
  const auto matters = [&](std::string_view name) {
    return std::any_of(costs.begin(), costs.end(), [&](const ProfileCost& cost) {
      return std::any_of(cost.classes.begin(), cost.classes.end(), [&](const ApiCost& one) {
        return one.name == name && one.share.value_or(0) >= least;
      });
    });
  };
  std::string out;
  const auto note = [&](const char* text) { out += "  " + style.dim(text) + "\n"; };
  if (matters("waiting"))
    note("waiting: a GPU works on its own; the time is mostly that of work asked for before");
  if (matters("graph"))
    note("graph: all of a graph is one call for Python; what is in it cannot be seen here");
  return out;
}

std::string one_profile(const ProfileCost& cost, const ProfileView& view, const Style& style) {
  std::string out = heading(cost, style);
  if (cost.functions.empty()) return out + "  nothing was profiled\n";
  out += function_table(cost, view.least_share, style) + "\n" + class_table(cost, style);
  if (const auto more = notes({&cost, 1}, view.least_share, style); !more.empty())
    out += "\n" + more;
  return out;
}

std::string call_table(const ProfileCost& cost, const std::vector<CallLine>& lines,
                       const std::vector<std::string>& names, const char* who, const Style& style) {
  const SecondsCell seconds(cost.total);
  Table table({{"calls", Table::Align::right},
               {"own s", Table::Align::right},
               {"cumulative s", Table::Align::right},
               {who, Table::Align::left}});
  for (std::size_t i = 0; i < lines.size() && i < most_calls; ++i)
    table.add({grouped(lines[i].edge.calls), seconds(lines[i].edge.own),
               seconds(lines[i].edge.cumulative), name_cell(names[lines[i].other])});
  std::string out = shown(table, style);
  if (lines.size() > most_calls)
    out += style.dim(fmt::format("  … and {} more (see --json)", lines.size() - most_calls)) + "\n";
  return out;
}

std::string with_calls(const ProfileCost& cost, const std::string& wanted, const Style& style) {
  std::string out = heading(cost, style);
  const auto found = functions_named(cost, wanted);
  if (found.empty()) return out + fmt::format("  no function {}\n", printable(wanted));
  const SecondsCell seconds(cost.total);
  const auto names = names_by_place(cost);
  for (std::size_t i = 0; i < found.size() && i < most_functions; ++i) {
    const auto& one = cost.functions[found[i]];
    const auto& function = cost.function(one);
    out += "\n" + style.bold(printable(names[one.place])) +
           style.dim("   " + printable(function.file == "~" ? std::string(function.name)
                                                            : location_of(function))) +
           "\n";
    out += fmt::format("  {} s own ({}), {} s with what it called, {} calls", seconds(function.own),
                       share_or_dash(one.share), seconds(function.cumulative),
                       grouped(function.calls));
    if (function.primitive_calls != function.calls)
      out += fmt::format(", {} of them not by recursion", grouped(function.primitive_calls));
    out += "\n";
    const auto callers = callers_of(cost, one.place);
    const auto callees = callees_of(cost, one.place);
    out += callers.empty() ? "  called from outside only\n"
                           : call_table(cost, callers, names, "called by", style);
    out += callees.empty() ? "  calls nothing that was profiled\n"
                           : call_table(cost, callees, names, "calls", style);
  }
  if (found.size() > most_functions)
    out += style.dim(fmt::format("\n  … and {} more functions of this name (see --json)",
                                 found.size() - most_functions)) +
           "\n";
  return out;
}

std::string difference_lines(const std::vector<ProfileCost>& costs, double least,
                             const Style& style) {
  std::string out;
  for (std::size_t j = 1; j < costs.size(); ++j) {
    const auto found = call_differences(costs[0], costs[j], least);
    std::size_t shown_lines = 0;
    for (const auto& one : found) {
      if (one.of == CallDifference::Of::api_class) continue;  // the table's rows say more
      // With more than two profiles the table is enough; steps are what counts.
      if (costs.size() > 2 && one.of != CallDifference::Of::steps) continue;
      if (++shown_lines > most_differences) break;
      const bool is_steps = one.of == CallDifference::Of::steps;
      const auto line = fmt::format(
          "{}{}: {} calls in [1], {} in [{}]: {:.4g} times", is_steps ? "steps, by " : "",
          name_cell(one.name), grouped(one.calls[0]), grouped(one.calls[1]), j + 1, one.ratio());
      out += "  " + (is_steps ? style.warn(line) : line) + "\n";
    }
  }
  return out.empty() ? out : "\nnot the same work? what both called, but not as often\n" + out;
}

std::string several_profiles(const std::vector<ProfileCost>& costs, const ProfileView& view,
                             const Style& style) {
  std::string out;
  std::vector<Table::Column> columns{{"class", Table::Align::left},
                                     {"API or own function", Table::Align::left}};
  Seconds longest{};
  for (std::size_t i = 0; i < costs.size(); ++i) {
    out += fmt::format("[{}] ", i + 1) + heading(costs[i], style);
    columns.push_back({fmt::format("[{}] own s", i + 1), Table::Align::right});
    columns.push_back({"share", Table::Align::right});
    columns.push_back({"calls", Table::Align::right});
    longest = std::max(longest, costs[i].total);
  }
  const SecondsCell seconds(longest);
  Table table(columns);
  for (const auto& row : side_by_side(costs, view.least_share)) {
    std::vector<std::string> cells{printable(row.api_class.value_or("")), name_cell(row.name)};
    for (const auto& one : row.in) {
      cells.push_back(one ? seconds(one->own) : "–");
      cells.push_back(one ? share_or_dash(one->share) : "–");
      cells.push_back(one ? grouped(one->calls) : "–");
    }
    table.add(std::move(cells));
  }
  if (!table.empty()) out += "\n" + shown(table, style);
  out += style.dim(fmt::format("  all that has {} or more of the time in any of them",
                               share_percent(view.least_share))) +
         "\n";
  out += difference_lines(costs, view.least_share, style);
  if (const auto more = notes(costs, view.least_share, style); !more.empty()) out += "\n" + more;
  return out;
}

}  // namespace

std::string profile_text(const std::vector<ProfileCost>& costs, const ProfileView& view,
                         const Style& style) {
  if (!view.function)
    return costs.size() == 1 ? one_profile(costs.front(), view, style)
                             : several_profiles(costs, view, style);
  std::string out;
  for (const auto& cost : costs)
    out += (out.empty() ? "" : "\n") + with_calls(cost, *view.function, style);
  return out;
}

}  // namespace prengdl
