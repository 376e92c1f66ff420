#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reference figures for tests/stats_test.cpp, by SciPy: python3 make_stats.py > stats.csv

Lines: `sample,NAME,VALUES` and `expect,FUNCTION,SAMPLE,SAMPLE,FIGURE,VALUE`. Where SciPy has no exact
figure (the signed-rank test with ties), all signs are counted in whole numbers, and the count is checked
against SciPy's own permutations where those are few enough.
"""

import math
import random
from fractions import Fraction

import numpy
import scipy
from scipy import stats

samples = {}


def sample(name, values):
    values = [float(value) for value in values]
    samples[name] = values
    print(f"sample,{name}," + " ".join(repr(value) for value in values))
    return name


def expect(function, a, b, **figures):
    for figure, value in figures.items():
        print(f"expect,{function},{a},{b},{figure},{float(value)!r}")


def exact_signed_rank(a, b):
    """Two-sided p over all signs, with mid-ranks; zero differences are dropped."""
    differences = [x - y for x, y in zip(a, b) if x != y]
    ranks = [int(2 * rank) for rank in stats.rankdata([abs(d) for d in differences])]
    plus = sum(rank for rank, d in zip(ranks, differences) if d > 0)
    smaller = min(plus, sum(ranks) - plus)
    ways = {0: 1}
    for rank in ranks:
        more = dict(ways)
        for total, count in ways.items():
            more[total + rank] = more.get(total + rank, 0) + count
        ways = more
    tail = sum(count for total, count in ways.items() if total <= smaller)
    return float(min(Fraction(1), Fraction(2 * tail, 2 ** len(ranks))))


def close(a, b):
    assert math.isclose(a, b, rel_tol=1e-9), (a, b)


def summary(name):
    values = samples[name]
    n = len(values)
    mean = math.fsum(values) / n
    figures = {"n": n, "mean": mean, "median": numpy.median(values), "min": min(values), "max": max(values)}
    if n > 1:
        sd = numpy.std(values, ddof=1)
        low, high = stats.t.interval(0.95, n - 1, loc=mean, scale=sd / math.sqrt(n))
        figures.update(sd=sd, low=low, high=high)
    expect("summary", name, "", **figures)


def log_ratio(function, a, b):
    x, y = numpy.log(samples[a]), numpy.log(samples[b])
    if function == "paired":
        test = stats.ttest_rel(x, y)
        difference = math.fsum(x - y) / len(x)
    else:
        test = stats.ttest_ind(x, y, equal_var=False)
        difference = math.fsum(x) / len(x) - math.fsum(y) / len(y)
    interval = test.confidence_interval(0.95)
    expect(function, a, b, ratio=math.exp(difference), low=math.exp(interval.low),
           high=math.exp(interval.high), p=test.pvalue)  # fmt: skip


def signed_rank(a, b):
    x, y = numpy.array(samples[a]), numpy.array(samples[b])
    differences = (x - y)[x != y]
    n = len(differences)
    ties = len(set(abs(differences))) < n
    if n > 200:
        p = stats.wilcoxon(x, y, method="asymptotic", correction=True).pvalue
    else:
        p = exact_signed_rank(samples[a], samples[b])
        if not ties:
            close(p, stats.wilcoxon(differences, method="exact").pvalue)
        elif n <= 14:
            everything = stats.PermutationMethod(n_resamples=numpy.inf)
            close(p, stats.wilcoxon(differences, method=everything).pvalue)
    expect("signed_rank", a, b, p=p, is_exact=n <= 200)


def a12(a, b):
    x, y = samples[a], samples[b]
    expect("a12", a, b, a12=stats.mannwhitneyu(x, y).statistic / (len(x) * len(y)))


def holm(name):
    """Holm (1979): the i-th smallest of m times m - i + 1, never below the one before, at most 1."""
    p = samples[name]
    order = sorted(range(len(p)), key=lambda i: p[i])
    corrected, least = [0.0] * len(p), 0.0
    for place, i in enumerate(order):
        least = max(least, min(1.0, (len(p) - place) * p[i]))
        corrected[i] = least
    expect("holm", name, "", **{str(i): value for i, value in enumerate(corrected)})


def main():
    print(f"# made by make_stats.py with SciPy {scipy.__version__} and NumPy {numpy.__version__}")
    generator = random.Random(20220522)

    def lognormal(n, centre, spread, digits=4):
        return [round(centre * math.exp(generator.gauss(0, spread)), digits) for _ in range(n)]

    for probability in (0.025, 0.5, 0.9, 0.975, 0.995):
        for freedom in (1, 2, 2.7, 9, 29.5, 1000):
            value = stats.t.ppf(probability, freedom) if probability != 0.5 else 0.0
            print(f"expect,quantile,{probability},{freedom},value,{float(value)!r}")

    sample("one", [12.5])
    sample("two", [3.0, 4.5])
    sample("odd", lognormal(7, 100, 0.1))
    sample("offset", [1e9 + x for x in (4, 7, 13, 16)])  # where one pass loses all digits
    for name in ("one", "two", "odd", "offset"):
        summary(name)

    for n, ratio, spread in ((2, 1.3, 0.1), (5, 1.1, 0.05), (10, 1.0, 0.2), (30, 1.02, 0.03), (120, 0.9, 0.4)):
        a, b = f"a{n}", f"b{n}"
        common = [math.exp(generator.gauss(0, 0.3)) for _ in range(n)]
        sample(a, [round(x * c, 6) for x, c in zip(lognormal(n, 100 * ratio, spread, 9), common)])
        sample(b, [round(x * c, 6) for x, c in zip(lognormal(n, 100, spread, 9), common)])
        summary(a)
        log_ratio("paired", a, b)
        log_ratio("welch", a, b)
        signed_rank(a, b)
        a12(a, b)
    log_ratio("welch", "a5", "b30")
    log_ratio("welch", "odd", "b120")
    a12("a5", "b30")

    for n in (3, 6, 12, 40, 199, 200, 201, 400):
        for digits, shift in ((9, 0.3), (0, 1)):  # all different; whole numbers with ties and zeros
            a, b = f"r{n}.{digits}", f"s{n}.{digits}"
            sample(a, [round(generator.gauss(20 + shift, 4), digits) for _ in range(n)])
            sample(b, [round(generator.gauss(20, 4), digits) for _ in range(n)])
            signed_rank(a, b)
            a12(a, b)
    sample("up", [x + 1.5 + 0.25 * x for x in range(1, 11)])
    sample("down", range(1, 11))
    signed_rank("up", "down")
    signed_rank("down", "up")
    a12("up", "down")

    sample("p1", [0.04])
    sample("p5", [0.01, 0.02, 0.03, 0.04, 0.05])
    sample("p6", [0.3, 0.0001, 0.04, 0.04, 0.9, 0.012])
    for name in ("p1", "p5", "p6"):
        holm(name)


main()
