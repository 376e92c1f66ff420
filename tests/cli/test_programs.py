# SPDX-License-Identifier: Apache-2.0
"""prengdl measures by itself and goes on as prengdl-full for everything else."""

import json
import os
import pathlib
import shutil
import unittest
from unittest import mock

import program
from program import FULL, PRENGDL, STANDINS, Case, python

# A workload that tells which program is its parent.
WHO = python("import os; print(os.readlink(f'/proc/{os.getppid()}/exe'))")


@unittest.skipUnless(FULL.exists(), "a build with sanitisers has one program for everything")
class Programs(Case):
    def measurer(self, *options, env=None):
        done = self.run_program("measure", *options, "--", *WHO, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return pathlib.Path(done.stdout.splitlines()[0]).name

    def test_a_plain_measurement_is_made_by_the_small_program(self):
        self.assertEqual(self.measurer(), "prengdl")
        self.assertEqual(self.measurer("-n", "1", "--rate", "1kHz", "--idle", "10ms"), "prengdl")

    def test_a_stored_result_a_library_and_sudo_need_the_full_one(self):
        self.assertEqual(self.measurer("-o", self.scratch / "a.result"), "prengdl-full")
        self.assertTrue((self.scratch / "a.result/study.db").exists())
        self.assertEqual(self.measurer(env={"LD_LIBRARY_PATH": STANDINS}), "prengdl-full")
        if os.geteuid() == 0:
            behind = {"SUDO_UID": "65534", "SUDO_GID": "65534", "TMPDIR": None}
            self.assertEqual(self.measurer("--as-root", env=behind), "prengdl-full")

    def test_both_tell_the_same(self):
        small, full = (json.loads(done.stdout) for done in (
            self.run_program("measure", "--json", "--", "true"),
            self.run_program("measure", "--json", "-o", self.scratch / "b.result", "--", "true")))
        self.assertEqual(small.keys(), full.keys())
        self.assertEqual(small["machine"].keys(), full["machine"].keys())
        self.assertEqual(small["meters"], full["meters"])
        # Whether a run this short gets a figure, or a warning that it has none, hangs on the moment.
        run_of = lambda result: result["commands"][0]["runs"][0].keys() - {"warnings"}
        self.assertEqual(run_of(small), run_of(full))

    def test_without_the_full_program_it_says_what_is_missing_and_still_measures(self):
        alone = self.scratch / "prengdl"
        shutil.copy(PRENGDL, alone)
        with mock.patch.object(program, "PRENGDL", str(alone)):
            path = {"PATH": "/usr/bin:/bin"}
            done = self.run_program("meters", env=path)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("prengdl-full", done.stderr)
            self.assertIn("install the package", done.stderr)
            self.assertEqual(self.measurer(env=path), "prengdl")


if __name__ == "__main__":
    unittest.main()
