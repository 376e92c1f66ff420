// SPDX-License-Identifier: Apache-2.0
#include "store/result.h"

#include <gtest/gtest.h>

#include "store/fixtures.h"
#include "store/run_json.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

TEST(ResultStore, GivesBackTheStudy) {
  FakeHost host;
  const auto directory = host.root() / "deep" / "result";
  const StudyRecord study = small_study();
  EXPECT_FALSE(ResultStore::exists(directory));
  { const auto store = ResultStore::create(directory, study); }
  EXPECT_TRUE(ResultStore::exists(directory));
  for (const auto access : {Access::read_only, Access::read_write}) {
    const StudyRecord found = ResultStore::open(directory, access).study();
    EXPECT_EQ(found.name, study.name);
    EXPECT_EQ(found.text, study.text);
    EXPECT_EQ(found.preset, study.preset);
    EXPECT_EQ(found.planned_runs, study.planned_runs);
    EXPECT_EQ(found.blocks, study.blocks);
    EXPECT_EQ(found.seed, study.seed);
    EXPECT_EQ(found.prengdl_version, study.prengdl_version);
    EXPECT_EQ(found.created_at, study.created_at);
    EXPECT_EQ(found.locks, study.locks);
    ASSERT_EQ(found.factors.size(), 2u);
    EXPECT_EQ(found.factors[0].name, "framework");
    EXPECT_EQ(found.factors[1].levels, (std::vector<std::string>{"ncf", "gnmt"}));
  }
  EXPECT_EQ(read_text(directory / "study.toml").value() + "\n", study.text);
}

TEST(ResultStore, GivesBackEveryFieldOfARun) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  const StoredRun full = full_run("full");
  record_run(store, full, 0);
  record_run(store, short_run("short", 1), 0);
  EXPECT_EQ(store.take_in(), 2u);
  EXPECT_TRUE(store.troubles().empty());
  EXPECT_TRUE(fs::is_empty(host.root() / "r" / "records"));

  const auto found = store.run("full");
  ASSERT_TRUE(found);
  EXPECT_EQ(run_json(*found), run_json(full));
  EXPECT_EQ(run_json(store.run("short").value()), run_json(short_run("short", 1)));
  EXPECT_EQ(store.run("none"), std::nullopt);
  const auto all = store.runs(Detail::all);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(run_json(all[0]), run_json(full));
}

TEST(ResultStore, ReadsNoMoreThanIsAskedFor) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  record_run(store, full_run("full"), 0);
  store.take_in();
  const auto figures = store.runs(Detail::figures).at(0);
  EXPECT_EQ(figures.cell, full_run("full").cell);
  EXPECT_EQ(figures.run.energy.domains.size(), 2u);
  EXPECT_EQ(figures.run.channels.size(), 2u);
  EXPECT_EQ(figures.run.work.size(), 2u);
  EXPECT_TRUE(figures.run.spans.empty());
  EXPECT_TRUE(figures.meters.empty());
  EXPECT_EQ(figures.log_tail, "");
  const auto told = store.runs(Detail::emitted).at(0);
  EXPECT_EQ(told.run.spans.at(0).channels.at(0).mean, 0.5);
  EXPECT_EQ(told.run.metrics.size(), 2u);
  EXPECT_TRUE(told.meters.empty());
}

TEST(ResultStore, GivesBackTheSamplesOfEachRun) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  record_run(store, short_run("a", 0), 40'000);
  record_run(store, short_run("b", 1), 3);
  store.take_in();
  const auto samples = samples_of(store, "a");
  ASSERT_EQ(samples.size(), 40'000u);
  for (std::size_t i = 0; i < samples.size(); ++i)
    ASSERT_TRUE(equal(samples[i].second, reading_of(i))) << i;
  EXPECT_EQ(samples_of(store, "b").size(), 3u);
  EXPECT_TRUE(contains(error_of([&] { samples_of(store, "bb"); }), "has no run 'bb'"));
}

TEST(ResultStore, HasARunThatIsFinishedBeforeItIsTakenIn) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  record_run(store, short_run("a"), 5);
  for (int round = 0; round < 2; ++round) {
    const auto reader = ResultStore::open(host.root() / "r", Access::read_only);
    EXPECT_EQ(ids_of(reader), std::vector<std::string>{"a"});
    EXPECT_EQ(reader.run("a")->id, "a");
    EXPECT_EQ(samples_of(reader, "a").size(), 5u);
    EXPECT_EQ(reader.counts().runs(), 1u);
    EXPECT_EQ(store.take_in(), round == 0 ? 1u : 0u);
  }
}

TEST(ResultStore, TakesNoRunInTwice) {
  FakeHost host;
  const auto directory = host.root() / "r";
  auto store = ResultStore::create(directory, small_study());
  record_run(store, short_run("a"));
  fs::copy(directory / "records/a.record", host.root() / "copy");
  EXPECT_EQ(store.take_in(), 1u);
  // As if it was killed after the commit, before the record was removed.
  fs::copy(host.root() / "copy", directory / "records/a.record");
  EXPECT_EQ(store.take_in(), 0u);
  EXPECT_TRUE(fs::is_empty(directory / "records"));
  EXPECT_EQ(ids_of(store), std::vector<std::string>{"a"});
  EXPECT_EQ(samples_of(store, "a").size(), 10u);
}

