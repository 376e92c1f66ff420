# SPDX-License-Identifier: Apache-2.0
"""MovieLens data and what NCF makes of them; no framework is needed.

    PYTHONPATH=.:python PYTHON_OF_AN_ENVIRONMENT -m unittest tests/workloads/test_ncf.py
"""

import dataclasses
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from workloads.shared import ncf
from workloads.shared.data import movielens
from workloads.shared.job import Refused

PLAN = dataclasses.replace(ncf.PRESETS["tiny"], users=60, items=50, ratings_each=12, test_negatives=30, batch=64)


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.data = Path(scratch.name)

    def job(self, **changes):
        return SimpleNamespace(plan=dataclasses.replace(PLAN, **changes), preset="tiny", data=self.data, seed=1)


class MovieLens(Scratch):
    def test_generated_ratings_have_the_published_form(self):
        movielens.generate(self.data, 60, 50, 12)
        lines = (self.data / "ratings.csv").read_text().splitlines()
        self.assertEqual(lines[0], "userId,movieId,rating,timestamp")
        rows = [line.split(",") for line in lines[1:]]
        self.assertEqual(len(rows), 60 * 12)
        self.assertEqual(rows, sorted(rows, key=lambda row: (int(row[0]), int(row[1]))))
        self.assertTrue(all(float(row[2]) * 2 % 1 == 0 and 0.5 <= float(row[2]) <= 5 for row in rows))

    def test_generation_is_repeatable(self):
        for name in ("one", "two"):
            (self.data / name).mkdir()
            movielens.generate(self.data / name, 60, 50, 12)
        self.assertEqual((self.data / "one/ratings.csv").read_bytes(), (self.data / "two/ratings.csv").read_bytes())

    def test_the_latest_rating_of_each_user_is_the_test(self):
        (self.data / "ratings.csv").write_text("userId,movieId,rating,timestamp\n"
                                               "7,10,4.0,300\n7,20,3.5,100\n7,40,5.0,200\n9,10,2.0,50\n9,30,1.0,60\n")
        found = movielens.interactions(self.data, 1)
        self.assertEqual((found.users, found.items), (2, 4))
        self.assertEqual(found.train_user.tolist(), [0, 0, 1])
        self.assertEqual(found.train_item.tolist(), [1, 3, 0])
        self.assertEqual(found.test_item.tolist(), [0, 2])
        self.assertEqual(found.test_negatives[0].tolist(), [2])
        self.assertIn(found.test_negatives[1, 0], (1, 3))

    def test_what_is_kept_equals_what_was_split(self):
        movielens.generate(self.data, 60, 50, 12)
        split, kept = movielens.interactions(self.data, 30), movielens.interactions(self.data, 30)
        self.assertTrue((self.data / "leave-one-out-30.npz").is_file())
        for name, value in vars(split).items():
            np.testing.assert_array_equal(value, getattr(kept, name))

    def test_negatives_are_different_and_were_never_met(self):
        found = ncf.data(self.job())
        for user in range(found.users):
            met = set(found.train_item[found.train_user == user]) | {found.test_item[user]}
            offered = found.test_negatives[user]
            self.assertEqual(len(set(offered)), 30)
            self.assertFalse(met & set(offered))

    def test_check_says_what_is_not_as_published(self):
        self.assertIn("missing", movielens.check(self.data)[0])
        movielens.generate(self.data, 60, 50, 12)
        self.assertIn("720 ratings instead of 20000263", movielens.check(self.data)[0])
        (self.data / "ratings.csv").write_text("user::movie\n")
        self.assertIn("header", movielens.check(self.data)[0])

    def test_the_study_needs_the_real_data(self):
        with self.assertRaises(Refused) as refused:
            ncf.prepare(self.job(synthetic=False))
        self.assertIn("GroupLens", refused.exception.args[1])


class Batches(Scratch):
    def test_every_interaction_comes_once_with_its_negatives(self):
        found = ncf.data(self.job())
        batches = list(ncf.train_batches(PLAN, found, seed=1, epoch=1))
        user, item, label = (np.concatenate(parts) for parts in zip(*batches))
        self.assertEqual(len(user), 5 * len(found.train_user))
        self.assertEqual(label.sum(), len(found.train_user))
        met = sorted(zip(user[label == 1], item[label == 1]))
        self.assertEqual(met, sorted(zip(found.train_user, found.train_item)))
        self.assertTrue(all(len(batch[0]) == 60 for batch in batches[:-1]))  # the largest multiple of 5 below 64

    def test_order_depends_on_seed_and_epoch_alone(self):
        found = ncf.data(self.job())

        def items(seed, epoch):
            return np.concatenate([batch[1] for batch in ncf.train_batches(PLAN, found, seed, epoch)])

        np.testing.assert_array_equal(items(1, 1), items(1, 1))
        self.assertFalse(np.array_equal(items(1, 1), items(1, 2)))
        self.assertFalse(np.array_equal(items(1, 1), items(2, 1)))

    def test_hit_rate(self):
        scores = np.zeros((4, 31))
        scores[0, 0] = 1  # first of all
        scores[1, 1:10], scores[1, 0] = 2, 1  # tenth
        scores[2, 1:11], scores[2, 0] = 2, 1  # eleventh
        self.assertEqual(ncf.hit_rate(PLAN, scores), 0.5)  # the fourth ties with all: lost


if __name__ == "__main__":
    unittest.main()
