// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/result.h"

namespace prengdl {

// The texts of JSON in records and in the database; what is in them is named in fields.h. Numbers
// come back as they were, to the last bit. Bytes that are not UTF-8 become U+FFFD. A key that is
// not known is left alone: a later version may have put it there.

/// A run without its samples and without its exclusion.
std::string run_json(const StoredRun& run);
Result<StoredRun> run_of_json(std::string_view text);

/// The same without its spans and metrics, of which there may be a million; and some of those.
std::string run_json_without_emitted(const StoredRun& run);
std::string emitted_json(std::span<const SpanEnergy> spans, std::span<const Metric> metrics);
/// Appends what a text of emitted_json() holds.
Result<void> add_emitted(std::string_view text, Run& run);

std::string machine_json_text(const Machine& machine);
Result<Machine> machine_of_json(std::string_view text);

/// Two lists of meters are the same when these texts are.
std::string meters_json(const std::vector<MeterInfo>& meters);

/// The text as a JSON string, with its quotes.
std::string json_string(std::string_view text);

}  // namespace prengdl
