# SPDX-License-Identifier: Apache-2.0
"""Made-up data sets in the format of icse22 and as CSV, as large as a bench wants them."""
import random
from pathlib import Path

MODELS = ("gnmt", "mask_rcnn", "ncf", "resnet50", "ssd", "transformer_xl")


def icse22(directory: Path, runs: int = 10, readings: int | None = None) -> Path:
    """Six models under two frameworks, `runs` each. Without `readings` a run has one a second, and the
    ten runs are as many and as long as those in half of the published data set."""
    random.seed(1)
    folder = directory / "data/measurements_train"
    folder.mkdir(parents=True)
    for model in MODELS:
        for framework in ("PyTorch", "TensorFlow"):
            for run in range(1, runs + 1):
                seconds = readings or random.uniform(1500, 6000)
                watts = random.gauss(90, 2)
                name = f"{model}_{framework}_{{}}_{run}.txt"
                (folder / name.format("perf")).write_text(
                    "\n Performance counter stats for 'system wide':\n\n"
                    f"{seconds * watts:20,.2f} Joules power/energy-pkg/\n"
                    f"{seconds * watts / 10:20,.2f} Joules power/energy-ram/\n\n{seconds:.9f} seconds time elapsed\n")
                (folder / name.format("nvidia_smi")).write_text(
                    "".join(f"{random.uniform(20, 160):.2f} W\n" for _ in range(int(seconds))))
    return directory


RUNS_MAP = (
    "seconds=time,joules_package=package,joules_dram=dram,"
    "factor:framework=framework,factor:case=case,metric:accuracy=accuracy"
)


def runs_csv(path: Path, cases: int, runs: int) -> Path:
    """A row for each run of so many cases under two frameworks, for `prengdl import csv` with RUNS_MAP."""
    random.seed(1)
    rows = []
    for case in range(cases):
        for framework, slower in (("pytorch", 1), ("tensorflow", 1 + 0.02 * (case % 5 - 2))):
            for _ in range(runs):
                seconds = (10 + case % 20) * slower * random.lognormvariate(0, 0.03)
                joules = seconds * random.gauss(90, 2)
                accuracy = random.gauss(0.9, 0.01)
                rows.append(
                    f"case{case:03d},{framework},{seconds:.3f},{joules:.3f},{joules / 9:.3f},{accuracy:.4f}\n")
    random.shuffle(rows)
    path.write_text("case,framework,time,package,dram,accuracy\n" + "".join(rows))
    return path
