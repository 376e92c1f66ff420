// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prengdl {

// How figures and names are written for people.

/// "327.0 kJ", "798.0 ms", "41 min 56 s": seconds as people read them, all else with a prefix.
std::string figure_text(double value, std::string_view unit);

/// One of what is counted: "batch" of "batches", "query" of "queries", "class" of "classes".
std::string singular(const std::string& plural);

/// Command lines without the directories of their programs, as far as they stay different:
/// "python a.py" of "/home/me/venv/bin/python a.py"; "v1/bin/python a.py" if another one has
/// "v2/bin/python a.py". In the same order.
std::vector<std::string> short_commands(const std::vector<std::string>& commands);

}  // namespace prengdl
