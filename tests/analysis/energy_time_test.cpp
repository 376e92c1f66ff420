// SPDX-License-Identifier: Apache-2.0
#include "analysis/energy_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "analysis/costs_study.h"
#include "base/files.h"
#include "base/parse.h"
#include "base/strings.h"
#include "print/costs.h"

namespace prengdl {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

EnergyTime relations_of(const Study& study, const std::vector<StoredRun>& runs,
                        const std::vector<std::string>& measures = {"metered", "seconds"}) {
  return energy_against_time(study, runs_by_case(study, runs, false), measures);
}

TEST(EnergyAgainstTime, WithinACellIsOverItsRuns) {
  // Energy is 3 x time^2: log energy goes up twice as fast as log time.
  std::vector<StoredRun> runs;
  for (const double seconds : {1.0, 2.0, 4.0, 8.0})
    runs.push_back(costs_run({"train", "ncf", "pytorch"}, 0, 3 * seconds * seconds, seconds));
  const auto result = relations_of(costs_study(), runs);
  ASSERT_EQ(result.within.size(), 1u);
  EXPECT_EQ(result.within[0].level, "pytorch");
  EXPECT_EQ(result.within[0].cell, (CellPattern{{"model", "ncf"}, {"phase", "train"}}));
  const auto& relation = result.within[0].relation;
  EXPECT_EQ(relation.n, 4u);
  EXPECT_NEAR(relation.spearman.value(), 1, 1e-12);
  EXPECT_FALSE(relation.spearman_p);
  EXPECT_NEAR(relation.pearson.value(), 1, 1e-12);
  EXPECT_NEAR(relation.slope.value(), 2, 1e-12);
  EXPECT_NEAR((*relation.slope_ci95)[0], 2, 1e-6);
  EXPECT_NEAR((*relation.slope_ci95)[1], 2, 1e-6);
}

TEST(EnergyAgainstTime, TwoRunsAndEqualTimesSayNothing) {
  std::vector<StoredRun> runs;
  add_runs(runs, {"train", "ncf", "pytorch"}, {1, 2});           // two of them
  add_runs(runs, {"train", "ncf", "tensorflow"}, {1, 2, 3, 4});  // each takes 10 s
  const auto result = relations_of(costs_study(), runs);
  ASSERT_EQ(result.within.size(), 1u);
  EXPECT_EQ(result.within[0].level, "tensorflow");
  EXPECT_FALSE(result.within[0].relation.spearman);
  EXPECT_FALSE(result.within[0].relation.slope);
  EXPECT_TRUE(result.across.empty());
  EXPECT_NE(energy_time_text(result, {}), "");
}

/// Six models, trained and inferred, with two runs of each whose means are the figures given.
struct SixModels {
  Study study;
  std::vector<StoredRun> runs;

  SixModels() : study(costs_study()) { study.factors[1].levels = {"a", "b", "c", "d", "e", "f"}; }

