// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tables/part.h"

namespace prengdl {

/// A report, put together once and written in several formats (report/formats.h).
struct Report {
  std::string study;
  std::string version;  // of prengdl
  std::string made_at;  // wall clock, UTC
  bool is_anonymous = false;
  std::vector<Part> parts;
};

}  // namespace prengdl
