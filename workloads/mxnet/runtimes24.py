# SPDX-License-Identifier: Apache-2.0
"""The networks of runtimes24 in MXNet: Gluon blocks, hybridised, and their ONNX files."""

import dataclasses
import os
from pathlib import Path

import mxnet as mx
import numpy as np
import onnx

from workloads.mxnet.networks import network_with, parameters
from workloads.shared import runtimes24
from workloads.shared.job import Job, Refused


def ready(job: Job) -> mx.Context:
    """Device and precision; threads are OMP_NUM_THREADS, which is set before MXNet is imported."""
    device = runtimes24.device_of(job)
    if job.precision != "fp32" and (device, job.precision) != ("cuda", "tf32"):
        raise Refused(f"mxnet cannot run {job.precision} on {device}", "it can: fp32; tf32 on cuda")
    if device == "cuda" and mx.context.num_gpus() == 0:
        built = "has no CUDA" if not mx.runtime.Features().is_enabled("CUDA") else "sees no CUDA device"
        raise Refused(f"this MXNet {built}", "--set provider=CPU runs without")
    os.environ["NVIDIA_TF32_OVERRIDE"] = "1" if job.precision == "tf32" else "0"  # MXNet has no setting of its own
    job.tell_facts(mxnet=mx.__version__, numpy=np.__version__, device=device, compiled="hybridize",
                   onednn=int(mx.runtime.Features().is_enabled("MKLDNN")))
    return mx.gpu(0) if device == "cuda" else mx.cpu()


def infer(job: Job):
    context = ready(job)
    network = network_with(job.plan, runtimes24.weights_of(job), context)
    network.hybridize(static_alloc=True, static_shape=True)
    job.tell_facts(parameters=parameters(network))
    names = runtimes24.outputs_of(job.plan)
    # MXNet's arrays are fp32 unless told otherwise, token numbers and mask too.
    inputs = [values.astype(np.float32) for values in runtimes24.inputs_of(job, "mxnet").values()]

    def once() -> dict[str, np.ndarray]:
        outputs = network(*[mx.nd.array(values, context) for values in inputs])
        outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        return {name: output.asnumpy() for name, output in zip(names, outputs)}

    runtimes24.measure(job, once)


def export(job: Job, path: Path):
    """Writes the ONNX file, with a batch size that is left open."""
    network = network_with(job.plan, runtimes24.weights_of(job), mx.cpu())
    inputs = runtimes24.inputs_of(dataclasses.replace(job, plan=dataclasses.replace(job.plan, batch=1)), "mxnet")
    # MXNet writes operators as of version 13 and labels the file with the newest version that the package onnx knows,
    # by which that package then finds it faulty. This process does nothing else, so the package is told 13.
    onnx.defs.onnx_opset_version = lambda: 13
    onnx.checker.DEFAULT_CONTEXT.opset_imports = {"": 13}
    outputs = network(*[mx.sym.var(name) for name in inputs])
    mx.onnx.export_model(
        mx.sym.Group(list(outputs)) if isinstance(outputs, (list, tuple)) else outputs,
        {name: values.data() for name, values in network.collect_params().items()},
        [values.shape for values in inputs.values()], [np.float32] * len(inputs), str(path),
        dynamic=True, dynamic_input_shapes=[("batch", *values.shape[1:]) for values in inputs.values()],
    )
