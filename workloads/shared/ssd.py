# SPDX-License-Identifier: Apache-2.0
"""SSD on COCO 2017: the settings that all frameworks share.

The study ran NVIDIA's SSD300 with a ResNet-50 cut after its third stage, whose first stride is taken away, and five
more blocks with batch normalisation. That is built here in both frameworks. Matching, mining and losses are those of
torchvision's SSD, which PyTorch users have.

Quality: `ap` is COCO's AP over IoU 0.5 to 0.95, `precision` is AP at IoU 0.5. With drawn shapes they say that training
works, nothing about SSD.
"""

import dataclasses

import numpy as np

from workloads.shared import detection, detection_parity
from workloads.shared.detection import prepare
from workloads.shared.detection_parity import parity_inputs

__all__ = ["PRESETS", "Plan", "aspect_ratios", "canonical_weights", "parity_inputs", "prepare", "qualities"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan(detection.Plan):
    extra_channels: tuple[int, ...]  # of the blocks after the ResNet
    extra_strides: tuple[int, ...]  # 2 with padding, 1 without
    ratios: tuple[int, ...]  # aspect ratios of each feature map besides 1: of 2; of 2 and 3
    scales: tuple[float, ...]  # of the default boxes, one more than feature maps
    box_steps: tuple[int, ...]  # pixels between default boxes
    match_iou: float = 0.5  # from here on: torchvision's SSD
    positive_fraction: float = 0.25
    score_threshold: float = 0.01
    nms_iou: float = 0.45
    candidates: int = 400  # of each class before suppression
    detections: int = 200


def aspect_ratios(plan: Plan) -> list[list[int]]:
    return [list(range(2, 2 + count)) for count in plan.ratios]


def qualities(data: detection.Data, results: list[dict]) -> dict[str, float]:
    ap, precision = data.precision(results, "bbox")
    return {"ap": ap, "precision": precision}


# 128 pixels give maps of 16, 8, 4, 2 and 1.
TINY = Plan(
    data="drawn", train_images=128, drawn_size=160, eval_images=24, classes=3, image_size=128, stretched=True,
    masks=False, blocks=(1, 1, 1), batch=4, epochs=3, steps=20, evaluates=True, eval_batch=4, warmup_batches=1,
    optimizer="sgd", learning_rate=3e-3, momentum=0.9, weight_decay=5e-4, warmup_steps=20, decay_epochs=(), readers=1,
    extra_channels=(128, 128, 64, 64), extra_strides=(2, 2, 2, 2), ratios=(1, 2, 2, 1, 1),
    scales=(0.15, 0.3, 0.45, 0.6, 0.8, 1.0), box_steps=(8, 16, 32, 64, 128), candidates=100, detections=50,
)

PRESETS = {
    "tiny": TINY,
    "laptop": dataclasses.replace(
        TINY, train_images=512, drawn_size=320, eval_images=64, image_size=256, blocks=(2, 2, 2), batch=8, epochs=4,
        steps=0, eval_batch=8, extra_channels=(256, 256, 128, 128, 128), extra_strides=(2, 2, 2, 2, 2),
        ratios=(1, 2, 2, 2, 1, 1), scales=(0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 1.0), box_steps=(8, 16, 32, 64, 128, 256),
        candidates=400, detections=200,
    ),
    # Architecture, boxes, batch and the optimiser are the defaults of NVIDIA's SSD for PyTorch, which the study ran;
    # its profile of inference shows 155 batches of 32. Its epochs are not published: NVIDIA's are 65, falling after 43
    # and 54; one is ours. Ours too: mirroring as the only augmentation, weights from scratch, the rise of the rate.
    "paper": dataclasses.replace(
        TINY, data="coco2017", train_images=0, drawn_size=0, eval_images=0, classes=80, image_size=300,
        blocks=(3, 4, 6), batch=32, epochs=1, steps=0, evaluates=False, eval_batch=32, warmup_batches=2,
        learning_rate=2.6e-3, warmup_steps=300, decay_epochs=(43, 54), readers=8,
        extra_channels=(512, 512, 256, 256, 256), extra_strides=(2, 2, 2, 1, 1), ratios=(1, 2, 2, 2, 1, 1),
        scales=(0.07, 0.15, 0.33, 0.51, 0.69, 0.87, 1.05), box_steps=(8, 16, 32, 64, 100, 300), candidates=400,
        detections=200,
    ),
}


def shapes(plan: Plan) -> dict[str, tuple[int, ...]]:
    """Every array by the name that the PyTorch model gives it; convolutions are outputs x inputs x height x width."""
    result = detection_parity.body_shapes(plan.blocks, "backbone.body.")
    channels = [256 * 2 ** (len(plan.blocks) - 1), *plan.extra_channels]
    for number, (inputs, outputs) in enumerate(zip(channels, channels[1:])):
        name = f"backbone.extra.{number}"
        result[f"{name}.0.weight"] = (outputs // 2, inputs, 1, 1)
        result |= detection_parity.norm_shapes(f"{name}.1", outputs // 2)
        result[f"{name}.3.weight"] = (outputs, outputs // 2, 3, 3)
        result |= detection_parity.norm_shapes(f"{name}.4", outputs)
    for number, (inputs, ratios) in enumerate(zip(channels, plan.ratios)):
        for head, columns in (("classification", plan.classes + 1), ("regression", 4)):
            name = f"head.{head}_head.module_list.{number}"
            outputs = (2 + 2 * ratios) * columns
            result |= {f"{name}.weight": (outputs, inputs, 3, 3), f"{name}.bias": (outputs,)}
    return result


def canonical_weights(plan: Plan, seed: int) -> dict[str, np.ndarray]:
    return detection_parity.canonical_weights(shapes(plan), seed)
