// SPDX-License-Identifier: Apache-2.0
//
// "Where does the energy go over time?": power over time of any run.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/amounts.h"
#include "base/strings.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {

Part power_part(const ReportInput& input) {
  Part part{"power", "Where does the energy go over time?", {}};
  if (input.power.empty()) {
    part.absent = "No run has samples of a meter, only totals or nothing.";
    return part;
  }
  Table table;
  table.id = "power-runs";
  table.title = "Runs whose power was sampled";
  table.columns = {text_column("case", "case"),
                   text_column("level", level_title(input)),
                   text_column("run", "run"),
                   text_column("covers", "covers"),
                   number_column("samples", "samples"),
                   number_column("lowest", "lowest", "W"),
                   number_column("highest", "highest", "W"),
                   number_column("seconds", "time", "s"),
                   number_column("spans", "spans")};
  std::set<std::string> domains;
  for (const auto& series : input.power) {
    if (series.watts.empty()) continue;
    const auto& lows = series.low.empty() ? series.watts : series.low;
    const auto& highs = series.high.empty() ? series.watts : series.high;
    const auto low = std::min_element(lows.begin(), lows.end());
    const auto high = std::max_element(highs.begin(), highs.end());
    domains.insert(series.covers.begin(), series.covers.end());
    table.rows.push_back({text_cell(series.case_name), text_cell(series.level),
                          text_cell(series.run), text_cell(listed(series.covers)),
                          count_cell(series.samples), scaled_cell(*low), scaled_cell(*high),
                          scaled_cell(series.seconds.back()), count_cell(series.spans.size())});
  }

  Chart chart;
  chart.id = "power-chart";
  chart.title = "Power over time";
  chart.badge = badge_of(input, "watts");
  // Power may be sampled in fewer domains than energy is counted in.
  if (chart.badge.starts_with("measured: ")) chart.badge = "measured: " + joined(domains, ", ");
  chart.says = fmt::format(
      "Power ({}) of the runs that you choose. The line is the mean and the band goes from the "
      "lowest to the highest sample. Spans such as epochs are shaded.",
      listed({domains.begin(), domains.end()}));
  if (const Thinning thinning = thinning_of(input); thinning.is_needed())
    chart.says += fmt::format(" There are up to {} runs of each cell.", thinning.most_of_group());
  chart.kind = ChartKind::power;
  chart.titles = {{"x", "time [s]"}, {"y", "power [W]"}};
  chart.series = input.power;
  chart.tables.push_back(std::move(table));
  part.add(std::move(chart));
  return part;
}

}  // namespace prengdl
