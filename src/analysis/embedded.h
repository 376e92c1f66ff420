// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace prengdl::embedded {

/// The data files of data/ that analyses need, compiled into the program.
std::string_view grid_intensity();     // data/grid_intensity.csv
std::string_view electricity_price();  // data/electricity_price.csv

}  // namespace prengdl::embedded
