# SPDX-License-Identifier: Apache-2.0
"""The beam search that all frameworks share, against a search through every translation there is.

    PYTHONPATH=.:python PYTHON_WITH_NUMPY -m unittest tests/workloads/test_beam_search.py
"""

import itertools
import unittest

import numpy as np

from workloads.shared import beam_search

BEGIN, END = 0, 1
WORDS = 5
LONGEST = 4


class Language:
    """What follows a word depends on that word, the source and the place: enough for states to matter."""

    def __init__(self, seed: int, sources: int):
        random = np.random.default_rng(seed)
        scores = random.normal(0, 2, size=(sources, LONGEST, WORDS, WORDS))
        scores[..., BEGIN] = -np.inf
        self.logs = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
        attention = np.exp(random.normal(0, 2, size=(sources, LONGEST, WORDS, 3)))
        self.attention = attention / attention.sum(axis=-1, keepdims=True)


class Steps:
    """Keeps what each row has said so far, as a decoder keeps its states."""

    def __init__(self, language: Language, beam: int):
        self.language, self.beam = language, beam
        self.said = [[] for _ in range(len(language.logs) * beam)]

    def step(self, words, parents):
        self.said = [[*self.said[parent], word] for parent, word in zip(parents, words)]
        logs, attention = [], []
        for row, said in enumerate(self.said):
            place = (row // self.beam, len(said) - 1, said[-1])
            logs.append(self.language.logs[place])
            attention.append(self.language.attention[place])
        best = np.argsort(-np.array(logs), axis=1)[:, : max(2 * self.beam, 2)]
        return np.take_along_axis(np.array(logs), best, axis=1), best, np.array(attention)


def rules(beam: int) -> beam_search.Rules:
    return beam_search.Rules(beam, LONGEST, 0.6, 5.0, 0.1, BEGIN, END)


def best_of_all(language: Language, source: int) -> list[int]:
    found = []
    for length in range(LONGEST):
        for words in itertools.product(range(2, WORDS), repeat=length):
            total, covered = 0.0, np.zeros(3)
            for place, (before, word) in enumerate(zip((BEGIN, *words), (*words, END))):
                total += language.logs[source, place, before, word]
                covered += language.attention[source, place, before]
            found.append((beam_search.final(total, length + 1, covered, rules(1)), list(words)))
    return max(found)[1]


class BeamSearch(unittest.TestCase):
    def test_a_wide_beam_finds_the_best_of_all(self):
        language = Language(seed=1, sources=20)
        found, _ = beam_search.translations(Steps(language, 200), np.full(20, 3), rules(200))
        self.assertEqual(found, [best_of_all(language, source) for source in range(20)])

    def test_a_beam_of_one_takes_the_likeliest_word_each_time(self):
        language = Language(seed=2, sources=20)
        found, steps = beam_search.translations(Steps(language, 1), np.full(20, 3), rules(1))
        for source, words in enumerate(found):
            word, expected = BEGIN, []
            for place in range(LONGEST):
                word = int(np.argmax(language.logs[source, place, word]))
                if word == END:
                    break
                expected.append(word)
            self.assertEqual(words, expected)
        self.assertLessEqual(steps, LONGEST)

    def test_what_has_no_end_is_cut_off(self):
        language = Language(seed=3, sources=2)
        language.logs[..., END] = -50.0
        found, steps = beam_search.translations(Steps(language, 2), np.full(2, 3), rules(2))
        self.assertEqual((steps, [len(words) for words in found]), (LONGEST, [LONGEST, LONGEST]))


if __name__ == "__main__":
    unittest.main()
