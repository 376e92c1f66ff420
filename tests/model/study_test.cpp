// SPDX-License-Identifier: Apache-2.0
#include "model/study.h"

#include <gtest/gtest.h>

namespace prengdl {
namespace {

Study study_of(std::vector<Factor> factors) {
  Study study;
  study.name = "mine";
  study.factors = std::move(factors);
  return study;
}

TEST(StudyCells, TheLastFactorVariesFastest) {
  const auto study = study_of({{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}});
  EXPECT_EQ(
      cells_of(study),
      (std::vector<Cell>{{"1", "x"}, {"1", "y"}, {"1", "z"}, {"2", "x"}, {"2", "y"}, {"2", "z"}}));
}

TEST(StudyCells, WithoutFactorsThereIsOneCellAndWithoutLevelsNone) {
  EXPECT_EQ(cells_of(study_of({})), std::vector<Cell>{{}});
  EXPECT_TRUE(cells_of(study_of({{"a", {"1"}}, {"b", {}}})).empty());
}

TEST(StudyCells, ExclusionsTakeTheCellsThatHaveAllTheirLevels) {
  auto study = study_of({{"a", {"1", "2"}}, {"b", {"x", "y"}}});
  study.exclusions = {{{"a", "1"}, {"b", "y"}}};
  EXPECT_EQ(cells_of(study), (std::vector<Cell>{{"1", "x"}, {"2", "x"}, {"2", "y"}}));
  study.exclusions.push_back({{"a", "2"}});
  EXPECT_EQ(cells_of(study), (std::vector<Cell>{{"1", "x"}}));
}

TEST(StudyCells, APatternFitsByTheFactorsThatItNames) {
  const auto study = study_of({{"a", {"1"}}, {"b", {"x"}}});
  EXPECT_TRUE(fits(study, {}, {"1", "x"}));
  EXPECT_TRUE(fits(study, {{"b", "x"}}, {"1", "x"}));
  EXPECT_FALSE(fits(study, {{"b", "y"}}, {"1", "x"}));
  EXPECT_FALSE(fits(study, {{"c", "x"}}, {"1", "x"}));
  EXPECT_EQ(factor_index(study, "b"), 1u);
  EXPECT_EQ(factor_index(study, "c"), std::nullopt);
}

TEST(StudyCells, ACellIsNamedSoThatAShellTakesItBack) {
  const auto study = study_of({{"framework", {}}, {"model", {}}});
  EXPECT_EQ(name_of(study, {"pytorch", "ncf"}), "framework=pytorch model=ncf");
  EXPECT_EQ(name_of(study, {"a b", "it's"}), "'framework=a b' 'model=it'\\''s'");
  EXPECT_EQ(name_of(study_of({}), {}), "mine");
}

}  // namespace
}  // namespace prengdl
