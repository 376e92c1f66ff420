# SPDX-License-Identifier: Apache-2.0
"""torchvision's ResNet, as resnet50 and itu23 use it."""

import functools
from collections.abc import Sequence

import numpy as np
import torch
from torchvision.models.resnet import Bottleneck, ResNet

from workloads.pytorch.common import load_arrays, tensor
from workloads.shared.resnet import NORM_EPSILON, NORM_MOMENTUM

Colours = tuple[float, float, float]


def resnet(blocks: Sequence[int], classes: int, norm_momentum: float = NORM_MOMENTUM) -> ResNet:
    """With blocks 3, 4, 6, 3 this is torchvision.models.resnet50(). PyTorch's momentum is the share of the new."""
    norm = functools.partial(torch.nn.BatchNorm2d, eps=NORM_EPSILON, momentum=1 - norm_momentum)
    return ResNet(Bottleneck, list(blocks), num_classes=classes, norm_layer=norm)


def pixels(images: np.ndarray, device: torch.device, mean: Colours, deviation: Colours) -> torch.Tensor:
    """Bytes, colours last, as the shared code gives them: to the device, colours first, scaled."""
    batch = tensor(images, device).permute(0, 3, 1, 2).contiguous().float().div_(255)
    by_colour = [torch.tensor(values, device=device).view(1, 3, 1, 1) for values in (mean, deviation)]
    return batch.sub_(by_colour[0]).div_(by_colour[1])


def load_canonical(model: ResNet, weights: dict[str, np.ndarray]):
    load_arrays(model, weights)
