// SPDX-License-Identifier: Apache-2.0
//
// The first screen in words: verdict cards, why, accuracy, agreement, and one line on the design.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/amounts.h"
#include "base/strings.h"
#include "conclude/score_difference.h"
#include "model/measure.h"
#include "print/words.h"
#include "report/report_input.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

/// "4 of 6 cases", "all six cases", "the only case" is left to the caller.
std::string of_cases(std::size_t some, std::size_t all) {
  if (some == all) return all == 2 ? "both cases" : fmt::format("all {} cases", number_word(all));
  return fmt::format("{} of {}", some, counted(all, "case"));
}

std::string less_text(std::vector<double> saved) {
  std::sort(saved.begin(), saved.end());
  const std::string least = percent_text(saved.front()), most = percent_text(saved.back());
  if (least == most) return most + " less";
  return fmt::format("{} to {} less", least.substr(0, least.find(' ')), most);
}

/// "tensorflow used less energy": the words before and after the level's name.
std::string won_title(const ReportInput& input, const std::string& level, const char* amount) {
  const char* verb = is_in_seconds(headline_of(input)) ? "took" : "used";
  return fmt::format("{} {} {} {}", level, verb, amount, cost_noun(input));
}

struct Won {
  std::vector<double> saved;
  std::size_t below_margin = 0, lower_score = 0;
};

VerdictCard winner_card(const ReportInput& input, const std::string& level, const Won& won,
                        std::size_t cases, const Comparison& one) {
  VerdictCard card{level, won_title(input, level, "less"), ""};
  if (cases == 1) {
    card.text = less_text(won.saved);
    if (const auto& ci = one.estimate->ci95) {
      const bool is_first = one.pair[0] == level;
      const double from = 1 - (is_first ? (*ci)[1] : 1 / (*ci)[0]);
      const double to = 1 - (is_first ? (*ci)[0] : 1 / (*ci)[1]);
      card.text += fmt::format(" (95 % interval: {} to {})", percent_text(from), percent_text(to));
    }
  } else {
    card.text = fmt::format("in {}, {}", of_cases(won.saved.size(), cases), less_text(won.saved));
  }
  if (won.below_margin > 0)
    card.text += cases == 1 ? ", below the margin"
                            : fmt::format(", below the margin in {}", won.below_margin);
  if (won.lower_score > 0)
    card.text += cases == 1 ? ", at a lower or unproven score"
                            : fmt::format(", at a lower or unproven score in {}", won.lower_score);
  return card;
}

std::string verdict_words(Verdict verdict, double margin) {
  switch (verdict) {
    case Verdict::equivalent:
      return fmt::format("The difference is shown to be below {:.3g} %.", margin * 100);
    case Verdict::inconclusive:
      return "The runs show neither a difference nor equivalence.";
    case Verdict::not_comparable:
      return "The levels did different work, have different meters or ran on different machines.";
    case Verdict::modelled:
      return "Energy was modelled, not measured, so it has no winner.";
    case Verdict::less:
      break;
  }
  return "";
}

VerdictCard other_card(Verdict verdict, std::size_t count, std::size_t cases, double margin) {
  std::string title = sentence(std::string(name_of(verdict)));
  title.pop_back();
  if (cases > 1) title += " in " + of_cases(count, cases);
  return {"", title, verdict_words(verdict, margin)};
}

/// One card for each of two levels that won, one for each other verdict.
std::vector<VerdictCard> pair_cards(const ReportInput& input) {
  const auto& findings = *input.findings.value;
  std::map<std::string, Won> won;
  std::map<Verdict, std::size_t> other;
  std::size_t cases = 0;
  const Comparison* last = nullptr;
  for (const auto& one : findings.comparisons) {
    if (one.measure != headline_of(input) || one.n == 0) continue;
    ++cases;
    last = &one;
    if (!one.winner) {
      ++other[one.verdict];
      continue;
    }
    Won& of = won[*one.winner];
    const double ratio = one.estimate->value;
    of.saved.push_back(1 - std::min(ratio, 1 / ratio));
    of.below_margin += one.below_margin;
    if (one.score) {
      const auto score = winners_score(one);
      of.lower_score += score == WinnersScore::lower || score == WinnersScore::unknown;
    }
  }
  std::vector<VerdictCard> cards;
  for (const auto& level : findings.levels)
    if (const auto found = won.find(level); found != won.end())
      cards.push_back(winner_card(input, level, found->second, cases, *last));
  std::stable_sort(cards.begin(), cards.end(), [&](const auto& a, const auto& b) {
    return won[a.level].saved.size() > won[b.level].saved.size();
  });
  for (const auto& [verdict, count] : other)
    cards.push_back(other_card(verdict, count, cases, findings.margin));
  return cards;
}

