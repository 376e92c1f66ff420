// SPDX-License-Identifier: Apache-2.0
#include "serve/findings_so_far.h"

#include "base/error.h"
#include "campaign/result_study.h"
#include "print/compare.h"
#include "print/shown_names.h"
#include "report/gather.h"

namespace prengdl {
namespace {

/// Reading and analysing more takes seconds of CPU time while something is measured.
constexpr std::size_t most_analysed_runs = 2000;

Json json_number(const TableCell& cell) { return cell.number ? Json(*cell.number) : Json(nullptr); }

/// The ratios of one measure, case by case and for several cases as one.
Json ratio_rows(const Table& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    const auto cell = [&](const char* key) -> const TableCell& { return row[table.column(key)]; };
    rows.push_back({{"case", cell("case").text},
                    {"pair", cell("pair").text},
                    {"ratio", json_number(cell("ratio"))},
                    {"low", json_number(cell("low"))},
                    {"high", json_number(cell("high"))},
                    {"verdict", cell("verdict").text},
                    {"winner", cell("winner").text},
                    {"kind", cell("kind").text}});
  }
  return rows;
}

void add_findings(const std::filesystem::path& result, Json& json) {
  const auto store = ResultStore::open(result, Access::read_only);
  if (store.counts().runs() > most_analysed_runs)
    throw Error("there are more than 2000 runs; run `prengdl compare` to see the findings");
  const ResultStudy found = read_result(store);
  AnalysisOptions options;
  options.with_cost_to_score = options.with_lifecycle = options.with_factorial =
      options.with_robustness = false;
  const Analysis analysis =
      as_shown(as_shown(analyse_result(store, found, options), ShownNames::of_study(found.study)),
               ShownNames::of_long(level_names(found.study)));
  const Findings& findings = analysis.findings.or_throw();
  Names names;
  names.compared = findings.compare;
  names.of_case = [&](const CellPattern& cell) { return case_label(found.study, cell); };
  const Chart chart = ratios_chart(findings, analysis.headline, names);
  json["measure"] = names.of_measure(analysis.headline);
  json["is_modelled"] = analysis.modelled.contains(analysis.headline);
  json["compare"] = findings.compare;
  json["levels"] = findings.levels;
  json["ratio_of"] = chart.title_of("x");
  json["margin"] = findings.margin;
  json["rows"] = ratio_rows(chart.tables.front());
}

}  // namespace

Json findings_so_far(const std::filesystem::path& result, const SeenBlocks& seen) {
  Json json{{"blocks", seen.whole}, {"planned_blocks", seen.planned}, {"is_final", seen.is_final}};
  try {
    add_findings(result, json);
  } catch (const Error& error) {
    json["why_not"] = error.what();
  }
  return json;
}

}  // namespace prengdl
