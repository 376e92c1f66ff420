// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "import/imported.h"

namespace prengdl {

/// A meter of joules in a domain of docs/reference/meters.md; what the domain is says how it enters
/// the sum.
MeterInfo imported_meter(const std::string& id, const std::string& domain,
                         const std::string& source, Quality quality);

/// Joules that a file states itself, by the place of their meter; nothing where it says that there
/// is no figure.
using StatedJoules = std::map<std::size_t, std::optional<double>>;

/// Fills energy, channels and spans from the samples over the run's window, which begins at
/// run.begin_ns and is run.window long. Energy comes by the trapezoid over real times with both
/// ends interpolated; a channel is the mean of the readings after the begin of the window (or at
/// it, for the first) up to its end. What is stated goes before what could be computed.
void fill_figures(ImportedRun& imported, const StatedJoules& stated,
                  const std::vector<Span>& spans = {});

/// Puts the domains of a span or run together again after its meters' energies were replaced.
void restate(Totals& totals, const std::vector<MeterInfo>& meters,
             const std::vector<std::optional<Energy>>& energies);

}  // namespace prengdl
