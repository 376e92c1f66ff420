# SPDX-License-Identifier: Apache-2.0
"""Transformer-XL (Dai and others, 2019) on WikiText-103: what all frameworks share about it.

The model predicts the next word. Text is cut into segments; each layer attends to its own segment and to what it
computed for the words before (the memory), by content and by relative position. Quality is perplexity.
"""

import dataclasses
import math
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from workloads.shared.data import generate_wikitext, made, wikitext
from workloads.shared.job import Job, Refused


@dataclasses.dataclass(frozen=True)
class Plan:
    articles: int  # to generate; 0: the published text
    vocabulary: int
    cutoffs: tuple[int, ...]  # of the adaptive softmax: where the frequent words end, then the less frequent ones ...
    layers: int
    width: int
    heads: int
    head_width: int
    inner_width: int
    dropout: float
    target_length: int  # words of a segment
    memory_length: int
    batch: int
    epochs: int
    steps: int  # of an epoch at most; 0: all of the text
    optimizer: str
    learning_rate: float
    warmup_steps: int
    clip: float  # the largest norm of the gradient
    initial_deviation: float
    evaluation_batch: int
    evaluation_target_length: int
    evaluation_memory_length: int
    clamp_length: int  # distances above it count as it, when evaluating; 0: none do
    warmup_batches: int  # of inference, not counted


# NVIDIA's base model for WikiText-103 (DeepLearningExamples, wt103_base.yaml), which the study ran. The study's
# profile shows 4000 training steps. A batch of 16 is what NVIDIA passes through one GPU of 16 GB at a time in fp32; it
# adds up the gradients of 16 such, here each is a step. LAMB is not part of PyTorch: ours is Adam with the rate of the
# authors' own base model (run_wt103_base.sh).
PAPER = Plan(
    articles=0, vocabulary=267735, cutoffs=(19997, 39997, 199997),
    layers=16, width=512, heads=8, head_width=64, inner_width=2048, dropout=0.1,
    target_length=192, memory_length=192, batch=16, epochs=1, steps=4000,
    optimizer="adam", learning_rate=0.00025, warmup_steps=0, clip=0.25, initial_deviation=0.02,
    evaluation_batch=16, evaluation_target_length=64, evaluation_memory_length=640, clamp_length=400,
    warmup_batches=3,
)

# Ours throughout: the architecture is the same, each size smaller.
PRESETS = {
    "tiny": dataclasses.replace(
        PAPER, articles=200, vocabulary=634, cutoffs=(100, 300),
        layers=3, width=64, heads=4, head_width=16, inner_width=192,
        target_length=32, memory_length=32, batch=16, epochs=2, steps=0,
        learning_rate=0.003, warmup_steps=10,
        evaluation_batch=4, evaluation_target_length=16, evaluation_memory_length=48, clamp_length=40,
    ),
    "laptop": dataclasses.replace(
        PAPER, articles=4000, vocabulary=679, cutoffs=(100, 300),
        layers=6, width=192, heads=6, head_width=32, inner_width=768,
        target_length=64, memory_length=64, batch=16, epochs=2, steps=0,
        learning_rate=0.001, warmup_steps=50,
        evaluation_batch=8, evaluation_target_length=32, evaluation_memory_length=128, clamp_length=96,
    ),
    "paper": PAPER,
}


class Segment(NamedTuple):
    inputs: np.ndarray  # batch x length
    targets: np.ndarray  # the words that follow
    valid: int  # so many of the columns are text, the rest fills up


FORMATS = (wikitext,)


def folder(plan: Plan) -> str:
    return f"wikitext-generated-{plan.articles}" if plan.articles else "wikitext-103"


def directory_of(data: Path, preset: str, _format) -> Path:
    return data / folder(PRESETS[preset])


def prepare(job: Job):
    directory = job.data / folder(job.plan)
    if job.plan.articles:
        made(directory, lambda aside: generate_wikitext.generate(aside, job.plan.articles))
    elif problems := wikitext.check(directory):
        raise Refused("; ".join(problems), f"it comes from {wikitext.ORIGIN}")
    wikitext.encoded(directory)


def words(job: Job) -> dict[str, np.ndarray]:
    """The numbers of the words of train, valid and test, one long row each."""
    directory = job.data / folder(job.plan)
    if not wikitext.present(directory):
        prepare(job)
    parts = wikitext.encoded(directory)
    if parts["vocabulary"] > job.plan.vocabulary:
        raise Refused(f"the text has {parts['vocabulary']} words, the model {job.plan.vocabulary}", "set vocabulary")
    return parts


