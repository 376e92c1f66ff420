# SPDX-License-Identifier: Apache-2.0
"""What SciPy and pandas need for the same: reads a data set of the icse22 format, or tests samples.

  findings_peer.py import DIR            all figures into one table
  findings_peer.py compare DIR           the same, then rank-sum, A12 and Welch's interval of each cell
  findings_peer.py ranks FILE            rank-sum tests of the samples in FILE, timed one by one

Prints seconds of work, without what starting Python and importing the packages takes.
"""
import sys
import time
from pathlib import Path

import numpy
import pandas
from scipy import stats


def read(directory):
    rows = []
    for perf in sorted(Path(directory).glob("**/*_perf_*.txt")):
        phase = perf.parent.name.removeprefix("measurements_")
        cell, run = perf.stem.rsplit("_perf_", 1)
        model, framework = cell.rsplit("_", 1)
        figures = {}
        for line in perf.read_text().splitlines():
            words = line.split()
            if len(words) >= 3 and words[1] == "Joules":
                figures["package" if "pkg" in words[2] else "dram"] = float(words[0].replace(",", ""))
            elif len(words) >= 3 and words[1] == "seconds":
                figures["seconds"] = float(words[0])
        watts = pandas.read_csv(perf.with_name(f"{cell}_nvidia_smi_{run}.txt"), header=None)[0]
        watts = watts.astype(str).str.removesuffix(" W").astype(float)
        figures["gpu"] = watts.sum() * figures["seconds"] / len(watts)
        figures["metered"] = figures["package"] + figures["dram"] + figures["gpu"]
        rows.append({"phase": phase, "model": model, "framework": framework, **figures})
    return pandas.DataFrame(rows)


def compare(table):
    found = []
    for key, unit in table.groupby(["phase", "model"]):
        first, second = (unit[unit.framework == name] for name in sorted(unit.framework.unique()))
        for measure in ("metered", "package", "dram", "gpu", "seconds"):
            a, b = first[measure].to_numpy(), second[measure].to_numpy()
            test = stats.mannwhitneyu(a, b, method="exact")
            welch = stats.ttest_ind(numpy.log(a), numpy.log(b), equal_var=False)
            interval = numpy.exp(welch.confidence_interval())
            found.append((key, measure, test.pvalue, test.statistic / (len(a) * len(b)), tuple(interval), welch.pvalue))
    return found


def main():
    what, path = sys.argv[1:3]
    if what == "ranks":
        for line in Path(path).read_text().splitlines():
            name, _, rest = line.partition(" ")
            a, b = (numpy.array(part.split(), float) for part in rest.split("|"))
            begin = time.perf_counter()
            if len(set(a) | set(b)) == len(a) + len(b):
                p = stats.mannwhitneyu(a, b, method="exact").pvalue
                how = "exact"
            else:  # SciPy has no exact test with ties
                p = stats.mannwhitneyu(a, b, method=stats.PermutationMethod(n_resamples=9999)).pvalue
                how = "9999 permutations"
            print(name, (time.perf_counter() - begin) * 1e3, repr(float(p)), how)
        return
    begin = time.perf_counter()
    table = read(path)
    if what == "compare":
        compare(table)
    print(time.perf_counter() - begin, len(table))


main()