/// Of three or more levels: in how many cases each is shown to be the lowest.
std::vector<VerdictCard> standing_cards(const ReportInput& input) {
  const Standings all = standings(*input.findings.value, headline_of(input));
  std::map<std::string, std::size_t> shown, ahead;
  std::size_t open = 0;
  for (const auto& one : all.cases) {
    ++ahead[one.least];
    if (one.not_shown_to_cost_more.empty())
      ++shown[one.least];
    else
      ++open;
  }
  std::vector<VerdictCard> cards;
  for (const auto& standing : all.levels) {
    const auto found = shown.find(standing.level);
    if (found == shown.end() || cards.size() == 4) continue;
    VerdictCard card{standing.level, won_title(input, standing.level, "the least"), ""};
    if (all.cases.size() > 1)
      card.text =
          fmt::format("in {}; on average {} × the lowest",
                      of_cases(found->second, all.cases.size()), ratio_text(standing.over_least));
    else
      card.text = fmt::format("less than each of {} others", number_word(all.levels.size() - 1));
    cards.push_back(std::move(card));
  }
  if (open > 0) {
    const LevelStanding& first = all.levels.front();
    cards.push_back({"",
                     all.cases.size() == 1
                         ? "No single lowest"
                         : "No single lowest in " + of_cases(open, all.cases.size()),
                     fmt::format("Nearest to the lowest: {}, {} × on average.", first.level,
                                 ratio_text(first.over_least))});
  }
  return cards;
}

/// Where nothing is compared: what a run costs.
std::vector<VerdictCard> cost_cards(const ReportInput& input) {
  const std::string measure = headline_of(input);
  std::vector<VerdictCard> cards;
  for (const auto& one_case : input.cases)
    for (std::size_t i = 0; i < one_case.levels.size() && cards.size() < 4; ++i) {
      std::vector<double> values;
      for (const auto* run : one_case.levels[i])
        if (const auto value = run_figure(input, run->run, measure)) values.push_back(*value);
      const auto mean = cell_mean(input, one_case.levels[i], measure);
      if (values.empty() || !mean) continue;
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      const std::string unit = unit_of_measure(measure);
      cards.push_back({input.levels.size() > 1 ? input.levels[i] : "",
                       figure_text(*mean, unit) + " per run",
                       fmt::format("mean of {}, {} to {}", counted(values.size(), "run"),
                                   figure_text(*low, unit), figure_text(*high, unit))});
    }
  return cards;
}

std::vector<VerdictCard> cards_of(const ReportInput& input) {
  std::vector<VerdictCard> cards;
  if (input.findings.value && input.levels.size() == 2) cards = pair_cards(input);
  if (input.findings.value && input.levels.size() > 2) cards = standing_cards(input);
  if (cards.empty()) cards = cost_cards(input);
  if (cards.empty())
    cards.push_back(
        {"", "Nothing to compare",
         input.findings.value ? "No case has good runs of two levels." : input.findings.why_not});
  if (!is_modelled(input, input.primary)) return cards;
  VerdictCard card{"", "Energy was modelled, not measured",
                   input.levels.size() < 2 ? "It is an estimate from run time and CPU time."
                                           : "It has no winner."};
  if (input.bounds && !input.bounds->comparisons.empty()) {
    std::size_t held = 0;
    for (const auto& one : input.bounds->comparisons) held += one.bounds.less.has_value();
    card.text =
        held == 0 ? "No level uses less under every assumed power model."
                  : fmt::format("One level uses less under every assumed power model in {} of {}.",
                                held, counted(input.bounds->comparisons.size(), "comparison"));
  }
  cards.push_back(std::move(card));
  return cards;
}

