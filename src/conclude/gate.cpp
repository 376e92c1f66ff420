// SPDX-License-Identifier: Apache-2.0
#include "conclude/gate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/parse.h"
#include "base/strings.h"
#include "model/flag.h"
#include "model/measure.h"
#include "model/window.h"
#include "stats/limit_test.h"
#include "stats/log_ratio.h"

namespace prengdl {
namespace {

constexpr double wanted_power = 0.8;
/// A limit that needs more runs than this is a matter of another machine or another limit.
constexpr std::size_t most_runs = 1000;

void refuse_other_machines(const GateSide& base, const GateSide& candidate) {
  constexpr auto advice =
      "measure both on one machine, best in turn: gate --interleave -c BASE -c NEW";
  for (const auto* side : {&base, &candidate})
    if (side->machines.size() > 1)
      throw Error("the runs of " + printable(side->label) + " come from more than one machine",
                  advice);
  if (base.machines != candidate.machines)
    throw Error(base.machines.empty() || candidate.machines.empty()
                    ? "of one of the two results it is not known which machine it comes from"
                    : "the two results come from different machines",
                advice);
}

const GateMeasure* find(const GateInput& input, const std::string& name) {
  const auto found = std::find_if(input.measures.begin(), input.measures.end(),
                                  [&](const GateMeasure& one) { return one.name == name; });
  return found == input.measures.end() ? nullptr : &*found;
}

/// The measure that the verdict rests on; energy that nobody measured gives way to time.
const GateMeasure* choose(const GateInput& input, std::vector<std::string>& notes) {
  const GateMeasure* primary = find(input, input.primary);
  if (is_in_seconds(input.primary)) return primary;
  const bool is_absent = !primary || primary->base.empty() || primary->candidate.empty();
  if (is_absent && input.primary != measures::metered) return primary;  // asked for by name
  if (is_absent) {
    notes.emplace_back("no energy was measured: the verdict is about time");
    return find(input, "seconds");
  }
  if (primary->modelled) {
    notes.emplace_back(
        "energy is modelled here, not measured, and decides nothing: the verdict is about time");
    return find(input, "seconds");
  }
  if (input.primary == measures::metered && input.base.covers != input.candidate.covers)
    throw Error(fmt::format("the energy of the two is not that of the same parts: {} and {}",
                            covered_text(input.base.covers), covered_text(input.candidate.covers)),
                "measure both with the same meters, or gate a domain that both have");
  return primary;
}

std::optional<double> geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : values) {
    if (!(value > 0)) return std::nullopt;
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

GateEstimate estimate_of(const GateMeasure& measure, bool paired) {
  GateEstimate estimate;
  estimate.measure = measure.name;
  estimate.n = {measure.base.size(), measure.candidate.size()};
  estimate.geometric_means = {geometric_mean(measure.base), geometric_mean(measure.candidate)};
  const auto& [base, candidate] = estimate.geometric_means;
  if (base && candidate) estimate.ratio = *candidate / *base;
  const auto interval = paired ? paired_log_ratio(measure.candidate, measure.base)
                               : unpaired_log_ratio(measure.candidate, measure.base);
  if (interval && interval->ci95[0] < interval->ci95[1]) estimate.ci95 = interval->ci95;
  return estimate;
}

RunsNeeded needed_beyond(std::size_t of_each, const std::array<std::size_t, 2>& n) {
  const auto beyond = [&](std::size_t now) { return of_each > now ? of_each - now : 0; };
  return {of_each, {beyond(n[0]), beyond(n[1])}};
}

void conclude(GateResult& result, const LimitTest& test) {
  result.p_above = test.p_above;
  result.p_within = test.p_within;
  result.at_least = test.at_least;
  result.at_most = test.at_most;
  const std::string what = title_of(result.tested.measure);
  const std::string limit = percent_change(result.limit);
  if (test.p_above < result.alpha) {
    result.verdict = GateVerdict::fail;
    result.reason =
        fmt::format("{} is above the limit of {}: at least {:#.4g} times that of the base", what,
                    limit, test.at_least);
    return;
  }
  if (test.p_within < result.alpha) {
    result.verdict = GateVerdict::pass;
    result.reason =
        fmt::format("{} is within the limit of {}: at most {:#.4g} times that of the base", what,
                    limit, test.at_most);
    return;
  }
  result.reason = fmt::format(
      "{} may be above the limit of {} or not: {:#.4g} to {:#.4g} times that of the base", what,
      limit, test.at_least, test.at_most);
  if (const auto runs = runs_to_decide(test, result.alpha, wanted_power, most_runs)) {
    result.needed = needed_beyond(*runs, result.tested.n);
    result.reason += fmt::format("; {} runs of each would probably tell", *runs);
  } else {
    result.reason += fmt::format(
        "; the ratio is so near to the limit that even {} runs of each would probably not tell",
        most_runs);
  }
}

std::vector<Run> good_runs(const std::vector<Run>& runs) {
  std::vector<Run> good;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(good), succeeded);
  return good;
}

bool is_modelled(const Run& run, const std::string& measure) {
  return quality_in(run, measure) == Quality::model;
}

GateMeasure measure_of(const std::vector<Run>& base, const std::vector<Run>& candidate,
                       const std::string& name, bool paired) {
  GateMeasure measure;
  measure.name = name;
  std::map<std::size_t, const Run*> by_block;
  for (const auto& run : candidate) by_block[run.block] = &run;
  for (const auto& run : base) {
    const auto value = value_of(run, name);
    if (!value) continue;
    measure.modelled |= is_modelled(run, name);
    if (!paired) {
      measure.base.push_back(*value);
      continue;
    }
    const auto partner = by_block.find(run.block);
    if (partner == by_block.end()) continue;
    if (const auto other = value_of(*partner->second, name)) {
      measure.base.push_back(*value);
      measure.candidate.push_back(*other);
    }
  }
  for (const auto& run : candidate) {
    measure.modelled |= is_modelled(run, name);
    if (const auto value = value_of(run, name); value && !paired)
      measure.candidate.push_back(*value);
  }
  return measure;
}

GateSide side_of(const std::string& label, const std::vector<Run>& all,
                 const std::vector<Run>& good, std::vector<std::string>& notes) {
  GateSide side;
  side.label = label;
  side.runs = all.size();
  side.failed = all.size() - good.size();
  if (side.failed > 0)
    notes.push_back(
        fmt::format("failed and left out: {} of {} runs of {}", side.failed, side.runs, label));
  std::vector<const Run*> counted;
  for (const auto& run : good) {
    counted.push_back(&run);
    if (!run.energy.metered) continue;
    if (side.covers.empty()) side.covers = run.energy.covers;
    if (side.covers != run.energy.covers)
      throw Error(
          fmt::format("the runs of {} do not all have the energy of the same parts: {} and {}",
                      printable(label), covered_text(side.covers), covered_text(run.energy.covers)),
          "measure again with the same meters for every run");
  }
  for (const auto& line : flag_lines(counted))
    notes.push_back(fmt::format("flag of {}: {}", label, line));
  return side;
}

}  // namespace

