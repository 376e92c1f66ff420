# SPDX-License-Identifier: Apache-2.0
"""GNMT (Wu and others, 2016) on WMT16 English-German: what all frameworks share about it.

It is the second version of the model, as in NVIDIA's DeepLearningExamples, which the study ran. Encoder and decoder
have LSTM layers, residual from the third on; the first of the encoder runs in both directions. All further decoder
layers get the normalised Bahdanau attention of the first decoder layer's output. The score is BLEU.
"""

import dataclasses
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import sacrebleu

from workloads.shared import beam_search
from workloads.shared.data import made, wmt16
from workloads.shared.job import Job, Refused


@dataclasses.dataclass(frozen=True)
class Plan:
    sentences: int  # pairs to generate; 0: the published text
    merges: int  # of generated text: how many subwords are learnt
    vocabulary: int
    layers: int  # of the encoder, and of the decoder
    hidden: int
    dropout: float  # of the input of each layer
    smoothing: float  # of the labels
    batch: int
    epochs: int
    steps: int  # of an epoch at most; 0: all of the text
    max_length: int  # longer sentences are not trained with, marks included
    buckets: int  # sentences of like length are together; each bucket has one length that all are filled up to
    optimizer: str
    learning_rate: float
    warmup_steps: int
    remain: float  # the part of training after which the rate begins to fall
    decays: int
    decay_factor: float
    clip: float  # the largest norm of the gradient
    initial_range: float
    evaluation_sentences: int  # 0: all
    evaluation_batch: int
    beam: int
    longest: int  # of a translation
    length_power: float
    length_constant: float
    coverage: float
    warmup_batches: int  # of inference, not counted


# The defaults of NVIDIA's GNMT v2 for PyTorch (train.py), which the study ran. Its profile shows 4 + 4 layers, one
# epoch of 27327 steps with 128 sentences, and 24 searches for the 3003 sentences of newstest2014. Wu and others have
# 8 layers: --set layers=8. The vocabulary is that of the recipe, rounded up (ours).
PAPER = Plan(
    sentences=0, merges=0, vocabulary=32320, layers=4, hidden=1024, dropout=0.2, smoothing=0.1,
    batch=128, epochs=1, steps=0, max_length=50, buckets=5,
    optimizer="adam", learning_rate=0.002, warmup_steps=200, remain=0.666, decays=4, decay_factor=0.5, clip=5.0,
    initial_range=0.1, evaluation_sentences=0, evaluation_batch=128,
    beam=5, longest=80, length_power=0.6, length_constant=5.0, coverage=0.1, warmup_batches=1,
)

# Ours throughout: the architecture is the same, each size smaller. The range of the first weights grows as the square
# root of the width falls, so that signals are as strong as in the large model.
PRESETS = {
    "tiny": dataclasses.replace(
        PAPER, sentences=2000, merges=260, vocabulary=144,
        layers=3, hidden=64, dropout=0.05, batch=16, epochs=2, steps=0, max_length=20, buckets=2,
        learning_rate=0.008, warmup_steps=20, decays=1, initial_range=0.4,
        evaluation_sentences=64, evaluation_batch=32, beam=2, longest=20,
    ),
    "laptop": dataclasses.replace(
        PAPER, sentences=20000, merges=260, vocabulary=152,
        layers=4, hidden=192, batch=64, epochs=3, steps=0, max_length=30, buckets=3,
        warmup_steps=50, initial_range=0.23, evaluation_sentences=256, evaluation_batch=64, longest=30,
    ),
    "paper": PAPER,
}


class Batch(NamedTuple):
    source: np.ndarray  # sentences x length, filled up at the end
    target: np.ndarray  # what the decoder gets: the translation without its end
    labels: np.ndarray  # what it is to say: the translation without its begin
    tokens: int  # that are not filling, of source and labels


FORMATS = (wmt16,)


def folder(plan: Plan) -> str:
    return f"wmt16-generated-{plan.sentences}-{plan.merges}" if plan.sentences else "wmt16_de_en"


