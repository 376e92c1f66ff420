# SPDX-License-Identifier: Apache-2.0
"""RAPL whose true energy is known: bench/fake_rapl, a file system that computes its counters."""

import os
import subprocess
import time
import unittest

from program import FAKE_RAPL, Case


def why_not():
    if not FAKE_RAPL or not os.path.exists(FAKE_RAPL):
        return "fake_rapl is not built (libfuse3-dev)"
    if os.geteuid() != 0:
        return "mounting needs root"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "there is no /dev/fuse"
    return None


@unittest.skipIf(why_not(), why_not())
class FakeRapl(Case):
    def mount(self, *options):
        where = self.scratch / "mount"
        where.mkdir()
        fake = subprocess.Popen([FAKE_RAPL, "--die-with-parent", *options, where],
                                stderr=subprocess.PIPE)
        self.addCleanup(self.unmount, fake, where)
        until = time.monotonic() + 10
        while not (where / "sys").is_dir():
            if fake.poll() is not None or time.monotonic() > until:
                self.skipTest(f"cannot mount: {fake.stderr.read().decode().strip()}")
            time.sleep(0.01)
        return where

    @staticmethod
    def unmount(fake, where):
        if fake.poll() is None:
            fake.terminate()
        try:
            fake.wait(10)
        except subprocess.TimeoutExpired:
            fake.kill()
            fake.wait()
        fake.stderr.close()
        if os.path.ismount(where):
            subprocess.run(["umount", "--lazy", where], check=False)

    def assertWatts(self, run, domain, watts, share=0.1):
        expected = watts * run["window_seconds"]
        self.assertAlmostEqual(run["joules"][domain]["value"], expected, delta=share * expected)

    def test_constant_power(self):
        root = self.mount("--wave", "const:60")
        run = self.one_run("--root", root, "--", "sleep", "1")
        self.assertWatts(run, "package", 60)
        self.assertWatts(run, "cores", 30)
        self.assertWatts(run, "dram", 15)
        self.assertWatts(run, "metered", 75)

    def test_a_wrap_in_the_middle(self):
        root = self.mount("--wave", "const:60", "--range-joules", "1000", "--wrap-after", "40")
        run = self.one_run("--root", root, "--", "sleep", "1.2")
        self.assertWatts(run, "package", 60)

    def test_two_packages_are_added_and_the_platform_is_not(self):
        root = self.mount("--wave", "const:60", "--packages", "2", "--psys")
        run = self.one_run("--root", root, "--rate", "1kHz", "--", "sleep", "0.5")
        self.assertWatts(run, "package", 90)
        self.assertWatts(run, "platform", 120)
        self.assertWatts(run, "metered", 90 * 1.25)

    def test_a_square_wave(self):
        root = self.mount("--wave", "square:20,120,20")
        run = self.one_run("--root", root, "--rate", "1kHz", "--", "sleep", "1")
        self.assertWatts(run, "package", 70, share=0.15)

    def test_half_the_time_is_half_the_energy(self):
        root = self.mount("--wave", "const:60")
        result = self.measure("--root", root, "-n", "3", "-c", "sleep 0.2", "-c", "sleep 0.4")
        finding = next(f for f in result["findings"] if f["measure"] == "metered")
        self.assertAlmostEqual(finding["estimate"]["ratio"], 0.5, delta=0.2)
        self.assertLessEqual({"ratio", "ci95", "p"}, finding["estimate"].keys())
