# SPDX-License-Identifier: Apache-2.0
"""Draws a small data set in the layout of COCO 2017: coloured shapes on a soft background.

What is in COCO is in it too: images of several sizes, ids of categories with gaps, polygons, crowds as RLE,
images without objects. The same sizes and seed give the same files.
"""

import dataclasses
import json
import math
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from pycocotools import mask as rle

from workloads.shared.data import made
from workloads.shared.data.coco import annotations

# Shape and colour go together, so that a few steps of training learn something. The ids are COCO's for person,
# car and dog: not 1, 2, 3.
CATEGORIES = {1: ("rectangle", (200, 60, 50)), 3: ("ellipse", (60, 180, 70)), 18: ("triangle", (60, 80, 210))}
CROWD_EVERY = 12  # images
EMPTY_EVERY = 20


@dataclasses.dataclass(frozen=True)
class Sizes:
    train: int  # images
    val: int
    side: int  # pixels of the longer side
    most_objects: int = 3


def name(sizes: Sizes, seed: int) -> str:
    return f"coco-drawn-{sizes.train}-{sizes.val}-{sizes.side}-{sizes.most_objects}-{seed}"


def generate(parent: Path, sizes: Sizes, seed: int = 1) -> Path:
    """The data set's directory; it is drawn if it is not there. Several processes may ask at once."""

    def write(aside: Path):
        for number, (split, count) in enumerate({"train2017": sizes.train, "val2017": sizes.val}.items()):
            _split(aside, split, count, sizes, np.random.default_rng([seed, number]))

    return made(parent / name(sizes, seed), write)


def _split(directory: Path, split: str, count: int, sizes: Sizes, random: np.random.Generator):
    (directory / split).mkdir(parents=True)
    images, objects = [], []
    for number in range(1, count + 1):
        image_id = 7 * number  # ids of COCO have gaps as well
        image, found = _drawn(number, sizes, random)
        file_name = f"{image_id:012d}.jpg"
        image.save(directory / split / file_name, quality=95)
        images.append({
            "license": 1, "file_name": file_name, "coco_url": "", "height": image.height, "width": image.width,
            "date_captured": "2017-09-01 00:00:00", "flickr_url": "", "id": image_id,
        })
        for annotation in found:
            objects.append({**annotation, "image_id": image_id, "id": len(objects) + 1})
    told = {
        "info": {"description": "Drawn shapes in the format of COCO 2017", "url": "", "version": "1.0", "year": 2017,
                 "contributor": "prengdl", "date_created": "2017/09/01"},
        "licenses": [{"url": "", "id": 1, "name": "Apache-2.0"}],
        "images": images,
        "annotations": objects,
        "categories": [{"supercategory": "shape", "id": key, "name": shape}
                       for key, (shape, _) in CATEGORIES.items()],
    }
    file = annotations(directory, split)
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(told))


def _drawn(number: int, sizes: Sizes, random: np.random.Generator) -> tuple[Image.Image, list[dict]]:
    long, short = sizes.side, sizes.side * 3 // 4
    width, height = [(long, short), (short, long), (long, long)][random.integers(3)]
    image = _background(width, height, random)
    found, taken = [], []
    if number % EMPTY_EVERY == 0:
        return image, found
    draw = ImageDraw.Draw(image)
    if number % CROWD_EVERY == 0:
        found.append(_crowd(draw, width, height, taken, random))
    for _ in range(random.integers(1, sizes.most_objects + 1)):
        category = int(random.choice(list(CATEGORIES)))
        half = random.uniform(0.1, 0.25, 2) * short
        middle = _free(half, width, height, taken, random)
        if middle is None:
            continue
        polygon = _polygon(CATEGORIES[category][0], middle, half)
        draw.polygon([tuple(point) for point in polygon], fill=_colour(category, random))
        flat = [[round(float(value), 2) for value in polygon.reshape(-1)]]
        area = float(rle.area(rle.merge(rle.frPyObjects(flat, height, width))))
        found.append({"segmentation": flat, "area": area, "iscrowd": 0, "bbox": _box(polygon),
                      "category_id": category})
    return image, found


def _background(width: int, height: int, random: np.random.Generator) -> Image.Image:
    coarse = random.integers(90, 170, (4, 4, 3)).astype(np.uint8)
    smooth = np.asarray(Image.fromarray(coarse).resize((width, height), Image.Resampling.BILINEAR), np.float32)
    grainy = smooth + random.normal(0, 6, smooth.shape)
    return Image.fromarray(np.clip(grainy, 0, 255).astype(np.uint8))


def _free(half, width: int, height: int, taken: list, random: np.random.Generator):
    """A middle where a shape of this half size covers no other, or None; the place is taken then."""
    for _ in range(20):
        middle = random.uniform(half + 1, np.array([width, height]) - half - 1)
        if all((np.abs(middle - other) > half + other_half).any() for other, other_half in taken):
            taken.append((middle, half))
            return middle
    return None


def _polygon(shape: str, middle, half) -> np.ndarray:
    """(corners, 2): x and y."""
    unit: list[tuple[float, float]]
    if shape == "rectangle":
        unit = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    elif shape == "triangle":
        unit = [(0, -1), (1, 1), (-1, 1)]
    else:
        unit = [(math.cos(angle), math.sin(angle)) for angle in np.linspace(0, 2 * math.pi, 24, endpoint=False)]
    return middle + np.array(unit) * half


def _crowd(draw: ImageDraw.ImageDraw, width: int, height: int, taken: list, random: np.random.Generator) -> dict:
    """Many small shapes that nobody marked one by one: one annotation, its mask as run lengths."""
    half = np.array([width, height]) * 0.15
    middle = _free(half, width, height, taken, random)
    category = int(random.choice(list(CATEGORIES)))
    covered = Image.new("L", (width, height))
    on_mask = ImageDraw.Draw(covered)
    for place in random.uniform(middle - half * 0.8, middle + half * 0.8, (8, 2)):
        polygon = [tuple(point) for point in _polygon(CATEGORIES[category][0], place, half * 0.15)]
        draw.polygon(polygon, fill=_colour(category, random))
        on_mask.polygon(polygon, fill=1)
    mask = np.asfortranarray(np.asarray(covered))
    return {"segmentation": {"counts": _run_lengths(mask), "size": [height, width]}, "area": float(mask.sum()),
            "iscrowd": 1, "bbox": [float(value) for value in rle.toBbox(rle.encode(mask))], "category_id": category}


def _run_lengths(mask: np.ndarray) -> list[int]:
    """COCO's uncompressed RLE: down the columns, alternately outside and inside, outside first."""
    flat = mask.reshape(-1, order="F")
    changes = np.flatnonzero(np.diff(flat)) + 1
    lengths = np.diff(np.concatenate([[0], changes, [flat.size]]))
    return [int(length) for length in ([0, *lengths] if flat[0] else lengths)]


def _box(polygon: np.ndarray) -> list[float]:
    low, high = polygon.min(axis=0), polygon.max(axis=0)
    return [round(float(value), 2) for value in (*low, *(high - low))]


def _colour(category: int, random: np.random.Generator) -> tuple[int, ...]:
    return tuple(int(value) for value in np.clip(CATEGORIES[category][1] + random.integers(-35, 36, 3), 0, 255))
