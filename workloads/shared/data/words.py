# SPDX-License-Identifier: Apache-2.0
"""Invented words for generated text: they look like words, split into syllables, and mean nothing."""

import numpy as np

ONSETS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "br", "st", "tr")
VOWELS = ("a", "e", "i", "o", "u")
CODAS = ("", "", "n", "r", "s", "l")


def invented(random: np.random.Generator, count: int, syllables: int = 2) -> list[str]:
    """So many words, no two alike, of at least so many syllables."""
    words: dict[str, None] = {}
    while len(words) < count:
        length = syllables + int(random.integers(2))
        words[random_syllables(random, length)] = None
    return list(words)


def random_syllables(random: np.random.Generator, count: int) -> str:
    return "".join(
        ONSETS[random.integers(len(ONSETS))] + VOWELS[random.integers(len(VOWELS))] + CODAS[random.integers(len(CODAS))]
        for _ in range(count)
    )


def falling(count: int) -> np.ndarray:
    """Chances that fall with rank as word frequencies do (Zipf): 1, 1/2, 1/3 ..., adding up to 1."""
    chances = 1.0 / np.arange(1, count + 1)
    return chances / chances.sum()
