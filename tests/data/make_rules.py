#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reference figures for the rules of concluding, by NumPy and SciPy: python3 make_rules.py > rules.csv

Lines: `series,NAME,VALUES` and `expect,FUNCTION,WHAT,FIGURE,VALUE`. Where C++ iterates, sums a series or
works from moments, this script takes another road: a linear system, a numeric integral, scipy.stats.
"""

import numpy
import scipy
from scipy import integrate, stats

random = numpy.random.default_rng(22)


def series(name, values):
    values = [float(value) for value in values]
    print(f"series,{name}," + " ".join(repr(value) for value in values))
    return numpy.array(values)


def expect(function, what, **figures):
    for figure, value in figures.items():
        print(f"expect,{function},{what},{figure},{float(value)!r}")


def corrected_autocorrelation(values):
    centred = values - values.mean()
    n = len(values)
    return (n * (centred[1:] @ centred[:-1]) / (centred @ centred) + 1) / (n - 4)


def dependence():
    sizes = (8, 12, 30)
    found, weights = [], []
    for i, n in enumerate(sizes):
        noise = random.standard_normal(n)
        values = numpy.empty(n)
        values[0] = noise[0]
        for k in range(1, n):
            values[k] = 0.6 * values[k - 1] + 0.8 * noise[k]
        values = series(f"dependent{i}", values)
        found.append(corrected_autocorrelation(values))
        weights.append((n - 1) * (n - 4) ** 2 / (n - 2) ** 2)
    expect("dependence", "dependent", pooled=numpy.average(found, weights=weights))


def rounding_bias_square(scatter):
    """Mean square of the bias of normal values of that standard deviation, rounded to whole numbers, over all means."""
    levels = numpy.arange(-60, 62)

    def bias(centre):
        chances = stats.norm.cdf(levels + 0.5, centre, scatter) - stats.norm.cdf(levels - 0.5, centre, scatter)
        return levels @ chances - centre

    return integrate.quad(lambda centre: bias(centre) ** 2, 0, 1, epsabs=1e-13)[0]


def step():
    """Values on a grid of 1 near 100; the step's share of the standard error comes from an integral."""
    for name, sd in (("coarse", 0.3), ("middling", 0.6), ("fine", 4)):
        a = series(f"{name}_a", numpy.round(100.4 + sd * random.standard_normal(12)))
        b = series(f"{name}_b", numpy.round(99.7 + sd * random.standard_normal(12)))
        differences = numpy.log(a) - numpy.log(b)
        variance = differences.var(ddof=1) / 12
        for values in (a, b):
            relative = 1 / stats.gmean(values)
            scatter2 = numpy.log(values).var(ddof=1) / relative**2 - 1 / 12
            variance += relative**2 * (rounding_bias_square(scatter2**0.5) if scatter2 > 1e-4 else 1 / 12)
        t = differences.mean() / variance**0.5
        expect("step", name, standard_error=variance**0.5, p=2 * stats.t.sf(abs(t), 11))


def hall(t, skewness):
    """Hall (1992), as a cube: 3 / A ((1 + A t / 3)^3 - 1) + A / 6, where A is the skewness of the mean."""
    return ((1 + skewness * t / 3) ** 3 - 1) / skewness + skewness / 6


def shape():
    n = 12
    found, ratios = [], []
    for i in range(4):
        values = series(f"skewed{i}", random.exponential(1, n) * (0.5 + i) - 0.2)
        found.append(stats.skew(values, bias=False) / n**0.5)
        ratios.append((values.mean(), values.std(ddof=1) / n**0.5))
    chance = 6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)) / n
    between = max(0, numpy.var(found, ddof=1) - chance)
    for i, (own, (mean, error)) in enumerate(zip(found, ratios)):
        skewness = own + 0.5 * chance / (chance + between) * (numpy.mean(found) - own)
        turned = hall(mean / error, skewness)
        bound = numpy.log1p(0.5)
        expect("shape", f"skewed{i}", skewness=own, spread=chance**0.5,
               p=2 * stats.t.sf(abs(turned), n - 1) if turned * mean > 0 else 1,
               equivalence=max(stats.t.sf(hall((mean + bound) / error, skewness), n - 1),
                               stats.t.cdf(hall((mean - bound) / error, skewness), n - 1)))
    a = series("skewed_a", random.exponential(1, 11))
    b = series("skewed_b", random.exponential(2, 15))
    error = (a.var(ddof=1) / 11 + b.var(ddof=1) / 15) ** 0.5
    expect("shape", "unpaired", skewness=(stats.kstat(a, 3) / 11**2 - stats.kstat(b, 3) / 15**2) / error**3)


