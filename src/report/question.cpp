// SPDX-License-Identifier: Apache-2.0
//
// The question of a study in one sentence, made from its factors and the measure of the answer.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "analysis/lifecycle.h"
#include "base/parse.h"
#include "model/measure.h"
#include "print/words.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

/// Level names that are longer than this together are counted, not listed.
constexpr std::size_t longest_list = 90;

std::string plural(std::string noun) {
  const auto ends = [&](std::string_view end) { return noun.ends_with(end); };
  if (ends("s")) return noun;
  if (ends("ch") || ends("sh") || ends("x")) return noun + "es";
  if (ends("y") && !ends("ay") && !ends("ey")) return noun.substr(0, noun.size() - 1) + "ies";
  return noun + "s";
}

/// "six models", "three values of batch".
std::string counted_levels(const Factor& factor) {
  const bool are_numbers = std::all_of(factor.levels.begin(), factor.levels.end(),
                                       [](const auto& level) { return parse_number(level); });
  const std::string count = number_word(factor.levels.size());
  return are_numbers ? count + " values of " + factor_words(factor.name)
                     : count + " " + plural(factor_words(factor.name));
}

std::string phase_words(const std::string& phase) {
  if (phase == "train") return "training";
  if (phase == "infer") return "inference";
  return phase;
}

/// " for six models and two datasets, in training and inference".
std::string scope(const ReportInput& input) {
  const auto phase = phase_factor(input.study);
  std::vector<std::string> varied, phases;
  for (const auto& factor : input.study.factors) {
    if (factor.name == input.study.analysis.compare || factor.levels.size() < 2) continue;
    if (factor.name != phase)
      varied.push_back(counted_levels(factor));
    else if (factor.levels.size() > 3)
      phases.push_back(counted_levels(factor));
    else
      std::transform(factor.levels.begin(), factor.levels.end(), std::back_inserter(phases),
                     phase_words);
  }
  std::string words = varied.empty() ? "" : " for " + listed(varied);
  if (!phases.empty()) words += (words.empty() ? " in " : ", in ") + listed(phases);
  return words;
}

}  // namespace

std::string number_word(std::size_t number) {
  static constexpr std::array<const char*, 13> words{"no",   "one",    "two",   "three", "four",
                                                     "five", "six",    "seven", "eight", "nine",
                                                     "ten",  "eleven", "twelve"};
  return number < words.size() ? words.at(number) : std::to_string(number);
}

std::string cost_noun(const ReportInput& input) {
  const std::string measure = headline_of(input);
  std::string noun = measure_title(measure);
  if (input.findings.value)
    for (const auto& one : input.findings.value->comparisons)
      if (one.measure == measure && one.per) return noun + " per " + one_of(one.per);
  return noun;
}

std::string question_of(const ReportInput& input) {
  const bool is_time = is_in_seconds(headline_of(input));
  const std::string noun = cost_noun(input);
  const std::string& factor = input.study.analysis.compare;
  const auto& levels = input.levels;
  const char* verb = is_time ? "take" : "use";
  if (levels.size() < 2 || factor.empty()) {
    const std::string what = levels.empty() || factor.empty() ? input.study.name : levels.front();
    return fmt::format("How much {} does {} {}{}?", noun, what, verb, scope(input));
  }
  std::size_t length = 0;
  for (const auto& level : levels) length += shown_width(level);
  const bool are_listed = length <= longest_list;
  if (factor == "command" && levels.size() == 2)
    return fmt::format("Which command {}s less {}: {} or {}?", verb, noun, levels[0], levels[1]);
  if (levels.size() == 2)
    return fmt::format("Does {} or {} {} less {}{}?", levels[0], levels[1], verb, noun,
                       scope(input));
  const std::string kind = plural(factor_words(factor));
  const std::string among = are_listed ? listed(levels) : number_word(levels.size()) + " " + kind;
  return fmt::format("Which of {} {}s the least {}{}?", among, verb, noun, scope(input));
}

}  // namespace prengdl
