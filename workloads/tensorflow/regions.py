# SPDX-License-Identifier: Apache-2.0
"""From a box to its features and from a mask back to the image, in TensorFlow as torchvision does both."""

import math

import tensorflow as tf

from workloads.tensorflow.boxes import area, middle_and_extent

SAMPLES = 2  # of a bin in each direction


def roi_align(features, boxes, owners, size: int, scale: float):
    """torchvision.ops.roi_align with aligned=False and two samples a bin: (boxes, size, size, channels) of the boxes
    in image pixels; owners says which of `features` each belongs to.

    crop_and_resize takes samples from its box's first edge to its last, so the box is that of the outermost samples. It
    gives 0 beyond the middle of the last pixel. torchvision repeats that pixel's value: hence the copied edge."""
    height, width = features.shape[1], features.shape[2]
    edged = tf.concat([features, features[:, -1:]], axis=1)
    edged = tf.concat([edged, edged[:, :, -1:]], axis=2)
    start = boxes[:, :2] * scale
    extent = tf.maximum(boxes[:, 2:] * scale - start, 1.0)
    margin = extent / (2 * SAMPLES * size)
    samples = tf.concat([start + margin, start + extent - margin], axis=1)
    samples = tf.gather(samples, [1, 0, 3, 2], axis=1) / [height, width, height, width]  # it wants y before x
    values = tf.image.crop_and_resize(edged, samples, tf.cast(owners, tf.int32), [SAMPLES * size] * 2)
    return tf.nn.avg_pool2d(values, SAMPLES, SAMPLES, "VALID")


def pooled(levels, boxes, owners, size: int, image_size: int, canonical_scale: int):
    """roi_align of each box from the level of the pyramid that fits it (equation 1 of the FPN paper)."""
    strides = [image_size // level.shape[1] for level in levels]
    first, last = int(math.log2(strides[0])), int(math.log2(strides[-1]))
    side = tf.sqrt(area(boxes))
    chosen = tf.floor(4 + tf.math.log(side / canonical_scale) / math.log(2) + 1e-6)
    chosen = tf.cast(tf.clip_by_value(chosen, first, last), tf.int32) - first
    parts, places = [], []
    for number, (level, stride) in enumerate(zip(levels, strides)):
        here = tf.where(chosen == number)[:, 0]
        parts.append(roi_align(level, tf.gather(boxes, here), tf.gather(owners, here), size, 1 / stride))
        places.append(tf.cast(here, tf.int32))
    return tf.gather(tf.concat(parts, axis=0), tf.math.invert_permutation(tf.concat(places, axis=0)))


def pasted(masks, boxes, size: int):
    """Masks (n, m, m) of boxes (n, 4), drawn into images of the size: (n, size, size)."""
    side = masks.shape[1]
    bordered = tf.pad(masks, [[0, 0], [1, 1], [1, 1]])
    middle, extent = middle_and_extent(boxes)
    half = 0.5 * extent * (side + 2) / side
    corners = tf.cast(tf.concat([middle - half, middle + half], axis=1), tf.int32)
    return tf.map_fn(lambda one: _pasted(one[0], one[1], size), (bordered, corners),
                     fn_output_signature=tf.TensorSpec([size, size], tf.float32))


def _pasted(mask, box, size: int):
    extent = tf.maximum(box[2:] - box[:2] + 1, 1)
    drawn = tf.image.resize(mask[:, :, None], extent[::-1])[:, :, 0]
    low = tf.clip_by_value(box[:2], 0, size)
    high = tf.clip_by_value(box[:2] + extent, low, size)
    (left, top), (right, bottom) = tf.unstack(low - box[:2]), tf.unstack(high - box[:2])
    return tf.pad(drawn[top:bottom, left:right], [[low[1], size - high[1]], [low[0], size - high[0]]])
