# SPDX-License-Identifier: Apache-2.0
"""What SSD and Mask R-CNN share in all frameworks: the settings, the order and form of batches, the learning rate, and
how detections become COCO's average precision."""

import dataclasses
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps
from pycocotools import mask as rle

from workloads.shared.data import coco, generate_coco
from workloads.shared.job import Job, Refused

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet, as torchvision's detectors take them
PADDING = tuple(round(255 * value) for value in MEAN)  # a colour that is about 0 when normalised
AHEAD = 2  # batches that are read while another one is worked on


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan:
    data: str  # drawn or coco2017
    train_images: int  # to draw; of coco2017 all are taken
    drawn_size: int  # pixels of the longer side of images that are drawn
    eval_images: int  # 0 is all
    classes: int  # without the background
    image_size: int  # pixels of both sides of what the model sees
    stretched: bool  # images are brought to that size, or fitted into it
    masks: bool
    blocks: tuple[int, ...]  # of each stage of the ResNet
    batch: int
    epochs: int
    steps: int  # of an epoch; 0 is all images once
    evaluates: bool  # after training
    eval_batch: int
    warmup_batches: int  # before inference is measured
    optimizer: str
    learning_rate: float
    momentum: float
    weight_decay: float  # not of biases and batch normalisation
    warmup_steps: int  # in which the learning rate rises from a third
    decay_epochs: tuple[int, ...]  # after which it falls to a tenth
    readers: int  # threads that read images


@dataclasses.dataclass
class Sample:
    """An image as the model sees it, and its objects in those pixels."""

    image_id: int
    image: np.ndarray  # (size, size, 3) uint8
    scale: tuple[float, float]  # from the image's own pixels: x, y
    objects: coco.Objects


@dataclasses.dataclass
class Batch:
    """Samples of one size. Objects are filled up to the most of any image with label 0."""

    image_ids: list[int]
    scales: list[tuple[float, float]]
    images: np.ndarray  # (batch, size, size, 3) uint8
    boxes: np.ndarray  # (batch, objects, 4) float32: left, top, right, bottom
    labels: np.ndarray  # (batch, objects) int64
    masks: np.ndarray  # (batch, objects, size, size) uint8; no objects where the plan has no masks


class Data:
    """The images of a job, in the same order for every framework."""

    def __init__(self, job: Job):
        self.plan: Plan = job.plan
        self.seed = job.seed
        self.directory = directory(job)
        self.evaluation = coco.Coco(self.directory, "val2017")
        self.eval_ids = self.evaluation.ids[: self.plan.eval_images or None]
        self.training: coco.Coco | None = None
        if len(self.evaluation.categories) != self.plan.classes:
            raise Refused(f"{self.directory} has {len(self.evaluation.categories)} categories, "
                          f"the preset has {self.plan.classes}", "--set classes=N changes it")

    def for_training(self):
        self.training = coco.Coco(self.directory, "train2017")
        self.train_ids = self.training.with_objects()
        whole = len(self.train_ids) // self.plan.batch
        self.steps = min(self.plan.steps or whole, whole)  # of an epoch
        if self.steps == 0:
            raise Refused(f"{len(self.train_ids)} images do not fill a batch of {self.plan.batch}", "--batch N")
        return self

    def train_batches(self, epoch: int) -> Iterator[Batch]:
        """One epoch: shuffled, about half of the images mirrored; what does not fill a batch is left out."""
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.train_ids))
        mirrored = np.random.default_rng([self.seed, epoch, 1]).random(len(order)) < 0.5
        chosen = [(self.train_ids[position], bool(mirrored[position]))
                  for position in order[: self.steps * self.plan.batch]]
        assert self.training, "for_training comes first"
        return self._batches(self.training, chosen, self.plan.batch, with_objects=True)

    def eval_batches(self, most: int | None = None) -> Iterator[Batch]:
        """All images of the evaluation in order of their ids, without objects; the last batch may be smaller."""
        chosen = [(image_id, False) for image_id in self.eval_ids[: most and most * self.plan.eval_batch]]
        return self._batches(self.evaluation, chosen, self.plan.eval_batch, with_objects=False)

    def _batches(self, source: coco.Coco, chosen: list, size: int, with_objects: bool) -> Iterator[Batch]:
        with ThreadPoolExecutor(self.plan.readers) as readers:
            begun: deque = deque()
            for first in range(0, len(chosen), size):
                begun.append([readers.submit(sample, self.plan, source, image_id, mirrored, with_objects)
                              for image_id, mirrored in chosen[first:first + size]])
                if len(begun) > AHEAD:
                    yield batch_of([reading.result() for reading in begun.popleft()])
            while begun:
                yield batch_of([reading.result() for reading in begun.popleft()])

    def learning_rate(self, step: int) -> float:
        """Of a step counted from 0: a linear rise from a third, then falling to a tenth after some epochs."""
        plan = self.plan
        epoch = step // self.steps
        rate = plan.learning_rate * 0.1 ** sum(epoch >= last for last in plan.decay_epochs)
        if step < plan.warmup_steps:
            rate *= (1 + 2 * step / plan.warmup_steps) / 3
        return rate

    def precision(self, results: list[dict], kind: str) -> tuple[float, float]:
        return coco.average_precision(self.evaluation, results, self.eval_ids, kind)


