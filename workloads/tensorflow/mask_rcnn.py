# SPDX-License-Identifier: Apache-2.0
"""Mask R-CNN in TensorFlow, written in Keras: network, proposals, samples and losses are those of torchvision's.

One thing is not: the mask that an object should have is taken with two samples a bin, as features are; torchvision
takes as many as the box has pixels.

Only the number of objects in a batch is left open, so one compilation serves all batches. Within it the regions of
all images are one list, as long as needed: the heads do no work for regions that do not exist.
"""

import dataclasses

import keras
import numpy as np
import tensorflow as tf
from keras import initializers, layers

from workloads.shared import mask_rcnn as shared
from workloads.shared.job import Job
from workloads.tensorflow import boxes as box
from workloads.tensorflow import detection, regions
from workloads.tensorflow.common import parameters
from workloads.tensorflow.detection import scaled, stages

__all__ = ["build", "forward", "infer", "load_canonical", "parameters", "train"]

LEVELS = 4  # of the pyramid, from which boxes are pooled; a fifth gives only proposals
PROPOSAL_WEIGHTS, BOX_WEIGHTS = (1.0, 1.0), (10.0, 5.0)  # of position and extent in the codes
BETA = 1 / 9  # of the smooth L1 losses


class MaskRcnn(detection.Detector):
    def __init__(self, plan: shared.Plan):
        super().__init__()
        self.plan = plan
        self.pyramid = pyramid(plan)
        self.proposer = proposer(plan)
        self.box_head = box_head(plan)
        self.mask_head = mask_head(plan)
        self.anchors = [tf.constant(anchors(side, level.shape[1], plan.image_size))
                        for side, level in zip(plan.anchor_sizes, self.pyramid.outputs)]
        self.built = True

    def losses_of(self, images, boxes, labels, masks) -> dict[str, tf.Tensor]:
        levels = self.pyramid(scaled(images), training=True)
        logits, codes = self.proposals_of(levels)
        losses = self.proposal_losses(tf.concat(logits, axis=1), tf.concat(codes, axis=1), boxes, labels)
        proposals, valid = self.proposed(logits, codes, self.plan.rpn_before_train, self.plan.rpn_after_train)
        return losses | self.region_losses(levels, proposals, valid, boxes, labels, masks)

    def proposals_of(self, levels) -> tuple[list, list]:
        """Of each level logits (batch, anchors) and codes (batch, anchors, 4)."""
        outputs = [self.proposer(level) for level in levels]
        number = tf.shape(levels[0])[0]
        return ([tf.reshape(logits, [number, -1]) for logits, _ in outputs],
                [tf.reshape(codes, [number, -1, 4]) for _, codes in outputs])

    def proposal_losses(self, logits, codes, boxes, labels) -> dict[str, tf.Tensor]:
        plan = self.plan
        anchors = tf.concat(self.anchors, axis=0)[None]
        match = box.matched(box.overlap(boxes, anchors), labels > 0, plan.rpn_foreground_iou, plan.rpn_background_iou,
                            keep_best=True)
        foreground = match >= 0
        chosen = box.sampled(foreground, match == box.BACKGROUND, plan.rpn_samples, plan.rpn_positive_fraction)
        number = tf.reduce_sum(tf.cast(chosen, tf.float32))
        errors = tf.nn.sigmoid_cross_entropy_with_logits(tf.cast(foreground, tf.float32), logits)
        positive = tf.where(chosen & foreground)
        own = tf.gather_nd(boxes, tf.stack([positive[:, 0], tf.gather_nd(match, positive)], axis=1))
        targets = box.encode(own, tf.gather(anchors[0], positive[:, 1]), PROPOSAL_WEIGHTS)
        box_errors = box.smooth_l1(tf.gather_nd(codes, positive) - targets, BETA)
        return {"objectness": tf.reduce_sum(tf.where(chosen, errors, 0.0)) / number,
                "proposal_boxes": tf.reduce_sum(box_errors) / number}

    def proposed(self, logits, codes, before: int, after: int):
        """The best boxes of each image (batch, after, 4) and which are valid. Nothing is learnt through them."""
        boxes, scores = [], []
        for number, anchors in enumerate(self.anchors):
            best = tf.math.top_k(logits[number], min(before, anchors.shape[0]))
            found = box.decode(tf.gather(codes[number], best.indices, batch_dims=1), tf.gather(anchors, best.indices),
                               PROPOSAL_WEIGHTS)
            found = box.clipped(found, self.plan.image_size)
            boxes.append(found)
            # Levels are suppressed apart, as if each were a class. A score of 0 is no candidate.
            score = tf.where(box.large_enough(found, 1e-3), tf.sigmoid(best.values), 0.0)
            scores.append(score[..., None] * tf.one_hot(number, len(self.anchors)))
        boxes, _, _, valid = box.suppressed(tf.concat(boxes, axis=1)[:, :, None], tf.concat(scores, axis=1),
                                            self.plan.rpn_nms_iou, after, 0.0)
        return tf.stop_gradient(boxes), valid

    def region_losses(self, levels, proposals, valid, boxes, labels, masks) -> dict[str, tf.Tensor]:
        plan = self.plan
        proposals = tf.concat([proposals, boxes], axis=1)  # the objects themselves are always good proposals
        valid = tf.concat([valid, labels > 0], axis=1)
        match = box.matched(box.overlap(boxes, proposals), labels > 0, plan.box_iou, plan.box_iou)
        targets = tf.where(match >= 0, tf.gather(labels, tf.maximum(match, 0), batch_dims=1), 0)
        chosen = tf.where(box.sampled(valid & (targets > 0), valid & (targets == 0), plan.box_samples,
                                      plan.box_positive_fraction))
        rois, owners = tf.gather_nd(proposals, chosen), chosen[:, 0]
        targets, match = tf.gather_nd(targets, chosen), tf.gather_nd(match, chosen)

        logits, codes = self.box_head(self.pooled(levels, rois, owners, plan.pooled_box))
        class_loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits))
        positive = tf.where(targets > 0)[:, 0]
        rois, owners, targets, match = (tf.gather(values, positive) for values in (rois, owners, targets, match))
        told = tf.gather(tf.gather(codes, positive), targets, axis=1, batch_dims=1)
        wanted = box.encode(tf.gather_nd(boxes, tf.stack([owners, match], axis=1)), rois, BOX_WEIGHTS)
        box_loss = tf.reduce_sum(box.smooth_l1(told - wanted, BETA)) / tf.cast(tf.shape(logits)[0], tf.float32)

        drawn = self.masks_of(levels, rois, owners, targets)
        size = plan.image_size
        objects = tf.shape(masks, tf.int64)[1]
        true = regions.roi_align(tf.reshape(masks, [-1, size, size, 1]), rois, owners * objects + match,
                                 drawn.shape[1], 1.0)[..., 0]
        errors = tf.nn.sigmoid_cross_entropy_with_logits(true, drawn)
        mask_loss = tf.math.divide_no_nan(tf.reduce_sum(errors), tf.cast(tf.size(errors), tf.float32))
        return {"classes": class_loss, "boxes": box_loss, "masks": mask_loss}

    def pooled(self, levels, rois, owners, size: int):
        return regions.pooled(levels[:LEVELS], rois, owners, size, self.plan.image_size, self.plan.canonical_scale)

    def masks_of(self, levels, rois, owners, labels):
        """Logits (regions, side, side) of the mask of the label."""
        logits = self.mask_head(self.pooled(levels, rois, owners, self.plan.pooled_mask))
        side = logits.shape[1]
        return tf.ensure_shape(tf.gather(tf.transpose(logits, [0, 3, 1, 2]), labels, batch_dims=1), [None, side, side])

    def detect(self, images) -> dict[str, tf.Tensor]:
        plan = self.plan
        levels = self.pyramid(scaled(images), training=False)
        proposals, valid = self.proposed(*self.proposals_of(levels), plan.rpn_before_test, plan.rpn_after_test)
        places = tf.where(valid)
        rois = proposals[valid]
        logits, codes = self.box_head(self.pooled(levels, rois, places[:, 0], plan.pooled_box))
        boxes = box.clipped(box.decode(codes[:, 1:], rois[:, None], BOX_WEIGHTS), plan.image_size)
        scores = tf.where(box.large_enough(boxes, 1e-2), tf.nn.softmax(logits)[:, 1:], 0.0)
        shape = [tf.shape(images)[0], plan.rpn_after_test, plan.classes]
        boxes, scores, classes, valid = box.suppressed(
            tf.scatter_nd(places, boxes, tf.cast([*shape, 4], tf.int64)),
            tf.scatter_nd(places, scores, tf.cast(shape, tf.int64)), plan.nms_iou, plan.detections,
            plan.score_threshold)
        found = {"image": tf.where(valid)[:, 0], "box": boxes[valid], "score": scores[valid],
                 "label": classes[valid] + 1}
        masks = tf.sigmoid(self.masks_of(levels, found["box"], found["image"], found["label"]))
        return found | {"mask": regions.pasted(masks, found["box"], plan.image_size)}


