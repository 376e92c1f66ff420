# SPDX-License-Identifier: Apache-2.0
"""Starts a workload:

    python -m workloads pytorch ncf --phase train --preset tiny
    python -m workloads tensorflow resnet50 --phase infer --preset tiny --set batch=8

The settings of a model are in workloads/shared/MODEL.py, the model itself in workloads/FRAMEWORK/MODEL.py, which has
train(job) and infer(job). With --prepare nothing is measured: missing data of the preset are made, and for
inference the model is trained and saved if it has not been.
"""

import argparse
import dataclasses
import hashlib
import importlib
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType

if "--prepare" in sys.argv:  # before the file of events is opened: what is prepared is not told
    os.environ.pop("PRENGDL_EVENTS", None)

from workloads.shared.job import Job, Refused, with_changes


def arguments(argv):
    parser = argparse.ArgumentParser(prog="python -m workloads", description="runs one model in one framework")
    parser.add_argument("framework")
    parser.add_argument("model")
    parser.add_argument("--phase", choices=["train", "infer"], default="train")
    parser.add_argument("--preset", default="tiny", help="tiny, laptop or paper")
    parser.add_argument("--seed", type=int, default=1, help="of weights, shuffling and dropout")
    parser.add_argument("--threads", type=int, default=0, help="all that may be used unless given")
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument("--precision", default="fp32", help="fp32 unless given; the frameworks say what they can")
    parser.add_argument("--batch", type=int, help="instead of the preset's")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the preset")
    parser.add_argument("--data", type=Path, default=default_data(), help="where the data sets are")
    parser.add_argument("--state", type=Path, help="where training saves and inference loads")
    parser.add_argument("--prepare", action="store_true", help="make what the run needs; nothing is measured")
    parser.add_argument("--settings", action="store_true", help="print the settings and stop")
    return parser.parse_args(argv)


def default_data() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("PRENGDL_DATA") or Path(cache) / "prengdl" / "data")


def job_of(options) -> tuple[Job, ModuleType]:
    """The job, and the module with what the frameworks share about its model."""
    try:
        shared = importlib.import_module(f"workloads.shared.{options.model}")
        presets = shared.PRESETS
    except (ModuleNotFoundError, AttributeError) as error:
        missing = getattr(error, "name", None) or ""
        if isinstance(error, ModuleNotFoundError) and not missing.startswith("workloads"):
            raise Refused(f"{options.model} needs {missing}, which is not installed here",
                          f"prengdl setup {options.framework} makes its environment") from None
        raise Refused(f"there is no model '{options.model}'", "models are in workloads/shared") from None
    if options.preset == "default":  # what a study file says where no preset was chosen
        options.preset = "paper"
    if options.preset not in presets:
        raise Refused(f"{options.model} has no preset '{options.preset}'", "it has: " + ", ".join(presets))
    changes = list(options.set)
    if options.batch is not None:
        changes.append(f"batch={options.batch}")
    threads = options.threads or len(os.sched_getaffinity(0))
    state = options.state or default_data().parent / "state"
    name = f"{options.framework}-{options.model}-{options.preset}"
    if changes:  # weights of other settings do not fit
        name += "-" + hashlib.sha256("\n".join(sorted(changes)).encode()).hexdigest()[:8]
    job = Job(
        framework=options.framework,
        model=options.model,
        phase=options.phase,
        preset=options.preset,
        seed=options.seed,
        threads=threads,
        device=options.device,
        precision=options.precision,
        data=options.data.absolute(),
        state=(state / name).absolute(),
        plan=with_changes(presets[options.preset], changes),
    )
    return job, shared


def keep_to_itself(threads: int):
    """Sets the threads and switches off network access. Frameworks read these variables when they are imported."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS",
                 "TF_NUM_INTRAOP_THREADS"):
        os.environ[name] = str(threads)
    os.environ["TF_NUM_INTEROP_THREADS"] = "1"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # TensorFlow uses oneDNN by default on some processors only, PyTorch on all: without it the backward pass of small
    # convolutions takes up to twenty times as long. A setting of the user's own is kept, and told as a fact.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
    os.environ.update(
        HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1", DO_NOT_TRACK="1",
        ORT_DISABLE_TELEMETRY="1", KERAS_BACKEND="tensorflow", MXNET_HOME=os.path.join(os.environ["HOME"], "mxnet"),
    )


def run(job: Job):
    try:
        module = importlib.import_module(f"workloads.{job.framework}.{job.model}")
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if missing.startswith("workloads"):
            raise Refused(f"{job.model} is not written for {job.framework}",
                          f"that would be workloads/{job.framework}/{job.model}.py") from None
        raise Refused(f"{job.framework} {job.model} needs {missing}, which is not installed here",
                      f"prengdl setup {job.framework} makes its environment") from None
    if not hasattr(module, job.phase):
        raise Refused(f"{job.framework} {job.model} has no phase '{job.phase}'", "see its file")
    getattr(module, job.phase)(job)


def prepare(job: Job, shared):
    """Makes the data and what inference loads. It emits no events, because it is not measured."""
    shared.prepare(job)
    if job.phase == "infer" and not job.state.is_dir() and getattr(shared, "TRAINED", True):
        run(dataclasses.replace(job, phase="train"))


def main(argv=None) -> int:
    options = arguments(argv)
    with tempfile.TemporaryDirectory(prefix="prengdl-home-") as home:
        try:
            job, shared = job_of(options)
            if options.settings:
                print(job)
                return 0
            os.environ["HOME"] = os.environ["XDG_CACHE_HOME"] = home
            keep_to_itself(job.threads)
            if options.prepare:
                prepare(job, shared)
                return 0
            job.loading()
            job.tell_facts(preset=job.preset, threads=job.threads, precision=job.precision, seed=job.seed,
                           **{name: value for name, value in dataclasses.asdict(job.plan).items()
                              if isinstance(value, (str, int, float))})
            if hasattr(shared, "forward_flops"):
                job.tell_facts(forward_flops=shared.forward_flops(job.plan))
            for name in getattr(shared, "LOADS", ()):
                importlib.import_module(name)
            run(job)
            return 0
        except Refused as refusal:
            print(f"workloads: {refusal.args[0]}", file=sys.stderr)
            for advice in refusal.args[1:]:
                print(f"  {advice}", file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main())
