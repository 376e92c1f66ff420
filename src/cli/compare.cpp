// SPDX-License-Identifier: Apache-2.0
#include "print/compare.h"

#include <unistd.h>

#include <iostream>

#include "base/strings.h"
#include "cli/analysis_options.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "conclude/comparable_runs.h"
#include "print/answer.h"
#include "print/checks.h"
#include "print/shown_names.h"
#include "report/gather.h"
#include "tables/terminal.h"

namespace prengdl {
namespace {

struct CompareOptions {
  std::string result;
  std::string per, window, analysis_file;
  std::string carbon, price, pue, embodied;
  bool json = false, csv = false, markdown = false, published = false, quiet = false;
  bool robustness = false;
  AnalysisWords analysis;
  ComparePartsShown shown;

  void declare(Arguments& arguments) {
    arguments.word("RESULT", result, "the result directory");
    arguments.text("--per", per,
                   "divide costs by this unit of work (samples, tokens), or run (default: the "
                   "study's)",
                   "WHAT");
    arguments.text("--window", window,
                   "compare this span of each run: train, epoch>1, train|infer (default: the "
                   "study's)",
                   "SPAN");
    declare_analysis_file(arguments, analysis_file);
    arguments.flag("-q,--quiet", quiet, "print only the answer, for CI");
    arguments.flag("--json", json, "as JSON");
    arguments.flag("--csv", csv, "as CSV, a row per comparison");
    arguments.flag("--markdown", markdown, "as Markdown tables");
    arguments.flag("--as-published", published,
                   "the tables of the published studies: means, p, A12");
    declare_parts(arguments);
  }

  void declare_parts(Arguments& arguments) {
    arguments.text("--lifecycle", analysis.lifecycle,
                   "add whole-life costs and break-even: train=1,infer=N", "PHASES");
    arguments.text("--carbon", carbon,
                   "add grams of CO2e for a place (DE), g/kWh (350) or FILE:PLACE", "WHERE");
    arguments.text("--price", price,
                   "add cost in money for a place (DE), 0.30EUR/kWh or FILE:PLACE", "WHERE");
    arguments.text("--pue", pue, "the data centre's energy overhead, for carbon and money", "X");
    arguments.text("--embodied", embodied,
                   "add emissions from making the hardware: "
                   "1000kg,4y[,SHARE]",
                   "MADE");
    arguments.text("--metric", analysis.metric,
                   "compare energy with this metric (default: each case's own)", "NAME");
    arguments.flag("--lower-is-better", analysis.lower_is_better,
                   "lower values of the metric are better, as with a loss");
    arguments.text("--reach", analysis.reach,
                   "add the energy until the first epoch that reaches this value", "VALUE");
    arguments.flag("--energy-time", shown.energy_time,
                   "add energy against time, within and across cells");
    arguments.flag("--robustness", robustness,
                   "add how many reasonable analyses agree with each verdict");
    arguments.flag("--factorial", shown.factorial,
                   "add level means, interactions and shares of variation");
  }

  void check() const {
    if (json + csv + markdown + published > 1)
      throw UsageError("give one of --json, --csv, --markdown and --as-published",
                       "--json contains everything");
    if (quiet && json + csv + markdown + published > 0)
      throw UsageError("--quiet prints the answer as text, without another format",
                       "leave one of the two out");
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
                      "Shows which of the compared levels costs less, by how much and how sure "
                      "that is.");
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
  if (is_for_people) analysis = as_shown(std::move(analysis), ShownNames::of_study(found.study));
  const Style style = style_of(STDOUT_FILENO);
  CompareReport report = compare_report(analysis, found.study, stated_window, options.shown, style);
  if (options.quiet)
    show(answer_text(answer_of(report.findings, {}, report.domains), style));
  else if (options.json)
    std::cout << compare_json(report);
  else if (options.csv)
    std::cout << compare_csv(report);
  else if (options.markdown)
    std::cout << compare_markdown(report);
  else if (options.published)
    show(compare_as_published(report, style));
  else {
    report.cautions =
        caution_lines(audit_result(store, audit_input(store, found), found.runs), options.result);
    show(compare_text(report, style));
  }
  return 0;
}

}  // namespace prengdl
