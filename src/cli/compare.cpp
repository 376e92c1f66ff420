// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare.h"

#include <unistd.h>

#include <iostream>

#include "analysis/aa.h"
#include "cli/aa.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/compare_parts.h"
#include "cli/result_study.h"
#include "model/flags.h"
#include "report/aa_report.h"
#include "report/compare_report.h"
#include "report/terminal.h"

namespace prengdl {
namespace {

struct CompareOptions {
  std::string result;
  std::string per = "work", window;
  bool json = false, csv = false, markdown = false, published = false;
  ComparePartOptions parts;

  void declare(Arguments& arguments) {
    arguments.word("RESULT", result, "the result directory");
    arguments.text("--per", per, "work (where every run told its work) or run (default work)",
                   "WHAT");
    arguments.text(
        "--window", window,
        "the part of each run that is compared: train, epoch>1, train|infer (default: as "
        "the study says)",
        "SPAN");
    arguments.flag("--json", json, "as JSON");
    arguments.flag("--csv", csv, "as CSV, a row per comparison");
    arguments.flag("--markdown", markdown, "as Markdown tables");
    arguments.flag("--as-published", published,
                   "the tables of the published studies: means, p, A12");
    parts.declare(arguments);
  }
};

/// What doctor --aa knows of the machines that the runs were made on.
std::vector<AaRecord> records_of(const ResultStore& store) {
  std::vector<std::string> fingerprints;
  for (const auto& machine : store.machines()) fingerprints.push_back(machine.fingerprint);
  return read_aa(fingerprints);
}

/// Those that a comparison can rest on.
std::vector<const Run*> counted_runs(const std::vector<StoredRun>& runs) {
  std::vector<const Run*> counted;
  for (const auto& run : runs)
    if (!run.is_warmup && !run.excluded && run.outcome == Outcome::ok) counted.push_back(&run.run);
  return counted;
}

}  // namespace

int compare_command(const std::vector<std::string>& words) {
  CompareOptions options;
  Arguments arguments("compare",
                      "Says which of the compared levels costs less, and how sure it is.");
  options.declare(arguments);
  if (!arguments.parse(words)) return 0;
  if (options.json + options.csv + options.markdown + options.published > 1)
    throw UsageError("give one of --json, --csv, --markdown and --as-published",
                     "--json holds everything");
  if (options.per != "work" && options.per != "run")
    throw UsageError("--per " + options.per + " is neither work nor run", "write --per run");

  const auto store = ResultStore::open(options.result, Access::read_only);
  ResultStudy found = read_result(store);
  const auto stated_window = take_window(options.window, found.runs, found.study);
  const Style style = style_of(STDOUT_FILENO);
  if (!options.json && !options.csv && !options.markdown) shorten_commands(found);
  CompareSettings settings;
  settings.paired = found.is_paired;
  settings.planned_blocks = found.record.blocks;
  settings.per_work = options.per == "work";
  const auto known = records_of(store);
  settings.smallest_margin = smallest_margin(known, found.study.analysis.primary);
  CompareReport report;
  report.study = found.study.name;
  report.findings = compare(found.study, found.runs, settings);
  if (stated_window)
    report.findings.notes.push_back("the window was chosen for this look; the study says " +
                                    *stated_window);
  for (const auto& record : known)
    report.findings.notes.push_back(aa_line(record, found.study.analysis.primary));
  for (const auto& line : flag_lines(counted_runs(found.runs)))
    report.findings.notes.push_back("flag " + line);
  for (const auto& factor : found.study.factors)
    if (factor.name != found.study.analysis.compare) report.factors.push_back(factor.name);
  report.parts = compare_parts(options.parts, store, found, settings.per_work, style);
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