def directory_of(data: Path, preset: str, _format) -> Path:
    return data / folder(PRESETS[preset])


def prepare(job: Job):
    plan, directory = job.plan, job.data / folder(job.plan)
    if plan.sentences:
        from workloads.shared.data import generate_wmt16  # learning subwords is needed nowhere else

        made(directory, lambda aside: generate_wmt16.generate(aside, plan.sentences, plan.merges))
    elif problems := wmt16.missing(directory):
        raise Refused("; ".join(problems), f"it comes from {wmt16.ORIGIN}")
    wmt16.encoded(directory)


class Corpus:
    """The text of a job: sentences as numbers, and what is needed to judge translations."""

    def __init__(self, job: Job):
        directory = job.data / folder(job.plan)
        if wmt16.missing(directory):
            prepare(job)
        self.plan = job.plan
        self.subwords = wmt16.subwords(directory)
        if wmt16.MARKS + len(self.subwords) > self.plan.vocabulary:
            raise Refused(f"the text has {wmt16.MARKS + len(self.subwords)} subwords, the model {self.plan.vocabulary}",
                          "set vocabulary")
        sentences = wmt16.encoded(directory)
        self.source, self.target, self.test = sentences["source"], sentences["target"], sentences["test"]
        self.references = wmt16.references(directory)
        # Both sides are tokenised, as in the recipe's files, so nothing is tokenised again.
        self.judge = sacrebleu.BLEU(tokenize="none", force=True)
        longer = np.maximum(self.source.lengths, self.target.lengths)
        width = math.ceil(self.plan.max_length / self.plan.buckets)
        self.buckets = [np.flatnonzero((longer > limit - width) & (longer <= min(limit, self.plan.max_length)))
                        for limit in range(width, width * self.plan.buckets + 1, width)]
        self.width = width

    def steps(self) -> int:
        """Of an epoch. Sentences of a bucket that do not fill a batch are left out."""
        found = sum(len(bucket) // self.plan.batch for bucket in self.buckets)
        return min(found, self.plan.steps or found)

    def batches(self, seed: int, epoch: int) -> Iterator[Batch]:
        """Those of an epoch: shuffled inside the buckets, then the batches of all buckets."""
        random = np.random.default_rng([seed, epoch])
        size = self.plan.batch
        chosen = []
        for number, bucket in enumerate(self.buckets, start=1):
            order = random.permutation(bucket)
            chosen += [(number * self.width, order[start : start + size])
                       for start in range(0, len(order) - size + 1, size)]
        for place in random.permutation(len(chosen))[: self.steps()]:
            length, lines = chosen[place]
            yield self.batch(length, lines)

    def batch(self, length: int, lines: np.ndarray) -> Batch:
        source, target = filled(self.source, lines, length), filled(self.target, lines, length)
        labels = target[:, 1:]
        given = np.where(labels == wmt16.PADDING, wmt16.PADDING, target[:, :-1])
        return Batch(source, given, labels, int((source != wmt16.PADDING).sum() + (labels != wmt16.PADDING).sum()))

    def test_batches(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Lines to translate, the longest first, and their words. Lengths are rounded up, so that there are few."""
        count = min(len(self.test), self.plan.evaluation_sentences or len(self.test))
        order = np.argsort(-self.test.lengths[:count], kind="stable")
        parts = [order[start : start + self.plan.evaluation_batch]
                 for start in range(0, count, self.plan.evaluation_batch)]
        return [(lines, filled(self.test, lines, math.ceil(self.test.lengths[lines].max() / self.width) * self.width))
                for lines in parts]

    def bleu(self, translations: dict[int, list[int]]) -> float:
        """Of the lines that were translated, with their subwords joined."""
        said = [wmt16.joined(numbers, self.subwords) for numbers in translations.values()]
        meant = [self.references[line] for line in translations]
        return self.judge.corpus_score(said, [meant]).score

    def bleu_kind(self) -> str:
        """How BLEU was counted; there is one after the first."""
        return str(self.judge.get_signature())


def filled(sentences: wmt16.Sentences, lines: np.ndarray, length: int) -> np.ndarray:
    block = np.full((len(lines), length), wmt16.PADDING, dtype=np.int32)
    for row, line in enumerate(lines):
        sentence = sentences[line]
        block[row, : len(sentence)] = sentence
    return block


class Translated(NamedTuple):
    lines: dict[int, list[int]]  # each line's translation
    read: int  # tokens of the sources
    written: int  # tokens of the translations
    steps: int  # of the decoder: a model that has learnt little goes on longer, and costs more


def translated(plan: Plan, batches: list[tuple[np.ndarray, np.ndarray]], make_stepper) -> Translated:
    """Translates all. make_stepper(source) gives the decoder that has read the source."""
    rules = beam_search.Rules(plan.beam, plan.longest, plan.length_power, plan.length_constant, plan.coverage,
                              wmt16.BEGIN, wmt16.END)
    results, read, written, steps = {}, 0, 0, 0
    for lines, source in batches:
        lengths = (source != wmt16.PADDING).sum(axis=1)
        found, taken = beam_search.translations(make_stepper(source), lengths, rules)
        results.update(zip(lines.tolist(), found))
        read += int(lengths.sum())
        written += sum(len(words) + 1 for words in found)
        steps += taken
    return Translated(results, read, written, steps)


def rate(plan: Plan, step: int, total: int) -> float:
    """The learning rate of a step (from 0): rises from a hundredth as a power, is halved a few times at the end."""
    if step < plan.warmup_steps:
        return plan.learning_rate * 0.01 ** (1 - step / plan.warmup_steps)
    begin = plan.remain * total
    if step < begin:
        return plan.learning_rate
    interval = max(1.0, (total - begin) / plan.decays)
    return plan.learning_rate * plan.decay_factor ** min(plan.decays, 1 + int((step - begin) / interval))


def canonical_weights(plan: Plan, seed: int) -> dict[str, np.ndarray]:
    """Random weights by the names and in the layout of the PyTorch model. An LSTM has one bias here, as in Keras."""
    random = np.random.default_rng(seed)
    wide = plan.hidden
    shapes = {"embedding.weight": (plan.vocabulary, wide), "attention.query.weight": (wide, wide),
              "attention.key.weight": (wide, wide), "attention.direction": (wide,), "attention.scale": (1,),
              "attention.bias": (wide,), "classifier.weight": (plan.vocabulary, wide),
              "classifier.bias": (plan.vocabulary,)}
    for name, inputs in lstm_inputs(plan).items():
        for direction in ("", "_reverse") if name == "encoder.0" else ("",):
            shapes |= {f"{name}.weight_ih_l0{direction}": (4 * wide, inputs),
                       f"{name}.weight_hh_l0{direction}": (4 * wide, wide),
                       f"{name}.bias_ih_l0{direction}": (4 * wide,)}
    return {name: random.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}


def lstm_inputs(plan: Plan) -> dict[str, int]:
    """The width of each LSTM's input. The second layer of the encoder gets both directions. The layers of the decoder,
    except the first, also get the attention's context."""
    wide = plan.hidden
    encoder = {f"encoder.{layer}": 2 * wide if layer == 1 else wide for layer in range(plan.layers)}
    return encoder | {f"decoder.{layer}": 2 * wide if layer else wide for layer in range(plan.layers)}


def parity_inputs(plan: Plan, seed: int) -> dict[str, np.ndarray]:
    """Sentences of different length, so that filling must not matter."""
    random = np.random.default_rng(seed)
    source = random.integers(wmt16.MARKS, plan.vocabulary, size=(4, 9), dtype=np.int32)
    for row, length in enumerate((9, 7, 4, 2)):
        source[row, length:] = wmt16.PADDING
    return {"source": source, "target": random.integers(wmt16.MARKS, plan.vocabulary, size=(4, 6), dtype=np.int32)}
