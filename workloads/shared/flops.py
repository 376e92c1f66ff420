# SPDX-License-Identifier: Apache-2.0
"""Floating-point operations of one sample on its way forward, counted from the architecture.

Two for each multiply-add of convolutions and matrix products, as PyTorch's FlopCounterMode counts; norms, activations
and look-ups are left out. A model whose shared file has `forward_flops(plan)` emits it as a fact.
"""

from collections.abc import Sequence


def dense(inputs: int, outputs: int) -> int:
    return 2 * inputs * outputs


class Picture:
    """A picture of `channels` on its way through convolutions, each padded by half its kernel."""

    def __init__(self, size: int, channels: int = 3):
        self.size, self.channels, self.flops = size, channels, 0

    def convolution(self, channels: int, kernel: int, stride: int = 1, depthwise: bool = False, moves_on: bool = True):
        size = -(-self.size // stride)
        self.flops += 2 * size * size * channels * kernel * kernel * (1 if depthwise else self.channels)
        if moves_on:
            self.size, self.channels = size, channels

    def pool(self, stride: int):
        self.size = -(-self.size // stride)


def resnet(blocks: Sequence[int], classes: int, image: int) -> int:
    """The bottleneck ResNet v1.5."""
    picture = Picture(image)
    picture.convolution(64, 7, 2)
    picture.pool(2)
    for stage, count in enumerate(blocks):
        width = 64 * 2**stage
        for index in range(count):
            stride = 2 if stage and not index else 1
            if not index:
                picture.convolution(4 * width, 1, stride, moves_on=False)  # the shortcut
            picture.convolution(width, 1)
            picture.convolution(width, 3, stride)
            picture.convolution(4 * width, 1)
    return picture.flops + dense(picture.channels, classes)


def mobilenet_v2(stages: Sequence[tuple[int, int, int]], repeats: Sequence[int], classes: int, image: int) -> int:
    picture = Picture(image)
    picture.convolution(32, 3, 2)
    for (expansion, channels, first_stride), count in zip(stages, repeats):
        for repeat in range(count):
            if expansion != 1:
                picture.convolution(expansion * picture.channels, 1)
            picture.convolution(picture.channels, 3, 1 if repeat else first_stride, depthwise=True)
            picture.convolution(channels, 1)
    picture.convolution(1280, 1)
    return picture.flops + dense(1280, classes)


def bert(layers: int, hidden: int, intermediate: int, sequence: int) -> int:
    """Encoder and pooler; a sample is a sequence."""
    of_a_token = 4 * dense(hidden, hidden) + 2 * dense(hidden, intermediate) + 2 * dense(hidden, sequence)
    return layers * sequence * of_a_token + dense(hidden, hidden)
