// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "meters/sources.h"
#include "model/aa_record.h"
#include "run/series.h"

namespace prengdl {

/// One command (a loop of the shell if empty) so many times under each of two labels. Throws a
/// UsageError if these are too few or the command cannot be split into words.
Series aa_series(std::size_t pairs, const std::string& command);

/// Runs the series in turns and keeps what it shows of this machine. Throws an Error if the command
/// fails or is interrupted; then nothing is kept.
AaRecord measure_aa(Series series, const MeterSearch& search, const FoundMeters& found);

/// What doctor --aa found on this machine before; nothing if it never ran there.
std::optional<AaRecord> read_aa(const std::string& fingerprint);

/// Of several machines; those without a record are left out.
std::vector<AaRecord> read_aa(const std::vector<std::string>& fingerprints);

/// $XDG_STATE_HOME/prengdl/aa, by default ~/.local/state/prengdl/aa; under sudo the calling user's.
std::filesystem::path aa_directory();

}  // namespace prengdl
