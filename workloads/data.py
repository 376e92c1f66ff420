# SPDX-License-Identifier: Apache-2.0
"""The data sets of the models:

    python -m workloads.data check --data DIR [--preset paper] [MODEL...]    what is there, what is missing
    python -m workloads.data make --data DIR [--preset tiny] [MODEL...]      small made data of a preset

`check` prints one JSON object: {"sets": [{"model", "name", "origin", "problems": []}]}; exit 3 if anything is missing.
"""

import argparse
import importlib
import json
import sys
from pathlib import Path

from workloads.__main__ import default_data
from workloads.shared.job import Refused

MODELS = ("ncf", "transformer_xl", "gnmt", "resnet50", "mask_rcnn", "ssd", "itu23", "runtimes24")


def formats_of(shared) -> list:
    """The loaders that a model reads its data with: modules with ORIGIN and check(directory)."""
    return list(getattr(shared, "FORMATS", ()))


def check(model: str, data: Path, preset: str) -> list[dict]:
    shared = importlib.import_module(f"workloads.shared.{model}")
    sets = []
    for form in formats_of(shared):
        directory = shared.directory_of(data, preset, form) if hasattr(shared, "directory_of") else data
        sets.append({
            "model": model,
            "name": form.__name__.rpartition(".")[2],
            "directory": str(directory),
            "origin": form.ORIGIN,
            "problems": form.check(directory),
        })
    return sets


def main(argv=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m workloads.data", description="the data sets of the models")
    parser.add_argument("what", choices=["check", "make"])
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--data", type=Path, default=default_data())
    parser.add_argument("--preset", default="paper")
    options = parser.parse_intermixed_args(argv)
    try:
        if options.what == "make":
            from workloads.__main__ import arguments, job_of

            for model in options.models:
                job, shared = job_of(arguments(["any", model, "--preset", options.preset, "--data", str(options.data)]))
                if formats_of(shared):  # runtimes24 has no data: its weights are made with the runs
                    shared.prepare(job)
            return 0
        sets = [one for model in options.models for one in check(model, options.data.absolute(), options.preset)]
    except Refused as refusal:
        print("workloads.data: " + "\n  ".join(refusal.args), file=sys.stderr)
        return 2
    print(json.dumps({"sets": sets}, indent=2))
    return 3 if any(one["problems"] for one in sets) else 0


if __name__ == "__main__":
    sys.exit(main())
