// SPDX-License-Identifier: Apache-2.0
//
// Against the figures of R and SciPy in tests/data/models.csv, which make_models.py and
// make_models.R computed there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>

#include "base/parse.h"
#include "base/strings.h"
#include "stats/anova.h"
#include "stats/equivalence.h"
#include "stats/group_ratio.h"
#include "stats/log_ratio.h"
#include "stats/mixed.h"
#include "stats/normality.h"
#include "stats/residual_checks.h"
#include "stats/spread_tests.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

using Values = std::vector<double>;

struct Expected {
  std::string function, a, b, figure;
  double value{};
};

struct Reference {
  std::map<std::string, Values> samples;
  std::map<std::string, FactorialData> designs;
  std::vector<Expected> expected;
};

std::vector<std::size_t> whole_numbers(std::string_view text) {
  std::vector<std::size_t> result;
  for (const auto word : words(text))
    result.push_back(static_cast<std::size_t>(parse_integer(word).value()));
  return result;
}

FactorialData empty_design(std::string_view factors, std::string_view groupings) {
  FactorialData design;
  for (const auto word : words(factors)) {
    const auto parts = split(word, '=');
    VariedFactor factor;
    factor.name = parts[0];
    for (int level = 0; level < parse_integer(parts[1]).value(); ++level)
      factor.levels.push_back(std::to_string(level));
    design.factors.push_back(factor);
  }
  for (const auto word : words(groupings)) design.groupings.emplace_back(word);
  return design;
}

const Reference& reference() {
  static const Reference loaded = [] {
    Reference made;
    std::ifstream file(std::string(PRENGDL_SOURCE_DIR) + "/tests/data/models.csv");
    std::string line;
    while (std::getline(file, line)) {
      const auto cells = split(line, ',');
      if (cells[0] == "sample")
        for (const auto word : words(cells[2]))
          made.samples[std::string(cells[1])].push_back(parse_number(word).value());
      if (cells[0] == "design")
        made.designs[std::string(cells[1])] = empty_design(cells[2], cells[3]);
      if (cells[0] == "run")
        made.designs[std::string(cells[1])].runs.push_back(
            {whole_numbers(cells[2]), whole_numbers(cells[3]), parse_number(cells[4]).value()});
      if (cells[0] == "expect")
        made.expected.push_back({std::string(cells[1]), std::string(cells[2]),
                                 std::string(cells[3]), std::string(cells[4]),
                                 parse_number(cells[5]).value()});
    }
    return made;
  }();
  return loaded;
}

const Values& sample(const std::string& name) { return reference().samples.at(name); }
const FactorialData& design(const std::string& name) { return reference().designs.at(name); }

/// Calls `figure_of` for each reference whose function starts with this word, and compares to ten
/// digits, or to as many as `tolerance` says.
void expect_all(
    const std::string& function, const std::function<double(const Expected&)>& figure_of,
    std::size_t at_least,
    const std::function<double(const Expected&)>& tolerance = [](const Expected&) {
      return 1e-10;
    }) {
  std::size_t checked = 0;
  for (const auto& one : reference().expected) {
    if (words(one.function)[0] != function) continue;
    ++checked;
    EXPECT_NEAR(figure_of(one), one.value, tolerance(one) * std::abs(one.value))
        << one.function << ": " << one.figure << " of " << one.a << " " << one.b;
  }
  EXPECT_GE(checked, at_least) << "the reference was not found";
}

/// The number after a function's name: "interval 0.9".
double number_after(const std::string& text) { return parse_number(words(text)[1]).value(); }

std::vector<Values> samples_of(const std::string& names) {
  std::vector<Values> result;
  for (const auto name : words(names)) result.push_back(sample(std::string(name)));
  return result;
}

LogRatio ratio_of(const Expected& one) {
  const auto& a = sample("a" + one.b);
  const auto& b = sample("b" + one.b);
  return (one.a == "paired" ? paired_log_ratio(a, b) : unpaired_log_ratio(a, b)).value();
}