FORMATS = (coco,)


def directory_of(data: Path, preset: str, form) -> Path:
    return data / "coco2017"


def directory(job: Job) -> Path:
    """Where the data of the plan are; drawn ones are drawn if they are not there."""
    plan: Plan = job.plan
    if plan.data == "drawn":
        sizes = generate_coco.Sizes(train=plan.train_images, val=plan.eval_images, side=plan.drawn_size)
        return generate_coco.generate(job.data, sizes)
    real = job.data / plan.data
    missing = [path for path in (coco.annotations(real, "train2017"), coco.annotations(real, "val2017"))
               if not path.is_file()]
    if missing:
        raise Refused(f"{missing[0]} is missing", f"it comes from {coco.ORIGIN}")
    return real


def prepare(job: Job):
    place = directory(job)
    problems = coco.check(place) if job.plan.data != "drawn" else []
    if problems:
        raise Refused("; ".join(problems), f"it comes from {coco.ORIGIN}")


def sample(plan: Plan, source: coco.Coco, image_id: int, mirrored: bool = False, with_objects: bool = True) -> Sample:
    image = source.image(image_id)
    objects = source.objects(image_id, plan.masks) if with_objects else coco.Objects.none(image.size)
    if mirrored:
        image = ImageOps.mirror(image)
        objects.boxes[:, [0, 2]] = image.width - objects.boxes[:, [2, 0]]
        objects.masks = objects.masks[:, :, ::-1]
    size = plan.image_size
    factor = size / max(image.size)
    fitted = (size, size) if plan.stretched else tuple(max(1, round(side * factor)) for side in image.size)
    scale = (fitted[0] / image.width, fitted[1] / image.height)
    canvas = Image.new("RGB", (size, size), PADDING)
    canvas.paste(image.resize(fitted, Image.Resampling.BILINEAR) if fitted != image.size else image)
    masks = np.zeros((len(objects.masks), size, size), np.uint8)
    for number, mask in enumerate(objects.masks):
        masks[number, : fitted[1], : fitted[0]] = _resized(mask, fitted)
    boxes = objects.boxes * np.array([*scale, *scale], np.float32)
    return Sample(image_id, np.asarray(canvas), scale, coco.Objects(boxes, objects.labels, masks))


def _resized(mask: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    if mask.shape == size[::-1]:
        return mask
    return np.asarray(Image.fromarray(mask).resize(size, Image.Resampling.NEAREST))


def batch_of(samples: list[Sample]) -> Batch:
    most = max([1, *(len(one.objects.labels) for one in samples)])
    size = samples[0].image.shape[0]
    masks = max(len(one.objects.masks) for one in samples)
    batch = Batch(
        image_ids=[one.image_id for one in samples],
        scales=[one.scale for one in samples],
        images=np.stack([one.image for one in samples]),
        boxes=np.zeros((len(samples), most, 4), np.float32),
        labels=np.zeros((len(samples), most), np.int64),
        masks=np.zeros((len(samples), most if masks else 0, size, size), np.uint8),
    )
    for number, one in enumerate(samples):
        count = len(one.objects.labels)
        batch.boxes[number, :count] = one.objects.boxes
        batch.labels[number, :count] = one.objects.labels
        if masks:
            batch.masks[number, :count] = one.objects.masks
    return batch


def results(data: Data, batch: Batch, number: int, boxes: np.ndarray, scores: np.ndarray, labels: np.ndarray,
            masks: np.ndarray | None = None) -> list[dict]:
    """The results of one image of the batch, as COCO's evaluation takes them. Boxes (n, 4) and masks (n, size, size),
    true inside, are converted from the pixels that the model saw to those of the image."""
    image_id, scale = batch.image_ids[number], batch.scales[number]
    information = data.evaluation.api.imgs[image_id]
    width, height = information["width"], information["height"]
    own = np.asarray(boxes, np.float64) / np.array([*scale, *scale])
    found = []
    for index, (left, top, right, bottom) in enumerate(own.tolist()):
        result = {"image_id": image_id, "category_id": data.evaluation.categories[int(labels[index]) - 1],
                  "bbox": [left, top, right - left, bottom - top], "score": float(scores[index])}
        if masks is not None:
            seen = masks[index, : round(height * scale[1]), : round(width * scale[0])].astype(np.uint8)
            result["segmentation"] = rle.encode(np.asfortranarray(_resized(seen, (width, height))))
        found.append(result)
    return found
