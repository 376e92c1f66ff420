# SPDX-License-Identifier: Apache-2.0
"""The bottleneck ResNet v1.5 in Keras, layer by layer the one of torchvision: keras.applications has v1, with biases
in the convolutions and another epsilon. Layers have torchvision's names, so weights can be moved."""

from collections.abc import Sequence

import keras
import numpy as np
import tensorflow as tf
from keras import initializers, layers

from workloads.shared.resnet import NORM_EPSILON, NORM_MOMENTUM

Colours = tuple[float, float, float]


def resnet(blocks: Sequence[int], classes: int, image: int, norm_momentum: float = NORM_MOMENTUM) -> keras.Model:
    """Takes scaled pixels, batch x image x image x 3, and gives a logit per class."""
    inputs = keras.Input((image, image, 3))
    hidden = normalised(inputs, "conv1", "bn1", 64, 7, norm_momentum, stride=2)
    hidden = layers.ReLU()(hidden)
    hidden = layers.ZeroPadding2D(1)(hidden)  # nothing is below zero here: a border of zeros is never the largest
    hidden = layers.MaxPooling2D(3, 2)(hidden)
    for stage, count in enumerate(blocks):
        for index in range(count):
            stride = 2 if stage > 0 and index == 0 else 1
            hidden = bottleneck(hidden, f"layer{stage + 1}.{index}", 64 * 2**stage, stride, norm_momentum,
                                shortcut=index == 0)
    hidden = layers.GlobalAveragePooling2D()(hidden)
    # As PyTorch's linear layer: kernel and bias uniform within 1 / sqrt(inputs).
    limit = hidden.shape[-1] ** -0.5
    uniform = initializers.RandomUniform
    logits = layers.Dense(classes, kernel_initializer=uniform(-limit, limit), bias_initializer=uniform(-limit, limit),
                          name="fc")(hidden)
    return keras.Model(inputs, logits, name="resnet")


def bottleneck(inputs, name: str, width: int, stride: int, momentum: float, shortcut: bool):
    hidden = layers.ReLU()(normalised(inputs, f"{name}.conv1", f"{name}.bn1", width, 1, momentum))
    hidden = layers.ReLU()(normalised(hidden, f"{name}.conv2", f"{name}.bn2", width, 3, momentum, stride))
    hidden = normalised(hidden, f"{name}.conv3", f"{name}.bn3", 4 * width, 1, momentum)
    if shortcut:
        inputs = normalised(inputs, f"{name}.downsample.0", f"{name}.downsample.1", 4 * width, 1, momentum, stride)
    return layers.ReLU()(layers.Add()([hidden, inputs]))


def normalised(inputs, name: str, norm: str, filters: int, size: int, momentum: float, stride: int = 1):
    """A convolution and its batch normalisation. With a stride Keras' "same" may pad at the end only, PyTorch pads on
    both sides: there the border is explicit."""
    if stride > 1 and size > 1:
        inputs = layers.ZeroPadding2D(size // 2)(inputs)
    padding = "valid" if stride > 1 else "same"
    initializer = initializers.VarianceScaling(2.0, mode="fan_out", distribution="untruncated_normal")
    hidden = layers.Conv2D(filters, size, stride, padding=padding, use_bias=False, kernel_initializer=initializer,
                           name=name)(inputs)
    return layers.BatchNormalization(momentum=momentum, epsilon=NORM_EPSILON, name=norm)(hidden)


def pixels(images, mean: Colours, deviation: Colours):
    """Bytes as the shared code gives them, scaled."""
    return (tf.cast(images, tf.float32) / 255 - tf.constant(mean)) / tf.constant(deviation)


def load_canonical(model: keras.Model, weights: dict[str, np.ndarray]):
    """Convolutions are height x width x inputs x outputs here, dense kernels inputs x outputs."""
    for name in sorted({name.rsplit(".", 1)[0] for name in weights}):
        layer = model.get_layer(name)
        if isinstance(layer, layers.Conv2D):
            layer.set_weights([weights[f"{name}.weight"].transpose(2, 3, 1, 0)])
        elif isinstance(layer, layers.Dense):
            layer.set_weights([weights[f"{name}.weight"].T, weights[f"{name}.bias"]])
        else:
            layer.set_weights([weights[f"{name}.{part}"] for part in ("weight", "bias", "running_mean", "running_var")])