TEST(ResultStore, TakesInWhatIsWholeAndSaysWhatIsNot) {
  FakeHost host;
  const auto directory = host.root() / "r";
  {
    auto store = ResultStore::create(directory, small_study());
    record_run(store, short_run("good"));
    record_run(store, short_run("strange", 0, {"one level only"}));
    host.write("r/records/broken.record", "prengdl-record 1, but not much of it, just some words");
    host.write("r/records/dead.part", "what a killed process left behind");
  }
  auto store = ResultStore::open(directory, Access::read_write);
  EXPECT_EQ(ids_of(store).front(), "good");
  ASSERT_EQ(store.troubles().size(), 2u);
  EXPECT_TRUE(contains(store.troubles()[0].what(), "broken.record"));
  EXPECT_TRUE(contains(store.troubles()[1].what(), "strange.record"));
  EXPECT_TRUE(contains(store.troubles()[1].what(), "1 levels, but the study has 2 factors"));
  EXPECT_EQ(list_directory(directory / "records"),
            (std::vector<std::string>{"broken.record", "strange.record"}));
  record_run(store, short_run("next"));
  EXPECT_EQ(store.take_in(), 1u);
}

TEST(ResultStore, LeavesRunsOutWithAReasonAndTakesThemBack) {
  FakeHost host;
  const auto directory = host.root() / "r";
  auto store = ResultStore::create(directory, small_study());
  for (const auto* id : {"a", "b"}) record_run(store, short_run(id));
  store.take_in();
  store.exclude("a", "the fan failed");
  EXPECT_EQ(store.run("a")->excluded, "the fan failed");
  EXPECT_EQ(store.run("b")->excluded, std::nullopt);
  EXPECT_EQ(store.counts().excluded, 1u);
  store.include("a", "it did not");
  EXPECT_EQ(store.run("a")->excluded, std::nullopt);
  store.exclude("a", "it did");
  EXPECT_EQ(store.runs()[0].excluded, "it did");

  const auto history = store.exclusions();
  ASSERT_EQ(history.size(), 3u);
  EXPECT_EQ(history[1].run, "a");
  EXPECT_FALSE(history[1].excluded);
  EXPECT_EQ(history[1].reason, "it did not");
  EXPECT_FALSE(history[0].who.empty());
  EXPECT_EQ(history[0].at.size(), std::string("2025-11-16T10:20:30Z").size());
  EXPECT_TRUE(contains(error_of([&] { store.exclude("c", "why not"); }), "has no run 'c'"));
  EXPECT_TRUE(contains(error_of([&] { store.exclude("a", "  "); }), "needs a reason"));
}

TEST(ResultStore, KeepsEventsMachinesAndCounts) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  store.add_event({"2025-11-16T10:00:00Z", StudyEventKind::start, "block 0"});
  store.add_event({"2025-11-16T11:00:00Z", StudyEventKind::stop_early, ""});
  ASSERT_EQ(store.events().size(), 2u);
  EXPECT_EQ(store.events()[1].kind, StudyEventKind::stop_early);

  MachineRecord machine{"m-1", {}};
  machine.facts.cpu.model_name = "Some CPU";
  store.add_machine(machine);
  machine.facts.cpu.model_name = "Another";
  store.add_machine(machine);
  ASSERT_EQ(store.machines().size(), 1u);
  EXPECT_EQ(store.machines()[0].facts.cpu.model_name, "Some CPU");

  StoredRun warmup = short_run("w");
  warmup.is_warmup = true;
  StoredRun failed = short_run("f");
  failed.outcome = Outcome::timeout;
  for (const auto& run : {warmup, failed, short_run("a"), short_run("b")}) record_run(store, run);
  store.take_in();
  const auto counts = store.counts();
  EXPECT_EQ(counts.runs(), 3u);
  EXPECT_EQ(counts.by_outcome.at("ok"), 2u);
  EXPECT_EQ(counts.by_outcome.at("timeout"), 1u);
  EXPECT_EQ(counts.warmups, 1u);
  EXPECT_EQ(store.integrity(), "ok");
}

TEST(ResultStore, IsReadWhileItIsWritten) {
  FakeHost host;
  const auto directory = host.root() / "r";
  auto writer = ResultStore::create(directory, small_study());
  record_run(writer, short_run("a"));
  writer.take_in();
  const auto reader = ResultStore::open(directory, Access::read_only);
  std::size_t seen = 0;
  reader.each_run(Detail::all, [&](StoredRun&&) {
    ++seen;
    record_run(writer, short_run("b"));
    writer.take_in();
  });
  EXPECT_EQ(seen, 1u) << "a reader sees one state from beginning to end";
  EXPECT_EQ(ids_of(reader), (std::vector<std::string>{"a", "b"}));
}

