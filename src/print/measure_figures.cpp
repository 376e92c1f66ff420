// SPDX-License-Identifier: Apache-2.0
//
// What was measured of a command, as tables.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/amounts.h"
#include "base/strings.h"
#include "model/measure.h"
#include "model/window.h"
#include "print/measure.h"
#include "print/words.h"
#include "stats/summary.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

TableCell figure_cell(double value, std::string_view unit) {
  return {figure_text(value, unit), value, false};
}

/// The standard deviation as a share of the mean, so that time and energy can be compared. Of a
/// mean that may be zero, as net energy may, there is no share.
TableCell spread_cell(const Summary& summary) {
  if (!summary.sd || summary.min <= 0) return {};
  return {percent_text(*summary.sd / summary.mean), summary.sd, false};
}

TableCell quality_cell(Quality quality) {
  return toned_cell(quality_caution(quality), CellTone::caution);
}

/// A row of the figures. What it does not set is left blank.
struct FigureRow {
  std::string name;
  Summary summary;
  std::string_view unit;
  std::optional<double> watts = {};
  std::optional<double> uncertainty = {};  // of a single reading
  Quality quality = Quality::wall;

  std::vector<TableCell> cells() const {
    std::vector<TableCell> row{text_cell(name), figure_cell(summary.mean, unit),
                               spread_cell(summary)};
    for (const double value : {summary.median, summary.min, summary.max})
      row.push_back(summary.n > 1 ? figure_cell(value, unit) : TableCell{});
    row.push_back(watts ? TableCell{with_prefix(*watts, "W"), watts, false} : TableCell{});
    row.push_back(uncertainty ? TableCell{"±" + with_prefix(*uncertainty, "J"), uncertainty, false}
                              : TableCell{});
    row.push_back(quality_cell(quality));
    return row;
  }
};

const Energy* energy_of(const Run& run, const std::string& measure) {
  if (measure == measures::metered) return run.energy.metered ? &*run.energy.metered : nullptr;
  const auto domain = run.energy.domains.find(measure);
  return domain == run.energy.domains.end() ? nullptr : &domain->second;
}

FigureRow energy_row(const std::vector<Run>& runs, const std::string& measure,
                     const std::vector<double>& joules) {
  FigureRow row{measure == measures::metered ? "energy" : "  " + measure, summarise(joules), "J"};
  double watts = 0;
  double uncertainty = 0;
  for (const auto& run : runs) {
    const Energy* energy = energy_of(run, measure);
    if (!energy) continue;
    watts += energy->value.value / run.window.count() / static_cast<double>(joules.size());
    uncertainty = std::max(uncertainty, energy->uncertainty.value);
    row.quality = std::max(row.quality, energy->quality);
  }
  row.watts = watts;
  if (joules.size() == 1 && quality_caution(row.quality).empty()) row.uncertainty = uncertainty;
  return row;
}

void add_energies(const std::vector<Run>& runs, const std::vector<std::string>& measures,
                  Table& table) {
  // One domain alone is `metered` itself; a second row would only repeat it.
  const bool only_one = runs.front().energy.domains.size() == 1;
  for (const auto& measure : measures) {
    if (!is_energy_measure(measure) || (measure != measures::metered && only_one)) continue;
    const auto values = values_of(runs, measure);
    if (!values.empty()) table.add(energy_row(runs, measure, values).cells());
  }
  std::vector<double> net;
  Quality quality = Quality::wall;
  for (const auto& run : runs)
    if (run.net && run.net->metered) {
      net.push_back(run.net->metered->value.value);
      quality = std::max(quality, run.net->metered->quality);
    }
  if (net.empty()) return;
  FigureRow row{"  net", summarise(net), "J"};
  row.quality = quality;
  table.add(row.cells());
}

/// Time and energy in the window, above those of whole runs.
void add_window(const std::vector<Run>& runs, const std::vector<std::string>& measures,
                const std::string& window, Table& table) {
  const auto seconds = values_in(runs, window, measures::seconds);
  if (seconds.empty()) return;
  table.add(FigureRow{window + " time", summarise(seconds), "s"}.cells());
  for (const auto& measure : measures) {
    if (measure != measures::metered) continue;
    const auto joules = values_in(runs, window, measure);
    if (joules.empty()) continue;
    FigureRow row{window + " energy", summarise(joules), "J"};
    if (joules.size() == seconds.size()) row.watts = row.summary.mean / summarise(seconds).mean;
    for (const auto& run : runs)
      if (const auto quality = quality_in(run, measure))
        row.quality = std::max(row.quality, *quality);
    table.add(row.cells());
  }
}

Table figures_table(const std::vector<Run>& runs, const std::vector<std::string>& measures,
                    const std::string& window) {
  Table table;
  table.columns = {text_column("what", ""),         number_column("mean", "value"),
                   number_column("sd", "sd"),       number_column("median", "median"),
                   number_column("min", "min"),     number_column("max", "max"),
                   number_column("power", "power"), number_column("reading", "read to"),
                   text_column("quality", "")};
  if (runs.size() > 1) table.columns[1].title = "mean";
  if (window != "run") add_window(runs, measures, window, table);
  table.add(FigureRow{table.rows.empty() ? "time" : "whole run: time",
                      summarise(values_of(runs, measures::seconds)), "s"}
                .cells());
  add_energies(runs, measures, table);
  for (const auto& work : runs.front().work) {
    std::vector<TableCell> row(table.columns.size());
    row[0] = text_cell(work.name);
    row[1] = {fmt::format("{:.6g}", work.value), work.value, false};
    table.add(std::move(row));
  }
  return table;
}

