// SPDX-License-Identifier: Apache-2.0
#include "audit/time_checks.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cctype>
#include <cmath>
#include <map>
#include <random>

namespace prengdl {
namespace {

constexpr std::uint64_t shuffle_seed = 20260116;
constexpr std::size_t most_shuffled_rows = 5000;

/// Kuiper's distribution with Stephens's correction for small samples (1970).
double kuiper_p(double distance, double n, double m) {
  const double root = std::sqrt(n * m / (n + m));
  const double x = (root + 0.155 + 0.24 / root) * distance;
  if (x < 0.4) return 1;
  double p = 0;
  for (int j = 1; j <= 100; ++j) {
    const double term = 2 * (4 * j * j * x * x - 1) * std::exp(-2 * j * j * x * x);
    p += term;
    if (std::abs(term) < 1e-12) break;
  }
  return std::clamp(p, 0.0, 1.0);
}

}  // namespace

std::optional<double> hour_of_day(std::string_view stamp) {
  const auto digits = [&](std::size_t at) -> std::optional<int> {
    if (at + 2 > stamp.size() || !std::isdigit(static_cast<unsigned char>(stamp[at])) ||
        !std::isdigit(static_cast<unsigned char>(stamp[at + 1])))
      return std::nullopt;
    return (stamp[at] - '0') * 10 + (stamp[at + 1] - '0');
  };
  const auto colon = stamp.find(':');
  if (colon == std::string_view::npos || colon < 3) return std::nullopt;  // a date comes first
  const auto hour = digits(colon - 2);
  const auto minute = digits(colon + 1);
  if (!hour || !minute || *hour > 23 || *minute > 59) return std::nullopt;
  const bool has_seconds = colon + 3 < stamp.size() && stamp[colon + 3] == ':';
  const auto second = has_seconds ? digits(colon + 4) : std::optional(0);
  return *hour + *minute / 60.0 + second.value_or(0) / 3600.0;
}

DayDifference day_difference(std::span<const double> first, std::span<const double> second) {
  DayDifference found;
  if (first.empty() || second.empty()) return found;
  const auto n = static_cast<double>(first.size());
  const auto m = static_cast<double>(second.size());
  std::map<double, std::pair<double, double>> steps;  // shares that begin at this hour
  for (const double hour : first) steps[hour].first += 1 / n;
  for (const double hour : second) steps[hour].second += 1 / m;
  struct Point {
    double hour, first, second;
    double ahead() const { return first - second; }
  };
  Point sum{0, 0, 0}, low{0, 0, 0}, high{0, 0, 0};
  std::vector<double> hours;
  for (const auto& [hour, step] : steps) {
    sum = {hour, sum.first + step.first, sum.second + step.second};
    hours.push_back(hour);
    if (sum.ahead() < low.ahead()) low = sum;
    if (sum.ahead() > high.ahead()) high = sum;
  }
  const double distance = high.ahead() - low.ahead();
  const bool wraps = low.hour > high.hour;
  found.first = high.first - low.first + (wraps ? 1 : 0);
  found.second = high.second - low.second + (wraps ? 1 : 0);
  // The arc begins with the first start after the low point.
  const auto next = std::upper_bound(hours.begin(), hours.end(), low.hour);
  found.from = low.first + low.second == 0 || next == hours.end() ? hours.front() : *next;
  found.to = high.hour;
  found.p = kuiper_p(distance, n, m);
  return found;
}

std::optional<double> mean_hour(std::span<const double> hours) {
  double x = 0, y = 0;
  for (const double hour : hours) {
    x += std::cos(hour * M_PI / 12);
    y += std::sin(hour * M_PI / 12);
  }
  if (std::hypot(x, y) < 0.1 * static_cast<double>(hours.size())) return std::nullopt;
  return std::fmod(std::atan2(y, x) * 12 / M_PI + 24, 24);
}

namespace {

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Rows scaled so that every group has the same spread; `members` are the rows of each group that
/// has any spread.
struct ScaledRows {
  std::vector<std::vector<double>> rows;
  std::map<std::size_t, std::vector<std::size_t>> members;
};

ScaledRows scaled(const SerialValues& values) {
  ScaledRows found{values.rows, {}};
  for (std::size_t i = 0; i < values.rows.size(); ++i) found.members[values.group[i]].push_back(i);
  std::erase_if(found.members, [&](const auto& group) {
    double squares = 0;
    for (const auto i : group.second) squares += product(found.rows[i], found.rows[i]);
    if (group.second.size() < 2 || !(squares > 0)) return true;
    const double factor = std::sqrt(static_cast<double>(group.second.size()) / squares);
    for (const auto i : group.second)
      for (auto& value : found.rows[i]) value *= factor;
    return false;
  });
  return found;
}

}  // namespace

std::optional<SerialCorrelation> serial_correlation(const SerialValues& values, unsigned shuffles) {
  const ScaledRows all = scaled(values);
  std::vector<std::pair<std::size_t, std::size_t>> neighbours;
  double expected = 0;  // of independent values: those of a group sum up to zero
  for (const auto& [a, b] : values.neighbours) {
    const auto of_a = all.members.find(values.group[a]);
    if (of_a == all.members.end() || !all.members.contains(values.group[b])) continue;
    neighbours.emplace_back(a, b);
    if (values.group[a] == values.group[b])
      expected -= 1 / (static_cast<double>(of_a->second.size()) - 1);
  }
  if (neighbours.size() < 8) return std::nullopt;
  std::vector<std::size_t> order(all.rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto together = [&] {
    double sum = 0;
    for (const auto& [a, b] : neighbours) sum += product(all.rows[order[a]], all.rows[order[b]]);
    return sum;
  };
  const double found = together();
  const auto count = static_cast<double>(neighbours.size());
  SerialCorrelation result{(found - expected) / count, 1};
  if (all.rows.size() > most_shuffled_rows) {
    result.p = boost::math::cdf(
        boost::math::complement(boost::math::normal(), (found - expected) / std::sqrt(count)));
    return result;
  }
  std::mt19937_64 random(shuffle_seed);
  unsigned as_large = 1;
  for (unsigned shuffle = 0; shuffle < shuffles; ++shuffle) {
    for (const auto& [name, places] : all.members)
      for (std::size_t i = places.size(); i > 1; --i)
        std::swap(order[places[i - 1]], order[places[random() % i]]);
    if (together() >= found - 1e-9) ++as_large;
  }
  result.p = as_large / (shuffles + 1.0);
  return result;
}

}  // namespace prengdl
