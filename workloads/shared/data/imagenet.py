# SPDX-License-Identifier: Apache-2.0
"""Pictures in ImageNet's folders, train/CLASS/*.JPEG and val/CLASS/*.JPEG, decoded and cropped by the same code for
every framework: reading is part of the work, and must not be what differs."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable

import numpy as np
from PIL import Image

from workloads.shared.data.patterns import pattern

ORIGIN = ("ImageNet (image-net.org, ILSVRC 2012): ILSVRC2012_img_train.tar and ILSVRC2012_img_val.tar, unpacked into "
          "imagenet/train/CLASS and imagenet/val/CLASS, a folder per class")
COUNTS = {"train": 1_281_167, "val": 50_000}
CLASSES = 1000
AHEAD = 2  # batches that are read while one is used
SMALLEST, NARROWEST = 0.08, 3 / 4  # of a training crop: share of the area, and its ratio of sides


def check(directory: Path) -> list[str]:
    problems = []
    names = {}
    for split, count in COUNTS.items():
        if not (directory / split).is_dir():
            problems.append(f"{directory / split} is missing")
            continue
        paths, _ = listing(directory, split)
        names[split] = class_names(directory, split)
        if len(names[split]) != CLASSES:
            problems.append(f"{directory / split} has {len(names[split])} classes instead of {CLASSES}")
        if len(paths) != count:
            problems.append(f"{directory / split} has {len(paths)} pictures instead of {count}")
    if len(names) == 2 and names["train"] != names["val"]:
        problems.append(f"{directory}: train and val have different classes")
    return problems


def class_names(directory: Path, split: str) -> list[str]:
    return sorted(entry.name for entry in (directory / split).iterdir() if entry.is_dir())


def listing(directory: Path, split: str) -> tuple[list[Path], np.ndarray]:
    """Files and their classes, in the order of names."""
    paths, labels = [], []
    for label, name in enumerate(class_names(directory, split)):
        files = sorted((directory / split / name).glob("*.JPEG"))
        paths += files
        labels += [label] * len(files)
    return paths, np.array(labels, dtype=np.int32)


def train_picture(path: Path, size: int, generator: np.random.Generator) -> np.ndarray:
    """A random part of the picture at the size, mirrored half of the time (Szegedy et al. 2014)."""
    with Image.open(path) as picture:
        picture = picture.convert("RGB")
        width, height = picture.size
        box = random_box(width, height, generator)
        picture = picture.resize((size, size), Image.Resampling.BILINEAR, box=box)
    pixels = np.asarray(picture)
    return pixels[:, ::-1] if generator.random() < 0.5 else pixels


def random_box(width: int, height: int, generator: np.random.Generator) -> tuple[float, float, float, float]:
    for _ in range(10):
        area = width * height * generator.uniform(SMALLEST, 1)
        ratio = np.exp(generator.uniform(np.log(NARROWEST), -np.log(NARROWEST)))
        wide, high = np.sqrt(area * ratio), np.sqrt(area / ratio)
        if wide <= width and high <= height:
            left, top = generator.uniform(0, width - wide), generator.uniform(0, height - high)
            return left, top, left + wide, top + high
    side = min(width, height)
    left, top = (width - side) / 2, (height - side) / 2
    return left, top, left + side, top + side


def test_picture(path: Path, size: int, resize: int) -> np.ndarray:
    """The middle of the picture, whose shorter side was brought to `resize` first."""
    with Image.open(path) as picture:
        picture = picture.convert("RGB")
        side = min(picture.size) * size / resize
        left, top = (picture.width - side) / 2, (picture.height - side) / 2
        picture = picture.resize((size, size), Image.Resampling.BILINEAR, box=(left, top, left + side, top + side))
    return np.asarray(picture)


def read_ahead(batches: list[np.ndarray], read: Callable[[int], np.ndarray], threads: int) -> Iterator[np.ndarray]:
    """The pictures of each batch of indices, in order, while threads read the next ones."""
    with ThreadPoolExecutor(threads) as pool:
        waiting = deque()
        for indices in batches:
            waiting.append([pool.submit(read, int(index)) for index in indices])
            if len(waiting) > AHEAD:
                yield np.stack([future.result() for future in waiting.popleft()])
        for futures in waiting:
            yield np.stack([future.result() for future in futures])


def generate(directory: Path, classes: int, train_each: int, test_each: int, side: int, seed: int = 0):
    """Pictures of about that side, in folders and files named as the real ones are."""
    generator = np.random.default_rng(seed)
    number = 0
    for label in range(classes):
        name = f"n{label + 1:08d}"
        for split, count in (("train", train_each), ("val", test_each)):
            folder = directory / split / name
            folder.mkdir(parents=True)
            for index in range(count):
                height, width = generator.integers(side * 9 // 10, side * 12 // 10, 2)
                number += split == "val"
                file = f"{name}_{index + 1}" if split == "train" else f"ILSVRC2012_val_{number:08d}"
                pixels = pattern(label, classes, int(height), int(width), generator)
                Image.fromarray(pixels).save(folder / f"{file}.JPEG", format="JPEG", quality=90)
