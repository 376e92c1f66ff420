// SPDX-License-Identifier: Apache-2.0
//
// Includes point down through the tiers of src/README.md, never up, sideways or in a circle.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "fake_host.h"

namespace {

namespace fs = std::filesystem;

/// From the bottom. Folders of one tier do not know each other.
const std::vector<std::vector<std::string>> tiers{
    {"base"},
    {"model", "tables"},
    {"meters", "stats", "privilege"},
    {"study", "machine", "environments", "store", "profile", "conclude"},
    {"analysis", "import", "run"},
    {"campaign", "audit"},
    {"cluster"},
    {"print"},
    {"report"},
    {"serve"},
    {"cli"}};

std::optional<std::size_t> tier_of(const std::string& folder) {
  for (std::size_t i = 0; i < tiers.size(); ++i)
    if (std::find(tiers[i].begin(), tiers[i].end(), folder) != tiers[i].end()) return i;
  return std::nullopt;
}

/// "" if the include is allowed, else what is wrong with it.
std::string complaint(const std::string& from, const std::string& to) {
  if (from == to) return "";
  if (!tier_of(from)) return "folder " + from + " has no tier";
  if (!tier_of(to)) return "includes " + to + ", which has no tier";
  return *tier_of(to) < *tier_of(from) ? "" : from + " must not include " + to;
}

/// What each file of a tree includes of it, by path from the tree's root. A header and its source
/// are one: "run/attempt".
using Includes = std::map<std::string, std::set<std::string>>;

std::string without_extension(const fs::path& path) {
  return (path.parent_path() / path.stem()).string();
}

Includes includes_below(const fs::path& root) {
  const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)")re");
  Includes includes;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".h") continue;
    const std::string from = without_extension(fs::relative(entry.path(), root));
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      EXPECT_TRUE(fs::exists(root / match[1].str()))
          << entry.path() << " includes " << match[1] << ", not a path from src/";
      if (const auto to = without_extension(match[1].str()); to != from) includes[from].insert(to);
    }
  }
  return includes;
}

/// "a -> b -> a" for the first circle that is found; empty if there is none.
std::string circle_in(const Includes& includes) {
  enum class State { open, done };
  std::map<std::string, State> states;
  std::vector<std::string> road;
  const std::function<std::string(const std::string&)> visit =
      [&](const std::string& file) -> std::string {
    if (const auto seen = states.find(file); seen != states.end()) {
      if (seen->second == State::done) return "";
      std::string circle = file;
      for (auto at = road.rbegin(); at != road.rend() && *at != file; ++at)
        circle = *at + " -> " + circle;
      return file + " -> " + circle;
    }
    states[file] = State::open;
    road.push_back(file);
    if (const auto targets = includes.find(file); targets != includes.end())
      for (const auto& target : targets->second)
        if (auto circle = visit(target); !circle.empty()) return circle;
    road.pop_back();
    states[file] = State::done;
    return "";
  };
  for (const auto& [file, targets] : includes)
    if (auto circle = visit(file); !circle.empty()) return circle;
  return "";
}

const fs::path sources = fs::path(PRENGDL_SOURCE_DIR) / "src";

TEST(Layers, AnIncludeThatPointsUpIsNoticed) {
  EXPECT_EQ(complaint("run", "meters"), "");
  EXPECT_EQ(complaint("base", "base"), "");
  EXPECT_NE(complaint("meters", "run"), "");
  EXPECT_NE(complaint("stats", "meters"), "");  // siblings do not know each other
  EXPECT_NE(complaint("base", "elsewhere"), "");
}

TEST(Layers, EveryIncludePointsDown) {
  const auto includes = includes_below(sources);
  EXPECT_GT(includes.size(), 100u) << "the sources were not found";
  for (const auto& [from, targets] : includes)
    for (const auto& to : targets)
      EXPECT_EQ(complaint(fs::path(from).begin()->string(), fs::path(to).begin()->string()), "")
          << from << " includes " << to;
}

TEST(Layers, NoFilesIncludeEachOtherInACircle) {
  EXPECT_EQ(circle_in(includes_below(sources)), "");
}

TEST(Layers, APlantedCircleIsFound) {
  prengdl::FakeHost tree;
  tree.write("run/a.h", "#include \"run/b.h\"\n");
  tree.write("run/b.h", "#pragma once\n");
  EXPECT_EQ(circle_in(includes_below(tree.root())), "");
  tree.write("run/b.cpp", "#include \"run/c.h\"\n");
  tree.write("run/c.h", "#include \"run/a.h\"\n");
  EXPECT_EQ(circle_in(includes_below(tree.root())), "run/a -> run/b -> run/c -> run/a");
}

/// Each folder is one story. `stats` is a collection of procedures.
TEST(Layers, NoFolderHasTooManyFiles) {
  for (const auto& tier : tiers)
    for (const auto& folder : tier) {
      const fs::directory_iterator files(sources / folder);
      const auto count = std::count_if(begin(files), end(files), [](const auto& file) {
        return file.path().extension() == ".h" || file.path().extension() == ".cpp";
      });
      EXPECT_GT(count, 0) << folder;
      EXPECT_LE(count, folder == "stats" ? 70 : 45) << folder;
    }
}

}  // namespace