TEST(ResultStore, RegistersTheAnalysisWhenItIsMade) {
  FakeHost host;
  StudyRecord study = small_study();
  EXPECT_FALSE(ResultStore::create(host.root() / "imported", study).registration());
  study.registered = "abc";
  const auto found = ResultStore::create(host.root() / "r", study).registration();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text, "abc");
  EXPECT_EQ(found->at, study.created_at);
  EXPECT_EQ(found->sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(ResultStore, KeepsLooksWhileSomebodyElseWrites) {
  FakeHost host;
  auto writer = ResultStore::create(host.root() / "r", small_study());
  const auto reader = ResultStore::open(host.root() / "r", Access::read_only);
  const auto file = host.root() / "r/records/000000004.look";
  reader.note_look({"t1", "compare", 4, 1, 3});
  reader.note_look({"t2", "report", 4, 1, 3});
  ASSERT_EQ(reader.looks().size(), 1u) << "the same state twice is one look";
  EXPECT_EQ(reader.looks()[0].by, "compare");
  EXPECT_TRUE(fs::exists(file));
  writer.take_in();
  EXPECT_FALSE(fs::exists(file));
  reader.note_look({"t3", "compare", 4, 1, 3});
  EXPECT_FALSE(fs::exists(file));
  reader.note_look({"t4", "serve", 8, 2, 3});
  for (const ResultStore* store : {static_cast<const ResultStore*>(&writer), &reader}) {
    ASSERT_EQ(store->looks().size(), 2u);
    EXPECT_EQ(store->looks()[0].at, "t1");
    EXPECT_EQ(store->looks()[1].blocks, 2u);
    EXPECT_EQ(store->looks()[1].planned_blocks, 3u);
  }
}

TEST(ResultStore, KeepsNoLookWhereItCannotWrite) {
  FakeHost host;
  { const auto store = ResultStore::create(host.root() / "r", small_study()); }
  fs::remove(host.root() / "r/records");
  const auto reader = ResultStore::open(host.root() / "r", Access::read_only);
  EXPECT_NO_THROW(reader.note_look({"t", "compare", 4, 1, 3}));
  EXPECT_TRUE(reader.looks().empty());
}

TEST(ResultStore, LeavesALookThatCannotBeReadWhereItIs) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  host.write("r/records/000000004.look", "{");
  store.take_in();
  EXPECT_TRUE(store.looks().empty());
  EXPECT_TRUE(fs::exists(host.root() / "r/records/000000004.look"));
}

TEST(ResultStore, SharesListsOfMeters) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  for (int i = 0; i < 5; ++i) record_run(store, short_run("r" + std::to_string(i)), 0);
  record_run(store, full_run("full"), 0);
  store.take_in();
  for (int i = 5; i < 8; ++i) record_run(store, short_run("r" + std::to_string(i)), 0);
  store.take_in();
  EXPECT_EQ(store.database().integer("SELECT count(DISTINCT list) FROM meters"), 2);
  EXPECT_EQ(store.run("r7")->meters.at(0).range, package_meter().range);
  EXPECT_EQ(store.run("full")->meters.at(1).note, "slow");
}

TEST(ResultStore, IsNotMadeOverSomethingElse) {
  FakeHost host;
  const auto directory = host.root() / "r";
  { const auto store = ResultStore::create(directory, small_study()); }
  EXPECT_TRUE(contains(error_of([&] { ResultStore::create(directory, small_study()); }),
                       "already contains a study"));
  host.write("mine/study.toml", "my own study");
  EXPECT_TRUE(contains(error_of([&] { ResultStore::create(host.root() / "mine", small_study()); }),
                       "is not the study to run"));
  EXPECT_EQ(read_text(host.root() / "mine/study.toml").value(), "my own study");
  host.write("file", "");
  EXPECT_TRUE(contains(error_of([&] { ResultStore::create(host.root() / "file", small_study()); }),
                       "Not a directory"));
}

TEST(ResultStore, GoesOnWithACreationThatWasInterrupted) {
  FakeHost host;
  const auto directory = host.root() / "r";
  fs::create_directories(directory);
  std::ofstream(directory / "study.db").close();
  EXPECT_FALSE(ResultStore::exists(directory));
  EXPECT_TRUE(contains(error_of([&] { ResultStore::open(directory, Access::read_only); }),
                       "its creation was interrupted"));
  EXPECT_TRUE(contains(error_of([&] { ResultStore::open(directory, Access::read_write); }),
                       "its creation was interrupted"));
  const auto store = ResultStore::create(directory, small_study());
  EXPECT_EQ(store.study().name, "small");
}

TEST(ResultStore, SaysThatThereIsNone) {
  FakeHost host;
  EXPECT_TRUE(contains(error_of([&] { ResultStore::open(host.root() / "x", Access::read_only); }),
                       "there is no directory"));
  EXPECT_TRUE(contains(error_of([&] { ResultStore::open(host.root(), Access::read_only); }),
                       "study.db is missing"));
}

}  // namespace
}  // namespace prengdl
