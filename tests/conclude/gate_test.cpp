// SPDX-License-Identifier: Apache-2.0
#include "conclude/gate.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/simulated_studies.h"
#include "conclude/case_runs.h"
#include "conclude/gate_input.h"
#include "print/checks.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

using Values = std::vector<double>;

constexpr std::size_t studies = 2'000;
/// Four standard errors of a simulated share of 5 or 95 %.
constexpr double tolerance = 0.0195;

bench::Sample sample(std::size_t n, double ratio, bool paired = true, std::uint64_t seed = 1) {
  bench::Random random(seed);
  return bench::sample(random, n, ratio, paired);
}

GateInput input(double ratio, std::size_t n, bool paired = true) {
  const auto values = sample(n, ratio, paired);
  auto made = bench::gate_input(values, paired, 1.03);
  made.base.label = "./old";
  made.candidate.label = "./new";
  auto seconds = values;
  for (double& value : seconds.base) value /= 10;
  for (double& value : seconds.candidate) value /= 10;
  made.measures.push_back({"seconds", seconds.base, seconds.candidate, false});
  return made;
}

TEST(Gate, PassesWhatIsShownToBeWithin) {
  for (const bool paired : {true, false}) {
    const auto result = judge(input(0.98, 20, paired));
    EXPECT_EQ(result.verdict, GateVerdict::pass);
    EXPECT_EQ(exit_code(result.verdict), 0);
    EXPECT_LT(result.p_within.value(), 0.05);
    EXPECT_LT(result.at_most.value(), 1.03);
    EXPECT_EQ(result.needed, std::nullopt);
    EXPECT_EQ(result.tested.measure, "metered");
    ASSERT_EQ(result.beside.size(), 1u);
    EXPECT_EQ(result.beside[0].measure, "seconds");
    EXPECT_TRUE(result.beside[0].ci95);
  }
}

TEST(Gate, FailsWhatIsShownToBeAbove) {
  for (const bool paired : {true, false}) {
    const auto result = judge(input(1.10, 20, paired));
    EXPECT_EQ(result.verdict, GateVerdict::fail);
    EXPECT_EQ(exit_code(result.verdict), 3);
    EXPECT_GT(result.at_least.value(), 1.03);
  }
}

TEST(Gate, CannotTellBetweenAndSaysHowManyRunsItWouldTake) {
  const auto result = judge(input(1.06, 4));
  EXPECT_EQ(result.verdict, GateVerdict::cannot_tell);
  EXPECT_EQ(exit_code(result.verdict), 4);
  ASSERT_TRUE(result.needed);
  EXPECT_GT(result.needed->of_each, 4u);
  EXPECT_EQ(result.needed->additional[0], result.needed->of_each - 4);
  EXPECT_NE(result.reason.find("runs of each would probably decide"), std::string::npos);
}

TEST(Gate, SaysWhenNoSensibleNumberOfRunsWouldDo) {
  auto at_limit = input(1.03, 10);
  at_limit.limit = judge(at_limit).tested.ratio.value();
  const auto result = judge(at_limit);
  EXPECT_EQ(result.verdict, GateVerdict::cannot_tell);
  EXPECT_EQ(result.needed, std::nullopt);
  EXPECT_NE(result.reason.find("so near to the limit"), std::string::npos);
}

TEST(Gate, CannotTellFromOneRunOrWithoutSpreadOrWithoutAFigure) {
  const auto verdict_and_reason = [](const Values& base, const Values& candidate, bool paired) {
    auto made = bench::gate_input({base, candidate}, paired, 1.03);
    made.primary = "package";
    made.measures[0].name = "package";
    const auto result = judge(made);
    EXPECT_EQ(result.verdict, GateVerdict::cannot_tell);
    EXPECT_EQ(result.p_above, std::nullopt);
    EXPECT_FALSE(gate_text(result, true).empty());
    EXPECT_FALSE(gate_markdown(result).empty());
    EXPECT_FALSE(gate_json(result).empty());
    return result.reason;
  };
  for (const bool paired : {true, false}) {
    EXPECT_NE(verdict_and_reason({5}, {6}, paired).find("one run cannot show the spread"),
              std::string::npos);
    EXPECT_NE(verdict_and_reason({5, 5, 5}, {6, 6, 6}, paired).find("no spread"),
              std::string::npos);
    EXPECT_NE(verdict_and_reason({5, 0}, {6, 7}, paired).find("above zero"), std::string::npos);
    EXPECT_NE(verdict_and_reason({5, 6}, {6, std::nan("")}, paired).find("numbers"),
              std::string::npos);
    EXPECT_NE(verdict_and_reason({}, {}, paired).find("no good run"), std::string::npos);
    verdict_and_reason({5, 6}, {}, paired);
  }
}

