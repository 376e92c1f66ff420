// SPDX-License-Identifier: Apache-2.0
//
// How the chance to cross is computed. Let x1, x2, ... be normal with mean zero and any variance,
// S(n) their sum and Q(n) the sum of their squares. u(n) = S(n) / sqrt(Q(n)) does not depend on the
// unit of x, and t(n) is a function of it: with u = sqrt(n) sin(c), t = sqrt(n - 1) tan(c), where c
// has a density proportional to cos(c)^(n - 2).
//
// The direction of (x1 ... xn) is uniform on a sphere and independent of its length, so the u(n)
// are a Markov chain. Backwards it is the simplest: given u(n + 1) = v, the last value over the
// root of Q(n + 1) is y = v / (n + 1) + sqrt((1 - v^2 / (n + 1)) n / (n + 1)) sin(a), with a
// density of a proportional to cos(a)^(n - 2), and u(n) = (v - y) / sqrt(1 - y^2). From this
// follows, look by look, the chance not to have crossed given u(n): a smooth function, kept as a
// polynomial. Jennison and Turnbull ("Exact calculations for sequential t, chi-squared and F
// tests", Biometrika 78, 1991) do it in the two dimensions of sum and sum of squares.
#include "stats/t_boundary.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <numbers>
#include <tuple>

#include "base/error.h"

namespace prengdl {
namespace {

using std::numbers::pi;

constexpr double smallest_alpha = 1e-8;

void check(const LookPlan& plan) {
  if (plan.first < 2 || plan.last < plan.first)
    throw Error("a plan of looks needs a first one at two values or more, and a last one after it");
  if (plan.shape < 0 || plan.shape > 0.5)
    throw Error("the shape of a boundary lies between 0 and 0.5");
}

/// What the boundary asks of the look at n, in units of what it asks of the last one.
double steepness(const LookPlan& plan, std::size_t n) {
  return std::pow(static_cast<double>(n) / static_cast<double>(plan.last), plan.shape - 0.5);
}

double two_sided_p(double deviate) {
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), deviate));
}

/// Two-sided p of one look alone, per look.
std::vector<double> nominal_levels(const LookPlan& plan, double constant) {
  std::vector<double> levels;
  for (std::size_t n = plan.first; n <= plan.last; ++n)
    levels.push_back(two_sided_p(constant * steepness(plan, n)));
  return levels;
}

/// The t of n values whose two-sided p this is.
double t_at(double nominal, std::size_t n) {
  // Below this Student's quantile overflows; so improbable a look is no look.
  if (nominal < 1e-300) return std::numeric_limits<double>::infinity();
  const boost::math::students_t distribution(static_cast<double>(n - 1));
  return boost::math::quantile(boost::math::complement(distribution, nominal / 2));
}

/// The angle c of the comment above, of a t of n values.
double angle_at(double t, std::size_t n) {
  return std::atan2(t, std::sqrt(static_cast<double>(n - 1)));
}

/// The integral of cos(a)^power over all angles.
double cosine_integral(double power) {
  return std::sqrt(pi) * std::exp(std::lgamma((power + 1) / 2) - std::lgamma(power / 2 + 1));
}

/// The chance not to have crossed so far, given u within the boundary of a look: even in u and
/// smooth, so a polynomial in u squared through Chebyshev's points stands for it.
class Survival {
 public:
  /// Of the first look: nothing could be crossed before.
  explicit Survival(double boundary) : boundary_(boundary) { coefficients_[0] = 1; }

  template <class Function>
  Survival(double boundary, Function chance) : boundary_(boundary) {
    static const Cosines cosines = all_cosines();
    std::array<double, size> values{};
    for (std::size_t j = 0; j < size; ++j)
      values[j] = chance(boundary * std::sqrt((1 + cosines[1][j]) / 2));
    for (std::size_t k = 0; k < size; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < size; ++j) sum += values[j] * cosines[k][j];
      coefficients_[k] = sum * (k == 0 ? 1.0 : 2.0) / size;
    }
  }

  double boundary() const { return boundary_; }

  double operator()(double u) const {  // Clenshaw's sum
    const double share = u / boundary_;
    const double y = 2 * share * share - 1;
    double next = 0;
    double after = 0;
    for (std::size_t k = size - 1; k > 0; --k) {
      const double current = 2 * y * next - after + coefficients_[k];
      after = next;
      next = current;
    }
    return y * next - after + coefficients_[0];
  }

 private:
  static constexpr std::size_t size = 20;
  using Cosines = std::array<std::array<double, size>, size>;

  static Cosines all_cosines() {
    Cosines made{};
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t j = 0; j < size; ++j)
        made[k][j] = std::cos(pi * static_cast<double>(k) * (static_cast<double>(j) + 0.5) / size);
    return made;
  }

  double boundary_;
  std::array<double, size> coefficients_{};
};

/// Of a function that changes as cos(a)^power does, with points enough for the length.
template <class Function>
double integral(const Function& function, double low, double high, double power) {
  if (low >= high) return 0;
  constexpr double short_enough = 6;  // standard deviations
  return (high - low) * std::sqrt(power) < short_enough
             ? boost::math::quadrature::gauss<double, 15>::integrate(function, low, high)
             : boost::math::quadrature::gauss<double, 30>::integrate(function, low, high);
}

