// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace prengdl {

/// To be called once, before any file is opened. Opens /dev/null in place of a standard stream that
/// is closed: a file that is opened later would take its number and get our messages written into
/// it. A closed stdout stays one that cannot be written, so that lost results are still noticed. A
/// write to a reader that went away fails from now on; it no longer ends the process.
void secure_standard_streams();

/// Writes progress and remarks to stderr. What cannot be written is dropped: a full disk or a
/// reader that went away must not end a study.
void remark(std::string_view text) noexcept;

}  // namespace prengdl
