# SPDX-License-Identifier: Apache-2.0
"""Mask R-CNN with a feature pyramid on COCO 2017: the settings that all frameworks share, those of torchvision's
MaskRCNN where nothing else is said.

Images are fitted into a square, so that every batch has one shape; torchvision alone would pad each batch to its
largest image. Quality: `ap` of the boxes and `mask_ap` of the masks, COCO's AP over IoU 0.5 to 0.95. With the drawn
shapes of tiny they say that training works, nothing about Mask R-CNN.
"""

import dataclasses

import numpy as np

from workloads.shared import detection, detection_parity
from workloads.shared.detection import prepare
from workloads.shared.detection_parity import parity_inputs

__all__ = ["PRESETS", "Plan", "canonical_weights", "parity_inputs", "prepare", "qualities"]

ASPECT_RATIOS = (0.5, 1.0, 2.0)
ALL = 10**6  # samples: more than there are


@dataclasses.dataclass(frozen=True, kw_only=True)
class Plan(detection.Plan):
    pyramid_channels: int
    anchor_sizes: tuple[int, ...]  # of each of the five levels
    pooled_box: int = 7
    pooled_mask: int = 14
    canonical_scale: int  # pixels of a box that is pooled from the third level
    box_features: int
    mask_channels: tuple[int, ...]
    rpn_before_train: int  # proposals of a level before suppression
    rpn_before_test: int
    rpn_after_train: int  # of an image after it
    rpn_after_test: int
    rpn_samples: int  # anchors of an image in the loss
    box_samples: int  # proposals of an image in the loss
    rpn_positive_fraction: float = 0.5
    rpn_foreground_iou: float = 0.7
    rpn_background_iou: float = 0.3
    rpn_nms_iou: float = 0.7
    box_positive_fraction: float = 0.25
    box_iou: float = 0.5
    score_threshold: float = 0.05
    nms_iou: float = 0.5
    detections: int


def qualities(data: detection.Data, results: list[dict]) -> dict[str, float]:
    return {"ap": data.precision(results, "bbox")[0], "mask_ap": data.precision(results, "segm")[0]}


TINY = Plan(
    data="drawn", train_images=96, drawn_size=160, eval_images=16, classes=3, image_size=128, stretched=False,
    masks=True, blocks=(1, 1, 1, 1), batch=2, epochs=3, steps=24, evaluates=True, eval_batch=2, warmup_batches=1,
    optimizer="sgd", learning_rate=3e-3, momentum=0.9, weight_decay=1e-4, warmup_steps=10, decay_epochs=(), readers=1,
    pyramid_channels=64, anchor_sizes=(8, 16, 32, 64, 128), canonical_scale=64, box_features=128,
    mask_channels=(64, 64), rpn_before_train=200, rpn_before_test=100, rpn_after_train=100, rpn_after_test=50,
    rpn_samples=128, box_samples=32, detections=10,
)

PRESETS = {
    "tiny": TINY,
    "laptop": dataclasses.replace(
        TINY, train_images=256, drawn_size=320, eval_images=48, image_size=256, blocks=(2, 2, 2, 2), epochs=4, steps=0,
        pyramid_channels=128, anchor_sizes=(16, 32, 64, 128, 256), canonical_scale=112, box_features=256,
        mask_channels=(128, 128, 128, 128), rpn_before_train=1000, rpn_before_test=500, rpn_after_train=500,
        rpn_after_test=250, rpn_samples=256, box_samples=128, detections=50,
    ),
    # Sizes of the network, proposals and samples: torchvision's defaults, which are those of maskrcnn-benchmark and so
    # of NVIDIA's Mask R-CNN for PyTorch, which the study ran. 1000 steps of 4 images without evaluation: the study's
    # profile of PyTorch's training (1000 backward passes, 20000 suppressions for 5 levels; TensorFlow's has 1004
    # executions). Learning rate and weight decay: NVIDIA's configuration for one GPU and 4 images. Ours: the square of
    # 1024 (theirs: shorter side 800, longer at most 1333), weights from scratch with batch normalisation that learns
    # (theirs begin from ImageNet and are frozen), the readers.
    "paper": dataclasses.replace(
        TINY, data="coco2017", train_images=0, drawn_size=0, eval_images=0, classes=80, image_size=1024,
        blocks=(3, 4, 6, 3), batch=4, epochs=1, steps=1000, evaluates=False, eval_batch=4, warmup_batches=2,
        learning_rate=5e-3, warmup_steps=500, readers=8, pyramid_channels=256, anchor_sizes=(32, 64, 128, 256, 512),
        canonical_scale=224, box_features=1024, mask_channels=(256, 256, 256, 256), rpn_before_train=2000,
        rpn_before_test=1000, rpn_after_train=2000, rpn_after_test=1000, rpn_samples=256, box_samples=512,
        detections=100,
    ),
}


def shapes(plan: Plan) -> dict[str, tuple[int, ...]]:
    """Every array by its name in torchvision. Convolutions are outputs x inputs x height x width. The one that enlarges
    the masks is inputs x outputs x height x width, as in PyTorch."""
    result = detection_parity.body_shapes(plan.blocks, "backbone.body.")
    channels, anchors, classes = plan.pyramid_channels, len(ASPECT_RATIOS), plan.classes + 1

    def layer(name: str, *shape: int, biases: int = 0):
        result[f"{name}.weight"] = shape
        result[f"{name}.bias"] = (biases or shape[0],)

    for level in range(len(plan.blocks)):
        layer(f"backbone.fpn.inner_blocks.{level}.0", channels, 256 * 2**level, 1, 1)
        layer(f"backbone.fpn.layer_blocks.{level}.0", channels, channels, 3, 3)
    layer("rpn.head.conv.0.0", channels, channels, 3, 3)
    layer("rpn.head.cls_logits", anchors, channels, 1, 1)
    layer("rpn.head.bbox_pred", 4 * anchors, channels, 1, 1)
    layer("roi_heads.box_head.fc6", plan.box_features, channels * plan.pooled_box**2)
    layer("roi_heads.box_head.fc7", plan.box_features, plan.box_features)
    layer("roi_heads.box_predictor.cls_score", classes, plan.box_features)
    layer("roi_heads.box_predictor.bbox_pred", 4 * classes, plan.box_features)
    inputs = channels
    for number, outputs in enumerate(plan.mask_channels):
        layer(f"roi_heads.mask_head.{number}.0", outputs, inputs, 3, 3)
        inputs = outputs
    layer("roi_heads.mask_predictor.conv5_mask", inputs, inputs, 2, 2, biases=inputs)
    layer("roi_heads.mask_predictor.mask_fcn_logits", classes, inputs, 1, 1)
    return result


def canonical_weights(plan: Plan, seed: int) -> dict[str, np.ndarray]:
    return detection_parity.canonical_weights(shapes(plan), seed)
