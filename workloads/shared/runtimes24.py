# SPDX-License-Identifier: Apache-2.0
"""Inference of the same networks by different runtimes: frameworks, ONNX Runtime with its providers, OpenVINO.

All of them get the same weights and the same input, made once by `prepare` and kept with the data. One run is one
process: warm-up, then a fixed number of inferences, each timed. An inference takes and
returns arrays in the host's memory. Copying to a device and back is part of it, and no runtime can answer before it has
finished. At the end the output is compared with the reference; a run that is wrong fails.

    python -m workloads pytorch runtimes24 --prepare --set network=resnet50
    python -m workloads onnxruntime runtimes24 --phase infer --set network=resnet50 --set source=pytorch
"""

import dataclasses
import hashlib
import importlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import prengdl

from workloads.shared import flops
from workloads.shared.job import Job, Refused
from workloads.shared.reference_networks import INVERTED_RESIDUALS, NETWORKS, Layers

TRAINED = False  # there is no training to load from: `prepare` is all that inference needs
SOURCES = ("pytorch", "tensorflow", "mxnet", "jax")  # frameworks that can write an ONNX file
READERS = ("onnxruntime", "openvino")  # what runs such a file
CHANNELS_LAST = ("tensorflow", "jax")  # what these take images as, and the ONNX files that they write
DEVICES = {"CPU": "cpu", "OpenVINO": "cpu", "CUDA": "cuda", "TensorRT": "cuda"}  # of each provider
SAMPLES = 16  # different inputs; a larger batch repeats them

# How far an output may be from the reference, as a share of the reference's largest value. A network that is wrong
# in one place (a border, a stride, an activation) is off by 0.1 and more. fp32 was seen at up to 1.1e-5 on CPUs, and
# OpenVINO's bf16 at 1e-2. tf32 has been seen nowhere yet: with three bits more than bf16 an eighth of that is expected,
# so that fp32 which secretly is tf32 is found out.
TOLERANCE = {"fp32": 2e-4, "tf32": 1e-2, "bf16": 1e-1}


@dataclasses.dataclass(frozen=True)
class Plan:
    network: str = "resnet50"  # resnet50, mobilenet_v2, bert_base
    batch: int = 1  # the study: 1 and 64
    provider: str = "CPU"  # CPU, OpenVINO, CUDA, TensorRT; frameworks themselves have CPU and CUDA
    source: str = "pytorch"  # which framework wrote the ONNX file, for runtimes that read one
    mode: str = "eager"  # eager or compile: PyTorch only
    warmup: int = 10
    inferences: int = 1000  # at batch 1
    inferences_of_batches: int = 100  # at larger batches
    classes: int = 1000
    image: int = 224
    blocks: tuple[int, ...] = (3, 4, 6, 3)  # of ResNet's stages
    repeats: tuple[int, ...] = (1, 2, 3, 4, 3, 3, 1)  # of MobileNetV2's stages
    sequence: int = 128  # tokens; ours, the study does not say
    layers: int = 12
    hidden: int = 768
    heads: int = 12
    intermediate: int = 3072
    vocabulary: int = 30522
    positions: int = 512

    @property
    def count(self) -> int:
        return self.inferences if self.batch == 1 else self.inferences_of_batches


# The study names networks, batch sizes and runtimes; how many inferences a run has is ours.
PRESETS = {
    "tiny": Plan(warmup=2, inferences=50, inferences_of_batches=5, classes=100, image=64, blocks=(1, 2, 1, 1),
                 repeats=(1, 2, 1, 1, 1, 1, 1), sequence=32, layers=2, hidden=128, heads=2, intermediate=512,
                 vocabulary=1000, positions=64),
    "laptop": Plan(warmup=3, inferences=200, inferences_of_batches=10),
    "paper": Plan(),
}


def forward_flops(plan: Plan) -> int:
    if plan.network == "resnet50":
        return flops.resnet(plan.blocks, plan.classes, plan.image)
    if plan.network == "mobilenet_v2":
        return flops.mobilenet_v2(INVERTED_RESIDUALS, plan.repeats, plan.classes, plan.image)
    return flops.bert(plan.layers, plan.hidden, plan.intermediate, plan.sequence)


