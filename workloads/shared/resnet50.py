# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 v1.5 on pictures in ImageNet's layout; quality is the top-5 error.

ICSE'22 ran NVIDIA's DeepLearningExamples; settings marked (NVIDIA) are of its recipe for ResNet-50 v1.5.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workloads.shared import flops, resnet
from workloads.shared.data import imagenet, made
from workloads.shared.job import Job, Refused

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet's pixels in 0..1, by colour

LOADS = ("sklearn.metrics",)  # takes seconds, and --prepare needs none of it


@dataclass(frozen=True)
class Plan:
    synthetic: bool
    classes: int
    train_each: int  # generated pictures per class
    test_each: int
    blocks: tuple[int, ...]
    image: int
    resize: int  # the shorter side of a test picture, before its middle is cut out
    batch: int
    test_batch: int
    epochs: int
    learning_rate: float
    steps_per_epoch: int = 0  # 0: every picture once
    momentum: float = 0.875  # (NVIDIA)
    weight_decay: float = 1 / 32768  # (NVIDIA), not on batch normalisation
    label_smoothing: float = 0.1  # (NVIDIA)
    optimizer: str = "sgd"  # (NVIDIA), its rate falls as a cosine
    norm_momentum: float = resnet.NORM_MOMENTUM  # where steps are few, running statistics must follow faster
    infer_passes: int = 1  # over the test pictures


PRESETS = {
    "tiny": Plan(synthetic=True, classes=20, train_each=16, test_each=5, blocks=(1, 1, 1, 1), image=64, resize=72,
                 batch=16, test_batch=50, epochs=2, learning_rate=0.004, norm_momentum=0.7, infer_passes=4),
    "laptop": Plan(synthetic=True, classes=50, train_each=20, test_each=6, blocks=resnet.DEPTHS["resnet50"], image=224,
                   resize=256, batch=32, test_batch=50, epochs=2, learning_rate=0.032),
    # The study's profile of PyTorch's training shows 392 412 convolutions, 53 a step, so 7404 steps. Its batch is not
    # published: 128 is NVIDIA's per GPU at fp32, with the rate of its rule, 0.256 per 256. 90 epochs are its full run.
    "paper": Plan(synthetic=False, classes=1000, train_each=0, test_each=0, blocks=resnet.DEPTHS["resnet50"], image=224,
                  resize=256, batch=128, test_batch=128, epochs=1, steps_per_epoch=7404, learning_rate=0.128),
}


FORMATS = (imagenet,)


def directory_of(data: Path, preset: str, form) -> Path:
    return data / "imagenet"


def folder(job: Job) -> Path:
    plan = job.plan
    if not plan.synthetic:
        return directory_of(job.data, job.preset, imagenet)
    return job.data / f"imagenet-synthetic-{plan.classes}-{plan.train_each}-{plan.test_each}-{plan.resize}"


def prepare(job: Job):
    plan, directory = job.plan, folder(job)
    if plan.synthetic:
        made(directory, lambda aside: imagenet.generate(aside, plan.classes, plan.train_each, plan.test_each,
                                                        side=plan.resize))
    elif problems := imagenet.check(directory):
        raise Refused("; ".join(problems), f"it comes from {imagenet.ORIGIN}")


class Data:
    """The pictures of a job, in the same order and cut the same way from the same seed for every framework."""

    def __init__(self, job: Job):
        directory = folder(job)
        if not directory.is_dir():
            prepare(job)
        self.plan, self.seed, self.threads = job.plan, job.seed, job.threads
        self.train_paths, self.train_labels = imagenet.listing(directory, "train")
        self.test_paths, self.test_labels = imagenet.listing(directory, "val")
        classes = len(imagenet.class_names(directory, "train"))
        if classes != self.plan.classes:
            raise Refused(f"{directory} has {classes} classes, the plan {self.plan.classes}",
                          "set classes to its number")

    def steps(self) -> int:
        """Of an epoch; the last batch may be smaller."""
        whole = math.ceil(len(self.train_paths) / self.plan.batch)
        return min(self.plan.steps_per_epoch or whole, whole)

    def train_batches(self, epoch: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Pixels as bytes, batch x height x width x colour, and classes. What is cut out of a picture depends on the
        seed, the epoch and the picture alone, not on which thread reads it when."""
        order = np.random.default_rng((self.seed, epoch)).permutation(len(self.train_paths))
        size = self.plan.batch
        batches = [order[size * step:size * (step + 1)] for step in range(self.steps())]

        def read(index):
            return imagenet.train_picture(self.train_paths[index], self.plan.image,
                                          np.random.default_rng((self.seed, epoch, index)))

        for indices, pixels in zip(batches, imagenet.read_ahead(batches, read, self.threads)):
            yield pixels, self.train_labels[indices]

    def test_batches(self, most: int = 0) -> Iterator[np.ndarray]:
        """Pixels of all test pictures, or of so many batches."""
        order = np.arange(len(self.test_paths))
        size = self.plan.test_batch
        batches = [order[start:start + size] for start in range(0, len(order), size)]

        def read(index):
            return imagenet.test_picture(self.test_paths[index], self.plan.image, self.plan.resize)

        yield from imagenet.read_ahead(batches[:most] if most else batches, read, self.threads)

    def test_steps(self) -> int:
        return math.ceil(len(self.test_paths) / self.plan.test_batch)


def learning_rate(plan: Plan, step: int, steps: int) -> float:
    """Of a step counted from 0: half a cosine from the plan's rate to nothing."""
    return plan.learning_rate * (1 + math.cos(math.pi * step / steps)) / 2


def top5_error(plan: Plan, labels: np.ndarray, scores: np.ndarray) -> float:
    from sklearn.metrics import top_k_accuracy_score

    return 1 - float(top_k_accuracy_score(labels, scores, k=5, labels=np.arange(plan.classes)))


def forward_flops(plan: Plan) -> int:
    return flops.resnet(plan.blocks, plan.classes, plan.image)


def canonical_weights(plan: Plan, seed: int) -> dict[str, np.ndarray]:
    return resnet.canonical_weights(plan.blocks, plan.classes, seed)


def parity_inputs(plan: Plan, seed: int) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed + 1)
    return {"pixels": generator.integers(0, 256, (4, plan.image, plan.image, 3), dtype=np.uint8)}
