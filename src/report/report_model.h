// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tables/part.h"

namespace prengdl {

/// A verdict in a few words: "tensorflow used less energy", "in 4 of 6 cases, 20 to 66 % less".
struct VerdictCard {
  std::string level;  // the winner, whose colour the card has; empty: nobody's
  std::string title;
  std::string text;
};

/// A short answer to a question that comes next: "Why": "run time in all six cases".
struct SummaryFact {
  std::string label;
  std::string text;
};

struct SummaryCaution {
  bool is_severe = false;
  std::string text;
};

/// The first screen: what was asked, what came out, and how far to trust it. Its picture is the
/// chart of the parts with `is_overview`.
struct ReportSummary {
  std::string question;
  std::string design;  // machine, runs, date, energy spent: one line
  std::string badge;   // "measured: package, gpu", "modelled"
  std::vector<VerdictCard> cards;
  std::vector<SummaryFact> facts;
  std::vector<SummaryCaution> cautions;
};

/// "9 cautions, none severe".
std::string count_of(const std::vector<SummaryCaution>& cautions);

/// A report, put together once and written in several formats (report/formats.h).
struct Report {
  std::string study;
  std::string version;  // of prengdl
  std::string made_at;  // wall clock, UTC
  bool is_anonymous = false;
  std::vector<std::string> levels;  // of the compared factor: each has one colour in all charts
  ReportSummary summary;
  std::vector<Part> parts;
};

}  // namespace prengdl
