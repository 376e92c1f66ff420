# SPDX-License-Identifier: Apache-2.0
"""How an analysis came about: the registered plan, and looks before all planned runs were made."""

import hashlib
import json
import re
import sqlite3

from program import Case

STUDY = """
[study]
name = "small"
runs = 6
[protocol]
warmup = 0
settle = "off"
[factors]
side = ["left", "right"]
[workload]
command = ["sh", "-c", "echo {side}"]
[analysis]
compare = "side"
primary = "seconds"
margin = "10%"
"""


class Provenance(Case):
    def setUp(self):
        super().setUp()
        self.study = self.scratch / "small.toml"
        self.study.write_text(STUDY)
        self.result = self.scratch / "small.result"

    def run_study(self, *more):
        done = self.run_program("run", self.study, "-o", self.result, *more)
        self.assertEqual(done.returncode, 0, done.stderr)

    def text(self, *more):
        done = self.run_program("compare", self.result, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def report(self, *more):
        return json.loads(self.text("--json", *more))

    def events(self):
        done = self.run_program("status", self.result, "--json")
        return [(event["kind"], event["detail"]) for event in json.loads(done.stdout)["events"]]

    def sql(self, query):
        database = sqlite3.connect(self.result / "study.db")
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()


class Registration(Provenance):
    def test_the_analysis_is_registered_before_the_first_run(self):
        self.run_study()
        ((sha256, at, text),) = self.sql("SELECT sha256, at, text FROM registration")
        self.assertEqual(sha256, hashlib.sha256(text.encode()).hexdigest())
        self.assertEqual(json.loads(text)["margin"], 0.1)
        ((first,),) = self.sql("SELECT min(started_at) FROM runs")
        self.assertLessEqual(at, first)
        self.assertEqual(self.report()["registration"], {"sha256": sha256, "at": at, "changed": []})
        self.assertIn(f"Analysed as registered on {at[:10]} (sha256 {sha256[:8]}…).", self.text())

    def test_what_changed_since_is_listed(self):
        self.run_study()
        own = self.result / "study.toml"
        own.write_text(own.read_text().replace('"10%"', '"20%"'))
        self.assertEqual(self.report()["registration"]["changed"], [
            {"key": "margin", "registered": 0.1, "now": 0.2}])
        text = self.text()
        self.assertIn("not the analysis that was registered", text)
        self.assertIn("Changed: margin, registered 0.1, now 0.2.", text)

    def test_an_option_is_a_change_too(self):
        self.study.write_text(STUDY + 'per = "samples"\n')
        self.run_study()
        self.assertEqual(self.report("--per", "run")["registration"]["changed"],
                         [{"key": "per", "registered": "samples"}])

    def test_the_report_says_so(self):
        self.run_study()
        page = self.scratch / "report.md"
        self.run_program("report", self.result, "-o", page)
        self.assertIn("Analysed as registered on", page.read_text())

    def test_imported_runs_are_not_registered(self):
        table = self.scratch / "runs.csv"
        rows = ["side,joules,seconds"]
        rows += [f"{side},{10 + i / 10},{1 + i / 10}" for side in ("left", "right") for i in range(4)]
        table.write_text("\n".join(rows) + "\n")
        done = self.run_program("import", "csv", table, "-o", self.result, "--map",
                                "seconds=seconds,joules_package=joules,factor:side=side", "--quality", "chip")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("registration", self.report())
        self.assertEqual(self.report()["looks"], [])
        self.assertIn("imported, so the analysis was chosen after the data", self.text())


class Looks(Provenance):
    def test_a_look_before_the_end_is_kept_once(self):
        self.run_study("--blocks", "2")
        for _ in range(2):
            looks = self.report()["looks"]
        self.assertEqual([(one["by"], one["runs"], one["blocks"], one["planned_blocks"])
                          for one in looks], [("compare", 4, 2, 6)])
        self.assertRegex(looks[0]["at"], re.compile(r"^\d{4}-\d\d-\d\dT"))
        self.run_program("report", self.result, "-o", self.scratch / "report.md")
        self.assertEqual(len(self.report()["looks"]), 1, "the same state twice is one look")
        self.run_study("--blocks", "1")
        self.run_program("report", self.result, "-o", self.scratch / "report.md")
        self.assertIn("2 looks before all planned runs were made",
                      (self.scratch / "report.md").read_text())
        self.run_study()
        looks = self.report()["looks"]
        self.assertEqual([(one["by"], one["runs"]) for one in looks], [("compare", 4), ("report", 6)])
        self.assertIn("2 looks before all planned runs were made: the first after 2 of 6 blocks, the"
                      " last after 3 of 6.", self.text().replace("\n", " "))

    def test_looks_can_be_exported(self):
        self.run_study("--blocks", "2")
        self.text()
        done = self.run_program("export", self.result, "--table", "looks")
        self.assertRegex(done.stdout, r"^at,by,runs,blocks,planned_blocks\n[^,]+,compare,4,2,6\n$")

    def test_a_finished_study_is_left_alone(self):
        self.run_study()
        self.assertEqual(self.report()["looks"], [])
        self.assertNotIn("before all planned runs", self.text())
        self.assertEqual(list((self.result / "records").iterdir()), [])
        self.assertEqual(self.sql("SELECT * FROM looks"), [])

    def test_more_runs_than_planned_are_an_event(self):
        self.run_study()
        self.run_study("--runs", "8")
        self.assertIn(("replanned", "8 runs of each cell instead of 6"), self.events())
        self.run_study("--runs", "8")
        self.assertEqual([kind for kind, _ in self.events()].count("replanned"), 1)

    def test_a_look_between_two_plans_is_one(self):
        self.run_study("--blocks", "4", "--runs", "8")
        self.assertEqual([(one["blocks"], one["planned_blocks"]) for one in self.report()["looks"]],
                         [(4, 8)])
