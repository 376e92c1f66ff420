// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/own_files.h"
#include "model/aa_record.h"
#include "model/look.h"
#include "model/registration.h"
#include "model/result.h"
#include "store/database.h"
#include "store/lock.h"
#include "store/record.h"
#include "store/run_tables.h"

namespace prengdl {

enum class Access { read_only, read_write };

/// That a run is left out or taken back, by whom, when and why. The last one of a run holds.
struct Exclusion {
  std::string run;
  bool excluded = true;
  std::string reason;
  std::string who;
  std::string at;
};

/// How far a study is.
struct ResultCounts {
  std::map<std::string, std::size_t> by_outcome;  // "ok", "failed", ...: without warm-ups
  std::size_t warmups = 0;
  std::size_t excluded = 0;
  std::size_t runs() const;  // without warm-ups
};

/// A result directory: RESULT/study.db, study.toml, records/, logs/, lock
/// (docs/reference/schema.md). A writer holds the lock; any number of others may read
/// meanwhile. One thread at a time. Errors are thrown; they name the file and say what can be done.
///
/// A run that is finished is in the result whenever it is read: in the database, or, until it
/// is stored there, as a record.
class ResultStore {
 public:
  /// Whether a study is there. False for a directory whose creation was interrupted: create() goes
  /// on with that.
  static bool exists(const std::filesystem::path& directory);

  /// Makes the directory with the study in it and opens it for writing. With `quick`, nothing of it
  /// or of what is written to this store is synced: for a directory that the caller syncs as a
  /// whole before anyone else sees it.
  static ResultStore create(const std::filesystem::path& directory, const StudyRecord& study,
                            Durability durability = Durability::durable);

  /// For writing it takes the lock, brings older tables up to date, removes what a dead process
  /// left unfinished and stores the records. For reading it needs no right to write anywhere.
  static ResultStore open(const std::filesystem::path& directory, Access access);

  const std::filesystem::path& directory() const { return directory_; }
  StudyRecord study() const;

  /// Where a run's stdout and stderr go.
  std::filesystem::path logs(const std::string& run) const { return directory_ / "logs" / run; }

  /// For a writer. Throws an Error if somebody removed or replaced the directory, its database or
  /// its lock: what is written from then on would be lost.
  void check_is_there() const;

  /// A record for a run that is about to be made; finish() it, then take_in().
  std::unique_ptr<RunRecordWriter> record(const std::string& run) const;

  /// Takes the finished records into the database, each in one transaction, and removes them. Gives
  /// the number of runs that are new. What is not a whole record is left where it is: see
  /// troubles().
  std::size_t take_in();

  /// The same for records of another directory, all in one transaction; gives the runs that are
  /// new. With a reason they are excluded from the start. One that cannot be read is put aside as
  /// FILE.unreadable.
  std::vector<StoredRun> take_records(const std::vector<std::filesystem::path>& records,
                                      const std::optional<std::string>& excluded = std::nullopt);

  /// What the last take_in() or take_records() could not read, in words.
  const std::vector<Error>& troubles() const { return troubles_; }

  /// All runs in the order in which they were stored, without samples. `take` must not write to the
  /// store.
  void each_run(Detail detail, const std::function<void(StoredRun&&)>& take) const;
  std::vector<StoredRun> runs(Detail detail = Detail::emitted) const;
  std::optional<StoredRun> run(const std::string& id) const;

  /// The samples of a run in the order in which they were taken. A run that is not there is an
  /// Error.
  void samples(const std::string& run, const TakeSample& take) const;
  void chunks(const std::string& run, const TakeChunk& take) const;

  void exclude(const std::string& run, const std::string& reason);
  void include(const std::string& run, const std::string& reason);
  std::vector<Exclusion> exclusions() const;

  void add_event(const StudyEvent& event);
  std::vector<StudyEvent> events() const;

  /// A machine that is known by its fingerprint stays as it is.
  void add_machine(const MachineRecord& machine);
  std::vector<MachineRecord> machines() const;

  /// The lock of an environment that was not there when the study began.
  void add_lock(const std::string& environment, const std::string& text);

  /// The analysis as it was registered before the first run. Nothing if the runs were imported or
  /// the result was made by a prengdl that did not register.
  std::optional<Registration> registration() const;

  /// What one command under two labels showed of machines, in the order in which it was stored.
  void add_aa(const AaRecord& record);
  std::vector<AaRecord> aa() const;

  /// What a cluster's accounting says of runs; the first word on a run stays.
  void add_site_energy(const std::vector<SiteEnergy>& found);
  std::vector<SiteEnergy> site_energy() const;

  /// Looks at the unfinished study, in the order of their runs.
  std::vector<Look> looks() const;

  /// Keeps a look, also of a store that was opened to read: as a file next to the records, until
  /// the next writer stores it, so that it never waits for `run` or gets in its way. Does nothing
  /// if the state was seen before, or if this user may not write here.
  void note_look(const Look& look) const;

  ResultCounts counts() const;

  /// What the meters of the runs cover; also those that gave no figure.
  std::vector<std::string> domains() const;

  /// What SQLite's integrity_check and the foreign keys say; "ok" if all is well.
  std::string integrity() const;

  /// For this folder.
  const Database& database() const { return database_; }

 private:
  ResultStore(std::filesystem::path directory, std::optional<ResultLock> lock, Database database);

  void check_directory() const;
  static ResultStore open_to_write(const std::filesystem::path& directory);
  static ResultStore open_to_read(const std::filesystem::path& directory);
  std::filesystem::path records() const { return directory_ / "records"; }
  /// The finished records that can be read, whether or not they are in the database.
  std::vector<RunRecord> waiting() const;
  void take_in_looks();
  void insert_exclusion(std::int64_t run, bool excluded, const std::string& reason);
  void decide(const std::string& run, bool excluded, const std::string& reason);

  std::filesystem::path directory_;
  std::optional<ResultLock> lock_;
  std::optional<std::pair<dev_t, ino_t>> database_file_;  // while it is open nobody else gets these
  Database database_;  // after the lock, so that it is closed before that is given back
  std::vector<Error> troubles_;
};

}  // namespace prengdl
