# SPDX-License-Identifier: Apache-2.0
"""Mask R-CNN in PyTorch: torchvision's, with a ResNet and a feature pyramid of the plan's sizes."""

import numpy as np
import torch
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.backbone_utils import BackboneWithFPN
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor, TwoMLPHead
from torchvision.models.detection.mask_rcnn import MaskRCNN, MaskRCNNHeads, MaskRCNNPredictor
from torchvision.ops import MultiScaleRoIAlign

from workloads.pytorch import detection
from workloads.pytorch.common import load_arrays as load_canonical
from workloads.pytorch.common import parameters
from workloads.pytorch.resnet import resnet
from workloads.shared import mask_rcnn as shared
from workloads.shared.detection import DEVIATION, MEAN
from workloads.shared.job import Job

__all__ = ["build", "forward", "infer", "load_canonical", "parameters", "train"]

LEVELS = ["0", "1", "2", "3"]  # of the pyramid, from which boxes are pooled; a fifth gives only proposals


LOSSES = ("loss_objectness", "loss_rpn_box_reg", "loss_classifier", "loss_box_reg", "loss_mask")


def build(plan: shared.Plan) -> MaskRCNN:
    body = resnet(plan.blocks, classes=1)
    channels = [body.inplanes // 2**fall for fall in (3, 2, 1, 0)]
    pyramid = BackboneWithFPN(body, {f"layer{number + 1}": name for number, name in enumerate(LEVELS)}, channels,
                              plan.pyramid_channels)
    size = plan.image_size
    return MaskRCNN(
        pyramid,
        # Images come in this size; torchvision must not bring them to another.
        min_size=size, max_size=size, fixed_size=(size, size), image_mean=list(MEAN), image_std=list(DEVIATION),
        rpn_anchor_generator=AnchorGenerator(tuple((side,) for side in plan.anchor_sizes),
                                             (shared.ASPECT_RATIOS,) * len(plan.anchor_sizes)),
        rpn_pre_nms_top_n_train=plan.rpn_before_train, rpn_pre_nms_top_n_test=plan.rpn_before_test,
        rpn_post_nms_top_n_train=plan.rpn_after_train, rpn_post_nms_top_n_test=plan.rpn_after_test,
        rpn_nms_thresh=plan.rpn_nms_iou, rpn_fg_iou_thresh=plan.rpn_foreground_iou,
        rpn_bg_iou_thresh=plan.rpn_background_iou, rpn_batch_size_per_image=plan.rpn_samples,
        rpn_positive_fraction=plan.rpn_positive_fraction,
        box_roi_pool=pooler(plan, plan.pooled_box),
        box_head=TwoMLPHead(plan.pyramid_channels * plan.pooled_box**2, plan.box_features),
        box_predictor=FastRCNNPredictor(plan.box_features, plan.classes + 1),
        box_score_thresh=plan.score_threshold, box_nms_thresh=plan.nms_iou, box_detections_per_img=plan.detections,
        box_fg_iou_thresh=plan.box_iou, box_bg_iou_thresh=plan.box_iou, box_batch_size_per_image=plan.box_samples,
        box_positive_fraction=plan.box_positive_fraction,
        mask_roi_pool=pooler(plan, plan.pooled_mask),
        mask_head=MaskRCNNHeads(plan.pyramid_channels, plan.mask_channels, 1),
        mask_predictor=MaskRCNNPredictor(plan.mask_channels[-1], plan.mask_channels[-1], plan.classes + 1),
    )


def pooler(plan: shared.Plan, size: int) -> MultiScaleRoIAlign:
    return MultiScaleRoIAlign(LEVELS, size, sampling_ratio=2, canonical_scale=plan.canonical_scale)


def train(job: Job):
    detection.train(job, build, shared.qualities)


def infer(job: Job):
    detection.infer(job, build, shared.qualities)


@torch.no_grad()
def forward(model: MaskRCNN, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The detections, and the losses of training, which need every part of the model. No sample is left out, so that
    they do not depend on chance."""
    for part in (model.rpn, model.roi_heads):
        part.fg_bg_sampler.batch_size_per_image = shared.ALL
    device = torch.device("cpu")
    batch = detection.parity_batch(inputs)
    result = detection.parity_found(model, batch)
    model.train()
    losses = model(detection.images_of(batch, device), detection.targets_of(batch, device))
    return result | {"losses": np.array([losses[name] for name in LOSSES])}
