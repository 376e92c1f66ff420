// SPDX-License-Identifier: Apache-2.0
#include "print/shown_names.h"

#include <gtest/gtest.h>

#include "print/compare.h"

namespace prengdl {
namespace {

const std::string a = "/usr/bin/python3 train.py --fast", b = "/usr/bin/python3 train.py --slow";

Analysis two_commands() {
  Analysis analysis;
  auto& findings = analysis.findings.value.emplace();
  findings.compare = "command";
  findings.levels = {a, b};
  findings.families = {{"seconds", true, 1}};
  Comparison one;
  one.measure = "seconds";
  one.is_primary = true;
  one.pair = {a, b};
  one.levels[0] = {a, 3, 1, 1, {}, 1.0};
  one.levels[1] = {b, 3, 2, 2, {}, 2.0};
  one.n = 3;
  one.winner = a;
  one.verdict = Verdict::less;
  findings.comparisons = {one};
  analysis.energy_time.value.emplace();
  return analysis;
}

Study command_study() {
  Study study;
  study.name = "measure";
  study.factors = {{"command", {a, b}}};
  study.analysis.compare = "command";
  return study;
}

TEST(ShownNames, ShortenTextAndLeaveDataAlone) {
  const Study study = command_study();
  const Analysis analysis = two_commands();
  const auto names = ShownNames::of_study(study);
  const auto shown = compare_report(as_shown(analysis, names), study, {}, {}, {});
  const auto full = compare_report(analysis, study, {}, {}, {});
  const std::string text = compare_text(shown, {});
  EXPECT_EQ(text.find("/usr/bin"), std::string::npos) << text;
  EXPECT_NE(text.find("python3 train.py --fast took 50 % less time"), std::string::npos) << text;
  EXPECT_NE(compare_json(full).find(a), std::string::npos);
  EXPECT_NE(compare_csv(full).find(b), std::string::npos);
}

TEST(ShownNames, OfLongOnesAreCutAndStayDifferent) {
  const std::string x(100, 'x');
  const auto names = ShownNames::of_long({x + "1", x + "2", "short", x + "1"});
  ASSERT_EQ(names.all().size(), 2u);
  EXPECT_NE(names(x + "1"), names(x + "2"));
  EXPECT_LT(names(x + "2").size(), 70u);
  EXPECT_EQ(names("short"), "short");
  EXPECT_EQ(names.within(x + "1 : " + x + "2"), names(x + "1") + " : " + names(x + "2"));
}

TEST(ShownNames, TheLongerNameIsReplacedFirst) {
  const std::string x(70, 'x');
  const auto names = ShownNames::of_long({x, x + "yz"});
  EXPECT_EQ(names.within(x + "yz"), names(x + "yz"));
}

}  // namespace
}  // namespace prengdl
