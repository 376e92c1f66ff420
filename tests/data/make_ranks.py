#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reference figures for tests/stats_ranks_test.cpp, by SciPy and by counting, then by R:

    python3 make_ranks.py > ranks.csv && Rscript make_ranks.R ranks.csv >> ranks.csv

Lines: `sample,NAME,VALUES` and `expect,FUNCTION,SAMPLES,ARGUMENT,FIGURE,VALUE,SOURCE`. What neither SciPy nor
R gives exactly (ties, large samples) is counted here in whole numbers of any size; the counts are checked
against SciPy or against all permutations wherever those are few enough.
"""

import itertools
import math
import random
from fractions import Fraction

import numpy
import scipy
from scipy import stats

samples = {}


def sample(name, values):
    samples[name] = [float(value) for value in values]
    print(f"sample,{name}," + " ".join(repr(value) for value in samples[name]))
    return name


def expect(function, names, argument, source, **figures):
    for figure, value in figures.items():
        print(f"expect,{function},{names},{argument},{figure},{float(value)!r},{source}")


def close(a, b):
    assert math.isclose(a, b, rel_tol=1e-9), (a, b)


def doubled_ranks(values):
    return [int(2 * rank) for rank in stats.rankdata(values)]


# Distributions as whole numbers: ways[value] = in how many equally likely ways.


class Polynomial:
    """A generating function with whole coefficients, packed into one large number: exact, and fast in Python."""

    bits = 640  # more than 100! needs

    def __init__(self, packed=1):
        self.packed = packed

    def shifted(self, places):
        return Polynomial(self.packed << (places * self.bits))

    def __add__(self, other):
        return Polynomial(self.packed + other.packed)

    def __mul__(self, other):
        return Polynomial(self.packed * other.packed)

    def coefficients(self):
        size = self.bits // 8
        raw = self.packed.to_bytes((self.packed.bit_length() // self.bits + 1) * size, "little")
        return [int.from_bytes(raw[i : i + size], "little") for i in range(0, len(raw), size)]


def chosen_sums(scores, m):
    """Sums of m of the scores."""
    rows = [Polynomial(1)] + [Polynomial(0) for _ in range(m)]
    for score in scores:
        for k in range(m, 0, -1):
            rows[k] = rows[k] + rows[k - 1].shifted(score)
    return rows[m].coefficients()


def gaussian_coefficients(m, n):
    """Mann and Whitney's U without ties: the Gaussian binomial coefficient, by whole-number division."""
    ways = [1] + [0] * (m * n)
    for i in range(1, m + 1):
        for u in range(m * n, n + i - 1, -1):
            ways[u] -= ways[u - n - i]
        for u in range(i, m * n + 1):
            ways[u] += ways[u - i]
    return ways


def plus_sums(scores):
    ways = Polynomial(1)
    for score in scores:
        ways = ways + ways.shifted(score)
    return ways.coefficients()


def p_values(ways, value):
    all_ways = sum(ways)
    less = Fraction(sum(ways[: value + 1]), all_ways)
    greater = Fraction(sum(ways[value:]), all_ways)
    two_sided = min(Fraction(1), 2 * min(less, greater))
    return {"two_sided": two_sided, "less": less, "greater": greater}


