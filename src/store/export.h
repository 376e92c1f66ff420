// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <ostream>
#include <string_view>

#include "store/export_parts.h"
#include "store/result.h"
#include "store/table_writer.h"

namespace prengdl {

enum class ExportTable { runs, spans, samples, metrics, looks, site_energy };

std::string_view name_of(ExportTable table);
std::optional<ExportTable> export_table_of(std::string_view name);

/// Writes one table of a result, row by row, so that memory stays flat. The columns are in
/// docs/reference/schema.md; seconds of spans, metrics and samples count from the begin of the
/// run's window.
void export_table(const ResultStore& result, ExportTable table, ExportFormat format,
                  const ExportOptions& options, std::ostream& out);

}  // namespace prengdl
