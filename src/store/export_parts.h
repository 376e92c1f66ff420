// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/result.h"
#include "store/table_writer.h"

namespace prengdl {

struct ExportOptions {
  bool with_excluded = false;
  bool with_warmups = false;
};

namespace export_parts {

// What the tables of an export share, and one function for each.

/// The columns of a table. Some have names of their own; others are called as the study or the
/// workload has it, with a prefix where that name is one of the former or taken.
class Columns {
 public:
  explicit Columns(std::set<std::string> own) : taken_(std::move(own)) {}

  void add(const std::string& name) {
    names_.push_back(name);
    taken_.insert(name);
  }
  void add_foreign(const std::string& name, const std::string& prefix) {
    add(taken_.contains(name) ? prefix + name : name);
  }
  void add_all(const std::string& prefix, const std::set<std::string>& names) {
    for (const auto& name : names) add(prefix + name);
  }
  std::vector<std::string> names() && { return std::move(names_); }

 private:
  std::vector<std::string> names_;
  std::set<std::string> taken_;
};

/// The runs that the options let through.
inline void each_chosen(const ResultStore& result, Detail detail, const ExportOptions& options,
                        const std::function<void(StoredRun&&)>& take) {
  result.each_run(detail, [&](StoredRun&& run) {
    if (run.excluded && !options.with_excluded) return;
    if (run.is_warmup && !options.with_warmups) return;
    take(std::move(run));
  });
}

inline void add_factors(Columns& columns, const std::vector<std::string>& factors) {
  for (const auto& factor : factors) columns.add_foreign(factor, "factor_");
}

inline void add_cell(TableWriter& writer, const StoredRun& run) {
  for (const auto& level : run.cell) writer.add(level);
}

inline std::optional<double> joules_of(const Totals& totals, const std::string& domain) {
  const auto found = totals.domains.find(domain);
  if (found == totals.domains.end()) return std::nullopt;
  return found->second.value.value;
}

inline std::optional<double> metered_of(const Totals& totals) {
  if (!totals.metered) return std::nullopt;
  return totals.metered->value.value;
}

void export_runs(const ResultStore& result, ExportFormat format, const ExportOptions& options,
                 std::ostream& out);
void export_spans(const ResultStore& result, ExportFormat format, const ExportOptions& options,
                  std::ostream& out);
void export_metrics(const ResultStore& result, ExportFormat format, const ExportOptions& options,
                    std::ostream& out);
void export_samples(const ResultStore& result, ExportFormat format, const ExportOptions& options,
                    std::ostream& out);
void export_looks(const ResultStore& result, ExportFormat format, std::ostream& out);
void export_site_energy(const ResultStore& result, ExportFormat format, std::ostream& out);

}  // namespace export_parts
}  // namespace prengdl
