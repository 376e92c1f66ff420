# SPDX-License-Identifier: Apache-2.0
"""`prengdl report` in all its formats, on results that prengdl made itself and on imported ones."""

import csv
import html
import io
import json
import pathlib
import random
import re
import resource
import shutil
import subprocess
import tempfile
import unittest

from program import Case

PARTS = ["answer", "certainty", "why", "accuracy", "factors", "power", "larger", "method"]  # of the study below
FORMATS = ("html", "tex", "md", "csv", "json")
HOSTILE = [
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "\u05d0\u05d1\u05d2",
    "a\"b'c`$x_1^2% & #~",
    "\x1b[31mred",
    "x" * 10000,
]

STUDY = """
[study]
name = "steps"
runs = 4
seed = 5
[protocol]
warmup = 0
settle = "off"
[factors]
phase = ["train", "infer"]
size = ["1", "2"]
way = ["slow", "quick"]
[workload]
command = ["python3", "-c", '''
import sys, time
import prengdl
way, size = sys.argv[1], int(sys.argv[2])
for epoch in (1, 2, 3):
    with prengdl.span("epoch", str(epoch)):
        time.sleep((0.012 if way == "slow" else 0.006) * size)
        if sys.argv[3] == "train":
            prengdl.metric("accuracy", 0.3 * epoch + 0.001 * size)
        else:
            prengdl.metric("perplexity", 30 / epoch)
''', "{way}", "{size}", "{phase}"]
[analysis]
compare = "way"
primary = "seconds"
secondary = []
"""


class Reports(Case):
    def report(self, result, *options, formats=FORMATS):
        """The texts of the report by format."""
        files = {one: self.scratch / f"report.{one}" for one in formats}
        done = self.run_program("report", result, *(word for file in files.values() for word in ("-o", file)), *options)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        return {one: file.read_text() for one, file in files.items()}

    def tables(self, text):
        """Tables of the JSON by id."""
        return {table["id"]: table for part in json.loads(text)["parts"]
                for table in [*part["tables"], *(one for chart in part["charts"] for one in chart["tables"])]}

    def assertCompiles(self, text, name="report"):
        if not shutil.which("pdflatex"):
            self.skipTest("pdflatex is not installed")
        (self.scratch / f"{name}.tex").write_text(text)
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"],
            cwd=self.scratch,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
        )
        self.assertEqual(done.returncode, 0, done.stdout[-3000:])
        self.assertTrue((self.scratch / f"{name}.pdf").stat().st_size > 10000)


