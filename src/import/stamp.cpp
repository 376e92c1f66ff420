// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <array>
#include <chrono>

#include "base/strings.h"
#include "import/foreign.h"

namespace prengdl {
namespace {

using namespace std::chrono;

/// Digits from the front of the text, exactly so many.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = 10 * value + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take_one_of(std::string_view& text, std::string_view any) {
  if (text.empty() || any.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// ".942" as nanoseconds; digits beyond the ninth are dropped.
std::int64_t take_fraction(std::string_view& text) {
  std::int64_t ns = 0;
  std::int64_t unit = 100'000'000;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1)) {
    ns += unit * (text.front() - '0');
    unit /= 10;
  }
  return ns;
}

}  // namespace

std::optional<std::int64_t> parse_stamp(std::string_view text) {
  text = trimmed(text);
  const auto the_year = take_digits(text, 4);
  if (!the_year || !take_one_of(text, "/-")) return std::nullopt;
  const auto the_month = take_digits(text, 2);
  if (!the_month || !take_one_of(text, "/-")) return std::nullopt;
  const auto the_day = take_digits(text, 2);
  if (!the_day || !take_one_of(text, " T")) return std::nullopt;
  std::array<int, 3> clock{};
  for (std::size_t i = 0; i < clock.size(); ++i) {
    if (i > 0 && !take_one_of(text, ":")) return std::nullopt;
    const auto value = take_digits(text, 2);
    if (!value || *value >= (i == 0 ? 24 : 60)) return std::nullopt;
    clock.at(i) = *value;
  }
  std::int64_t fraction = 0;
  if (take_one_of(text, ".")) fraction = take_fraction(text);
  take_one_of(text, "Z");
  const year_month_day date(year(*the_year), month(static_cast<unsigned>(*the_month)),
                            day(static_cast<unsigned>(*the_day)));
  // Nanoseconds of 64 bits end in 2262.
  if (!text.empty() || !date.ok() || *the_year < 1970 || *the_year > 2200) return std::nullopt;
  const auto since =
      sys_days(date).time_since_epoch() + hours(clock[0]) + minutes(clock[1]) + seconds(clock[2]);
  return duration_cast<std::chrono::nanoseconds>(since).count() + fraction;
}

std::string stamp_text(std::int64_t at_ns) {
  const sys_time<std::chrono::nanoseconds> at{std::chrono::nanoseconds(at_ns)};
  const auto the_day = floor<days>(at);
  const year_month_day date(the_day);
  const hh_mm_ss<milliseconds> time(floor<milliseconds>(at - the_day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count(),
                     time.subseconds().count());
}

}  // namespace prengdl
