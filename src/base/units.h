// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <compare>

namespace prengdl {

/// A number that carries its unit in its type, as std::chrono does for time.
template <class Unit>
struct Quantity {
  double value{};
  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, double factor) { return {a.value * factor}; }
  friend constexpr Quantity operator*(double factor, Quantity a) { return {a.value * factor}; }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value / b.value; }
  constexpr Quantity& operator+=(Quantity other) {
    value += other.value;
    return *this;
  }
};

using Joules = Quantity<struct JouleUnit>;
using Watts = Quantity<struct WattUnit>;
using Seconds = std::chrono::duration<double>;

constexpr Joules operator*(Watts p, Seconds t) { return {p.value * t.count()}; }
constexpr Watts operator/(Joules e, Seconds t) { return {e.value / t.count()}; }
static_assert(Watts{150} * Seconds{2} == Joules{300});

}  // namespace prengdl
