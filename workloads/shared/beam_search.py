# SPDX-License-Identifier: Apache-2.0
"""Beam search over the words of a translation, once for all frameworks: they compute, this keeps the books.

Hypotheses are ranked as in GNMT (Wu and others, 2016): log probability over a power of the length, less a penalty for
words of the source that got no attention. A beam of one is greedy search.
"""

from typing import NamedTuple, Protocol

import numpy as np


class Stepper(Protocol):
    """A decoder that has read its sources. It has `beam` rows for each of them, one after the other."""

    def step(self, words: np.ndarray, parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Row i continues row parents[i] of the previous step with words[i]. Returns three arrays for each row: the
        log probabilities of its best words, these words, and the attention to each word of the source. There are at
        least twice as many words as the beam is wide, best first."""


class Rules(NamedTuple):
    beam: int
    longest: int  # of a translation, in words
    length_power: float
    length_constant: float
    coverage: float
    begin: int  # the word before the first
    end: int  # the word after the last


def translations(stepper: Stepper, source_lengths: np.ndarray, rules: Rules) -> tuple[list[list[int]], int]:
    """The best translation of each source without its end, and how many steps it took."""
    count, beam = len(source_lengths), rules.beam
    rows = np.arange(count)[:, None]
    scores = np.full((count, beam), -np.inf)
    scores[:, 0] = 0.0  # all rows of a sentence are alike at first: only one may go on
    history = np.zeros((count, beam, 0), dtype=np.int64)
    coverage = 0.0
    finished: list[list[tuple[float, list[int]]]] = [[] for _ in range(count)]
    words = np.full((count, beam), rules.begin)
    parents = np.tile(np.arange(beam), (count, 1))
    steps = 0
    while steps < rules.longest and any(len(done) < beam for done in finished):
        logs, best, attention = stepper.step(words.ravel(), (rows * beam + parents).ravel())
        steps += 1
        coverage = coverage + attention.reshape(count, beam, -1)
        best = best.reshape(count, -1)
        totals = (scores[:, :, None] + logs.reshape(count, beam, -1)).reshape(count, -1)
        order = np.argsort(-totals, axis=1, kind="stable")[:, : 2 * beam]
        each = best.shape[1] // beam
        scores = np.full((count, beam), -np.inf)
        words = np.full((count, beam), rules.end)
        parents = np.zeros((count, beam), dtype=np.int64)
        for sentence in range(count):
            if len(finished[sentence]) >= beam:
                continue
            place = 0
            for rank, candidate in enumerate(order[sentence]):
                total, word, parent = totals[sentence, candidate], best[sentence, candidate], candidate // each
                if place == beam or total == -np.inf:
                    break
                if word != rules.end:
                    scores[sentence, place], words[sentence, place], parents[sentence, place] = total, word, parent
                    place += 1
                elif rank < beam:
                    covered = coverage[sentence, parent, : source_lengths[sentence]]
                    finished[sentence].append((final(total, steps, covered, rules), history[sentence, parent].tolist()))
        history = np.concatenate([history[rows, parents], words[:, :, None]], axis=2)
        coverage = coverage[rows, parents]
    for sentence in range(count):
        if not finished[sentence]:  # cut off
            finished[sentence].append((0.0, history[sentence, int(np.argmax(scores[sentence]))].tolist()))
    return [max(done)[1] for done in finished], steps


def final(total: float, length: int, covered: np.ndarray, rules: Rules) -> float:
    normal = ((rules.length_constant + length) / (rules.length_constant + 1)) ** rules.length_power
    penalty = rules.coverage * np.log(np.clip(covered, 1e-12, 1.0)).sum()
    return float(total / normal + penalty)