def segments(row: np.ndarray, batch: int, length: int, whole: bool) -> Iterator[Segment]:
    """Cuts a row of words into `batch` strands that are read in parallel. The next batch continues each strand where
    it ended. With `whole` the last segment is filled up instead of left out."""
    columns = (len(row) - 1) // batch
    inputs = row[: batch * columns].reshape(batch, columns)
    targets = row[1 : batch * columns + 1].reshape(batch, columns)
    for start in range(0, columns, length):
        valid = min(length, columns - start)
        if valid == length:
            yield Segment(inputs[:, start : start + length], targets[:, start : start + length], length)
        elif whole:
            filled = ((0, 0), (0, length - valid))
            yield Segment(np.pad(inputs[:, start:], filled), np.pad(targets[:, start:], filled), valid)


def training_segments(plan: Plan, row: np.ndarray) -> list[Segment]:
    """Those of an epoch. The text keeps its order: the memory needs what came before."""
    found = list(segments(row, plan.batch, plan.target_length, whole=False))
    return found[: plan.steps or None]


def evaluation_segments(plan: Plan, row: np.ndarray) -> list[Segment]:
    return list(segments(row, plan.evaluation_batch, plan.evaluation_target_length, whole=True))


class Layout(NamedTuple):
    """What attention needs to know about places, for a segment of `target` words after `memory` words."""

    positions: np.ndarray  # memory + target rows of sines and cosines, the greatest distance first
    hidden: np.ndarray  # target x (memory + target): true where a word must not look


def layout(plan: Plan, training: bool) -> Layout:
    if training:
        return layout_of(plan.width, plan.target_length, plan.memory_length, clamp=0, same_length=False)
    return layout_of(plan.width, plan.evaluation_target_length, plan.evaluation_memory_length,
                     clamp=plan.clamp_length, same_length=True)


def layout_of(width: int, target: int, memory: int, clamp: int, same_length: bool) -> Layout:
    """`same_length`: every word sees equally many before it, not the later ones of a segment more."""
    distances = np.arange(memory + target - 1, -1, -1, dtype=np.float64)
    if clamp:
        distances = np.minimum(distances, clamp)
    frequencies = 1.0 / 10000.0 ** (np.arange(0, width, 2) / width)
    angles = np.outer(distances, frequencies)
    positions = np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)
    hidden = np.triu(np.ones((target, memory + target), dtype=bool), k=1 + memory)
    if same_length:
        hidden |= np.tril(np.ones_like(hidden), k=-1)
    return Layout(positions, hidden)


def rate(plan: Plan, step: int, total: int) -> float:
    """The learning rate of a step (from 0): rises in a line, then falls as a cosine to nothing."""
    if step < plan.warmup_steps:
        return plan.learning_rate * (step + 1) / plan.warmup_steps
    progress = (step - plan.warmup_steps) / max(1, total - plan.warmup_steps)
    return plan.learning_rate * 0.5 * (1 + math.cos(math.pi * progress))


def perplexity(loss: float) -> float:
    """Of the mean loss of a word, in nats."""
    return math.exp(min(loss, 700.0))


def canonical_weights(plan: Plan, seed: int) -> dict[str, np.ndarray]:
    """Random weights with the names and the layout of the PyTorch model. They are larger than those at the start of
    training, so that every part of the model shows in its outputs."""
    random = np.random.default_rng(seed)
    inner, wide = plan.heads * plan.head_width, plan.width
    shapes = {"embedding.weight": (plan.vocabulary, wide), "content_bias": (plan.heads, 1, plan.head_width),
              "position_bias": (plan.heads, 1, plan.head_width), "softmax.bias": (plan.vocabulary,),
              "softmax.cluster_weight": (len(plan.cutoffs), wide), "softmax.cluster_bias": (len(plan.cutoffs),)}
    for layer in range(plan.layers):
        shapes |= {f"layers.{layer}.{name}": shape for name, shape in {
            "query.weight": (inner, wide), "key_value.weight": (2 * inner, wide), "position.weight": (inner, wide),
            "project.weight": (wide, inner), "attention_norm.weight": (wide,), "attention_norm.bias": (wide,),
            "expand.weight": (plan.inner_width, wide), "expand.bias": (plan.inner_width,),
            "contract.weight": (wide, plan.inner_width), "contract.bias": (wide,),
            "inner_norm.weight": (wide,), "inner_norm.bias": (wide,)}.items()}
    weights = {name: random.normal(0, 0.2, shape).astype(np.float32) for name, shape in shapes.items()}
    return {name: array + 1 if name.endswith("norm.weight") else array for name, array in weights.items()}


def parity_inputs(plan: Plan, seed: int) -> dict[str, np.ndarray]:
    """Two segments in a row, so that the second sees a memory that is not empty."""
    random = np.random.default_rng(seed)
    shape = (2, plan.evaluation_batch, plan.evaluation_target_length)
    return {"inputs": random.integers(plan.vocabulary, size=shape, dtype=np.int64),
            "targets": random.integers(plan.vocabulary, size=shape, dtype=np.int64)}
