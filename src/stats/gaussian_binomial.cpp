// SPDX-License-Identifier: Apache-2.0
#include "stats/gaussian_binomial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/error.h"

namespace prengdl {
namespace {

using Limb = std::uint64_t;
__extension__ using Wide = __int128;   // a limb and its carry, of either sign
constexpr std::size_t most_limbs = 7;  // for the choices of 200 out of 400, about 2^396

using Number = std::array<Limb, most_limbs>;  // the lowest limb first

/// a + b - c, which is not negative, where all of them have no more than so many limbs.
void add_and_take(Number& to, const Number& a, const Number& b, const Number& c,
                  std::size_t limbs) {
  Wide carry = 0;
  for (std::size_t i = 0; i < limbs; ++i) {
    carry += static_cast<Wide>(a[i]) + b[i] - c[i];
    to[i] = static_cast<Limb>(carry);
    carry >>= 64;
  }
}

double as_double(const Number& number, std::size_t limbs) {
  double value = 0;
  for (std::size_t i = limbs; i-- > 0;) {
    // By halves, which are signed numbers as well: the processor has no conversion of unsigned
    // ones, and a branch on the uppermost bit of such numbers goes wrong half of the time.
    const auto upper = static_cast<std::int64_t>(number[i] >> 32);
    const auto lower = static_cast<std::int64_t>(number[i] & 0xffffffff);
    value = value * 0x1p64 + (static_cast<double>(upper) * 0x1p32 + static_cast<double>(lower));
  }
  return value;
}

/// A polynomial on its way from 1 to a Gaussian binomial, multiplied by (1 - q^a) / (1 - q^k) again
/// and again. Each step takes numbers from each other that are larger than what remains; in doubles
/// that loses all digits before it comes to 200 out of 400. So these are whole numbers of several
/// words, and exact.
class Polynomial {
 public:
  /// Of the coefficients only the first so many are known.
  explicit Polynomial(std::size_t most) : most_(most), last_(most + 1), next_(most + 1) {
    last_[0][0] = 1;
  }

  /// Afterwards the polynomial has this degree, and is even about its middle: only the lower half
  /// is worked out, and as far beyond as the next step will look.
  void step(std::size_t a, std::size_t k, std::size_t degree, std::size_t next_degree) {
    log2_of_all_ += std::log2(static_cast<double>(a) / static_cast<double>(k));
    limbs_ = static_cast<std::size_t>((log2_of_all_ + 0.01) / 64) + 1;
    const std::size_t middle = std::min(most_, degree / 2);
    const Number none{};
    for (std::size_t u = 0; u <= middle; ++u)
      add_and_take(next_[u], u >= k ? next_[u - k] : none, last_[u], u >= a ? last_[u - a] : none,
                   limbs_);
    for (std::size_t u = middle + 1; u <= std::min(most_, next_degree / 2); ++u)
      next_[u] = u <= degree ? next_[degree - u] : none;
    std::swap(last_, next_);
    degree_ = degree;
  }

  std::vector<double> coefficients() const {
    std::vector<double> values(std::min(most_known(), degree_) + 1);
    for (std::size_t u = 0; u < values.size(); ++u)
      values[u] = 2 * u <= degree_ ? as_double(last_[u], limbs_) : values[degree_ - u];
    return values;
  }

 private:
  /// With the lower half all are known.
  std::size_t most_known() const { return 2 * most_ + 1 >= degree_ ? degree_ : most_; }

  std::size_t most_;
  std::size_t degree_ = 0;
  double log2_of_all_ = 0;  // of the sum of all coefficients
  std::size_t limbs_ = 1;   // that hold it
  std::vector<Number> last_;
  std::vector<Number> next_;
};

}  // namespace

std::vector<double> gaussian_binomial(std::size_t m, std::size_t n, std::size_t most) {
  if (m > n) std::swap(m, n);
  if (n > 200) throw Error("U is counted for at most 200 and 200 values");
  Polynomial polynomial(std::min(most, m * n / 2));
  for (std::size_t i = 1; i <= m; ++i) polynomial.step(n + i, i, i * n, (i + 1) * n);
  auto coefficients = polynomial.coefficients();
  coefficients.resize(most + 1, 0.0);
  return coefficients;
}

std::vector<std::vector<double>> gaussian_binomials(std::size_t size, std::size_t most_k) {
  if (size > 400) throw Error("U is counted for at most 200 and 200 values");
  const auto degree = [&](std::size_t k) { return k * (size - k); };
  most_k = std::min(most_k, size / 2);
  Polynomial polynomial(degree(most_k) / 2);
  std::vector<std::vector<double>> rows{polynomial.coefficients()};
  for (std::size_t k = 1; k <= most_k; ++k) {
    polynomial.step(size - k + 1, k, degree(k), k < most_k ? degree(k + 1) : 0);
    rows.push_back(polynomial.coefficients());
  }
  return rows;
}

}  // namespace prengdl
