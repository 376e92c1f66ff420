# SPDX-License-Identifier: Apache-2.0
"""The networks of runtimes24 in JAX: Flax modules, compiled by XLA, and their ONNX files."""

import importlib.util
import os
from pathlib import Path

import flax
import jax
import numpy as np
from flax import nnx

from workloads.jax.networks import network_with, parameters
from workloads.shared import runtimes24
from workloads.shared.job import Job, Refused


def ready(job: Job):
    """Device, threads and precision. JAX starts its backend at the first operation: until then they can be chosen."""
    device = runtimes24.device_of(job)
    if job.precision != "fp32" and (device, job.precision) != ("cuda", "tf32"):
        raise Refused(f"jax cannot run {job.precision} on {device}", "it can: fp32; tf32 on cuda")
    os.environ["NPROC"] = str(job.threads)  # how many threads XLA's pools have; there is no setting for it
    if device == "cpu":
        jax.config.update("jax_platforms", "cpu")
    # By default JAX lets products of fp32 use TF32 where the device has it.
    jax.config.update("jax_default_matmul_precision", "highest" if job.precision == "fp32" else "tensorfloat32")
    try:
        name = jax.devices(device)[0].device_kind
    except RuntimeError as error:
        raise Refused("this JAX sees no CUDA device", str(error).splitlines()[0]) from None
    job.tell_facts(jax=jax.__version__, flax=flax.__version__, numpy=np.__version__, device=device, device_name=name,
                   compiled="xla")


def inputs_of(job: Job) -> dict[str, np.ndarray]:
    """JAX computes with 32 bits by default. Token numbers have that width, so they are not converted each time."""
    return {name: values.astype(np.int32) if values.dtype == np.int64 else values
            for name, values in runtimes24.inputs_of(job, "jax").items()}


def infer(job: Job):
    ready(job)
    model = network_with(job.plan, runtimes24.weights_of(job))
    job.tell_facts(parameters=parameters(model))
    inputs = inputs_of(job)
    graph, state = nnx.split(model)

    @jax.jit
    def forward(state, *arrays):
        return nnx.merge(graph, state)(*arrays)

    def once() -> dict[str, np.ndarray]:
        return {name: np.asarray(output) for name, output in forward(state, *inputs.values()).items()}

    runtimes24.measure(job, once)


def export(job: Job, path: Path):
    """Writes the ONNX file, with a batch size that is left open, if there is the package for it."""
    if importlib.util.find_spec("jax2onnx") is None:
        job.say("no ONNX file is written, as jax2onnx is not installed here; jax itself runs without")
        return
    import onnx
    from jax2onnx import to_onnx
    from jax2onnx.converter import ir_optimizations

    # Up to 0.17.1 this step removes the transpositions around an addition of which only one operand is transposed, as
    # in every block of ResNet without a shortcut. Runtimes remove those that can go themselves.
    ir_optimizations._OPTIMIZER_PASSES = tuple(
        step for step in ir_optimizations._OPTIMIZER_PASSES if step.name != "remove_redundant_transpose_pairs")
    jax.config.update("jax_platforms", "cpu")
    model = network_with(job.plan, runtimes24.weights_of(job))
    inputs = inputs_of(job)
    shapes = [jax.ShapeDtypeStruct(("batch", *values.shape[1:]), values.dtype) for values in inputs.values()]
    onnx.save(to_onnx(model, shapes, opset=20, input_names=list(inputs), output_names=runtimes24.outputs_of(job.plan)),
              path)
