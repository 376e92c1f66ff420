# SPDX-License-Identifier: Apache-2.0
"""The networks of runtimes24 in ONNX Runtime: files that the frameworks have written, run by one of its providers."""

import collections
import importlib.util
import json
import os
from pathlib import Path

import numpy as np
import onnxruntime

from workloads.shared import runtimes24
from workloads.shared.job import Job, Refused

PROVIDERS = {"CPU": "CPUExecutionProvider", "OpenVINO": "OpenVINOExecutionProvider", "CUDA": "CUDAExecutionProvider",
             "TensorRT": "TensorrtExecutionProvider"}
PRECISIONS = {"CPU": ("fp32",), "OpenVINO": ("fp32", "bf16"), "CUDA": ("fp32", "tf32"), "TensorRT": ("fp32", "tf32")}
TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}


def check(job: Job):
    """Refuses by name what this ONNX Runtime does not have, before anything else."""
    runtimes24.device_of(job, tuple(PROVIDERS))
    provider = job.plan.provider
    available = onnxruntime.get_available_providers()
    if PROVIDERS[provider] not in available:
        raise Refused(f"this onnxruntime {onnxruntime.__version__} has no provider {provider}",
                      "it has: " + ", ".join(name for name, full in PROVIDERS.items() if full in available))
    if job.precision not in PRECISIONS[provider]:
        raise Refused(f"onnxruntime's provider {provider} cannot run {job.precision}",
                      "it can: " + ", ".join(PRECISIONS[provider]))
    if job.precision == "bf16" and not runtimes24.cpu_has_bf16():  # OpenVINO would take fp32 and not say so
        raise Refused("this CPU has no bf16", "--precision fp32 runs everywhere")


def infer(job: Job):
    check(job)
    path = runtimes24.onnx_file(job)
    session = session_of(job, path)
    tell(job, session)
    named = runtimes24.inputs_of(job, job.plan.source)
    types = {given.name: TYPES[given.type] for given in session.get_inputs()}
    if len(types) == 1:
        named = dict(zip(types, named.values()))
    inputs = {name: named[name].astype(kind, copy=False) for name, kind in types.items()}
    names = runtimes24.outputs_of(job.plan)

    def once() -> dict[str, np.ndarray]:
        return dict(zip(names, session.run(None, inputs)))

    runtimes24.measure(job, once)


def session_of(job: Job, path: Path) -> onnxruntime.InferenceSession:
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = job.threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_free_dimension_override_by_name("batch", job.plan.batch)
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    if runtimes24.DEVICES[job.plan.provider] == "cuda":
        load_libraries(job)
    session = onnxruntime.InferenceSession(str(path), options, providers=providers_of(job))
    session.disable_fallback()  # an error must end the run, not move it to the CPU
    wanted = PROVIDERS[job.plan.provider]
    if session.get_providers()[0] != wanted:  # without a device it falls back, with a warning only
        raise Refused(f"onnxruntime could not start its provider {job.plan.provider}, it fell back to "
                      + ", ".join(session.get_providers()), "is there such a device, with its driver and libraries?")
    return session


def load_libraries(job: Job):
    """CUDA's and TensorRT's, which lie in packages of this environment, where ONNX Runtime does not look by itself."""
    # TensorRT has no other switch for TF32 that all versions share; it counts before the GPU is first used.
    os.environ["NVIDIA_TF32_OVERRIDE"] = "1" if job.precision == "tf32" else "0"
    onnxruntime.preload_dlls()
    if job.plan.provider == "TensorRT" and importlib.util.find_spec("tensorrt"):
        importlib.import_module("tensorrt")


def providers_of(job: Job) -> list:
    """The provider with its options, then those that take what it leaves."""
    provider = job.plan.provider
    if provider == "CPU":
        return [PROVIDERS["CPU"]]
    cuda = (PROVIDERS["CUDA"], {"use_tf32": "1" if job.precision == "tf32" else "0"})
    if provider == "CUDA":
        return [cuda, PROVIDERS["CPU"]]
    if provider == "TensorRT":
        return [PROVIDERS["TensorRT"], cuda, PROVIDERS["CPU"]]
    # OpenVINO chooses bf16 by itself where the CPU has it, and as many threads as there are.
    settings = {"CPU": {"INFERENCE_PRECISION_HINT": {"fp32": "f32", "bf16": "bf16"}[job.precision],
                        "INFERENCE_NUM_THREADS": str(job.threads), "NUM_STREAMS": "1", "PERFORMANCE_HINT": "LATENCY"}}
    return [(PROVIDERS["OpenVINO"], {"device_type": "CPU", "load_config": json.dumps(settings)}), PROVIDERS["CPU"]]


def tell(job: Job, session: onnxruntime.InferenceSession):
    """What really runs: the provider, and how many of the network's operations it has taken."""
    taken = collections.Counter()
    for part in session.get_provider_graph_assignment_info():
        taken[part.ep_name] += len(part.get_nodes())
    first = session.get_providers()[0]
    writer = session.get_modelmeta()
    job.tell_facts(onnxruntime=onnxruntime.__version__, numpy=np.__version__,
                   device=runtimes24.DEVICES[job.plan.provider], provider_used=first, operations=sum(taken.values()),
                   operations_by_provider=taken[first], model_writer=writer.producer_name, compiled="onnxruntime",
                   parameters=runtimes24.parameters_of(job))
    if not taken[first]:
        raise Refused(f"{first} took none of the network's operations", "they went to " + ", ".join(taken))