TEST(LogRatioLevels, AgreeWithR) {
  expect_all(
      "interval",
      [](const Expected& one) {
        const auto interval = interval_of(ratio_of(one), number_after(one.function));
        return interval[one.figure == "low" ? 0 : 1];
      },
      80);
}

TEST(LogRatioLevels, CarryErrorAndFreedomAsR) {
  expect_all(
      "log_ratio",
      [](const Expected& one) {
        const auto ratio = ratio_of(one);
        return one.figure == "error"     ? ratio.standard_error
               : one.figure == "freedom" ? ratio.freedom
                                         : ratio.p;
      },
      30);
}

TEST(LogRatioLevels, RefuseAConfidenceOutsideOfZeroToOne) {
  const LogRatio ratio{.freedom = 5};
  for (const double wrong : {0.0, 1.0, 95.0, -1.0, std::nan("")})
    EXPECT_THROW(interval_of(ratio, wrong), Error) << wrong;
}

TEST(Equivalence, AgreesWithRsOneSidedTests) {
  expect_all(
      "equivalence",
      [](const Expected& one) {
        const double margin = number_after(one.function);
        const auto& a = sample("a" + one.b);
        const auto& b = sample("b" + one.b);
        const auto test = (one.a == "paired" ? paired_equivalence(a, b, margin)
                                             : unpaired_equivalence(a, b, margin))
                              .value();
        return one.figure == "p_below"   ? test.p_below
               : one.figure == "p_above" ? test.p_above
               : one.figure == "low"     ? test.interval[0]
               : one.figure == "high"    ? test.interval[1]
                                         : test.p;
      },
      150);
}

TEST(Equivalence, IsTheIntervalWithinTheBounds) {
  for (const auto& n : {"3", "8", "30", "1000"})
    for (const double margin : {0.001, 0.01, 0.03, 0.1, 0.5}) {
      const auto test =
          paired_equivalence(sample("a" + std::string(n)), sample("b" + std::string(n)), margin)
              .value();
      EXPECT_DOUBLE_EQ(test.bounds[0] * test.bounds[1], 1);
      EXPECT_EQ(test.equivalent,
                test.interval[0] > test.bounds[0] && test.interval[1] < test.bounds[1])
          << n << " pairs, margin " << margin;
    }
}

TEST(Equivalence, RefusesWhatItCannotJudge) {
  const Values a{1, 2, 3};
  const Values b{1.1, 2, 2.9};
  EXPECT_FALSE(paired_equivalence(a, a, 0.05)) << "no spread";
  EXPECT_FALSE(paired_equivalence(a, b, 0));
  EXPECT_FALSE(paired_equivalence(a, b, INFINITY));
  EXPECT_FALSE(paired_equivalence(a, b, 0.05, 0.5));
  EXPECT_FALSE(paired_equivalence(a, Values{1}, 0.05));
  EXPECT_FALSE(unpaired_equivalence(a, Values{1}, 0.05));
}

TEST(GroupRatio, OverUnitsAgreesWithRsWeightedRegression) {
  expect_all(
      "over_units",
      [](const Expected& one) {
        const auto weights = one.b.empty() ? Values{} : sample(one.b);
        const auto ratio = ratio_over_cases(sample(one.a), weights).value();
        return one.figure == "ratio"   ? ratio.ratio
               : one.figure == "error" ? ratio.standard_error
               : one.figure == "p"     ? ratio.p
                                       : ratio.ci95[one.figure == "low" ? 0 : 1];
      },
      10);
}

TEST(GroupRatio, OfOneUnitIsThatUnit) {
  const auto unit = paired_log_ratio(sample("a8"), sample("b8")).value();
  const auto group = ratio_of_these_cases(std::vector{unit}).value();
  EXPECT_DOUBLE_EQ(group.ratio, unit.ratio);
  EXPECT_DOUBLE_EQ(group.freedom, unit.freedom);
  EXPECT_DOUBLE_EQ(group.ci95[1], unit.ci95[1]);
  EXPECT_TRUE(group.paired);
}