  void add(const std::string& phase, const std::string& framework,
           const std::vector<double>& seconds, const std::vector<double>& joules) {
    for (std::size_t i = 0; i < seconds.size(); ++i)
      for (const double scatter : {0.9, 1.1})
        runs.push_back(costs_run({phase, study.factors[1].levels[i], framework}, 0,
                                 joules[i] * scatter, seconds[i] * (2 - scatter)));
  }
};

TEST(EnergyAgainstTime, AcrossModelsIsOverTheMeansOfCells) {
  SixModels six;
  // Ranks 1 2 3 4 5 6 and 3 1 2 4 6 5: squares of differences 4 + 1 + 1 + 0 + 1 + 1 = 8, so rho is
  // 1 - 6 x 8 / (6 x 35) = 0.771429.
  six.add("train", "pytorch", {10, 20, 30, 40, 50, 60}, {300, 100, 200, 400, 600, 500});
  six.add("infer", "pytorch", {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6});
  const auto result = relations_of(six.study, six.runs);
  EXPECT_TRUE(result.within.empty());   // of two runs each
  ASSERT_EQ(result.across.size(), 2u);  // not across the two phases
  const auto& train = result.across[0];
  EXPECT_EQ(train.factor, "model");
  EXPECT_EQ(train.fixed, (CellPattern{{"phase", "train"}}));
  EXPECT_EQ(train.level, "pytorch");
  EXPECT_EQ(train.relation.n, 6u);
  EXPECT_NEAR(train.relation.spearman.value(), 1 - 48.0 / 210, 1e-12);
  EXPECT_NEAR(train.relation.spearman_p.value(), 0.10277777777777777, 1e-9);  // 74 of 720 orders
  EXPECT_NEAR(result.across[1].relation.spearman.value(), 1, 1e-12);
  EXPECT_NEAR(result.across[1].relation.slope.value(), 1, 1e-12);
  const auto text = energy_time_text(result, {});
  EXPECT_TRUE(contains(text, "across cells, over their means"));
  EXPECT_TRUE(contains(text, "model at train"));
  const auto json = energy_time_json(result);
  EXPECT_NEAR(json["across"][0]["spearman"].get<double>(), 0.771429, 1e-6);
  EXPECT_EQ(json["across"][0]["fixed"]["phase"], "train");
}

TEST(EnergyAgainstTime, ModelledEnergyGetsNone) {
  std::vector<StoredRun> runs;
  for (const double seconds : {1.0, 2.0, 4.0})
    runs.push_back(costs_run({"train", "ncf", "pytorch"}, 0, 5 * seconds, seconds, Quality::model));
  const auto result = relations_of(costs_study(), runs);
  EXPECT_TRUE(result.within.empty());
  EXPECT_TRUE(result.across.empty());
  EXPECT_EQ(result.left_out, std::vector<std::string>{"metered"});
  EXPECT_TRUE(contains(energy_time_text(result, {}),
                       "was modelled from run time and CPU time: no correlation"));
  EXPECT_EQ(energy_time_json(result)["modelled"][0], "metered");
}

/// The rows of a plain table by the names of its columns.
std::vector<std::map<std::string, std::string>> rows_of(const std::filesystem::path& file) {
  const auto text = read_text(file).value();
  std::vector<std::map<std::string, std::string>> rows;
  std::vector<std::string_view> names;
  for (const auto line : split(text, '\n')) {
    const auto cells = split(trimmed(line), ',');
    if (names.empty()) {
      names = cells;
      continue;
    }
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size() && i < cells.size(); ++i)
      row[std::string(names[i])] = cells[i];
  }
  return rows;
}

TEST(EnergyAgainstTime, EqualsTheCorrelationsOfTheIcse22Means) {
  const char* shared = std::getenv("PRENGDL_SHARED");
  if (!shared) GTEST_SKIP() << "set PRENGDL_SHARED to the directory with the studies' figures";
  const auto golden = std::filesystem::path(shared) / "golden";
  const std::map<std::string, std::string> domains{
      {"pkg", "package"}, {"ram", "dram"}, {"gpu", "gpu"}};
  Study study = costs_study();
  study.factors = {{"phase", {"train", "infer"}}, {"model", {}}, {"framework", {}}};
  std::map<Cell, StoredRun> runs;  // one per cell, with the cell's means
  for (const auto& row : rows_of(golden / "icse22_means.csv")) {
    const Cell cell{row.at("phase"), row.at("model"), row.at("framework")};
    for (std::size_t i = 1; i < 3; ++i) {
      auto& levels = study.factors[i].levels;
      if (std::find(levels.begin(), levels.end(), cell[i]) == levels.end())
        levels.push_back(cell[i]);
    }
    auto& stored = runs.try_emplace(cell, costs_run(cell, 0, 1)).first->second;
    const double mean = parse_number(row.at("mean")).value();
    if (row.at("metric") == "time")
      stored.run.wall = Seconds{mean};
    else
      stored.run.energy.domains[domains.at(row.at("metric"))] = {Joules{mean}, {}, Quality::chip};
  }
  ASSERT_EQ(runs.size(), 12u);  // of training
  std::vector<StoredRun> all;
  all.reserve(runs.size());
  for (const auto& [cell, run] : runs) all.push_back(run);
  const auto result = relations_of(study, all, {"package", "dram", "gpu"});
  std::size_t checked = 0;
  for (const auto& row : rows_of(golden / "icse22_spearman.csv"))
    for (const auto& one : result.across) {
      if (one.level != row.at("framework") || one.measure != domains.at(row.at("metric"))) continue;
      EXPECT_NEAR(one.relation.spearman.value(),
                  parse_number(row.at("rho_from_released_train_means")).value(), 1e-6)
          << one.level << " " << one.measure;
      ++checked;
    }
  EXPECT_EQ(checked, 6u);
}

}  // namespace
}  // namespace prengdl
