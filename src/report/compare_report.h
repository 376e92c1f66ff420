// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/comparison.h"
#include "report/json.h"
#include "report/terminal.h"

namespace prengdl {

/// A part of the report that an option of `compare` asked for: whole-life costs, carbon, ...
struct ComparePart {
  std::string key;  // in the JSON
  Json json;
  std::string text;
};

struct CompareReport {
  std::string study;
  Findings findings;
  std::vector<std::string> factors;  // without the compared one, in the study's order
  std::vector<ComparePart> parts;
};

std::string compare_text(const CompareReport& report, const Style& style);
std::string compare_json(const CompareReport& report);  // prengdl.compare/1
std::string compare_markdown(const CompareReport& report);
std::string compare_csv(const CompareReport& report);  // a row per comparison

/// As the studies print it: per unit the mean of each level, the cheapest marked, the ratio of each
/// to the cheapest, p of the rank test and A12, for each measure.
std::string compare_as_published(const CompareReport& report, const Style& style = {});

}  // namespace prengdl