def directory(job: Job) -> Path:
    """Where weights, reference and ONNX files are kept: another network or seed is another directory."""
    plan = job.plan
    if plan.network not in NETWORKS:
        raise Refused(f"there is no network '{plan.network}'", "there are: " + ", ".join(NETWORKS))
    sizes = {
        "resnet50": (plan.classes, plan.image, plan.blocks),
        "mobilenet_v2": (plan.classes, plan.image, plan.repeats),
        "bert_base": (plan.sequence, plan.layers, plan.hidden, plan.heads, plan.intermediate, plan.vocabulary,
                      plan.positions),
    }[plan.network]
    digest = hashlib.sha256(repr((plan.network, sizes, job.seed)).encode()).hexdigest()[:8]
    return job.data / "runtimes24" / f"{plan.network}-{digest}"


def onnx_file(job: Job) -> Path:
    """The network as written by the plan's source; stops here if that has not been done."""
    if job.plan.source not in SOURCES:
        raise Refused(f"there is no source '{job.plan.source}'", "there are: " + ", ".join(SOURCES))
    path = directory(job) / f"{job.plan.source}.onnx"
    if not path.is_file():
        needs = " which needs jax2onnx," if job.plan.source == "jax" else ""
        raise Refused(f"{job.plan.source} has not written {job.plan.network} as ONNX: there is no {path}",
                      f"in the environment of {job.plan.source},{needs} run: python -m workloads {job.plan.source} "
                      f"runtimes24 --prepare --preset {job.preset} --seed {job.seed} "
                      f"--set network={job.plan.network} --data {job.data}")
    return path


