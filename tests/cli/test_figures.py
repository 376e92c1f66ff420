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


class SlowMeters(Case):
    def battery(self, machine):
        directory = "sys/class/power_supply/BAT0"
        for name, text in (("type", "Battery"), ("status", "Discharging"), ("present", "1"),
                           ("power_now", "15000000")):
            machine.write(f"{directory}/{name}", text + "\n")

    def test_a_battery_that_is_not_in_the_total_does_not_hold_up_the_runs(self):
        machine = FakeMachine(self.scratch / "machine")
        counter = machine.zone()
        self.battery(machine)
        with Drawing(counter, 60):
            # With ten seconds after each run this would take longer than a test may.
            result = self.measure("--root", machine.root, "-n", "5", "--", "sleep", "0.1")
        self.assertEqual(result["metered"], ["package"])
        self.assertEqual(len(result["commands"][0]["runs"]), 5)
