# SPDX-License-Identifier: Apache-2.0
"""How outputs of two frameworks are compared; no framework is needed."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import numpy as np

from workloads import parity


class Differences(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def found(self, one: dict, other: dict, tolerance: float = 1e-4) -> list[str]:
        files = [self.directory / "one.npz", self.directory / "other.npz"]
        for file, outputs in zip(files, (one, other)):
            parity.replace(file, {"parameters": np.array(7), **outputs})
        with contextlib.redirect_stdout(io.StringIO()):
            return parity.differences(files[0], files[1], tolerance)

    def test_rounding_is_no_difference(self):
        values = np.linspace(-3, 3, 50)
        self.assertEqual(self.found({"output:a": values}, {"output:a": values * (1 + 1e-6)}), [])

    def test_the_tolerance_is_relative_to_the_largest_value(self):
        values = np.linspace(0, 1000, 11)
        self.assertEqual(self.found({"output:a": values}, {"output:a": values + 0.05}), [])
        self.assertIn("apart", self.found({"output:a": values}, {"output:a": values + 5})[0])

    def test_parameters_shapes_and_names_must_be_equal(self):
        values = np.arange(4.0)
        self.assertIn("parameters: 7 and 8", self.found({}, {"parameters": np.array(8)}))
        self.assertIn("shape", self.found({"output:a": values}, {"output:a": values[:2]})[0])
        self.assertIn("name", self.found({"output:a": values}, {"output:b": values})[0])

    def test_outputs_that_show_nothing_are_refused(self):
        for useless in (np.zeros(4), np.ones(4), np.array([1.0, np.nan])):
            self.assertIn("no usable values", self.found({"output:a": useless}, {"output:a": useless})[0])


if __name__ == "__main__":
    unittest.main()
