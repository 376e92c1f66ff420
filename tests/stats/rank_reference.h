// SPDX-License-Identifier: Apache-2.0
//
// The figures of R, SciPy and exact counting in tests/data/ranks.csv, which
// tests/data/make_ranks.py and make_ranks.R computed.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/parse.h"
#include "base/strings.h"
#include "stats/tails.h"

namespace prengdl {

using Values = std::vector<double>;

struct RankReference {
  /// One figure, e.g. the p "two_sided" of the function "rank_sum" of the samples "x3 y3".
  struct Expected {
    std::string function;
    std::vector<std::string> samples;
    std::string argument, figure;
    double value{};
    std::string source;
  };
  std::map<std::string, Values> samples;
  std::vector<Expected> expected;
};

inline const RankReference& rank_reference() {
  static const RankReference loaded = [] {
    RankReference made;
    std::ifstream file(std::string(PRENGDL_SOURCE_DIR) + "/tests/data/ranks.csv");
    std::string line;
    while (std::getline(file, line)) {
      const auto cells = split(line, ',');
      if (cells[0] == "sample")
        for (const auto word : words(cells[2]))
          made.samples[std::string(cells[1])].push_back(parse_number(word).value());
      if (cells[0] != "expect") continue;
      RankReference::Expected one{std::string(cells[1]),          {},
                                  std::string(cells[3]),          std::string(cells[4]),
                                  parse_number(cells[5]).value(), std::string(cells[6])};
      for (const auto word : words(cells[2])) one.samples.emplace_back(word);
      made.expected.push_back(std::move(one));
    }
    return made;
  }();
  return loaded;
}

inline const Values& rank_sample(const std::string& name) {
  return rank_reference().samples.at(name);
}

using RankFigures = std::map<std::string, double>;

/// Calls `figures_of` for each line of the function and compares to ten digits.
inline void expect_reference(
    const std::string& function, std::size_t at_least,
    const std::function<RankFigures(const RankReference::Expected&)>& figures_of) {
  std::size_t checked = 0;
  std::string last;
  RankFigures figures;
  for (const auto& one : rank_reference().expected) {
    if (one.function != function) continue;
    ++checked;
    std::string of = function;
    for (const auto& sample : one.samples) of += " " + sample;
    // The lines of one call follow each other, and some calls take milliseconds.
    if (std::exchange(last, of + one.argument) != of + one.argument) figures = figures_of(one);
    const auto figure = figures.find(one.figure);
    ASSERT_NE(figure, figures.end()) << one.figure << " of " << of << " is absent";
    EXPECT_NEAR(figure->second, one.value, 1e-10 * std::abs(one.value))
        << one.figure << " of " << of << " " << one.argument << ", by " << one.source;
  }
  EXPECT_GE(checked, at_least) << "the reference was not found";
}

/// The p of all three alternatives under the names that the reference has.
template <class Test>
RankFigures all_p(const Test& test) {
  return {{"two_sided", test(Alternative::two_sided).p},
          {"less", test(Alternative::less).p},
          {"greater", test(Alternative::greater).p}};
}

}  // namespace prengdl
