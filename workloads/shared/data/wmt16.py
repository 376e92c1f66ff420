# SPDX-License-Identifier: Apache-2.0
"""WMT16 English-German as GNMT recipes prepare it: tokenised sentences, one a line, cut into joint subwords (BPE).

    bpe.32000                              how subwords are joined, learnt by subword-nmt from both languages
    vocab.bpe.32000                        the subwords of the training text, one a line, most frequent first
    train.tok.clean.bpe.32000.en and .de   for training; line n of one is line n of the other
    newstest2014.tok.bpe.32000.en          to be translated
    newstest2014.tok.de                    its translations by people, not cut into subwords

Numbers of subwords begin after those of four marks: padding, unknown, begin, end.
"""

from array import array
from pathlib import Path

import numpy as np

from workloads.shared.data import checksum_problem
from workloads.shared.data.kept import keep, kept

ORIGIN = (
    "WMT16 news translation task (statmt.org): europarl-v7 de-en.tgz, training-parallel-commoncrawl.tgz, "
    "training-parallel-nc-v11.tgz, dev.tgz and test.tgz, prepared by wmt16_en_de.sh of NVIDIA's DeepLearningExamples"
)
CODES = "bpe.32000"
VOCABULARY = "vocab.bpe.32000"
TRAINING = {"source": "train.tok.clean.bpe.32000.en", "target": "train.tok.clean.bpe.32000.de"}
TEST = "newstest2014.tok.bpe.32000.en"
REFERENCE = "newstest2014.tok.de"
FILES = (CODES, VOCABULARY, *TRAINING.values(), TEST, REFERENCE)
TEST_LINES = 3003  # of newstest2014
CHECKSUMS = {  # MD5, from verify_dataset.sh of the same recipe
    TRAINING["source"]: "b7482095b787264a310d4933d197a134",
    TRAINING["target"]: "409064aedaef5b7c458ff19a7beda462",
    TEST: "cb014e2509f86cd81d5a87c240c07464",
}
PADDING, UNKNOWN, BEGIN, END = range(4)
MARKS = 4
SEPARATOR = "@@"  # at the end of a subword that another one follows
ENCODED = "encoded.npz"


def missing(directory: Path) -> list[str]:
    return [f"{directory / name} is missing" for name in FILES if not (directory / name).is_file()]


def check(directory: Path) -> list[str]:
    """What is wrong with the published data there; nothing if all is well."""
    problems = missing(directory)
    if problems:
        return problems
    for name in (TEST, REFERENCE):
        lines = lines_in(directory / name)
        if lines != TEST_LINES:
            problems.append(f"{directory / name} has {lines} lines, {TEST_LINES} expected")
    if lines_in(directory / TRAINING["source"]) != lines_in(directory / TRAINING["target"]):
        problems.append(f"{directory}: the two languages of the training text have not equally many lines")
    for name, expected in CHECKSUMS.items():
        problems += checksum_problem(directory / name, expected)
    return problems


def lines_in(path: Path) -> int:
    with path.open("rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def subwords(directory: Path) -> list[str]:
    return (directory / VOCABULARY).read_text("utf-8").splitlines()


def references(directory: Path) -> list[str]:
    return (directory / REFERENCE).read_text("utf-8").splitlines()


class Sentences:
    """Sentences as numbers, all in one row: millions of small arrays would not fit into memory."""

    def __init__(self, numbers: np.ndarray, ends: np.ndarray):
        self.numbers = numbers
        self.ends = ends
        self.lengths = np.diff(ends, prepend=0)

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: int) -> np.ndarray:
        return self.numbers[self.ends[index] - self.lengths[index] : self.ends[index]]


def encoded(directory: Path) -> dict[str, Sentences]:
    """`source` and `target` for training and `test`, each with its marks. Done once, then kept."""
    files = {**TRAINING, "test": TEST}
    path = directory / ENCODED
    arrays = kept(path, [directory / name for name in (*files.values(), VOCABULARY)])
    if arrays is not None:
        return {name: Sentences(arrays[f"{name}_numbers"], arrays[f"{name}_ends"]) for name in files}
    places = {subword: MARKS + place for place, subword in enumerate(subwords(directory))}
    sentences = {name: _encoded(directory / file, places) for name, file in files.items()}
    keep(path, {f"{name}_{part}": getattr(found, part) for name, found in sentences.items()
                for part in ("numbers", "ends")})
    return sentences


def _encoded(path: Path, places: dict[str, int]) -> Sentences:
    numbers, ends = array("i"), array("q")
    with path.open(encoding="utf-8") as file:
        for line in file:
            numbers.append(BEGIN)
            numbers.extend(places.get(subword, UNKNOWN) for subword in line.split())
            numbers.append(END)
            ends.append(len(numbers))
    return Sentences(np.array(numbers, dtype=np.int32), np.array(ends, dtype=np.int64))


def joined(numbers: list[int], subwords_in_order: list[str]) -> str:
    """Words again: subwords put together, marks left out."""
    names = [subwords_in_order[number - MARKS] if number - MARKS < len(subwords_in_order) else "<unk>"
             for number in numbers if number >= MARKS]
    return f"{' '.join(names)} ".replace(f"{SEPARATOR} ", "").strip()
