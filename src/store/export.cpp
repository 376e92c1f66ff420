// SPDX-License-Identifier: Apache-2.0
#include "store/export.h"

#include "store/export_parts.h"

namespace prengdl {

std::string_view name_of(ExportTable table) {
  switch (table) {
    case ExportTable::runs:
      return "runs";
    case ExportTable::spans:
      return "spans";
    case ExportTable::samples:
      return "samples";
    case ExportTable::metrics:
      return "metrics";
    case ExportTable::looks:
      return "looks";
    case ExportTable::site_energy:
      return "site_energy";
  }
  return "";
}

std::optional<ExportTable> export_table_of(std::string_view name) {
  for (const auto table : {ExportTable::runs, ExportTable::spans, ExportTable::samples,
                           ExportTable::metrics, ExportTable::looks, ExportTable::site_energy})
    if (name == name_of(table)) return table;
  return std::nullopt;
}

void export_table(const ResultStore& result, ExportTable table, ExportFormat format,
                  const ExportOptions& options, std::ostream& out) {
  // The names of columns are found in a first pass: both must see the same runs.
  const Snapshot snapshot(result.database());
  switch (table) {
    case ExportTable::runs:
      return export_parts::export_runs(result, format, options, out);
    case ExportTable::spans:
      return export_parts::export_spans(result, format, options, out);
    case ExportTable::samples:
      return export_parts::export_samples(result, format, options, out);
    case ExportTable::metrics:
      return export_parts::export_metrics(result, format, options, out);
    case ExportTable::looks:
      return export_parts::export_looks(result, format, out);
    case ExportTable::site_energy:
      return export_parts::export_site_energy(result, format, out);
  }
}

}  // namespace prengdl
