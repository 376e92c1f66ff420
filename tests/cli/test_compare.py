# SPDX-License-Identifier: Apache-2.0
"""`prengdl compare` on a result that prengdl made itself."""

import csv
import io
import json
import sys

from program import Case

STUDY = """
[study]
name = "naps"
runs = 5
seed = 3
[protocol]
warmup = 0
settle = "off"
[factors]
length = ["short", "long"]
kind = ["sleep"]
[workload]
command = ["sh", "-c", "test {length} = short || {kind} 0.4"]
[analysis]
compare = "length"
within = ["kind"]
primary = "seconds"
test = "log-t"
"""


class Compare(Case):
    def setUp(self):
        super().setUp()
        (self.scratch / "naps.toml").write_text(STUDY)
        done = self.run_program("run", self.scratch / "naps.toml", "-o", self.scratch / "result")
        self.assertEqual(done.returncode, 0, done.stderr)

    def compare(self, *options):
        done = self.run_program("compare", self.scratch / "result", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_json_has_what_programs_rely_on(self):
        report = json.loads(self.compare("--json"))
        self.assertEqual(report["schema"], "prengdl.compare/2")
        self.assertEqual((report["compare"], report["alpha"]), ("length", 0.05))
        one = next(f for f in report["findings"] if f["measure"] == "seconds")
        self.assertEqual(one["case"], {"kind": "sleep"})
        self.assertEqual(one["pair"], ["short", "long"])
        self.assertEqual(one["family"], "primary")
        self.assertTrue(one["paired"])
        self.assertEqual({level: figures["n"] for level, figures in one["levels"].items()}, {"short": 5, "long": 5})
        for figures in one["levels"].values():
            self.assertLessEqual({"n", "mean", "median", "sd", "geomean"}, set(figures))
        low, high = one["estimate"]["ci95"]
        self.assertTrue(low < one["estimate"]["ratio"] < high < 1)
        self.assertLess(one["estimate"]["p_corrected"], 0.05)
        self.assertEqual(one["rank"]["test"], "signed-rank, exact")
        self.assertEqual(one["rank"]["p"], 0.0625, "five pairs cannot say more")
        self.assertEqual(one["a12"], 0)
        self.assertEqual((one["winner"], one["verdict"]), ("short", "less"))
        # Here there is no meter: joules are modelled, and claim nothing.
        energy = next(f for f in report["findings"] if f["measure"] == "metered")
        if energy["quality"] == "model":
            self.assertEqual(energy["verdict"], "modelled")
            self.assertIsNone(energy["winner"])
            self.assertNotIn("rank", energy)
            self.assertNotIn("p", energy.get("estimate", {}), "a run of a few ms may have no figure at all")

    def test_text_names_the_winner_and_its_cost(self):
        text = self.compare()
        self.assertIn("short took", text)
        self.assertNotIn("100 % less", text)
        self.assertIn("compared as pairs", text)
        self.assertRegex(text, r"\* [\d.]+ (us|ms)")

    def test_tables(self):
        rows = list(csv.DictReader(io.StringIO(self.compare("--csv"))))
        self.assertEqual({row["verdict"] for row in rows if row["measure"] == "seconds"}, {"less"})
        self.assertIn("| short", self.compare("--markdown").replace("| kind ", ""))
        published = self.compare("--as-published")
        self.assertIn("/ least", published)
        self.assertIn("1.00", published)

    def test_wrong_calls(self):
        done = self.run_program("compare", self.scratch / "result", "--json", "--csv")
        self.assertEqual(done.returncode, 2)
        done = self.run_program("compare", self.scratch / "nothing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing", done.stderr)


class CompareAWindow(Case):
    """Levels that differ in how long they load, not in what they do then."""

    def setUp(self):
        super().setUp()
        (self.scratch / "work.py").write_text(
            "import prengdl, sys, time\n"
            "with prengdl.span('load'): time.sleep(0.3 if sys.argv[1] == 'long' else 0.01)\n"
            "with prengdl.span('train'): time.sleep(0.1)\n"
        )
        command = f'["{sys.executable}", "{self.scratch}/work.py", "{{length}}", "{{kind}}"]'
        study = STUDY.replace('["sh", "-c", "test {length} = short || {kind} 0.4"]', command)
        (self.scratch / "naps.toml").write_text(study)
        done = self.run_program("run", self.scratch / "naps.toml", "-o", self.scratch / "result")
        self.assertEqual(done.returncode, 0, done.stderr)

    def look(self, *options):
        done = self.run_program("compare", self.scratch / "result", "--json", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        (one,) = [one for one in report["findings"] if one["measure"] == "seconds"]
        return report, one

    def test_takes_a_part_of_each_run_and_says_so(self):
        whole, of_runs = self.look()
        part, of_training = self.look("--window", "train")
        self.assertEqual((whole["window"], part["window"]), ("run", "train"))
        self.assertLess(of_runs["estimate"]["ratio"], of_training["estimate"]["ratio"], "loading is left out")
        self.assertFalse([note for note in whole["notes"] if "the study's is run" in note])
        self.assertTrue([note for note in part["notes"] if "the study's is run" in note])
        page = self.scratch / "report.md"
        done = self.run_program("report", self.scratch / "result", "--window", "train", "-o", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = "The window train of each run is compared. This window was chosen for this report"
        self.assertIn(said, page.read_text())

    def test_names_the_spans_there_are(self):
        for command in (["compare"], ["report", "-o", self.scratch / "report.md"]):
            done = self.run_program(*command, self.scratch / "result", "--window", "trian")
            self.assertEqual(done.returncode, 2)
            self.assertIn("load and train", done.stderr)
