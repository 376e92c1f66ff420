# SPDX-License-Identifier: Apache-2.0
"""The ITU 2023 study's training in PyTorch: torchvision's ResNet, SGD with momentum, evaluation after each epoch."""

import numpy as np
import prengdl
import torch
from torch import nn

from workloads.pytorch.common import optimizer, parameters, ready, tensor
from workloads.pytorch.resnet import load_canonical, pixels, resnet
from workloads.shared import itu23
from workloads.shared.job import Job

__all__ = ["build", "forward", "load_canonical", "parameters", "train"]


def build(plan: itu23.Plan) -> nn.Module:
    return resnet(itu23.blocks(plan), itu23.classes(plan), plan.norm_momentum)


def train(job: Job):
    plan = job.plan
    device = ready(job)
    data = itu23.Data(job)
    model = build(plan).to(device)
    chosen = optimizer(plan.optimizer, model.parameters(), plan.learning_rate, plan.momentum)
    loss_of = nn.CrossEntropyLoss()
    job.tell_facts(parameters=parameters(model))
    job.loaded()

    samples = steps = 0
    with prengdl.span("train"):
        for epoch in prengdl.spans("epoch", range(1, plan.epochs + 1)):
            model.train()
            total, seen = torch.zeros((), device=device), 0
            for images, labels in data.train_batches(epoch):
                chosen.zero_grad(set_to_none=True)
                logits = model(pixels(images, device, itu23.MEAN, itu23.DEVIATION))
                loss = loss_of(logits, tensor(labels, device).long())
                loss.backward()
                chosen.step()
                total += loss.detach() * len(labels)
                seen += len(labels)
                steps += 1
            samples += seen
            prengdl.metric("loss", total.item() / seen, step=epoch)
            with prengdl.span("eval", epoch):
                for name, value in itu23.quality(data.test_labels, scores(model, data, device)).items():
                    prengdl.metric(name, value, step=epoch)
    job.tell_work(samples=samples, steps=steps)


@torch.inference_mode()
def predict(model: nn.Module, images: np.ndarray, device: torch.device) -> torch.Tensor:
    model.eval()
    return model(pixels(images, device, itu23.MEAN, itu23.DEVIATION))


def scores(model: nn.Module, data: itu23.Data, device: torch.device) -> np.ndarray:
    return torch.cat([predict(model, images, device) for images in data.test_batches()]).cpu().numpy()


def forward(model: nn.Module, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {"logits": predict(model, inputs["pixels"], torch.device("cpu")).numpy()}
