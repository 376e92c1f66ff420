// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "import/foreign.h"
#include "import/imported.h"

namespace prengdl {

/// One column of one GPU: a meter or channel, and what it gave line by line.
struct SmiColumn {
  MeterInfo meter;
  std::vector<Reading> readings;  // without time stamps the number of the line stands for the time
};

/// What `nvidia-smi --query-gpu=... --format=csv` wrote in a loop.
struct SmiLog {
  std::vector<SmiColumn> columns;  // one set for each GPU
  bool has_stamps = false;
  std::size_t lines = 0;  // of the first GPU
  std::vector<std::string> warnings;
};

/// With or without a line of names, units, time stamps and a column that distinguishes GPUs. Needs
/// power.draw. Without names power is the column of values in W, or the only one there is. A last
/// line that was cut off is left out, with a warning.
SmiLog parse_nvidia_smi(const ForeignText& source);

/// Spreads the lines of a log without time stamps over the time that they cover: n equal
/// intervals, each reading in the middle of the one that it stands for.
void spread_evenly(SmiLog& log, Seconds over);

/// Adds meters and samples to a run, in the order of time.
void add_smi_log(ImportedRun& run, SmiLog&& log);

/// The joules of the held readings, the number of lines times mean power times interval, for each
/// meter of power of a run whose log has no time stamps. `from` is the place of its first meter.
std::map<std::size_t, std::optional<double>> held_joules(const ImportedRun& run, std::size_t from,
                                                         Seconds interval);

}  // namespace prengdl