def pyramid(plan: shared.Plan) -> keras.Model:
    """Five feature maps of the same number of channels, the largest first."""
    inputs = keras.Input((plan.image_size, plan.image_size, 3))
    body = stages(inputs, plan.blocks, (1, 2, 2, 2), "backbone.body.")
    uniform = initializers.VarianceScaling(1.0, mode="fan_in", distribution="uniform")

    def convolution(name: str, size: int):
        return layers.Conv2D(plan.pyramid_channels, size, padding="same", kernel_initializer=uniform,
                             name=f"backbone.fpn.{name}.0")

    levels, above = [], None
    for number in reversed(range(LEVELS)):
        inner = convolution(f"inner_blocks.{number}", 1)(body[number])
        above = inner if above is None else layers.Add()([inner, layers.UpSampling2D(2)(above)])
        levels.insert(0, convolution(f"layer_blocks.{number}", 3)(above))
    levels.append(layers.MaxPooling2D(1, 2)(levels[-1]))  # every second value
    return keras.Model(inputs, levels)


def proposer(plan: shared.Plan) -> keras.Model:
    inputs = keras.Input((None, None, plan.pyramid_channels))
    small, anchors = initializers.RandomNormal(stddev=0.01), len(shared.ASPECT_RATIOS)
    hidden = layers.Conv2D(plan.pyramid_channels, 3, padding="same", activation="relu", kernel_initializer=small,
                           name="rpn.head.conv.0.0")(inputs)
    logits = layers.Conv2D(anchors, 1, kernel_initializer=small, name="rpn.head.cls_logits")(hidden)
    codes = layers.Conv2D(4 * anchors, 1, kernel_initializer=small, name="rpn.head.bbox_pred")(hidden)
    return keras.Model(inputs, [logits, codes])


