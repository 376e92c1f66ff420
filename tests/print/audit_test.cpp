// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "print/checks.h"

namespace prengdl {
namespace {

const std::vector<AuditFinding> findings{
    {"hardware",
     AuditSeverity::severe,
     {},
     {{"what", "GPU power"}, {"highest", 266.3}, {"share_above", INFINITY}},
     "GPU power of up to 266.3 W is beyond the stated card's 175 W",
     "find out which card"},
    {"drift",
     AuditSeverity::warning,
     {{"model", "gnmt"}, {"framework", "tensor\x1b[31mflow"}},
     {{"tau", 0.8}, {"off", std::vector<double>{-0.01, 0.02}}},
     "seconds rise by 4 % over 10 runs",
     "take turns"},
    {"drift",
     AuditSeverity::warning,
     {{"model", "ssd"}, {"framework", "pytorch"}},
     {},
     "seconds rise by 2 % over 10 runs",
     "take turns"},
    {"sampling", AuditSeverity::ok, {}, {}, "read every 1 s", ""},
};

TEST(AuditReport, JsonHasWhatProgramsRelyOn) {
  const auto json = nlohmann::json::parse(audit_json(findings));
  EXPECT_EQ(json["schema"], "prengdl.audit/2");
  EXPECT_EQ(json["worst"], "severe");
  ASSERT_EQ(json["checks"].size(), 4u);
  const auto& card = json["checks"][0];
  EXPECT_EQ(card["check"], "hardware");
  EXPECT_EQ(card["severity"], "severe");
  EXPECT_FALSE(card.contains("cell")) << "of the whole study";
  EXPECT_DOUBLE_EQ(card["evidence"]["highest"], 266.3);
  EXPECT_FALSE(card["evidence"].contains("share_above")) << "what is no number is absent";
  EXPECT_EQ(json["checks"][1]["cell"]["model"], "gnmt");
  EXPECT_EQ(json["checks"][1]["evidence"]["off"].size(), 2u);
  EXPECT_FALSE(json["checks"][3].contains("advice"));
}

TEST(AuditReport, TextAdvisesOnceForCellsInARow) {
  EXPECT_EQ(audit_text(findings, false),
            R"(severe   hardware  GPU power of up to 266.3 W is beyond the stated card's 175 W
                   -> find out which card
warning  drift     gnmt tensor\x1b[31mflow: seconds rise by 4 % over 10 runs
warning  drift     ssd pytorch: seconds rise by 2 % over 10 runs
                   -> take turns
ok       sampling  read every 1 s

4 findings: 1 severe, 2 warnings, 0 notes, 1 ok
)");
}

}  // namespace
}  // namespace prengdl
