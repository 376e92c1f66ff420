// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace prengdl {

/// The data files of data/, compiled into the program so that it works wherever it is copied.
namespace embedded {
std::string_view sensor_accuracy();  // data/sensor_accuracy.csv
}  // namespace embedded

}  // namespace prengdl
