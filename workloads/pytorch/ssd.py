# SPDX-License-Identifier: Apache-2.0
"""SSD in PyTorch: torchvision's SSD around a ResNet and a few more blocks."""

from collections import OrderedDict

import numpy as np
import torch
from torch import nn
from torchvision.models.detection.anchor_utils import DefaultBoxGenerator
from torchvision.models.detection.ssd import SSD
from torchvision.ops import box_iou

from workloads.pytorch import detection
from workloads.pytorch.common import load_arrays as load_canonical
from workloads.pytorch.common import parameters
from workloads.pytorch.resnet import resnet
from workloads.shared import ssd as shared
from workloads.shared.detection import DEVIATION, MEAN
from workloads.shared.job import Job

__all__ = ["build", "forward", "infer", "load_canonical", "parameters", "train"]


class Backbone(nn.Module):
    """The feature maps: of a ResNet without its last stage, and of each block after it."""

    def __init__(self, plan: shared.Plan):
        super().__init__()
        whole = resnet([*plan.blocks, 1], classes=1)
        first = whole.layer3[0]
        # The third stage keeps the size of the second: 38 of 300 pixels instead of 19.
        first.conv1.stride = first.conv2.stride = first.downsample[0].stride = (1, 1)
        self.body = nn.Sequential(OrderedDict(
            (name, getattr(whole, name))
            for name in ("conv1", "bn1", "relu", "maxpool", "layer1", "layer2", "layer3")
        ))
        channels = first.downsample[0].out_channels
        self.out_channels = [channels, *plan.extra_channels]
        self.extra = nn.ModuleList()
        for out_channels, stride in zip(plan.extra_channels, plan.extra_strides):
            self.extra.append(extra_block(channels, out_channels, stride))
            channels = out_channels

    def forward(self, images: torch.Tensor) -> dict[str, torch.Tensor]:
        maps = [self.body(images)]
        for block in self.extra:
            maps.append(block(maps[-1]))
        return OrderedDict((str(number), features) for number, features in enumerate(maps))


def extra_block(channels: int, out_channels: int, stride: int) -> nn.Sequential:
    block = nn.Sequential(
        nn.Conv2d(channels, out_channels // 2, kernel_size=1, bias=False),
        nn.BatchNorm2d(out_channels // 2),
        nn.ReLU(inplace=True),
        nn.Conv2d(out_channels // 2, out_channels, kernel_size=3, stride=stride, padding=stride - 1, bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(inplace=True),
    )
    for layer in block:
        if isinstance(layer, nn.Conv2d):
            nn.init.xavier_uniform_(layer.weight)
    return block


def build(plan: shared.Plan) -> SSD:
    boxes = DefaultBoxGenerator(shared.aspect_ratios(plan), scales=list(plan.scales), steps=list(plan.box_steps))
    return SSD(
        Backbone(plan), boxes, (plan.image_size, plan.image_size), plan.classes + 1, image_mean=list(MEAN),
        image_std=list(DEVIATION), score_thresh=plan.score_threshold, nms_thresh=plan.nms_iou,
        detections_per_img=plan.detections, iou_thresh=plan.match_iou, topk_candidates=plan.candidates,
        positive_fraction=plan.positive_fraction,
    )


def train(job: Job):
    detection.train(job, build, shared.qualities)


def infer(job: Job):
    detection.infer(job, build, shared.qualities)


@torch.no_grad()
def forward(model: SSD, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The detections, and what leads to them; and the losses of training with the running statistics."""
    device = torch.device("cpu")
    batch = detection.parity_batch(inputs)
    result = detection.parity_found(model, batch)
    images, targets = model.transform(detection.images_of(batch, device), detection.targets_of(batch, device))
    features = list(model.backbone(images.tensors).values())
    outputs, boxes = model.head(features), model.anchor_generator(images, features)
    matches = [model.proposal_matcher(box_iou(target["boxes"], own)) for target, own in zip(targets, boxes)]
    losses = model.compute_loss(targets, outputs, boxes, matches)
    return result | {
        "default_boxes": boxes[0].numpy(), "codes": outputs["bbox_regression"].numpy(),
        "logits": outputs["cls_logits"].numpy(),
        "losses": np.array([losses["bbox_regression"], losses["classification"]]),
    }
