// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/analyse.h"
#include "print/compare.h"

namespace prengdl {

// How an analysis came about: whether it is the registered one, who looked before the end, and
// what the machine can resolve.

/// "Analysed as registered on 2026-11-18 (sha256 1f9c04aa…)." or what has changed since, a sentence
/// each. Nothing of results that an older prengdl made.
std::vector<std::string> registration_lines(const Analysis& analysis, const Study& study);

/// The looks before all planned runs were made, as one sentence; nothing if there were none.
std::vector<std::string> look_lines(const Analysis& analysis);

/// `registration`, `looks` and `aa` of the JSON of `compare`, with the sentences above as text.
std::vector<ComparePart> provenance_parts(const Analysis& analysis, const Study& study,
                                          const Style& style);

}  // namespace prengdl