TEST(GroupRatio, OfTheseUnitsIsWelchsWhereUnitsAreSamples) {
  // Welch's t compares two means; as two "cases" of weight one half it is the same sum of errors.
  const auto unit_of = [](const Values& values) {
    const auto logs = logs_of(values).value();
    const auto n = static_cast<double>(logs.size());
    LogRatio unit;
    unit.ratio = std::exp(mean(logs));
    unit.standard_error = standard_deviation(logs) / std::sqrt(n);
    unit.freedom = n - 1;
    return unit;
  };
  auto other = unit_of(sample("b30"));
  other.ratio = 1 / other.ratio;
  const auto group = ratio_of_these_cases(std::vector{unit_of(sample("a8")), other}).value();
  const auto welch = unpaired_log_ratio(sample("a8"), sample("b30")).value();
  EXPECT_NEAR(group.ratio * group.ratio, welch.ratio, 1e-12);
  EXPECT_NEAR(group.freedom, welch.freedom, 1e-10);
  EXPECT_NEAR(group.p, welch.p, 1e-12);
}

TEST(GroupRatio, TakesWeightsAsSharesAndRefusesWrongOnes) {
  const Values ratios{1, 2};
  EXPECT_NEAR(ratio_over_cases(ratios, Values{1, 3})->ratio, std::pow(2, 0.75), 1e-14);
  EXPECT_FALSE(ratio_over_cases(ratios, Values{1}));
  EXPECT_FALSE(ratio_over_cases(ratios, Values{1, 0}));
  EXPECT_FALSE(ratio_over_cases(Values{1}));
  EXPECT_FALSE(ratio_of_these_cases({}));
}

TEST(ShapiroWilk, AgreesWithRAndScipy) {
  expect_all(
      "shapiro",
      [](const Expected& one) {
        const auto test = shapiro_wilk(sample(one.a)).value();
        return one.figure == "w" ? test.w : test.p;
      },
      130,
      // SciPy's normal quantiles are Beasley and Springer's (1977), of some seven digits. With two
      // equal values of three p is 0, and rounding leaves SciPy 8e-16.
      [](const Expected& one) {
        if (one.b == "R") return 1e-10;
        return one.value < 1e-15 ? 1.0 : 1e-5;
      });
}

TEST(ShapiroWilk, DoesNotDependOnUnitsOrOrder) {
  const auto test = shapiro_wilk(sample("skewed20")).value();
  Values other = sample("skewed20");
  for (double& value : other) value = 1e-9 * value;
  std::reverse(other.begin(), other.end());
  EXPECT_NEAR(shapiro_wilk(other)->p, test.p, 1e-9 * test.p);
}

TEST(ShapiroWilk, RefusesWhatHasNoShape) {
  EXPECT_FALSE(shapiro_wilk(Values{1, 2}));
  EXPECT_FALSE(shapiro_wilk(Values(10, 3.0)));
  EXPECT_FALSE(shapiro_wilk(Values{1, 2, std::nan("")}));
  EXPECT_FALSE(shapiro_wilk(Values(5001, 1.0)));
}

double figure(const SpreadTest& test, const std::string& name) {
  return name == "statistic" ? test.statistic : name == "within" ? test.within : test.p;
}

TEST(SpreadTests, AgreeWithRAndScipy) {
  expect_all(
      "brown_forsythe",
      [](const Expected& one) {
        return figure(brown_forsythe(samples_of(one.a)).value(), one.figure);
      },
      25);
  expect_all(
      "bartlett",
      [](const Expected& one) { return figure(bartlett(samples_of(one.a)).value(), one.figure); },
      20);
}

