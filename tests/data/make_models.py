#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Samples and SciPy's figures for tests/stats_models_test.cpp; R's figures come after them:

    python3 make_models.py > models.csv && Rscript make_models.R models.csv >> models.csv

Lines: `sample,NAME,VALUES`, `design,NAME,FACTOR=LEVELS ..,GROUPINGS`, `run,NAME,LEVELS,GROUPS,VALUE` and
`expect,FUNCTION,A,B,FIGURE,VALUE`. The bootstrap's resamples are drawn here by the generator that prengdl uses, and
SciPy makes the BCa interval of them.
"""

import itertools
import math
import random

import numpy
import scipy
from scipy import stats

samples = {}
generator = random.Random(20231116)


def sample(name, values):
    samples[name] = numpy.array([float(value) for value in values])
    print(f"sample,{name}," + " ".join(repr(float(value)) for value in samples[name]))


def expect(function, a, b, **figures):
    for figure, value in figures.items():
        print(f"expect,{function},{a},{b},{figure},{float(value)!r}")


def lognormal(n, centre, spread, digits=9):
    return [round(centre * math.exp(generator.gauss(0, spread)), digits) for _ in range(n)]


class SplitMix64:
    """Steele, Lea and Flood (2014)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        x = self.state
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & mask
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB & mask
        x ^= x >> 31
        return (x >> 32) * n >> 32


def resamples(data, count, seed):
    indices = SplitMix64(seed)
    for _ in range(count):
        yield [values[[indices.below(len(values)) for _ in values]] for values in data]


def log_ratio(a, b, axis=-1):
    return numpy.log(numpy.mean(a, axis=axis) / numpy.mean(b, axis=axis))


def log_ratio_error(a, b):
    return math.sqrt(sum(numpy.var(x, ddof=1) / len(x) / numpy.mean(x) ** 2 for x in (a, b)))


def mean_error(a):
    return numpy.std(a, ddof=1) / math.sqrt(len(a))


statistics = {"mean": numpy.mean, "median": numpy.median, "log_ratio": log_ratio}
errors = {"mean": mean_error, "log_ratio": log_ratio_error}


def bca(statistic, names, count, seed, confidence):
    data = [samples[name] for name in names.split("+")]
    figure = statistics[statistic]
    drawn = numpy.array([figure(*resample) for resample in resamples(data, count, seed)])
    # Resamples that hold the sample's own values in another order: their figure differs by rounding only.
    drawn[numpy.isclose(drawn, figure(*data), rtol=1e-14, atol=0)] = figure(*data)
    before = stats.bootstrap(data, figure, n_resamples=2, method="percentile", vectorized=True, rng=1)
    before.bootstrap_distribution = drawn
    made = stats.bootstrap(data, figure, n_resamples=0, bootstrap_result=before, method="BCa",
                           confidence_level=confidence, vectorized=True)  # fmt: skip
    expect("bca", f"{statistic} {count} {seed} {confidence}", names, low=made.confidence_interval.low,
           high=made.confidence_interval.high, error=numpy.std(drawn, ddof=1))  # fmt: skip


def jackknife_error(figure, data):
    variance = 0
    for k, values in enumerate(data):
        n = len(values)
        without = []
        for i in range(n):
            rest = list(data)
            rest[k] = numpy.delete(values, i)
            without.append(figure(*rest))
        variance += (n - 1) * numpy.var(without)
    return math.sqrt(variance)


def bootstrap_t(statistic, names, count, seed, confidence, jackknifed):
    """With (count + 1) (1 - confidence) / 2 whole, the ends are plain order statistics."""
    data = [samples[name] for name in names.split("+")]
    figure = statistics[statistic]
    error = (lambda *d: jackknife_error(figure, d)) if jackknifed else errors[statistic]
    estimate = figure(*data)
    t = sorted((figure(*drawn) - estimate) / error(*drawn) for drawn in resamples(data, count, seed))
    place = (1 - confidence) / 2 * (count + 1)
    assert abs(place - round(place)) < 1e-9
    low, high = t[round(place) - 1], t[count - round(place)]
    expect("bootstrap_t", f"{statistic} {count} {seed} {confidence} {'jackknifed' if jackknifed else 'given'}", names,
           low=estimate - high * error(*data), high=estimate - low * error(*data), error=error(*data))  # fmt: skip