def prepare(job: Job):
    """Weights, input and reference; then a source writes its ONNX file, and a reader looks whether it is there."""
    module = f"workloads.{job.framework}.runtimes24"
    if job.framework in READERS:
        importlib.import_module(module).check(job)
    make_reference(job)
    if job.framework in READERS:
        onnx_file(job)
    path = directory(job) / f"{job.framework}.onnx"
    if job.framework in SOURCES and not path.is_file():
        aside = path.with_name(f"{path.stem}.{os.getpid()}.part")  # exporters may write more than one file
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir()
        try:
            importlib.import_module(module).export(job, aside / path.name)
            if (aside / path.name).is_file():
                (aside / path.name).rename(path)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def make_reference(job: Job):
    """Seen by others only when all is written; of several processes that make it at once the first one's is kept."""
    final = directory(job)
    if final.is_dir():
        return
    inputs = make_inputs(job.plan, job.seed)
    weights, outputs = draw(job.plan, job.seed, inputs)
    for name, values in outputs.items():
        if values.std(0).mean() < 0.1 * values.std():  # all samples alike: an error could hide
            raise AssertionError(f"the reference's {name} hardly depends on the input")
    aside = final.with_name(f"{final.name}.{os.getpid()}.part")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        np.savez(aside / "weights.npz", **weights)
        np.savez(aside / "inputs.npz", **inputs)
        np.savez(aside / "reference.npz", **outputs)
        (aside / "parameters").write_text(str(trained_parameters(weights)))
        aside.rename(final)
    except OSError:
        if not final.is_dir():
            raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def make_inputs(plan: Plan, seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng([seed, 1])
    if plan.network == "bert_base":
        ids = random.integers(1, plan.vocabulary, (SAMPLES, plan.sequence))
        lengths = random.integers(plan.sequence // 2, plan.sequence + 1, (SAMPLES, 1))
        mask = (np.arange(plan.sequence) < lengths).astype(np.int64)
        second = (np.arange(plan.sequence) >= lengths // 2).astype(np.int64)
        return {"input_ids": ids * mask, "attention_mask": mask, "token_type_ids": second * mask}
    # Patches of colour under noise: of noise alone a network makes the same for every sample.
    patches = random.standard_normal((SAMPLES, 3, 8, 8))
    side = -(-plan.image // 8)
    images = patches.repeat(side, 2).repeat(side, 3)[:, :, :plan.image, :plan.image]
    return {"images": (images + 0.5 * random.standard_normal(images.shape)).astype(np.float32)}


def draw(plan: Plan, seed: int, inputs: dict[str, np.ndarray]) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Weights and outputs. Weights are drawn layer by layer while the inputs pass through: the statistics of
    BatchNorm are those of the activations that it sees, rounded to fp32 before they are used."""
    layers = Layers(np.random.default_rng([seed, 2]))
    outputs = NETWORKS[plan.network](layers, plan, inputs)
    return layers.weights, outputs


def _kept(job: Job, name: str) -> dict[str, np.ndarray]:
    path = directory(job) / f"{name}.npz"
    if not path.is_file():
        raise Refused(f"there is no {path}", "run the same command with --prepare first")
    with np.load(path) as arrays:
        return {key: arrays[key] for key in arrays.files}


def weights_of(job: Job) -> dict[str, np.ndarray]:
    return _kept(job, "weights")


def trained_parameters(weights: dict[str, np.ndarray]) -> int:
    return sum(values.size for name, values in weights.items() if ".running_" not in name)


def parameters_of(job: Job) -> int:
    """For runtimes that cannot count them in a file of ONNX."""
    return int((directory(job) / "parameters").read_text())


def inputs_of(job: Job, layout: str) -> dict[str, np.ndarray]:
    """The batch; `layout` is the framework whose layout images are to have."""
    inputs = {name: np.resize(values, (job.plan.batch, *values.shape[1:]))
              for name, values in _kept(job, "inputs").items()}
    if layout in CHANNELS_LAST and "images" in inputs:
        inputs["images"] = np.ascontiguousarray(inputs["images"].transpose(0, 2, 3, 1))
    return inputs


def outputs_of(plan: Plan) -> list[str]:
    """The names of the outputs, in the order in which networks and ONNX files give them."""
    return ["hidden", "pooled"] if plan.network == "bert_base" else ["logits"]


def device_of(job: Job, providers: tuple[str, ...] = ("CPU", "CUDA")) -> str:
    """cpu or cuda, as the provider says, if the framework can have that provider at all."""
    provider = job.plan.provider
    if provider not in DEVICES:
        raise Refused(f"there is no provider '{provider}'", "there are: " + ", ".join(DEVICES))
    if provider not in providers:
        raise Refused(f"{job.framework} has no provider {provider}", "it has: " + ", ".join(providers))
    device = DEVICES[provider]
    if job.device not in ("auto", device):
        raise Refused(f"--device {job.device} contradicts provider {provider}, which is for {device}",
                      "the setting provider decides; --device may be left out")
    if job.plan.mode != "eager" and job.framework != "pytorch":
        raise Refused(f"{job.framework} has no mode '{job.plan.mode}'", "modes are PyTorch's")
    return device


def cpu_has_bf16() -> bool:
    return not {"avx512_bf16", "amx_bf16", "bf16"}.isdisjoint(Path("/proc/cpuinfo").read_text().split())


def measure(job: Job, infer: Callable[[], dict[str, np.ndarray]]):
    """Warm-up, the timed inferences, what they took, and whether the last output is right."""
    plan = job.plan
    reference = _kept(job, "reference")
    job.loaded()
    with prengdl.span("warmup"):
        for _ in range(plan.warmup):
            infer()
    nanoseconds = np.zeros(plan.count, np.int64)
    with prengdl.span("infer"):
        for number in range(plan.count):
            start = time.perf_counter_ns()
            outputs = infer()
            nanoseconds[number] = time.perf_counter_ns() - start
        job.tell_work(inferences=plan.count, samples=plan.count * plan.batch)
        if plan.network == "bert_base":
            job.tell_work(tokens=plan.count * plan.batch * plan.sequence)
    for percent in (50, 90, 99):
        prengdl.metric(f"latency_p{percent}", float(np.percentile(nanoseconds, percent)) / 1e9)
    compare(job, outputs, reference)


def compare(job: Job, outputs: dict[str, np.ndarray], reference: dict[str, np.ndarray]):
    """Emits how far the outputs are from the reference; ends the process if that is too far."""
    largest = relative = 0.0
    for name, expected in reference.items():
        expected = np.resize(expected, (job.plan.batch, *expected.shape[1:]))
        output = np.asarray(outputs[name], np.float64)
        if output.shape != expected.shape:
            sys.exit(f"{job.framework} {job.plan.network}: {name} is {output.shape}, should be {expected.shape}")
        difference = np.abs(output - expected).max()
        largest = max(largest, float(difference))
        relative = max(relative, float(difference / np.abs(expected).max()))
        if not np.isfinite(difference):
            sys.exit(f"{job.framework} {job.plan.network}: {name} has values that are not finite")
    prengdl.metric("max_difference", largest)
    prengdl.metric("relative_difference", relative)
    tolerance = TOLERANCE[job.precision]
    job.say(f"{job.plan.network}, batch {job.plan.batch}, {job.precision}: differs by {relative:.1e} of the largest "
            f"value, {tolerance:.0e} is allowed")
    if job.precision == "bf16" and relative < TOLERANCE["fp32"]:
        sys.exit(f"{job.framework} {job.plan.network}: the output is too exact to have been computed in bf16")
    if relative > tolerance:
        sys.exit(f"{job.framework} {job.plan.network}: the output is wrong, off by {relative:.1e}")