TEST(SpreadTests, RefuseSamplesWithoutSpread) {
  const Values flat{2, 2, 2};
  const Values uneven{1, 2, 4};
  EXPECT_FALSE(brown_forsythe(std::vector<Values>{flat, flat}));
  EXPECT_FALSE(brown_forsythe(std::vector<Values>{uneven}));
  EXPECT_FALSE(brown_forsythe(std::vector<Values>{uneven, Values{1, 2}}));
  EXPECT_FALSE(bartlett(std::vector<Values>{flat, uneven}));
}

// Analysis of variance ------------------------------------------------------------------------

AnovaOptions options_of(const std::string& text) {
  const auto parts = words(text);
  return {.logs = parts[0] == "logs", .order = static_cast<std::size_t>(*parse_integer(parts[1]))};
}

/// A figure by R's name for it: "a:b ss", "error block df", "a mean 1".
std::optional<double> figure(const Anova& table, const std::string& name) {
  const auto parts = words(name);
  if (name == "total") return table.total;
  if (parts[0] == "error") {
    for (const auto& stratum : table.strata)
      if (stratum.name == parts[1])
        return parts[2] == "df" ? stratum.freedom : stratum.sum_of_squares;
    return std::nullopt;
  }
  for (const auto& term : table.terms) {
    if (term.name != parts[0]) continue;
    if (parts[1] == "df") return term.freedom;
    if (parts[1] == "ss") return term.sum_of_squares;
    if (parts[1] == "share") return term.share;
    if (parts[1] == "F") return term.f;
    if (parts[1] == "p") return term.p;
    const auto level = static_cast<std::size_t>(*parse_integer(parts[2]));
    return parts[1] == "mean" ? term.means.at(level) : term.effects.at(level);
  }
  return std::nullopt;
}

TEST(AnovaTable, AgreesWithRsAovAndItsErrorStrata) {
  std::map<std::string, Anova> tables;
  const auto table_of = [&](const Expected& one) -> const Anova& {
    const auto key = one.a + " " + one.b;
    if (!tables.contains(key)) tables[key] = anova(design(one.a), options_of(one.b)).value();
    return tables.at(key);
  };
  std::size_t checked = 0;
  for (const auto& one : reference().expected) {
    if (one.function != "anova") continue;
    const auto& table = table_of(one);
    const auto ours = figure(table, one.figure);
    ASSERT_TRUE(ours) << one.figure << " of " << one.a << " " << one.b;
    ++checked;
    // A sum of squares far below the total has lost digits in R's rotations as well as in our
    // means: both agree to 1e-10 of it, or 1e-14 of the total.
    const auto last = words(one.figure).back();
    double allowed = 1e-10 * std::abs(one.value);
    if (last == "ss") allowed += 1e-14 * table.total;
    if (last == "share") allowed += 1e-14;
    if (last == "0" || last == "1" || last == "2") allowed += 1e-14 * std::abs(table.mean);
    EXPECT_NEAR(*ours, one.value, allowed) << one.figure << " of " << one.a << " " << one.b;
  }
  EXPECT_GE(checked, 700u);
}

TEST(AnovaTable, SharesSumToOne) {
  for (const auto& [name, data] : reference().designs)
    for (const std::size_t order : {1, 2, 4}) {
      const auto table = anova(data, {.order = order}).value();
      double sum = 0;
      for (const auto& term : table.terms) sum += term.share;
      for (const auto& stratum : table.strata) sum += stratum.share;
      EXPECT_NEAR(sum, 1, 1e-12) << name << " to order " << order;
    }
}

TEST(AnovaTable, OfOneRunPerCellHasNoPButShares) {
  const auto table = anova(design("single"), {.order = 2}).value();
  ASSERT_EQ(table.terms.size(), 3u);
  for (const auto& term : table.terms) {
    EXPECT_GT(term.share, 0);
    EXPECT_EQ(term.p, std::nullopt);
  }
  EXPECT_EQ(table.strata.back().mean_square, std::nullopt);
  EXPECT_TRUE(anova(design("single"), {.order = 1})->terms[0].p) << "the interaction is error now";
}

