# SPDX-License-Identifier: Apache-2.0
"""A study that names another primary measure for machines without a meter."""

import json
import unittest

from program import Case

STUDY = """
[study]
name = "small"
runs = 3
[protocol]
warmup = 0
settle = "off"
[factors]
side = ["left", "right"]
[workload]
variables = { SIDE = "{side}" }
command = ["sleep", "0.7"]
[analysis]
compare = "side"
primary = "metered"
without_meter = "seconds"
secondary = ["seconds"]
"""


class WithoutMeter(Case):
    def families(self, *more):
        """The family of each measure, on a machine that shows no meter of its own."""
        root = self.scratch / "root"
        (root / "sys").mkdir(parents=True)
        (root / "proc").symlink_to("/proc")
        (self.scratch / "small.toml").write_text(STUDY)
        result = self.scratch / "result"
        done = self.run_program("run", self.scratch / "small.toml", "-o", result, "--root", root, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_program("compare", result, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {one["measure"]: one["family"] for one in json.loads(done.stdout)["findings"]}

    def test_time_is_judged_first_where_energy_is_modelled(self):
        families = self.families()
        self.assertEqual(families["seconds"], "primary")
        self.assertNotEqual(families.get("metered"), "primary")

    def test_energy_is_judged_first_where_it_is_measured(self):
        families = self.families("--meter", "sh -c 'while :; do echo 50 W; sleep 0.01; done'")
        self.assertEqual(families["metered"], "primary")
        self.assertEqual(families["seconds"], "secondary")


if __name__ == "__main__":
    unittest.main()
