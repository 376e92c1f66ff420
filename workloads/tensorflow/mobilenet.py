# SPDX-License-Identifier: Apache-2.0
"""MobileNetV2 in Keras, layer by layer the one of torchvision: keras.applications has another epsilon and pads
strided convolutions at the end only. Layers have torchvision's names, so weights can be moved."""

from collections.abc import Sequence

import keras
import numpy as np
from keras import layers

from workloads.shared.reference_networks import BATCH_NORM_EPSILON, INVERTED_RESIDUALS


def mobilenet_v2(repeats: Sequence[int], classes: int, image: int) -> keras.Model:
    """Takes scaled pixels, batch x image x image x 3, and gives a logit per class."""
    inputs = keras.Input((image, image, 3), name="images")
    hidden = activated(convolution(inputs, "features.0.0", 32, 3, 2), "features.0.1")
    number = 1
    for (expansion, channels, first_stride), count in zip(INVERTED_RESIDUALS, repeats):
        for index in range(count):
            stride = first_stride if index == 0 else 1
            hidden = inverted_residual(hidden, f"features.{number}.conv", expansion, channels, stride)
            number += 1
    hidden = activated(convolution(hidden, f"features.{number}.0", 1280, 1), f"features.{number}.1")
    hidden = layers.GlobalAveragePooling2D()(hidden)
    return keras.Model(inputs, layers.Dense(classes, name="classifier.1")(hidden), name="mobilenet_v2")


def inverted_residual(inputs, name: str, expansion: int, channels: int, stride: int):
    hidden, part = inputs, 0
    if expansion != 1:
        hidden = activated(convolution(hidden, f"{name}.0.0", expansion * inputs.shape[-1], 1), f"{name}.0.1")
        part = 1
    hidden = activated(depthwise(hidden, f"{name}.{part}.0", stride), f"{name}.{part}.1")
    hidden = normalised(convolution(hidden, f"{name}.{part + 1}", channels, 1), f"{name}.{part + 2}")
    if stride == 1 and inputs.shape[-1] == channels:
        return layers.Add()([inputs, hidden])
    return hidden


def convolution(inputs, name: str, filters: int, size: int, stride: int = 1):
    inputs, padding = bordered(inputs, size, stride)
    return layers.Conv2D(filters, size, stride, padding=padding, use_bias=False, name=name)(inputs)


def depthwise(inputs, name: str, stride: int):
    inputs, padding = bordered(inputs, 3, stride)
    return layers.DepthwiseConv2D(3, stride, padding=padding, use_bias=False, name=name)(inputs)


def bordered(inputs, size: int, stride: int):
    """With a stride Keras' "same" pads at the end only, PyTorch on both sides: there the border is explicit."""
    if stride == 1:
        return inputs, "same"
    return layers.ZeroPadding2D(size // 2)(inputs), "valid"


def normalised(inputs, name: str):
    return layers.BatchNormalization(epsilon=BATCH_NORM_EPSILON, name=name)(inputs)


def activated(inputs, norm: str):
    return layers.ReLU(6.0)(normalised(inputs, norm))


def load_canonical(model: keras.Model, weights: dict[str, np.ndarray]):
    """Kernels are height x width x inputs x outputs, depthwise ones height x width x channels x 1, dense ones
    inputs x outputs."""
    for name in sorted({name.rsplit(".", 1)[0] for name in weights}):
        layer = model.get_layer(name)
        if isinstance(layer, layers.DepthwiseConv2D):
            layer.set_weights([weights[f"{name}.weight"].transpose(2, 3, 0, 1)])
        elif isinstance(layer, layers.Conv2D):
            layer.set_weights([weights[f"{name}.weight"].transpose(2, 3, 1, 0)])
        elif isinstance(layer, layers.Dense):
            layer.set_weights([weights[f"{name}.weight"].T, weights[f"{name}.bias"]])
        else:
            layer.set_weights([weights[f"{name}.{part}"] for part in ("weight", "bias", "running_mean", "running_var")])
