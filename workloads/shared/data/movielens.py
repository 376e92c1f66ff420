# SPDX-License-Identifier: Apache-2.0
"""MovieLens ratings as GroupLens publishes them: ratings.csv with userId,movieId,rating,timestamp."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from workloads.shared.data.kept import keep, kept

ORIGIN = "GroupLens (University of Minnesota), MovieLens 20M: ml-20m.zip, unpacked as ml-20m/ratings.csv"
HEADER = "userId,movieId,rating,timestamp"
ROWS = 20_000_263  # as its README says
TASTES = 10  # of generated users


@dataclass(frozen=True)
class Interactions:
    """Who saw what, each user's last interaction kept for the test; users and items are numbered from 0."""

    users: int
    items: int
    train_user: np.ndarray  # int32, one per interaction
    train_item: np.ndarray
    test_item: np.ndarray  # int32, one per user
    test_negatives: np.ndarray  # int32, users x negatives: items that the user never met


def check(directory: Path) -> list[str]:
    path = directory / "ratings.csv"
    if not path.is_file():
        return [f"{path} is missing"]
    with path.open("rb") as file:
        header = file.readline().decode().strip()
        if header != HEADER:
            return [f"{path}: the header is '{header}', not '{HEADER}'"]
        rows = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 24), b""))
    return [] if rows == ROWS else [f"{path}: {rows} ratings instead of {ROWS}"]


def interactions(directory: Path, negatives: int) -> Interactions:
    """The split. It is kept next to ratings.csv, so that no run reads 20 million lines of text."""
    source = directory / "ratings.csv"
    place = directory / f"leave-one-out-{negatives}.npz"
    arrays = kept(place, [source])
    if arrays is None:
        found = leave_one_out(*read(source), negatives)
        keep(place, vars(found))
        return found
    return Interactions(**{name: int(array) if array.ndim == 0 else array for name, array in arrays.items()})


def read(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """User, movie and time of every rating. That it was rated is all that counts: feedback is implicit."""
    columns = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(0, 1, 3), dtype=np.int64)
    return columns[:, 0], columns[:, 1], columns[:, 2]


def leave_one_out(user: np.ndarray, movie: np.ndarray, time: np.ndarray, negatives: int) -> Interactions:
    """The split of He et al. 2017: each user's latest item is the test, ranked among items never met."""
    users, user = np.unique(user, return_inverse=True)
    items, item = np.unique(movie, return_inverse=True)
    order = np.lexsort((time, user))  # stable: equal times stay in the file's order
    user, item = user[order], item[order]
    _, first = np.unique(user * len(items) + item, return_index=True)  # a movie rated twice counts once
    first.sort()
    user, item = user[first], item[first]
    last = np.append(user[1:] != user[:-1], True)
    met = np.sort(user * len(items) + item)
    return Interactions(
        users=len(users), items=len(items),
        train_user=user[~last].astype(np.int32), train_item=item[~last].astype(np.int32),
        test_item=item[last].astype(np.int32),
        test_negatives=never_met(met, len(users), len(items), negatives),
    )


def never_met(met: np.ndarray, users: int, items: int, count: int) -> np.ndarray:
    """For each user `count` different items that are not among the sorted keys user * items + item. The seed is fixed:
    the test is the same in every run."""
    most = np.bincount(met // items, minlength=users).max()
    if items - most < count:
        raise ValueError(f"a user met {most} of {items} items: there are no {count} others")
    generator = np.random.default_rng(0)
    drawn = generator.integers(0, items, (users, count))
    while True:
        drawn.sort(axis=1)
        keys = np.arange(users)[:, None] * items + drawn
        wrong = met[np.minimum(np.searchsorted(met, keys), len(met) - 1)] == keys
        wrong[:, 1:] |= drawn[:, 1:] == drawn[:, :-1]
        again = int(wrong.sum())
        if not again:
            return drawn.astype(np.int32)
        drawn[wrong] = generator.integers(0, items, again)


def generate(directory: Path, users: int, items: int, each: int, seed: int = 0):
    """Ratings with taste in them: a user mostly rates the items of one group. As in the real file lines are ordered
    by user and movie, and numbers of movies have gaps."""
    if users < items:
        raise ValueError(f"{users} users cannot rate each of {items} items")
    generator = np.random.default_rng(seed)
    group = np.arange(items) % TASTES
    lines = [HEADER]
    for user in range(users):
        sure = user % items  # so that every item is rated by someone
        liking = np.where(group == group[sure], 40.0, 1.0)
        liking[sure] = 0
        others = generator.choice(items, each - 1, replace=False, p=liking / liking.sum())
        rated = np.sort(np.append(others, sure))
        stars = np.where(group[rated] == group[sure], 4.0, 2.0) + generator.integers(-2, 3, each) / 2
        times = generator.integers(800_000_000, 1_400_000_000, each)
        lines += [f"{user + 1},{3 * item + 1},{star:.1f},{time}" for item, star, time in zip(rated, stars, times)]
    (directory / "ratings.csv").write_text("\n".join(lines) + "\n")
