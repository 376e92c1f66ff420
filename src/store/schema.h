// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "store/database.h"

namespace prengdl {

/// The version of the tables that this prengdl writes; docs/reference/schema.md lists what changed
/// in each.
constexpr int schema_version = 6;

/// The mark of prengdl in the head of an SQLite file: "prng".
constexpr int application_id = 0x70726E67;

/// The version that a file has; 0 when its creation was not finished. Throws for a file of another
/// program and for one of a newer prengdl, calling it by `result`.
int version_of(const Database& database, const std::filesystem::path& result);

/// Brings the tables to `target`, from nothing or from any earlier version, in the transaction that
/// the caller has begun.
void migrate(const Database& database, int target = schema_version);

}  // namespace prengdl