TEST(AnovaTable, GivesAFactorThatWasNotRandomisedAShareAndNoP) {
  auto data = design("two");
  data.factors[0].randomised = false;
  const auto table = anova(data).value();
  EXPECT_EQ(table.terms[0].p, std::nullopt);
  EXPECT_EQ(table.terms[0].f, std::nullopt);
  EXPECT_DOUBLE_EQ(table.terms[0].share, anova(design("two"))->terms[0].share);
  EXPECT_TRUE(table.terms[1].p);
  EXPECT_TRUE(table.terms[2].p) << "b was randomised at each level of a";
  data.factors[1].randomised = false;
  EXPECT_EQ(anova(data)->terms[2].p, std::nullopt);
}

TEST(AnovaTable, HoldsAFactorBetweenBlocksAgainstTheBlocks) {
  const auto table = anova(design("split")).value();
  EXPECT_EQ(table.strata[table.terms[0].stratum].name, "block");
  EXPECT_EQ(table.strata[table.terms[1].stratum].name, "run");
  EXPECT_EQ(table.strata[table.terms[2].stratum].name, "run");
}

TEST(AnovaTable, NamesTheCellThatIsMissingOrShort) {
  auto data = design("two");
  data.runs.erase(std::remove_if(data.runs.begin(), data.runs.end(),
                                 [](const FactorialRun& run) {
                                   return run.levels == std::vector<std::size_t>{1, 2};
                                 }),
                  data.runs.end());
  const auto missing = anova(data);
  ASSERT_FALSE(missing);
  EXPECT_EQ(std::string(missing.error().what()),
            "unbalanced: cell a=1, b=2 has 0 of 2 runs (it alone)");
  data = design("two");
  const auto lost = data.runs.back().levels;
  data.runs.pop_back();
  const auto one_short = anova(data);
  ASSERT_FALSE(one_short);
  EXPECT_NE(std::string(one_short.error().what()).find("1 of 2 runs (it alone)"), std::string::npos)
      << one_short.error().what();
}

TEST(AnovaTable, RefusesTermsThatAreHalfInTheBlocks) {
  // Level 1 of a in three of four runs of the one block, in one of four of the other.
  FactorialData data = empty_design("a=2", "block");
  const std::vector<std::size_t> levels{1, 1, 1, 0, 1, 0, 0, 0};
  for (std::size_t i = 0; i < levels.size(); ++i)
    data.runs.push_back({{levels[i]}, {i / 4}, 10.0 + static_cast<double>(i * i)});
  const auto table = anova(data);
  ASSERT_FALSE(table);
  EXPECT_EQ(std::string(table.error().what()), "a is partly confounded with the groups of block");
}

TEST(AnovaTable, RefusesWhatItCannotAnalyse) {
  FactorialData data = empty_design("a=2", "");
  EXPECT_FALSE(anova(data)) << "no runs";
  data.runs = {{{0}, {}, 1}, {{1}, {}, 0}};
  EXPECT_FALSE(anova(data)) << "no logarithm of zero";
  EXPECT_TRUE(anova(data, {.logs = false}));
  EXPECT_FALSE(anova(data, {.logs = false, .order = 0}));
  data.runs[1].value = 1;
  EXPECT_FALSE(anova(data)) << "no variation";
  data.runs[1].value = std::nan("");
  EXPECT_FALSE(anova(data, {.logs = false}));
  data.runs[1] = {{2}, {}, 1};
  EXPECT_FALSE(anova(data)) << "no such level";
  data.runs[1] = {{}, {}, 1};
  EXPECT_FALSE(anova(data)) << "no level";
  EXPECT_FALSE(anova(empty_design("a=1", ""))) << "one level";
  EXPECT_FALSE(anova(empty_design("", ""))) << "no factor";
  EXPECT_FALSE(anova(empty_design("a=100000 b=100000 c=100000", ""))) << "too many cells";
}

