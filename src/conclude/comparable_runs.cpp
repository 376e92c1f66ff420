// SPDX-License-Identifier: Apache-2.0
#include "conclude/comparable_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/escaping.h"
#include "base/strings.h"
#include "model/window.h"

namespace prengdl {
namespace {

bool is_of_the_plan(const StoredRun& run) {
  return !run.is_warmup && !run.excluded && run.outcome != Outcome::interrupted;
}

}  // namespace

void check_any_succeeded(const std::vector<StoredRun>& runs) {
  std::size_t failed = 0;
  for (const auto& run : runs) {
    if (!is_of_the_plan(run)) continue;
    if (run.outcome == Outcome::ok) return;
    ++failed;
  }
  if (failed == 0)
    throw Error("there are no runs to compare", "Make them with `prengdl run` first.");
  throw Error(failed == 1
                  ? "the only run failed, so there is nothing to compare"
                  : fmt::format("all {} runs failed, so there is nothing to compare", failed),
              "Find out why with `prengdl status`, then make the runs again with `prengdl "
              "run --retry-failed`.");
}

std::optional<Error> window_trouble(const Study& study, const std::vector<StoredRun>& runs) {
  const auto window = parse_window(study.analysis.window);
  if (!window) return Error(window.error());
  if (window->spans.empty()) return std::nullopt;
  std::set<std::string> seen;
  bool any_is_good = false;
  for (const auto& run : runs) {
    if (!is_of_the_plan(run) || run.outcome != Outcome::ok) continue;
    any_is_good = true;
    for (const auto& one : run.run.spans) {
      if (is_in(*window, one.span)) return std::nullopt;
      seen.insert(printable(one.span.span));
    }
  }
  if (!any_is_good) return std::nullopt;
  return Error(fmt::format("no run emitted a span of the window '{}'; spans seen: {}",
                           printable(study.analysis.window),
                           seen.empty() ? "none" : fmt::format("{}", fmt::join(seen, ", "))),
               seen.empty()
                   ? "Compare whole runs with `--window run`, or let the workload emit the span."
                   : "Choose one of these with `--window`, or whole runs with `--window run`.");
}

void check_window(const Study& study, const std::vector<StoredRun>& runs) {
  if (const auto trouble = window_trouble(study, runs)) throw Error(*trouble);
}

bool has_measured(const std::vector<StoredRun>& runs, const std::string& measure) {
  return std::any_of(runs.begin(), runs.end(), [&](const StoredRun& run) {
    const auto quality = quality_in(run.run, measure);
    return quality && *quality != Quality::model;
  });
}

std::optional<std::string> take_window(const std::string& window,
                                       const std::vector<StoredRun>& runs, Study& study) {
  if (window.empty() || window == study.analysis.window) return std::nullopt;
  const auto parsed = parse_window(window);
  if (!parsed) throw UsageError(parsed.error().what(), parsed.error().hint);
  std::set<std::string> seen;
  bool is_there = parsed->spans.empty();
  for (const auto& run : runs)
    for (const auto& one : run.run.spans) {
      seen.insert(one.span.span);
      is_there = is_there || is_in(*parsed, one.span);
    }
  if (!is_there)
    throw UsageError("--window " + window + ": no run emitted such a span",
                     seen.empty() ? "The runs emitted no spans: compare whole runs."
                                  : "The runs emitted " + listed({seen.begin(), seen.end()}) + ".");
  return std::exchange(study.analysis.window, window);
}

}  // namespace prengdl