TEST(Gate, RefusesResultsOfDifferentMachinesAndOfDifferentParts) {
  auto made = input(1.0, 10);
  made.base.machines = {"abc"};
  made.candidate.machines = {"abc"};
  EXPECT_NO_THROW(judge(made));
  made.candidate.machines = {"def"};
  EXPECT_THROW(judge(made), Error);
  made.candidate.machines = {};
  EXPECT_THROW(judge(made), Error);
  made.base.machines = made.candidate.machines = {"abc", "def"};
  EXPECT_THROW(judge(made), Error);
  made.base.machines = made.candidate.machines = {"abc"};
  made.base.covers = {"dram", "package"};
  made.candidate.covers = {"package"};
  EXPECT_THROW(judge(made), Error);
  made.primary = "seconds";
  EXPECT_NO_THROW(judge(made));
}

TEST(Gate, TestsTimeWhereEnergyIsModelledOrAbsent) {
  auto modelled = input(1.2, 10);
  modelled.measures[0].modelled = true;
  auto absent = input(1.2, 10);
  absent.measures[0].base.clear();
  for (const auto& made : {modelled, absent}) {
    const auto result = judge(made);
    EXPECT_EQ(result.verdict, GateVerdict::fail);
    EXPECT_EQ(result.tested.measure, "seconds");
    EXPECT_TRUE(result.beside.empty());
    ASSERT_EQ(result.notes.size(), 1u);
    EXPECT_NE(result.notes[0].find("the verdict is about time"), std::string::npos);
  }
}

using Runs = std::vector<Run>;

Run run(std::size_t block, double joules, Quality quality = Quality::chip) {
  Run made;
  made.block = block;
  made.exit_code = 0;
  made.wall = Seconds{joules / 10};
  made.energy.metered = Energy{Joules{joules}, Joules{0.01}, quality};
  made.energy.domains["package"] = *made.energy.metered;
  made.energy.covers = {"package"};
  return made;
}

TEST(GateInput, PairsGoodRunsByBlock) {
  const Runs base{run(0, 10), run(1, 11), run(2, 12), run(3, 13)};
  Runs candidate{run(3, 14), run(1, 12), run(0, 11), run(2, 13)};
  candidate[1].exit_code = 1;
  candidate[2].flags = {Flag::disturbed};
  const auto made = gate_input(measured_runs("old", base), measured_runs("new", candidate), true);
  ASSERT_EQ(made.measures.size(), 3u);
  EXPECT_EQ(made.measures[2].name, "cpu_seconds");
  EXPECT_EQ(made.measures[0].base, (Values{10, 12, 13}));
  EXPECT_EQ(made.measures[0].candidate, (Values{11, 13, 14}));
  EXPECT_EQ(made.measures[1].name, "seconds");
  EXPECT_FALSE(made.measures[0].modelled);
  EXPECT_EQ(made.candidate.failed, 1u);
  ASSERT_EQ(made.notes.size(), 2u);
  EXPECT_EQ(made.notes[1],
            "flag of new: disturbed: other processes or the host used CPU time (1 of 3 runs)");
  EXPECT_EQ(made.base.covers, std::vector<std::string>{"package"});
  const auto loose =
      gate_input(measured_runs("old", base), measured_runs("new", candidate), false, "package");
  EXPECT_EQ(loose.measures[0].base.size(), 4u);
  EXPECT_EQ(loose.measures[0].candidate.size(), 3u);
}

