# SPDX-License-Identifier: Apache-2.0
"""That run.py sees when two frameworks do not do the same; no framework is needed."""

import copy
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from models import Check

import run

CHECK = Check("ncf", phases=("train",), near={"loss": 0.1})
TOLD = [
    {"ev": "begin", "span": "load", "name": ""},
    {"ev": "fact", "name": "parameters", "value": "31"},
    {"ev": "begin", "span": "train", "name": ""},
    {"ev": "metric", "name": "loss", "value": 2.0, "step": 1},
    {"ev": "metric", "name": "loss", "value": 1.0, "step": 2},
    {"ev": "work", "name": "samples", "value": 640},
]


class Problems(unittest.TestCase):
    def found(self, change=lambda events: None) -> str:
        """What is said if PyTorch tells the above and TensorFlow that with a change."""
        other = copy.deepcopy(TOLD)
        change(other)
        results = {"pytorch": {"phases": {"train": TOLD}}, "tensorflow": {"phases": {"train": other}}}
        return "\n".join(run.problems_of(CHECK, results))

    def test_none_where_all_is_equal(self):
        self.assertEqual(self.found(), "")

    def test_other_work_is_seen(self):
        self.assertIn("work differ", self.found(lambda events: events[5].update(value=600)))
        self.assertIn("tells no work", self.found(lambda events: events.pop()))

    def test_another_model_is_seen(self):
        self.assertIn("parameters differ", self.found(lambda events: events[1].update(value="32")))

    def test_a_missing_span_or_metric_is_seen(self):
        self.assertIn("no span 'train'", self.found(lambda events: events.pop(2)))
        self.assertIn("metrics differ", self.found(lambda events: events.pop(3)))

    def test_a_loss_that_rises_or_ends_elsewhere_is_seen(self):
        self.assertIn("does not fall", self.found(lambda events: events[4].update(value=2.5)))
        self.assertIn("loss ends at", self.found(lambda events: events[4].update(value=1.5)))

    def test_an_error_is_told_with_its_framework(self):
        results = {"pytorch": {"error": "out of memory"}, "tensorflow": {"phases": {"train": TOLD}}}
        self.assertEqual(run.problems_of(CHECK, results), ["pytorch: out of memory"])

    def test_a_framework_that_dies_is_a_problem_of_every_check_left(self):
        with tempfile.TemporaryDirectory() as scratch:
            found = run.outcomes("pytorch", "/bin/false", [3, 4], Path(scratch))
        self.assertEqual(sorted(found), [3, 4])
        self.assertIn("ended with 1 before this was done", found[4]["error"])


if __name__ == "__main__":
    unittest.main()
