// SPDX-License-Identifier: Apache-2.0
//
// Includes point down through the tiers of src/README.md, never up or sideways.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;

const std::map<std::string, int> tiers{
    {"base", 0},   {"model", 1},     {"meters", 2}, {"stats", 2},    {"store", 2},
    {"pstats", 2}, {"privilege", 2}, {"run", 3},    {"analysis", 3}, {"import", 3},
    {"report", 4}, {"serve", 5},     {"cli", 6}};

/// "" if the include is allowed, else what is wrong with it.
std::string complaint(const std::string& from, const std::string& to) {
  if (from == to) return "";
  if (!tiers.contains(from)) return "folder " + from + " has no tier";
  if (!tiers.contains(to)) return "includes " + to + ", which has no tier";
  if (tiers.at(to) < tiers.at(from)) return "";
  return from + " must not include " + to;
}

TEST(Layers, AnIncludeThatPointsUpIsNoticed) {
  EXPECT_EQ(complaint("run", "meters"), "");
  EXPECT_EQ(complaint("base", "base"), "");
  EXPECT_NE(complaint("meters", "run"), "");
  EXPECT_NE(complaint("stats", "meters"), "");  // siblings do not know each other
  EXPECT_NE(complaint("base", "elsewhere"), "");
}

TEST(Layers, EveryIncludePointsDown) {
  const fs::path root = fs::path(PRENGDL_SOURCE_DIR) / "src";
  const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)")re");
  std::size_t includes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (extension != ".cpp" && extension != ".h") continue;
    const auto relative = fs::relative(entry.path(), root);
    std::ifstream file(entry.path());
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      ++includes;
      const fs::path target = match[1].str();
      ASSERT_NE(target.begin(), target.end());
      EXPECT_TRUE(fs::exists(root / target))
          << relative << ":" << number << " includes " << target << ", not a path from src/";
      EXPECT_EQ(complaint(relative.begin()->string(), target.begin()->string()), "")
          << relative << ":" << number;
    }
  }
  EXPECT_GT(includes, 100u) << "the sources were not found";
}

}  // namespace
