// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace prengdl {

/// The token that the file holds, without the white space around it. A file that does not exist is
/// created with a new token, readable by its owner alone. Throws an Error if others can read or
/// change the file, or if what it holds is too short or cannot be sent in a header.
std::string token_in(const std::filesystem::path& file);

}  // namespace prengdl
