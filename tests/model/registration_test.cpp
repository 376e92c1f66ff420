// SPDX-License-Identifier: Apache-2.0
#include "model/registration.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace prengdl {
namespace {

AnalysisPlan whole_plan() {
  AnalysisPlan plan;
  plan.compare = "framework";
  plan.within = {"model"};
  plan.without_meter = "seconds";
  plan.secondary = {"seconds", "gpu"};
  plan.test = "rank";
  plan.window = "train";
  plan.margin = 0.1;
  plan.per = "samples";
  plan.varies = {"batches"};
  plan.over = "model";
  plan.score = "accuracy";
  plan.lower_score_is_better = false;
  plan.score_margin = 0.01;
  plan.groups = {{"vision", {"resnet", "vgg"}}};
  return plan;
}

std::vector<PlanChange> changes(const AnalysisPlan& registered, const AnalysisPlan& now,
                                bool is_without_meter = false) {
  return changes_since({"", "", registered_text(registered)}, now, is_without_meter);
}

TEST(Registration, HasEveryKeyInAFixedOrderWithItsDefault) {
  EXPECT_EQ(registered_text({}),
            R"({"compare":null,"within":[],"primary":"metered","without_meter":null,)"
            R"("secondary":[],"test":"log-t","window":"run","margin":0.05,"alpha":0.05,)"
            R"("per":null,"varies":[],"over":null,"score":null,"score_better":null,)"
            R"("score_margin":null,"groups":{}})");
}

TEST(Registration, ThatIsKeptHasNoChanges) {
  EXPECT_TRUE(changes(whole_plan(), whole_plan()).empty());
  EXPECT_TRUE(changes({}, {}).empty());
}

TEST(Registration, NamesEachKeyThatChanged) {
  AnalysisPlan now = whole_plan();
  now.margin = 0.2;
  now.window = "run";
  now.per.clear();
  now.lower_score_is_better = true;
  const auto found = changes(whole_plan(), now);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].key, "window");
  EXPECT_EQ(found[0].registered, "\"train\"");
  EXPECT_EQ(found[0].now, "\"run\"");
  EXPECT_EQ(found[1].key, "margin");
  EXPECT_EQ(found[1].registered, "0.1");
  EXPECT_EQ(found[2].key, "per");
  EXPECT_EQ(found[2].now, "");
  EXPECT_EQ(found[3].now, "\"lower\"");
}

TEST(Registration, AKeyThatCameLaterHadItsDefault) {
  EXPECT_TRUE(changes_since({"", "", R"({"margin":0.05})"}, {}, false).empty());
  EXPECT_EQ(changes_since({"", "", "{}"}, whole_plan(), false).size(), 14u);
}

TEST(Registration, GoingWithoutAMeterIsNoChange) {
  AnalysisPlan now = whole_plan();
  go_without_meter(now);
  EXPECT_TRUE(changes(whole_plan(), now, true).empty());
  EXPECT_EQ(changes(whole_plan(), now, false).size(), 2u);
}

TEST(Registration, ThatWasAlteredIsAnError) {
  EXPECT_THROW(changes_since({"", "", "{"}, {}, false), Error);
  EXPECT_THROW(changes_since({"", "", R"({"margin":"much"})"}, {}, false), Error);
}

}  // namespace
}  // namespace prengdl
