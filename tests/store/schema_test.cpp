// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"

#include <gtest/gtest.h>

#include "store/fixtures.h"
#include "store/run_json.h"

namespace prengdl {
namespace {

namespace fs = std::filesystem;

Database raw(const fs::path& directory, Database::Mode mode = Database::Mode::read_write) {
  return Database::open(directory / "study.db", mode).value();
}

/// A result as prengdl made it when the tables had version 1: one run, excluded.
void make_version_1(const fs::path& directory) {
  fs::create_directories(directory / "records");
  const Database database = raw(directory, Database::Mode::create);
  database.run("PRAGMA journal_mode = WAL; BEGIN");
  migrate(database, 1);
  database.run(R"sql(
    INSERT INTO study VALUES (1, 'old', '[study]', 'tiny', 2, 1, 7, '0.0.1', '2025-01-01T00:00:00Z');
    INSERT INTO factors VALUES (0, 'framework');
    INSERT INTO levels VALUES ('framework', 0, 'pytorch');
    INSERT INTO runs (number, id, block, place, attempt, warmup, seed, outcome, machine, timed_out,
      interrupted, seconds, window_seconds, joules_metered, uncertainty, quality, begin_ns,
      started_at, user_seconds, system_seconds, max_rss_bytes, voluntary_switches,
      involuntary_switches, workload_cpu_seconds, own_cpu_seconds, samples, missed_samples,
      late_samples, flags, output_tail, log_tail, meters)
    VALUES (1, 'r1', 0, 0, 0, 0, 5, 'ok', 'm', 0, 0, 1.5, 1.25, 20, 0.5, 'chip', 10, 'then', 1, 0.5,
      4096, 1, 2, 1.5, 0.01, 0, 0, 0, '', '', '', 0), (2, 'r2', 0, 1, 0, 0, 6, 'ok', 'm', 0, 0, 1.5,
      1.25, NULL, NULL, NULL, 10, 'then', 1, 0.5, 4096, 1, 2, 1.5, 0.01, 0, 0, 0, '', '', '', 0);
    INSERT INTO run_levels VALUES (1, 'framework', 'pytorch'), (2, 'framework', 'pytorch');
    INSERT INTO joules VALUES (1, 0, 'package', 0, 20, 0.5, 'chip'),
      (1, 0, 'metered', NULL, 20, 0.5, 'chip');
    INSERT INTO exclusions VALUES (2, 'too hot', '2025-01-02T00:00:00Z');
    COMMIT)sql");
}

/// All that makes up the tables, in words.
std::string schema_text(const Database& database) {
  std::string text;
  Statement rows = database.prepare(
      "SELECT type || ' ' || name || ' ' || sql FROM sqlite_master"
      " WHERE sql IS NOT NULL ORDER BY type, name");
  while (rows.step()) text += std::string(rows.text(0)) + "\n";
  return text;
}

TEST(Schema, OfVersion1IsBroughtUpToDate) {
  for (const auto access : {Access::read_write, Access::read_only}) {
    FakeHost host;
    make_version_1(host.root());
    const auto store = ResultStore::open(host.root(), access);
    EXPECT_EQ(store.database().integer("PRAGMA user_version"), schema_version);
    EXPECT_EQ(store.study().name, "old");
    const auto runs = store.runs(Detail::all);
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0].id, "r1");
    EXPECT_EQ(runs[0].cell, Cell{"pytorch"});
    EXPECT_EQ(runs[0].run.energy.metered->value, Joules{20});
    EXPECT_EQ(runs[0].excluded, std::nullopt);
    EXPECT_EQ(runs[1].excluded, "too hot");
    const auto history = store.exclusions();
    ASSERT_EQ(history.size(), 1u);
    EXPECT_EQ(history[0].at, "2025-01-02T00:00:00Z");
    EXPECT_EQ(store.integrity(), "ok");
  }
}

TEST(Schema, OfVersion1ThatIsBroughtUpToDateTakesEverythingThatANewOneTakes) {
  FakeHost host;
  make_version_1(host.root() / "old");
  auto old = ResultStore::open(host.root() / "old", Access::read_write);
  const auto fresh = ResultStore::create(host.root() / "new", small_study());
  EXPECT_EQ(schema_text(old.database()), schema_text(fresh.database()));
  StoredRun run = full_run("full");
  run.cell = {"pytorch"};
  record_run(old, run);
  old.take_in();
  EXPECT_EQ(run_json(old.run("full").value()), run_json(run));
  old.include("r2", "it was not hot");
  EXPECT_EQ(old.run("r2")->excluded, std::nullopt);
}

TEST(Schema, OfVersion4HasNeitherRegistrationNorLooks) {
  FakeHost host;
  make_version_1(host.root());
  {
    const Database database = raw(host.root());
    database.run("BEGIN");
    migrate(database, 4);
    database.run("INSERT INTO events (at, kind, detail, cell) VALUES ('t', 'start', 'run', '')");
    database.run("COMMIT");
    EXPECT_EQ(database.integer("SELECT count(*) FROM sqlite_master WHERE name = 'looks'"), 0);
  }
  auto store = ResultStore::open(host.root(), Access::read_write);
  EXPECT_EQ(store.database().integer("PRAGMA user_version"), 6);
  EXPECT_EQ(store.events().size(), 1u);
  EXPECT_FALSE(store.registration());
  EXPECT_TRUE(store.looks().empty());
  EXPECT_TRUE(store.aa().empty());
  store.note_look({"t", "compare", 2, 1, 1});
  EXPECT_EQ(store.looks().size(), 1u);
}

