// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "fake_host.h"
#include "study/study_file.h"

namespace prengdl {
namespace {

struct AnalysisFile : ::testing::Test {
  FakeHost host;
  std::vector<Factor> factors{{"framework", {"a", "b"}}, {"model", {"ncf", "gnmt"}}};

  AnalysisSection load(const std::string& text, const std::string& preset = "") {
    host.write("analysis.toml", text);
    return load_analysis(host.root() / "analysis.toml", factors, preset);
  }
  std::string refused(const std::string& text) {
    try {
      load(text);
    } catch (const UsageError& error) {
      return std::string(error.what()) + " | " + error.hint;
    }
    return "";
  }
};

TEST_F(AnalysisFile, IsReadForTheFactorsOfTheResult) {
  const auto found =
      load("[analysis]\ncompare = \"framework\"\nprimary = \"gpu\"\nmargin = 0.02\n");
  EXPECT_EQ(found.plan.compare, "framework");
  EXPECT_EQ(found.plan.within, std::vector<std::string>{"model"});
  EXPECT_EQ(found.plan.primary, "gpu");
  EXPECT_DOUBLE_EQ(found.plan.margin, 0.02);
  host.write("again.toml", found.text);
  EXPECT_DOUBLE_EQ(load_analysis(host.root() / "again.toml", factors).plan.margin, 0.02);
}

TEST_F(AnalysisFile, MayBeAWholeStudy) {
  const std::string study =
      "[study]\nruns = 3\n[factors]\nframework = [\"a\", \"b\"]\n"
      "model = [\"ncf\", \"gnmt\", \"bert\"]\n"
      "[workload]\ncommand = [\"{framework}\"]\n"
      "[analysis]\ncompare = \"framework\"\nmargin = 0.02\ngroups = { text = [\"gnmt\", \"bert\"] "
      "}\n"
      "[presets.tiny.analysis]\nmargin = 0.2\n";
  EXPECT_DOUBLE_EQ(load(study).plan.margin, 0.02);
  EXPECT_DOUBLE_EQ(load(study, "tiny").plan.margin, 0.2);
  EXPECT_DOUBLE_EQ(load(study, "of another file").plan.margin, 0.02);
  EXPECT_EQ(load(study).text.find("workload"), std::string::npos);
}

TEST_F(AnalysisFile, IsRefusedWithItsPlaceIfItDoesNotFit) {
  EXPECT_NE(refused("\n[analysis]\ncompare = \"framwork\"\n")
                .find("analysis.toml:3:11: the study has no factor 'framwork' to compare | did you "
                      "mean 'framework'?"),
            std::string::npos)
      << refused("\n[analysis]\ncompare = \"framwork\"\n");
  EXPECT_NE(refused("[analysis]\ncompare = \"model\"\nmargn = 0.1\n").find("analysis.toml:3:1: "),
            std::string::npos);
  EXPECT_NE(
      refused("[analysis]\ncompare = \"model\"\nmargin = \"big\"\n").find("analysis.toml:3:10: "),
      std::string::npos);
  EXPECT_NE(refused("[analysis]\nmargin = 0.1\n").find("does not state what it compares"),
            std::string::npos);
  EXPECT_NE(refused("[study]\nruns = 3\n").find("has no [analysis] | Write one"),
            std::string::npos);
}

}  // namespace
}  // namespace prengdl
