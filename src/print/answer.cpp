// SPDX-License-Identifier: Apache-2.0
#include "print/answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "base/amounts.h"
#include "base/escaping.h"
#include "base/strings.h"
#include "conclude/score_difference.h"
#include "conclude/standings.h"
#include "model/measure.h"
#include "tables/cells.h"
#include "tables/part.h"

namespace prengdl {
namespace {

/// How a sentence speaks of a measure: "used 20 % less energy", "took 20 % less time", "had 20 %
/// lower latency p99".
struct MeasureWords {
  std::string verb, less, least, noun;
};

MeasureWords words_of(const std::string& measure, const std::optional<std::string>& per,
                      const Names& names) {
  std::string noun = names.of_measure(measure);
  if (per) noun += " per " + singular(*per);
  switch (kind_of(measure)) {
    case MeasureKind::time:
      return {"took", "less", "least", noun};
    case MeasureKind::latency:
      return {"had", "lower", "lowest", noun};
    default:
      return {"used", "less", "least", noun};
  }
}

std::string without_sign(const std::string& percent) {
  return percent.substr(0, percent.size() - std::string_view(" %").size());
}

/// "38 to 52 %", "45 %" if both ends round to the same.
std::string percent_range(double low, double high) {
  const std::string from = percent_text(low), to = percent_text(high);
  return from == to ? from : without_sign(from) + " to " + to;
}

/// What the winner saved, and its interval, as shares of the loser's cost.
struct Saving {
  double share = 0;
  std::optional<std::array<double, 2>> ci95;
};

Saving saving_of(const Comparison& one) {
  const bool is_first = *one.winner == one.pair[0];
  const auto saved = [&](double ratio) { return 1 - (is_first ? ratio : 1 / ratio); };
  if (!one.estimate) return {saved(one.levels[0].mean / one.levels[1].mean), {}};
  Saving saving{saved(one.estimate->value), {}};
  if (const auto& ci = one.estimate->ci95) {
    saving.ci95 = {saved((*ci)[0]), saved((*ci)[1])};
    std::sort(saving.ci95->begin(), saving.ci95->end());
  }
  return saving;
}

/// "95 % interval 38 to 52 %"; with one more digit where the ends would look the same.
std::string saving_interval(const std::array<double, 2>& ci95) {
  if (percent_text(ci95[0]) != percent_text(ci95[1]) && ci95[0] > 0)
    return "95 % interval " + percent_range(ci95[0], ci95[1]);
  const std::string from = fmt::format("{:.1f}", 100 * ci95[0]),
                    to = fmt::format("{:.1f}", 100 * ci95[1]);
  return "95 % interval " + (from == to ? to : from + " to " + to) + " %";
}

bool has_worse_score(const Comparison& one) {
  if (!one.winner || !one.score) return false;
  const auto standing = winners_score(one);
  return standing == WinnersScore::lower || standing == WinnersScore::unknown;
}

std::string margin_words(double margin) {
  return fmt::format("the margin of {:.3g} %", margin * 100);
}

/// The ratio and its interval: "a / b = 1.03, 95 % interval 0.95 to 1.12".
std::string ratio_words(const Comparison& one) {
  if (!one.estimate) return "";
  std::string text = fmt::format("{} = {}", pair_name(one.pair), ratio_text(one.estimate->value));
  if (const auto& ci = one.estimate->ci95)
    text += fmt::format(", 95 % interval {} to {}", ratio_text((*ci)[0]), ratio_text((*ci)[1]));
  return text;
}

std::string in_brackets(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

/// The only case of two levels.
std::string case_sentence(const Comparison& one, double margin, const Names& names) {
  const MeasureWords words = words_of(one.measure, one.per, names);
  const auto& [a, b] = one.pair;
  switch (one.verdict) {
    case Verdict::less: {
      const std::string& loser = *one.winner == a ? b : a;
      const Saving saving = saving_of(one);
      std::string text =
          fmt::format("{} {} {} {} {} than {}{}{}.", *one.winner, words.verb,
                      percent_text(saving.share), words.less, words.noun, loser, score_words(one),
                      saving.ci95 ? in_brackets(saving_interval(*saving.ci95)) : "");
      if (one.below_margin) text += " The difference is below " + margin_words(margin) + ".";
      return text;
    }
    case Verdict::equivalent:
      return fmt::format("{} and {} {} the same {} within {}{}.", a, b, words.verb, words.noun,
                         margin_words(margin), in_brackets(ratio_words(one)));
    case Verdict::not_comparable:
      return fmt::format("{} and {} cannot be compared by {}: {}.", a, b, words.noun, one.reason);
    case Verdict::modelled:
      return sentence(words.noun + " was modelled, not measured, so it supports no conclusion" +
                      in_brackets(ratio_words(one)));
    case Verdict::inconclusive:
      break;
  }
  if (!one.reason.empty())
    return fmt::format("No conclusion about {} of {} and {}: {}{}.", words.noun, a, b, one.reason,
                       in_brackets(ratio_words(one)));
  return fmt::format("No difference in {} was shown between {} and {}{}.", words.noun, a, b,
                     in_brackets(ratio_words(one)));
}

std::string case_count(std::size_t count) {
  return count == 1 ? "1 case" : fmt::format("{} cases", count);
}

/// "all 6 cases", "both cases", "4 of 6 cases".
std::string share_of_cases(std::size_t count, std::size_t all) {
  if (count < all) return fmt::format("{} of {} cases", count, all);
  return all == 2 ? "both cases" : fmt::format("all {} cases", all);
}

/// Where one level won: "20 to 66 % less, in 2 of them below the margin".
std::string savings_words(const std::vector<const Comparison*>& won, const std::string& less) {
  std::vector<double> saved;
  std::size_t below = 0, worse = 0;
  for (const auto* one : won) {
    saved.push_back(saving_of(*one).share);
    below += one->below_margin;
    worse += has_worse_score(*one);
  }
  const auto [least, most] = std::minmax_element(saved.begin(), saved.end());
  std::string text = percent_range(*least, *most) + " " + less;
  const auto add = [&](std::size_t count, const std::string& what) {
    if (count == 0) return;
    text += count == won.size() ? ", " + what : fmt::format(", in {} of them {}", count, what);
  };
  add(below, "below the margin");
  add(worse, "without an equal score");
  return text;
}

/// The cases without a winner: "No difference was shown in 2 cases. 1 case is equivalent ..."
std::string open_cases(const std::map<Verdict, std::size_t>& counts, double margin) {
  std::string text;
  for (const auto& [verdict, count] : counts) {
    const std::string cases = case_count(count);
    text += text.empty() ? "" : " ";
    if (verdict == Verdict::equivalent)
      text += fmt::format("{} {} equivalent within {}.", cases, count == 1 ? "is" : "are",
                          margin_words(margin));
    else if (verdict == Verdict::not_comparable)
      text += fmt::format("{} cannot be compared.", cases);
    else if (verdict == Verdict::modelled)
      text += fmt::format("{} {} modelled energy only.", cases, count == 1 ? "has" : "have");
    else
      text += fmt::format("{} {} inconclusive.", cases, count == 1 ? "is" : "are");
  }
  return text;
}

/// Several cases of two levels.
std::string cases_sentences(const std::vector<const Comparison*>& rows, double margin,
                            const std::array<std::string, 2>& pair, const Names& names) {
  const bool has_same_work = std::all_of(
      rows.begin(), rows.end(), [&](const auto* one) { return one->per == rows.front()->per; });
  const MeasureWords words =
      words_of(rows.front()->measure, has_same_work ? rows.front()->per : std::nullopt, names);
  std::map<std::string, std::vector<const Comparison*>> won;
  std::map<Verdict, std::size_t> open;
  for (const auto* one : rows)
    if (one->winner)
      won[*one->winner].push_back(one);
    else
      ++open[one->verdict];
  std::array<std::string, 2> order = pair;
  if (won[pair[1]].size() > won[pair[0]].size()) std::swap(order[0], order[1]);
  std::string text;
  if (const auto& first = won[order[0]]; !first.empty())
    text = fmt::format("{} {} {} {} than {} in {}, {}", order[0], words.verb, words.less,
                       words.noun, order[1], share_of_cases(first.size(), rows.size()),
                       savings_words(first, words.less));
  if (const auto& second = won[order[1]]; !second.empty())
    text += fmt::format("; {} {} {} in {}, {}", order[1], words.verb, words.less, second.size(),
                        savings_words(second, words.less));
  if (text.empty() && open[Verdict::modelled] == rows.size())
    return sentence(words.noun + " was modelled, not measured, so it supports no conclusion");
  if (text.empty())
    text = fmt::format("No difference in {} was shown between {} and {} in {}", words.noun, pair[0],
                       pair[1], case_count(rows.size()));
  text += ".";
  std::erase_if(open, [](const auto& one) { return one.second == 0; });
  const bool says_nothing_new = open.size() == 1 && open.begin()->first == Verdict::inconclusive &&
                                open.begin()->second == rows.size();
  return open.empty() || says_nothing_new ? text : text + " " + open_cases(open, margin);
}

}  // namespace

std::string pair_sentence(const Findings& findings, const std::string& measure,
                          const std::array<std::string, 2>& pair, const Names& names) {
  std::vector<const Comparison*> rows;
  for (const auto& one : findings.comparisons)
    if (one.measure == measure && one.n > 0 && one.pair == pair) rows.push_back(&one);
  if (rows.empty()) return "";
  return rows.size() == 1 ? case_sentence(*rows.front(), findings.margin, names)
                          : cases_sentences(rows, findings.margin, pair, names);
}

std::vector<std::string> standings_sentences(const Findings& findings, const std::string& measure,
                                             const Names& names) {
  const Standings all = standings(findings, measure);
  if (all.comparisons == 0) return {};
  const LevelStanding& first = all.levels.front();
  const MeasureWords words = words_of(measure, {}, names);
  const std::size_t others = all.levels.size() - 1;
  const std::string where =
      all.cases.size() == 1 ? "" : " in " + share_of_cases(first.least_in, first.cases);
  std::vector<std::string> sentences;
  if (first.open == 0 && first.more == 0 && first.less > 0)
    sentences.push_back(fmt::format("{} {} {} {} than each of the {} others{}.", first.level,
                                    words.verb, words.less, words.noun, others, where));
  else
    sentences.push_back(fmt::format(
        "{} {} the {} {} of {} levels{}; {} of its {} show a difference.", first.level, words.verb,
        words.least, words.noun, all.levels.size(), where, first.less + first.more,
        counted(first.less + first.more + first.open, "comparison")));
  const LevelStanding& next = all.levels[1];
  if (next.over_least > first.over_least)
    sentences.push_back(fmt::format("Next is {}, with {} more{}. {} of {} show a difference.",
                                    next.level,
                                    percent_text(next.over_least / first.over_least - 1),
                                    all.cases.size() == 1 ? "" : " on average", all.shown,
                                    counted(all.comparisons, "comparison")));
  return sentences;
}

std::string quality_badge(const Findings& findings, const std::string& measure,
                          const std::vector<std::string>& domains) {
  std::size_t modelled = 0, reported = 0, all = 0;
  bool has_modelled_primary = false;
  for (const auto& one : findings.comparisons) {
    if (one.n == 0) continue;
    if (one.is_primary && one.quality == Quality::model) has_modelled_primary = true;
    if (one.measure != measure) continue;
    ++all;
    modelled += one.quality == Quality::model;
    reported += one.quality == Quality::virtual_machine;
  }
  if (!is_energy_measure(measure))
    return has_modelled_primary ? "time measured, energy modelled" : "measured";
  if (all > 0 && modelled == all) return "energy modelled";
  if (modelled > 0) return "energy modelled in part";
  const std::string covered =
      measure != measures::metered || domains.empty() ? "" : ": " + joined(domains, ", ");
  return (reported > 0 ? "reported by the hypervisor" : "measured") + covered;
}

Answer answer_of(const Findings& findings, const Names& names,
                 const std::vector<std::string>& domains) {
  Answer answer;
  answer.measure = headline_measure(findings);
  answer.badge = quality_badge(findings, answer.measure, domains);
  answer.is_measured = answer.badge.starts_with("measured");
  if (findings.levels.size() >= many_levels) {
    answer.sentences = standings_sentences(findings, answer.measure, names);
  } else {
    for (std::size_t i = 0; i < findings.levels.size(); ++i)
      for (std::size_t j = i + 1; j < findings.levels.size(); ++j) {
        auto text = pair_sentence(findings, answer.measure,
                                  {findings.levels[i], findings.levels[j]}, names);
        if (!text.empty()) answer.sentences.push_back(std::move(text));
      }
  }
  if (!answer.sentences.empty()) return answer;
  answer.badge.clear();
  answer.sentences.push_back(findings.levels.size() < 2
                                 ? "Nothing is compared: " + findings.compare + " has one level."
                                 : "Nothing can be compared: no case has good runs of two levels.");
  return answer;
}

std::string answer_text(const Answer& answer, const Style& style) {
  std::string out;
  for (std::size_t i = 0; i < answer.sentences.size(); ++i) {
    out += style.bold(printable(answer.sentences[i]));
    if (i + 1 == answer.sentences.size() && !answer.badge.empty()) {
      const std::string badge = "[" + printable(answer.badge) + "]";
      out += " " + (answer.is_measured ? style.good(badge) : style.warn(badge));
    }
    out += "\n";
  }
  return out;
}

std::string answer_markdown(const Answer& answer) {
  std::string out;
  for (const auto& words : answer.sentences)
    out += paragraph_markdown({Paragraph::Tone::answer, words});
  return out + paragraph_markdown({Paragraph::Tone::plain, "(" + answer.badge + ")"});
}

}  // namespace prengdl
