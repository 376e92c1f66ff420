# SPDX-License-Identifier: Apache-2.0
"""Shows that two frameworks have the same model: the same weights and inputs must give the same outputs.

    python -m workloads.parity pytorch ncf --weights W.npz --output A.npz
    python -m workloads.parity tensorflow ncf --weights W.npz --output B.npz
    python -m workloads.parity --compare A.npz B.npz --tolerance 1e-4

Each framework lives in an environment of its own, so all goes through files. Weights have the names that the
shared module's canonical_weights gives; W.npz is made from the seed if it is not there. A model that does not
offer load_canonical is only counted.
"""

import argparse
import importlib
import importlib.util
import os
import sys
from pathlib import Path

import numpy as np

from workloads.__main__ import arguments, job_of, keep_to_itself
from workloads.shared.job import Refused


def written(options) -> Path:
    """Builds the model, runs the input through it, writes outputs and the count of parameters."""
    settings = [part for change in options.set for part in ("--set", change)]
    job, shared = job_of(arguments([options.framework, options.model, "--preset", options.preset, "--device", "cpu",
                                    "--threads", "1", "--seed", str(options.seed), *settings]))
    keep_to_itself(job.threads)
    common = f"workloads.{options.framework}.common"
    if importlib.util.find_spec(common):
        importlib.import_module(common).ready(job)
    module = importlib.import_module(f"workloads.{options.framework}.{options.model}")
    model = module.build(job.plan)
    result = {"parameters": np.array(module.parameters(model))}
    if hasattr(module, "load_canonical") and hasattr(shared, "canonical_weights"):
        module.load_canonical(model, weights_of(options, shared, job))
        outputs = module.forward(model, shared.parity_inputs(job.plan, options.seed))
        result.update({f"output:{name}": np.asarray(array) for name, array in outputs.items()})
    replace(options.output, result)
    return options.output


def weights_of(options, shared, job) -> dict[str, np.ndarray]:
    if not options.weights.exists():
        replace(options.weights, shared.canonical_weights(job.plan, options.seed))
    with np.load(options.weights) as stored:
        return dict(stored)


def replace(path: Path, arrays: dict[str, np.ndarray]):
    aside = path.with_name(f"{path.name}.{os.getpid()}.npz")
    np.savez(aside, **arrays)
    aside.rename(path)


def differences(first: Path, second: Path, tolerance: float) -> list[str]:
    """What does not agree. The tolerance is relative to the largest magnitude of each output."""
    with np.load(first) as one, np.load(second) as other:
        one, other = dict(one), dict(other)
    if set(one) != set(other):
        return [f"outputs differ in name: {sorted(one)} and {sorted(other)}"]
    problems = []
    if int(one["parameters"]) != int(other["parameters"]):
        problems.append(f"parameters: {int(one['parameters'])} and {int(other['parameters'])}")
    for name in sorted(set(one) - {"parameters"}):
        if one[name].shape != other[name].shape:
            problems.append(f"{name}: shape {one[name].shape} and {other[name].shape}")
            continue
        largest = np.abs(one[name]).max()
        apart = np.abs(one[name].astype(np.float64) - other[name]).max() / (largest or 1)
        # An output that does not depend on its input would agree without showing anything.
        if not np.isfinite(apart) or one[name].std() == 0:
            problems.append(f"{name}: no usable values (largest {largest}, spread {one[name].std()})")
        elif apart > tolerance:
            problems.append(f"{name}: {apart:.2g} apart, relative to {largest:.3g}; {tolerance:g} is allowed")
        else:
            print(f"{name}: {apart:.2g} apart, relative to {largest:.3g}")
    return problems


def options_of(argv):
    parser = argparse.ArgumentParser(prog="python -m workloads.parity", description="the same model in two frameworks?")
    parser.add_argument("framework", nargs="?")
    parser.add_argument("model", nargs="?")
    parser.add_argument("--weights", type=Path, default=Path("weights.npz"), help="made from the seed if not there")
    parser.add_argument("--input", choices=["seeded"], default="seeded")
    parser.add_argument("--output", type=Path, help="the file to write")
    parser.add_argument("--preset", default="tiny")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--compare", nargs=2, type=Path, metavar="FILE", help="two files written so")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    options = parser.parse_args(argv)
    if not options.compare and not (options.framework and options.model and options.output):
        parser.error("give FRAMEWORK MODEL --output FILE, or --compare FILE FILE")
    return options


def main(argv=None) -> int:
    options = options_of(argv)
    try:
        if not options.compare:
            written(options)
            return 0
        problems = differences(options.compare[0], options.compare[1], options.tolerance)
    except Refused as refusal:
        print("workloads.parity: " + ": ".join(refusal.args), file=sys.stderr)
        return 2
    for problem in problems:
        print(f"workloads.parity: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