TEST(GateInput, KnowsModelledEnergyAndUnevenMeters) {
  const Runs base{run(0, 10), run(1, 11)};
  const auto old = measured_runs("old", base);
  const auto modelled = measured_runs("new", {run(0, 10), run(1, 11, Quality::model)});
  EXPECT_TRUE(gate_input(old, modelled, true).measures[0].modelled);
  EXPECT_TRUE(gate_input(old, modelled, false, "package").measures[0].modelled);
  EXPECT_FALSE(gate_input(old, modelled, true, "seconds").measures[0].modelled);
  auto uneven = base;
  uneven[1].energy.covers = {"package", "dram"};
  EXPECT_THROW(gate_input(measured_runs("old", uneven), old, true), Error);
}

using Stored = std::vector<StoredRun>;

/// A good run that started so many seconds after the first.
StoredRun stored(const std::string& level, std::size_t block, int second, double joules = 10) {
  StoredRun made;
  made.id = level + std::to_string(block) + "-" + std::to_string(second);
  made.cell = {level};
  made.block = block;
  made.machine = "here";
  made.run = run(block, joules);
  made.run.started_at = fmt::format("2026-01-01T00:{:02}:{:02}Z", second / 60, second % 60);
  return made;
}

/// One that failed, at the same place.
StoredRun failed(StoredRun run) {
  run.id += "-failed";
  run.outcome = Outcome::failed;
  run.run.exit_code = 1;
  return run;
}

TEST(GateInput, CountsTheRunsOfAResultThatCompareCounts) {
  Stored runs;
  for (std::size_t i = 0; i < 6; ++i) {
    runs.push_back(stored("a", i, static_cast<int>(i), 10 + static_cast<double>(i)));
    runs.push_back(stored("b", i, static_cast<int>(i), 20 + static_cast<double>(i)));
  }
  runs[0].is_warmup = true;
  runs[2].excluded = "the fan failed";
  runs[4] = failed(runs[4]);
  runs.push_back(stored("a", 2, 20, 99));  // the retry of that
  runs.back().attempt = 1;
  runs.push_back(stored("a", 3, 21, 77));  // repeats a disturbed run
  runs.back().attempt = 1;
  runs.back().repeats = runs[6].id;
  runs[8] = failed(runs[8]);
  runs.push_back(failed(stored("a", 4, 22)));  // and its retry, which failed too
  runs.back().attempt = 1;

  Stored of_a;
  for (const auto& run : runs)
    if (run.cell == Cell{"a"}) of_a.push_back(run);
  const auto side = stored_runs("a", of_a, true);
  EXPECT_EQ(side.failed, 1u);
  EXPECT_EQ(side.machines, std::vector<std::string>{"here"});

  Study study;
  study.factors = {{"way", {"a", "b"}}};
  study.analysis.compare = "way";
  const auto cases = runs_by_case(study, runs, true);
  ASSERT_EQ(side.runs.size(), cases.at(0).levels.at(0).size());
  Values ours, theirs;
  for (const auto& run : side.runs) ours.push_back(run.energy.metered->value.value);
  for (const auto* run : cases[0].levels[0]) theirs.push_back(run->run.energy.metered->value.value);
  EXPECT_EQ(ours, theirs);
  EXPECT_EQ(ours, (Values{15, 99, 77}));
}

TEST(GateInput, EachImportedRunCountsByItself) {
  const Stored runs{stored("a", 0, 0), failed(stored("a", 0, 1)), stored("a", 0, 2)};
  EXPECT_EQ(stored_runs("a", runs, false).runs.size(), 2u);
  EXPECT_EQ(stored_runs("a", runs, false).failed, 1u);
}

TEST(Gate, CannotTellFromTwoOccasionsWhoseSpreadIsNotKnown) {
  auto made = input(1.5, 20, false);
  made.between = std::nullopt;
  const auto result = judge(made);
  EXPECT_EQ(result.verdict, GateVerdict::cannot_tell);
  EXPECT_NE(result.reason.find("different occasions"), std::string::npos);
  EXPECT_NE(result.advice.find("--interleave"), std::string::npos);
  EXPECT_NE(result.advice.find("--between"), std::string::npos);
  EXPECT_TRUE(result.tested.ratio);
  EXPECT_EQ(result.tested.ci95, std::nullopt);  // of the runs alone it would be too narrow
  EXPECT_EQ(result.beside.at(0).ci95, std::nullopt);
  EXPECT_EQ(result.p_above, std::nullopt);
  EXPECT_FALSE(nlohmann::json::parse(gate_json(result)).contains("between"));
  EXPECT_NE(gate_text(result, true).find("--interleave"), std::string::npos);
  EXPECT_NE(gate_markdown(result).find("interleave"), std::string::npos);
}

