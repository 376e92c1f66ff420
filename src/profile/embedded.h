// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace prengdl::embedded {

/// data/api_classes.csv, compiled into the program.
std::string_view api_classes();

}  // namespace prengdl::embedded
