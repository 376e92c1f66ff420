// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/cost_to_score.h"
#include "analysis/emissions.h"
#include "analysis/energy_time.h"
#include "analysis/factorial.h"
#include "analysis/lifecycle.h"
#include "analysis/model_bounds.h"
#include "analysis/score.h"
#include "print/compare.h"

namespace prengdl {

// What `compare` adds to the findings (docs/reference/costs.md): for a terminal, as JSON, and as
// the tables that the report shows too.

/// Whole-life costs and break-even.
std::string lifecycle_text(const Lifecycle& lifecycle, const Style& style);
Json lifecycle_json(const Lifecycle& lifecycle);
Table lives_table(const Lifecycle& lifecycle, const Names& names);

/// Carbon and money: every figure is called derived and stands with the factor it comes from.
std::string emissions_text(const Emissions& emissions, const Style& style);
Json emissions_json(const Emissions& emissions);

/// Energy against accuracy.
std::string scores_text(const Scores& accuracy, const Style& style);
Json scores_json(const Scores& accuracy);
Table dominance_table(const Scores& accuracy, const Names& names);

/// Energy and time until a target is reached.
std::string cost_to_score_text(const CostsToScore& reaches, const Style& style);
Json cost_to_score_json(const CostsToScore& reaches);
Table reach_table(const std::vector<CostsToScore>& all, const Names& names);

/// Energy against time, within cells and across them.
std::string energy_time_text(const EnergyTime& energy_time, const Style& style);
Json energy_time_json(const EnergyTime& energy_time);
Table relations_within_table(const EnergyTime& energy_time, const Names& names);
Table relations_across_table(const EnergyTime& energy_time, const Names& names);

/// What `compare --factorial` adds, key "factorial": an entry for each measure.
ComparePart factorial_part(const std::vector<FactorialView>& views, const Style& style);
Table factor_levels_table(const FactorialView& view);
Table shares_table(const Anova& anova);

/// What `compare` says where there is no meter, key "without_a_meter". `factors`: those that name a
/// case, in the study's order.
ComparePart bounds_part(const ModelBounds& bounds, const std::vector<std::string>& factors,
                        const Style& style);

}  // namespace prengdl
