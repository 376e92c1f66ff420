// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"

namespace prengdl {

/// How fast the runs of a plan follow each other, waits included, and so how long the rest takes.
class Pace {
 public:
  explicit Pace(std::int64_t begin_ns) : begin_ns_(begin_ns), last_end_ns_(begin_ns) {}

  void one_done(std::int64_t now_ns);

  /// Counts down while a run lasts; one that takes longer than the others so far costs no more
  /// than they did, until its end. Nothing is known before the first run has ended.
  std::optional<Seconds> left(std::size_t runs, std::int64_t now_ns) const;

 private:
  std::int64_t begin_ns_;
  std::int64_t last_end_ns_;
  std::size_t done_ = 0;
};

/// "about 22 s left", "about 4 min 10 s left".
std::string about_left(Seconds time);

}  // namespace prengdl
