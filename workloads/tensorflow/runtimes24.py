# SPDX-License-Identifier: Apache-2.0
"""The networks of runtimes24 in TensorFlow: Keras models in a compiled function, and their ONNX files."""

import dataclasses
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from workloads.shared import runtimes24
from workloads.shared.job import Job
from workloads.shared.runtimes24 import Plan
from workloads.tensorflow import bert, common, mobilenet, resnet
from workloads.tensorflow.common import parameters

__all__ = ["build", "export", "infer", "parameters"]


def build(plan: Plan) -> keras.Model:
    if plan.network == "resnet50":
        return resnet.resnet(plan.blocks, plan.classes, plan.image)
    if plan.network == "mobilenet_v2":
        return mobilenet.mobilenet_v2(plan.repeats, plan.classes, plan.image)
    return bert.bert(plan)


def load_canonical(model: keras.Model, network: str, weights: dict[str, np.ndarray]):
    {"resnet50": resnet, "mobilenet_v2": mobilenet, "bert_base": bert}[network].load_canonical(model, weights)


def function_of(model: keras.Model, inputs: dict[str, np.ndarray], batch: int | None):
    """The model as a compiled function of tensors in the order of the inputs, and the signature of these."""
    signature = [tf.TensorSpec([batch, *values.shape[1:]], values.dtype, name=name) for name, values in inputs.items()]

    @tf.function(input_signature=signature)
    def forward(*tensors):
        outputs = model(tensors[0] if len(tensors) == 1 else dict(zip(inputs, tensors)), training=False)
        return outputs if isinstance(outputs, dict) else {"logits": outputs}

    return forward, signature


def infer(job: Job):
    common.ready(dataclasses.replace(job, device=runtimes24.device_of(job)))
    model = build(job.plan)
    load_canonical(model, job.plan.network, runtimes24.weights_of(job))
    job.tell_facts(parameters=parameters(model))
    inputs = runtimes24.inputs_of(job, "tensorflow")
    forward, _ = function_of(model, inputs, job.plan.batch)

    def once() -> dict[str, np.ndarray]:
        return {name: output.numpy() for name, output in forward(*inputs.values()).items()}

    runtimes24.measure(job, once)


def export(job: Job, path: Path):
    """Writes the ONNX file, with a batch size that is left open."""
    import onnx
    import tf2onnx

    common.ready(dataclasses.replace(job, device="cpu", precision="fp32"))
    model = build(job.plan)
    load_canonical(model, job.plan.network, runtimes24.weights_of(job))
    forward, signature = function_of(model, runtimes24.inputs_of(job, "tensorflow"), None)
    written, _ = tf2onnx.convert.from_function(forward, signature, opset=18)
    for given in written.graph.input:
        given.type.tensor_type.shape.dim[0].dim_param = "batch"  # tf2onnx gives it a number as name
    onnx.save(written, path)
