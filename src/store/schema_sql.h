// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace prengdl::schema_sql {

// The tables, one script for each version. The names of columns are those of fields.h; units and
// meanings are in docs/reference/schema.md. A script that was released stays as it is.

constexpr const char* version_1 = R"sql(
CREATE TABLE study (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  preset TEXT NOT NULL,
  planned_runs INTEGER NOT NULL,
  blocks INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  prengdl_version TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
CREATE TABLE factors (place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE levels (
  factor TEXT NOT NULL REFERENCES factors (name),
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (factor, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE locks (
  number INTEGER PRIMARY KEY,
  environment TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (environment, text)
) STRICT;
CREATE TABLE machines (
  fingerprint TEXT PRIMARY KEY,
  hostname TEXT,
  cpu TEXT,
  facts TEXT NOT NULL
) STRICT;
CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  kind TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

CREATE TABLE meters (
  list INTEGER NOT NULL,
  place INTEGER NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  domain TEXT NOT NULL,
  source TEXT NOT NULL,
  kind TEXT NOT NULL,
  quality TEXT NOT NULL,
  unit TEXT NOT NULL,
  counted TEXT NOT NULL,
  step REAL NOT NULL,
  quantum REAL NOT NULL,
  raw_range INTEGER,
  update_seconds REAL NOT NULL,
  window_seconds REAL NOT NULL,
  lag_seconds REAL NOT NULL,
  period_seconds REAL NOT NULL,
  may_block INTEGER NOT NULL,
  model_low REAL NOT NULL,
  model_high REAL NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (list, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  block INTEGER NOT NULL,
  place INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  warmup INTEGER NOT NULL,
  seed INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  machine TEXT NOT NULL,
  repeats TEXT,
  exit_code INTEGER,
  signal INTEGER,
  timed_out INTEGER NOT NULL,
  interrupted INTEGER NOT NULL,
  seconds REAL NOT NULL,
  window_seconds REAL NOT NULL,
  joules_metered REAL,
  uncertainty REAL,
  quality TEXT,
  begin_ns INTEGER NOT NULL,
  started_at TEXT NOT NULL,
  user_seconds REAL NOT NULL,
  system_seconds REAL NOT NULL,
  max_rss_bytes INTEGER NOT NULL,
  voluntary_switches INTEGER NOT NULL,
  involuntary_switches INTEGER NOT NULL,
  workload_cpu_seconds REAL NOT NULL,
  own_cpu_seconds REAL NOT NULL,
  others_cpu_seconds REAL,
  stolen_cpu_seconds REAL,
  cpu_pressure_seconds REAL,
  memory_pressure_seconds REAL,
  io_pressure_seconds REAL,
  load_before REAL,
  settle_seconds REAL,
  settled INTEGER,
  samples INTEGER NOT NULL,
  missed_samples INTEGER NOT NULL,
  late_samples INTEGER NOT NULL,
  flags TEXT NOT NULL,
  output_tail TEXT NOT NULL,
  log_tail TEXT NOT NULL,
  meters INTEGER NOT NULL
) STRICT;
CREATE TRIGGER runs_no_second BEFORE INSERT ON runs
WHEN EXISTS (SELECT 1 FROM runs WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'runs: what is stored is not changed; this run is there already');
END;
CREATE TABLE run_levels (
  run INTEGER NOT NULL REFERENCES runs (number),
  factor TEXT NOT NULL REFERENCES factors (name),
  level TEXT NOT NULL,
  PRIMARY KEY (run, factor)
) STRICT, WITHOUT ROWID;
CREATE TABLE joules (
  run INTEGER NOT NULL REFERENCES runs (number),
  net INTEGER NOT NULL,
  domain TEXT NOT NULL,
  metered_place INTEGER,
  joules REAL,
  uncertainty REAL,
  quality TEXT,
  PRIMARY KEY (run, net, domain)
) STRICT, WITHOUT ROWID;
CREATE TABLE channels (
  run INTEGER NOT NULL REFERENCES runs (number),
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  mean REAL,
  lowest REAL,
  highest REAL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE spans (
  run INTEGER NOT NULL REFERENCES runs (number),
  place INTEGER NOT NULL,
  span TEXT NOT NULL,
  name TEXT NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE span_joules (
  run INTEGER NOT NULL,
  place INTEGER NOT NULL,
  domain TEXT NOT NULL,
  metered_place INTEGER,
  joules REAL,
  uncertainty REAL,
  quality TEXT,
  PRIMARY KEY (run, place, domain),
  FOREIGN KEY (run, place) REFERENCES spans (run, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE metrics (
  run INTEGER NOT NULL REFERENCES runs (number),
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  value REAL,
  at_ns INTEGER NOT NULL,
  step INTEGER,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE work (
  run INTEGER NOT NULL REFERENCES runs (number),
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  value REAL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE warnings (
  run INTEGER NOT NULL REFERENCES runs (number),
  place INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE left_behind (
  run INTEGER NOT NULL REFERENCES runs (number),
  place INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE samples (
  run INTEGER NOT NULL REFERENCES runs (number),
  chunk INTEGER NOT NULL,
  first_ns INTEGER NOT NULL,
  last_ns INTEGER NOT NULL,
  count INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (run, chunk)
) STRICT;
CREATE TABLE exclusions (
  run INTEGER PRIMARY KEY REFERENCES runs (number),
  reason TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT;
)sql";

// Exclusions keep their history: who left a run out or took it back, when and why. Spans have what
// the channels showed meanwhile.
constexpr const char* version_2 = R"sql(
ALTER TABLE exclusions RENAME TO exclusions_1;
CREATE TABLE exclusions (
  number INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (number),
  excluded INTEGER NOT NULL,
  reason TEXT NOT NULL,
  who TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE INDEX exclusions_of_run ON exclusions (run);
INSERT INTO exclusions (run, excluded, reason, who, at)
  SELECT run, 1, reason, '', at FROM exclusions_1 ORDER BY at, run;
DROP TABLE exclusions_1;
CREATE TABLE span_channels (
  run INTEGER NOT NULL,
  place INTEGER NOT NULL,
  item INTEGER NOT NULL,
  name TEXT NOT NULL,
  mean REAL,
  PRIMARY KEY (run, place, item),
  FOREIGN KEY (run, place) REFERENCES spans (run, place)
) STRICT, WITHOUT ROWID;
CREATE VIEW excluded AS
  SELECT run, reason, who, at FROM exclusions AS this
  WHERE excluded AND number = (SELECT max(number) FROM exclusions WHERE run = this.run);
CREATE VIEW counted_runs AS
  SELECT * FROM runs WHERE NOT warmup AND number NOT IN (SELECT run FROM excluded);
)sql";

constexpr const char* version_3 = R"sql(
CREATE TABLE facts (
  run INTEGER NOT NULL REFERENCES runs (number),
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
)sql";

/// The cell that an event is about was part of its text before.
constexpr const char* version_4 = R"sql(
ALTER TABLE events ADD COLUMN cell TEXT NOT NULL DEFAULT '';
)sql";

/// What surrounds an analysis: how it was registered, who looked before the end, and what the
/// machine can resolve.
constexpr const char* version_5 = R"sql(
CREATE TABLE registration (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  sha256 TEXT NOT NULL,
  at TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE TABLE looks (
  number INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  command TEXT NOT NULL,
  runs INTEGER NOT NULL,
  blocks INTEGER NOT NULL,
  planned_blocks INTEGER NOT NULL
) STRICT;
CREATE TABLE aa (
  number INTEGER PRIMARY KEY,
  machine TEXT NOT NULL,
  at TEXT NOT NULL,
  record TEXT NOT NULL
) STRICT;
DROP VIEW counted_runs;
CREATE VIEW counted_runs AS
  WITH good AS (
    SELECT * FROM runs
    WHERE outcome = 'ok' AND NOT warmup AND number NOT IN (SELECT run FROM excluded)),
  last AS (
    SELECT number, row_number() OVER (
      PARTITION BY machine, block, place ORDER BY attempt DESC, number DESC) AS rank FROM good)
  SELECT * FROM good
  WHERE id NOT IN (SELECT repeats FROM good WHERE repeats IS NOT NULL)
    AND ((SELECT blocks FROM study) = 0 OR number IN (SELECT number FROM last WHERE rank = 1));
)sql";

/// What a cluster's own accounting says of a run.
constexpr const char* version_6 = R"sql(
CREATE TABLE site_energy (
  run INTEGER PRIMARY KEY REFERENCES runs (number),
  source TEXT NOT NULL,
  joules REAL NOT NULL
) STRICT;
)sql";

}  // namespace prengdl::schema_sql