TEST(ResidualChecks, AgreeWithR) {
  std::map<std::string, ResidualChecks> made;
  expect_all(
      "checks",
      [&](const Expected& one) {
        if (one.figure == "gain") return scale_advice(design(one.a), options_of(one.b))->gain;
        const auto key = one.a + " " + one.b;
        if (!made.contains(key))
          made[key] = residual_checks(design(one.a), options_of(one.b)).value();
        const auto& checks = made.at(key);
        if (one.figure == "normality_w") return checks.normality.value().w;
        if (one.figure == "normality_p") return checks.normality.value().p;
        if (one.figure == "additivity_f") return checks.additivity.value().f;
        if (one.figure == "additivity_p") return checks.additivity.value().p;
        if (one.figure == "additivity_freedom") return checks.additivity.value().freedom;
        if (one.figure == "spread_statistic") return checks.spread.value().statistic;
        return checks.spread.value().p;
      },
      300);
}

TEST(ResidualChecks, AdviseLogsWhereEffectsAndErrorsAreFactors) {
  const auto factors = scale_advice(design("many")).value();
  EXPECT_EQ(factors.better, Scale::logs);
  EXPECT_GT(factors.largest_over_smallest, 5);
  auto sums = design("many");  // what were factors become summands
  for (auto& run : sums.runs) run.value = 20 + std::log(run.value);
  EXPECT_NE(scale_advice(sums)->better, Scale::logs);
  EXPECT_EQ(scale_advice(design("wide"))->better, Scale::either);
}

TEST(ResidualChecks, LeaveOutWhatTheDataAreTooFewFor) {
  const auto checks = residual_checks(design("single"), {.order = 2}).value();
  EXPECT_FALSE(checks.normality) << "no residuals";
  EXPECT_FALSE(checks.spread) << "one run a cell";
  EXPECT_TRUE(checks.additivity) << "Tukey's degree of freedom was made for this";
  EXPECT_FALSE(scale_advice(design("single"), {.order = 2}));
  EXPECT_FALSE(residual_checks(design("quiet"), {})->spread) << "groups of two";
  EXPECT_FALSE(residual_checks(design("one"), {})->additivity) << "one factor adds to nothing";
}

// Mixed models ----------------------------------------------------------------------------------

double figure(const MixedModel& model, const std::string& name) {
  const auto parts = words(name);
  if (parts[0] == "component") {
    for (const auto& component : model.components)
      if (component.name == parts[1]) return component.variance;
    throw Error("no component " + name);
  }
  for (std::size_t f = 0; f < model.factors.size(); ++f) {
    const auto& factor = model.factors[f];
    if (factor.name != parts[0]) continue;
    const auto& first = factor.ratios.at(0);
    if (parts[1] == "ratio") return first.ratio.ratio;
    if (parts[1] == "error") return first.ratio.standard_error;
    if (parts[1] == "freedom") return first.ratio.freedom;
    if (parts[1] == "low") return first.interval[0];
    if (parts[1] == "high") return first.interval[1];
    if (parts[1] == "F") return model.tests.at(f).f;
    if (parts[1] == "p") return model.tests.at(f).p;
    if (parts[1] == "mean") return factor.means.at(0).value;
    if (parts[1] == "mean_error") return factor.means.at(0).standard_error;
  }
  throw Error("no figure " + name);
}

TEST(MixedModel, AgreesWithRsAovAndLmer) {
  std::size_t checked = 0;
  for (const auto& one : reference().expected) {
    if (one.function != "mixed") continue;
    ++checked;
    const auto model = mixed_model(design(one.a)).value();
    // lmer looks for the maximum step by step, and its deviance is flat there: half the digits.
    double allowed = (one.b == "lmer" ? 1e-5 : 1e-10) * std::abs(one.value);
    if (one.b == "lmer")
      allowed += 1e-6 * model.components.back().variance;
    else if (one.figure.starts_with("component"))
      allowed += 1e-14;
    EXPECT_NEAR(figure(model, one.figure), one.value, allowed)
        << one.figure << " of " << one.a << " by " << one.b;
  }
  EXPECT_GE(checked, 190u);
}

