// SPDX-License-Identifier: Apache-2.0
#include "store/merge.h"

#include <gtest/gtest.h>

#include "store/fixtures.h"
#include "store/run_json.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

/// A result with some runs of a machine, the last of them not yet taken in.
ResultStore result_of(const fs::path& directory, const std::string& machine, int count,
                      const StudyRecord& study = small_study()) {
  auto store = ResultStore::create(directory, study);
  store.add_machine({machine, {}});
  store.add_event({"2025-11-16T10:00:00Z", StudyEventKind::start, "on " + machine});
  for (int i = 0; i < count; ++i) {
    StoredRun run = full_run(machine + "-" + std::to_string(i));
    run.machine = machine;
    store.take_in();
    record_run(store, run, 20);
    fs::create_directories(store.logs(run.id));
    std::ofstream(store.logs(run.id) / "stdout") << "output of " << run.id;
  }
  return store;
}

TEST(Merge, JoinsTheRunsOfTwoMachines) {
  FakeHost host;
  auto one = result_of(host.root() / "one", "m-1", 3);
  auto two = result_of(host.root() / "two", "m-2", 2);
  two.exclude("m-2-0", "too hot");
  auto both = ResultStore::create(host.root() / "both", one.study());
  EXPECT_EQ(merge(both, one).added, 3u);
  EXPECT_EQ(merge(both, two).added, 2u);

  EXPECT_EQ(ids_of(both), (std::vector<std::string>{"m-1-0", "m-1-1", "m-1-2", "m-2-0", "m-2-1"}));
  for (const auto& id : ids_of(two)) {
    EXPECT_EQ(run_json(both.run(id).value()), run_json(two.run(id).value()));
    EXPECT_EQ(samples_of(both, id).size(), 20u);
    EXPECT_EQ(read_text(both.logs(id) / "stdout").value(), "output of " + id);
  }
  EXPECT_EQ(both.run("m-2-0")->excluded, "too hot");
  EXPECT_EQ(both.machines().size(), 2u);
  EXPECT_EQ(both.events().size(), 2u);
  EXPECT_EQ(both.integrity(), "ok");
  EXPECT_EQ(ids_of(two).size(), 2u) << "what is merged stays as it is";
}

TEST(Merge, KeepsLooksAndAaRecords) {
  FakeHost host;
  auto one = result_of(host.root() / "one", "m-1", 2);
  StudyRecord registered = small_study();
  registered.registered = "{}";
  auto two = result_of(host.root() / "two", "m-2", 2, registered);
  one.note_look({"t1", "compare", 2, 1, 3});
  one.take_in();
  two.note_look({"t2", "report", 2, 1, 3});
  AaRecord aa;
  aa.fingerprint = "m-2";
  aa.at = "t";
  two.add_aa(aa);
  for (int round = 0; round < 2; ++round) {
    const auto report = merge(one, two);
    EXPECT_EQ(report.notes,
              std::vector<std::string>{"only the merged runs' analysis was registered"});
    ASSERT_EQ(one.looks().size(), 2u);
    EXPECT_EQ(one.looks()[0].by, "compare");
    EXPECT_EQ(one.looks()[1].by, "report");
    ASSERT_EQ(one.aa().size(), 1u);
    EXPECT_EQ(one.aa()[0].fingerprint, "m-2");
    EXPECT_FALSE(one.registration());
  }
}

TEST(Merge, AddsNothingTwice) {
  FakeHost host;
  auto one = result_of(host.root() / "one", "m-1", 2);
  auto two = result_of(host.root() / "two", "m-2", 2);
  merge(one, two);
  two.exclude("m-2-1", "after the first merge");
  record_run(two, short_run("m-2-9"));
  for (int round = 0; round < 2; ++round) {
    const auto report = merge(one, two);
    EXPECT_EQ(report.added, round == 0 ? 1u : 0u);
    EXPECT_EQ(report.known, round == 0 ? 2u : 3u);
    EXPECT_TRUE(report.notes.empty());
    EXPECT_EQ(one.runs().size(), 5u);
    EXPECT_EQ(one.events().size(), 2u);
    EXPECT_EQ(one.exclusions().size(), 1u);
    EXPECT_EQ(one.run("m-2-1")->excluded, "after the first merge");
  }
}

TEST(Merge, TakesManyRunsInSeveralCommits) {
  FakeHost host;
  auto one = result_of(host.root() / "one", "m-1", 0);
  auto two = result_of(host.root() / "two", "m-2", 0);
  {
    // Straight into the tables: 450 records would be synced 450 times.
    const Transaction transaction(two.database());
    RunInserter inserter(two.database(), factor_names(two.database()));
    for (int i = 0; i < 450; ++i)
      inserter.insert(short_run("r" + std::to_string(i)), [](const TakeChunk&) {});
    two.database().run("COMMIT");
  }
  EXPECT_EQ(merge(one, two).added, 450u);
  EXPECT_EQ(one.counts().runs(), 450u);
  EXPECT_EQ(merge(one, two).known, 450u);
}

TEST(Merge, RefusesAnotherStudyAndSaysWhatDiffers) {
  FakeHost host;
  auto one = result_of(host.root() / "one", "m-1", 1);
  StudyRecord study = small_study();
  study.text = "[study]\nname = \"small\"\nruns = 5\n";
  const auto other_text = result_of(host.root() / "text", "m-2", 1, study);
  EXPECT_TRUE(
      contains(error_of([&] { merge(one, other_text); }), "line 3: 'runs = 3' and 'runs = 5'"));
  study = small_study();
  study.preset = "paper";
  const auto other_preset = result_of(host.root() / "preset", "m-2", 1, study);
  EXPECT_TRUE(contains(error_of([&] { merge(one, other_preset); }),
                       "one is of preset 'tiny', the other of 'paper'"));
  study = small_study();
  study.factors[1].levels = {"ncf"};
  const auto other_factors = result_of(host.root() / "factors", "m-2", 1, study);
  EXPECT_TRUE(contains(error_of([&] { merge(one, other_factors); }), "model (ncf gnmt)"));
  EXPECT_TRUE(contains(error_of([&] { merge(one, one); }), "into itself"));
  EXPECT_EQ(one.runs().size(), 1u);
}

TEST(Merge, KeepsTheLocksOfBothMachines) {
  FakeHost host;
  auto one = result_of(host.root() / "one", "m-1", 1);
  StudyRecord study = small_study();
  study.locks[0].second = "torch==2.1.0+aarch64\n";
  const auto two = result_of(host.root() / "two", "m-2", 1, study);
  const auto report = merge(one, two);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0], "environment pytorch was locked differently");
  EXPECT_EQ(one.study().locks.size(), 3u);
}

}  // namespace
}  // namespace prengdl
