# SPDX-License-Identifier: Apache-2.0
"""Trains and runs torchvision's detectors: SSD and Mask R-CNN differ only in the model and its quality."""

from collections.abc import Callable

import numpy as np
import prengdl
import torch

from workloads.pytorch import common
from workloads.shared import detection
from workloads.shared.job import Job

Qualities = Callable[[detection.Data, list[dict]], dict[str, float]]


def train(job: Job, build: Callable[..., torch.nn.Module], qualities: Qualities):
    device = common.ready(job)
    plan = job.plan
    data = detection.Data(job).for_training()
    model = build(plan).to(device)
    optimizer = common.optimizer(plan.optimizer, groups(model, plan.weight_decay), plan.learning_rate, plan.momentum,
                                 plan.weight_decay)
    job.tell_facts(parameters=common.parameters(model))
    job.loaded()
    step = 0
    with prengdl.span("train"):
        for epoch in prengdl.spans("epoch", range(1, plan.epochs + 1)):
            model.train()
            losses = []
            for batch in data.train_batches(epoch):
                common.set_learning_rate(optimizer, data.learning_rate(step))
                loss = sum(model(images_of(batch, device), targets_of(batch, device)).values())
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                losses.append(loss.detach())
                step += 1
            prengdl.metric("loss", torch.stack(losses).mean().item(), step=epoch)
        if plan.evaluates:
            with prengdl.span("eval", plan.epochs):
                results = detected(model, data, data.eval_batches(), device)
                for name, value in qualities(data, results).items():
                    prengdl.metric(name, value, step=plan.epochs)
    with job.saving() as directory:
        common.save(model, directory)
    job.tell_work(samples=step * plan.batch, steps=step)


def groups(model: torch.nn.Module, weight_decay: float) -> list[dict]:
    """Biases and batch normalisation are not decayed."""
    kernels = [parameter for parameter in model.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in model.parameters() if parameter.ndim == 1]
    return [{"params": kernels, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]


def infer(job: Job, build: Callable[..., torch.nn.Module], qualities: Qualities):
    device = common.ready(job)
    plan = job.plan
    data = detection.Data(job)
    model = build(plan).to(device)
    common.load(model, job.saved(), device)
    job.tell_facts(parameters=common.parameters(model))
    job.loaded()
    with prengdl.span("warmup"):
        detected(model, data, data.eval_batches(plan.warmup_batches), device)
    with prengdl.span("infer"):
        results = detected(model, data, data.eval_batches(), device)
    for name, value in qualities(data, results).items():
        prengdl.metric(name, value)
    images = len(data.eval_ids)
    job.tell_work(samples=images, steps=-(-images // plan.eval_batch), inferences=images)


@torch.inference_mode()
def detected(model: torch.nn.Module, data: detection.Data, batches, device: torch.device) -> list[dict]:
    """What the model finds, as COCO's evaluation takes it."""
    model.eval()
    results = []
    for batch in batches:
        for number, found in enumerate(model(images_of(batch, device))):
            masks = (found["masks"][:, 0] >= 0.5).cpu().numpy() if "masks" in found else None
            results += detection.results(data, batch, number, found["boxes"].cpu().numpy(),
                                         found["scores"].cpu().numpy(), found["labels"].cpu().numpy(), masks)
    return results


def images_of(batch: detection.Batch, device: torch.device) -> list[torch.Tensor]:
    """As torchvision wants them: channels first, from 0 to 1; it normalises them itself."""
    return list(common.tensor(batch.images, device).permute(0, 3, 1, 2).float().div(255))


def targets_of(batch: detection.Batch, device: torch.device) -> list[dict[str, torch.Tensor]]:
    targets = []
    for number, labels in enumerate(batch.labels):
        count = int((labels > 0).sum())
        target = {"boxes": common.tensor(batch.boxes[number, :count], device),
                  "labels": common.tensor(labels[:count], device)}
        if batch.masks.size:
            target["masks"] = common.tensor(batch.masks[number, :count], device)
        targets.append(target)
    return targets


def parity_batch(inputs: dict[str, np.ndarray]) -> detection.Batch:
    return detection.Batch(image_ids=[], scales=[], **inputs)


@torch.no_grad()
def parity_found(model: torch.nn.Module, batch: detection.Batch) -> dict[str, np.ndarray]:
    """What is found in the images, the first image's first."""
    model.eval()
    found = model(images_of(batch, torch.device("cpu")))
    return {name: torch.cat([image[name].float() for image in found]).numpy() for name in ("boxes", "scores", "labels")}
