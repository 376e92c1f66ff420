// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/comparison.h"

namespace prengdl {

/// The measure that the answer is about, in words, tables and charts alike: the primary one, or
/// time if the primary one is energy that was modelled throughout, which decides nothing.
std::string headline_measure(const Findings& findings);

}  // namespace prengdl
