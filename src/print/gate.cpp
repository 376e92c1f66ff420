// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "base/escaping.h"
#include "base/json.h"
#include "model/measure.h"
#include "print/checks.h"
#include "tables/cells.h"
#include "tables/escape.h"

namespace prengdl {
namespace {

TableCell or_dash(const TableCell& cell) { return cell.text.empty() ? text_cell("–") : cell; }

/// What base and new cost by each measure; only the first one is tested.
Table gate_table(const GateResult& result) {
  Table table;
  table.columns = {text_column("measure", "geometric means"), number_column("base", "base"),
                   number_column("new", "new"), number_column("ratio", "new / base"),
                   interval_column()};
  const auto add = [&](const GateEstimate& estimate, const char* remark) {
    const auto figure = [&](const std::optional<double>& value) {
      return value ? TableCell{figure_text(*value, unit_of(estimate.measure)), value, false}
                   : TableCell{};
    };
    table.add({text_cell(title_of(estimate.measure) + remark),
               or_dash(figure(estimate.geometric_means[0])),
               or_dash(figure(estimate.geometric_means[1])),
               or_dash(estimate.ratio ? ratio_cell(*estimate.ratio) : TableCell{}),
               or_dash(interval_cell(estimate.ci95))});
  };
  add(result.tested, "");
  for (const auto& estimate : result.beside) add(estimate, " (not tested)");
  return table;
}

/// "10 pairs of runs", "10 and 12 runs of two occasions, 2 % sd between occasions".
std::string sample(const GateResult& result) {
  const auto& n = result.tested.n;
  if (!result.paired)
    return fmt::format("{} and {} runs from two occasions{}", n[0], n[1],
                       result.between
                           ? fmt::format(", {:.3g} % sd between occasions", 100 * *result.between)
                           : "");
  return n[0] == 1 ? "1 pair of runs" : fmt::format("{} pairs of runs", n[0]);
}

/// How it was tested, with the figures.
std::string test_line(const GateResult& result) {
  if (!result.p_above) return sample(result);
  return fmt::format(
      "{}; one-sided t tests on logs at {:.3g} %: above {:.4g} p {:.2g}, at or below it p {:.2g}",
      sample(result), result.alpha * 100, result.limit, *result.p_above, *result.p_within);
}

Json estimate_json(const GateEstimate& estimate) {
  Json json{{"measure", estimate.measure}, {"n", estimate.n}};
  const auto& [base, candidate] = estimate.geometric_means;
  if (base && candidate) json["geomeans"] = {*base, *candidate};
  if (estimate.ratio) json["ratio"] = *estimate.ratio;
  if (estimate.ci95) json["ci95"] = *estimate.ci95;
  return json;
}

}  // namespace

std::string gate_line(const GateResult& result, const Style& style) {
  const std::string name(name_of(result.verdict));
  const std::string verdict = result.verdict == GateVerdict::pass   ? style.good(name)
                              : result.verdict == GateVerdict::fail ? style.bad(name)
                                                                    : style.warn(name);
  return fmt::format("{}: {}\n", verdict, printable(result.reason));
}

std::string gate_text(const GateResult& result, const Style& style) {
  std::string out = gate_line(result, style);
  out +=
      fmt::format("  base  {}\n  new   {}\n", printable(result.base), printable(result.candidate));
  out += table_text(gate_table(result), style);
  out += "  " + style.dim(test_line(result)) + "\n";
  if (!result.advice.empty()) out += "  " + result.advice + "\n";
  for (const auto& note : result.notes) out += "  " + style.warn("note: " + printable(note)) + "\n";
  return out;
}

std::string gate_markdown(const GateResult& result) {
  std::string out = fmt::format("**prengdl gate: {}** – {}.\n\n", name_of(result.verdict),
                                markdown_text(result.reason));
  out += table_markdown(gate_table(result));
  out += fmt::format("\nbase: {}  \nnew: {}  \n{}.\n", markdown_text(result.base),
                     markdown_text(result.candidate), test_line(result));
  std::string list;
  if (!result.advice.empty()) list += "* " + markdown_text(result.advice) + "\n";
  for (const auto& note : result.notes) list += "* " + markdown_text(note) + "\n";
  if (!list.empty()) out += "\n" + list;
  return out;
}

std::string gate_json(const GateResult& result) {
  Json json{{"schema", "prengdl.gate/2"}, {"verdict", name_of(result.verdict)},
            {"reason", result.reason},    {"base", result.base},
            {"new", result.candidate},    {"paired", result.paired},
            {"limit", result.limit},      {"alpha", result.alpha}};
  if (!result.advice.empty()) json["advice"] = result.advice;
  if (result.between) json["between"] = *result.between;
  Json tested = estimate_json(result.tested);
  if (result.at_least) tested["at_least"] = *result.at_least;
  if (result.at_most) tested["at_most"] = *result.at_most;
  if (result.p_above) tested["p_above"] = *result.p_above;
  if (result.p_within) tested["p_within"] = *result.p_within;
  json["tested"] = std::move(tested);
  json["beside"] = Json::array();
  for (const auto& estimate : result.beside) json["beside"].push_back(estimate_json(estimate));
  if (result.needed)
    json["needed"] = {{"of_each", result.needed->of_each},
                      {"additional", result.needed->additional}};
  json["notes"] = result.notes;
  return dump(json) + "\n";
}

}  // namespace prengdl
