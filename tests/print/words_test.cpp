// SPDX-License-Identifier: Apache-2.0
#include "print/words.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>

#include "model/run.h"
#include "tables/cells.h"

namespace prengdl {
namespace {

TEST(Sentence, KeepsTheNameOfAProgramAsItIs) {
  EXPECT_EQ(sentence("nvidia-smi: readings without time stamps"),
            "nvidia-smi: readings without time stamps.");
  EXPECT_EQ(sentence("the runs have no blocks"), "The runs have no blocks.");
  EXPECT_EQ(sentence("inconclusive"), "Inconclusive.");
}

TEST(Figures, TimesReadAsPeopleReadThem) {
  EXPECT_EQ(figure_text(0.798, "s"), "798.0 ms");
  EXPECT_EQ(figure_text(2516, "s"), "41 min 56 s");
  EXPECT_EQ(figure_text(4320, "s"), "1 h 12 min");
  EXPECT_EQ(figure_text(2516, "J"), "2.516 kJ");
}

TEST(Figures, OneOfWhatIsCounted) {
  for (const auto& [plural, one] :
       std::vector<std::pair<std::string, std::string>>{{"batches", "batch"},
                                                        {"samples", "sample"},
                                                        {"images", "image"},
                                                        {"queries", "query"},
                                                        {"classes", "class"},
                                                        {"boxes", "box"},
                                                        {"bytes", "byte"},
                                                        {"tokens", "token"},
                                                        {"inferences", "inference"},
                                                        {"caches", "cache"},
                                                        {"series", "series"},
                                                        {"loss", "loss"},
                                                        {"work", "work"},
                                                        {"s", "s"},
                                                        {"sizes", "size"},
                                                        {"matches", "match"},
                                                        {"passes", "pass"},
                                                        {"steps", "step"},
                                                        {"pushes", "push"},
                                                        {"status", "status"},
                                                        {"entries", "entry"}})
    EXPECT_EQ(singular(plural), one);
}

TEST(Figures, CommandsLoseTheDirectoriesOfTheirPrograms) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(short_commands({"/very/long/venv/bin/python a.py", "/very/long/venv/bin/python b.py"}),
            (Names{"python a.py", "python b.py"}));
  EXPECT_EQ(short_commands({"/envs/v1/bin/python a.py", "/envs/v2/bin/python a.py"}),
            (Names{"v1/bin/python a.py", "v2/bin/python a.py"}));
  EXPECT_EQ(short_commands({"/a/x 1", "/b/x 1", "sleep 1"}), (Names{"a/x 1", "b/x 1", "sleep 1"}));
  EXPECT_EQ(short_commands({"./old", "./new"}), (Names{"old", "new"}));
  EXPECT_EQ(short_commands({"pytorch", "tensorflow"}), (Names{"pytorch", "tensorflow"}));
}

TEST(Figures, CommandsThatWouldLookTheSameStayAsTheyAre) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(short_commands({"x 1", "/a/x 1"}), (Names{"x 1", "/a/x 1"}));
}

TEST(Flags, EveryFlagOfTheDocumentationHasWords) {
  std::ifstream file(std::string(PRENGDL_SOURCE_DIR) + "/docs/explanation/measuring.md");
  std::set<std::string> documented;
  std::string line;
  while (std::getline(file, line) && line != "## Flags") {
  }
  while (std::getline(file, line) && !line.starts_with("## ")) {
    const std::string first = line.starts_with("| `") ? line.substr(0, line.find('|', 1)) : "";
    const std::regex name("`([a-z-]+)`");
    for (std::sregex_iterator at(first.begin(), first.end(), name); at != std::sregex_iterator();
         ++at)
      documented.insert((*at)[1]);
  }
  std::set<std::string> known;
  for (const Flag flag : all_flags()) known.insert(std::string(name_of(flag)));
  EXPECT_EQ(documented, known);
  EXPECT_EQ(flag_of("nonsense"), std::nullopt);
}

TEST(Flags, AreCountedAndExplained) {
  prengdl::Run quiet;
  prengdl::Run disturbed;
  disturbed.flags = {Flag::disturbed};
  EXPECT_EQ(flag_lines({&quiet, &disturbed}),
            (std::vector<std::string>{
                "disturbed: other processes or the host used CPU time (1 of 2 runs)"}));
  EXPECT_TRUE(flag_lines({&quiet}).empty());
}

}  // namespace
}  // namespace prengdl
