// SPDX-License-Identifier: Apache-2.0
#include "store/follow.h"

#include <utility>

#include "store/record.h"
#include "store/run_tables.h"

namespace prengdl {
namespace {

/// Of the runs that were there before, only the latest failures come with the ends of their
/// outputs.
constexpr std::size_t most_tails = 20;

/// Of so many runs that were there before, what the workloads emitted is read as well.
constexpr std::int64_t most_emitted = 2000;

}  // namespace

ResultFollower::ResultFollower(const std::filesystem::path& directory)
    : store_(ResultStore::open(directory, Access::read_only)) {}

ResultNews ResultFollower::look() {
  ResultNews news;
  // Records first: one that is stored meanwhile is in the tables that are read next.
  take_records(news);
  // Changes when another process has committed something: the rest need not be asked then.
  const std::int64_t version = store_.database().integer("PRAGMA data_version");
  if (version_ != version) take_stored(news);
  version_ = version;
  return news;
}

void ResultFollower::take_records(ResultNews& news) {
  std::set<std::string> there;
  for (const auto& path : finished_records(store_.directory() / "records")) {
    const std::string name = path.filename().string();
    there.insert(name);
    if (records_.contains(name)) continue;
    if (auto record = read_record(path))
      add(std::move(record->run), news);
    else if (is_there(path))  // else it is in the database by now
      news.troubles.emplace_back(record.error().what());
  }
  records_ = std::move(there);
}

void ResultFollower::take_stored(ResultNews& news) {
  const Database& database = store_.database();
  const Snapshot snapshot(database);
  const std::int64_t last_run = database.integer("SELECT max(number) FROM runs");
  const auto take = [&](StoredRun&& run) { add(std::move(run), news); };
  if (last_run_ == 0) {
    select_runs(database, last_run <= most_emitted ? Detail::emitted : Detail::figures,
                std::nullopt, take);
    std::size_t failures = 0;
    for (auto run = news.runs.rbegin(); run != news.runs.rend() && failures < most_tails; ++run) {
      if (run->outcome == Outcome::ok) continue;
      ++failures;
      if (auto whole = store_.run(run->id)) *run = std::move(*whole);
    }
  } else if (last_run > last_run_) {
    Statement numbers =
        database.prepare("SELECT number FROM runs WHERE number > ? ORDER BY number");
    numbers.bind(0, last_run_);
    while (numbers.step()) select_runs(database, Detail::all, numbers.integer(0), take);
  }
  last_run_ = last_run;

  const std::int64_t last_exclusion = database.integer("SELECT max(number) FROM exclusions");
  if (last_exclusion != std::exchange(last_exclusion_, last_exclusion)) {
    news.excluded.emplace();
    Statement rows =
        database.prepare("SELECT id, reason FROM excluded JOIN runs ON run = runs.number");
    while (rows.step()) news.excluded->emplace(rows.text(0), rows.text(1));
  }
  const std::int64_t last_event = database.integer("SELECT max(number) FROM events");
  if (last_event != std::exchange(last_event_, last_event)) news.events = store_.events();
}

void ResultFollower::add(StoredRun&& run, ResultNews& news) {
  if (known_.insert(run.id).second) news.runs.push_back(std::move(run));
}

}  // namespace prengdl
