// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "model/aa_record.h"

namespace prengdl {

/// The text of a record, schema prengdl.aa/1, and back.
std::string aa_json_text(const AaRecord& record);
Result<AaRecord> aa_of_json(std::string_view text);

/// DIRECTORY/FINGERPRINT.json, whole or not at all; makes the directory. Throws an Error that names
/// the file.
void write_aa(const std::filesystem::path& directory, const AaRecord& record);

/// Nothing if there is no such file or it cannot be read as a record: `doctor --aa` makes it again.
std::optional<AaRecord> read_aa(const std::filesystem::path& directory,
                                const std::string& fingerprint);

/// $XDG_STATE_HOME/prengdl/aa, by default ~/.local/state/prengdl/aa; under sudo the calling user's.
std::filesystem::path aa_directory();

/// What doctor --aa found on this machine before, for `doctor` and `plan --aa` only: what is said
/// of a result comes from the result. Nothing if it never ran there.
std::optional<AaRecord> read_aa(const std::string& fingerprint);

}  // namespace prengdl
