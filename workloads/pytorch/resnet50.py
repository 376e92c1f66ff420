# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 in PyTorch: torchvision's model, trained by SGD with momentum."""

import numpy as np
import prengdl
import torch
from torch import nn

from workloads.pytorch.common import load, optimizer, parameters, ready, save, set_learning_rate, tensor, wait
from workloads.pytorch.resnet import load_canonical, pixels, resnet
from workloads.shared import resnet50
from workloads.shared.job import Job

__all__ = ["build", "forward", "infer", "load_canonical", "parameters", "train"]


def build(plan: resnet50.Plan) -> nn.Module:
    return resnet(plan.blocks, plan.classes, plan.norm_momentum)


def train(job: Job):
    plan = job.plan
    device = ready(job)
    data = resnet50.Data(job)
    model = build(plan).to(device)
    chosen = optimizer(plan.optimizer, decay_groups(model, plan.weight_decay), plan.learning_rate, plan.momentum)
    loss_of = nn.CrossEntropyLoss(label_smoothing=plan.label_smoothing)
    job.tell_facts(parameters=parameters(model))
    job.loaded()

    samples = steps = 0
    with prengdl.span("train"):
        for epoch in prengdl.spans("epoch", range(1, plan.epochs + 1)):
            model.train()
            total, seen = torch.zeros((), device=device), 0
            for images, labels in data.train_batches(epoch):
                set_learning_rate(chosen, resnet50.learning_rate(plan, steps, plan.epochs * data.steps()))
                chosen.zero_grad(set_to_none=True)
                logits = model(pixels(images, device, resnet50.MEAN, resnet50.DEVIATION))
                loss = loss_of(logits, tensor(labels, device).long())
                loss.backward()
                chosen.step()
                total += loss.detach() * len(labels)
                seen += len(labels)
                steps += 1
            samples += seen
            prengdl.metric("loss", total.item() / seen, step=epoch)
            with prengdl.span("eval", epoch):
                error = resnet50.top5_error(plan, data.test_labels, scores(model, data, device))
                prengdl.metric("top5_error", error, step=epoch)
    job.tell_work(samples=samples, steps=steps)
    with job.saving() as directory:
        save(model, directory)


def decay_groups(model: nn.Module, weight_decay: float) -> list[dict]:
    norms = [parameter for module in model.modules() if isinstance(module, nn.BatchNorm2d)
             for parameter in module.parameters()]
    exempt = {id(parameter) for parameter in norms}
    others = [parameter for parameter in model.parameters() if id(parameter) not in exempt]
    return [{"params": others, "weight_decay": weight_decay}, {"params": norms, "weight_decay": 0.0}]


def infer(job: Job):
    plan = job.plan
    device = ready(job)
    data = resnet50.Data(job)
    model = build(plan).to(device)
    load(model, job.saved(), device)
    job.tell_facts(parameters=parameters(model))
    job.loaded()
    with prengdl.span("warmup"):
        for images in data.test_batches(most=1):
            predict(model, images, device)
        wait(device)
    with prengdl.span("infer"):
        for _ in range(plan.infer_passes):
            found = scores(model, data, device)
    prengdl.metric("top5_error", resnet50.top5_error(plan, data.test_labels, found))
    job.tell_work(samples=plan.infer_passes * len(found), steps=plan.infer_passes * data.test_steps())


@torch.inference_mode()
def predict(model: nn.Module, images: np.ndarray, device: torch.device) -> torch.Tensor:
    model.eval()
    return model(pixels(images, device, resnet50.MEAN, resnet50.DEVIATION))


def scores(model: nn.Module, data: resnet50.Data, device: torch.device) -> np.ndarray:
    return torch.cat([predict(model, images, device) for images in data.test_batches()]).cpu().numpy()


def forward(model: nn.Module, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {"logits": predict(model, inputs["pixels"], torch.device("cpu")).numpy()}
