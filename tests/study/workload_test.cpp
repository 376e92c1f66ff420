// SPDX-License-Identifier: Apache-2.0
#include "study/workload.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace prengdl {
namespace {

using Texts = std::vector<std::string>;

const Placeholders values{{"model", "ncf"}, {"size", "{model}"}, {"a b", "spaced"}};

TEST(StudyWorkload, PlaceholdersAreReplacedOnce) {
  EXPECT_EQ(expand("", values), "");
  EXPECT_EQ(expand("x", values), "x");
  EXPECT_EQ(expand("{model}", values), "ncf");
  EXPECT_EQ(expand("a{model}b{model}c", values), "ancfbncfc");
  EXPECT_EQ(expand("{size}", values), "{model}");  // a level with braces stays what it is
  EXPECT_EQ(expand("{a b}", values), "spaced");
}

TEST(StudyWorkload, DoubledBracesAreBraces) {
  EXPECT_EQ(expand("{{model}}", values), "{model}");
  EXPECT_EQ(expand("{{{model}}}", values), "{ncf}");
  EXPECT_EQ(expand("BEGIN {{ print }}", values), "BEGIN { print }");
  EXPECT_EQ(expand("{{{{", values), "{{");
  EXPECT_EQ(placeholders_in("{{no}} {yes} {{{too}}}").value(), (Texts{"yes", "too"}));
}

TEST(StudyWorkload, WhatCannotBeReplacedIsAnError) {
  for (const auto* text : {"{", "}", "{model", "model}", "{}", "{other}", "{mo{del}", "{{}", "{}}"})
    EXPECT_THROW(expand(text, values), Error) << text;
  try {
    expand("x {other}", values);
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "'x {other}' has no value for {other}");
  }
}

TEST(StudyWorkload, AnyTextComesThroughWithItsBracesDoubled) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    std::string doubled;
    for (const char c : text)
      doubled += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
    RC_ASSERT(expand(doubled, {}) == text);
  }));
}

TEST(StudyWorkload, ARunKnowsItsPlace) {
  Study study;
  study.factors = {{"model", {"ncf"}}};
  const auto known = placeholders_of(study, {"ncf"}, {42, 3, "b0003", "/r", "/tmp/s", "/d"});
  EXPECT_EQ(known, (Placeholders{{"model", "ncf"},
                                 {"preset", "default"},
                                 {"seed", "42"},
                                 {"block", "3"},
                                 {"run", "b0003"},
                                 {"result", "/r"},
                                 {"scratch", "/tmp/s"},
                                 {"data", "/d"}}));
  study.preset = "tiny";
  EXPECT_EQ(placeholders_of(study, {"ncf"}, {}).at("preset"), "tiny");
  for (const auto& name : run_placeholders()) EXPECT_TRUE(known.contains(name)) << name;
}

TEST(StudyWorkload, AllTextsOfAWorkloadAreExpanded) {
  Workload workload;
  workload.command = {"{model}", "x{model}"};
  workload.environment.name = workload.directory = workload.standard_input = "{model}";
  workload.environment.options = {"--{model}"};
  workload.variables = {{"{model}", "{model}"}};
  workload.prepare = {{"{model}"}, {"b", "{model}"}};
  workload.cleanup = {{"{model}"}};
  workload.outputs = {"{model}"};
  const auto ready = expanded(workload, values);
  EXPECT_EQ(ready.command, (Texts{"ncf", "xncf"}));
  EXPECT_EQ(ready.environment.name, "ncf");
  EXPECT_EQ(ready.environment.options, Texts{"--ncf"});
  EXPECT_EQ(ready.directory, "ncf");
  EXPECT_EQ(ready.standard_input, "ncf");
  EXPECT_EQ(ready.variables, (std::map<std::string, std::string>{{"{model}", "ncf"}}));
  EXPECT_EQ(ready.prepare, (std::vector<Texts>{{"ncf"}, {"b", "ncf"}}));
  EXPECT_EQ(ready.cleanup, std::vector<Texts>{{"ncf"}});
  EXPECT_EQ(ready.outputs, Texts{"ncf"});
}

}  // namespace
}  // namespace prengdl
