# SPDX-License-Identifier: Apache-2.0
"""gate of results: occasions, turns, and which runs count."""

import csv
import io
import json
import unittest

from program import Case

STUDY = """
[study]
name = "retried"
runs = 4
seed = 5
[protocol]
warmup = 0
settle = "off"
[factors]
way = ["slow", "quick"]
[workload]
command = ["sh", "-c", "test -e {way}{block} || {{ touch {way}{block}; exit 1; }}; sleep $TIME"]
variables = { TIME = "0.3" }
retry = 1
[[override]]
where = { way = "quick" }
variables = { TIME = "0.02" }
[analysis]
compare = "way"
primary = "seconds"
"""


class Occasions(Case):
    """Imported tables, so that every figure is known."""

    def result(self, name, seconds):
        table = self.scratch / f"{name}.csv"
        table.write_text("Time,Way\n" + "".join(f"{one},{name}\n" for one in seconds))
        done = self.run_program("import", "csv", table, "-o", self.scratch / name,
                                "--map", "seconds=Time,factor:way=Way")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.scratch / name

    def setUp(self):
        super().setUp()
        self.base = self.result("base", (10.0, 10.1, 9.9, 10.0, 10.05, 9.95))
        self.new = self.result("new", (10.6, 10.7, 10.5, 10.6, 10.65, 10.55))

    def gate(self, *more):
        done = self.run_program("gate", self.base, self.new, "--measure", "seconds", *more)
        return done, json.loads(done.stdout) if "--json" in more else None

    def test_cannot_tell_without_the_spread_between_them(self):
        done, found = self.gate("--json")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(found["verdict"], "cannot tell")
        self.assertIn("different occasions", found["reason"])
        self.assertIn("--interleave", found["advice"])
        self.assertNotIn("between", found)
        self.assertNotIn("ci95", found["tested"])
        self.assertAlmostEqual(found["tested"]["ratio"], 1.06, places=3)
        self.assertIn("--interleave", self.gate()[0].stdout)

    def test_a_stated_spread_enters_the_interval(self):
        done, small = self.gate("--between", "0.5%", "--json")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(small["between"], 0.005)
        done, large = self.gate("--between", "2%", "--json")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertLess(large["tested"]["ci95"][0], small["tested"]["ci95"][0])
        self.assertIn("2 % sd between occasions", self.gate("--between", "2%")[0].stdout)

    def test_a_spread_that_is_none_is_wrong_usage(self):
        for wrong in ("2", "0%", "much"):
            self.assertUsage(self.gate("--between", wrong)[0], "--between", "--between 2%")
        done = self.run_program("gate", "--interleave", "-c", "true", "-c", "true", "--between", "2%")
        self.assertUsage(done, "--interleave measures on one")

    def test_one_result_of_one_cell_has_no_change(self):
        done = self.run_program("gate", self.base)
        self.assertEqual(done.returncode, 1)
        self.assertError(done, "has 1 cell", "BASE.result NEW.result")

    def test_an_imported_result_does_not_prove_turns(self):
        table = self.scratch / "both.csv"
        table.write_text("Time,Way\n" + "".join(f"{10 + i / 10},a\n{30 + i / 10},b\n" for i in range(6)))
        both = self.scratch / "both"
        self.run_program("import", "csv", table, "-o", both, "--map", "seconds=Time,factor:way=Way")
        done = self.run_program("gate", both, "--measure", "seconds")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("do not show that the two ran in turn", done.stdout)


class Turns(Case):
    def test_one_result_of_both_has_the_pairs_that_compare_counts(self):
        (self.scratch / "study.toml").write_text(STUDY)
        result = self.scratch / "result"
        done = self.run_program("run", self.scratch / "study.toml", "-o", result)
        self.assertEqual(done.returncode, 0, done.stderr)
        runs = csv.DictReader(io.StringIO(self.run_program("export", result).stdout))
        left_out = [run["run"] for run in runs if run["block"] == "2" and run["outcome"] == "ok"]
        self.assertEqual(len(left_out), 2)
        done = self.run_program("exclude", result, left_out[0], "--why", "to see")
        self.assertEqual(done.returncode, 0, done.stderr)
        (finding,) = [one for one in json.loads(self.run_program("compare", result, "--json").stdout)["findings"]
                      if one["measure"] == "seconds"]
        done = self.run_program("gate", result, "--measure", "seconds", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertTrue(found["paired"])
        self.assertNotIn("between", found)
        self.assertEqual((found["base"], found["new"]), ("slow", "quick"))
        self.assertEqual(found["tested"]["n"], [finding["n"]] * 2)
        self.assertEqual(finding["n"], 3)
        self.assertAlmostEqual(1 / found["tested"]["ratio"], finding["estimate"]["ratio"], places=9)


if __name__ == "__main__":
    unittest.main()