/// The chance not to have crossed at n values or before, given u(n + 1) = v >= 0.
double survival_before(double v, std::size_t n, const Survival& at_n) {
  const auto count = static_cast<double>(n);
  const double power = count - 2;
  const double middle = v / (count + 1);
  const double reach = std::sqrt(std::max(0.0, 1 - v * v / (count + 1)) * count / (count + 1));
  // |u(n)| < b lies between the roots of (v - y)^2 = b^2 (1 - y^2).
  const double b = at_n.boundary();
  const double root = b * std::sqrt(std::max(0.0, 1 + b * b - v * v));
  const auto angle_of = [&](double y) {
    return std::asin(std::clamp((y - middle) / reach, -1.0, 1.0));
  };
  // Beyond this angle the density is below 1e-16 of its highest.
  const double widest = std::acos(std::exp(-36.8 / std::max(power, 1e-3)));
  const double low = std::max(angle_of((v - root) / (1 + b * b)), -widest);
  const double high = std::min(angle_of((v + root) / (1 + b * b)), widest);
  const auto weighted = [&](double a) {
    const double sine = std::sin(a);
    const double y = middle + reach * sine;
    return std::pow(1 - sine * sine, power / 2) * at_n((v - y) / std::sqrt(1 - y * y));
  };
  return integral(weighted, low, high, power) / cosine_integral(power);
}

/// The chance to cross for the first time at n + 1 values.
double first_crossing(std::size_t n, double boundary, const Survival& at_n) {
  const auto count = static_cast<double>(n + 1);
  // From within the last boundary one value leads to here at most, so the chance ends there, like a
  // root; the square of s takes that away.
  const double top = std::hypot(1.0, at_n.boundary());
  if (boundary >= top) return 0;
  const auto angle_of = [&](double u) { return std::asin(std::min(1.0, u / std::sqrt(count))); };
  const double high = angle_of(top);
  const double width = high - angle_of(boundary);
  const auto weighted = [&](double s) {
    const double c = high - width * s * s;
    return 2 * width * s * std::pow(std::cos(c), count - 2) *
           survival_before(std::sqrt(count) * std::sin(c), n, at_n);
  };
  return 2 * boost::math::quadrature::gauss<double, 15>::integrate(weighted, 0.0, 1.0) /
         cosine_integral(count - 2);
}

std::vector<double> t_values(const LookPlan& plan, const std::vector<double>& nominal) {
  std::vector<double> values;
  for (std::size_t i = 0; i < nominal.size(); ++i)
    values.push_back(t_at(nominal[i], plan.first + i));
  return values;
}

TBoundary computed(const LookPlan& plan, double alpha) {
  // One look alone bounds the constant from below, Bonferroni's inequality from above.
  const auto deviate = [](double p) {
    return boost::math::quantile(boost::math::complement(boost::math::normal(), p / 2));
  };
  const auto looks = static_cast<double>(plan.last - plan.first + 1);
  TBoundary made{plan, alpha, deviate(alpha), {}, {}};
  if (plan.last > plan.first) {
    const auto excess = [&](double constant) {
      return std::log(crossing_probability(plan, constant) / alpha);
    };
    std::uintmax_t steps = 50;
    const auto [low, high] =
        boost::math::tools::toms748_solve(excess, made.constant, deviate(alpha / looks),
                                          boost::math::tools::eps_tolerance<double>(22), steps);
    made.constant = (low + high) / 2;
  }
  made.nominal = nominal_levels(plan, made.constant);
  made.t = t_values(plan, made.nominal);
  return made;
}

}  // namespace

double crossing_probability(const LookPlan& plan, double constant) {
  check(plan);
  // At zero the boundary would have no width for the polynomials to live on.
  const auto nominal = nominal_levels(plan, std::max(constant, 1e-6));
  const auto t = t_values(plan, nominal);
  const auto bound = [&](std::size_t n) {
    return std::sqrt(static_cast<double>(n)) * std::sin(angle_at(t[n - plan.first], n));
  };
  double crossed = nominal[0];
  Survival survival(bound(plan.first));
  for (std::size_t n = plan.first; n < plan.last; ++n) {
    const double next = bound(n + 1);
    crossed += first_crossing(n, next, survival);
    survival = Survival(next, [&](double v) { return survival_before(v, n, survival); });
  }
  return std::min(1.0, crossed);
}

const TBoundary& t_boundary(const LookPlan& plan, double alpha) {
  check(plan);
  if (!(alpha >= smallest_alpha && alpha <= 0.5))
    throw Error("an error rate must lie between 1e-8 and 0.5");
  static std::mutex mutex;
  static std::map<std::tuple<std::size_t, std::size_t, double, double>, TBoundary> known;
  const std::tuple key{plan.first, plan.last, plan.shape, alpha};
  const std::lock_guard lock(mutex);
  const auto place = known.find(key);
  return place != known.end() ? place->second
                              : known.emplace(key, computed(plan, alpha)).first->second;
}

double constant_reached(const LookPlan& plan, std::size_t n, double t) {
  check(plan);
  if (n < plan.first || n > plan.last) throw Error("this is no look of the plan");
  const boost::math::students_t distribution(static_cast<double>(n - 1));
  const double tail = boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
  // A tail of zero is beyond what a double can hold: 37 deviations.
  const double deviate =
      tail > 0 ? boost::math::quantile(boost::math::complement(boost::math::normal(), tail)) : 37.0;
  return deviate / steepness(plan, n);
}

}  // namespace prengdl
