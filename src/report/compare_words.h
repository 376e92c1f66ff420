// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/comparison.h"

namespace prengdl {

// How the reports of `compare` put things.

std::string measure_title(const std::string& measure);      // "energy", "package energy", "time"
std::string cost_text(double value, const Comparison& of);  // "327 kJ", "1.2 mJ/sample"
std::string ratio_text(double ratio);                       // "1.168"
std::string interval_text(const std::optional<std::array<double, 2>>& interval);
std::string p_text(const std::optional<double>& p);      // "0.013", "< 0.0001", ""
std::string verdict_text(const Comparison& comparison);  // "tensorflow costs less"

}  // namespace prengdl