/// "run time in all six cases", "run time in 4, power in 2 of 6 cases".
std::string why_text(const ReportInput& input) {
  std::map<std::string, std::size_t> reasons;
  std::size_t all = 0;
  for (const auto& one : input.findings.value->comparisons) {
    if (one.measure != headline_of(input) || !one.winner) continue;
    if (auto why = because(one); !why.empty()) {
      why = why.substr(0, why.find(", partly"));  // the part about why says by what
      ++reasons[why];
      ++all;
    }
  }
  if (all == 0) return "";
  const char* what = input.levels.size() == 2 ? "case" : "comparison";
  std::vector<std::pair<std::string, std::size_t>> order(reasons.begin(), reasons.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (order.size() == 1)
    return all == 1 ? order[0].first
                    : fmt::format("{} in all {} {}s", order[0].first, number_word(all), what);
  return joined(order, ", ",
                [](const auto& one) { return fmt::format("{} in {}", one.first, one.second); }) +
         fmt::format(" of {}", counted(all, what));
}

std::string score_text(const ReportInput& input) {
  std::map<WinnersScore, std::size_t> found;
  std::size_t tested = 0;
  if (input.findings.value)
    for (const auto& one : input.findings.value->comparisons)
      if (one.measure == headline_of(input) && one.winner && one.score) {
        ++found[winners_score(one)];
        ++tested;
      }
  if (tested == 0)
    return input.scores.value && !input.scores.value->cases.empty()
               ? "recorded, but not tested (the study names no score)"
               : "not recorded";
  if (found[WinnersScore::equal] + found[WinnersScore::higher] == tested)
    return "the winner's is equal or better";
  std::vector<std::string> words;
  if (const auto count = found[WinnersScore::lower])
    words.push_back(fmt::format("lower for the winner in {} of {}", count, tested));
  if (const auto count = found[WinnersScore::unknown])
    words.push_back(fmt::format("not shown to be equal in {} of {}", count, tested));
  return joined(words, ", ");
}

std::string agreement_text(const ReportInput& input) {
  std::size_t cases = 0, unanimous = 0, agree = 0, analyses = 0;
  for (const auto& one : input.findings.value->comparisons) {
    if (one.measure != headline_of(input) || !one.robustness) continue;
    if (one.robustness->analyses.empty()) continue;
    ++cases;
    unanimous += one.robustness->agree == one.robustness->analyses.size();
    agree += one.robustness->agree;
    analyses += one.robustness->analyses.size();
  }
  if (cases == 0) return "";
  if (cases == 1) return fmt::format("{} of {} agree", agree, analyses);
  if (unanimous == 0) return fmt::format("{} of {} agree over all cases", agree, analyses);
  return fmt::format("all agree in {}", of_cases(unanimous, cases));
}

/// "2 × Intel Xeon Gold 6126" of "Intel(R) Xeon(R) Gold 6126 CPU @ 2.60GHz".
std::string processor_of(const CpuFacts& cpu) {
  if (!cpu.model_name) return "";
  std::string name = *cpu.model_name;
  for (const std::string_view noise : {"(R)", "(TM)", "(r)", "(tm)", " CPU", " Processor"})
    for (auto at = name.find(noise); at != std::string::npos; at = name.find(noise))
      name.erase(at, noise.size());
  name = trimmed(name.substr(0, name.find('@')));
  return cpu.sockets.value_or(1) > 1 ? fmt::format("{} × {}", *cpu.sockets, name) : name;
}

std::string machine_text(const ReportInput& input) {
  if (input.machines.empty()) return "machine not recorded";
  if (input.machines.size() > 1) return counted(input.machines.size(), "machine");
  std::string text = processor_of(input.machines.front().facts.cpu);
  std::map<std::string, std::set<std::string>> gpus;  // by name: devices
  for (const auto& run : *input.runs)
    for (const auto& meter : run.meters)
      if (meter.domain == "gpu") gpus[meter.name.substr(0, meter.name.find(" ("))].insert(meter.id);
  for (const auto& [name, devices] : gpus)
    text += (text.empty() ? "" : ", ") +
            (devices.size() > 1 ? fmt::format("{} × {}", devices.size(), name) : name);
  return text;
}

std::string design_of(const ReportInput& input) {
  std::vector<std::string> words;
  std::size_t runs = 0;
  for (const auto& one_case : input.cases)
    for (const auto& level : one_case.levels) runs += level.size();
  words.push_back(counted(runs, "run") +
                  (input.cases.size() > 1 ? " of " + counted(input.cases.size(), "case") : ""));
  words.push_back(machine_text(input));
  std::string first;
  Joules energy{};
  Seconds time{};
  for (const auto& run : *input.runs) {
    const std::string& at = run.run.started_at;
    if (!at.empty() && (first.empty() || at < first)) first = at;
    if (run.run.energy.metered && run.run.energy.metered->quality != Quality::model)
      energy += run.run.energy.metered->value;
    time += run.run.wall;
  }
  if (first.empty() && input.study.imported.empty()) first = input.record.created_at;
  words.push_back(first.substr(0, 10));
  const std::string spent =
      energy.value >= 3.6e5 ? significant(energy.value / 3.6e6, 3) + " kWh and " : "";
  words.push_back(energy.value > 0 && spent.empty()
                      ? with_prefix(energy.value, "J") + " and " + for_people(time) + " spent"
                      : spent + for_people(time) + " spent on the study");
  std::erase(words, "");
  return joined(words, " · ");
}

}  // namespace

std::string count_of(const std::vector<SummaryCaution>& cautions) {
  if (cautions.empty()) return "No cautions";
  const auto severe = static_cast<std::size_t>(std::count_if(
      cautions.begin(), cautions.end(), [](const auto& one) { return one.is_severe; }));
  return fmt::format("{}, {} severe", counted(cautions.size(), "caution"),
                     severe == 0 ? "none" : std::to_string(severe));
}

ReportSummary summary_of(const ReportInput& input) {
  ReportSummary summary;
  summary.question = question_of(input);
  summary.design = design_of(input);
  summary.badge = badge_of(input, input.primary);
  if (!is_energy_measure(headline_of(input)) && summary.badge == "modelled")
    summary.badge = "energy modelled";
  summary.cards = cards_of(input);
  const auto add = [&](const char* label, std::string text) {
    if (!text.empty()) summary.facts.push_back({label, std::move(text)});
  };
  if (input.findings.value) add("Why", why_text(input));
  add("Accuracy", score_text(input));
  if (input.findings.value) add("Analyses", agreement_text(input));
  summary.cautions = cautions_of(input);
  return summary;
}

}  // namespace prengdl
