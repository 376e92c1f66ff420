// SPDX-License-Identifier: Apache-2.0
#include "study/only.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace prengdl {
namespace {

Study study_with_factors() {
  Study study;
  study.factors = {{"framework", {"pytorch", "jax"}}, {"phase", {"train", "infer"}}};
  return study;
}

std::string hint_of(const std::string& only) {
  try {
    cell_pattern(study_with_factors(), {only});
  } catch (const UsageError& error) {
    return error.hint;
  }
  return "";
}

TEST(Only, NamesLevelsOfFactors) {
  const CellPattern expected{{"framework", "jax"}, {"phase", "train"}};
  EXPECT_EQ(cell_pattern(study_with_factors(), {"framework=jax", "phase=train"}), expected);
  EXPECT_TRUE(cell_pattern(study_with_factors(), {}).empty());
}

TEST(Only, AMistakeIsToldWithWhatWasProbablyMeant) {
  EXPECT_NE(hint_of("framwork=jax").find("Did you mean 'framework'?"), std::string::npos);
  EXPECT_NE(hint_of("framework=pytorhc").find("Did you mean 'pytorch'?"), std::string::npos);
  EXPECT_EQ(hint_of("jax"), "Write --only framework=jax.");
  EXPECT_TRUE(hint_of("phase").starts_with("Write FACTOR=LEVEL, as in --only phase=train."));
}

}  // namespace
}  // namespace prengdl
