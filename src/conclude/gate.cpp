// SPDX-License-Identifier: Apache-2.0
#include "conclude/gate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/parse.h"
#include "base/strings.h"
#include "model/measure.h"
#include "stats/limit_test.h"
#include "stats/log_ratio.h"

namespace prengdl {
namespace {

constexpr double wanted_power = 0.8;
/// A limit that needs more runs than this is a matter of another machine or another limit.
constexpr std::size_t most_runs = 1000;
constexpr auto measure_in_turns =
    "measure both in turn on one occasion: prengdl gate --interleave -c BASE -c NEW";

void refuse_other_machines(const GateSide& base, const GateSide& candidate) {
  constexpr auto advice =
      "measure both on one machine, if possible in turn: gate --interleave -c BASE -c NEW";
  for (const auto* side : {&base, &candidate})
    if (side->machines.size() > 1)
      throw Error("the runs of " + printable(side->label) + " come from more than one machine",
                  advice);
  if (base.machines != candidate.machines)
    throw Error(base.machines.empty() || candidate.machines.empty()
                    ? "one of the two results does not name its machine"
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
    notes.emplace_back("no energy was measured, so the verdict is about time");
    return find(input, "seconds");
  }
  if (primary->modelled) {
    notes.emplace_back("energy was modelled, not measured, so the verdict is about time");
    return find(input, "seconds");
  }
  if (input.primary == measures::metered && input.base.covers != input.candidate.covers)
    throw Error(fmt::format("the energies cover different domains: {} and {}",
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

/// The 95 % interval of the ratio; nothing if the spread between two occasions is not known.
std::optional<std::array<double, 2>> interval_of(const GateMeasure& measure,
                                                 const GateInput& input) {
  if (!input.paired && !input.between) return std::nullopt;
  const auto ratio = input.paired ? paired_log_ratio(measure.candidate, measure.base)
                                  : unpaired_log_ratio(measure.candidate, measure.base);
  if (!ratio || !(ratio->ci95[0] < ratio->ci95[1])) return std::nullopt;
  return input.paired ? ratio->ci95 : across_occasions(*ratio, *input.between).ci95;
}

GateEstimate estimate_of(const GateMeasure& measure, const GateInput& input) {
  GateEstimate estimate;
  estimate.measure = measure.name;
  estimate.n = {measure.base.size(), measure.candidate.size()};
  estimate.geometric_means = {geometric_mean(measure.base), geometric_mean(measure.candidate)};
  const auto& [base, candidate] = estimate.geometric_means;
  if (base && candidate) estimate.ratio = *candidate / *base;
  estimate.ci95 = interval_of(measure, input);
  return estimate;
}

RunsNeeded needed_beyond(std::size_t of_each, const std::array<std::size_t, 2>& n) {
  const auto beyond = [&](std::size_t now) { return of_each > now ? of_each - now : 0; };
  return {of_each, {beyond(n[0]), beyond(n[1])}};
}

std::string how_to_measure_again(const RunsNeeded& needed) {
  const auto& more = needed.additional;
  const std::string how_many = more[0] == more[1]
                                   ? fmt::format("{} more than now", more[0])
                                   : fmt::format("{} and {} more than now", more[0], more[1]);
  return fmt::format(
      "measure again with {} runs of each ({}); do not add runs to these until they show a "
      "difference",
      needed.of_each, how_many);
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
      "{} may or may not be above the limit of {}: {:#.4g} to {:#.4g} times that of the base", what,
      limit, test.at_least, test.at_most);
  if (const auto runs = runs_to_decide(test, result.alpha, wanted_power, most_runs)) {
    result.needed = needed_beyond(*runs, result.tested.n);
    result.reason += fmt::format("; {} runs of each would probably decide", *runs);
    result.advice = how_to_measure_again(*result.needed);
  } else if (test.between > 0) {
    result.reason += fmt::format(
        "; with {:.3g} % between occasions even {} runs of each would probably not decide",
        100 * test.between, most_runs);
    result.advice = measure_in_turns;
  } else {
    result.reason += fmt::format(
        "; the ratio is so near to the limit that even {} runs of each would probably not decide",
        most_runs);
  }
}

std::optional<double> percent_in(std::string_view text) {
  const auto number = trimmed(text);
  if (number.empty() || number.back() != '%') return std::nullopt;
  return parse_number(trimmed(number.substr(0, number.size() - 1)));
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
  if (!input.paired) result.between = input.between;
  result.limit = input.limit;
  result.alpha = input.alpha;
  result.notes = input.notes;
  result.tested.measure = input.primary;
  const GateMeasure* measure = choose(input, result.notes);
  if (!measure || (measure->base.empty() && measure->candidate.empty())) {
    result.reason = fmt::format("no good run of either side has a figure for {}",
                                title_of(measure ? measure->name : input.primary));
    return result;
  }
  result.tested = estimate_of(*measure, input);
  for (const auto& other : input.measures)
    if (is_in_seconds(other.name) && other.name != measure->name)
      result.beside.push_back(estimate_of(other, input));
  if (!input.paired && !input.between) {
    result.reason =
        "base and new were measured on different occasions, and how much costs vary between "
        "occasions is not known";
    result.advice = std::string(measure_in_turns) +
                    ", or state the standard deviation between occasions with --between";
    return result;
  }
  const auto test =
      input.paired ? paired_limit_test(measure->candidate, measure->base, input.limit, input.alpha)
                   : occasions_limit_test(measure->candidate, measure->base, input.limit,
                                          input.alpha, *input.between);
  if (test) {
    conclude(result, *test);
  } else {
    result.reason =
        fmt::format("{} cannot be judged: {}", title_of(measure->name), test.error().what());
    if (std::min(measure->base.size(), measure->candidate.size()) < 2)
      result.reason += "; one run cannot show the spread, start with ten of each";
  }
  return result;
}

Result<double> parse_limit(std::string_view text) {
  const auto percent = percent_in(text);
  if (!percent || !(*percent > -100 && *percent <= 10'000))
    return failure("\"" + printable(text) + "\" is not a limit in percent",
                   "write how much more it may cost: --max +3%");
  return 1 + *percent / 100;
}

Result<double> parse_between(std::string_view text) {
  const auto percent = percent_in(text);
  if (!percent || !(*percent > 0 && *percent <= 100))
    return failure("\"" + printable(text) + "\" is not a spread above 0 % and up to 100 %",
                   "write the standard deviation of costs between occasions: --between 2%");
  return *percent / 100;
}

std::string percent_change(double ratio) { return fmt::format("{:+.3g} %", (ratio - 1) * 100); }

}  // namespace prengdl
