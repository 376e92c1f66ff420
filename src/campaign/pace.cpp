// SPDX-License-Identifier: Apache-2.0
#include "campaign/pace.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/amounts.h"
#include "base/clock.h"

namespace prengdl {

void Pace::one_done(std::int64_t now_ns) {
  last_end_ns_ = now_ns;
  ++done_;
}

std::optional<Seconds> Pace::left(std::size_t runs, std::int64_t now_ns) const {
  if (done_ == 0) return std::nullopt;
  if (runs == 0) return Seconds{0};
  const Seconds each = seconds_between(begin_ns_, last_end_ns_) / static_cast<double>(done_);
  const Seconds of_this_run = seconds_between(last_end_ns_, now_ns);
  return each * static_cast<double>(runs - 1) + std::max(each - of_this_run, Seconds{0});
}

std::string about_left(Seconds time) {
  // An estimate has no milliseconds.
  const std::string text =
      time < Seconds{60} ? fmt::format("{:.0f} s", std::ceil(time.count())) : for_people(time);
  return "about " + text + " left";
}

}  // namespace prengdl