def clusters(name, machines, missing):
    """Cells by a linear system; `series` holds cluster, machine and log ratio in turn."""
    rows = []
    for cluster in range(4):
        for machine in range(machines):
            for _ in range(3):
                if random.random() >= missing:
                    rows.append((cluster, machine, random.normal(0.1 * cluster + 0.05 * machine, 0.03)))
    series(name, [figure for row in rows for figure in row])
    table = numpy.array(rows)
    cells = sorted({(row[0], row[1]) for row in rows})
    means = numpy.array([table[(table[:, 0] == c) & (table[:, 1] == m), 2].mean() for c, m in cells])
    design = numpy.zeros((len(cells), 4 + machines))
    for i, (c, m) in enumerate(cells):
        design[i, int(c)] = design[i, 4 + int(m)] = 1
    effects = numpy.linalg.lstsq(design, means, rcond=None)[0]
    by_cluster, by_machine = effects[:4], effects[4:]
    centre = by_cluster.mean() + by_machine.mean()
    v1 = by_cluster.var(ddof=1) / 4
    halves = [stats.t.isf(0.025, 3) * v1**0.5]
    if machines > 1:
        v2 = by_machine.var(ddof=1) / machines
        freedom = (v1 + v2) ** 2 / (v1**2 / 3 + v2**2 / (machines - 1))
        halves += [stats.t.isf(0.025, machines - 1) * v2**0.5, stats.t.isf(0.025, freedom) * (v1 + v2) ** 0.5]
    half = max(halves)
    new = (half**2 + stats.t.isf(0.025, 3) ** 2 * 4 * v1) ** 0.5
    expect("clustered", name, ratio=numpy.exp(centre), low=numpy.exp(centre - half), high=numpy.exp(centre + half),
           predicted_low=numpy.exp(centre - new), predicted_high=numpy.exp(centre + new))


def residual(y, *factors):
    """The sum of squares that least squares with a column for each combination of these labels leaves."""
    columns = [(labels == label).astype(float) for labels in factors for label in numpy.unique(labels)]
    design = numpy.array(columns).T
    return ((y - design @ numpy.linalg.lstsq(design, y, rcond=None)[0]) ** 2).sum()


def nodes(name, counts, levels, in_blocks):
    """Variance components from residual sums of squares of nested models, and generalised intervals from a million
    draws. `series` holds node, block, level and log in turn. Cells have equal weight: unequal ones are averaged."""
    rows = []
    for node, blocks in enumerate(counts):
        at = random.normal(0, 0.1)
        crossed = random.normal(0, 0.04, levels)
        for block in range(blocks):
            shared = random.normal(0, 0.05)
            for level in range(levels):
                rows.append((node, block, level, 3 + at + 0.2 * level + crossed[level] + shared
                             + random.normal(0, 0.04)))
    series(name, [figure for row in rows for figure in row])
    node, block, level, y = numpy.array(rows).T
    cell, place = node * 100 + level, node * 1000 + block
    k = len(counts)
    replicates = k / sum(1 / n for n in counts)
    keys = numpy.unique(cell)
    means = numpy.array([y[cell == key].mean() for key in keys])
    of_node, of_level = keys // 100, keys % 100
    groups = residual(means, of_level) - residual(means, of_level, of_node)
    crossed = residual(means, of_level, of_node)
    runs = residual(y, cell, place) if in_blocks else residual(y, cell)
    runs_freedom = (sum(counts) - k) * (levels - 1 if in_blocks else levels)
    draw = numpy.random.default_rng(7)
    million = 1_000_000
    groups = groups / draw.chisquare(k - 1, million)
    crossed = crossed / draw.chisquare((k - 1) * (levels - 1), million)
    runs_drawn = runs / draw.chisquare(runs_freedom, million)
    blocks = (residual(y, cell) - runs) / draw.chisquare(sum(counts) - k, million) if in_blocks else runs_drawn
    between = numpy.maximum(0, groups - blocks / replicates) / levels
    interaction = numpy.maximum(0, crossed - runs_drawn / replicates) * (levels - 1) / levels
    total = between + interaction + (blocks + (levels - 1) * runs_drawn) / levels
    low, middle, high = numpy.quantile(between / total, (0.025, 0.5, 0.975))
    expect("nodes", name, share=middle, low=low, high=high, interaction=numpy.median(interaction / total),
           interaction_high=numpy.quantile(interaction / total, 0.975))


print(f"# made by make_rules.py with SciPy {scipy.__version__} and NumPy {numpy.__version__}")
dependence()
step()
shape()
clusters("one_machine", 1, 0)
clusters("three_machines", 3, 0)
clusters("two_machines_with_gaps", 2, 0.4)
clusters("five_machines_with_gaps", 5, 0.6)
nodes("three_nodes_in_blocks", (4, 4, 4), 2, True)
nodes("five_unequal_nodes_in_blocks", (1, 2, 6, 3, 4), 3, True)
nodes("four_nodes_without_blocks", (5, 3, 2, 4), 2, False)
