# SPDX-License-Identifier: Apache-2.0
"""Generated pictures whose class can be learnt: stripes of a direction, width and colour, with noise."""

import math

import numpy as np

GOLDEN = (math.sqrt(5) - 1) / 2  # its multiples spread the directions of neighbouring classes


def pattern(label: int, classes: int, height: int, width: int, generator: np.random.Generator) -> np.ndarray:
    """One picture of the class, height x width x 3 bytes. Where the stripes begin and the noise are by chance."""
    angle = math.pi * (label * GOLDEN % 1)
    cycles = 2 + label % 4
    rows, columns = np.mgrid[0:height, 0:width]
    along = rows / height * math.cos(angle) + columns / width * math.sin(angle)
    stripes = 50 * np.sin(2 * math.pi * (cycles * along + generator.random()))
    colour = 128 + 70 * np.cos(2 * math.pi * (label / classes + np.arange(3) / 3))
    noise = generator.normal(0, 20, (height, width, 3))
    return np.clip(colour + stripes[..., None] + noise, 0, 255).astype(np.uint8)


def patterns(labels: np.ndarray, classes: int, size: int, generator: np.random.Generator) -> np.ndarray:
    """Square pictures of these classes, one after the other."""
    return np.stack([pattern(int(label), classes, size, size, generator) for label in labels])
