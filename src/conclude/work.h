// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "model/study.h"

namespace prengdl {

/// Work of two levels that differs by more than this share of the larger one is not the same work.
constexpr double equal_work = 0.01;

/// What the costs of two levels are divided by, and why the levels cannot be compared.
struct WorkAgreement {
  std::optional<std::string> per;  // as the study names it
  std::string trouble;             // empty: they did the same work, for all that is known
};

/// The rule for the amount of work, which compare and audit share. If the study names a unit
/// (`per`), every run of both levels must have emitted it and the levels must agree in it. If it
/// names none, the levels must agree in all kinds that both emitted, except those that the study
/// lets vary.
WorkAgreement agree_on_work(const std::vector<const StoredRun*>& a,
                            const std::vector<const StoredRun*>& b, const AnalysisPlan& plan);

/// The amount of one kind of work that a run emitted; nothing if it is not above zero.
std::optional<double> work_of(const Run& run, const std::string& name);

/// `per` if every run emitted it: what costs of these runs are divided by. Nothing for an empty
/// name.
std::optional<std::string> emitted_by_all(const std::vector<const StoredRun*>& runs,
                                          const std::string& per);

}  // namespace prengdl
