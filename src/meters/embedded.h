// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace prengdl {

/// The data files of data/, compiled into the program so that it works wherever it is copied.
namespace embedded {
std::string_view power_models();   // data/power_models.csv
std::string_view nvml_sampling();  // data/nvml_sampling.csv
}  // namespace embedded

}  // namespace prengdl
