// SPDX-License-Identifier: Apache-2.0
//
// Part 5: power over time of any run.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/amounts.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {

Part power_part(const ReportInput& input) {
  Part part{"power", "Power over time", {}};
  if (input.power.empty()) {
    part.say(
        "There is no power over time: no run has samples of a meter that counts as its energy (a "
        "total alone has no course).");
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
    const auto [low, high] = std::minmax_element(series.watts.begin(), series.watts.end());
    domains.insert(series.covers.begin(), series.covers.end());
    table.rows.push_back({text_cell(series.case_name), text_cell(series.level),
                          text_cell(series.run), text_cell(listed(series.covers)),
                          count_cell(series.samples), scaled_cell(*low), scaled_cell(*high),
                          scaled_cell(series.seconds.back()), count_cell(series.spans.size())});
  }
  part.say(
      fmt::format("Power of {}, from the samples of {}. Long series are drawn by the lowest and "
                  "the highest value of each stretch: no peak is lost.",
                  listed({domains.begin(), domains.end()}), counted(table.rows.size(), "run")));
  if (const Thinning thinning = thinning_of(input); thinning.is_needed())
    part.say(fmt::format("These are a part of the runs: up to {} of each cell.",
                         thinning.most_of_group()));
  Chart chart;
  chart.id = "power-chart";
  chart.title = "Power over time";
  chart.says =
      "Watts over seconds of the runs that are chosen, with their epochs and other spans as bands; "
      "together or side by side.";
  chart.kind = ChartKind::power;
  chart.titles = {{"x", "time [s]"},
                  {"y", is_modelled(input, "metered") ? "power, modelled [W]" : "power [W]"}};
  chart.series = input.power;
  chart.tables.push_back(std::move(table));
  part.add(std::move(chart));
  return part;
}

}  // namespace prengdl
