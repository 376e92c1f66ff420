// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/parse.h"
#include "base/strings.h"

namespace prengdl {

/// The figures in tests/data/rules.csv, which tests/data/make_rules.py computed.
struct RulesReference {
  std::map<std::string, std::vector<double>> series;
  std::map<std::string, double> figures;  // by "function what figure"

  RulesReference() {
    std::ifstream file(std::string(PRENGDL_SOURCE_DIR) + "/tests/data/rules.csv");
    std::string line;
    while (std::getline(file, line)) {
      const auto cells = split(line, ',');
      if (cells[0] == "series")
        for (const auto word : words(cells[2]))
          series[std::string(cells[1])].push_back(parse_number(word).value());
      if (cells[0] == "expect")
        figures[std::string(cells[1]) + " " + std::string(cells[2]) + " " + std::string(cells[3])] =
            parse_number(cells[4]).value();
    }
  }

  /// Compares to `digits` digits.
  void expect(const std::string& what, double value, int digits = 10) const {
    ASSERT_TRUE(figures.contains(what)) << what << " is not in the reference";
    EXPECT_NEAR(value, figures.at(what), std::pow(10, -digits) * std::abs(figures.at(what)))
        << what;
  }
};

inline const RulesReference& rules_reference() {
  static const RulesReference loaded;
  return loaded;
}

}  // namespace prengdl
