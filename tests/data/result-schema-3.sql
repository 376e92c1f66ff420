-- A result of schema 3, imported from a table of 24 made-up runs.
BEGIN TRANSACTION;
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
CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  kind TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
INSERT INTO "events" VALUES(1,'2026-01-02T03:04:05Z','import','24 runs from csv');
INSERT INTO "events" VALUES(2,'2026-01-02T03:04:06Z','refused','pytorch bert requires 64 GB of memory');
CREATE TABLE exclusions (
  number INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (number),
  excluded INTEGER NOT NULL,
  reason TEXT NOT NULL,
  who TEXT NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE TABLE factors (place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO "factors" VALUES(0,'framework');
INSERT INTO "factors" VALUES(1,'model');
CREATE TABLE facts (
  run INTEGER NOT NULL REFERENCES runs (number),
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run, place)
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
INSERT INTO "joules" VALUES(1,0,'metered',NULL,98.416,0.0,'chip');
INSERT INTO "joules" VALUES(1,0,'package',0,98.416,0.0,'chip');
INSERT INTO "joules" VALUES(2,0,'metered',NULL,99.376,0.0,'chip');
INSERT INTO "joules" VALUES(2,0,'package',0,99.376,0.0,'chip');
INSERT INTO "joules" VALUES(3,0,'metered',NULL,97.399,0.0,'chip');
INSERT INTO "joules" VALUES(3,0,'package',0,97.399,0.0,'chip');
INSERT INTO "joules" VALUES(4,0,'metered',NULL,102.508,0.0,'chip');
INSERT INTO "joules" VALUES(4,0,'package',0,102.508,0.0,'chip');
INSERT INTO "joules" VALUES(5,0,'metered',NULL,101.591,0.0,'chip');
INSERT INTO "joules" VALUES(5,0,'package',0,101.591,0.0,'chip');
INSERT INTO "joules" VALUES(6,0,'metered',NULL,100.22,0.0,'chip');
INSERT INTO "joules" VALUES(6,0,'package',0,100.22,0.0,'chip');
INSERT INTO "joules" VALUES(7,0,'metered',NULL,127.447,0.0,'chip');
INSERT INTO "joules" VALUES(7,0,'package',0,127.447,0.0,'chip');
INSERT INTO "joules" VALUES(8,0,'metered',NULL,127.772,0.0,'chip');
INSERT INTO "joules" VALUES(8,0,'package',0,127.772,0.0,'chip');
INSERT INTO "joules" VALUES(9,0,'metered',NULL,132.566,0.0,'chip');
INSERT INTO "joules" VALUES(9,0,'package',0,132.566,0.0,'chip');
INSERT INTO "joules" VALUES(10,0,'metered',NULL,132.343,0.0,'chip');
INSERT INTO "joules" VALUES(10,0,'package',0,132.343,0.0,'chip');
INSERT INTO "joules" VALUES(11,0,'metered',NULL,128.517,0.0,'chip');
INSERT INTO "joules" VALUES(11,0,'package',0,128.517,0.0,'chip');
INSERT INTO "joules" VALUES(12,0,'metered',NULL,131.809,0.0,'chip');
INSERT INTO "joules" VALUES(12,0,'package',0,131.809,0.0,'chip');
INSERT INTO "joules" VALUES(13,0,'metered',NULL,306.841,0.0,'chip');
INSERT INTO "joules" VALUES(13,0,'package',0,306.841,0.0,'chip');
INSERT INTO "joules" VALUES(14,0,'metered',NULL,301.905,0.0,'chip');
INSERT INTO "joules" VALUES(14,0,'package',0,301.905,0.0,'chip');
INSERT INTO "joules" VALUES(15,0,'metered',NULL,300.107,0.0,'chip');
INSERT INTO "joules" VALUES(15,0,'package',0,300.107,0.0,'chip');
INSERT INTO "joules" VALUES(16,0,'metered',NULL,299.525,0.0,'chip');
INSERT INTO "joules" VALUES(16,0,'package',0,299.525,0.0,'chip');
INSERT INTO "joules" VALUES(17,0,'metered',NULL,307.823,0.0,'chip');
INSERT INTO "joules" VALUES(17,0,'package',0,307.823,0.0,'chip');
INSERT INTO "joules" VALUES(18,0,'metered',NULL,300.857,0.0,'chip');
INSERT INTO "joules" VALUES(18,0,'package',0,300.857,0.0,'chip');
INSERT INTO "joules" VALUES(19,0,'metered',NULL,399.568,0.0,'chip');
INSERT INTO "joules" VALUES(19,0,'package',0,399.568,0.0,'chip');
INSERT INTO "joules" VALUES(20,0,'metered',NULL,398.946,0.0,'chip');
INSERT INTO "joules" VALUES(20,0,'package',0,398.946,0.0,'chip');
INSERT INTO "joules" VALUES(21,0,'metered',NULL,390.196,0.0,'chip');
INSERT INTO "joules" VALUES(21,0,'package',0,390.196,0.0,'chip');
INSERT INTO "joules" VALUES(22,0,'metered',NULL,392.315,0.0,'chip');
INSERT INTO "joules" VALUES(22,0,'package',0,392.315,0.0,'chip');
INSERT INTO "joules" VALUES(23,0,'metered',NULL,382.075,0.0,'chip');
INSERT INTO "joules" VALUES(23,0,'package',0,382.075,0.0,'chip');
INSERT INTO "joules" VALUES(24,0,'metered',NULL,397.315,0.0,'chip');
INSERT INTO "joules" VALUES(24,0,'package',0,397.315,0.0,'chip');
CREATE TABLE left_behind (
  run INTEGER NOT NULL REFERENCES runs (number),
  place INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE levels (
  factor TEXT NOT NULL REFERENCES factors (name),
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (factor, place)
) STRICT, WITHOUT ROWID;
INSERT INTO "levels" VALUES('framework',0,'pytorch');
INSERT INTO "levels" VALUES('framework',1,'tensorflow');
INSERT INTO "levels" VALUES('model',0,'gnmt');
INSERT INTO "levels" VALUES('model',1,'ncf');
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
INSERT INTO "meters" VALUES(1,0,'csv/joules','csv/joules','package','column joules','counter','chip','J','yes',1.0,0.0,NULL,0.0,0.0,0.0,0.0,0,1.0,1.0,'');
CREATE TABLE metrics (
  run INTEGER NOT NULL REFERENCES runs (number),
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  value REAL,
  at_ns INTEGER NOT NULL,
  step INTEGER,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE run_levels (
  run INTEGER NOT NULL REFERENCES runs (number),
  factor TEXT NOT NULL REFERENCES factors (name),
  level TEXT NOT NULL,
  PRIMARY KEY (run, factor)
) STRICT, WITHOUT ROWID;
INSERT INTO "run_levels" VALUES(1,'framework','pytorch');
INSERT INTO "run_levels" VALUES(1,'model','ncf');
INSERT INTO "run_levels" VALUES(2,'framework','pytorch');
INSERT INTO "run_levels" VALUES(2,'model','ncf');
INSERT INTO "run_levels" VALUES(3,'framework','pytorch');
INSERT INTO "run_levels" VALUES(3,'model','ncf');
INSERT INTO "run_levels" VALUES(4,'framework','pytorch');
INSERT INTO "run_levels" VALUES(4,'model','ncf');
INSERT INTO "run_levels" VALUES(5,'framework','pytorch');
INSERT INTO "run_levels" VALUES(5,'model','ncf');
INSERT INTO "run_levels" VALUES(6,'framework','pytorch');
INSERT INTO "run_levels" VALUES(6,'model','ncf');
INSERT INTO "run_levels" VALUES(7,'framework','tensorflow');
INSERT INTO "run_levels" VALUES(7,'model','ncf');
INSERT INTO "run_levels" VALUES(8,'framework','tensorflow');
INSERT INTO "run_levels" VALUES(8,'model','ncf');
INSERT INTO "run_levels" VALUES(9,'framework','tensorflow');
INSERT INTO "run_levels" VALUES(9,'model','ncf');
INSERT INTO "run_levels" VALUES(10,'framework','tensorflow');
INSERT INTO "run_levels" VALUES(10,'model','ncf');
INSERT INTO "run_levels" VALUES(11,'framework','tensorflow');
INSERT INTO "run_levels" VALUES(11,'model','ncf');
INSERT INTO "run_levels" VALUES(12,'framework','tensorflow');
INSERT INTO "run_levels" VALUES(12,'model','ncf');
INSERT INTO "run_levels" VALUES(13,'framework','pytorch');
INSERT INTO "run_levels" VALUES(13,'model','gnmt');
INSERT INTO "run_levels" VALUES(14,'framework','pytorch');
INSERT INTO "run_levels" VALUES(14,'model','gnmt');
INSERT INTO "run_levels" VALUES(15,'framework','pytorch');
INSERT INTO "run_levels" VALUES(15,'model','gnmt');
INSERT INTO "run_levels" VALUES(16,'framework','pytorch');
INSERT INTO "run_levels" VALUES(16,'model','gnmt');
INSERT INTO "run_levels" VALUES(17,'framework','pytorch');
INSERT INTO "run_levels" VALUES(17,'model','gnmt');
INSERT INTO "run_levels" VALUES(18,'framework','pytorch');
INSERT INTO "run_levels" VALUES(18,'model','gnmt');
INSERT INTO "run_levels" VALUES(19,'framework','tensorflow');
INSERT INTO "run_levels" VALUES(19,'model','gnmt');
INSERT INTO "run_levels" VALUES(20,'framework','tensorflow');
INSERT INTO "run_levels" VALUES(20,'model','gnmt');
INSERT INTO "run_levels" VALUES(21,'framework','tensorflow');
INSERT INTO "run_levels" VALUES(21,'model','gnmt');
INSERT INTO "run_levels" VALUES(22,'framework','tensorflow');
INSERT INTO "run_levels" VALUES(22,'model','gnmt');
INSERT INTO "run_levels" VALUES(23,'framework','tensorflow');
INSERT INTO "run_levels" VALUES(23,'model','gnmt');
INSERT INTO "run_levels" VALUES(24,'framework','tensorflow');
INSERT INTO "run_levels" VALUES(24,'model','gnmt');
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
INSERT INTO "runs" VALUES(1,'pytorch-ncf-r1-4fdb5681',0,0,0,0,0,'ok','',NULL,NULL,NULL,0,0,9.7619,9.7619,98.416,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(2,'pytorch-ncf-r2-3508167d',0,1,0,0,0,'ok','',NULL,NULL,NULL,0,0,9.793,9.793,99.376,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(3,'pytorch-ncf-r3-bd659de1',0,2,0,0,0,'ok','',NULL,NULL,NULL,0,0,9.941,9.941,97.399,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(4,'pytorch-ncf-r4-8a3f57d6',0,3,0,0,0,'ok','',NULL,NULL,NULL,0,0,10.1803,10.1803,102.508,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(5,'pytorch-ncf-r5-a726d241',0,4,0,0,0,'ok','',NULL,NULL,NULL,0,0,9.8332,9.8332,101.591,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(6,'pytorch-ncf-r6-74d9f39a',0,5,0,0,0,'ok','',NULL,NULL,NULL,0,0,9.866,9.866,100.22,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(7,'tensorflow-ncf-r7-4aa1dbc9',0,6,0,0,0,'ok','',NULL,NULL,NULL,0,0,12.6928,12.6928,127.447,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(8,'tensorflow-ncf-r8-42b413cf',0,7,0,0,0,'ok','',NULL,NULL,NULL,0,0,13.3334,13.3334,127.772,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(9,'tensorflow-ncf-r9-637300aa',0,8,0,0,0,'ok','',NULL,NULL,NULL,0,0,13.2392,13.2392,132.566,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(10,'tensorflow-ncf-r10-8bdb6a98',0,9,0,0,0,'ok','',NULL,NULL,NULL,0,0,12.7609,12.7609,132.343,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(11,'tensorflow-ncf-r11-4b6b4a1d',0,10,0,0,0,'ok','',NULL,NULL,NULL,0,0,13.099,13.099,128.517,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(12,'tensorflow-ncf-r12-46d239e2',0,11,0,0,0,'ok','',NULL,NULL,NULL,0,0,13.2766,13.2766,131.809,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(13,'pytorch-gnmt-r13-cc8e0d39',0,12,0,0,0,'ok','',NULL,NULL,NULL,0,0,29.2561,29.2561,306.841,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(14,'pytorch-gnmt-r14-1ebc771f',0,13,0,0,0,'ok','',NULL,NULL,NULL,0,0,30.3091,30.3091,301.905,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(15,'pytorch-gnmt-r15-65f5a966',0,14,0,0,0,'ok','',NULL,NULL,NULL,0,0,29.42,29.42,300.107,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(16,'pytorch-gnmt-r16-3266fe8a',0,15,0,0,0,'ok','',NULL,NULL,NULL,0,0,29.2608,29.2608,299.525,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(17,'pytorch-gnmt-r17-541b8d66',0,16,0,0,0,'ok','',NULL,NULL,NULL,0,0,30.6579,30.6579,307.823,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(18,'pytorch-gnmt-r18-af4a23b3',0,17,0,0,0,'ok','',NULL,NULL,NULL,0,0,29.6404,29.6404,300.857,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(19,'tensorflow-gnmt-r19-cb2928d3',0,18,0,0,0,'ok','',NULL,NULL,NULL,0,0,39.1693,39.1693,399.568,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(20,'tensorflow-gnmt-r20-c4e1baa0',0,19,0,0,0,'ok','',NULL,NULL,NULL,0,0,39.8144,39.8144,398.946,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(21,'tensorflow-gnmt-r21-5cae45ae',0,20,0,0,0,'ok','',NULL,NULL,NULL,0,0,38.7986,38.7986,390.196,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(22,'tensorflow-gnmt-r22-3dd4d6e0',0,21,0,0,0,'ok','',NULL,NULL,NULL,0,0,38.8386,38.8386,392.315,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(23,'tensorflow-gnmt-r23-6dd3825b',0,22,0,0,0,'ok','',NULL,NULL,NULL,0,0,38.544,38.544,382.075,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
INSERT INTO "runs" VALUES(24,'tensorflow-gnmt-r24-e04bc8ad',0,23,0,0,0,'ok','',NULL,NULL,NULL,0,0,37.9312,37.9312,397.315,0.0,'chip',0,'',0.0,0.0,0,0,0,0.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,'','','',1);
CREATE TABLE samples (
  run INTEGER NOT NULL REFERENCES runs (number),
  chunk INTEGER NOT NULL,
  first_ns INTEGER NOT NULL,
  last_ns INTEGER NOT NULL,
  count INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (run, chunk)
) STRICT;
CREATE TABLE span_channels (
  run INTEGER NOT NULL,
  place INTEGER NOT NULL,
  item INTEGER NOT NULL,
  name TEXT NOT NULL,
  mean REAL,
  PRIMARY KEY (run, place, item),
  FOREIGN KEY (run, place) REFERENCES spans (run, place)
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
CREATE TABLE spans (
  run INTEGER NOT NULL REFERENCES runs (number),
  place INTEGER NOT NULL,
  span TEXT NOT NULL,
  name TEXT NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
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
INSERT INTO "study" VALUES(1,'csv','# Made by `prengdl import csv`: these runs were made elsewhere and cannot be made again from here.
[study]
name = "csv"
imported = "csv"
runs = 6

[factors]
framework = ["pytorch", "tensorflow"]
model = ["gnmt", "ncf"]

[analysis]
compare = "framework"
within = ["model"]
primary = "metered"
secondary = ["seconds"]
','',24,0,0,'0.1.0','2026-01-02T03:04:05Z');
CREATE TABLE warnings (
  run INTEGER NOT NULL REFERENCES runs (number),
  place INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE work (
  run INTEGER NOT NULL REFERENCES runs (number),
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  value REAL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER runs_no_second BEFORE INSERT ON runs
WHEN EXISTS (SELECT 1 FROM runs WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'runs: what is stored is not changed; this run is there already');
END;
CREATE TRIGGER runs_no_UPDATE BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'runs: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER runs_no_DELETE BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'runs: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER run_levels_no_UPDATE BEFORE UPDATE ON run_levels BEGIN SELECT RAISE(ABORT, 'run_levels: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER run_levels_no_DELETE BEFORE DELETE ON run_levels BEGIN SELECT RAISE(ABORT, 'run_levels: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER joules_no_UPDATE BEFORE UPDATE ON joules BEGIN SELECT RAISE(ABORT, 'joules: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER joules_no_DELETE BEFORE DELETE ON joules BEGIN SELECT RAISE(ABORT, 'joules: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER channels_no_UPDATE BEFORE UPDATE ON channels BEGIN SELECT RAISE(ABORT, 'channels: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER channels_no_DELETE BEFORE DELETE ON channels BEGIN SELECT RAISE(ABORT, 'channels: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER spans_no_UPDATE BEFORE UPDATE ON spans BEGIN SELECT RAISE(ABORT, 'spans: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER spans_no_DELETE BEFORE DELETE ON spans BEGIN SELECT RAISE(ABORT, 'spans: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER span_joules_no_UPDATE BEFORE UPDATE ON span_joules BEGIN SELECT RAISE(ABORT, 'span_joules: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER span_joules_no_DELETE BEFORE DELETE ON span_joules BEGIN SELECT RAISE(ABORT, 'span_joules: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER metrics_no_UPDATE BEFORE UPDATE ON metrics BEGIN SELECT RAISE(ABORT, 'metrics: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER metrics_no_DELETE BEFORE DELETE ON metrics BEGIN SELECT RAISE(ABORT, 'metrics: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER work_no_UPDATE BEFORE UPDATE ON work BEGIN SELECT RAISE(ABORT, 'work: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER work_no_DELETE BEFORE DELETE ON work BEGIN SELECT RAISE(ABORT, 'work: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER warnings_no_UPDATE BEFORE UPDATE ON warnings BEGIN SELECT RAISE(ABORT, 'warnings: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER warnings_no_DELETE BEFORE DELETE ON warnings BEGIN SELECT RAISE(ABORT, 'warnings: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER left_behind_no_UPDATE BEFORE UPDATE ON left_behind BEGIN SELECT RAISE(ABORT, 'left_behind: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER left_behind_no_DELETE BEFORE DELETE ON left_behind BEGIN SELECT RAISE(ABORT, 'left_behind: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER meters_no_UPDATE BEFORE UPDATE ON meters BEGIN SELECT RAISE(ABORT, 'meters: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER meters_no_DELETE BEFORE DELETE ON meters BEGIN SELECT RAISE(ABORT, 'meters: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER samples_no_UPDATE BEFORE UPDATE ON samples BEGIN SELECT RAISE(ABORT, 'samples: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER samples_no_DELETE BEFORE DELETE ON samples BEGIN SELECT RAISE(ABORT, 'samples: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER events_no_UPDATE BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER events_no_DELETE BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events: what is stored is not changed; leave a run out with exclude'); END;
CREATE INDEX exclusions_of_run ON exclusions (run);
CREATE VIEW excluded AS
  SELECT run, reason, who, at FROM exclusions AS this
  WHERE excluded AND number = (SELECT max(number) FROM exclusions WHERE run = this.run);
CREATE VIEW counted_runs AS
  SELECT * FROM runs WHERE NOT warmup AND number NOT IN (SELECT run FROM excluded);
CREATE TRIGGER exclusions_no_UPDATE BEFORE UPDATE ON exclusions BEGIN SELECT RAISE(ABORT, 'exclusions: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER exclusions_no_DELETE BEFORE DELETE ON exclusions BEGIN SELECT RAISE(ABORT, 'exclusions: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER span_channels_no_UPDATE BEFORE UPDATE ON span_channels BEGIN SELECT RAISE(ABORT, 'span_channels: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER span_channels_no_DELETE BEFORE DELETE ON span_channels BEGIN SELECT RAISE(ABORT, 'span_channels: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER facts_no_UPDATE BEFORE UPDATE ON facts BEGIN SELECT RAISE(ABORT, 'facts: what is stored is not changed; leave a run out with exclude'); END;
CREATE TRIGGER facts_no_DELETE BEFORE DELETE ON facts BEGIN SELECT RAISE(ABORT, 'facts: what is stored is not changed; leave a run out with exclude'); END;
COMMIT;
PRAGMA application_id = 1886547559;
PRAGMA user_version = 3;
