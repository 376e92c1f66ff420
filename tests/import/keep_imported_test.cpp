// SPDX-License-Identifier: Apache-2.0
//
// From what was imported to a result that other commands can use.
#include <gtest/gtest.h>

#include <sstream>

#include "base/files.h"
#include "fake_host.h"
#include "import/file_names.h"
#include "import/fixtures.h"
#include "import/import_files.h"
#include "import/kinds.h"
#include "store/export.h"
#include "store/merge.h"
#include "store/profiles.h"
#include "store/result.h"
#include "study/study_file.h"

namespace prengdl {
namespace {

struct KeepImported : ::testing::Test {
  FakeHost host;
  ImportOptions options;

  void SetUp() override {
    options.map = {"seconds=s,joules_gpu=j,factor:framework=fw,factor:size=n,metric:accuracy=a"};
    options.quality = Quality::sensor;
    host.write("t.csv",
               "fw,n,s,j,a\ntf,100,2,30,0.5\ntorch,100,1,20,0.6\ntorch,20,1,20,0.6\n"
               "torch,100,1.5,25,");
  }
  Imported imported() { return import_files("csv", {host.root() / "t.csv"}, options); }
  std::filesystem::path result() const { return host.root() / "result"; }
  StudyRecord keep() {
    Imported found = imported();
    StudyRecord study = study_of(found, "csv", options);
    study.prengdl_version = "1";
    keep_imported(found, study, result());
    return study;
  }
  std::string exported(ExportTable table) const {
    std::ostringstream out;
    export_table(ResultStore::open(result(), Access::read_only), table, ExportFormat::csv, {}, out);
    return out.str();
  }
};

TEST_F(KeepImported, TheStudyFileCanBeReadAndSaysThatItWasImported) {
  const Study study = read_study(keep().text, "study.toml");
  EXPECT_EQ(study.imported, "csv");
  EXPECT_EQ(study.analysis.compare, "framework");
  EXPECT_EQ(study.analysis.within, std::vector<std::string>{"size"});
  EXPECT_EQ(study.analysis.primary, "metered");
  EXPECT_EQ(study.analysis.secondary, std::vector<std::string>{"seconds"});
  ASSERT_EQ(study.factors.size(), 2u);
  EXPECT_EQ(study.factors[0].levels, (std::vector<std::string>{"tf", "torch"}));
  EXPECT_EQ(study.factors[1].levels, (std::vector<std::string>{"20", "100"})) << "by size";
  EXPECT_EQ(study.runs, 2u);
  EXPECT_EQ(cells_of(study).size(), 3u) << "the cell without runs is excluded";
}

TEST_F(KeepImported, AStudyThatWasNotImportedStillNeedsAWorkload) {
  std::string text = keep().text;
  text.erase(text.find("imported = "), text.find("runs = ") - text.find("imported = "));
  EXPECT_THROW(read_study(text, "study.toml"), UsageError);
}

TEST_F(KeepImported, WhatIsComparedCanBeChosen) {
  options.compare = "size";
  EXPECT_EQ(read_study(keep().text, "study.toml").analysis.compare, "size");
  options.compare = "sizes";
  EXPECT_NE(refusal([&] { keep(); }).find("did you mean size?"), std::string::npos);
}

TEST_F(KeepImported, RunsHaveNoBlock) {
  keep();
  const auto store = ResultStore::open(result(), Access::read_only);
  EXPECT_EQ(store.study().blocks, 0u);
  EXPECT_EQ(store.study().planned_runs, 4u);
  const auto rows = exported(ExportTable::runs);
  EXPECT_NE(rows.find("run,block,order,framework,size,exit_code,seconds,joules_gpu"),
            std::string::npos);
  EXPECT_NE(rows.find(",,0,tf,100,,2,30,30,sensor,,ok,0,,"), std::string::npos) << rows;
}

TEST_F(KeepImported, RunsAreStoredWithTheirSamplesAndMetrics) {
  host.write("smi/a_1.csv",
             "timestamp, power.draw [W]\n2023/05/08 00:00:00.000, 100.00 W\n"
             "2023/05/08 00:00:01.000, 200.00 W");
  Imported found = import_files("nvidia-smi", {host.root() / "smi"}, {});
  keep_imported(found, study_of(found, "nvidia-smi", {}), result());
  const auto rows = exported(ExportTable::samples);
  EXPECT_NE(rows.find("nvidia-smi,gpu,0,100,W,ok"), std::string::npos) << rows;
  EXPECT_NE(rows.find("nvidia-smi,gpu,1,200,W,ok"), std::string::npos) << rows;
  EXPECT_EQ(ResultStore::open(result(), Access::read_only).integrity(), "ok");
}

TEST_F(KeepImported, TheSameFilesGiveTheSameRuns) {
  keep();
  const auto first = ResultStore::open(result(), Access::read_only).runs();
  Imported again = imported();
  const auto study = study_of(again, "csv", options);
  keep_imported(again, study, host.root() / "again");
  auto into = ResultStore::open(result(), Access::read_write);
  const auto report = merge(into, ResultStore::open(host.root() / "again", Access::read_only));
  EXPECT_EQ(report.added, 0u);
  EXPECT_EQ(report.known, first.size());
}

TEST_F(KeepImported, WhatIsThereIsNotTouched) {
  host.write("result/mine", "text");
  EXPECT_NE(refusal([&] { keep(); }).find("already exists"), std::string::npos);
  EXPECT_EQ(read_optional(result() / "mine"), "text");
  EXPECT_EQ(list_directory(result()), std::vector<std::string>{"mine"});
}

TEST_F(KeepImported, NothingIsLeftOfAnImportThatFails) {
  Imported found = imported();
  const auto study = study_of(found, "csv", options);
  found.runs[3].stored.id = found.runs[0].stored.id;  // the last of them cannot be stored
  EXPECT_NE(refusal([&] { keep_imported(found, study, result()); }), "");
  EXPECT_EQ(list_directory(host.root()), std::vector<std::string>{"t.csv"});
}

TEST_F(KeepImported, ProfilesLieWhereTheirCellSays) {
  host.write("icse/data/measurements_train/ncf_PyTorch_perf_1.txt",
             " Performance counter stats for 'x':\n 1.00 Joules power/energy-pkg/\n 2.0 seconds "
             "time elapsed\n");
  host.write("icse/data/measurements_train/ncf_PyTorch_nvidia_smi_1.txt", "1 W\n2 W");
  host.write("icse/data/cProfile_results/gnmt_tensorflow_inference.prof", "dump");
  Imported found = import_files("icse22", {host.root() / "icse"}, {});
  const auto study = study_of(found, "icse22", {});
  keep_imported(found, study, result());
  const auto path = profile_of(result(), {"infer", "gnmt", "tensorflow"});
  EXPECT_EQ(path, result() / "profiles/infer/gnmt/tensorflow.prof");
  EXPECT_EQ(read_optional(path), "dump");
  auto into = ResultStore::create(host.root() / "joined", study);
  merge(into, ResultStore::open(result(), Access::read_only));
  EXPECT_EQ(read_optional(profile_of(into.directory(), {"infer", "gnmt", "tensorflow"})), "dump");
  EXPECT_EQ(profile_of("r", {"a/b", ".."}), std::filesystem::path("r/profiles/a%2Fb/%2E%2E.prof"));
}

TEST_F(KeepImported, HostileLevelsStayText) {
  host.write("t.csv", "fw,n,s,j,a\n\"a\"\"b\n\x01\",{x},2,30,1\n../../x,\xff,1,20,1");
  const auto study = keep();
  const Study read = read_study(study.text, "study.toml");
  EXPECT_EQ(read.factors[0].levels, (std::vector<std::string>{"../../x", "a\"b\\x0a\\x01"}));
  for (const auto& run : ResultStore::open(result(), Access::read_only).runs())
    EXPECT_NO_THROW(check_run_id(run.id));
}

TEST(ImportFiles, AKindThatDoesNotExistIsExplained) {
  EXPECT_NE(refusal([] { import_files("icse", {"/"}, {}); }).find("did you mean icse22?"),
            std::string::npos);
  EXPECT_NE(refusal([] { import_files("icse22", {"/nowhere"}, {}); }).find("there is no /nowhere"),
            std::string::npos);
  ImportOptions options;
  options.as_published = true;
  EXPECT_NE(refusal([&] {
              import_files("csv", {"/"}, options);
            }).find("--as-published means nothing for csv"),
            std::string::npos);
}

TEST(FileNames, APatternGivesLevels) {
  ImportedRun run;
  EXPECT_TRUE(FileNames("{model}_{framework}_perf_{run}.txt")
                  .read("some/where/mask_rcnn_PyTorch_perf_10.txt", run));
  EXPECT_EQ(run.levels,
            (std::map<std::string, std::string>{{"model", "mask_rcnn"}, {"framework", "PyTorch"}}));
  EXPECT_EQ(run.number, 10);
  EXPECT_FALSE(FileNames("{model}_{framework}_perf_{run}.txt").read("mask_perf_x.txt", run));
  EXPECT_TRUE(FileNames("{framework}/{}-{run}.csv").read("torch/x-3.csv", run));
  EXPECT_EQ(run.levels.at("framework"), "torch");
  EXPECT_EQ(run.number, 3);
}

TEST(FileNames, WithoutAPatternTheNumberAtTheEndIsTheRun) {
  ImportedRun run;
  EXPECT_TRUE(FileNames("").read("a/sleep_run-12.txt", run));
  EXPECT_EQ(run.levels.at("series"), "sleep_run");
  EXPECT_EQ(run.number, 12);
  EXPECT_TRUE(FileNames("").read("42", run));
  EXPECT_EQ(run.levels.at("series"), "42") << "a name that is all number is a name";
}

TEST(FileNames, PatternsThatMeanNothingAreRefused) {
  for (const auto* pattern : {"x.txt", "{run}", "{a", "{a}{b}", "{a}_{a}", "{block}_{run}"})
    EXPECT_THROW(FileNames{pattern}, UsageError) << pattern;
}

TEST(FileNames, NoPatternTakesLong) {
  std::string pattern;
  for (int i = 0; i < 20; ++i) pattern += "{f" + std::to_string(i) + "}a";
  ImportedRun run;
  EXPECT_FALSE(FileNames(pattern).read(std::string(1000, 'a') + "b", run));
}

}  // namespace
}  // namespace prengdl
