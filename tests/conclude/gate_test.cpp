// SPDX-License-Identifier: Apache-2.0
#include "conclude/gate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/simulated_studies.h"
#include "print/checks.h"

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
  EXPECT_NE(result.reason.find("runs of each would probably tell"), std::string::npos);
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
    EXPECT_NE(verdict_and_reason({5}, {6}, paired).find("one run says nothing"), std::string::npos);
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
  const auto made = gate_input("old", base, "new", candidate, true);
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
  const auto loose = gate_input("old", base, "new", candidate, false, "package");
  EXPECT_EQ(loose.measures[0].base.size(), 4u);
  EXPECT_EQ(loose.measures[0].candidate.size(), 3u);
}

TEST(GateInput, KnowsModelledEnergyAndUnevenMeters) {
  const Runs base{run(0, 10), run(1, 11)};
  const Runs modelled{run(0, 10), run(1, 11, Quality::model)};
  EXPECT_TRUE(gate_input("old", base, "new", modelled, true).measures[0].modelled);
  EXPECT_TRUE(gate_input("old", base, "new", modelled, false, "package").measures[0].modelled);
  EXPECT_FALSE(gate_input("old", base, "new", modelled, true, "seconds").measures[0].modelled);
  auto uneven = base;
  uneven[1].energy.covers = {"package", "dram"};
  EXPECT_THROW(gate_input("old", uneven, "new", base, true), Error);
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
  EXPECT_NE(markdown.find("measure anew with"), std::string::npos) << markdown;
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
  EXPECT_GT(shares.told_by_needed, 0.75);
}

}  // namespace
}  // namespace prengdl
