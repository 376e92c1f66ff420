# SPDX-License-Identifier: Apache-2.0
"""WikiText-103: three files of tokenised articles, one paragraph or heading a line, rare words as <unk>.

     = Name of an article =

     A paragraph of words , separated by spaces .

     = = Heading = =

Each line begins and ends with a space. The vocabulary is that of the training text, most frequent word first.
Every line, also an empty one, ends with <eos>. This gives the 267735 words of WikiText-103.
"""

from collections import Counter
from pathlib import Path

import numpy as np

from workloads.shared.data.kept import keep, kept

ORIGIN = (
    "WikiText-103 (Merity and others, Salesforce Research): wikitext-103-v1.zip, "
    "unpacked to wiki.train.tokens, wiki.valid.tokens and wiki.test.tokens"
)
PARTS = ("train", "valid", "test")
END = "<eos>"
UNKNOWN = "<unk>"  # in the published text too, for words that are rare in it
LINES = {"train": 1801350, "valid": 3760, "test": 4358}  # of the published files
ENCODED = "encoded.npz"  # what `encoded` keeps beside the text


def file_of(directory: Path, part: str) -> Path:
    return directory / f"wiki.{part}.tokens"


def check(directory: Path) -> list[str]:
    """What is wrong with the published data there; nothing if all is well."""
    problems = []
    for part, expected in LINES.items():
        path = file_of(directory, part)
        if not path.is_file():
            problems.append(f"{path} is missing")
            continue
        with path.open("rb") as file:
            lines = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
        if lines != expected:
            problems.append(f"{path} has {lines} lines, {expected} expected")
    return problems


def present(directory: Path) -> bool:
    return all(file_of(directory, part).is_file() for part in PARTS)


def encoded(directory: Path) -> dict[str, np.ndarray]:
    """The parts as numbers of words, and `vocabulary`, how many words there are. Done once, then kept."""
    path = directory / ENCODED
    arrays = kept(path, [file_of(directory, part) for part in PARTS])
    if arrays is None:
        arrays = _encoded(directory)
        keep(path, arrays)
    return arrays


def _encoded(directory: Path) -> dict[str, np.ndarray]:
    counts: Counter[str] = Counter()
    for words in lines_of(file_of(directory, "train")):
        counts.update(words)
    # Words that are equally frequent are in the order of the alphabet, so that the numbers depend on the text alone.
    words = sorted(counts, key=lambda word: (-counts[word], word))
    numbers = {word: number for number, word in enumerate(words)}
    arrays = {"vocabulary": np.array(len(words))}
    for part in PARTS:
        stream = (numbers[word] for line in lines_of(file_of(directory, part)) for word in line)
        arrays[part] = np.fromiter(stream, dtype=np.int32)
    return arrays


def lines_of(path: Path):
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield [*line.split(), END]
