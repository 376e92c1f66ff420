// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cmath>

#include "base/parse.h"
#include "base/strings.h"
#include "import/foreign.h"

namespace prengdl {
namespace {

using namespace std::chrono;

constexpr int latest_year = 2200;
constexpr double latest_unix_time = 7.2e9;  // in 2198; milliseconds since 1970 are beyond it

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

enum class SecondsRule { must_be_there, may_be_missing };

/// Date and time from the front of the text, up to a zone.
std::optional<std::int64_t> take_stamp(std::string_view& text, SecondsRule rule) {
  const auto the_year = take_digits(text, 4);
  if (!the_year || !take_one_of(text, "/-")) return std::nullopt;
  const auto the_month = take_digits(text, 2);
  if (!the_month || !take_one_of(text, "/-")) return std::nullopt;
  const auto the_day = take_digits(text, 2);
  if (!the_day || !take_one_of(text, " T")) return std::nullopt;
  std::array<int, 3> clock{};
  for (std::size_t i = 0; i < clock.size(); ++i) {
    if (i > 0 && !take_one_of(text, ":")) {
      if (i == 2 && rule == SecondsRule::may_be_missing) break;
      return std::nullopt;
    }
    const auto value = take_digits(text, 2);
    if (!value || *value >= (i == 0 ? 24 : 60)) return std::nullopt;
    clock.at(i) = *value;
  }
  std::int64_t fraction = 0;
  if (take_one_of(text, ".")) fraction = take_fraction(text);
  const year_month_day date(year(*the_year), month(static_cast<unsigned>(*the_month)),
                            day(static_cast<unsigned>(*the_day)));
  // Nanoseconds of 64 bits end in 2262.
  if (!date.ok() || *the_year < 1970 || *the_year > latest_year) return std::nullopt;
  const auto since =
      sys_days(date).time_since_epoch() + hours(clock[0]) + minutes(clock[1]) + seconds(clock[2]);
  return duration_cast<std::chrono::nanoseconds>(since).count() + fraction;
}

/// "+02:00", "-0530" or "+02" as nanoseconds.
std::optional<std::int64_t> take_offset(std::string_view& text) {
  const bool is_west = text.starts_with('-');
  if (!take_one_of(text, "+-")) return std::nullopt;
  const auto the_hours = take_digits(text, 2);
  if (!the_hours || *the_hours > 14) return std::nullopt;
  int the_minutes = 0;
  if (take_one_of(text, ":") || !text.empty()) {
    const auto value = take_digits(text, 2);
    if (!value || *value >= 60) return std::nullopt;
    the_minutes = *value;
  }
  const auto ns = duration_cast<std::chrono::nanoseconds>(hours(*the_hours) + minutes(the_minutes));
  return is_west ? -ns.count() : ns.count();
}

}  // namespace

std::optional<std::int64_t> parse_stamp(std::string_view text) {
  text = trimmed(text);
  const auto at_ns = take_stamp(text, SecondsRule::must_be_there);
  take_one_of(text, "Z");
  return text.empty() ? at_ns : std::nullopt;
}

std::optional<Moment> parse_moment(std::string_view text) {
  text = trimmed(text);
  if (const auto unix_time = parse_number(text)) {
    if (!(*unix_time >= 0 && *unix_time <= latest_unix_time)) return std::nullopt;
    return Moment{std::llround(*unix_time * 1e6) * 1000, true};
  }
  const auto at_ns = take_stamp(text, SecondsRule::may_be_missing);
  if (!at_ns) return std::nullopt;
  text = trimmed(text);
  if (text.empty()) return Moment{*at_ns, false};
  if (take_one_of(text, "Zz"))
    return text.empty() ? std::optional(Moment{*at_ns, true}) : std::nullopt;
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  return Moment{*at_ns - *offset, true};
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
