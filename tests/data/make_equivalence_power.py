#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reference figures for tests/study/plan_test.cpp, without SciPy: python3 make_equivalence_power.py

The power of two one-sided paired t tests, by Simpson's rule over the sample's standard deviation. The quantile of
Student's t comes from its own density by Simpson's rule and bisection. The first line is a figure that is known
from elsewhere: a two-period crossover with CV 0.3, true ratio 0.95, limits 0.8 to 1.25 and 40 subjects has a power
of 0.8158 (PowerTOST).
"""

import math


def simpson(function, low, high, pieces):
    step = (high - low) / pieces
    inner = sum((4 if i % 2 else 2) * function(low + i * step) for i in range(1, pieces))
    return (function(low) + inner + function(high)) * step / 3


def normal_cdf(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def t_upper_tail(t, freedom):
    """By the angle whose tangent is t / sqrt(freedom): its density is cos^(freedom - 1)."""
    log_constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(math.pi) / 2

    def density(angle):
        return math.cos(angle) ** (freedom - 1)

    return math.exp(log_constant) * simpson(density, math.atan(t / math.sqrt(freedom)), math.pi / 2, 4000)


def t_quantile(upper, freedom):
    low, high = 0.0, 1.0
    while t_upper_tail(high, freedom) > upper:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if t_upper_tail(middle, freedom) > upper else (low, middle)
    return high


def power(difference, margin, root, freedom, alpha):
    """`root`: one over the standard error of the difference. All in units of the standard deviation."""
    t = t_quantile(alpha, freedom)
    log_constant = math.log(2) + freedom / 2 * math.log(freedom / 2) - math.lgamma(freedom / 2)

    def part(s):  # the ratio of the sample's standard deviation to the true one
        density = math.exp(log_constant - freedom * s * s / 2) * s ** (freedom - 1)
        within = normal_cdf((margin - difference) * root - t * s) - normal_cdf(t * s - (margin + difference) * root)
        return density * within

    return simpson(part, 0, min(margin * root / t, 1 + 12 / math.sqrt(2 * freedom)), 20_000)


def paired(difference, margin, pairs, alpha):
    return power(difference, margin, math.sqrt(pairs), pairs - 1, alpha)


sd = math.sqrt(math.log(1 + 0.3**2))
print(f"crossover {power(-math.log(0.95) / sd, math.log(1.25) / sd, math.sqrt(40 / 2), 38, 0.05):.4f}")
for case in ((0, 1, 10, 0.05), (0.2, 1, 10, 0.05), (0.5, 1, 30, 0.05), (0, 2.5, 5, 0.05 / 6),
             (0.25, 0.5, 100, 0.05 / 60), (0, 0.1, 1000, 0.05), (0, 1, 4, 0.05),
             (0, 20, 3, 0.05 / 60), (1, 1, 20, 0.05), (0, 3, 2, 0.05)):
    print("{" + ", ".join(map(repr, case)) + f", {paired(*case)!r}" + "},")
for difference, margin, alpha in ((0, 1, 0.05), (0.2, 1, 0.05), (0, 2.5, 0.05 / 6), (0.25, 0.5, 0.05 / 60),
                                  (0, 4, 0.05)):
    pairs = 2
    while paired(difference, margin, pairs, alpha) < 0.8:
        pairs += 1
    print(f"fewest {difference} {margin} {alpha:.4g}: {pairs}")
