// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "fake_host.h"
#include "study/study_file.h"

namespace prengdl {

/// A study that is right, to which a test adds what is wrong; `rest` starts at line 8.
inline std::string study_with(const std::string& rest) {
  return "[study]\n"
         "runs = 3\n"
         "[factors]\n"
         "framework = ['pytorch', 'tensorflow']\n"
         "[workload]\n"
         "command = ['python', '{framework}']\n"
         "\n" +
         rest;
}

struct ToldMistakes {
  std::string what;
  std::string hint;
};

/// What load_study says, with the directory of the file taken out.
inline ToldMistakes told(const FakeHost& host, const std::string& preset = "") {
  try {
    load_study(host.root() / "study.toml", preset);
  } catch (const UsageError& error) {
    std::string what = error.what();
    const auto directory = host.root().string() + "/";
    for (auto at = what.find(directory); at != std::string::npos; at = what.find(directory))
      what.erase(at, directory.size());
    return {what, error.hint};
  }
  return {"nothing is wrong", ""};
}

inline ToldMistakes told_of(const std::string& text, const std::string& preset = "") {
  FakeHost host;
  host.write("study.toml", text);
  return told(host, preset);
}

struct ToldCase {
  std::string text;
  std::string what;
  std::string hint;
};

inline void expect_told(const std::vector<ToldCase>& cases) {
  for (const auto& [text, what, hint] : cases) {
    const auto said = told_of(text);
    EXPECT_EQ(said.what, "study.toml:" + what) << text;
    EXPECT_EQ(said.hint, hint) << text;
  }
}

}  // namespace prengdl
