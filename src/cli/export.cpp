// SPDX-License-Identifier: Apache-2.0
#include "store/export.h"

#include <iostream>

#include "base/strings.h"
#include "cli/arguments.h"
#include "cli/commands.h"

namespace prengdl {

int export_command(const std::vector<std::string>& words) {
  std::string result, table = "runs", format = "csv";
  ExportOptions options;
  Arguments arguments("export", "Writes a table of a result.");
  arguments.word("RESULT", result, "the result directory");
  arguments.text("--table", table,
                 "runs, spans, samples, metrics, looks or site_energy (default runs)", "NAME");
  arguments.text("--format", format, "csv or json (default csv)", "NAME");
  arguments.flag("--with-excluded", options.with_excluded, "include excluded runs");
  arguments.flag("--with-warmups", options.with_warmups, "also the uncounted runs");
  if (!arguments.parse(words)) return 0;
  const auto which = export_table_of(table);
  if (!which)
    throw UsageError("there is no table " + table,
                     "choose runs, spans, samples, metrics, looks or site_energy");
  if (format != "csv" && format != "json")
    throw UsageError("there is no format " + format, "choose csv or json");
  const auto store = ResultStore::open(result, Access::read_only);
  export_table(store, *which, format == "csv" ? ExportFormat::csv : ExportFormat::json, options,
               std::cout);
  return 0;
}

}  // namespace prengdl
