# SPDX-License-Identifier: Apache-2.0
"""Figures that are right, or say how far they may be wrong: runs that were cut short, a sampler or a
counter that was held up, coarse counters, slow meters."""

import json
import os
import signal
import time
import unittest

import test_fake_rapl
from program import PATIENCE, Case, Drawing, FakeMachine, line, python


class CoarseCounters(Case):
    def test_steps_of_36_joules_are_in_the_uncertainty(self):
        script = self.scratch / "meter.py"
        script.write_text("import time\nwhile True:\n"
                          "    print(time.monotonic() * 20 // 36 * 36, 'J', flush=True)\n"
                          "    time.sleep(0.1)\n")
        machine = FakeMachine(self.scratch / "machine")
        run = self.one_run("--root", machine.root, "--meter", line(python("")[:1] + [str(script)]), "--",
                           "sleep", "4")
        energy = run["joules"]["machine"]
        self.assertAlmostEqual(energy["value"], 20 * run["window_seconds"], delta=energy["uncertainty"])
        self.assertGreater(energy["uncertainty"], 3)
        self.assertIn("short", run["flags"])
