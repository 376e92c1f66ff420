# SPDX-License-Identifier: Apache-2.0
"""The networks of runtimes24 in OpenVINO itself, on the CPU: ONNX files that the frameworks have written."""

import numpy as np
import openvino

from workloads.shared import runtimes24
from workloads.shared.job import Job, Refused

PRECISIONS = {"fp32": openvino.Type.f32, "bf16": openvino.Type.bf16}


def check(job: Job):
    """Refuses by name what this OpenVINO does not have, before anything else."""
    runtimes24.device_of(job, ("CPU", "OpenVINO"))  # the same thing: its own plug-in for the CPU
    if job.precision not in PRECISIONS:
        raise Refused(f"openvino cannot run {job.precision} on cpu", "it can: " + ", ".join(PRECISIONS))
    able = openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    if job.precision == "bf16" and "BF16" not in able:
        raise Refused("this CPU has no bf16", "OpenVINO says that it has: " + ", ".join(able))


def infer(job: Job):
    check(job)
    core = openvino.Core()
    model = core.read_model(runtimes24.onnx_file(job))
    named = runtimes24.inputs_of(job, job.plan.source)
    if len(model.inputs) == 1:
        named = dict(zip([model.inputs[0].any_name], named.values()))
    model.reshape({name: list(values.shape) for name, values in named.items()})
    # Left to itself OpenVINO chooses bf16 where the CPU has it: then it would not compute what the others do.
    compiled = core.compile_model(model, "CPU", {
        "INFERENCE_PRECISION_HINT": PRECISIONS[job.precision], "INFERENCE_NUM_THREADS": job.threads, "NUM_STREAMS": 1,
        "PERFORMANCE_HINT": "LATENCY",
    })
    job.tell_facts(
        openvino=openvino.__version__, numpy=np.__version__, device="cpu", compiled="openvino",
        precision_used=compiled.get_property("INFERENCE_PRECISION_HINT").to_string(),
        threads_used=compiled.get_property("INFERENCE_NUM_THREADS"),
        parameters=runtimes24.parameters_of(job),
    )
    inputs = {given.any_name: named[given.any_name].astype(given.element_type.to_dtype(), copy=False)
              for given in model.inputs}
    names = runtimes24.outputs_of(job.plan)

    def once() -> dict[str, np.ndarray]:
        return dict(zip(names, compiled(inputs).to_tuple()))

    runtimes24.measure(job, once)
