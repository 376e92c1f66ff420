# SPDX-License-Identifier: Apache-2.0
"""Writes a seeded toy corpus of two invented languages in the format of WMT16 English-German.

Each word has one translation, and the order changes as German's does: the verb comes second after an adverb of time,
and last after an auxiliary. So a translation needs attention to the right word, not only the words' own statistics.
"""

import contextlib
import io
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from subword_nmt.apply_bpe import BPE
from subword_nmt.get_vocab import get_vocab
from subword_nmt.learn_bpe import learn_bpe

from workloads.shared.data.wmt16 import CODES, VOCABULARY
from workloads.shared.data.words import falling, invented

SEED = 20160811  # of the text: the same for every run; a job's seed is that of weights and order
LANGUAGES = ("en", "de")
KINDS = {"noun": 24, "verb": 10, "adjective": 8, "time": 4}  # so many words of each
FIXED = {"the": ("the", "der"), "will": ("will", "wird")}


def generate(directory: Path, sentences: int, merges: int):
    """Training text of so many pairs of sentences, and a tenth of that each to validate and to test."""
    random = np.random.default_rng(SEED)
    lexicon = {kind: list(zip(invented(random, count), invented(random, count))) for kind, count in KINDS.items()}
    few = max(8, sentences // 10)
    counts = {"train.tok.clean": sentences, "newstest_dev.tok.clean": few, "newstest2014.tok": few}
    for name, count in counts.items():
        pairs = [pair(random, lexicon) for _ in range(count)]
        for language, lines in zip(LANGUAGES, zip(*pairs)):
            save(directory / f"{name}.{language}", lines)
            if name == "newstest2014.tok":
                save(directory / f"newstest2014.{language}", [line.replace(" .", ".") for line in lines])
    cut_into_subwords(directory, list(counts), merges)


def pair(random: np.random.Generator, lexicon: dict[str, list[tuple[str, str]]]) -> tuple[str, str]:
    """A sentence in both languages."""

    def word(kind):
        return lexicon[kind][random.choice(len(lexicon[kind]), p=falling(len(lexicon[kind])))]

    def noun_phrase():
        return [FIXED["the"], *([word("adjective")] if random.random() < 0.3 else []), word("noun")]

    subject, verb, thing = noun_phrase(), word("verb"), noun_phrase()
    shape = random.random()
    if shape < 0.3:
        time = word("time")
        first, second = [time, *subject, verb, *thing], [time, verb, *subject, *thing]
    elif shape < 0.6:
        first, second = [*subject, FIXED["will"], verb, *thing], [*subject, FIXED["will"], *thing, verb]
    else:
        first = second = [*subject, verb, *thing]
    return _sentence([in_first for in_first, _ in first]), _sentence([in_second for _, in_second in second])


def _sentence(words: list[str]) -> str:
    return " ".join([words[0].capitalize(), *words[1:], "."])


def cut_into_subwords(directory: Path, names: list[str], merges: int):
    """As the recipe does with subword-nmt: learn joint codes from the training text, apply them, list the subwords."""
    both = "".join((directory / f"train.tok.clean.{language}").read_text("utf-8") for language in reversed(LANGUAGES))
    codes = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):  # its progress bar
        learn_bpe(io.StringIO(both), codes, merges)
    (directory / CODES).write_text(codes.getvalue(), "utf-8")
    subwords = BPE(codes)
    for name in names:
        for language in LANGUAGES:
            lines = (directory / f"{name}.{language}").read_text("utf-8").splitlines()
            save(directory / f"{name}.bpe.32000.{language}", [subwords.process_line(line) for line in lines])
    both = "".join((directory / f"train.tok.clean.bpe.32000.{language}").read_text("utf-8") for language in LANGUAGES)
    counted = io.StringIO()
    get_vocab(io.StringIO(both), counted)
    save(directory / VOCABULARY, [line.split(" ")[0] for line in counted.getvalue().splitlines()])


def save(path: Path, lines: Iterable[str]):
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
