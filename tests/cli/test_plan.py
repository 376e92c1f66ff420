# SPDX-License-Identifier: Apache-2.0
"""plan for equivalence: the true ratio, and the spread that a pilot knows."""

import json
import unittest

from program import Case

STUDY = """
[study]
name = "small"
runs = 4
[protocol]
warmup = 0
settle = "off"
[factors]
side = ["left", "middle", "right"]
[workload]
command = ["sleep", "0.01"]
variables = { SIDE = "{side}" }
[analysis]
compare = "side"
primary = "seconds"
margin = "5%"
"""


class Plan(Case):
    def setUp(self):
        super().setUp()
        self.study = self.scratch / "small.toml"
        self.study.write_text(STUDY)

    def plan(self, *more):
        done = self.run_program("plan", self.study, *more, cwd=self.scratch)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def family(self, *more):
        return json.loads(self.plan("--json", *more))["families"][0]

    def test_equivalence_takes_more_runs_the_further_the_true_ratio_is_from_one(self):
        numbers = [self.family("--spread", "0.05", "--true-ratio", ratio)["equivalent_n"]
                   for ratio in ("1", "1.01", "1.03")]
        self.assertEqual(sorted(set(numbers)), numbers)
        self.assertEqual(self.family("--spread", "0.05")["equivalent_n"], numbers[0])
        text = self.plan("--spread", "0.05", "--true-ratio", "1.01")
        self.assertRegex(text, r'showing "equivalent" within 5 % takes \d+\s+pairs\s+\(true\s+ratio\s+1\.01,')

    def test_a_true_ratio_outside_the_margin_is_wrong_usage(self):
        for ratio in ("1.06", "0.9", "0", "same"):
            self.assertUsage(self.run_program("plan", self.study, "--true-ratio", ratio), f"--true-ratio {ratio}")

    def test_without_a_spread_usual_ones_are_assumed(self):
        self.assertEqual([one["spread"] for one in self.family()["equivalent_ns"]], [0.01, 0.05])
        self.assertRegex(self.plan(), r"takes 3 pairs at a spread of 1 %,\s+\d+\s+pairs\s+at a\s+spread\s+of\s+5 %")

    def test_a_pilot_is_planned_with_at_the_upper_limit_of_its_spread(self):
        done = self.run_program("run", self.study, "-o", self.scratch / "pilot")
        self.assertEqual(done.returncode, 0, done.stderr)
        family = self.family("--pilot", self.scratch / "pilot")
        # Four blocks of three levels have six degrees of freedom, of which chi-squared's 0.2 quantile is 3.0701.
        self.assertAlmostEqual(family["planned_spread"] / family["spread"], (6 / 3.070088) ** 0.5, places=5)
        self.assertGreaterEqual(family["equivalent_n"], family["equivalent_n_at_estimate"])
        self.assertIn("upper 80 % confidence limit", " ".join(self.plan("--pilot", self.scratch / "pilot").split()))
        stated = self.family("--spread", "0.05")
        self.assertEqual(stated["planned_spread"], stated["spread"])


if __name__ == "__main__":
    unittest.main()
