// SPDX-License-Identifier: Apache-2.0
#include "print/answer.h"

#include <gtest/gtest.h>

namespace prengdl {
namespace {

Comparison comparison(const std::string& case_name, double ratio, std::array<double, 2> ci95,
                      std::optional<std::string> winner,
                      std::array<std::string, 2> pair = {"pytorch", "tensorflow"}) {
  Comparison one;
  if (!case_name.empty()) one.cell = {{"model", case_name}};
  one.measure = "metered";
  one.is_primary = true;
  one.pair = std::move(pair);
  one.n = 5;
  one.levels[0] = {one.pair[0], 5, ratio, ratio, {}, ratio};
  one.levels[1] = {one.pair[1], 5, 1, 1, {}, 1.0};
  one.estimate = Ratio{ratio, ci95, 0.01};
  one.quality = Quality::chip;
  one.verdict = winner ? Verdict::less : Verdict::inconclusive;
  one.winner = std::move(winner);
  return one;
}

Findings findings_of(std::vector<Comparison> comparisons,
                     std::vector<std::string> levels = {"pytorch", "tensorflow"}) {
  Findings findings;
  findings.compare = "framework";
  findings.levels = std::move(levels);
  findings.margin = 0.05;
  findings.families = {{"metered", true, comparisons.size()}, {"seconds", false, 0}};
  findings.comparisons = std::move(comparisons);
  return findings;
}

std::string only_sentence(const Findings& findings) {
  const auto answer = answer_of(findings);
  return answer.sentences.size() == 1 ? answer.sentences.front() : "not one sentence";
}

TEST(Answer, OfOneCaseIsTheSavingWithItsInterval) {
  EXPECT_EQ(only_sentence(findings_of({comparison("", 0.55, {0.48, 0.62}, "pytorch")})),
            "pytorch used 45 % less energy than tensorflow (95 % interval 38 to 52 %).");
  EXPECT_EQ(only_sentence(findings_of({comparison("", 2, {1.6, 2.5}, "tensorflow")})),
            "tensorflow used 50 % less energy than pytorch (95 % interval 38 to 60 %).");
}

TEST(Answer, KeepsTheEndsOfANarrowIntervalApart) {
  EXPECT_EQ(only_sentence(findings_of({comparison("", 0.55, {0.548, 0.552}, "pytorch")})),
            "pytorch used 45 % less energy than tensorflow (95 % interval 44.8 to 45.2 %).");
}

TEST(Answer, SpeaksOfTimeAndOfWorkAsPeopleDo) {
  auto one = comparison("", 0.5, {0.4, 0.6}, "pytorch");
  one.measure = "seconds";
  one.quality = {};
  EXPECT_EQ(pair_sentence(findings_of({one}), "seconds", one.pair),
            "pytorch took 50 % less time than tensorflow (95 % interval 40 to 60 %).");
  auto per_sample = comparison("", 0.5, {0.4, 0.6}, "pytorch");
  per_sample.per = "samples";
  EXPECT_EQ(only_sentence(findings_of({per_sample})),
            "pytorch used 50 % less energy per sample than tensorflow (95 % interval 40 to 60 %).");
}

TEST(Answer, CountsCasesAndGivesTheRangeOfSavings) {
  EXPECT_EQ(
      only_sentence(findings_of(
          {comparison("a", 0.8, {0.7, 0.9}, "pytorch"), comparison("b", 0.5, {0.4, 0.6}, "pytorch"),
           comparison("c", 2, {1.5, 2.5}, "tensorflow"), comparison("d", 1.1, {0.9, 1.3}, {})})),
      "pytorch used less energy than tensorflow in 2 of 4 cases, 20 to 50 % less; "
      "tensorflow used less in 1, 50 % less. 1 case is inconclusive.");
  EXPECT_EQ(only_sentence(findings_of({comparison("a", 1.25, {1.2, 1.3}, "tensorflow"),
                                       comparison("b", 2, {1.9, 2.1}, "tensorflow")})),
            "tensorflow used less energy than pytorch in both cases, 20 to 50 % less.");
}

TEST(Answer, WithoutAWinnerIsNoDifferenceShown) {
  EXPECT_EQ(only_sentence(findings_of({comparison("", 1.1, {0.9, 1.3}, {})})),
            "No difference in energy was shown between pytorch and tensorflow (pytorch / "
            "tensorflow = 1.100, 95 % interval 0.9000 to 1.300).");
  EXPECT_EQ(only_sentence(findings_of(
                {comparison("a", 1.1, {0.9, 1.3}, {}), comparison("b", 1.1, {0.9, 1.3}, {})})),
            "No difference in energy was shown between pytorch and tensorflow in 2 cases.");
}

TEST(Answer, NamesEqualityUnequalWorkAndModelledEnergy) {
  auto equal = comparison("", 1.01, {0.99, 1.03}, {});
  equal.verdict = Verdict::equivalent;
  EXPECT_NE(only_sentence(findings_of({equal})).find("the same energy within the margin of 5 %"),
            std::string::npos);
  auto unlike = comparison("", 0.5, {0.4, 0.6}, {});
  unlike.verdict = Verdict::not_comparable;
  unlike.reason = "they did different amounts of work";
  EXPECT_EQ(only_sentence(findings_of({unlike})),
            "pytorch and tensorflow cannot be compared by energy: they did different amounts of "
            "work.");
  auto modelled = comparison("", 0.5, {0.4, 0.6}, {});
  modelled.verdict = Verdict::modelled;
  modelled.quality = Quality::model;
  modelled.estimate->ci95.reset();
  EXPECT_EQ(only_sentence(findings_of({modelled})),
            "Energy was modelled, not measured, so it supports no conclusion (pytorch / "
            "tensorflow = 0.5000).");
}

TEST(Answer, NeverHidesAWorseScoreOrADifferenceBelowTheMargin) {
  auto one = comparison("", 0.5, {0.4, 0.6}, "pytorch");
  one.score = ScoreFigures{"accuracy", false, -0.1, std::array{-0.12, -0.08}, 0.01, false};
  EXPECT_NE(only_sentence(findings_of({one})).find("than tensorflow, at a lower score (95 %"),
            std::string::npos)
      << only_sentence(findings_of({one}));
  auto small = comparison("", 0.98, {0.97, 0.99}, "pytorch");
  small.below_margin = true;
  EXPECT_NE(only_sentence(findings_of({small})).find("The difference is below the margin of 5 %."),
            std::string::npos);
}

TEST(Answer, OfManyLevelsNamesTheLowest) {
  const std::vector<std::string> levels{"a", "b", "c", "d"};
  std::vector<Comparison> all;
  for (std::size_t i = 0; i < levels.size(); ++i)
    for (std::size_t j = i + 1; j < levels.size(); ++j) {
      const double first = 1 + static_cast<double>(i), second = 1 + static_cast<double>(j);
      auto one = comparison("", first / second, {first / second * 0.9, first / second * 1.1},
                            levels[i], {levels[i], levels[j]});
      one.levels[0].geomean = first;
      one.levels[1].geomean = second;
      all.push_back(one);
    }
  const auto answer = answer_of(findings_of(all, levels));
  ASSERT_EQ(answer.sentences.size(), 2u);
  EXPECT_EQ(answer.sentences[0], "a used less energy than each of the 3 others.");
  EXPECT_EQ(answer.sentences[1],
            "Next is b, with 100 % more. 6 of 6 comparisons show a difference.");
}

TEST(Answer, ItsBadgeSaysWhatWasMeasured) {
  const auto measured = findings_of({comparison("", 0.5, {0.4, 0.6}, "pytorch")});
  EXPECT_EQ(answer_of(measured, {}, {"package", "dram"}).badge, "measured: package, dram");
  auto modelled = measured;
  modelled.comparisons[0].quality = Quality::model;
  EXPECT_EQ(answer_of(modelled).badge, "energy modelled");
  auto time = modelled.comparisons[0];
  time.measure = "seconds";
  time.is_primary = false;
  time.quality = {};
  modelled.comparisons.push_back(time);
  const auto about_time = answer_of(modelled);
  EXPECT_EQ(about_time.measure, "seconds");
  EXPECT_EQ(about_time.badge, "time measured, energy modelled");
  EXPECT_FALSE(about_time.is_measured);
}

TEST(Answer, IsAboutTimeIfNoEnergyWasMeasured) {
  auto findings = findings_of({comparison("", 0.5, {0.4, 0.6}, {})});
  findings.comparisons[0].n = 0;
  auto time = comparison("", 0.5, {0.4, 0.6}, "pytorch");
  time.measure = "seconds";
  time.quality = {};
  findings.comparisons.push_back(time);
  EXPECT_EQ(only_sentence(findings).substr(0, 12), "pytorch took");
}

TEST(Answer, OfNothingSaysSoWithoutABadge) {
  auto findings = findings_of({});
  EXPECT_EQ(only_sentence(findings),
            "Nothing can be compared: no case has good runs of two levels.");
  findings.levels = {"pytorch"};
  EXPECT_EQ(only_sentence(findings), "Nothing is compared: framework has one level.");
  EXPECT_EQ(answer_of(findings, {}, {"gpu"}).badge, "");
}

TEST(LevelName, HasTheFactorOfALevelThatIsNotAWord) {
  EXPECT_EQ(level_name("batch", "16"), "batch 16");
  EXPECT_EQ(level_name("optimizer", "adam"), "adam");
}

}  // namespace
}  // namespace prengdl
