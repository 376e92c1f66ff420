// SPDX-License-Identifier: Apache-2.0
#include "print/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/amounts.h"
#include "base/parse.h"
#include "base/strings.h"
#include "profile/marshal_bytes.h"

namespace prengdl {
namespace {

using namespace marshal_bytes;
using Json = nlohmann::json;

ProfileCost small_profile(const std::string& label = "small.prof", std::int32_t steps = 100) {
  const auto train = function("/home/me/train.py", 4, "train");
  auto profile = parse_profile(dictionary({
      {train, counted(1, 1, 1.875, 16)},
      {in_c("<method 'item' of 'torch._C._TensorBase' objects>"),
       counted(steps, steps, 14, 14, {{train, called(steps, steps, 14, 14)}})},
      {in_c("<built-in method builtins.len>"),
       counted(9, 9, 0.125, 0.125, {{train, called(9, 9, 0.125, 0.125)}})},
  }));
  EXPECT_TRUE(profile);
  return cost_of(label, *profile, ApiTable::shipped());
}

TEST(ProfileReport, TextHasWhatIsAboveTheThresholdAndSaysWhatIsNot) {
  const auto text = profile_text({small_profile()}, {}, false);
  EXPECT_EQ(text.substr(0, text.find("\n\n")), R"(small.prof   16.000 s in 3 functions, 110 calls
   own s   share  calls  cumulative s  class    function                  at
  14.000  87.5 %    100        14.000  waiting  torch.Tensor.item
   1.875  11.7 %      1        16.000           train (home/me/train.py)  line 4
  1 function below 1 %: 0.125 s (0.8 %))");
  EXPECT_EQ(text.find("builtins.len"), std::string::npos) << text;
  EXPECT_NE(text.find("waiting: a GPU works asynchronously"), std::string::npos) << text;
}

TEST(ProfileReport, CallersAndCalleesOfAFunction) {
  ProfileView view;
  view.function = "train";
  const auto text = profile_text({small_profile()}, view, false);
  EXPECT_NE(text.find("called only from outside"), std::string::npos) << text;
  EXPECT_NE(text.find("torch.Tensor.item"), std::string::npos) << text;
  view.function = "torch.Tensor.item";
  EXPECT_NE(profile_text({small_profile()}, view, false).find("calls nothing that was profiled"),
            std::string::npos);
  const auto json = Json::parse(profile_json({small_profile()}, view));
  ASSERT_EQ(json["functions"].size(), 1u);
  EXPECT_EQ(json["functions"][0]["callers"][0]["function"], "train");
  EXPECT_EQ(json["functions"][0]["callers"][0]["calls"], 100);
  EXPECT_EQ(json["functions"][0]["callees"], Json::array());
}

TEST(ProfileReport, JsonHasTheKeysThatProgramsRelyOn) {
  const auto json = Json::parse(profile_json({small_profile()}, {}));
  EXPECT_EQ(json["schema"], "prengdl.profile/2");
  EXPECT_DOUBLE_EQ(json["total_seconds"].get<double>(), 16);
  ASSERT_EQ(json["functions"].size(), 3u) << "everything, without a threshold";
  const auto& item = json["functions"][0];
  EXPECT_EQ(item["function"], "<method 'item' of 'torch._C._TensorBase' objects>");
  EXPECT_EQ(item["file"], "~");
  EXPECT_EQ(item["line"], 0);
  EXPECT_EQ(item["api"], "torch.Tensor.item");
  EXPECT_EQ(item["class"], "waiting");
  EXPECT_EQ(item["calls"], 100);
  EXPECT_DOUBLE_EQ(item["own_seconds"].get<double>(), 14);
  EXPECT_DOUBLE_EQ(item["cumulative_seconds"].get<double>(), 14);
  EXPECT_DOUBLE_EQ(item["share"].get<double>(), 0.875);
  EXPECT_FALSE(item.contains("joules"));
  EXPECT_FALSE(json["functions"][1].contains("api")) << "own code";
  EXPECT_FALSE(json["functions"][1].contains("class"));
  EXPECT_EQ(json["apis"].size(), 2u);
  EXPECT_EQ(json["classes"][0]["class"], "waiting");
  ProfileView view;
  view.least_in_data = 0.05;
  EXPECT_EQ(Json::parse(profile_json({small_profile()}, view))["functions"].size(), 2u);
}

TEST(ProfileReport, SeveralProfilesAreListedAndCompared) {
  const std::vector<ProfileCost> costs{small_profile("a"), small_profile("b", 50)};
  const auto json = Json::parse(profile_json(costs, {}));
  ASSERT_EQ(json["profiles"].size(), 2u);
  EXPECT_EQ(json["profiles"][1]["profile"], "b");
  EXPECT_EQ(json["profiles"][1]["functions"][0]["calls"], 50);
  EXPECT_EQ(json["differences"][0]["calls"], (Json{100, 50}));
  const auto text = profile_text(costs, {}, false);
  EXPECT_NE(text.find("torch.Tensor.item: 100 calls in [1], 50 in [2]: 2 times"), std::string::npos)
      << text;
}

TEST(ProfileReport, CsvHasARowPerFunction) {
  const auto csv = profile_csv({small_profile()}, {});
  const auto lines = split(csv, '\n');
  ASSERT_EQ(lines.size(), 5u) << csv;
  EXPECT_EQ(lines[1],
            "<method 'item' of 'torch._C._TensorBase' objects>,~,0,torch.Tensor.item,waiting,100,"
            "100,14,14,0.875");
  EXPECT_TRUE(profile_csv({small_profile("a,b"), small_profile()}, {}).find("\"a,b\",") !=
              std::string::npos);
}

TEST(ProfileReport, DotIsQuotedAndKeepsToTheThreshold) {
  auto profile = parse_profile(dictionary({
      {function("a.py", 1, "evil\"\\\x1b[31m"), counted(1, 1, 1, 9)},
      {function("a.py", 2, "small"), counted(1, 1, 0.001, 0.001)},
  }));
  const auto dot = call_graph_dot(cost_of("x\"y", *profile, ApiTable::shipped()), 0.01);
  EXPECT_NE(dot.find(R"(label="x\"y: 1.001 s")"), std::string::npos) << dot;
  EXPECT_NE(dot.find(R"(evil\"\\\\x1b[31m)"), std::string::npos) << dot;
  EXPECT_EQ(dot.find('\x1b'), std::string::npos);
  EXPECT_EQ(dot.find("small"), std::string::npos);
  const auto graph = call_graph_dot(small_profile(), 0.01);
  EXPECT_NE(graph.find("f0 -> f1 [label=\"87.5 %\\n100 calls\""), std::string::npos) << graph;
}

TEST(ProfileReport, CollapsedStacksAreInMicroseconds) {
  std::ostringstream out;
  write_collapsed(small_profile(), out);
  EXPECT_EQ(out.str(),
            "train (home/me/train.py);torch.Tensor.item 14000000\n"
            "train (home/me/train.py);builtins.len 125000\n"
            "train (home/me/train.py) 1875000\n");
}

/// A line of a CSV whose cells may be quoted.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char c : trimmed(line)) {
    if (c == '"')
      is_quoted = !is_quoted;
    else if (c == ',' && !is_quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

TEST(StudyProfiles, HaveTheCallsAndTimesThatPythonReads) {
  const char* shared = std::getenv("PRENGDL_SHARED");
  if (!shared) GTEST_SKIP() << "PRENGDL_SHARED does not say where the study's data are";
  const std::filesystem::path root(shared);
  std::ifstream file(root / "golden/icse22_profile.csv");
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  const auto head = cells_of(line);
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(head.begin(), head.end(), name) - head.begin());
  };
  std::size_t rows = 0;
  while (std::getline(file, line)) {
    const auto cells = cells_of(line);
    ASSERT_EQ(cells.size(), head.size()) << line;
    const auto& name = cells[column("prof_file")];
    const auto profile = read_profile(root / "data/icse22/data/cProfile_results" / name);
    ASSERT_TRUE(profile) << profile.error().what();
    const auto cost = cost_of(name, *profile, ApiTable::shipped());
    const auto number = [&](const char* which) { return *parse_number(cells[column(which)]); };
    EXPECT_NEAR(cost.total.count(), number("prof_total"), 1e-6) << line;
    const auto found = functions_named(cost, cells[column("prof_function")]);
    ASSERT_EQ(found.size(), 1u) << line;
    const auto& one = cost.functions[found[0]];
    const auto& function = cost.function(one);
    EXPECT_EQ(static_cast<double>(function.calls), number("prof_ncalls")) << line;
    EXPECT_NEAR(function.own.count(), number("prof_tottime"), 1e-6) << line;
    EXPECT_NEAR(function.cumulative.count(), number("prof_cumtime"), 1e-6) << line;
    EXPECT_NEAR(100 * *one.share, number("cost_exact"), 0.0005001) << line;
    EXPECT_TRUE(one.api_class) << "every API that the study names has a class: " << line;
    ++rows;
  }
  EXPECT_GE(rows, 20u);
}

}  // namespace
}  // namespace prengdl