def design(name, factors, groupings, groups_of, replicates, value_of):
    """factors: {name: levels}; groups_of(levels, replicate) -> group numbers; value_of(levels, groups) -> value."""
    print(f"design,{name}," + " ".join(f"{f}={n}" for f, n in factors.items()) + "," + " ".join(groupings))
    rows = []
    for levels in itertools.product(*(range(n) for n in factors.values())):
        for replicate in range(replicates):
            groups = groups_of(levels, replicate)
            rows.append((levels, groups, round(value_of(levels, groups), 9)))
    generator.shuffle(rows)
    for levels, groups, value in rows:
        print(f"run,{name},{' '.join(map(str, levels))},{' '.join(map(str, groups))},{value!r}")


def shaken(spread, *effects):
    """exp of effects per factor, interactions by chance, group effects and noise."""
    groups_effect = {}

    def value(levels, groups):
        total = 4.0
        for level, effect in zip(levels, effects):
            total += effect * (level - 0.4) + 0.3 * effect * (level % 2)
        if len(levels) > 1:
            total += 0.2 * effects[0] * levels[0] * (levels[1] % 2)
        for i in range(len(groups)):
            key = groups[: i + 1]
            if key not in groups_effect:
                groups_effect[key] = generator.gauss(0, 3 * spread)
            total += groups_effect[key]
        return math.exp(total + generator.gauss(0, spread))

    return value


