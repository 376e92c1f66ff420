// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"

#include <fmt/core.h>

#include <array>
#include <string>

#include "store/schema_sql.h"

namespace prengdl {
namespace {

using Step = void (*)(const Database&);

/// Runs and what belongs to them never change once they are stored.
void make_immutable(const Database& database, std::span<const char* const> tables) {
  for (const char* const table : tables)
    for (const char* const change : {"UPDATE", "DELETE"})
      database.run(
          fmt::format("CREATE TRIGGER {0}_no_{1} BEFORE {1} ON {0} BEGIN"
                      " SELECT RAISE(ABORT, '{0}: what is stored is not changed; leave a run out "
                      "with exclude');"
                      " END",
                      table, change));
}

void first_tables(const Database& database) {
  database.run(schema_sql::version_1);
  constexpr std::array tables{"runs",        "run_levels", "joules", "channels", "spans",
                              "span_joules", "metrics",    "work",   "warnings", "left_behind",
                              "meters",      "samples",    "events"};
  make_immutable(database, tables);
}

void history_and_span_channels(const Database& database) {
  database.run(schema_sql::version_2);
  constexpr std::array tables{"exclusions", "span_channels"};
  make_immutable(database, tables);
}

void facts_of_runs(const Database& database) {
  database.run(schema_sql::version_3);
  constexpr std::array tables{"facts"};
  make_immutable(database, tables);
}

void cells_of_events(const Database& database) { database.run(schema_sql::version_4); }

void surroundings_of_the_analysis(const Database& database) {
  database.run(schema_sql::version_5);
  constexpr std::array tables{"registration", "looks", "aa"};
  make_immutable(database, tables);
}

void energy_by_the_site(const Database& database) {
  database.run(schema_sql::version_6);
  constexpr std::array tables{"site_energy"};
  make_immutable(database, tables);
}

/// Step i leads from version i to i + 1. A step that was released stays as it is.
constexpr std::array<Step, schema_version> steps{
    first_tables,    history_and_span_channels,    facts_of_runs,
    cells_of_events, surroundings_of_the_analysis, energy_by_the_site};

}  // namespace

int version_of(const Database& database, const std::filesystem::path& result) {
  const auto application = database.integer("PRAGMA application_id");
  const auto version = database.integer("PRAGMA user_version");
  if (application == 0 && version == 0 &&
      database.integer("SELECT count(*) FROM sqlite_master") == 0)
    return 0;
  if (application != application_id)
    throw Error(fmt::format("{} was not made by prengdl", (result / "study.db").string()),
                "Name a directory that `prengdl run` or `prengdl measure -o` created.");
  if (version > schema_version)
    throw Error(fmt::format("{} was written by a newer prengdl (schema {}, this one knows {})",
                            result.string(), version, schema_version),
                "update prengdl");
  return static_cast<int>(version);
}

void migrate(const Database& database, int target) {
  for (auto version = database.integer("PRAGMA user_version"); version < target; ++version)
    steps.at(static_cast<std::size_t>(version))(database);
  database.run(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application_id, target));
}

}  // namespace prengdl
