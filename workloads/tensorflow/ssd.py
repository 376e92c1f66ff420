# SPDX-License-Identifier: Apache-2.0
"""SSD in TensorFlow, written in Keras: boxes, matching, mining and losses are those of torchvision's SSD."""

import math
from functools import partial

import keras
import numpy as np
import tensorflow as tf
from keras import layers

from workloads.shared import ssd as shared
from workloads.shared.job import Job
from workloads.shared.resnet import NORM_EPSILON, NORM_MOMENTUM
from workloads.tensorflow import boxes as box
from workloads.tensorflow import detection
from workloads.tensorflow.common import parameters
from workloads.tensorflow.detection import load_canonical, scaled, stages

__all__ = ["build", "forward", "infer", "load_canonical", "parameters", "train"]

WEIGHTS = (10.0, 5.0)  # of position and extent in the codes


class Ssd(detection.Detector):
    def __init__(self, plan: shared.Plan):
        super().__init__()
        self.plan = plan
        self.network, sides = network(plan)
        self.boxes = tf.constant(default_boxes(plan, sides))
        self.built = True

    def losses_of(self, images, boxes, labels, masks) -> dict[str, tf.Tensor]:
        codes, logits = self.network(scaled(images), training=True)
        return self.losses_from(codes, logits, boxes, labels)

    def losses_from(self, codes, logits, boxes, labels) -> dict[str, tf.Tensor]:
        valid = labels > 0
        match = box.matched_one_to_one(box.overlap(boxes, self.boxes[None]), valid, self.plan.match_iou)
        foreground = match >= 0
        index = tf.maximum(match, 0)
        targets = tf.where(foreground, tf.gather(labels, index, batch_dims=1), 0)
        number = tf.reduce_sum(tf.cast(foreground, tf.float32), axis=1)
        per_object = tf.maximum(tf.reduce_sum(number), 1.0)

        # Boxes that match nothing get their own codes, 0, and no weight: images without objects have no box to encode.
        own = tf.where(foreground[..., None], tf.gather(boxes, index, batch_dims=1), self.boxes[None])
        errors = box.smooth_l1(codes - box.encode(own, self.boxes[None], WEIGHTS))
        box_loss = tf.reduce_sum(tf.where(foreground[..., None], errors, 0.0))

        # Of the background only the worst count, three for each box with an object.
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
        of_background = tf.where(foreground, -np.inf, losses)
        rank = tf.argsort(tf.argsort(of_background, direction="DESCENDING"))
        ratio = (1 - self.plan.positive_fraction) / self.plan.positive_fraction
        counted = foreground | (tf.cast(rank, tf.float32) < ratio * number[:, None])
        class_loss = tf.reduce_sum(tf.where(counted, losses, 0.0))
        return {"boxes": box_loss / per_object, "classes": class_loss / per_object}

    def detect(self, images) -> dict[str, tf.Tensor]:
        plan = self.plan
        codes, logits = self.network(scaled(images), training=False)
        boxes = box.clipped(box.decode(codes, self.boxes[None], WEIGHTS), plan.image_size)
        scores = tf.transpose(tf.nn.softmax(logits)[..., 1:], [0, 2, 1])  # image, class, box
        best = tf.math.top_k(scores, min(plan.candidates, self.boxes.shape[0]))
        candidates = tf.gather(boxes, best.indices, batch_dims=1)  # image, class, candidate
        boxes, scores, classes, valid = box.suppressed(
            tf.transpose(candidates, [0, 2, 1, 3]), tf.transpose(best.values, [0, 2, 1]), plan.nms_iou,
            plan.detections, plan.score_threshold)
        return {"image": tf.where(valid)[:, 0], "box": boxes[valid], "score": scores[valid],
                "label": classes[valid] + 1}


def network(plan: shared.Plan) -> tuple[keras.Model, list[int]]:
    """Gives codes (batch, boxes, 4) and logits (batch, boxes, classes); and the sides of the feature maps."""
    inputs = keras.Input((plan.image_size, plan.image_size, 3))
    # The third stage keeps the size of the second: 38 of 300 pixels instead of 19.
    maps = [stages(inputs, plan.blocks, (1, 2, 1), "backbone.body.")[-1]]
    for number, (channels, stride) in enumerate(zip(plan.extra_channels, plan.extra_strides)):
        maps.append(extra_block(maps[-1], f"backbone.extra.{number}", channels, stride))
    codes, logits = [], []
    for number, (features, ratios) in enumerate(zip(maps, plan.ratios)):
        for outputs, head, columns in ((codes, "regression", 4), (logits, "classification", plan.classes + 1)):
            predict = layers.Conv2D((2 + 2 * ratios) * columns, 3, padding="same", kernel_initializer="glorot_uniform",
                                    name=f"head.{head}_head.module_list.{number}")
            outputs.append(layers.Reshape((-1, columns))(predict(features)))
    model = keras.Model(inputs, [layers.Concatenate(axis=1)(codes), layers.Concatenate(axis=1)(logits)])
    return model, [features.shape[1] for features in maps]


def extra_block(hidden, name: str, channels: int, stride: int):
    convolution = partial(layers.Conv2D, use_bias=False, kernel_initializer="glorot_uniform")
    norm = partial(layers.BatchNormalization, momentum=NORM_MOMENTUM, epsilon=NORM_EPSILON)
    hidden = convolution(channels // 2, 1, name=f"{name}.0")(hidden)
    hidden = layers.ReLU()(norm(name=f"{name}.1")(hidden))
    if stride == 2:
        hidden = layers.ZeroPadding2D(1)(hidden)
    hidden = convolution(channels, 3, stride, name=f"{name}.3")(hidden)
    return layers.ReLU()(norm(name=f"{name}.4")(hidden))


def default_boxes(plan: shared.Plan, sides: list[int]) -> np.ndarray:
    """(boxes, 4) in pixels: of each place of each map two squares, and two boxes for every aspect ratio."""
    boxes = []
    for number, (side, ratios) in enumerate(zip(sides, shared.aspect_ratios(plan))):
        scale, between = plan.scales[number], math.sqrt(plan.scales[number] * plan.scales[number + 1])
        extents = [(scale, scale), (between, between)]
        for ratio in ratios:
            wide, narrow = scale * math.sqrt(ratio), scale / math.sqrt(ratio)
            extents += [(wide, narrow), (narrow, wide)]
        extents = np.minimum(np.array(extents), 1)
        middles = (np.arange(side) + 0.5) * plan.box_steps[number] / plan.image_size
        y, x = (grid.reshape(-1, 1) for grid in np.meshgrid(middles, middles, indexing="ij"))
        middle = np.stack(np.broadcast_arrays(x, y), axis=-1)
        boxes.append(np.concatenate([middle - extents / 2, middle + extents / 2], axis=-1).reshape(-1, 4))
    return (np.concatenate(boxes) * plan.image_size).astype(np.float32)


def build(plan: shared.Plan) -> Ssd:
    return Ssd(plan)


def train(job: Job):
    detection.train(job, build, shared.qualities)


def infer(job: Job):
    detection.infer(job, build, shared.qualities)


def forward(model: Ssd, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The detections, and what leads to them; and the losses of training with the running statistics."""
    codes, logits = model.network(scaled(inputs["images"]), training=False)
    losses = model.losses_from(codes, logits, tf.constant(inputs["boxes"]), tf.constant(inputs["labels"]))
    return detection.parity_found(model, inputs["images"]) | {
        "default_boxes": model.boxes.numpy(), "codes": codes.numpy(), "logits": logits.numpy(),
        "losses": np.array([losses["boxes"], losses["classes"]]),
    }
