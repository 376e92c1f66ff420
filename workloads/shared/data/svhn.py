# SPDX-License-Identifier: Apache-2.0
"""Street View House Numbers, cropped digits: train_32x32.mat and test_32x32.mat."""

from pathlib import Path

import numpy as np
import scipy.io

from workloads.shared.data import checksum_problem
from workloads.shared.data.patterns import patterns

ORIGIN = "Stanford University (Netzer et al. 2011), format 2: svhn/train_32x32.mat and svhn/test_32x32.mat"
CLASSES = 10
CHECKSUMS = {  # as torchvision checks them
    "train_32x32.mat": "e26dedcc434d2e4c54c9b2d4a06d8373",
    "test_32x32.mat": "eb5a983be6a315427106f1b164d9cef3",
}


def check(directory: Path) -> list[str]:
    return [problem for name, md5 in CHECKSUMS.items() for problem in checksum_problem(directory / name, md5)]


def load(directory: Path, split: str) -> tuple[np.ndarray, np.ndarray]:
    """Pixels, pictures x 32 x 32 x 3 bytes, and digits of the split: train or test. The file calls the digit 0 ten."""
    content = scipy.io.loadmat(directory / f"{split}_32x32.mat")
    pixels = np.ascontiguousarray(content["X"].transpose(3, 0, 1, 2))
    return pixels, (content["y"].ravel() % 10).astype(np.int32)


def generate(directory: Path, train: int, test: int, seed: int = 0):
    generator = np.random.default_rng(seed)
    for split, count in (("train", train), ("test", test)):
        digits = generator.permutation(np.arange(count) % CLASSES)
        pixels = patterns(digits, CLASSES, 32, generator).transpose(1, 2, 3, 0)
        labels = np.where(digits == 0, 10, digits).astype(np.uint8)[:, None]
        scipy.io.savemat(directory / f"{split}_32x32.mat", {"X": pixels, "y": labels}, do_compression=True)
