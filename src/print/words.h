// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/strings.h"
#include "model/comparison.h"
#include "model/meter_info.h"
#include "model/study.h"

namespace prengdl {

// What things are called for people. All texts are raw: the format that writes them escapes them.

std::string measure_title(const std::string& measure);      // "energy", "package energy", "time"
std::string unit_of_measure(const std::string& measure);    // "J", or "s" of seconds
std::string cost_text(double value, const Comparison& of);  // "327 kJ", "1.2 mJ/sample"
std::string less_words(const std::string& measure);         // "used less", "took less"
std::string verdict_text(const Comparison& comparison);     // "tensorflow used less"

/// ", at a lower score" or similar; "" if no score was judged, or the winner's is as good.
std::string score_words(const Comparison& comparison);

/// A level as a sentence names it: with its factor if it is not a word, "batch 32" but "adam".
std::string level_name(const std::string& factor, const std::string& level);

/// The levels of a case as level_name() has them: "ncf batch 32"; "all runs" if empty.
std::string case_name(const CellPattern& cell);
Json case_json(const CellPattern& cell);

/// A factor's name as words: "batch size" of "batch_size".
std::string factor_words(std::string factor);

/// The levels of a case in the study's order, numbers with their factor: "ncf batch 32". Factors
/// with a single level are left out.
std::string case_label(const Study& study, const CellPattern& cell);

/// What the tables about a study call its things. By default cases are called by their levels.
struct Names {
  std::string compared = "level";  // the compared factor
  std::function<std::string(const CellPattern&)> of_case = case_name;
  std::function<std::string(const std::string&)> of_measure = measure_title;
};

std::string pair_name(const std::array<std::string, 2>& pair);  // "pytorch / tensorflow"

/// One of what is counted: "batch" of "batches", "query" of "queries", "class" of "classes".
std::string singular(const std::string& plural);

/// One of the work that runs report: "sample" of "samples"; "run" if they report none.
std::string one_of(const std::optional<std::string>& work);

/// "modelled, not measured" or similar, printed after every such figure; "" if it was measured.
std::string quality_caution(Quality quality);
/// " [modelled, not measured]" or similar; "" for what was measured.
std::string quality_remark(const std::optional<Quality>& quality);

/// Words that begin with a small letter as a sentence: "The runs have no blocks."
std::string sentence(std::string words);

/// Command lines without the directories of their programs, as far as they stay different:
/// "python a.py" of "/home/me/venv/bin/python a.py"; "v1/bin/python a.py" if another one has
/// "v2/bin/python a.py". In the same order.
std::vector<std::string> short_commands(const std::vector<std::string>& commands);

}  // namespace prengdl
