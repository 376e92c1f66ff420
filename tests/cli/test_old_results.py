# SPDX-License-Identifier: Apache-2.0
"""Results that earlier versions have written still open, and say the same."""

import json
import sqlite3

from program import SOURCE, Case


class OldResults(Case):
    def setUp(self):
        super().setUp()
        self.result = self.scratch / "old.result"
        self.result.mkdir()
        database = sqlite3.connect(self.result / "study.db")
        database.executescript((SOURCE / "tests/data/result-schema-3.sql").read_text())
        study = database.execute("SELECT text FROM study").fetchone()[0]
        database.close()
        (self.result / "study.toml").write_text(study)

    def output(self, *words, codes=(0,)):
        done = self.run_program(*words)
        self.assertIn(done.returncode, codes, done.stderr)
        return done.stdout

    def version(self):
        database = sqlite3.connect(self.result / "study.db")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        database.close()
        return version

    def test_schema_3_compares_as_it_did(self):
        report = json.loads(self.output("compare", self.result, "--json"))
        energy = [one for one in report["findings"] if one["measure"] == "metered"]
        self.assertEqual([one["case"]["model"] for one in energy], ["gnmt", "ncf"])
        self.assertEqual([one["winner"] for one in energy], ["pytorch", "pytorch"])
        self.assertAlmostEqual(energy[0]["estimate"]["ratio"], 0.7699, places=4)
        self.assertAlmostEqual(energy[1]["estimate"]["ratio"], 0.7681, places=4)
        self.assertNotIn("registration", report)
        self.assertEqual(report["looks"], [])
        self.assertEqual(report["aa"], [])

    def test_schema_3_can_be_read_by_every_command(self):
        self.assertIn("24", self.output("status", self.result))
        self.assertEqual(len(self.output("export", self.result, "--table", "runs").splitlines()), 25)
        self.assertIn('"check"', self.output("audit", self.result, "--json", codes=(0, 3)))
        self.output("report", self.result, "-o", self.scratch / "old.md")
        self.assertIn("pytorch", (self.scratch / "old.md").read_text())

    def test_writing_to_it_brings_it_to_the_new_schema(self):
        first = self.output("export", self.result, "--table", "runs").splitlines()[1].split(",")[0]
        self.output("exclude", self.result, first, "--why", "a test")
        self.assertEqual(self.version(), 6)
        self.assertEqual(len(self.output("export", self.result, "--table", "runs").splitlines()), 24)