def designs():
    none = lambda levels, replicate: ()  # noqa: E731
    by_replicate = lambda levels, replicate: (replicate,)  # noqa: E731
    design("one", {"a": 3}, [], none, 4, shaken(0.05, 0.1))
    design("two", {"a": 2, "b": 3}, [], none, 2, shaken(0.05, 0.1, 0.2))
    design("many", {"a": 2, "b": 3, "c": 3, "d": 4}, [], none, 2, shaken(0.03, 0.2, 0.1, 0.4, 0.7))
    design("blocks", {"a": 2, "b": 3, "c": 2}, ["block"], by_replicate, 3, shaken(0.05, 0.1, 0.5, 0.03))
    design("single", {"a": 2, "b": 4}, ["block"], lambda levels, r: (0,), 1, shaken(0.05, 0.1, 0.1))
    design("split", {"a": 3, "b": 4}, ["block"], lambda levels, r: (levels[0] * 2 + r,), 2, shaken(0.05, 0.2, 0.1))
    design("machines", {"a": 2, "b": 3}, ["machine", "block"], lambda levels, r: (r // 4, r % 4), 12,
           shaken(0.04, 0.1, 0.6))  # fmt: skip
    design("confounded", {"a": 2, "b": 2, "c": 2}, ["block"], lambda levels, r: (sum(levels) % 2 + 2 * r,), 3,
           shaken(0.05, 0.1, 0.2, 0.05))  # fmt: skip
    design("large", {"a": 2, "b": 2}, ["block"], by_replicate, 500, shaken(0.1, 0.005, 0.2))
    design("wide", {"a": 7}, ["block"], by_replicate, 5, shaken(0.02, 0.01))
    quiet = lambda levels, groups: math.exp(3 + 0.1 * levels[0] + generator.gauss(0, 0.1))  # noqa: E731
    # Blocks that differ less than chance would have it: their component comes out negative.
    level_block = lambda levels, groups: math.exp(  # noqa: E731
        2 + 0.1 * levels[0] + 0.2 * (((levels[0] + groups[-1]) % 3) - 1) + generator.gauss(0, 0.01)
        + 0.3 * (groups[0] if len(groups) > 1 else 0))  # fmt: skip
    design("evenblocks", {"a": 3}, ["block"], by_replicate, 6, level_block)
    design("evenboth", {"a": 3}, ["machine", "block"], lambda levels, r: (r // 3, r % 3), 9, level_block)
    def even_machines(levels, groups):
        return math.exp(2 + 0.1 * levels[0] + 0.3 * groups[1] + 0.01 * groups[0] + generator.gauss(0, 0.02))

    design("evenmachines", {"a": 2}, ["machine", "block"], lambda levels, r: (r // 3, r % 3), 9, even_machines)
    design("quiet", {"a": 2}, ["machine", "block"], lambda levels, r: (r // 5, r % 5), 20, quiet)


def main():
    print(f"# made by make_models.py with SciPy {scipy.__version__} and NumPy {numpy.__version__}, then make_models.R")
    for n, ratio, spread in ((2, 1.02, 0.01), (3, 1.0, 0.05), (8, 1.01, 0.02), (30, 0.97, 0.05), (1000, 1.001, 0.3)):
        common = [math.exp(generator.gauss(0, 0.3)) for _ in range(n)]
        sample(f"a{n}", [round(x * c, 6) for x, c in zip(lognormal(n, 100 * ratio, spread), common)])
        sample(f"b{n}", [round(x * c, 6) for x, c in zip(lognormal(n, 100, spread), common)])
    sample("weights8", [1, 2, 3.5, 0.5, 1, 1, 4, 2])
    sample("ratios8", lognormal(8, 1.1, 0.2))

    for n in (3, 4, 5, 6, 7, 11, 12, 13, 20, 50, 500, 5000):
        sample(f"normal{n}", [round(generator.gauss(50, 7), 7) for _ in range(n)])
        sample(f"skewed{n}", [round(generator.expovariate(1), 7) for _ in range(n)])
        if n <= 50:
            sample(f"coarse{n}", [round(generator.gauss(50, 3)) for _ in range(n)])
    for kind in ("normal", "skewed", "coarse"):
        for n in (3, 4, 5, 6, 7, 11, 12, 13, 20, 50, 500, 5000):
            name = f"{kind}{n}"
            if name in samples and numpy.ptp(samples[name]) > 0:
                test = stats.shapiro(samples[name])
                expect("shapiro", name, "SciPy", w=test.statistic, p=test.pvalue)

    for names in ("normal3 normal4", "normal20 skewed20 coarse20", "normal500 skewed500", "a8 b8", "a1000 b1000 a30"):
        groups = [samples[name] for name in names.split()]
        test = stats.levene(*groups, center="median")
        expect("brown_forsythe", names, "SciPy", statistic=test.statistic, p=test.pvalue)
        test = stats.bartlett(*groups)
        expect("bartlett", names, "SciPy", statistic=test.statistic, p=test.pvalue)

    sample("boot10", lognormal(10, 100, 0.3, 6))
    sample("boot30", lognormal(30, 100, 0.3, 6))
    sample("other35", lognormal(35, 90, 0.2, 6))
    sample("other12", lognormal(12, 90, 0.2, 6))
    bca("mean", "boot30", 1999, 1, 0.95)
    bca("mean", "boot30", 999, 18446744073709551615, 0.9)
    bca("median", "boot30", 999, 2, 0.95)
    bca("log_ratio", "boot30+other35", 1999, 3, 0.95)
    bca("mean", "skewed500", 499, 4, 0.9)
    bootstrap_t("mean", "boot10", 1999, 1, 0.95, False)
    bootstrap_t("mean", "boot10", 999, 5, 0.9, True)
    bootstrap_t("log_ratio", "boot10+other12", 1999, 6, 0.95, False)
    bootstrap_t("log_ratio", "boot10+other12", 399, 7, 0.95, True)
    bootstrap_t("mean", "skewed500", 399, 8, 0.9, False)
    designs()


main()
