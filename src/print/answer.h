// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/comparison.h"
#include "print/words.h"
#include "tables/terminal.h"

namespace prengdl {

// What a comparison found, in sentences. `compare`, `measure` and the report show the same ones.

/// The answer of a study or of `measure`: the first thing that a reader sees.
struct Answer {
  std::string measure;                 // the measure it is about (conclude/standings.h)
  std::string badge;                   // "measured: package, dram"; empty if nothing is compared
  bool is_measured = true;             // false if the badge is a caution
  std::vector<std::string> sentences;  // at least one
};

/// `domains`: the domains that make up the energy, named by the badge; may be empty.
Answer answer_of(const Findings& findings, const Names& names = {},
                 const std::vector<std::string>& domains = {});

/// What one measure says about two levels: "b used 45 % less energy than a (95 % interval 38 to
/// 52 %)." or "b used less energy than a in 4 of 6 cases, 20 to 66 % less." One or two sentences;
/// empty if no case has runs of both levels.
std::string pair_sentence(const Findings& findings, const std::string& measure,
                          const std::array<std::string, 2>& pair, const Names& names = {});

/// What one measure says about four or more levels: which of them used least, and how many
/// comparisons show a difference. Empty if nothing was compared.
std::vector<std::string> standings_sentences(const Findings& findings, const std::string& measure,
                                             const Names& names = {});

/// "measured: package, dram", "energy modelled" or similar, for the measure of the answer.
std::string quality_badge(const Findings& findings, const std::string& measure,
                          const std::vector<std::string>& domains);

/// The sentences in bold with the badge in brackets at the end, a line for each.
std::string answer_text(const Answer& answer, const Style& style);
std::string answer_markdown(const Answer& answer);

}  // namespace prengdl
