# SPDX-License-Identifier: Apache-2.0
"""By what SSD and Mask R-CNN are compared between frameworks: seeded weights and a small batch."""

import numpy as np

from workloads.shared import detection, resnet


def body_shapes(blocks: tuple[int, ...], prefix: str) -> dict[str, tuple[int, ...]]:
    """Of a ResNet without its classifier."""
    return {prefix + name: shape for name, shape in resnet.shapes(blocks, 1).items() if not name.startswith("fc.")}


def norm_shapes(name: str, channels: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.{part}": (channels,) for part in ("weight", "bias", "running_mean", "running_var")}


def canonical_weights(shapes: dict[str, tuple[int, ...]], seed: int) -> dict[str, np.ndarray]:
    """Seeded weights. Those that predict are small: boxes are their exponential, and scores of 1 have no order to
    compare. Their sums are 0, because features are never negative and one class would win everywhere."""
    generator = np.random.default_rng(seed)
    weights = {}
    for name, shape in shapes.items():
        if name.endswith("running_var") or (len(shape) == 1 and name.endswith("weight")):
            array = generator.uniform(0.5, 1.5, shape)
        elif len(shape) == 1:
            array = generator.normal(0, 0.1, shape)
        else:
            predicts = any(part in name for part in ("bbox_pred", "cls_", "regression_head", "classification_head"))
            array = generator.normal(0, np.sqrt((0.02 if predicts else 2) / np.prod(shape[1:])), shape)
            if predicts:
                array -= array.mean(axis=tuple(range(1, array.ndim)), keepdims=True)
        weights[name] = array.astype(np.float32)
    return weights


def parity_inputs(plan: detection.Plan, seed: int) -> dict[str, np.ndarray]:
    """A batch of two noisy images with two ellipses each, in the form of detection.Batch."""
    generator = np.random.default_rng([seed, 1])
    size, objects = plan.image_size, 2
    images = generator.integers(60, 120, (2, size, size, 3))
    low = generator.uniform(0.02, 0.45, (2, objects, 2))
    boxes = np.concatenate([low, low + generator.uniform(0.25, 0.4, (2, objects, 2))], axis=2) * size
    labels = generator.integers(1, plan.classes + 1, (2, objects))
    y, x = np.mgrid[:size, :size] + 0.5
    masks = np.zeros((2, objects if plan.masks else 0, size, size), np.uint8)
    for image, number in np.ndindex(2, objects):
        left, top, right, bottom = boxes[image, number]
        inside = ((2 * x - left - right) / (right - left)) ** 2 + ((2 * y - top - bottom) / (bottom - top)) ** 2 < 1
        images[image][inside] += 40 * generator.integers(0, 4, 3)
        if plan.masks:
            masks[image, number] = inside
    return {"images": images.clip(0, 255).astype(np.uint8), "boxes": boxes.astype(np.float32),
            "labels": labels.astype(np.int64), "masks": masks}
