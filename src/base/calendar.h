// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace prengdl {

/// The wall clock in UTC, "2026-11-16T10:20:30Z": for the record only, never to measure with.
std::string utc_now();

}  // namespace prengdl
