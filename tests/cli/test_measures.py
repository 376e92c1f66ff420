# SPDX-License-Identifier: Apache-2.0
"""Measures by name: CPU time wherever runs are compared, and words that are no measure."""

import csv
import io
import json

from program import Case, line, python

# Work in Python between two looks at the clock: the looks alone would count as system time.
BUSY = "import time\nend = time.process_time() + %s\nwhile time.process_time() < end: sum(range(10000))"
CPU = ("cpu_seconds", "user_seconds", "system_seconds")


class Gate(Case):
    def gate(self, *more, commands=("sleep 0.01", "sleep 0.01")):
        base, new = commands
        return self.run_program("gate", "--interleave", "-n", "3", "--warmup", "0", "-c", base, "-c", new, *more)

    def test_a_word_that_is_no_measure_is_wrong_usage(self):
        for word in ("joules", "user_second", "Seconds"):
            with self.subTest(word=word):
                done = self.gate(f"--measure={word}")
                self.assertUsage(done, "there is no such measure", "cpu_seconds", "latency_p99")
        self.assertIn("Did you mean 'user_seconds'?", self.gate("--measure", "user_second").stderr)

    def test_a_word_that_is_no_measure_of_two_results(self):
        for name in ("base", "new"):
            self.run_program("measure", "-n", "2", "-o", self.scratch / name, "--", "true")
        done = self.run_program("gate", self.scratch / "base", self.scratch / "new", "--measure", "joule")
        self.assertUsage(done, "--measure joule: there is no such measure")

    def test_a_domain_that_the_user_names_is_a_measure(self):
        meter = self.scratch / "meter"
        meter.write_text("#!/bin/sh\nwhile echo 10 W; do sleep 0.1; done\n")
        meter.chmod(0o755)
        done = self.gate("--measure", "rack", "--meter", f"rack={meter}", "--json")
        self.assertEqual(json.loads(done.stdout)["tested"]["measure"], "rack")

    def test_cpu_time_is_tested(self):
        commands = [line(python(BUSY % seconds)) for seconds in (0.02, 0.3)]
        for measure in ("cpu_seconds", "user_seconds"):
            with self.subTest(measure=measure):
                done = self.gate("--measure", measure, "--json", commands=commands)
                self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                tested = json.loads(done.stdout)["tested"]
                self.assertEqual(tested["measure"], measure)
                self.assertGreater(tested["ratio"], 1.5)
        done = self.gate("--measure", "cpu_seconds", commands=commands)
        self.assertIn("CPU time is above the limit", done.stdout)

    def test_cpu_time_is_shown_next_to_time(self):
        self.assertEqual(
            {one["measure"] for one in json.loads(self.gate("--measure", "seconds", "--json").stdout)["beside"]},
            {"cpu_seconds"},
        )


class Measure(Case):
    def test_cpu_time_has_a_summary_and_findings(self):
        result = self.measure("-n", "3", "-c", line(python(BUSY % 0.02)), "-c", line(python(BUSY % 0.3)))
        for command in result["commands"]:
            for measure in CPU:
                self.assertEqual(command["summary"][measure]["n"], 3)
            for run in command["runs"]:
                self.assertAlmostEqual(run["cpu_seconds"], run["user_seconds"] + run["system_seconds"])
        (finding,) = [one for one in result["findings"] if one["measure"] == "cpu_seconds"]
        self.assertLess(finding["estimate"]["ratio"], 1)

    def test_the_text_names_it(self):
        done = self.run_program("measure", "-n", "2", "-c", "sleep 0.01", "-c", "sleep 0.02")
        self.assertRegex(done.stdout, r"(?m)^CPU time   secondary")

    def test_tables_have_it(self):
        done = self.run_program("measure", "--csv", "--", "true")
        (row,) = csv.DictReader(io.StringIO(done.stdout))
        self.assertAlmostEqual(float(row["cpu_seconds"]), float(row["user_seconds"]) + float(row["system_seconds"]))
        self.assertNotIn("joules_cpu_seconds", row)
        self.assertIn("| CPU seconds |", self.run_program("measure", "--markdown", "--", "true").stdout)


class InAStudy(Case):
    STUDY = """
[study]
name = "cpu"
runs = 3
[protocol]
warmup = 0
settle = "off"
[factors]
way = ["short", "long"]
[workload]
command = ["{python}", "-c", "{code}", "{{way}}"]
[analysis]
primary = "{primary}"
secondary = {secondary}
window = "{window}"
"""
    CODE = ("import prengdl, sys, time; span = prengdl.span('train'); span.__enter__(); "
            "end = time.process_time() + (0.3 if sys.argv[1] == 'long' else 0.02)\\n"
            "while time.process_time() < end: pass\\nspan.__exit__(None, None, None)")

    def study(self, window="run", primary="cpu_seconds"):
        file = self.scratch / "cpu.toml"
        secondary = json.dumps([one for one in ("cpu_seconds", "seconds", *CPU[1:]) if one != primary])
        file.write_text(self.STUDY.format(python=python("")[0], code=self.CODE, window=window, primary=primary,
                                          secondary=secondary))
        done = self.run_program("run", file, "-o", self.scratch / "result")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_is_planned_compared_audited_reported_and_exported(self):
        self.study()
        plan = json.loads(self.run_program("plan", self.scratch / "cpu.toml", "--json").stdout)
        self.assertEqual([one["measure"] for one in plan["families"]], ["cpu_seconds", "seconds", *CPU[1:]])
        result = self.scratch / "result"
        compared = json.loads(self.run_program("compare", result, "--json").stdout)
        found = {one["measure"]: one for one in compared["findings"]}
        self.assertEqual(found.keys(), {"seconds", *CPU})
        self.assertEqual(found["cpu_seconds"]["family"], "primary")
        self.assertLess(found["cpu_seconds"]["estimate"]["ratio"], 1)
        text = self.run_program("compare", result).stdout
        self.assertRegex(text, r"(?m)^CPU time   primary")
        audited = self.run_program("audit", result)
        self.assertIn(audited.returncode, (0, 3), audited.stderr)
        self.assertNotIn("joules_cpu_seconds", audited.stdout)
        reported = self.run_program("report", result, "-o", self.scratch / "report.html")
        self.assertEqual(reported.returncode, 0, reported.stderr)
        self.assertIn("CPU time", (self.scratch / "report.html").read_text())
        rows = list(csv.DictReader(io.StringIO(self.run_program("export", result).stdout)))
        for row in rows:
            self.assertAlmostEqual(float(row["cpu_seconds"]), float(row["user_seconds"]) + float(row["system_seconds"]))

    def test_a_span_has_none(self):
        self.study(window="train", primary="seconds")
        compared = json.loads(self.run_program("compare", self.scratch / "result", "--json").stdout)
        self.assertFalse([one for one in compared["findings"] if one["measure"] in CPU])
        self.assertTrue([one for one in compared["findings"] if one["measure"] == "seconds"])