class OfAStudy(Reports):
    """All tests look at one result: none of them changes it."""

    kept = None

    def setUp(self):
        super().setUp()
        if not OfAStudy.kept:
            OfAStudy.kept = tempfile.TemporaryDirectory()
            self.addClassCleanup(OfAStudy.kept.cleanup)
            study = pathlib.Path(OfAStudy.kept.name, "steps.toml")
            study.write_text(STUDY)
            done = self.run_program("run", study, "-o", study.parent / "result")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.result = pathlib.Path(OfAStudy.kept.name, "result")

    def test_has_all_parts_and_the_same_numbers_in_all_formats(self):
        texts = self.report(self.result)
        report = json.loads(texts["json"])
        self.assertEqual(report["schema"], "prengdl.report/3")
        self.assertEqual([part["id"] for part in report["parts"]], PARTS)
        for part in PARTS:
            self.assertTrue(f'<section id="{part}"' in texts["html"], part)
        for part in report["parts"]:
            self.assertIn(f"\n## {part['title']}", texts["md"])
        self.assertEqual(texts["tex"].count("\\section{"), len(PARTS))
        self.assertEqual(
            report["summary"]["question"],
            "Does slow or quick take less time for two values of size, in training and inference?"
        )
        for name in ("html", "md", "tex"):
            self.assertIn(report["summary"]["question"], texts[name])

        rows = list(csv.DictReader(io.StringIO(texts["csv"])))
        tables = self.tables(texts["json"])
        for name in ("answer", "means-train", "tests-train", "means-infer", "break-even", "groups"):
            table = tables[name]
            keys = [column["key"] for column in table["columns"]]
            body = re.search(rf'<table id="t-{name}".*?</table>', texts["html"], re.S).group()
            cells = re.findall(r"<td.*?>(.*?)</td>", body)
            shown = [html.unescape(re.sub("<.*?>", "", cell, flags=re.S)) for cell in cells]
            wanted = [cell["text"] if isinstance(cell, dict) else cell or "" for row in table["rows"] for cell in row]
            self.assertEqual(shown, wanted, name)
            from_csv = {(row["row"], row["column"]): row for row in rows if row["table"] == name}
            for i, row in enumerate(table["rows"]):
                for key, cell in zip(keys, row):
                    if isinstance(cell, dict) and "value" in cell:
                        self.assertEqual(float(from_csv[str(i + 1), key]["value"]), cell["value"])
                        in_tex = cell["text"].replace("%", "\\%").replace("<", "\\textless{}").replace("-", "-{}")
                        self.assertTrue(in_tex in texts["tex"], in_tex)
                        self.assertTrue(cell["text"].replace("<", "\\<") in texts["md"], cell["text"])

    def test_numbers_are_those_of_compare(self):
        compared = json.loads(self.run_program("compare", self.result, "--json").stdout)
        answer = self.tables(self.report(self.result, formats=["json"])["json"])["answer"]
        place = [column["key"] for column in answer["columns"]].index("ratio")
        ratios = [one["estimate"]["ratio"] for one in compared["findings"] if one["family"] == "primary"]
        self.assertEqual([row[place]["value"] for row in answer["rows"]], ratios)

    def test_a_unit_is_judged_by_what_it_tells(self):
        tables = self.tables(self.report(self.result, formats=["json"])["json"])
        keys = [column["key"] for column in tables["accuracy"]["columns"]]
        rows = [dict(zip(keys, row)) for row in tables["accuracy"]["rows"]]
        self.assertEqual({(row["case"].split()[0], row["task"], row["better"]) for row in rows},
                         {("train", "accuracy", "higher"), ("infer", "perplexity", "lower")})
        # Without a meter time decides, and it is measured: both ways tell the same metric, so the one that took
        # less time stands alone on the front. That is the quick one, unless the machine was busy with other things.
        for case in {row["case"] for row in rows}:
            ways = sorted((row for row in rows if row["case"] == case), key=lambda row: row["time"]["value"])
            self.assertEqual([row["metric"]["value"] for row in ways], [ways[0]["metric"]["value"]] * 2)
            self.assertEqual([row["front"] for row in ways], ["yes", "no"], case)
        only = self.tables(
            self.report(self.result, "--metric", "perplexity", "--lower-is-better", formats=["json"])["json"]
        )["accuracy"]
        self.assertEqual({row[0].split()[0] for row in only["rows"]}, {"infer"})

    def test_is_one_file_that_forbids_requests(self):
        page = self.report(self.result, formats=["html"])["html"]
        self.assertIn("Content-Security-Policy content=\"default-src 'none';", page[:400])
        body = page[:page.rindex("<script>")]
        self.assertIsNone(re.search(r"<(link|img|iframe|script[^>]*\ssrc)", body))
        self.assertLess(len(page), 3_000_000)

    def test_latex_compiles(self):
        self.assertCompiles(self.report(self.result, formats=["tex"])["tex"])

    def test_anonymous_leaves_out_host_user_and_paths(self):
        import getpass
        import socket
        texts = self.report(self.result, "--anonymous")
        for name, text in texts.items():
            head = text[:text.index("<script>")] if name == "html" else text
            self.assertFalse(OfAStudy.kept.name in head, name)
            for secret in (socket.gethostname(), getpass.getuser()):
                if secret not in ("root", "localhost"):
                    self.assertIsNone(re.search(rf"\b{re.escape(secret)}\b", head), name)
        self.assertTrue(json.loads(texts["json"])["anonymous"])

    def test_published_values_stand_beside_computed_ones(self):
        (self.scratch / "published.csv").write_text(
            "phase,size,way,measure,value\ntrain,1,slow,seconds,0.05\ntrain,1,none,seconds,1\n"
        )
        table = self.tables(
            self.report(self.result, "--compare-with", self.scratch / "published.csv", formats=["json"])["json"]
        )["published"]
        keys = [column["key"] for column in table["columns"]]
        first = dict(zip(keys, table["rows"][0]))
        self.assertEqual(first["published"]["value"], 0.05)
        self.assertAlmostEqual(first["difference"]["value"], first["computed"]["value"] - 0.05)
        self.assertEqual(dict(zip(keys, table["rows"][1]))["difference"], "no such runs here")

    def test_says_what_is_wrong_with_a_call(self):
        for words, text in (((self.result,), "no output file was given"),
                            ((self.result, "-o", "x.pdf"), "unknown format"),
                            ((self.result, "-o", "x.md", "--metric", "beauty"), "no run emitted the metric beauty"),
                            ((self.result, "-o", "x.md", "--reach", "high"), "is not a number"),
                            ((self.result, "-o", "x.md", "--least", "much"), "is not a share")):
            done = self.run_program("report", *words, cwd=self.scratch)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(text, done.stderr)
        (self.scratch / "bad.csv").write_text("phase,measure,value\ntrain,seconds,many\n")
        done = self.run_program(
            "report", self.result, "-o", self.scratch / "x.md", "--compare-with", self.scratch / "bad.csv"
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("bad.csv:2: 'many' is not a number", done.stderr)

    def test_a_file_that_cannot_be_written_is_an_error(self):
        done = self.run_program("report", self.result, "-o", self.scratch / "nowhere" / "x.md")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere", done.stderr)


class OfMeasure(Reports):
    def test_of_two_commands_and_of_one(self):
        for commands in (["-c", "sleep 0.02", "-c", "sleep 0.04"], ["-c", "sleep 0.02"]):
            with self.subTest(commands=commands):
                result = self.scratch / f"result{len(commands)}"
                done = self.run_program("measure", "-n", "3", *commands, "-o", result)
                self.assertEqual(done.returncode, 0, done.stderr)
                texts = self.report(result)
                parts = json.loads(texts["json"])["parts"]
                # What the result has no data for is not there, and the method says so.
                self.assertEqual([part["id"] for part in parts], ["answer", "certainty", "why", "power", "method"])
                for part in parts:
                    self.assertTrue(part["texts"] or part["tables"] or part["charts"], part["id"])
                absent, = (table for table in parts[-1]["tables"] if table["id"] == "absent")
                self.assertEqual([row[0] for row in absent["rows"]],
                                 ["Does accuracy suffer?", "What does each factor do?", "Which calls cost it?",
                                  "What would a larger run cost?"])


class OfAnyRange(Reports):
    """TeX computes with numbers of five digits: axes of some percent and of many powers of ten are both hard for it."""

    def test_latex_compiles(self):
        for name, rows in {"narrow": ("a,0.00436,0.0621", "a,0.00437,0.0620", "b,0.00423,0.0607", "b,0.00429,0.0612"),
                           "wide": ("a,0.00001,0.001", "a,90000,5000000", "b,0.002,0.5", "b,5,1000"),
                           "equal": ("a,1,10", "a,1,10", "b,1,10", "b,1,10")}.items():
            with self.subTest(name=name):
                table = self.scratch / f"{name}.csv"
                table.write_text("framework,s,j\n" + "\n".join(rows) + "\n")
                done = self.run_program(
                    "import",
                    "csv",
                    table,
                    "--map",
                    "seconds=s,joules_package=j,factor:framework=framework",
                    "--quality",
                    "chip",
                    "-o",
                    self.scratch / name,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertCompiles(self.report(self.scratch / name)["tex"])


class OfHostileNames(Reports):
    def setUp(self):
        super().setUp()
        self.result = self.scratch / "result"
        names = [word for name in HOSTILE for word in ("--name", name)]
        done = self.run_program(
            "measure", "-n", "2", *names, *(word for _ in HOSTILE for word in ("-c", "true")), "-o", self.result
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.texts = self.report(self.result)

    def test_are_text_everywhere(self):
        page = self.texts["html"]
        body = page[:page.rindex("<script>")]
        self.assertEqual(body.count("<script"), 1, "but for the data there is no script before ours")
        self.assertTrue("&lt;script&gt;alert(1)&lt;/script&gt;" in body)
        self.assertFalse("</script>alert" in body)
        for name, text in self.texts.items():
            self.assertFalse("\x1b" in text, name)
        for row in csv.reader(io.StringIO(self.texts["csv"])):
            for cell in row:
                if cell and cell[0] in "=+-@":
                    float(cell)  # nothing but a number may begin so
        self.assertFalse("<script>" in self.texts["md"])

    def test_are_there_in_full_once(self):
        for name in ("html", "json", "csv", "md"):
            self.assertTrue("x" * 10000 in self.texts[name], name)

    def test_are_cut_for_people_and_not_for_programs(self):
        for name in ("html", "md"):
            self.assertLess(self.texts[name].count("x" * 10000), 3, name)
            self.assertIn("Long names in full", self.texts[name])
        for name in ("json", "csv"):
            self.assertFalse(re.search("(?<!x)x{59}…", self.texts[name]), name)
            self.assertGreater(self.texts[name].count("x" * 10000), 3, name)

    def test_latex_compiles(self):
        self.assertCompiles(self.texts["tex"])


def table_of_runs(path, cases=2, runs=4, spread=0.05):
    """A CSV of runs under two frameworks, of which the second is a tenth slower; the same every time."""
    random.seed(14)
    with open(path, "w") as file:
        file.write("model,framework,time,joules\n")
        for case in range(cases):
            for framework, slower in (("pytorch", 1), ("tensorflow", 1.1)):
                for _ in range(runs):
                    seconds = (10 + case) * slower * random.uniform(1, 1 + spread)
                    file.write(f"m{case},{framework},{seconds:.5f},{80 * seconds * random.uniform(1, 1.02):.4f}\n")
    return path


class Imported(Reports):
    def imported(self, quality="chip", **shape):
        result = self.scratch / f"{quality}.result"
        done = self.run_program(
            "import",
            "csv",
            table_of_runs(self.scratch / "runs.csv", **shape),
            "-o",
            result,
            "--quality",
            quality,
            "--compare",
            "framework",
            "--map",
            "seconds=time,joules_package=joules,factor:framework=framework,factor:model=model",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return result

    def part(self, data, name):
        part, = (one for one in data["parts"] if one["id"] == name)
        return part


class ModelledEnergy(Imported):
    """The study's primary measure is energy, and all of it was modelled."""

    def test_headline_tables_and_charts_are_about_time(self):
        texts = self.report(self.imported("model"))
        data = json.loads(texts["json"])
        answer = self.part(data, "answer")
        headline, = (one["text"] for one in answer["texts"] if one["tone"] == "answer")
        self.assertEqual(headline.partition(",")[0], "pytorch took less time than tensorflow in both cases")
        said = [one["text"] for one in answer["texts"]]
        self.assertTrue(any(one.startswith("On average over all cases, pytorch took") for one in said), said)
        table, = (one for one in answer["tables"] if one["id"] == "answer")
        self.assertEqual(table["title"], "Time, case by case: pytorch / tensorflow")
        verdict = [column["key"] for column in table["columns"]].index("verdict")
        self.assertEqual([row[verdict] for row in table["rows"]], ["pytorch took less"] * 2)
        summary = data["summary"]
        self.assertEqual(summary["badge"], "energy modelled")
        self.assertEqual(summary["cards"][0]["title"], "pytorch took less time")
        self.assertTrue(summary["cards"][0]["text"].startswith("in both cases, "), summary["cards"])
        self.assertEqual(summary["cards"][-1]["title"], "Energy was modelled, not measured")
        self.assertEqual([one["id"] for one in answer["charts"] if one["id"].startswith(("dots", "forest"))],
                         ["forest-seconds", "dots-seconds", "dots-metered", "forest-metered"])
        self.assertEqual([one.get("badge") for one in answer["charts"]], [None, None, "modelled", "modelled"])
        tests, = (one for one in answer["tables"] if one["id"] == "tests")
        self.assertEqual([row[1] for row in tests["rows"]][:3], ["time", "time", "energy (modelled)"])
        means, = (one for one in answer["tables"] if one["id"] == "means")
        self.assertEqual([column["key"] for column in means["columns"]][3:5], ["seconds", "seconds_ratio"])
        for form in ("html", "tex", "md"):
            self.assertLess(texts[form].index("pytorch took less time"), texts[form].index("Time, case by case"))

    def test_compare_starts_with_time(self):
        result = self.imported("model")
        text = self.run_program("compare", result).stdout
        self.assertLess(text.index("\ntime "), text.index("\nenergy "))
        self.assertEqual(len(re.findall("(?m)^  m[01] .*[─━├|].*$", text)), 2, text)
        markdown = self.run_program("compare", result, "--markdown")
        self.assertLess(markdown.stdout.index("**time**"), markdown.stdout.index("**energy**"))

    def test_supports_no_statement_on_correlation(self):
        result = self.imported("model")
        texts = self.report(result)
        for form in ("html", "tex", "md", "json"):
            self.assertNotIn("has no correlation", texts[form])
            self.assertIn("No correlation is computed for energy: it was modelled", texts[form].replace("\n", " "))
        text = self.run_program("compare", result, "--energy-time").stdout
        self.assertIn("no correlation is computed", text)


class EnergyAgainstTime(Imported):
    def chart(self, **shape):
        result = self.imported(**shape)
        texts = self.report(result, formats=("json", "tex"))
        (chart,) = (
            one for one in self.part(json.loads(texts["json"]), "why")["charts"] if one["id"] == "energy-time-chart"
        )
        picture = texts["tex"].partition("Why: time or power?")[2].partition("\\end{axis}")[0]
        return chart, picture

    def test_near_values_are_drawn_on_linear_axes(self):
        chart, picture = self.chart()
        self.assertIn("Both axes are linear", chart["says"])
        self.assertNotIn("log", chart.get("settings") or {})
        self.assertNotIn("mode=log", picture)

    def test_values_far_apart_are_drawn_on_logarithmic_axes(self):
        chart, picture = self.chart(spread=5)
        self.assertIn("Both axes are logarithmic", chart["says"])
        self.assertEqual(chart["settings"]["log"], 1)
        self.assertIn("xmode=log", picture)
        self.assertIn("ymode=log", picture)


class ManyRuns(Imported):
    def test_charts_show_a_part_of_them_and_say_so(self):
        result = self.imported(cases=20, runs=250)
        data = json.loads(self.report(result, formats=("json",))["json"])
        dots = next(one for one in self.part(data, "answer")["charts"] if one["id"] == "dots-metered")
        shown, means = dots["tables"]
        self.assertEqual(len(shown["rows"]), 6000)
        self.assertIn("a part of the 10000 runs", dots["says"])
        self.assertIn("up to 150 of each cell", dots["says"])
        values = [row[3]["value"] for row in shown["rows"][:150]]
        self.assertEqual(values, sorted(values))
        with open(self.scratch / "runs.csv") as file:
            first = [
                float(row["joules"])
                for row in csv.DictReader(file)
                if (row["model"], row["framework"]) == ("m0", "pytorch")
            ]
        self.assertEqual((values[0], values[-1]), (min(first), max(first)), "the extremes are among them")
        self.assertEqual(means["rows"][0][2]["value"], 250)
        self.assertAlmostEqual(means["rows"][0][3]["value"], sum(first) / 250, places=6)
        scatter = next(one for one in self.part(data, "why")["charts"] if one["id"] == "energy-time-chart")
        self.assertEqual(len(scatter["tables"][0]["rows"]), 6000)

    def test_their_cost_grows_with_their_number(self):
        """CPU seconds, not those of the clock, and generously: a square would be sixteen times."""
        spent = []
        for runs in (1500, 6000):
            result = self.imported(quality="chip", cases=1, runs=runs)
            for words in (
                ["audit", result],
                ["compare", result],
                ["report", result, "-o", self.scratch / "report.html"],
            ):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                self.assertIn(self.run_program(*words).returncode, (0, 3))
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                spent.append(after.ru_utime - before.ru_utime)
            shutil.rmtree(result)
        for few, many in zip(spent[:3], spent[3:]):
            self.assertLess(many, 9 * few + 1, f"CPU seconds of audit, compare and report: {spent}")


if __name__ == "__main__":
    unittest.main()
