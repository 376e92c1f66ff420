// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/region_table.h"
#include "base/error.h"
#include "base/units.h"
#include "conclude/case_runs.h"
#include "model/measure.h"
#include "model/meter_info.h"
#include "model/study.h"

namespace prengdl {

/// The emissions of making the hardware, and how a run is charged with them.
struct Embodied {
  double grams = 0;    // CO2 equivalent, of all hardware that is counted
  Seconds lifespan{};  // that the hardware is expected to be in use
  double share = 1;    // of the hardware that was reserved for the run
};

/// "1000kg,4y" or "1000kg,4y,0.25": emissions, lifespan, reserved share. A year has 365 days, as in
/// the example of the SCI specification.
Result<Embodied> parse_embodied(const std::string& option);

/// "1.4": from 1 to 10.
Result<double> parse_pue(const std::string& option);

struct EmissionSettings {
  std::string measure = measures::metered;
  std::optional<KwhFactor> carbon;
  std::optional<KwhFactor> price;
  std::optional<double> pue;
  std::optional<Embodied> embodied;
};

/// A mean over runs and its 95 % interval by Student's t, which knows of the runs' scatter alone:
/// how far the factor is off is not in it.
struct DerivedMean {
  double value = 0;
  std::optional<std::array<double, 2>> ci95;
};

/// What one unit of R costs with one of the compared levels.
struct LevelEmissions {
  std::string level;
  std::size_t n = 0;
  double joules = 0;                     // mean, as it was measured: without PUE
  std::optional<DerivedMean> grams;      // (E x I + M) / R
  std::optional<double> embodied_grams;  // M / R, which is in `grams`
  std::optional<DerivedMean> money;
};

struct CaseEmissions {
  CellPattern cell;
  std::optional<std::string> per;   // R; nothing: a run
  std::optional<Quality> quality;   // the worst of the energy
  std::vector<std::string> covers;  // what the energy is that of
  std::vector<LevelEmissions> levels;
};

struct Emissions {
  EmissionSettings settings;
  std::vector<CaseEmissions> cases;
};

/// Carbon after the SCI specification (ISO/IEC 21031:2024), SCI = (E x I + M) / R, and money. All
/// of it is derived from energy by factors that are named with it; modelled energy stays modelled
/// and gets no interval. Throws an Error if the study's window is not one.
Emissions emissions(const Study& study, const std::vector<CaseRuns>& cases,
                    const EmissionSettings& settings);

}  // namespace prengdl
