# SPDX-License-Identifier: Apache-2.0
"""`run --profile`: one more run of each cell under cProfile, kept apart from what is measured."""

import json
import sys
import unittest

from test_studies import Study

WORKLOAD = """
import sys
def slow(n):
    return sum(i * i for i in range(n))
slow(200000 * int(sys.argv[1]))
"""


class RunProfile(Study):
    def setUp(self):
        super().setUp()
        (self.scratch / "work.py").write_text(WORKLOAD)

    def profile(self, *more):
        done = self.run_program("profile", self.scratch / "result", "--json", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["profiles"]

    def test_adds_a_profile_of_each_cell_that_is_not_counted(self):
        self.study(f'["{sys.executable}", "-X", "utf8", "work.py", "{{size}}"]')
        done = self.run_study("--profile")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"12 of 12 runs are done: .*: profiled 4 of 4")
        counted = [row for row in self.rows() if row["warmup"] != "1"]
        self.assertEqual(len(counted), 12)
        self.assertEqual([row for row in counted if "profiled" in row["flags"]], [])
        profiles = self.profile()
        self.assertEqual(len(profiles), 4)
        for one in profiles:
            self.assertGreater(one["slow_down"], 0)
            self.assertIn("slow", [function["function"] for function in one["functions"]])
        self.assertEqual(len(self.profile("--only", "size=2")), 2)
        again = self.run_study("--profile")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.events().count("profile"), 4, "what is profiled is not profiled again")

    def test_counts_only_the_cells_that_were_asked_for(self):
        self.study(f'["{sys.executable}", "work.py", "{{size}}"]')
        done = self.run_study("--profile", "--only", "side=left")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("profiled 2 of 2", done.stderr)
        self.assertNotIn("of 4", done.stderr)
        # Those that have a profile are not counted again.
        rest = self.run_study("--profile")
        self.assertIn("profiled 1 of 2", rest.stderr)

    def test_can_follow_a_study_that_is_done(self):
        self.study(f'["{sys.executable}", "work.py", "{{size}}"]')
        self.assertEqual(self.run_study().returncode, 0)
        none = self.run_program("profile", self.scratch / "result")
        self.assertEqual(none.returncode, 1)
        self.assertIn("--profile", none.stderr)
        self.assertEqual(self.run_study("--profile").returncode, 0)
        self.assertEqual(len(self.profile()), 4)

    def test_names_the_cells_that_cannot_be_profiled(self):
        self.study()
        done = self.run_study("--profile")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("no profile of"), 4)
        self.assertIn("does not run Python", done.stderr)

    def test_a_failing_run_under_the_profiler_leaves_no_dump(self):
        self.study(f'["{sys.executable}", "-m", "no_such_module", "{{size}}"]', 'give_up_after = 100')
        done = self.run_study("--profile")
        self.assertIn("failed", done.stderr)
        self.assertEqual(list((self.scratch / "result").rglob("*.prof")), [])


if __name__ == "__main__":
    unittest.main()