TEST(MixedModel, SetsANegativeComponentToZeroAndSaysSo) {
  const auto flags = [](const std::string& name) {
    std::string result;
    const auto model = mixed_model(design(name)).value();
    for (const auto& component : model.components)
      result += component.set_to_zero ? component.name + " " : "";
    return result;
  };
  EXPECT_EQ(flags("machines"), "");
  EXPECT_EQ(flags("evenblocks"), "block ");
  EXPECT_EQ(flags("evenboth"), "block ");
  EXPECT_EQ(flags("evenmachines"), "machine ");
}

TEST(MixedModel, OfTwoLevelsInBlocksIsThePairedT) {
  FactorialData data = empty_design("framework=2", "block");
  const auto& a = sample("a30");
  const auto& b = sample("b30");
  for (std::size_t i = 0; i < a.size(); ++i) {
    data.runs.push_back({{0}, {i}, a[i]});
    data.runs.push_back({{1}, {i}, b[i]});
  }
  const auto model = mixed_model(data).value();
  const auto paired = paired_log_ratio(a, b).value();
  const auto& ratio = model.factors[0].ratios[0].ratio;
  EXPECT_NEAR(ratio.ratio, paired.ratio, 1e-12);
  EXPECT_NEAR(ratio.ci95[0], paired.ci95[0], 1e-11);
  EXPECT_NEAR(ratio.p, paired.p, 1e-10);
  EXPECT_NEAR(model.tests[0].p, paired.p, 1e-10);
}

TEST(MixedModel, LeavesOutASingleMachine) {
  auto data = design("blocks");
  data.groupings = {"machine", "block"};
  for (auto& run : data.runs) run.groups.insert(run.groups.begin(), 7);
  const auto model = mixed_model(data).value();
  ASSERT_EQ(model.components.size(), 2u);
  EXPECT_EQ(model.components[0].name, "block");
  EXPECT_DOUBLE_EQ(model.components[0].variance,
                   mixed_model(design("blocks"))->components[0].variance);
}

TEST(MixedModel, WithoutGroupsIsTheAnalysisOfVariance) {
  const auto model = mixed_model(design("two")).value();
  const auto table = anova(design("two")).value();
  ASSERT_EQ(model.tests.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(model.tests[i].p, *table.terms[i].p);
  EXPECT_EQ(model.components.size(), 1u);
  EXPECT_EQ(model.components[0].share, 1);
}

TEST(MixedModel, GivesNeitherTestNorRatioWithoutRandomisation) {
  auto data = design("blocks");
  data.factors[1].randomised = false;
  const auto model = mixed_model(data).value();
  EXPECT_TRUE(model.factors[1].ratios.empty());
  EXPECT_EQ(model.factors[1].means.size(), 3u);
  EXPECT_EQ(model.tests[0].name, "a");
  EXPECT_EQ(model.tests[1].name, "c");
}

TEST(MixedModel, RefusesWhatItCannotFit) {
  EXPECT_FALSE(mixed_model(design("two"), {.confidence = 95}));
  EXPECT_FALSE(mixed_model(design("single"))) << "no error left";
  auto data = design("split");
  for (auto& run : data.runs) run.groups[0] = run.levels[0];  // one block for each level
  const auto used_up = mixed_model(data);
  ASSERT_FALSE(used_up);
  EXPECT_EQ(std::string(used_up.error().what()),
            "nothing is left to estimate the spread between blocks");
  data = design("blocks");
  for (auto& run : data.runs) run.groups[0] = run.groups[0] == 2 ? 1 : run.groups[0];
  EXPECT_FALSE(mixed_model(data)) << "one block twice as large";
}

}  // namespace
}  // namespace prengdl
