# SPDX-License-Identifier: Apache-2.0
"""COCO 2017 for detection and segmentation: images, and of each object its box, label and mask.

    DIRECTORY/annotations/instances_train2017.json   instances_val2017.json
    DIRECTORY/train2017/000000000009.jpg ...         DIRECTORY/val2017/...

generate_coco.py writes a small set of the same layout.
"""

import contextlib
import dataclasses
import io
import json
import os
from pathlib import Path

import numpy as np
from PIL import Image
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

ORIGIN = (
    "COCO 2017 of the COCO Consortium (cocodataset.org): train2017.zip, val2017.zip and "
    "annotations_trainval2017.zip, unpacked into one directory"
)
SPLITS = {"train2017": 118287, "val2017": 5000}  # images of each
CATEGORIES = 80


@dataclasses.dataclass
class Objects:
    """The n objects of an image, in its own pixels."""

    boxes: np.ndarray  # (n, 4) float32: left, top, right, bottom
    labels: np.ndarray  # (n,) int64: 1 for the first category; 0 is the background
    masks: np.ndarray  # (n, height, width) uint8, 1 inside; n = 0 where masks were not asked for

    @classmethod
    def none(cls, size: tuple[int, int]) -> "Objects":
        return cls(np.zeros((0, 4), np.float32), np.zeros(0, np.int64), np.zeros((0, *size[::-1]), np.uint8))


class Coco:
    """One split. Labels are the categories numbered without the gaps that their ids have."""

    def __init__(self, directory: Path, split: str):
        self.images = directory / split
        with _quiet():
            self.api = COCO(str(annotations(directory, split)))
        self.ids = sorted(self.api.getImgIds())
        self.categories = sorted(self.api.getCatIds())
        self._labels = {category: label for label, category in enumerate(self.categories, start=1)}

    def with_objects(self) -> list[int]:
        """The images that training can use: those with an object that is not a crowd."""
        return [image for image in self.ids if self._annotations(image)]

    def image(self, image_id: int) -> Image.Image:
        with Image.open(self.images / self.api.imgs[image_id]["file_name"]) as image:
            return image.convert("RGB")  # some of COCO's are grey

    def objects(self, image_id: int, masks: bool) -> Objects:
        """Crowds are left out, as in all training on COCO; the evaluation knows them."""
        found = self._annotations(image_id)
        information = self.api.imgs[image_id]
        shape = (information["height"], information["width"])
        drawn = [self.api.annToMask(annotation) for annotation in found] if masks else []
        return Objects(
            boxes=np.array([_corners(annotation["bbox"], shape) for annotation in found], np.float32).reshape(-1, 4),
            labels=np.array([self._labels[annotation["category_id"]] for annotation in found], np.int64),
            masks=np.array(drawn, np.uint8).reshape(-1, *shape),
        )

    def _annotations(self, image_id: int) -> list[dict]:
        """COCO has a few boxes without extent, from which nothing can be learnt."""
        information = self.api.imgs[image_id]
        shape = (information["height"], information["width"])
        usable = []
        for annotation in self.api.imgToAnns[image_id]:
            left, top, right, bottom = _corners(annotation["bbox"], shape)
            if not annotation["iscrowd"] and right > left and bottom > top:
                usable.append(annotation)
        return usable


def _corners(box: list[float], shape: tuple[int, int]) -> tuple[float, float, float, float]:
    left, top, width, height = box
    return max(left, 0), max(top, 0), min(left + width, shape[1]), min(top + height, shape[0])


def average_precision(coco: Coco, results: list[dict], image_ids: list[int], kind: str) -> tuple[float, float]:
    """COCO's AP over IoU 0.5 to 0.95, and AP at 0.5; kind is bbox or segm. Results are as COCO wants them:
    image_id, category_id, score, and bbox (left, top, width, height) or segmentation (RLE)."""
    if not results:  # pycocotools cannot load nothing; what finds nothing has no precision
        return 0.0, 0.0
    with _quiet():
        evaluation = COCOeval(coco.api, coco.api.loadRes(results), kind)
        evaluation.params.imgIds = image_ids
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return float(evaluation.stats[0]), float(evaluation.stats[1])


def check(directory: Path) -> list[str]:
    """What is missing of COCO 2017 in the directory; nothing if it is complete. Counts are the publisher's."""
    problems = []
    for split, count in SPLITS.items():
        file = annotations(directory, split)
        if not file.is_file():
            problems.append(f"{file} is missing")
        images = directory / split
        if not images.is_dir():
            problems.append(f"{images} is missing")
            continue
        found = sum(entry.name.endswith(".jpg") for entry in os.scandir(images))
        if found != count:
            problems.append(f"{images} has {found} images, COCO 2017 has {count}")
    small = annotations(directory, "val2017")
    if small.is_file():  # the other one has the same form and takes long to read
        told = json.loads(small.read_text())
        if len(told["images"]) != SPLITS["val2017"] or len(told["categories"]) != CATEGORIES:
            problems.append(f"{small} tells of {len(told['images'])} images and {len(told['categories'])} categories, "
                            f"COCO 2017 has {SPLITS['val2017']} and {CATEGORIES}")
    return problems


def annotations(directory: Path, split: str) -> Path:
    return directory / "annotations" / f"instances_{split}.json"


def _quiet():
    """pycocotools prints; standard output is not its place here."""
    return contextlib.redirect_stdout(io.StringIO())