/// What the workload emitted about its result: accuracy, loss.
void add_metrics(const std::vector<Run>& runs, Part& part) {
  constexpr std::size_t most = 20;
  const auto names = metrics_of(runs);
  Table table;
  table.columns = {text_column("metric", "metric"), number_column("mean", "mean"),
                   number_column("sd", "sd"), number_column("min", "min"),
                   number_column("max", "max")};
  for (std::size_t i = 0; i < names.size() && i < most; ++i) {
    const Summary summary = summarise(final_metrics(runs, names[i]));
    const bool has_spread = summary.n > 1;
    table.add({text_cell(shortened(names[i], 60)), number_cell(summary.mean),
               number_cell(summary.sd, 2), has_spread ? number_cell(summary.min) : TableCell{},
               has_spread ? number_cell(summary.max) : TableCell{}});
  }
  if (runs.size() == 1) table.columns[1].title = "value";
  part.add(std::move(table));
  if (names.size() > most)
    part.note(fmt::format("and {} more metrics: --json has them all", names.size() - most));
}

/// A span by its name, over the runs.
struct SpanFigures {
  std::string name;
  std::vector<double> seconds;
  std::vector<double> joules;
  Quality quality = Quality::wall;

  std::vector<TableCell> cells() const {
    const Summary time = summarise(seconds);
    std::vector<TableCell> row{text_cell(shortened(name, 60)), figure_cell(time.mean, "s"),
                               spread_cell(time)};
    if (joules.size() == seconds.size()) {
      const Summary energy = summarise(joules);
      row.push_back(figure_cell(energy.mean, "J"));
      row.push_back(spread_cell(energy));
      row.push_back(quality_cell(quality));
    } else {
      row.resize(5);
      row.push_back(toned_cell("too short for the meters", CellTone::faint));
    }
    return row;
  }
};

/// In the order in which they first occur.
std::vector<SpanFigures> spans_of(const std::vector<Run>& runs) {
  std::vector<SpanFigures> spans;
  std::map<std::string, std::size_t> places;
  for (const auto& run : runs)
    for (const auto& [span, energy, channels] : run.spans) {
      const std::string name = span.name.empty() ? span.span : span.span + " " + span.name;
      const auto [place, is_new] = places.try_emplace(name, spans.size());
      if (is_new) spans.emplace_back().name = name;
      SpanFigures& one = spans[place->second];
      one.seconds.push_back(seconds_between(span.begin_ns, span.end_ns).count());
      if (!energy.metered) continue;
      one.joules.push_back(energy.metered->value.value);
      one.quality = std::max(one.quality, energy.metered->quality);
    }
  return spans;
}

void add_spans(const std::vector<Run>& runs, Part& part) {
  constexpr std::size_t most = 30;
  const auto spans = spans_of(runs);
  Table table;
  table.columns = {text_column("span", "span"),      number_column("time", "time"),
                   number_column("time_sd", "sd"),   number_column("energy", "energy"),
                   number_column("energy_sd", "sd"), text_column("quality", "")};
  for (std::size_t i = 0; i < spans.size() && i < most; ++i) table.add(spans[i].cells());
  part.add(std::move(table));
  if (spans.size() > most)
    part.note(fmt::format("and {} more spans: --json has them all", spans.size() - most));
}

double mean_of(const std::vector<Run>& runs, double (*value)(const Run&)) {
  double sum = 0;
  for (const auto& run : runs) sum += value(run);
  return sum / static_cast<double>(runs.size());
}

}  // namespace

std::vector<std::string> metrics_of(const std::vector<Run>& runs) {
  std::vector<std::string> names;
  for (const auto& run : runs)
    for (const auto& metric : run.metrics)
      if (std::find(names.begin(), names.end(), metric.name) == names.end())
        names.push_back(metric.name);
  return names;
}

std::vector<double> final_metrics(const std::vector<Run>& runs, const std::string& name) {
  std::vector<double> values;
  for (const auto& run : runs)
    if (const auto value = final_metric(run, name)) values.push_back(*value);
  return values;
}

std::vector<double> values_in(const std::vector<Run>& runs, const std::string& window,
                              const std::string& measure) {
  const auto parsed = parse_window(window);
  if (!parsed) throw Error(parsed.error());
  std::vector<double> values;
  for (const auto& run : runs)
    if (const auto value = value_in(run, *parsed, measure)) values.push_back(*value);
  return values;
}

void add_figures(const std::vector<Run>& runs, const std::vector<std::string>& measures,
                 const std::string& window, Part& part) {
  part.add(figures_table(runs, measures, window));
  part.note(fmt::format(
      "user {}, system {}, {} resident",
      for_people(Seconds{mean_of(runs, [](const Run& run) { return run.user.count(); })}),
      for_people(Seconds{mean_of(runs, [](const Run& run) { return run.system.count(); })}),
      with_prefix(
          mean_of(runs, [](const Run& run) { return static_cast<double>(run.max_rss_bytes); }),
          "B")));
  const bool has_net = std::any_of(runs.begin(), runs.end(),
                                   [](const Run& run) { return run.net && run.net->metered; });
  if (has_net) part.note("net: without the energy of the idle machine");
  add_metrics(runs, part);
  add_spans(runs, part);
}

}  // namespace prengdl
