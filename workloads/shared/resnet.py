# SPDX-License-Identifier: Apache-2.0
"""The bottleneck ResNet v1.5 that resnet50 and itu23 share: its weights by the names that torchvision gives them.

v1.5: the stride is in the 3x3 convolution of a block, not in the first 1x1. Convolutions have no bias.
"""

from collections.abc import Sequence

import numpy as np

DEPTHS = {"resnet50": (3, 4, 6, 3), "resnet101": (3, 4, 23, 3), "resnet152": (3, 8, 36, 3)}  # He et al. 2015
NORM_MOMENTUM = 0.9  # of the running statistics (torchvision's 0.1, which counts the other way round)
NORM_EPSILON = 1e-5


def shapes(blocks: Sequence[int], classes: int) -> dict[str, tuple[int, ...]]:
    """Every array of the model; convolutions are outputs x inputs x height x width."""
    result = {}

    def convolution(name, outputs, inputs, size):
        result[f"{name}.weight"] = (outputs, inputs, size, size)

    def norm(name, channels):
        for part in ("weight", "bias", "running_mean", "running_var"):
            result[f"{name}.{part}"] = (channels,)

    convolution("conv1", 64, 3, 7)
    norm("bn1", 64)
    inputs = 64
    for stage, count in enumerate(blocks):
        width = 64 * 2**stage
        for index in range(count):
            name = f"layer{stage + 1}.{index}"
            convolution(f"{name}.conv1", width, inputs, 1)
            norm(f"{name}.bn1", width)
            convolution(f"{name}.conv2", width, width, 3)
            norm(f"{name}.bn2", width)
            convolution(f"{name}.conv3", 4 * width, width, 1)
            norm(f"{name}.bn3", 4 * width)
            if index == 0:
                convolution(f"{name}.downsample.0", 4 * width, inputs, 1)
                norm(f"{name}.downsample.1", 4 * width)
            inputs = 4 * width
    result["fc.weight"] = (classes, inputs)
    result["fc.bias"] = (classes,)
    return result


def canonical_weights(blocks: Sequence[int], classes: int, seed: int) -> dict[str, np.ndarray]:
    """Seeded weights with running statistics that are not those of a fresh model, so that they are compared too."""
    generator = np.random.default_rng(seed)
    weights = {}
    for name, shape in shapes(blocks, classes).items():
        if name.endswith("running_var") or (len(shape) == 1 and name.endswith("weight")):
            array = generator.uniform(0.5, 1.5, shape)
        elif len(shape) == 1:
            array = generator.normal(0, 0.1, shape)
        else:
            array = generator.normal(0, np.sqrt(2 / np.prod(shape[1:])), shape)
        weights[name] = array.astype(np.float32)
    return weights
