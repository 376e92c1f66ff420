// SPDX-License-Identifier: Apache-2.0
//
// What is wrong in a study file is told with its place and with what was probably meant.
#include "study/problems_of.h"

namespace prengdl {
namespace {

TEST(StudyErrors, AnUnknownKeyIsAnsweredWithTheNearest) {
  expect_told({
      {"[protokol]\n" + study_with(""), "1:2: unknown key 'protokol'", "did you mean 'protocol'?"},
      {study_with("[protocol]\n  setle = 'off'"), "9:3: unknown key 'setle'",
       "did you mean 'settle'?"},
      {study_with("[protocol]\nsettle = { atmost = '5s' }"), "9:12: unknown key 'atmost'",
       "did you mean 'at_most'?"},
      {study_with("[analysis]\nprimry = 'seconds'"), "9:1: unknown key 'primry'",
       "did you mean 'primary'?"},
      {study_with("[presets.x.protocol]\nwarmpu = 3"), "9:1: unknown key 'warmpu'",
       "did you mean 'warmup'?"},
      {study_with("[[override]]\nwhere = { framework = 'pytorch' }\ncomand = ['x']"),
       "10:1: unknown key 'comand'", "did you mean 'command'?"},
      {study_with("[workload.requires]\ngpus = 1"), "9:1: unknown key 'gpus'",
       "did you mean 'gpu'?"},
      {study_with("[requires]\ncolour = 1"), "9:1: unknown key 'colour'",
       "known here: gpu, gpu_memory, memory, cpus, disk"},
  });
}

TEST(StudyErrors, AKeyInTheWrongTableIsSentHome) {
  expect_told({
      {study_with("[protocol]\nruns = 3"), "9:1: unknown key 'runs'", "'runs' belongs in [study]"},
      {study_with("[analysis]\ntimeout = '3s'"), "9:1: unknown key 'timeout'",
       "'timeout' belongs in [protocol] or [workload]"},
      {study_with("[protocol]\ninclude = 'x.toml'"), "9:1: unknown key 'include'",
       "'include' belongs at the top of the file, before the first [table]"},
      {study_with("[study.protocol]\nwarmup = 3"), "8:8: unknown key 'protocol'",
       "[protocol] is a separate table"},
  });
}

TEST(StudyErrors, AValueOfTheWrongKindIsNamed) {
  expect_told({
      {study_with("[protocol]\nwarmup = 'one'"),
       "9:10: 'warmup' must be a whole number from 0 to 1000, not text", ""},
      {study_with("[protocol]\nwarmup = 1.5"),
       "9:10: 'warmup' must be a whole number from 0 to 1000, not a number", ""},
      {study_with("[protocol]\nwarmup = -1"),
       "9:10: 'warmup' must be a whole number from 0 to 1000, not -1", ""},
      {study_with("[protocol]\nturbo = 'no'"), "9:9: 'turbo' must be true or false, not text", ""},
      {study_with("[protocol]\ngovernor = 3"), "9:12: 'governor' must be text, not a whole number",
       "write \"3\""},
      {study_with("[protocol]\nidle = 'soon'"), "9:8: 'soon' is not a duration",
       "write a number with its unit: 250ms, 5s, 10min, 2h"},
      {study_with("[protocol]\nidle = [5]"), "9:8: 'idle' must be a duration, not a list",
       "write 250ms, 5s, 10min or 2h"},
      {study_with("[protocol]\ntimeout = 0"), "9:11: 'timeout' must be longer than zero",
       "leave it out for none"},
      {study_with("[protocol]\nrate = 'often'"), "9:8: 'often' is not a rate",
       "write samples per second: 100, 100Hz or 1kHz"},
      {study_with("[protocol]\nrate = '5kHz'"), "9:8: 'rate' must be from 0.1 Hz to 1 kHz",
       "100Hz suits most meters"},
      {study_with("[protocol]\nrate = true"), "9:8: 'rate' must be a rate, not true or false",
       "write 100Hz or 1kHz"},
      {study_with("[protocol]\nsettle = '10min'"),
       "9:10: 'settle' must be a table with at_most, or \"off\"", "write { at_most = \"10min\" }"},
      {study_with("[protocol]\nnice = 20"),
       "9:8: 'nice' must be a whole number from -20 to 19, not 20", ""},
      {study_with("[protocol]\ngpu_clock = 'fast'"), "9:13: 'fast' is not a clock rate",
       "write 1410MHz or 1.41GHz"},
      {study_with("[protocol]\ngpu_clock = {}"),
       "9:13: 'gpu_clock' must be a clock rate, not a table", "write 1410MHz or 1.41GHz"},
      {study_with("[protocol]\ncpus = '0-2,x'"), "9:8: '0-2,x' is not a list of CPUs",
       "write [0, 1] or \"0-3,8\""},
      {study_with("[protocol]\ncpus = []"), "9:8: 'cpus' names no CPU",
       "write [0, 1] or \"0-3,8\""},
      {study_with("[protocol]\ncpus = [0, -1]"), "9:12: a CPU is a whole number from 0 to 65535",
       ""},
      {study_with("[protocol]\ncpus = 3"), "9:8: 'cpus' must be a list of CPUs, not a whole number",
       "write [0, 1] or \"0-3,8\""},
      {study_with("[analysis]\nmargin = 5"), "9:10: '5' is not a share from 0 to 1",
       "write 5% or 0.05"},
      {study_with("[analysis]\nalpha = 0.9"), "9:9: 'alpha' must be from 1e-09 to 0.5",
       "write 5% or 0.05"},
      {study_with("[analysis]\nalpha = []"), "9:9: 'alpha' must be a share, not a list",
       "write 5% or 0.05"},
      {study_with("[analysis]\nsecondary = 'seconds'"),
       "9:13: 'secondary' must be a list of texts, not text", "write [\"seconds\"]"},
      {study_with("[analysis]\nsecondary = [['seconds']]"),
       "9:14: an item must be text, not a list", ""},
      {study_with("[analysis]\nwindow = ''"), "9:10: 'window' must not be empty", ""},
      {study_with("[analysis]\nprimary = 2020-01-01"),
       "9:11: 'primary' must be text, not a date or time", ""},
      {study_with("[requires]\nmemory = '8 apples'"), "9:10: '8 apples' is not an amount of bytes",
       "write a number with its unit: 500MB, 8GiB"},
      {study_with("[requires]\nmemory = true"),
       "9:10: 'memory' must be an amount of bytes, not true or false", "write 500MB or 8GiB"},
      {"protocol = 3\n" + study_with(""), "1:12: 'protocol' must be a table, not a whole number",
       ""},
      {"presets = 3\n" + study_with(""), "1:11: 'presets' must be a table", "write [presets.tiny]"},
      {study_with("[presets]\ntiny = 3"), "9:8: preset 'tiny' must be a table",
       "write [presets.tiny]"},
      {study_with("[presets.'']\n"), "8:10: a preset needs a name", "write [presets.tiny]"},
      {study_with("[override]\nwhere = {}"), "8:2: 'override' must be a list of tables",
       "write [[override]]"},
      {"exclude = ['x']\n" + study_with(""), "1:1: 'exclude' must be a list of tables",
       "write [[exclude]]"},
      {study_with("[workload.variables]\nA = [1]"), "9:5: 'A' must be text, not a list", ""},
      {study_with("[workload.variables]\n'A=B' = 1"), "9:1: 'A=B' cannot name a variable",
       "the name of a variable is not empty and has no ="},
  });
}

TEST(StudyErrors, AWordThatIsNoneOfThoseIsNamed) {
  expect_told({
      {study_with("[protocol]\norder = 'adjacant'"), "9:9: 'order' cannot be 'adjacant'",
       "did you mean 'adjacent'?"},
      {study_with("[protocol]\nstart = 'backwards'"), "9:9: 'start' cannot be 'backwards'",
       "it can be settled, warm"},
      {study_with("[protocol]\nstop = { rule = 'sequenc' }"), "9:17: 'rule' cannot be 'sequenc'",
       "did you mean 'sequence'?"},
      {study_with("[protocol]\nstop = { at_least = 15 }"), "9:8: 'stop' says no rule",
       "write { rule = \"sequence\", at_least = 10 }"},
      {study_with("[analysis]\ntest = 3"),
       "9:8: 'test' must be one of log-t, rank, not a whole number", ""},
  });
}

TEST(StudyErrors, ACommandIsAListOfArguments) {
  const std::string head = "study.runs = 1\n";
  expect_told({
      {head + "workload.command = \"python 'my file.py'\"",
       "2:20: a command is a list of arguments, not a line for a shell",
       "write a list: [\"python\", \"my file.py\"]"},
      {head + "workload.command = ''",
       "2:20: a command is a list of arguments, not a line for a shell",
       "write a list: [\"program\", \"argument\"]"},
      {head + "workload.command = []", "2:20: a command must name a program",
       "write [\"program\", \"argument\"]"},
      {head + "workload.command = ['']", "2:20: a command must name a program",
       "write [\"program\", \"argument\"]"},
      {head + "workload.command = 3",
       "2:20: 'command' must be a command, which is a list of arguments, not a whole number",
       "write [\"program\", \"argument\"]"},
      {study_with("[[override]]\nwhere = { framework = 'pytorch' }\nprepare = [['a'], 'b c']"),
       "10:19: a command is a list of arguments, not a line for a shell",
       "write a list: [\"b\", \"c\"]"},
      {study_with("[[override]]\nwhere = { framework = 'pytorch' }\ncleanup = 'b c'"),
       "10:11: a command is a list of arguments, not a line for a shell",
       "write a list: [\"b\", \"c\"]"},
  });
}

TEST(StudyErrors, AStudySaysHowManyRunsItWants) {
  expect_told({
      {"[study]\nname = 'x'\n[workload]\ncommand = ['true']",
       "1:2: the study does not state its number of runs", "write runs = 10 in [study]"},
      {"workload.command = ['true']", "1:1: the study does not state its number of runs",
       "write runs = 10 in [study]"},
      {"study.runs = 0\nworkload.command = ['true']",
       "1:14: 'runs' must be a whole number from 1 to 1000000, not 0", ""},
      {"study = { runs = 1, name = '' }\nworkload.command = ['true']",
       "1:28: a study's name must not be empty", ""},
      {"study = { runs = 1, budget = '5' }\nworkload.command = ['true']", "1:30: '5' is no budget",
       "write an energy or a time with its unit: \"2kWh\", \"48h\""},
      {"study = { runs = 1, budget = 5 }\nworkload.command = ['true']",
       "1:30: 'budget' must be text, not a whole number",
       "write an energy or a time with its unit: \"2kWh\", \"48h\""},
      {"study = { runs = 500001 }\nfactors.a = [1, 2]\nworkload.command = ['x', '{a}']",
       "1:18: 500001 runs of 2 cells are more than 1000000 runs", "ask for fewer runs or cells"},
  });
}

TEST(StudyErrors, WhatIsNoTomlIsTold) {
  const auto broken = told_of("[study]\nruns = = 3\n");
  EXPECT_TRUE(broken.what.starts_with("study.toml:2:8: this is not TOML: ")) << broken.what;
  const auto twice = told_of("[study]\nruns = 3\nruns = 4\n");
  EXPECT_TRUE(twice.what.starts_with("study.toml:3:")) << twice.what;
  EXPECT_NE(twice.what.find("runs"), std::string::npos);
  // Where toml++ itself loses its way.
  for (const auto* header : {"[[[x]]]", "[[=", "[.x]", "[[ [x]]]"})
    EXPECT_TRUE(
        told_of(study_with(header)).what.starts_with("study.toml:8:1: this is not TOML: ") ||
        told_of(study_with(header)).what.starts_with("study.toml:8:2: this is not TOML: "))
        << told_of(study_with(header)).what;
  // Letters of other alphabets belong in quotes; in any place they are an error, not the end.
  for (const auto* line : {"[größe]\na = 1", "vari\u0435 = 1", "a = é", "a = \"\"\"b \\ é\"\"\""})
    EXPECT_TRUE(told_of(study_with(line)).what.starts_with("study.toml:8:")) << line;
}

TEST(StudyErrors, IncludesThatCannotBeFollowedAreTold) {
  FakeHost host;
  host.write("study.toml", study_with(""));
  host.write("study.toml", "include = 'none.toml'\n" + study_with(""));
  EXPECT_EQ(told(host).what, "study.toml:1:11: cannot read none.toml: No such file or directory");
  host.write("study.toml", "include = ['a.toml', 3]\n" + study_with(""));
  host.write("a.toml", "[protocol]\nwarmup = 2\n");
  EXPECT_EQ(told(host).what,
            "study.toml:1:22: 'include' must be the name of a file or a list of them");
  host.write("study.toml", "include = 'a.toml'\n" + study_with(""));
  host.write("a.toml", "include = './study.toml'\n");
  EXPECT_EQ(told(host).what, "a.toml:1:11: './study.toml' includes itself");
  host.write("a.toml", "[protocol]\nwarmpu = 2\n");
  EXPECT_EQ(told(host).what, "a.toml:2:1: unknown key 'warmpu'");
  host.write("a.toml", "include = ['b.toml', 'b.toml']\n");
  for (char c = 'b'; c < 'i'; ++c)
    host.write(std::string(1, c) + ".toml",
               std::string("include = ['") + char(c + 1) + ".toml', '" + char(c + 1) + ".toml']\n");
  host.write("i.toml", "");
  EXPECT_NE(told(host).what.find("more than 100 files are included"), std::string::npos);
}

TEST(StudyErrors, APresetThatIsNotThereIsAnsweredWithTheNearest) {
  const auto text = study_with("[presets.tiny]\nstudy.runs = 1\n[presets.paper]\nstudy.runs = 2");
  EXPECT_EQ(told_of(text, "tny").what, "study.toml has no preset 'tny'");
  EXPECT_EQ(told_of(text, "tny").hint, "did you mean 'tiny'?");
  EXPECT_EQ(told_of(text, "laptop").hint, "there are tiny, paper");
  EXPECT_EQ(told_of(study_with(""), "tiny").hint, "there are none");
}

TEST(StudyErrors, SeveralAreToldAtOnceInTheirOrder) {
  const auto said = told_of(
      study_with("[protocol]\nsetle = 'off'\nwarmup = 'x'\nidle = 'y'\n[analysis]\nprimry = 'z'"));
  EXPECT_EQ(said.what,
            "study.toml:9:1: unknown key 'setle' (did you mean 'settle'?)\n"
            "study.toml:10:10: 'warmup' must be a whole number from 0 to 1000, not text\n"
            "study.toml:11:8: 'y' is not a duration (write a number with its unit: 250ms, 5s, "
            "10min, 2h)\n"
            "study.toml:13:1: unknown key 'primry' (did you mean 'primary'?)");
  EXPECT_EQ(said.hint, "");
}

TEST(StudyErrors, NoMoreThanTenAreTold) {
  std::string rest = "[protocol]\n";
  for (int i = 0; i < 25; ++i) rest += "unheard_of_" + std::to_string(i) + " = 1\n";
  const auto said = told_of(study_with(rest));
  EXPECT_EQ(std::count(said.what.begin(), said.what.end(), '\n'), 9);
  EXPECT_EQ(said.hint, "and 15 more");
}

}  // namespace
}  // namespace prengdl