std::string covered_text(const std::vector<std::string>& domains) {
  return domains.empty() ? "nothing" : joined(domains, " + ");
}

std::string_view name_of(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::pass:
      return "pass";
    case GateVerdict::fail:
      return "fail";
    case GateVerdict::cannot_tell:
      break;
  }
  return "cannot tell";
}

int exit_code(GateVerdict verdict) {
  return verdict == GateVerdict::pass ? 0 : verdict == GateVerdict::fail ? 3 : 4;
}

GateResult judge(const GateInput& input) {
  refuse_other_machines(input.base, input.candidate);
  GateResult result;
  result.base = input.base.label;
  result.candidate = input.candidate.label;
  result.paired = input.paired;
  result.limit = input.limit;
  result.alpha = input.alpha;
  result.notes = input.notes;
  result.tested.measure = input.primary;
  const GateMeasure* measure = choose(input, result.notes);
  if (!measure || (measure->base.empty() && measure->candidate.empty())) {
    result.reason = fmt::format("no good run of either side has a figure of {}",
                                title_of(measure ? measure->name : input.primary));
    return result;
  }
  result.tested = estimate_of(*measure, input.paired);
  for (const auto& other : input.measures)
    if (is_in_seconds(other.name) && other.name != measure->name)
      result.beside.push_back(estimate_of(other, input.paired));
  const auto test =
      input.paired
          ? paired_limit_test(measure->candidate, measure->base, input.limit, input.alpha)
          : unpaired_limit_test(measure->candidate, measure->base, input.limit, input.alpha);
  if (test) {
    conclude(result, *test);
  } else {
    result.reason =
        fmt::format("{} cannot be judged: {}", title_of(measure->name), test.error().what());
    if (std::min(measure->base.size(), measure->candidate.size()) < 2)
      result.reason += "; one run says nothing about the spread, ten of each are a good start";
  }
  return result;
}

Result<double> parse_limit(std::string_view text) {
  constexpr auto advice = "write how much more it may cost: --max +3%";
  auto number = trimmed(text);
  if (number.empty() || number.back() != '%')
    return failure("\"" + printable(text) + "\" is not a limit in percent", advice);
  number = trimmed(number.substr(0, number.size() - 1));
  const auto percent = parse_number(number);
  if (!percent || !(*percent > -100 && *percent <= 10'000))
    return failure("\"" + printable(text) + "\" is not a limit in percent", advice);
  return 1 + *percent / 100;
}

std::string percent_change(double ratio) { return fmt::format("{:+.3g} %", (ratio - 1) * 100); }

GateInput gate_input(const std::string& base_label, const std::vector<Run>& base,
                     const std::string& candidate_label, const std::vector<Run>& candidate,
                     bool paired, const std::string& primary) {
  GateInput input;
  input.paired = paired;
  input.primary = primary;
  const auto good_base = good_runs(base);
  const auto good_candidate = good_runs(candidate);
  input.base = side_of(base_label, base, good_base, input.notes);
  input.candidate = side_of(candidate_label, candidate, good_candidate, input.notes);
  std::vector<std::string> names{primary};
  for (const std::string beside : {"seconds", "cpu_seconds"})
    if (beside != primary) names.push_back(beside);
  for (const auto& name : names)
    input.measures.push_back(measure_of(good_base, good_candidate, name, paired));
  return input;
}

}  // namespace prengdl
