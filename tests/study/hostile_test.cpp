// SPDX-License-Identifier: Apache-2.0
//
// Whatever stands in the file, prengdl says what is wrong and neither crashes nor hangs.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/stat.h>

#include "base/error.h"
#include "fake_host.h"
#include "study/study_file.h"
#include "study/workload.h"

namespace prengdl {
namespace {

/// What is said about the text; empty if it is a study.
std::string said_of(const std::string& text) {
  try {
    read_study(text, "study.toml");
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

std::string repeated(const std::string& part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

const std::string good = "study.runs = 1\nworkload.command = ['true']\n";

TEST(StudyHostile, DeepNestingIsRefused) {
  for (const std::size_t depth : {20u, 200u, 100'000u}) {
    EXPECT_NE(said_of("x = " + repeated("[", depth) + repeated("]", depth)), "");
    EXPECT_NE(said_of("x = " + repeated("{a=", depth) + "1" + repeated("}", depth)), "");
    EXPECT_NE(said_of("x = " + repeated("[", depth)), "");
    const auto dots = said_of("[" + repeated("a.", depth) + "a]");
    EXPECT_EQ(dots, "study.toml:1:35: a key nests too deep");
    EXPECT_NE(said_of(repeated("a.", depth) + "a = 1"), "");
    EXPECT_NE(said_of(repeated("a . ", depth) + "a = 1"), "");
    EXPECT_NE(said_of(repeated("'a'.", depth) + "a = 1"), "");
    EXPECT_NE(said_of("x = \"\"\"\n\"\\\"\"\"\"\n" + repeated("\"a\".", depth) + "a = 1"), "");
    EXPECT_NE(said_of("x = { " + repeated("a.", depth) + "a = 1 }"), "");
    EXPECT_NE(said_of("x = [ " + repeated("[", 10) + "{" + repeated("a.", depth) + "a = 1 }]]"),
              "");
  }
}

TEST(StudyHostile, DotsInStringsAndCommentsAreNoNesting) {
  EXPECT_EQ(said_of("# " + repeated(".", 100) + "\nstudy.runs = 1\n[workload]\ncommand = ['" +
                    repeated(".", 100) + "', \"" + repeated(".\\\"", 100) + "\", '''" +
                    repeated(".'\n", 100) + "''', \"\"\"" + repeated(".\"\n", 100) + "\"\"\"\"]\n"),
            "");
}

TEST(StudyHostile, HugeNumbersAreRefused) {
  for (const auto* number :
       {"99999999999999999999999", "9223372036854775807", "-9223372036854775808", "1e308", "1e999",
        "inf", "-inf", "nan", "0xFFFFFFFFFFFFFFFFF"}) {
    for (const auto* key : {"study.runs", "protocol.warmup", "protocol.nice", "protocol.rate",
                            "protocol.timeout", "protocol.give_up_after", "workload.retry",
                            "requires.cpus", "analysis.alpha", "protocol.gpu_clock"}) {
      const auto text = std::string(key) + " = " + number + "\n" +
                        (std::string(key) == "study.runs" ? "" : "study.runs = 1\n") +
                        "workload.command = ['true']\n";
      if (std::string(key) == "protocol.give_up_after" || text.find("workload.retry") == 0) {
        EXPECT_NE(said_of(text), "") << text;
      } else {
        EXPECT_TRUE(said_of(text).starts_with("study.toml:1:")) << text << said_of(text);
      }
    }
  }
  EXPECT_NE(said_of(good + "[requires]\nmemory = 1e30"), "");
  EXPECT_NE(said_of(good + "[protocol]\nidle = '1e300h'"), "");
}

TEST(StudyHostile, BytesThatAreNoTextAreRefused) {
  EXPECT_NE(said_of(std::string("study.runs = 1\0", 15)), "");
  EXPECT_NE(said_of("study.name = 'a\xff'\n" + good), "");
  EXPECT_NE(said_of("study.name = '\xc0\x80'\n" + good), "");
  EXPECT_NE(said_of("study.name = '\xed\xa0\x80'\n" + good), "");
  EXPECT_NE(said_of("study.name = 'a\x1b[31m'\n" + good), "");
  EXPECT_NE(said_of("\xff\xfes\0t\0"), "");
  EXPECT_EQ(said_of("\xef\xbb\xbf" + good), "");  // a byte order mark is allowed
}

TEST(StudyHostile, ANulByAnEscapeIsRefusedToo) {
  EXPECT_EQ(said_of("study.runs = 1\nworkload.command = [\"a\\u0000b\"]"),
            "study.toml:2:21: a text contains a NUL character");
  EXPECT_EQ(said_of(good + "[workload.variables]\n\"a\\u0000\" = 1"),
            "study.toml:4:1: a text contains a NUL character");
}

TEST(StudyHostile, WhatIsQuotedInAMessageIsShortAndHarmless) {
  const auto said =
      said_of(good + "[protocol]\norder = \"\\u001b[31m" + repeated("x", 100'000) + "\"");
  EXPECT_LT(said.size(), 500u);
  EXPECT_EQ(said.find('\x1b'), std::string::npos);
  EXPECT_LT(said_of("\"" + repeated("y", 500'000) + "\" = 1").size(), 500u);
}

TEST(StudyHostile, AFileThatIsNoFileIsRefused) {
  FakeHost host;
  const auto said = [](const std::filesystem::path& file) {
    try {
      load_study(file);
      return std::string();
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(said(host.root()), "cannot read " + host.root().string() + ": Is a directory");
  EXPECT_EQ(said(host.root() / "none"),
            "cannot read " + (host.root() / "none").string() + ": No such file or directory");
  EXPECT_NE(said("/dev/zero").find("not a regular file"), std::string::npos);
  host.write("large", std::string((1 << 20) + 1, ' '));
  EXPECT_NE(said(host.root() / "large").find("larger than 1 MiB"), std::string::npos);
  EXPECT_NE(said(std::string(5000, 'x')), "");
  host.write("study.toml", "include = '" + std::string(5000, 'x') + "'\n" + good);
  EXPECT_NE(said(host.root() / "study.toml"), "");
  host.write("study.toml", "include = '.'\n" + good);
  EXPECT_NE(said(host.root() / "study.toml").find("Is a directory"), std::string::npos);
  host.link("a.toml", "b.toml");
  host.link("b.toml", "a.toml");
  EXPECT_NE(said(host.root() / "a.toml"), "");
  host.write("study.toml", "");
  EXPECT_NE(said(host.root() / "study.toml"), "");
}

TEST(StudyHostile, TooManyCellsAreRefusedAtOnce) {
  std::string text = "study.runs = 1\n[factors]\n";
  std::string command;
  for (int i = 0; i < 40; ++i) {
    text += "f" + std::to_string(i) + " = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n";
    command += "{f" + std::to_string(i) + "}";
  }
  text += "[workload]\ncommand = ['" + command + "']\n[analysis]\ncompare = 'f0'\n";
  EXPECT_EQ(said_of(text), "study.toml:2:2: the factors have more than 1000000 combinations");
  std::string levels;
  for (int i = 0; i < 400; ++i) levels += std::to_string(i) + ",";
  EXPECT_NE(
      said_of("study.runs = 1\n[factors]\na = [" + levels + "]\nb = [" + levels +
              "]\n[workload]\ncommand = ['{a}{b}']\n[analysis]\ncompare = 'a'\n[[exclude]]\na = [" +
              levels + "]\nb = [" + levels + "]\n")
          .find("too many combinations"),
      std::string::npos);
}

TEST(StudyHostile, ManyKeysAndMistakesTakeNoTime) {
  std::string text = good + "[protocol]\n";
  for (int i = 0; i < 50'000; ++i) text += "k" + std::to_string(i) + " = 1\n";
  EXPECT_NE(said_of(text), "");
  std::string factors = "study.runs = 1\n[factors]\n";
  for (int i = 0; i < 20'000; ++i) factors += "k" + std::to_string(i) + " = [1]\n";
  EXPECT_NE(said_of(factors + "[workload]\ncommand = ['true']\n"), "");
}

TEST(StudyHostile, AnyMutilationOfAStudyIsAnsweredOrIsAStudy) {
  const std::string whole = R"(include = []
[study]
runs = 3
budget = ["2kWh", "1h"]
[protocol]
settle = { at_most = "1min" }
stop = { rule = "sequence", at_least = 14 }
cpus = "0-3"
[factors]
a = ["x", "y", 3]
b = [true, 1.5]
[[exclude]]
a = "x"
b = [true]
[workload]
command = ["{a}", "{b}{{}}"]
variables = { A = 1 }
prepare = [["x"]]
[[override]]
where = { a = "y" }
retry = { times = 1 }
[presets.tiny]
protocol.settle = "off"
factors.a = ["y"]
[analysis]
compare = "a"
groups = { g = ["x"] }
)";
  ASSERT_EQ(said_of(whole), "");
  EXPECT_TRUE(rc::check([&] {
    std::string text = whole;
    const auto cuts = *rc::gen::inRange(1, 6);
    for (int i = 0; i < cuts && !text.empty(); ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      const auto other = *rc::gen::inRange<std::size_t>(0, text.size());
      const auto length = *rc::gen::inRange<std::size_t>(0, 12);
      switch (*rc::gen::inRange(0, 4)) {
        case 0:
          text.erase(at, length);
          break;
        case 1:
          text[at] = *rc::gen::arbitrary<char>();
          break;
        case 2:
          text.insert(at, text.substr(other, length));
          break;
        default:
          text.insert(
              at, *rc::gen::elementOf(std::vector<std::string>{
                      "[",  "]", "{",  "}", "\"",  "'",    "\"\"\"", "=",  ".",   ",",
                      "\n", "#", "[[", "-", "1e9", "true", "\\",     "\r", "nan", "2020-01-01"}));
      }
    }
    try {
      const Study study = read_study(text, "study.toml");
      for (const auto& cell : cells_of(study))
        expanded(workload_for(study, cell), placeholders_of(study, cell, {}));
    } catch (const UsageError& error) {
      RC_ASSERT(std::string(error.what()).starts_with("study.toml:"));
    }
  }));
}

}  // namespace
}  // namespace prengdl
