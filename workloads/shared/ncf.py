# SPDX-License-Identifier: Apache-2.0
"""Neural collaborative filtering (He et al. 2017), NeuMF: a factorisation and a perceptron, joined.

ICSE'22 ran NVIDIA's DeepLearningExamples on MovieLens 20M; settings marked (NVIDIA) are the defaults of its ncf.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workloads.shared import flops
from workloads.shared.data import made, movielens
from workloads.shared.job import Job, Refused

LOADS = ("sklearn.metrics",)  # takes seconds, and --prepare needs none of it


@dataclass(frozen=True)
class Plan:
    synthetic: bool
    users: int
    items: int
    ratings_each: int  # by every generated user; real users have their own
    factors: int
    layers: tuple[int, ...]  # the first is the width of the two joined embeddings
    dropout: float
    batch: int  # examples, the negative ones among them
    epochs: int
    negatives: int = 4  # per interaction (NVIDIA)
    test_negatives: int = 100  # (NVIDIA); MLPerf took 999
    test_batch: int = 2**20  # examples (NVIDIA)
    infer_passes: int = 1  # over the test set
    optimizer: str = "adam"
    learning_rate: float = 0.0045  # (NVIDIA)
    beta1: float = 0.25  # (NVIDIA)
    beta2: float = 0.5  # (NVIDIA)
    epsilon: float = 1e-8  # (NVIDIA)


PRESETS = {
    "tiny": Plan(synthetic=True, users=2000, items=600, ratings_each=24, factors=16, layers=(64, 64, 32, 16),
                 dropout=0.2, batch=2560, epochs=3, test_batch=2**15, infer_passes=10),
    "laptop": Plan(synthetic=True, users=20000, items=4000, ratings_each=60, factors=64, layers=(256, 256, 128, 64),
                   dropout=0.5, batch=2**14, epochs=3, test_batch=2**16, infer_passes=2),
    # The study's profile shows three hidden layers and an output per prediction, as these. The epochs are NVIDIA's.
    "paper": Plan(synthetic=False, users=138_493, items=26_744, ratings_each=0, factors=64, layers=(256, 256, 128, 64),
                  dropout=0.5, batch=2**20, epochs=30),
}


FORMATS = (movielens,)


def directory_of(data: Path, preset: str, form) -> Path:
    return data / "ml-20m"


def folder(job: Job) -> Path:
    plan = job.plan
    if not plan.synthetic:
        return directory_of(job.data, job.preset, movielens)
    return job.data / f"ml-synthetic-{plan.users}-{plan.items}-{plan.ratings_each}"


def prepare(job: Job):
    plan, directory = job.plan, folder(job)
    if plan.synthetic:
        made(directory, lambda aside: movielens.generate(aside, plan.users, plan.items, plan.ratings_each))
    elif problems := movielens.check(directory):
        raise Refused("; ".join(problems), f"it comes from {movielens.ORIGIN}")
    movielens.interactions(directory, plan.test_negatives)


def data(job: Job) -> movielens.Interactions:
    directory = folder(job)
    if not (directory / "ratings.csv").is_file():
        prepare(job)
    found = movielens.interactions(directory, job.plan.test_negatives)
    if (found.users, found.items) != (job.plan.users, job.plan.items):
        raise Refused(f"{directory} has {found.users} users and {found.items} items, "
                      f"the plan {job.plan.users} and {job.plan.items}", "set users and items to those of the data")
    return found


def train_batches(plan: Plan, found: movielens.Interactions, seed: int, epoch: int) -> Iterator[tuple[np.ndarray, ...]]:
    """User, item and label (1 met, 0 not). Each interaction comes with its negatives, so every batch holds the same
    share of them. A negative is any item at random, which NVIDIA's sampling accepts too: few of them were met."""
    generator = np.random.default_rng((seed, epoch))
    order = generator.permutation(len(found.train_user))
    together = 1 + plan.negatives
    positives = max(1, plan.batch // together)
    for start in range(0, len(order), positives):
        chosen = order[start:start + positives]
        item = np.empty((len(chosen), together), dtype=np.int32)
        item[:, 0] = found.train_item[chosen]
        item[:, 1:] = generator.integers(0, found.items, (len(chosen), plan.negatives), dtype=np.int32)
        label = np.zeros((len(chosen), together), dtype=np.float32)
        label[:, 0] = 1
        yield np.repeat(found.train_user[chosen], together), item.ravel(), label.ravel()


def test_batches(plan: Plan, found: movielens.Interactions) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """User and item; for each user first the item that was met, then the negatives."""
    together = 1 + plan.test_negatives
    rows = max(1, plan.test_batch // together)
    for start in range(0, found.users, rows):
        users = np.arange(start, min(start + rows, found.users), dtype=np.int32)
        items = np.concatenate([found.test_item[users, None], found.test_negatives[users]], axis=1)
        yield np.repeat(users, together), items.ravel()


def test_examples(plan: Plan, found: movielens.Interactions) -> int:
    return found.users * (1 + plan.test_negatives)


def hit_rate(plan: Plan, scores: np.ndarray) -> float:
    """Share of users whose item is among the ten best of those offered. A tie with a negative counts as lost."""
    from sklearn.metrics import top_k_accuracy_score

    offered = 1 + plan.test_negatives
    scores = scores.reshape(-1, offered)
    return float(top_k_accuracy_score(np.zeros(len(scores), dtype=int), scores, k=10, labels=np.arange(offered)))


def shapes(plan: Plan) -> dict[str, tuple[int, ...]]:
    """Names and shapes as PyTorch has them: a linear layer is outputs x inputs."""
    half = plan.layers[0] // 2
    result: dict[str, tuple[int, ...]] = {
        "factor_user.weight": (plan.users, plan.factors), "factor_item.weight": (plan.items, plan.factors),
        "layer_user.weight": (plan.users, half), "layer_item.weight": (plan.items, half),
    }
    for index, (inputs, outputs) in enumerate(zip(plan.layers, plan.layers[1:])):
        result[f"layers.{index}.weight"] = (outputs, inputs)
        result[f"layers.{index}.bias"] = (outputs,)
    result["final.weight"] = (1, plan.layers[-1] + plan.factors)
    result["final.bias"] = (1,)
    return result


def forward_flops(plan: Plan) -> int:
    hidden = sum(flops.dense(inputs, outputs) for inputs, outputs in zip(plan.layers, plan.layers[1:]))
    return hidden + flops.dense(plan.layers[-1] + plan.factors, 1)


def canonical_weights(plan: Plan, seed: int) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)
    return {name: generator.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes(plan).items()}


def parity_inputs(plan: Plan, seed: int) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed + 1)
    return {"user": generator.integers(0, plan.users, 200, dtype=np.int32),
            "item": generator.integers(0, plan.items, 200, dtype=np.int32)}
