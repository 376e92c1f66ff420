# SPDX-License-Identifier: Apache-2.0
"""The ITU 2023 study: ResNet-50, -101 and -152 on CIFAR-10, CIFAR-100 and SVHN by batch size, training only.

The design is the study's, but both frameworks do the same work here. What differs from the study:

* It uses the official test split. The study cut 10 % off the training data.
* Pixels are scaled to 0..1. The study used 0..255.
* Both frameworks use one seeded order of pictures. In the study only TensorFlow shuffled.
* Both use the last smaller batch. TensorFlow left it out.
* Evaluation uses batches of one size and the running statistics of batch normalisation. TensorFlow used those of the
  batch.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workloads.shared import flops, resnet
from workloads.shared.data import cifar, made, svhn
from workloads.shared.job import Job, Refused

IMAGE = 32
MEAN, DEVIATION = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)  # pixels are scaled to 0..1 and no more, as the study meant to do
CLASSES = {"cifar10": 10, "cifar100": 100, "svhn": 10}
DEPTHS = {
    "full": resnet.DEPTHS,
    "reduced": {"resnet50": (1, 1, 1, 1), "resnet101": (1, 1, 2, 1), "resnet152": (1, 1, 3, 1)},  # still three models
}

LOADS = ("sklearn.metrics",)  # takes seconds, and --prepare needs none of it


@dataclass(frozen=True)
class Plan:
    synthetic: bool
    depth: str  # full, or reduced: three small models that stand for the three large ones
    train_images: int  # generated
    test_images: int
    epochs: int
    learning_rate: float
    model: str = "resnet50"  # or resnet101, resnet152
    dataset: str = "cifar10"  # or cifar100, svhn
    batch: int = 128  # the study: 32, 64, 128, 256
    test_batch: int = 256
    momentum: float = 0.9  # the study
    optimizer: str = "sgd"  # the study
    norm_momentum: float = resnet.NORM_MOMENTUM  # where steps are few, running statistics must follow faster


PRESETS = {
    "tiny": Plan(synthetic=True, depth="reduced", train_images=512, test_images=200, epochs=2, learning_rate=0.01,
                 norm_momentum=0.5),
    "laptop": Plan(synthetic=True, depth="full", train_images=2048, test_images=500, epochs=2, learning_rate=0.01,
                   norm_momentum=0.7),
    "paper": Plan(synthetic=False, depth="full", train_images=0, test_images=0, epochs=10, learning_rate=0.001),
}


def blocks(plan: Plan) -> tuple[int, ...]:
    depths = DEPTHS.get(plan.depth)
    if depths is None or plan.model not in depths:
        raise Refused(f"itu23 has no model '{plan.model}' of depth '{plan.depth}'",
                      f"models: {', '.join(resnet.DEPTHS)}; depths: {', '.join(DEPTHS)}")
    return depths[plan.model]


def classes(plan: Plan) -> int:
    if plan.dataset not in CLASSES:
        raise Refused(f"itu23 has no data set '{plan.dataset}'", f"it has: {', '.join(CLASSES)}")
    return CLASSES[plan.dataset]


FORMATS = (cifar, svhn)


def directory_of(data: Path, preset: str, form) -> Path:
    return data / "svhn" if form is svhn else data


def folder(job: Job) -> Path:
    plan = job.plan
    name = f"{plan.dataset}-synthetic-{plan.train_images}-{plan.test_images}" if plan.synthetic else plan.dataset
    return job.data / name


def prepare(job: Job):
    plan, directory = job.plan, folder(job)
    classes(plan)
    if plan.synthetic:
        made(directory, lambda aside: generate(aside, plan))
        return
    problems = svhn.check(directory) if plan.dataset == "svhn" else cifar.check_one(directory, plan.dataset)
    if problems:
        raise Refused("; ".join(problems), f"it comes from {(svhn if plan.dataset == 'svhn' else cifar).ORIGIN}")


def generate(directory: Path, plan: Plan):
    if plan.dataset == "svhn":
        svhn.generate(directory, plan.train_images, plan.test_images)
    else:
        cifar.generate(directory, plan.dataset, plan.train_images, plan.test_images)


class Data:
    """All pictures, in memory: pixels as bytes, pictures x 32 x 32 x 3, and their classes."""

    def __init__(self, job: Job):
        plan, directory = job.plan, folder(job)
        if not directory.is_dir():
            prepare(job)
        self.plan, self.seed = plan, job.seed
        load = svhn.load if plan.dataset == "svhn" else lambda root, split: cifar.load(root, plan.dataset, split)
        self.train_pixels, self.train_labels = load(directory, "train")
        self.test_pixels, self.test_labels = load(directory, "test")
        if len(self.train_labels) % plan.batch == 1:
            raise Refused(f"batches of {plan.batch} leave a single picture of {len(self.train_labels)}, "
                          "over which batch normalisation cannot normalise", "choose another batch size")

    def train_batches(self, epoch: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        order = np.random.default_rng((self.seed, epoch)).permutation(len(self.train_labels))
        for start in range(0, len(order), self.plan.batch):
            chosen = order[start:start + self.plan.batch]
            yield self.train_pixels[chosen], self.train_labels[chosen]

    def test_batches(self) -> Iterator[np.ndarray]:
        for start in range(0, len(self.test_labels), self.plan.test_batch):
            yield self.test_pixels[start:start + self.plan.test_batch]


def quality(labels: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """The study's four measures; those of classes are averaged evenly, a class never predicted counts as 0."""
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    predicted = scores.argmax(axis=1)
    precision, recall, f1, _ = precision_recall_fscore_support(labels, predicted, average="macro", zero_division=0)
    return {"accuracy": float(accuracy_score(labels, predicted)), "precision": float(precision),
            "recall": float(recall), "f1": float(f1)}


def forward_flops(plan: Plan) -> int:
    return flops.resnet(blocks(plan), classes(plan), IMAGE)


def canonical_weights(plan: Plan, seed: int) -> dict[str, np.ndarray]:
    return resnet.canonical_weights(blocks(plan), classes(plan), seed)


def parity_inputs(plan: Plan, seed: int) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed + 1)
    return {"pixels": generator.integers(0, 256, (8, IMAGE, IMAGE, 3), dtype=np.uint8)}
