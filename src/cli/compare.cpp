// SPDX-License-Identifier: Apache-2.0
#include "print/compare.h"

#include <unistd.h>

#include <iostream>

#include "base/strings.h"
#include "cli/analysis_options.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "conclude/comparable_runs.h"
#include "print/shown_names.h"
#include "report/gather.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

struct CompareOptions {
  std::string result;
  std::string per, window, analysis_file;
  std::string carbon, price, pue, embodied;
  bool json = false, csv = false, markdown = false, published = false;
  bool robustness = false;
  AnalysisWords analysis;
  ComparePartsShown shown;

  void declare(Arguments& arguments) {
    arguments.word("RESULT", result, "the result directory");
    arguments.text("--per", per,
                   "the unit of work that costs are divided by (samples, tokens), or run (default: "
                   "as the study says)",
                   "WHAT");
    arguments.text(
        "--window", window,
        "the part of each run that is compared: train, epoch>1, train|infer (default: as "
        "the study says)",
        "SPAN");
    declare_analysis_file(arguments, analysis_file);
    arguments.flag("--json", json, "as JSON");
    arguments.flag("--csv", csv, "as CSV, a row per comparison");
    arguments.flag("--markdown", markdown, "as Markdown tables");
    arguments.flag("--as-published", published,
                   "the tables of the published studies: means, p, A12");
    declare_parts(arguments);
  }

  void declare_parts(Arguments& arguments) {
    arguments.text("--lifecycle", analysis.lifecycle,
                   "whole-life costs and break-even: train=1,infer=N", "PHASES");
    arguments.text("--carbon", carbon, "grams of CO2e: a place (DE), g/kWh (350) or FILE:PLACE",
                   "WHERE");
    arguments.text("--price", price, "money: a place (DE), 0.30EUR a kWh, or FILE:PLACE", "WHERE");
    arguments.text("--pue", pue, "the data centre's overhead on energy, for carbon and money", "X");
    arguments.text("--embodied", embodied, "emissions of making the hardware: 1000kg,4y[,SHARE]",
                   "MADE");
    arguments.text("--metric", analysis.metric,
                   "energy against this metric (default: of each case what it is judged by)",
                   "NAME");
    arguments.flag("--lower-is-better", analysis.lower_is_better, "of the metric: a loss");
    arguments.text("--reach", analysis.reach, "energy until the first epoch that reaches this",
                   "VALUE");
    arguments.flag("--energy-time", shown.energy_time,
                   "energy against time, within and across cells");
    arguments.flag("--robustness", robustness,
                   "which of the reasonable analyses agree with the verdicts");
    arguments.flag("--factorial", shown.factorial,
                   "level means, interactions and shares of variation");
  }

  void check() const {
    if (json + csv + markdown + published > 1)
      throw UsageError("give one of --json, --csv, --markdown and --as-published",
                       "--json holds everything");
    if (!carbon.empty() || !price.empty()) return;
    for (const auto& [name, given] : {std::pair("--pue", &pue), std::pair("--embodied", &embodied)})
      if (!given->empty())
        throw UsageError(std::string(name) + " needs --carbon or --price", "as in --carbon DE");
  }

  std::optional<EmissionSettings> emissions() const {
    if (carbon.empty() && price.empty()) return std::nullopt;
    EmissionSettings settings;
    if (!carbon.empty()) settings.carbon = or_refuse("--carbon", carbon_factor(carbon));
    if (!price.empty()) settings.price = or_refuse("--price", price_factor(price));
    if (!pue.empty()) settings.pue = or_refuse("--pue", parse_pue(pue));
    if (!embodied.empty()) settings.embodied = or_refuse("--embodied", parse_embodied(embodied));
    return settings;
  }
};

}  // namespace

int compare_command(const std::vector<std::string>& words) {
  CompareOptions options;
  Arguments arguments("compare",
                      "Says which of the compared levels costs less, and how sure it is.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  options.check();

  const auto store = ResultStore::open(options.result, Access::read_only);
  ResultStudy found = read_result(store, options.analysis_file);
  note_look(store, found, "compare");
  const auto stated_window = take_window(options.window, found.runs, found.study);
  if (!options.per.empty()) found.study.analysis.per = options.per == "run" ? "" : options.per;
  AnalysisOptions wanted = analysis_options(options.analysis, found.study);
  wanted.emissions = options.emissions();
  wanted.with_cost_to_score = wanted.target.has_value();
  wanted.with_lifecycle = options.shown.lifecycle = wanted.lifecycle.has_value();
  wanted.with_factorial = options.shown.factorial;
  wanted.with_robustness = options.robustness;
  Analysis analysis = analyse_result(store, found, wanted);
  if (!options.analysis_file.empty() && analysis.findings.value)
    analysis.findings.value->notes.push_back(analysis_file_note(options.analysis_file));
  const bool is_for_people = !options.json && !options.csv;
  if (is_for_people) analysis = as_shown(std::move(analysis), ShownNames::of_commands(found.study));
  const Style style = style_of(STDOUT_FILENO);
  const CompareReport report =
      compare_report(analysis, found.study, stated_window, options.shown, style);
  if (options.json)
    std::cout << compare_json(report);
  else if (options.csv)
    std::cout << compare_csv(report);
  else if (options.markdown)
    std::cout << compare_markdown(report);
  else if (options.published)
    show(compare_as_published(report, style));
  else
    show(compare_text(report, style));
  return 0;
}

}  // namespace prengdl
