# SPDX-License-Identifier: Apache-2.0
"""Boxes of detectors in TensorFlow, as torchvision treats them: overlap, coding, matching to objects, sampling.

A box is left, top, right, bottom in pixels. Batches are filled up: what is not valid takes no part.
"""

import math

import tensorflow as tf

BACKGROUND, BETWEEN = -1, -2  # instead of the index of an object
LARGEST = math.log(1000 / 16)  # growth of a box that is decoded: keeps the exponential in range


def area(boxes):
    return (boxes[..., 2] - boxes[..., 0]) * (boxes[..., 3] - boxes[..., 1])


def overlap(first, second):
    """Intersection over union of each with each: (..., n, 4) and (..., m, 4) give (..., n, m)."""
    low = tf.maximum(first[..., :, None, :2], second[..., None, :, :2])
    high = tf.minimum(first[..., :, None, 2:], second[..., None, :, 2:])
    common = tf.reduce_prod(tf.maximum(high - low, 0), axis=-1)
    return tf.math.divide_no_nan(common, area(first)[..., :, None] + area(second)[..., None, :] - common)


def middle_and_extent(boxes):
    extent = boxes[..., 2:] - boxes[..., :2]
    return boxes[..., :2] + 0.5 * extent, extent


def encode(boxes, references, weights: tuple[float, float]):
    """What a network has to tell for a reference to become the box; weights of position and extent."""
    middle, extent = middle_and_extent(boxes)
    from_middle, from_extent = middle_and_extent(references)
    return tf.concat([weights[0] * (middle - from_middle) / from_extent,
                      weights[1] * tf.math.log(extent / from_extent)], axis=-1)


def decode(codes, references, weights: tuple[float, float]):
    middle, extent = middle_and_extent(references)
    middle += codes[..., :2] / weights[0] * extent
    extent *= tf.exp(tf.minimum(codes[..., 2:] / weights[1], LARGEST))
    return tf.concat([middle - 0.5 * extent, middle + 0.5 * extent], axis=-1)


def clipped(boxes, size: int):
    return tf.clip_by_value(boxes, 0.0, float(size))


def large_enough(boxes, least: float):
    return tf.reduce_all(boxes[..., 2:] - boxes[..., :2] >= least, axis=-1)


def matched(overlaps, valid, high: float, low: float, keep_best: bool = False):
    """The object that each box overlaps most, as (batch, boxes). overlaps is (batch, objects, boxes), valid is
    (batch, objects). The result is BACKGROUND below `low` and BETWEEN below `high`. With keep_best an object's best
    boxes are never dropped."""
    overlaps = tf.where(valid[:, :, None], overlaps, -1.0)
    largest = tf.reduce_max(overlaps, axis=1)
    nearest = tf.argmax(overlaps, axis=1)
    match = tf.where(largest < low, tf.cast(BACKGROUND, nearest.dtype),
                     tf.where(largest < high, tf.cast(BETWEEN, nearest.dtype), nearest))
    if keep_best:
        best = (overlaps == tf.reduce_max(overlaps, axis=2, keepdims=True)) & valid[:, :, None]
        match = tf.where(tf.reduce_any(best, axis=1), nearest, match)
    return match


def matched_one_to_one(overlaps, valid, threshold: float):
    """As `matched`, then every object gets the one box that it overlaps most, whatever that box overlaps."""
    match = matched(overlaps, valid, threshold, threshold)
    best = tf.argmax(overlaps, axis=2)
    taken = tf.one_hot(best, tf.shape(overlaps)[2], on_value=True, off_value=False) & valid[:, :, None]
    numbers = tf.range(tf.shape(overlaps)[1], dtype=match.dtype)[None, :, None]
    owner = tf.reduce_max(tf.where(taken, numbers, -1), axis=1)  # of two that want the same box the later gets it
    return tf.where(owner >= 0, owner, match)


def sampled(positive, negative, count: int, fraction: float):
    """True for `count` of each image (batch, n) at random: at most that fraction positive, the others negative."""
    most_positive = tf.minimum(int(count * fraction), _number(positive))
    most_negative = tf.minimum(count - most_positive, _number(negative))
    return _some(positive, most_positive, count) | _some(negative, most_negative, count)


def _number(flags):
    return tf.reduce_sum(tf.cast(flags, tf.int32), axis=1)


def _some(candidates, number, most: int):
    """`number` (batch,) of the candidates, those with the highest of random values."""
    chance = tf.where(candidates, tf.random.uniform(tf.shape(candidates)), -1.0)
    highest = tf.math.top_k(chance, tf.minimum(most, tf.shape(chance)[1])).values
    limit = tf.gather(highest, tf.maximum(number - 1, 0), batch_dims=1)
    return candidates & (chance >= limit[:, None]) & (number > 0)[:, None]


def suppressed(boxes, scores, overlap_limit: float, count: int, score_limit: float):
    """The `count` best of each image after suppression within each class. boxes (batch, n, 1 or classes, 4), scores
    (batch, n, classes); gives boxes (batch, count, 4), scores, classes from 0, and which are valid."""
    boxes, scores, classes, found = tf.image.combined_non_max_suppression(
        boxes, scores, max_output_size_per_class=count, max_total_size=count, iou_threshold=overlap_limit,
        score_threshold=score_limit, clip_boxes=False)
    return boxes, scores, tf.cast(classes, tf.int64), tf.sequence_mask(found, count)


def smooth_l1(error, beta: float = 1.0):
    size = tf.abs(error)
    return tf.where(size < beta, 0.5 * size * size / beta, size - 0.5 * beta)
