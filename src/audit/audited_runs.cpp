// SPDX-License-Identifier: Apache-2.0
#include "audit/audited_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "model/counted_runs.h"
#include "stats/summary.h"

namespace prengdl {
namespace {

/// As planned. Natural order of ids last: an import may have only run numbers in file names.
bool planned_earlier(const StoredRun* a, const StoredRun* b) {
  const auto key = [](const StoredRun* run) {
    return std::tuple(run->place, !run->is_warmup, run->attempt);
  };
  if (key(a) != key(b)) return key(a) < key(b);
  return natural_less(a->id, b->id);
}

/// Moves each machine's mean to that of all.
void without_machines(const AuditCell& cell, std::vector<double>& logs) {
  std::map<std::string, std::vector<double>> machines;
  for (std::size_t i = 0; i < logs.size(); ++i) machines[cell.runs[i]->machine].push_back(logs[i]);
  if (machines.size() < 2) return;
  const double centre = mean(logs);
  std::map<std::string, double> shift;
  for (const auto& [machine, own] : machines) shift[machine] = centre - mean(own);
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] += shift[cell.runs[i]->machine];
}

}  // namespace

AuditRuns::AuditRuns(const AuditInput& input)
    : input_(input), compared_(factor_index(input.study, input.study.analysis.compare)) {
  const auto window = parse_window(input.study.analysis.window);
  if (!window) throw Error(window.error());
  window_ = *window;
  put_in_order();
  count();
  make_cases();
  for (const auto& measure : {input.study.analysis.primary, measures::seconds}) {
    if (std::find(measures_.begin(), measures_.end(), measure) != measures_.end()) continue;
    if (std::any_of(counted_.begin(), counted_.end(),
                    [&](const StoredRun* run) { return value(*run, measure).has_value(); }))
      measures_.push_back(measure);
  }
}

void AuditRuns::put_in_order() {
  for (const auto& run : input_.runs) made_.push_back(&run);
  std::sort(made_.begin(), made_.end(), planned_earlier);
  knows_order_ = std::none_of(made_.begin(), made_.end(), [](const StoredRun* run) {
    return is_good(*run) && run->run.started_at.empty();
  });
  if (!knows_order_) return;
  // One that could not even be started has no time: it belongs after the one planned before it.
  std::map<const StoredRun*, std::string> when;
  std::string last;
  for (const auto* run : made_) {
    if (!run->run.started_at.empty()) last = run->run.started_at;
    when[run] = last;
  }
  std::stable_sort(made_.begin(), made_.end(),
                   [&](const StoredRun* a, const StoredRun* b) { return when[a] < when[b]; });
}

void AuditRuns::count() {
  const CountedRuns which(input_.runs, input_.is_paired);
  std::map<Cell, std::size_t> index;
  // Cells in the order of the study, where it says one; then any others as they came.
  for (const auto& cell : cells_of(input_.study)) {
    index[cell] = cells_.size();
    cells_.push_back({cell, {}});
  }
  for (const auto* run : made_) {
    if (!which.counts(*run)) continue;
    const auto [place, is_new] = index.try_emplace(run->cell, cells_.size());
    if (is_new) cells_.push_back({run->cell, {}});
    cells_[place->second].runs.push_back(run);
    counted_.push_back(run);
    series_[run] = read_series(input_, *run);
  }
  std::erase_if(cells_, [](const AuditCell& cell) { return cell.runs.empty(); });
}

void AuditRuns::make_cases() {
  if (!compared_) return;
  std::map<Cell, std::vector<std::size_t>> by_rest;
  std::vector<Cell> order;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    Cell rest = cells_[i].cell;
    if (*compared_ >= rest.size()) continue;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(*compared_));
    auto& one_case = by_rest[rest];
    if (one_case.empty()) order.push_back(rest);
    one_case.push_back(i);
  }
  for (const auto& rest : order)
    if (by_rest[rest].size() > 1) cases_.push_back(by_rest[rest]);
}

std::vector<std::string> AuditRuns::levels() const {
  std::vector<std::string> found;
  if (!compared_) return found;
  for (const auto& cell : cells_)
    if (std::find(found.begin(), found.end(), cell.cell.at(*compared_)) == found.end())
      found.push_back(cell.cell.at(*compared_));
  return found;
}

std::optional<double> AuditRuns::value(const StoredRun& run, const std::string& measure) const {
  return value_in(run.run, window_, measure);
}

std::vector<double> AuditRuns::logs(const AuditCell& cell, const std::string& measure) const {
  std::vector<double> logs;
  for (const auto* run : cell.runs) {
    const auto figure = value(*run, measure);
    if (!figure || !(*figure > 0)) return {};
    logs.push_back(std::log(*figure));
  }
  without_machines(cell, logs);
  return logs;
}

std::vector<std::pair<std::string, std::string>> AuditRuns::where(const Cell& cell) const {
  std::vector<std::pair<std::string, std::string>> found;
  for (std::size_t i = 0; i < cell.size() && i < study().factors.size(); ++i)
    found.emplace_back(study().factors[i].name, cell[i]);
  return found;
}

std::vector<std::pair<std::string, std::string>> AuditRuns::where_of_case(const Cell& cell) const {
  auto found = where(cell);
  if (compared_ && *compared_ < found.size())
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(*compared_));
  return found;
}

std::string percent(double fraction) { return fmt::format("{:.3g} %", fraction * 100); }

std::string of(std::size_t part, std::size_t whole) { return fmt::format("{} of {}", part, whole); }

std::string change(double log_difference) {
  const double ratio = std::exp(log_difference);
  if (ratio >= 2) return fmt::format("rise {:.3g}-fold", ratio);
  if (ratio <= 0.5) return fmt::format("fall {:.3g}-fold", 1 / ratio);
  return fmt::format("{} by {}", ratio >= 1 ? "rise" : "fall", percent(std::abs(ratio - 1)));
}

std::string p_text(double p) {
  return p < 1e-4 ? std::string("p below 0.0001") : fmt::format("p {:.2g}", p);
}

std::string some_of(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

std::string who_says_what(const EmittedBy& values) {
  std::map<std::set<std::string>, std::size_t> holders;
  for (const auto& one : values) ++holders[one.second];
  const auto most =
      std::max_element(holders.begin(), holders.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool folds = holders.size() > 1 && most->second > 2;
  const auto words = [](const std::set<std::string>& all) {
    return some_of(std::vector<std::string>(all.begin(), all.end()));
  };
  std::string text;
  for (const auto& [who, all] : values) {
    if (folds && all == most->first) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", who, words(all));
  }
  if (folds) text += ", all others " + words(most->first);
  return text;
}

}  // namespace prengdl