TEST(Gate, PairsNeedNoSpreadBetweenOccasions) {
  auto made = input(1.10, 20, true);
  const auto plain = judge(made);
  made.between = 0.5;
  const auto told = judge(made);
  EXPECT_EQ(told.p_above, plain.p_above);
  EXPECT_EQ(told.between, std::nullopt);
}

// By hand: variances of the logs 0.01 / 3 each, so the mean's is 2 * (0.01 / 3) / 4 + 2 * 0.02^2.
TEST(Gate, BothOccasionsAddTheirVariance) {
  const Values base{std::exp(1.0), std::exp(1.1), std::exp(1.0), std::exp(1.1)};
  const Values candidate{std::exp(1.2), std::exp(1.3), std::exp(1.2), std::exp(1.3)};
  auto made = bench::gate_input({base, candidate}, false, 1.03);
  made.between = 0.02;
  const auto result = judge(made);
  const double of_runs = 2 * (0.01 / 3) / 4;
  const double error = std::sqrt(of_runs + 2 * 0.02 * 0.02);
  const double freedom = 6 * std::pow(error * error / of_runs, 2);
  EXPECT_NEAR(result.at_least.value(), std::exp(0.2 - student_quantile(0.95, freedom) * error),
              1e-9);
  EXPECT_NEAR(result.at_most.value(), std::exp(0.2 + student_quantile(0.95, freedom) * error),
              1e-9);
  EXPECT_NEAR(result.tested.ci95.value()[0],
              std::exp(0.2 - student_quantile(0.975, freedom) * error), 1e-9);
  EXPECT_EQ(result.between, 0.02);
  EXPECT_EQ(nlohmann::json::parse(gate_json(result)).at("between"), 0.02);
  EXPECT_NE(gate_text(result, true).find("2 % sd between occasions"), std::string::npos);
}

TEST(Gate, SaysWhenTheSpreadBetweenOccasionsHidesTheAnswer) {
  auto made = input(1.06, 10, false);
  made.between = 0.05;
  const auto result = judge(made);
  EXPECT_EQ(result.verdict, GateVerdict::cannot_tell);
  EXPECT_EQ(result.needed, std::nullopt);
  EXPECT_NE(result.reason.find("with 5 % between occasions even 1000 runs"), std::string::npos);
  EXPECT_NE(result.advice.find("--interleave"), std::string::npos);
}

TEST(ParseBetween, TakesPercentAboveZero) {
  EXPECT_DOUBLE_EQ(parse_between("2%").value(), 0.02);
  EXPECT_DOUBLE_EQ(parse_between(" 0.5 % ").value(), 0.005);
  for (const char* wrong : {"", "%", "2", "0.02", "0%", "-1%", "101%", "nan%"})
    EXPECT_FALSE(parse_between(wrong)) << wrong;
}

TEST(ParseLimit, TakesPercent) {
  EXPECT_DOUBLE_EQ(parse_limit("+3%").value(), 1.03);
  EXPECT_DOUBLE_EQ(parse_limit(" 3 % ").value(), 1.03);
  EXPECT_DOUBLE_EQ(parse_limit("0%").value(), 1);
  EXPECT_DOUBLE_EQ(parse_limit("-5%").value(), 0.95);
  for (const char* wrong : {"", "%", "3", "1.03", "-100%", "x%", "nan%", "1e9%", "++3%"})
    EXPECT_FALSE(parse_limit(wrong)) << wrong;
  EXPECT_EQ(percent_change(1.03), "+3 %");
  EXPECT_EQ(percent_change(0.95), "-5 %");
}