def rank_sum(a, b):
    x, y = samples[a], samples[b]
    m, n = len(x), len(y)
    ranks = doubled_ranks(x + y)
    total = sum(ranks[:m])
    tied = len(set(x + y)) < m + n
    if tied:
        p = p_values(chosen_sums(ranks, m), total)
    else:
        p = p_values(gaussian_coefficients(m, n), (total - m * (m + 1)) // 2)
    for alternative in ("two-sided", "less", "greater"):
        if not tied and m * n <= 2500:
            test = stats.mannwhitneyu(x, y, alternative=alternative, method="exact")
            close(p[alternative.replace("-", "_")], test.pvalue)
        elif math.comb(m + n, m) < 20000:
            everything = stats.PermutationMethod(n_resamples=numpy.inf)
            test = stats.mannwhitneyu(x, y, alternative=alternative, method=everything)
            close(p[alternative.replace("-", "_")], test.pvalue)
    statistic = stats.mannwhitneyu(x, y).statistic
    expect("rank_sum", f"{a} {b}", "", "counted", statistic=statistic, is_exact=1, **p)
    expect("a12", f"{a} {b}", "", "SciPy", a12=statistic / (m * n))


def signed_rank(a, b):
    differences = [x - y for x, y in zip(samples[a], samples[b]) if x != y]
    ranks = doubled_ranks([abs(d) for d in differences])
    plus = sum(rank for rank, d in zip(ranks, differences) if d > 0)
    p = p_values(plus_sums(ranks), plus)
    if 2 <= len(ranks) <= 12:
        for alternative in ("two-sided", "less", "greater"):
            everything = stats.PermutationMethod(n_resamples=numpy.inf)
            test = stats.wilcoxon(differences, alternative=alternative, method=everything)
            close(p[alternative.replace("-", "_")], test.pvalue)
    expect("signed_rank", f"{a} {b}", "", "counted", statistic=plus / 2, is_exact=1, **p)


def shift(a, b, paired, confidence):
    """Hodges and Lehmann's shift with the closed interval of order statistics."""
    x, y = numpy.array(samples[a]), numpy.array(samples[b])
    m, n = len(x), len(y)
    if paired:
        d = x - y
        sums = sorted((d[i] + d[j]) / 2 for i in range(n) for j in range(i, n))
        mean, spread = n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    else:
        sums = sorted((x[:, None] - y[None, :]).ravel())
        mean, spread = m * n / 2, math.sqrt(m * n * (m + n + 1) / 12)
    is_exact = max(m, n) <= 200
    if is_exact:
        ways = plus_sums(range(1, n + 1)) if paired else gaussian_coefficients(m, n)
        k, tail = 0, 0
        while Fraction(2 * (tail + ways[k]), sum(ways)) <= Fraction(str(round(1 - confidence, 6))):
            tail += ways[k]
            k += 1
        reached = 1 - Fraction(2 * tail, sum(ways))
    else:
        k = math.floor(mean - stats.norm.ppf(0.5 + confidence / 2) * spread + 0.5)
        reached = confidence
    figures = {"estimate": numpy.median(sums), "is_exact": is_exact}
    if k > 0:
        figures.update(low=sums[k - 1], high=sums[len(sums) - k], confidence=reached)
    expect("paired_shift" if paired else "unpaired_shift", f"{a} {b}", confidence, "counted", **figures)


def spearman(a, b):
    """All pairings of the ranks are counted, over the sets of partners that are already taken."""
    x, y = doubled_ranks(samples[a]), doubled_ranks(samples[b])
    n = len(x)
    ways = {0: Polynomial(1)}
    for i in range(n):
        more = {}
        for taken, polynomial in ways.items():
            for j in range(n):
                if not taken >> j & 1:
                    added = polynomial.shifted(x[i] * y[j])
                    key = taken | 1 << j
                    more[key] = more[key] + added if key in more else added
        ways = more
    value = sum(p * q for p, q in zip(x, y))
    p = p_values(ways[(1 << n) - 1].coefficients(), value)
    if n <= 7:
        sums = [sum(u * v for u, v in zip(x, order)) for order in itertools.permutations(y)]
        close(p["greater"], sum(s >= value for s in sums) / len(sums))
        close(p["less"], sum(s <= value for s in sums) / len(sums))
    estimate = stats.spearmanr(samples[a], samples[b]).statistic
    expect("spearman", f"{a} {b}", "exact", "counted", estimate=estimate, **p)


def kendall(a, b, function="kendall"):
    """At most one of the two has ties: group after group of equal values is strewn into those before it."""
    x, y = samples[a], samples[b]
    n = len(x)
    sign = numpy.sign
    signs = [sign(x[i] - x[j]) * sign(y[i] - y[j]) for i in range(n) for j in range(i)]
    concordant = sum(s > 0 for s in signs)
    tied = x if len(set(x)) < n else y
    ways, before = Polynomial(1), 0
    for value in sorted(set(tied)):
        group = tied.count(value)
        packed = 0
        for u, count in enumerate(gaussian_coefficients(group, before)):
            packed += count << (u * Polynomial.bits)
        ways, before = ways * Polynomial(packed), before + group
    p = p_values(ways.coefficients(), int(concordant))
    if n <= 7:
        def score(order):
            return sum(sign(x[i] - x[j]) * sign(order[i] - order[j]) for i in range(n) for j in range(i))

        scores = [score(order) for order in itertools.permutations(y)]
        close(p["greater"], sum(s >= sum(signs) for s in scores) / len(scores))
        close(p["less"], sum(s <= sum(signs) for s in scores) / len(scores))
    elif len(set(x)) == n and len(set(y)) == n:
        close(p["two_sided"], stats.kendalltau(x, y, method="exact").pvalue)
    names = f"{a} {b}" if function == "kendall" else b
    expect(function, names, "exact", "counted", estimate=stats.kendalltau(x, y).statistic, **p)


def yuen(a, b, trim):
    test = stats.ttest_ind(samples[a], samples[b], equal_var=False, trim=trim)
    means = [stats.trim_mean(samples[name], trim) for name in (a, b)]
    figures = {"difference": means[0] - means[1], "p": test.pvalue}
    if trim == 0:
        interval = test.confidence_interval(0.95)
        figures.update(low=interval.low, high=interval.high, freedom=test.df)
    expect("yuen", f"{a} {b}", trim, "SciPy", **figures)


def theil_sen(a, b):
    line = stats.theilslopes(samples[b], samples[a], 0.95)
    expect("theil_sen", f"{a} {b}", "", "SciPy", slope=line.slope, intercept=line.intercept,
           low=line.low_slope, high=line.high_slope)  # fmt: skip


def pettitt(name):
    """All orders are counted, over the sets of values that can stand before a cut."""
    values = samples[name]
    n = len(values)
    scores = [rank - (n + 1) for rank in doubled_ranks(values)]
    largest = max(abs(sum(scores[:t])) for t in range(1, n))
    orders = {0: (1, 0)}
    for _ in range(n):
        more = {}
        for taken, (count, total) in orders.items():
            for j in range(n):
                if not taken >> j & 1 and abs(total + scores[j]) < largest:
                    known = more.get(taken | 1 << j, (0, 0))[0]
                    more[taken | 1 << j] = (known + count, total + scores[j])
        orders = more
    below = orders.get((1 << n) - 1, (0, 0))[0]
    p = float(1 - Fraction(below, math.factorial(n)))
    if n <= 7:
        reached = 0
        for order in itertools.permutations(scores):
            reached += max(abs(sum(order[:t])) for t in range(1, n)) >= largest
        close(p, reached / math.factorial(n))
    expect("pettitt", name, "exact", "counted", statistic=largest, p=p)


def main():
    print(f"# made by make_ranks.py with SciPy {scipy.__version__} and NumPy {numpy.__version__}, then make_ranks.R")
    generator = random.Random(19450614)

    def normal(n, centre, digits):
        return [round(generator.gauss(centre, 1), digits) for _ in range(n)]

    # x, y: all different; v, w: rounded, so that there are ties within and between them.
    for n in (1, 2, 3, 4, 6, 9, 10, 12, 13, 40, 50, 100, 200, 250):
        sample(f"x{n}", normal(n, 0.5 if n > 3 else 0, 7))
        sample(f"y{n}", normal(n, 0, 7))
        assert len(set(samples[f"x{n}"] + samples[f"y{n}"])) == 2 * n
        if n in (3, 6, 9, 10, 12, 13, 50, 100, 250):
            sample(f"v{n}", normal(n, 0.4, 1 if n > 12 else 0))
            sample(f"w{n}", normal(n, 0, 1 if n > 12 else 0))
    sample("low50", range(1, 51))
    sample("high50", range(51, 101))
    sample("low200", range(1, 201))
    sample("high200", range(201, 401))
    sample("lowtied50", [i // 2 for i in range(50)])
    sample("hightied50", [i // 3 + 25 for i in range(50)])
    sample("few", [1, 2, 2, 3, 3, 3, 3, 9])
    sample("many", [0, 1, 1, 1, 1, 2, 2, 2, 3, 5, 8, 8])

    for a, b in (("x1", "y1"), ("x1", "y2"), ("x2", "y2"), ("x3", "y3"), ("x6", "y10"), ("x10", "y6"), ("x10", "y10"),
                 ("x50", "y50"), ("x200", "y200"), ("x3", "y200"), ("x100", "y200"), ("low50", "high50"),
                 ("high200", "low200"), ("low200", "high200")):  # fmt: skip
        rank_sum(a, b)
    for a, b in (("v3", "w3"), ("v6", "w6"), ("v6", "w10"), ("few", "many"), ("many", "few"), ("v10", "w10"),
                 ("v12", "w9"), ("v50", "w50"), ("v50", "w13"), ("v100", "w100"), ("lowtied50", "hightied50"),
                 ("x3", "x3")):  # fmt: skip
        rank_sum(a, b)
    for n in (1, 2, 3, 10, 50, 200):
        signed_rank(f"x{n}", f"y{n}")
    for n in (3, 6, 12, 50, 100):
        signed_rank(f"v{n}", f"w{n}")
    for n in (1, 3, 6, 10, 50, 200, 250):
        shift(f"x{n}", f"y{n}", True, 0.95)
        shift(f"x{n}", f"y{n}", False, 0.95)
    for a, b, paired in (("v6", "w6", True), ("v12", "w12", True), ("v50", "w50", True), ("v12", "w9", False),
                         ("few", "many", False), ("v50", "w13", False), ("x6", "y10", False)):  # fmt: skip
        shift(a, b, paired, 0.95)
        shift(a, b, paired, 0.8)
    for n in (2, 3, 6, 9, 10, 12):
        spearman(f"x{n}", f"y{n}")
    for n in (3, 6, 9, 12):
        spearman(f"v{n}", f"w{n}") if n > 3 else None
        spearman(f"x{n}", f"v{n}")
    for n in (2, 3, 6, 9, 40, 100):
        kendall(f"x{n}", f"y{n}")
    for n in (3, 6, 12, 50, 100):
        kendall(f"x{n}", f"w{n}")
        kendall(f"v{n}", f"y{n}")
    for n in (6, 12, 50):
        sample(f"time{n}", range(n))
        kendall(f"time{n}", f"y{n}", "mann_kendall")
        kendall(f"time{n}", f"w{n}", "mann_kendall")
        sample(f"trend{n}", [round(value + 0.1 * i, 5) for i, value in enumerate(samples[f"y{n}"])])
        kendall(f"time{n}", f"trend{n}", "mann_kendall")
        theil_sen(f"time{n}", f"trend{n}")
        theil_sen(f"v{n}", f"trend{n}")
        theil_sen(f"x{n}", f"w{n}")
    for name in ("x2", "x3", "few", "many", "v6", "w9", "trend6", "trend12", "y12", "w13", "y13"):
        pettitt(name)

    for n in (10, 50):
        for trim in (0, 0.1, 0.2, 0.25):
            yuen(f"x{n}", f"y{n}", trim)
            yuen(f"v{n}", f"w{n}", trim)
    yuen("x6", "y50", 0.2)


main()
