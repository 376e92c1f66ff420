// SPDX-License-Identifier: Apache-2.0
//
// Against SciPy's figures in tests/data/stats.csv, which tests/data/make_stats.py computed.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>

#include "base/parse.h"
#include "base/strings.h"
#include "stats/correction.h"
#include "stats/log_ratio.h"
#include "stats/rank_tests.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

using Values = std::vector<double>;

/// One figure that SciPy gave.
struct Expected {
  std::string function, a, b, figure;
  double value{};
};

struct Reference {
  std::map<std::string, Values> samples;
  std::vector<Expected> expected;
};

const Reference& reference() {
  static const Reference loaded = [] {
    Reference made;
    std::ifstream file(std::string(PRENGDL_SOURCE_DIR) + "/tests/data/stats.csv");
    std::string line;
    while (std::getline(file, line)) {
      const auto cells = split(line, ',');
      if (cells[0] == "sample")
        for (const auto word : words(cells[2]))
          made.samples[std::string(cells[1])].push_back(parse_number(word).value());
      if (cells[0] == "expect")
        made.expected.push_back({std::string(cells[1]), std::string(cells[2]),
                                 std::string(cells[3]), std::string(cells[4]),
                                 parse_number(cells[5]).value()});
    }
    return made;
  }();
  return loaded;
}

/// Calls `figure_of` for each reference of the function and compares to ten digits.
void expect_all(const std::string& function,
                const std::function<double(const Expected&)>& figure_of, std::size_t at_least) {
  std::size_t checked = 0;
  for (const auto& one : reference().expected) {
    if (one.function != function) continue;
    ++checked;
    EXPECT_NEAR(figure_of(one), one.value, 1e-10 * std::abs(one.value))
        << one.figure << " of " << one.a << " " << one.b;
  }
  EXPECT_GE(checked, at_least) << "the reference was not found";
}

const Values& sample(const std::string& name) { return reference().samples.at(name); }

double figure(const LogRatio& ratio, const std::string& name) {
  if (name == "ratio") return ratio.ratio;
  if (name == "low") return ratio.ci95[0];
  if (name == "high") return ratio.ci95[1];
  return ratio.p;
}

TEST(Summary, AgreesWithScipy) {
  const auto figure_of = [](const Expected& one) {
    const auto summary = summarise(sample(one.a));
    const std::map<std::string, double> figures{
        {"n", static_cast<double>(summary.n)},
        {"mean", summary.mean},
        {"median", summary.median},
        {"min", summary.min},
        {"max", summary.max},
        {"sd", summary.sd.value_or(std::nan(""))},
        {"low", summary.ci95 ? (*summary.ci95)[0] : std::nan("")},
        {"high", summary.ci95 ? (*summary.ci95)[1] : std::nan("")}};
    return figures.at(one.figure);
  };
  expect_all("summary", figure_of, 60);
}

TEST(Summary, OfOneValueHasNoSpread) {
  const auto summary = summarise(Values{3});
  EXPECT_EQ(summary.mean, 3);
  EXPECT_EQ(summary.sd, std::nullopt);
  EXPECT_EQ(summary.ci95, std::nullopt);
}

TEST(Summary, OfEqualValuesIsExact) {
  const Values equal(1000, 0.1);
  const auto summary = summarise(equal);
  EXPECT_EQ(summary.mean, 0.1);
  EXPECT_EQ(summary.sd, 0);
  EXPECT_EQ((*summary.ci95)[0], 0.1);
  EXPECT_EQ((*summary.ci95)[1], 0.1);
}

TEST(Summary, RefusesAnEmptySample) {
  EXPECT_THROW(summarise({}), Error);
  EXPECT_THROW(mean({}), Error);
  EXPECT_THROW(median({}), Error);
  EXPECT_THROW(standard_deviation(Values{1}), Error);
}

TEST(StudentQuantile, AgreesWithScipy) {
  expect_all(
      "quantile",
      [](const Expected& one) {
        return student_quantile(*parse_number(one.a), *parse_number(one.b));
      },
      30);
}

TEST(LogRatio, OfPairsAgreesWithScipy) {
  expect_all(
      "paired",
      [](const Expected& one) {
        return figure(paired_log_ratio(sample(one.a), sample(one.b)).value(), one.figure);
      },
      20);
}

TEST(LogRatio, OfIndependentSamplesAgreesWithScipysWelch) {
  expect_all(
      "welch",
      [](const Expected& one) {
        return figure(unpaired_log_ratio(sample(one.a), sample(one.b)).value(), one.figure);
      },
      28);
}

TEST(LogRatio, TurnsAroundWithItsSamples) {
  for (const auto& compare : {paired_log_ratio, unpaired_log_ratio}) {
    const auto there = compare(sample("a10"), sample("b10"), {}).value();
    const auto back = compare(sample("b10"), sample("a10"), {}).value();
    EXPECT_NEAR(there.ratio * back.ratio, 1, 1e-12);
    EXPECT_NEAR(there.ci95[0] * back.ci95[1], 1, 1e-12);
    EXPECT_NEAR(there.p, back.p, 1e-12);
  }
}

