// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace prengdl {

/// How much a threat matters. `note`: good to know. `warning`: it widens or biases the figures.
/// `severe`: a figure or a comparison does not mean what it seems to; `audit` exits with 3.
enum class AuditSeverity { ok, note, warning, severe };

std::string_view name_of(AuditSeverity severity);

/// A number, numbers or a word behind a finding, by its name in `audit --json`. SI units, shares as
/// fractions.
using EvidenceValue = std::variant<double, std::vector<double>, std::string>;
using Evidence = std::vector<std::pair<std::string, EvidenceValue>>;

/// What one check found in a cell, in cells that are compared, or in the whole study. A check that
/// looked and found nothing says so with `ok`; one that had nothing to look at says nothing.
struct AuditFinding {
  std::string check;  // "drift"; stable, for scripts: docs/reference/audit.md has a row for each
  AuditSeverity severity = AuditSeverity::ok;
  std::vector<std::pair<std::string, std::string>> where;  // factor, level; empty: the whole study
  Evidence evidence;
  std::string message;  // what is so, with its numbers
  std::string advice;   // what to do; empty if there is nothing to do
};

}  // namespace prengdl