TEST(GateReport, TellsTheSameInAllFormats) {
  const auto result = judge(input(1.06, 4));
  const auto json = nlohmann::json::parse(gate_json(result));
  EXPECT_EQ(json.at("schema"), "prengdl.gate/2");
  EXPECT_EQ(json.at("verdict"), "cannot tell");
  EXPECT_EQ(json.at("base"), "./old");
  EXPECT_EQ(json.at("new"), "./new");
  EXPECT_EQ(json.at("limit"), 1.03);
  EXPECT_EQ(json.at("tested").at("measure"), "metered");
  EXPECT_EQ(json.at("tested").at("n"), (nlohmann::json{4, 4}));
  EXPECT_DOUBLE_EQ(json.at("tested").at("ratio"), result.tested.ratio.value());
  EXPECT_DOUBLE_EQ(json.at("tested").at("p_above"), result.p_above.value());
  EXPECT_EQ(json.at("beside").at(0).at("measure"), "seconds");
  EXPECT_EQ(json.at("needed").at("of_each"), result.needed->of_each);
  const auto text = gate_text(result, false);
  EXPECT_TRUE(text.starts_with("cannot tell: ")) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(gate_text(result, true).find('\x1b'), std::string::npos);
  const auto markdown = gate_markdown(result);
  EXPECT_TRUE(markdown.starts_with("**prengdl gate: cannot tell** – ")) << markdown;
  EXPECT_NE(markdown.find("| time (not tested) |"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("measure again with"), std::string::npos) << markdown;
}

TEST(GateReport, IsSafeWhateverTheCommandsAreCalled) {
  auto made = input(1.1, 10);
  made.candidate.label = "sh -c 'a | b' `id` <b> @someone \x1b[31m\n# title";
  const auto result = judge(made);
  const auto markdown = gate_markdown(result);
  EXPECT_NE(markdown.find("a \\| b"), std::string::npos) << markdown;
  EXPECT_EQ(markdown.find('@'), std::string::npos) << markdown;
  EXPECT_EQ(markdown.find("\n# title"), std::string::npos) << markdown;
  EXPECT_EQ(gate_text(result, false).find('\x1b'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(gate_json(result)).at("new"), made.candidate.label);
}

TEST(GateSimulation, IsWrongAtTheLimitInFivePercentEitherWay) {
  for (const bool paired : {true, false})
    for (const std::size_t n : {5, 10, 30}) {
      const auto shares = bench::gate_shares(studies, n, 1.03, 1.03, paired, 20 + n);
      EXPECT_NEAR(shares.fail, 0.05, tolerance) << n << (paired ? " paired" : "");
      EXPECT_NEAR(shares.pass, 0.05, tolerance) << n << (paired ? " paired" : "");
    }
}

TEST(GateSimulation, IsHardlyEverWrongAwayFromTheLimit) {
  EXPECT_LT(bench::gate_shares(studies, 10, 1.0, 1.03, true, 31).fail, 0.02);
  EXPECT_LT(bench::gate_shares(studies, 10, 1.06, 1.03, true, 32).pass, 0.02);
}

TEST(GateSimulation, AsManyRunsAsItAsksForMostlyTell) {
  const auto shares =
      bench::gate_shares(studies / 2, 10, 1.06, 1.03, true, 33, bench::Noise::normal, true);
  EXPECT_GT(shares.decided_by_needed, 0.75);
}

TEST(GateSimulation, OccasionsThatDifferCannotBeToldFromAChangeWithoutTheirSpread) {
  constexpr double sd = 0.02;
  for (const double ratio : {1.0, 1.2})
    EXPECT_EQ(bench::occasion_shares(200, 10, ratio, 1.05, sd, std::nullopt, 41).cannot_tell, 1.0);
  // With 0 % stated, gate errs at the limit as the plain test of two results did.
  EXPECT_GT(bench::occasion_shares(studies, 10, 1.05, 1.05, sd, 0.0, 42).fail, 0.2);
}

TEST(GateSimulation, TheStatedSpreadBetweenOccasionsKeepsTheErrorRates) {
  constexpr double sd = 0.02;
  EXPECT_LE(bench::occasion_shares(studies, 10, 1.0, 1.05, sd, sd, 43).fail, 0.05);
  for (const std::size_t n : {5, 10, 30}) {
    const auto at_limit = bench::occasion_shares(studies, n, 1.05, 1.05, sd, sd, 44 + n);
    EXPECT_NEAR(at_limit.fail, 0.05, tolerance) << n;
    EXPECT_NEAR(at_limit.pass, 0.05, tolerance) << n;
  }
  EXPECT_GT(bench::occasion_shares(studies, 10, 1.2, 1.05, sd, sd, 48).fail, 0.9);
}

}  // namespace
}  // namespace prengdl