TEST(LogRatio, SaysWhetherItIsPaired) {
  EXPECT_TRUE(paired_log_ratio(sample("a5"), sample("b5"))->paired);
  EXPECT_FALSE(unpaired_log_ratio(sample("a5"), sample("b5"))->paired);
}

TEST(LogRatio, RefusesWhatHasNoRatio) {
  EXPECT_FALSE(paired_log_ratio(Values{1, 2}, Values{1, 2, 3}));
  EXPECT_FALSE(paired_log_ratio(Values{1}, Values{2}));
  EXPECT_FALSE(paired_log_ratio(Values{}, Values{}));
  EXPECT_FALSE(paired_log_ratio(Values{1, 0}, Values{1, 2}));
  EXPECT_FALSE(paired_log_ratio(Values{1, 1}, Values{2, 2}));
  EXPECT_FALSE(unpaired_log_ratio(Values{1, 1}, Values{2, 2}));
  EXPECT_FALSE(paired_log_ratio(Values{1, 2}, Values{-1, 2}));
  EXPECT_FALSE(unpaired_log_ratio(Values{1}, Values{1, 2}));
  EXPECT_FALSE(unpaired_log_ratio(Values{1, 2}, Values{1}));
  EXPECT_FALSE(unpaired_log_ratio(Values{1, std::nan("")}, Values{1, 2}));
}

TEST(SignedRank, AgreesWithScipyWithAndWithoutTies) {
  const auto figure_of = [](const Expected& one) {
    const auto test = signed_rank(sample(one.a), sample(one.b)).value();
    if (one.figure == "is_exact") return test.test == "signed-rank, exact" ? 1.0 : 0.0;
    return test.p;
  };
  expect_all("signed_rank", figure_of, 44);
}

TEST(SignedRank, DropsPairsWithoutADifference) {
  const Values a{1, 2, 3, 4, 9, 9};
  const Values b{0, 0, 0, 0, 9, 9};
  EXPECT_DOUBLE_EQ(signed_rank(a, b)->p, 2.0 / 16);
}

TEST(SignedRank, OfEqualSamplesIsOne) {
  EXPECT_EQ(signed_rank(Values{1, 2, 3}, Values{1, 2, 3})->p, 1);
  EXPECT_EQ(signed_rank(Values{}, Values{})->p, 1);
  EXPECT_DOUBLE_EQ(signed_rank(Values{1, 2}, Values{2, 1})->p, 1);
}

TEST(SignedRank, RefusesSamplesOfUnequalSize) {
  EXPECT_FALSE(signed_rank(Values{1, 2}, Values{1}));
}

TEST(SignedRank, HasItsSmallestPWhereAllSignsAgree) {
  for (const std::size_t n : {1, 2, 3, 10, 50, 199, 200}) {
    Values a(n);
    for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<double>(i + 1);
    const auto p = signed_rank(a, Values(n, 0.0))->p;
    ASSERT_NEAR(p, std::ldexp(1.0, 1 - static_cast<int>(n)), 1e-12 * p) << n << " pairs";
  }
}

TEST(A12, AgreesWithMannAndWhitneysU) {
  expect_all(
      "a12", [](const Expected& one) { return a12(sample(one.a), sample(one.b)); }, 20);
}

TEST(A12, IsTheChanceThatTheFirstIsLarger) {
  EXPECT_EQ(a12(Values{2, 3}, Values{0, 1}), 1);
  EXPECT_EQ(a12(Values{0, 1}, Values{2, 3}), 0);
  EXPECT_EQ(a12(Values{1, 2}, Values{1, 2}), 0.5);
  EXPECT_EQ(a12(Values{1}, Values{1, 0, 0, 2}), 0.625);
  EXPECT_THROW(a12(Values{}, Values{1}), Error);
  EXPECT_THROW(a12(Values{1}, Values{}), Error);
}

TEST(Holm, AgreesWithTheDefinition) {
  expect_all(
      "holm",
      [](const Expected& one) {
        return holm(sample(one.a)).at(static_cast<std::size_t>(*parse_integer(one.figure)));
      },
      12);
}

TEST(Holm, AgreesWithR) {
  // p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")
  const auto corrected = holm(Values{0.01, 0.02, 0.03, 0.04, 0.05});
  const Values expected{0.05, 0.08, 0.09, 0.09, 0.09};
  ASSERT_EQ(corrected.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(corrected[i], expected[i], 1e-12);
}

TEST(Holm, KeepsTheOrderAndNeverExceedsOne) {
  EXPECT_TRUE(holm({}).empty());
  EXPECT_EQ(holm(Values{0.7, 0.6, 0.9}), (Values{1, 1, 1}));
  const auto corrected = holm(Values{0.5, 0.001, 0.2});
  EXPECT_DOUBLE_EQ(corrected[1], 0.003);
  EXPECT_DOUBLE_EQ(corrected[2], 0.4);
  EXPECT_DOUBLE_EQ(corrected[0], 0.5);
}

}  // namespace
}  // namespace prengdl