def box_head(plan: shared.Plan) -> keras.Model:
    inputs = keras.Input((plan.pooled_box, plan.pooled_box, plan.pyramid_channels))
    hidden = layers.Flatten()(inputs)
    for name in ("fc6", "fc7"):
        hidden = layers.ReLU()(dense(hidden, plan.box_features, f"roi_heads.box_head.{name}"))
    logits = dense(hidden, plan.classes + 1, "roi_heads.box_predictor.cls_score")
    codes = dense(hidden, 4 * (plan.classes + 1), "roi_heads.box_predictor.bbox_pred")
    return keras.Model(inputs, [logits, layers.Reshape((-1, 4))(codes)])


def dense(inputs, units: int, name: str):
    limit = inputs.shape[-1] ** -0.5  # as PyTorch's linear layer: kernel and bias uniform within 1 / sqrt(inputs)
    return layers.Dense(units, kernel_initializer=initializers.RandomUniform(-limit, limit),
                        bias_initializer=initializers.RandomUniform(-limit, limit), name=name)(inputs)


def mask_head(plan: shared.Plan) -> keras.Model:
    inputs = hidden = keras.Input((plan.pooled_mask, plan.pooled_mask, plan.pyramid_channels))
    normal = initializers.VarianceScaling(2.0, mode="fan_out", distribution="untruncated_normal")
    for number, channels in enumerate(plan.mask_channels):
        hidden = layers.Conv2D(channels, 3, padding="same", activation="relu", kernel_initializer=normal,
                               name=f"roi_heads.mask_head.{number}.0")(hidden)
    # PyTorch leaves the biases of these two as its layers begin: uniform within 1 / sqrt(inputs of an output).
    limits = [(4 * hidden.shape[-1]) ** -0.5, hidden.shape[-1] ** -0.5]
    biases = [initializers.RandomUniform(-limit, limit) for limit in limits]
    hidden = layers.Conv2DTranspose(hidden.shape[-1], 2, 2, activation="relu", kernel_initializer=normal,
                                    bias_initializer=biases[0], name="roi_heads.mask_predictor.conv5_mask")(hidden)
    logits = layers.Conv2D(plan.classes + 1, 1, kernel_initializer=normal, bias_initializer=biases[1],
                           name="roi_heads.mask_predictor.mask_fcn_logits")(hidden)
    return keras.Model(inputs, logits)


def anchors(size: int, side: int, image_size: int) -> np.ndarray:
    """(places x ratios, 4) of a level whose map has this side."""
    ratios = np.sqrt(np.array(shared.ASPECT_RATIOS, np.float32))  # of height to width
    half = np.stack([size / ratios, size * ratios], axis=1) / 2
    around = np.round(np.concatenate([-half, half], axis=1))
    steps = np.arange(side, dtype=np.float32) * (image_size // side)
    y, x = (grid.reshape(-1, 1, 1) for grid in np.meshgrid(steps, steps, indexing="ij"))
    return (np.concatenate([x, y, x, y], axis=2) + around).reshape(-1, 4).astype(np.float32)


def build(plan: shared.Plan) -> MaskRcnn:
    return MaskRcnn(plan)


def train(job: Job):
    detection.train(job, build, shared.qualities)


def infer(job: Job):
    detection.infer(job, build, shared.qualities)


def load_canonical(model: MaskRcnn, weights: dict[str, np.ndarray]):
    detection.load_canonical(model, weights, flattened={"roi_heads.box_head.fc6": model.plan.pooled_box})


def forward(model: MaskRcnn, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The detections, and the losses of training, which need every part of the model. No sample is left out, so that
    they do not depend on chance."""
    model.plan = dataclasses.replace(model.plan, rpn_samples=shared.ALL, box_samples=shared.ALL)
    found = detection.parity_found(model, inputs["images"])  # before training moves the running statistics
    losses = tf.function(model.losses_of)(*(tf.constant(inputs[name])
                                            for name in ("images", "boxes", "labels", "masks")))
    named = ("objectness", "proposal_boxes", "classes", "boxes", "masks")
    return found | {"losses": np.array([losses[name] for name in named])}
