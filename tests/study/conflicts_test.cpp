// SPDX-License-Identifier: Apache-2.0
//
// Values that are right each for itself and do not go together are told too, with their place.
#include "study/problems_of.h"

namespace prengdl {
namespace {

TEST(StudyConflicts, FactorsMustBeUsedAndHaveLevels) {
  expect_told({
      {study_with("[factors.model]\n"), "8:1: 'model' must be a list of texts, not a table", ""},
      {"study.runs = 1\n[factors]\na = []\n[workload]\ncommand = ['{a}']",
       "3:5: factor 'a' has no levels", ""},
      {"study.runs = 1\n[factors]\na = [1, '1']\n[workload]\ncommand = ['{a}']",
       "3:9: level '1' appears twice", ""},
      {"study.runs = 1\n[factors]\na = [1, 2020-01-01]\n[workload]\ncommand = ['{a}']",
       "3:9: an item must be text, not a date or time", ""},
      {"study.runs = 1\n[factors]\na = [1]\nb = ['x']\n[workload]\ncommand = ['{a}']",
       "4:1: nothing uses the factor 'b': all of its levels run the same",
       "write {b} in [workload], or an [[override]] for its levels"},
      {"study.runs = 1\n[factors]\nseed = [1]\n[workload]\ncommand = ['{seed}']",
       "3:1: a factor cannot be called 'seed'", "This word is reserved. Choose another one."},
      {"study.runs = 1\n[factors]\n'a=b' = [1]\n[workload]\ncommand = ['{a=b}']",
       "3:1: a factor cannot be called 'a=b'",
       "its name must not be empty, have { } or = in it, or begin with environment:"},
  });
}

TEST(StudyConflicts, APlaceholderNeedsAValue) {
  const auto study = [](const std::string& workload) {
    return "study.runs = 1\nfactors.framework = ['a', 'b']\n[workload]\n" + workload;
  };
  expect_told({
      {study("command = ['p', '{framwork}', '{framework}']"),
       "4:17: nothing gives {framwork} a value", "did you mean 'framework'?"},
      {study("command = ['p', '{framework}']\nvariables = { X = '{colour}' }"),
       "5:19: nothing gives {colour} a value",
       "there are framework, preset, seed, block, run, result, scratch, data"},
      {study("command = ['p', '{framework']"), "4:17: a { is not closed in '{framework'",
       "write {{ and }} for literal braces"},
      {study("command = ['p', '{framework}}']"), "4:17: a } has no { in '{framework}}'",
       "write {{ and }} for literal braces"},
      {study("command = ['p', '{framework}{}']"),
       "4:17: there is no name between { and } in '{framework}{}'",
       "write {{ and }} for literal braces"},
      {study("command = ['p', '{framework}']\n[protocol]\nwarm_command = ['{framework}']"),
       "6:17: nothing gives {framework} a value",
       "there are preset, seed, block, run, result, scratch, data"},
      {study_with("[presets.x]\nworkload.stdin = '{frame}'"), "9:18: nothing gives {frame} a value",
       "there are framework, preset, seed, block, run, result, scratch, data"},
  });
}

TEST(StudyConflicts, EveryCellNeedsACommand) {
  expect_told({
      {"study.runs = 1\n[factors]\na = [1, 2, 3]\n[workload]\ndirectory = '{a}'\n[[override]]\n"
       "where = { a = 1 }\ncommand = ['x']",
       "4:2: 2 cells have no command; the first is a=2",
       "write command = [\"program\", \"argument\"] in [workload] or an [[override]]"},
      {"study.runs = 1\nfactors.a = [1, 2]\n[[override]]\nwhere.a = 1\ncommand = ['x']",
       "1:1: the cell a=2 has no command",
       "write command = [\"program\", \"argument\"] in [workload] or an [[override]]"},
      {study_with("[[exclude]]\nframework = ['pytorch', 'tensorflow']"),
       "8:3: all cells are excluded", "leave at least one combination of levels"},
  });
}

TEST(StudyConflicts, FactorsAndLevelsMustExist) {
  expect_told({
      {study_with("[[exclude]]\nframwork = 'pytorch'"), "9:1: the study has no factor 'framwork'",
       "did you mean 'framework'?"},
      {study_with("[[exclude]]\nframework = 'pytroch'"),
       "9:13: factor 'framework' has no level 'pytroch'", "did you mean 'pytorch'?"},
      {study_with("[[exclude]]\nframework = ['pytorch', 'mxnet']"),
       "9:25: factor 'framework' has no level 'mxnet'", "there are pytorch, tensorflow"},
      {study_with("[[exclude]]\nframework = []"), "9:13: 'framework' names no level", ""},
      {study_with("[[exclude]]\nframework = { a = 1 }"),
       "9:13: a level of 'framework' must be text, not a table", ""},
      {study_with("[[exclude]]\n"), "8:1: an exclusion without a level leaves no cell",
       "write factor = \"level\""},
      {study_with("[[override]]\ncommand = ['x']"), "8:1: an override needs a `where`",
       "write where = { factor = \"level\" }; put what applies everywhere into [workload]"},
      {study_with("[[override]]\nwhere = { framework = 'pytorch' }"),
       "8:1: an override changes nothing", "give it a key of [workload]"},
      {study_with("[[override]]\nwhere = { framework = 'torch' }\ntimeout = 3"),
       "9:23: factor 'framework' has no level 'torch'", "did you mean 'pytorch'?"},
      {study_with("[presets.x]\nfactors.framework = ['tensorfow']"),
       "9:22: factor 'framework' has no level 'tensorfow'", "did you mean 'tensorflow'?"},
      {study_with("[presets.x]\nfactors.model = ['y']"), "9:9: the study has no factor 'model'",
       "there are framework"},
  });
}

TEST(StudyConflicts, TheAnalysisMustFitTheFactors) {
  const auto study = [](const std::string& analysis) {
    return "study.runs = 1\nfactors = { a = [1, 2], b = [1, 2] }\nworkload.command = ['{a}{b}']\n" +
           analysis;
  };
  expect_told({
      {study("[analysis]\n"), "4:2: the study does not state what it compares",
       "write compare = \"a\" in [analysis]"},
      {study(""), "1:1: the study does not state what it compares",
       "write compare = \"a\" in [analysis]"},
      {study("[analysis]\ncompare = 'c'"), "5:11: the study has no factor 'c' to compare",
       "did you mean 'a'?"},
      {study("[analysis]\ncompare = 'a'\nwithin = ['model']"),
       "6:11: the study has no factor 'model'", "there are a, b"},
      {study("[analysis]\ncompare = 'a'\nwithin = ['b', 'a']"), "6:16: 'a' is what is compared",
       "within names the other factors"},
      {study("[analysis]\ncompare = 'a'\nwithin = []"),
       "6:10: the factor 'b' is neither compared nor in within",
       "add \"b\": runs that differ in it are not repetitions"},
      {study("[analysis]\ncompare = 'a'\nsecondary = ['gpu', 'metered']"),
       "6:21: the measure 'metered' is repeated or empty",
       "each measure is judged once, as primary or as secondary"},
      {study("[analysis]\ncompare = 'a'\ngroups.x = [1, 'thirteen']"),
       "6:16: no factor has the level 'thirteen'", "there are 1, 2, 1, 2"},
  });
}

TEST(StudyConflicts, TheProtocolMustFitTogether) {
  expect_told({
      {study_with("[protocol]\nstart = 'warm'"), "9:9: a warm start needs a load to warm up with",
       "write warm_command = [\"program\", \"argument\"] in [protocol]"},
      {study_with("[protocol]\nstop = { rule = 'sequence' }\nrepeat_disturbed = true"),
       "10:20: repeat_disturbed and a stopping rule cannot be combined", "choose one of them"},
      {study_with("[protocol]\nnice = 3\ncontrol = { nice = 4 }"), "10:20: 'nice' is given twice",
       "write it in [protocol] or in its control table"},
  });
}

}  // namespace
}  // namespace prengdl
