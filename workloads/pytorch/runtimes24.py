# SPDX-License-Identifier: Apache-2.0
"""The networks of runtimes24 in PyTorch: those of torchvision and transformers, eager or compiled; their ONNX files."""

import dataclasses
import os
from pathlib import Path

import numpy as np
import torch
from torchvision.models.mobilenetv2 import MobileNetV2
from torchvision.models.resnet import Bottleneck, ResNet

from workloads.pytorch import common
from workloads.shared import runtimes24
from workloads.shared.job import Job, Refused
from workloads.shared.reference_networks import INVERTED_RESIDUALS, LAYER_NORM_EPSILON
from workloads.shared.runtimes24 import Plan


def build(plan: Plan) -> torch.nn.Module:
    if plan.network == "resnet50":
        return ResNet(Bottleneck, list(plan.blocks), num_classes=plan.classes).eval()
    if plan.network == "mobilenet_v2":
        stages = [[expansion, channels, repeats, stride]
                  for (expansion, channels, stride), repeats in zip(INVERTED_RESIDUALS, plan.repeats)]
        return MobileNetV2(num_classes=plan.classes, inverted_residual_setting=stages).eval()
    from transformers import BertConfig, BertModel  # slow to import, and images do not need it

    config = BertConfig(
        vocab_size=plan.vocabulary, hidden_size=plan.hidden, num_hidden_layers=plan.layers,
        num_attention_heads=plan.heads, intermediate_size=plan.intermediate, hidden_act="gelu",
        max_position_embeddings=plan.positions, type_vocab_size=2, layer_norm_eps=LAYER_NORM_EPSILON, return_dict=False,
    )
    return BertModel(config).eval()


def parameters(model: torch.nn.Module) -> int:
    return common.parameters(model)


def infer(job: Job):
    device = common.ready(dataclasses.replace(job, device=runtimes24.device_of(job)))
    model = build(job.plan)
    common.load_arrays(model, runtimes24.weights_of(job))
    model = model.to(device)
    job.tell_facts(parameters=parameters(model))
    if job.plan.mode == "compile":
        # In the job's own home: else the second run would find what the first has compiled.
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(os.environ["HOME"], "inductor")
        model = torch.compile(model)
        job.tell_facts(compiled="inductor")
    elif job.plan.mode != "eager":
        raise Refused(f"there is no mode '{job.plan.mode}'", "there are: eager, compile")
    inputs = runtimes24.inputs_of(job, "pytorch")
    names = runtimes24.outputs_of(job.plan)

    @torch.inference_mode()
    def once() -> dict[str, np.ndarray]:
        outputs = model(**_arguments({name: common.tensor(values, device) for name, values in inputs.items()}))
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        return {name: output.cpu().numpy() for name, output in zip(names, outputs)}

    runtimes24.measure(job, once)


def _arguments(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """By the names of the models' own arguments: torchvision calls its images x."""
    return {"x" if name == "images" else name: values for name, values in tensors.items()}


def export(job: Job, path: Path):
    """Writes the ONNX file, with a batch size that is left open."""
    model = build(job.plan)
    common.load_arrays(model, runtimes24.weights_of(job))
    two = dataclasses.replace(job, plan=dataclasses.replace(job.plan, batch=2))  # of 1 the exporter makes a constant
    inputs = runtimes24.inputs_of(two, "pytorch")
    example = _arguments({name: torch.from_numpy(values) for name, values in inputs.items()})
    batch = torch.export.Dim("batch", min=1, max=4096)
    torch.onnx.export(
        model, (), str(path), kwargs=example, input_names=list(inputs),
        output_names=runtimes24.outputs_of(job.plan), dynamic_shapes={name: {0: batch} for name in example},
        external_data=False, verbose=False,
    )