TEST(Schema, OfVersion5HasNoSiteEnergy) {
  FakeHost host;
  make_version_1(host.root());
  {
    const Database database = raw(host.root());
    database.run("BEGIN");
    migrate(database, 5);
    database.run("COMMIT");
  }
  auto store = ResultStore::open(host.root(), Access::read_write);
  EXPECT_TRUE(store.site_energy().empty());
  store.add_site_energy({{"no such run", "slurm", Joules{1}}});
  EXPECT_TRUE(store.site_energy().empty());
}

TEST(Schema, OfVersion1IsLeftAloneWhereSomebodyElseWrites) {
  FakeHost host;
  make_version_1(host.root());
  const ResultLock lock(host.root());
  const auto error = error_of([&] { ResultStore::open(host.root(), Access::read_only); });
  EXPECT_TRUE(contains(error, "older prengdl (schema 1, this one reads 6)")) << error;
  EXPECT_TRUE(contains(error, "is in use by prengdl")) << error;
}

TEST(Schema, OfANewerVersionIsRefused) {
  FakeHost host;
  const auto directory = host.root() / "r";
  { const auto store = ResultStore::create(directory, small_study()); }
  raw(directory).run("PRAGMA user_version = 7");
  for (const auto access : {Access::read_only, Access::read_write})
    EXPECT_EQ(error_of([&] { ResultStore::open(directory, access); }),
              directory.string() +
                  " was written by a newer prengdl (schema 7, this one knows 6) | update prengdl");
  EXPECT_TRUE(ResultStore::exists(directory));
}

TEST(Schema, OfAnotherProgramIsRefused) {
  FakeHost host;
  raw(host.root(), Database::Mode::create).run("CREATE TABLE songs (title)");
  for (const auto access : {Access::read_only, Access::read_write})
    EXPECT_TRUE(contains(error_of([&] { ResultStore::open(host.root(), access); }),
                         "study.db was not made by prengdl"));
  host.write("text/study.db", std::string(5000, 'x'));
  EXPECT_TRUE(
      contains(error_of([&] { ResultStore::open(host.root() / "text", Access::read_only); }),
               "file is not a database"));
}

TEST(Schema, SyncsEveryCommitAndWritesALogAhead) {
  FakeHost host;
  { const auto store = ResultStore::create(host.root() / "r", small_study()); }
  const auto store = ResultStore::open(host.root() / "r", Access::read_write);
  EXPECT_EQ(store.database().text("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(store.database().integer("PRAGMA synchronous"), 2);
  EXPECT_EQ(store.database().integer("PRAGMA foreign_keys"), 1);
  EXPECT_EQ(store.database().integer("PRAGMA application_id"), application_id);
}

TEST(Schema, LetsNobodyChangeWhatIsStored) {
  FakeHost host;
  StudyRecord study = small_study();
  study.registered = "{}";
  auto store = ResultStore::create(host.root() / "r", study);
  record_run(store, full_run("full"));
  store.note_look({"now", "compare", 1, 0, 3});
  store.take_in();
  store.add_aa({});
  store.exclude("full", "to see");
  store.add_event({"now", StudyEventKind::start, ""});
  const Database& database = store.database();
  for (const std::string table :
       {"runs", "run_levels", "joules", "channels", "spans", "span_joules", "span_channels",
        "metrics", "work", "facts", "warnings", "left_behind", "meters", "samples", "events",
        "exclusions", "registration", "looks", "aa"}) {
    ASSERT_GT(database.integer("SELECT count(*) FROM " + table), 0) << table;
    EXPECT_TRUE(contains(error_of([&] { database.run("DELETE FROM " + table); }),
                         "what is stored is not changed"))
        << table;
    Statement column = database.prepare("SELECT name FROM pragma_table_info('" + table + "')");
    ASSERT_TRUE(column.step());
    const std::string name(column.text(0));
    EXPECT_TRUE(
        contains(error_of([&] { database.run("UPDATE " + table + " SET " + name + " = " + name); }),
                 "what is stored is not changed"))
        << table;
  }
  EXPECT_TRUE(
      contains(error_of([&] { database.run("INSERT OR REPLACE INTO runs SELECT * FROM runs"); }),
               "this run is there already"));
  EXPECT_EQ(run_json(store.run("full").value()), run_json(full_run("full")));
}

TEST(Schema, HasViewsOfWhatCounts) {
  FakeHost host;
  auto store = ResultStore::create(host.root() / "r", small_study());
  StoredRun warmup = short_run("w");
  warmup.is_warmup = true;
  StoredRun failed = short_run("failed");
  failed.outcome = Outcome::failed;
  StoredRun again = short_run("again");
  again.attempt = 1;
  std::size_t block = 0;
  for (auto run : {warmup, short_run("a"), short_run("b"), short_run("c"), failed}) {
    run.block = run.place = block++;
    record_run(store, run, 0);
  }
  again.block = again.place = 1;  // where a was
  record_run(store, again, 0);
  store.take_in();
  store.exclude("b", "no");
  store.exclude("c", "no");
  store.include("c", "yes");
  EXPECT_EQ(store.database().text(
                "SELECT group_concat(id) FROM (SELECT id FROM counted_runs ORDER BY id)"),
            "again,c");
  EXPECT_EQ(store.database().text("SELECT reason FROM excluded"), "no");
}

}  // namespace
}  // namespace prengdl
