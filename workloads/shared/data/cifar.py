# SPDX-License-Identifier: Apache-2.0
"""CIFAR-10 and CIFAR-100 in their "python version": pickles that Python 2 wrote."""

import pickle
import struct
from pathlib import Path

import numpy as np

from workloads.shared.data import checksum_problem
from workloads.shared.data.patterns import patterns

ORIGIN = ("University of Toronto (Krizhevsky), python version: cifar-10-python.tar.gz, unpacked as "
          "cifar10/cifar-10-batches-py, and cifar-100-python.tar.gz, unpacked as cifar100/cifar-100-python")
FOLDERS = {"cifar10": "cifar-10-batches-py", "cifar100": "cifar-100-python"}
TRAIN = {"cifar10": [f"data_batch_{index}" for index in range(1, 6)], "cifar100": ["train"]}
TEST = {"cifar10": "test_batch", "cifar100": "test"}
LABELS = {"cifar10": b"labels", "cifar100": b"fine_labels"}
CLASSES = {"cifar10": 10, "cifar100": 100}
CHECKSUMS = {  # of the unpacked files, as torchvision checks them
    "cifar10": {
        "data_batch_1": "c99cafc152244af753f735de768cd75f",
        "data_batch_2": "d4bba439e000b95fd0a9bffe97cbabec",
        "data_batch_3": "54ebc095f3ab1f0389bbae665268c751",
        "data_batch_4": "634d18415352ddfa80567beed471001a",
        "data_batch_5": "482c414d41f54cd18b22e5b47cb7c3cb",
        "test_batch": "40351d587109b95175f43aff81a1287e",
    },
    "cifar100": {
        "train": "16019d7e3df5f24257cddd939b257f8d",
        "test": "f0ef6b0ae62326f3e7ffdfab6717acfc",
    },
}


def check(directory: Path) -> list[str]:
    """Of both data sets, in cifar10 and cifar100 below the directory."""
    return [problem for dataset in FOLDERS for problem in check_one(directory / dataset, dataset)]


def check_one(directory: Path, dataset: str) -> list[str]:
    return [problem for name, md5 in CHECKSUMS[dataset].items()
            for problem in checksum_problem(directory / FOLDERS[dataset] / name, md5)]


def load(directory: Path, dataset: str, split: str) -> tuple[np.ndarray, np.ndarray]:
    """Pixels, pictures x 32 x 32 x 3 bytes, and classes of the split: train or test."""
    names = TRAIN[dataset] if split == "train" else [TEST[dataset]]
    batches = [_unpickled(directory / FOLDERS[dataset] / name) for name in names]
    # A row holds the red, then the green, then the blue picture.
    pixels = np.concatenate([batch[b"data"] for batch in batches]).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    labels = np.concatenate([batch[LABELS[dataset]] for batch in batches])
    return np.ascontiguousarray(pixels), labels.astype(np.int32)


class _ArraysOnly(pickle.Unpickler):
    """A pickle can run anything; these need to make arrays, and may do no more."""

    def find_class(self, module: str, name: str):
        if module in ("numpy.core.multiarray", "numpy._core.multiarray") and name == "_reconstruct":
            return np.empty(0).__reduce__()[0]  # wherever this NumPy has it
        if module == "numpy" and name in ("ndarray", "dtype"):
            return getattr(np, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not part of CIFAR's files")


def _unpickled(path: Path) -> dict:
    with path.open("rb") as file:
        return _ArraysOnly(file, encoding="bytes").load()


def generate(directory: Path, dataset: str, train: int, test: int, seed: int = 0):
    """So many pictures in all files that the real data set has."""
    generator = np.random.default_rng(seed)
    folder = directory / FOLDERS[dataset]
    folder.mkdir(parents=True)
    names = TRAIN[dataset]
    for index, name in enumerate(names):
        count = len(range(index, train, len(names)))
        _write(folder / name, _batch(dataset, f"training batch {index + 1} of {len(names)}", count, generator))
    _write(folder / TEST[dataset], _batch(dataset, "testing batch 1 of 1", test, generator))
    if dataset == "cifar10":
        _write(folder / "batches.meta", {b"num_cases_per_batch": train // len(names), b"num_vis": 3072,
                                         b"label_names": [f"class {index}".encode() for index in range(10)]})
    else:
        _write(folder / "meta", {b"fine_label_names": [f"class {index}".encode() for index in range(100)],
                                 b"coarse_label_names": [f"group {index}".encode() for index in range(20)]})


def _batch(dataset: str, title: str, count: int, generator: np.random.Generator) -> dict:
    classes = CLASSES[dataset]
    labels = generator.permutation(np.arange(count) % classes)
    pixels = patterns(labels, classes, 32, generator).transpose(0, 3, 1, 2).reshape(count, 3072)
    batch = {b"data": np.ascontiguousarray(pixels), b"batch_label": title.encode(), LABELS[dataset]: labels.tolist(),
             b"filenames": [f"picture_{index:05d}.png".encode() for index in range(count)]}
    if dataset == "cifar100":
        batch[b"coarse_labels"] = (labels // 5).tolist()
    return batch


class _AsPython2(pickle._Pickler):
    """Writes text and bytes as Python 2 wrote its str, so that what reads the real files reads these."""

    dispatch = pickle._Pickler.dispatch.copy()

    def save_string(self, text: str | bytes):
        encoded = text.encode() if isinstance(text, str) else text
        if len(encoded) < 256:
            self.write(pickle.SHORT_BINSTRING + bytes([len(encoded)]) + encoded)  # type: ignore[attr-defined]
        else:
            self.write(pickle.BINSTRING + struct.pack("<i", len(encoded)) + encoded)  # type: ignore[attr-defined]
        self.memoize(text)  # type: ignore[attr-defined]

    dispatch[str] = dispatch[bytes] = save_string  # type: ignore[assignment]


def _write(path: Path, content: dict):
    with path.open("wb") as file:
        _AsPython2(file, protocol=2).dump(content)
