# SPDX-License-Identifier: Apache-2.0
"""Studies that fail: what is missing before they start, runs that fail, and how they are made again."""

import json
import re
import unittest

from test_studies import Study

FAILS_ON_THE_LEFT = '["sh", "-c", "test {side}{size} != left1 || exit 3"]'


class MissingPrograms(Study):
    def assertNothingRan(self, done, *words):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertTrue(done.stderr.startswith("prengdl: nothing was run"), done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertFalse((self.scratch / "result").exists())

    def test_a_program_that_is_missing_is_named_before_anything_runs(self):
        self.study(command='["no-such-program-{side}"]')
        done = self.run_study(env={"PATH": "/usr/bin:/bin"})
        self.assertNothingRan(
            done,
            "no-such-program-left: there is no such program in /usr/bin:/bin; "
            "needed by side=left size=1, side=left size=2",
            "no-such-program-right: there is no such program in /usr/bin:/bin; needed by side=right size=1",
        )

    def test_only_the_cells_that_will_run_are_looked_at(self):
        path = self.study()
        path.write_text(path.read_text().replace(
            "[analysis]", '[[override]]\nwhere = { side = "right" }\ncommand = ["no-such-program"]\n[analysis]'))
        self.assertNothingRan(self.run_study(), "no-such-program", "needed by side=right size=1, side=right size=2\n")
        self.assertEqual(self.run_study("--only", "side=left").returncode, 0)

    def test_paths_start_where_the_command_starts(self):
        self.study(command='["./{side}.sh"]', workload='directory = "inside"')
        self.assertNothingRan(
            self.run_study(), f"the directory {self.scratch}/inside, in which it starts, does not exist"
        )
        (self.scratch / "inside").mkdir()
        for side in ("left", "right"):
            (self.scratch / side).write_text("")
        self.assertNothingRan(self.run_study(), f"./left.sh: there is no such file in {self.scratch}/inside")
        for side in ("left", "right"):
            (self.scratch / f"inside/{side}.sh").write_text("#!/bin/sh\n")
        self.assertNothingRan(self.run_study(), f"./left.sh: {self.scratch}/inside/left.sh is not executable")
        for side in ("left", "right"):
            (self.scratch / f"inside/{side}.sh").chmod(0o755)
        self.assertEqual(self.run_study("--blocks", "1").returncode, 0)

    def test_a_path_of_the_workloads_own_counts(self):
        tool = self.scratch / "bin/mine"
        tool.parent.mkdir()
        tool.write_text("#!/bin/sh\n")
        tool.chmod(0o755)
        self.study(command='["mine"]')
        self.assertNothingRan(self.run_study(), "mine")
        path = self.study(command='["mine"]')
        path.write_text(path.read_text().replace('SIDE = "', f'PATH = "{tool.parent}", SIDE = "'))
        self.assertEqual(self.run_study("--blocks", "1").returncode, 0)

    def test_what_prepares_cleans_up_and_is_read_is_looked_up_too(self):
        for workload, missing in (('prepare = [["no-such-tool"]]', "no-such-tool"),
                                  ('cleanup = [["true"], ["no-such-tool"]]', "no-such-tool"),
                                  ('stdin = "input.txt"', f"{self.scratch}/input.txt")):
            with self.subTest(workload=workload):
                self.study(workload=workload)
                self.assertNothingRan(self.run_study(), missing)
        self.study(protocol='start = "warm"\nwarm_command = ["no-such-load"]')
        self.assertNothingRan(self.run_study(), "no-such-load", "protocol.warm_command")

    def test_what_a_prepare_command_makes_need_not_be_there_before(self):
        self.study(command='["{scratch}/made"]', workload='prepare = [["cp", "/bin/true", "{scratch}/made"]]')
        self.assertEqual(self.run_study("--blocks", "1").returncode, 0)
        self.study(command='["./made"]', workload='prepare = [["cp", "/bin/true", "made"]]')
        done = self.run_study("--blocks", "1", result="other")
        self.assertEqual(done.returncode, 0, done.stderr)


class FailedRuns(Study):
    def lines(self, done, cell):
        return [line for line in done.stderr.splitlines() if f": {cell}: " in line]

    def test_say_so_and_why(self):
        self.study(command=FAILS_ON_THE_LEFT)
        done = self.run_study()
        self.assertEqual(done.returncode, 1, done.stderr)
        failed = self.lines(done, "side=left size=1")
        self.assertEqual(len(failed), 3)
        for line in failed:
            self.assertIn(": failed: exit status 3", line)
        for line in self.lines(done, "side=right size=1"):
            self.assertIn(": done", line)
        self.assertIn("9 of 12 runs are done, 3 attempts failed", done.stderr)
        self.assertIn("no good run of side=left size=1: exit status 3\n", done.stderr)
        self.assertIn("--retry-failed", done.stderr)
        # Looking at it again does not make it good.
        again = self.run_study()
        self.assertEqual(again.returncode, 1)
        self.assertIn("no good run of side=left size=1", again.stderr)
        # The other cells are all there.
        self.assertEqual(self.run_study("--only", "side=right").returncode, 0)

    def test_that_were_killed_or_took_too_long(self):
        self.study(command='["sh", "-c", "test {side} = left && kill -9 $$; sleep 60"]',
                   workload='timeout = "200ms"')
        done = self.run_study("--blocks", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("side=left size=1: failed: signal 9 (SIGKILL)", done.stderr)
        self.assertIn("side=right size=1: failed: timeout after ", done.stderr)

    def test_whose_outputs_are_missing_or_that_were_not_prepared(self):
        self.study(workload='outputs = ["made-{size}"]\nprepare = [["test", "{size}", "=", "1"]]')
        done = self.run_study("--blocks", "1")
        self.assertIn(f"side=left size=1: failed: {self.scratch}/made-1 is missing after the run", done.stderr)
        self.assertIn("side=left size=2: failed: prepare failed: test 2 = 1: exit 1", done.stderr)

    def test_of_a_cell_that_has_good_ones_too_are_no_failure_of_the_study(self):
        self.study(command='["sh", "-c", "test $PRENGDL_BLOCK != 1 || exit 1"]')
        done = self.run_study()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("8 of 12 runs are done, 4 attempts failed", done.stderr)
        self.assertNotIn("no good run", done.stderr)


class RetryFailed(Study):
    def test_makes_the_failed_runs_once_more_and_keeps_them(self):
        self.study(command='["sh", "-c", "test -e mended || test {side} = right"]', protocol="give_up_after = 2")
        done = self.run_study()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("given up", done.stderr)
        (self.scratch / "mended").touch()
        done = self.run_study()  # the places that were never tried
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("8 of 12 runs are done, 4 attempts failed", done.stderr)
        done = self.run_study("--retry-failed")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("12 of 12 runs are done, 4 attempts failed", done.stderr)
        self.assertNotIn("repeats the failed runs", done.stderr)
        rows = self.rows()
        self.assertEqual(len(rows), 16)
        self.assertEqual(sorted(row["outcome"] for row in rows), ["failed"] * 4 + ["ok"] * 12)
        good = {(row["order"]): row for row in rows if row["outcome"] == "ok"}
        self.assertEqual(len(good), 12, "one good run for each place")
        for row in rows:
            if row["outcome"] == "failed":
                self.assertEqual((row["attempt"], good[row["order"]]["attempt"]), ("0", "1"))
        status = self.run_program("status", self.scratch / "result").stdout
        self.assertIn("12 of 12 planned runs are done", status)
        self.assertRegex(status, r"made good later.*\n(.*\n)*.*2 \(40 %\) +2\b")
        (cell,) = [
            cell
            for cell in json.loads(self.run_program("status", self.scratch / "result", "--json").stdout)["cells"]
            if cell["cell"] == {"side": "left", "size": "1"}
        ]
        self.assertEqual((cell["failures"], cell["made_good"]), (2, 2))
        # There is nothing left to be made again.
        self.assertEqual(self.run_study("--retry-failed").returncode, 0)
        self.assertEqual(len(self.rows()), 16)

    def test_what_fails_again_stays_failed(self):
        self.study(command=FAILS_ON_THE_LEFT)
        self.run_study()
        done = self.run_study("--retry-failed")
        self.assertEqual(done.returncode, 1)
        self.assertIn("9 of 12 runs are done, 6 attempts failed", done.stderr)
        status = self.run_program("status", self.scratch / "result").stdout
        self.assertIn("9 of 12 planned runs are done", status)
        self.assertIn("--retry-failed", status)


class AskedFor(Study):
    def places(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.findall(r"(?m)^ +\d+ +\d+  (.+)$", done.stdout)

    def test_a_dry_run_lists_only_what_would_run(self):
        self.study()
        done = self.run_study("--dry-run", "--only", "side=left")
        self.assertEqual(sorted(self.places(done)), ["side=left size=1"] * 3 + ["side=left size=2"] * 3)
        self.assertIn("6 of 12 runs are due: 2 cells in 3 blocks", done.stdout)
        done = self.run_study("--dry-run", "--only", "side=left", "--blocks", "1")
        self.assertEqual(sorted(self.places(done)), ["side=left size=1", "side=left size=2"])
        self.assertFalse((self.scratch / "result").exists())
        self.run_study("--blocks", "2")
        done = self.run_study("--dry-run")
        self.assertEqual(len(self.places(done)), 4, "two of three blocks are done")
        self.assertRegex(done.stdout, r"4 of 12 runs are due: 4 cells in 1 block, about ")

    def test_the_time_left_is_that_of_what_was_asked_for(self):
        self.study()
        done = self.run_study("--blocks", "1")
        lines = [line for line in done.stderr.splitlines() if line.startswith("block 1")]
        self.assertEqual(len(lines), 4)
        self.assertIn(" left: ", lines[0])
        self.assertNotIn(" left: ", lines[-1], "the other blocks are not made now")


class Duration(Study):
    def plan(self, *more, **how):
        done = self.run_program("plan", self.scratch / "small.toml", *more, cwd=self.scratch, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_plan_says_how_to_learn_it_and_then_knows_it(self):
        path = self.study()
        text = self.plan()
        self.assertNotIn("takes about", text)
        self.assertIn(f"duration unknown: run `prengdl run {path} --blocks 1`, then plan again", text)
        run = self.run_program("run", path, "--blocks", "1", cwd=self.scratch)
        self.assertEqual(run.returncode, 0, run.stderr)
        text = self.plan()
        self.assertIn("takes about", text)
        self.assertIn("those of the runs in small.result", text)
        self.assertGreater(json.loads(self.plan("--json"))["hours"], 0)


class TooFewRuns(Study):
    def two_runs(self, more=""):
        path = self.study()
        path.write_text(path.read_text().replace("runs = 3", "runs = 2\n" + more))
        return path

    def test_plan_says_what_a_design_can_detect(self):
        path = self.study()
        plan = self.run_program("plan", path, "--runs", "10").stdout
        self.assertRegex(
            plan,
            r"detects a ratio of 1\.0\d+ at a spread of 1 %,\s+a ratio of 1\.0\d+ at a spread of 5 % \(80 % power\)",
        )
        known = self.run_program("plan", path, "--runs", "10", "--spread", "0.02").stdout
        self.assertRegex(known, r"detects a ratio of 1\.0\d+ at a spread of 2 % \(80 % power\)")

    def test_two_runs_can_show_nothing(self):
        path = self.two_runs()
        plan = self.run_program("plan", path).stdout
        self.assertIn("with two runs of each cell the interval of a ratio spans orders of magnitude", plan)
        self.assertNotIn("can show a difference", plan)
        told = json.loads(self.run_program("plan", path, "--json").stdout)
        self.assertEqual((told["can_show"], told["too_few_runs"]), (False, True))

    def test_are_refused_unless_somebody_wants_them(self):
        self.two_runs()
        done = self.run_study()
        self.assertUsage(done, "two runs of each cell", "--anyway")
        self.assertFalse((self.scratch / "result").exists())
        self.assertEqual(self.run_study("--anyway", "--blocks", "1").returncode, 0)
        self.two_runs("anyway = true")
        done = self.run_study("--blocks", "1", result="other")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_also_of_a_study_that_compares_nothing(self):
        path = self.scratch / "small.toml"
        path.write_text(
            '[study]\nname = "small"\nruns = 1\n[protocol]\nsettle = "off"\n[workload]\ncommand = ["true"]\n'
        )
        self.assertUsage(self.run_study(), "one run of each cell", "--anyway")
        self.assertEqual(self.run_study("--anyway").returncode, 0)

    def test_measure_refuses_nothing(self):
        done = self.run_program("measure", "-n", "2", "-c", "true", "-c", "sleep 0.01")
        self.assertEqual(done.returncode, 0, done.stderr)


class NothingToCompare(Study):
    def test_all_runs_failed(self):
        self.study(command='["false"]')
        self.assertEqual(self.run_study("--blocks", "1").returncode, 1)
        for command in (("compare",), ("report", "-o", self.scratch / "report.html")):
            with self.subTest(command=command):
                done = self.run_program(command[0], self.scratch / "result", *command[1:])
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertError(done, "all 4 runs failed", "--retry-failed")

    def test_no_run_emitted_the_window(self):
        code = "import prengdl\nwith prengdl.span('train'):\n    pass\nwith prengdl.span('load'):\n    pass\n"
        (self.scratch / "work.py").write_text(code)
        path = self.study(command='["python3", "work.py"]')
        path.write_text(path.read_text().replace('test = "log-t"', 'test = "log-t"\nwindow = "trane"'))
        self.assertEqual(self.run_study("--blocks", "1").returncode, 0)
        words = ("no run emitted a span of the window 'trane'; spans seen: load, train", "--window")
        done = self.run_program("compare", self.scratch / "result")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertError(done, *words)
        done = self.run_program("plan", path, "--pilot", self.scratch / "result")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertError(done, *words)
        self.assertEqual(self.run_program("compare", self.scratch / "result", "--window", "train").returncode, 0)

    def test_a_measure_that_no_run_has_is_named(self):
        path = self.study()
        path.write_text(
            path.read_text().replace('test = "log-t"', 'test = "log-t"\nprimary = "seconds"\nsecondary = ["igpu"]')
        )
        self.assertEqual(self.run_study("--blocks", "2").returncode, 0)
        done = self.run_program("compare", self.scratch / "result")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no run has a figure for igpu", done.stdout)
        path.write_text(
            path.read_text().replace(
                'primary = "seconds"\nsecondary = ["igpu"]', 'primary = "igpu"\nsecondary = ["uncore"]'
            )
        )
        self.assertEqual(self.run_study("--blocks", "2", result="other").returncode, 0)
        done = self.run_program("compare", self.scratch / "other")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertError(done, "nothing can be compared", "no run has a figure for")


class Measures(Study):
    def test_that_do_not_exist_are_refused_with_those_that_do(self):
        for analysis, words in (('primary = "joules"', ("'joules'", "metered, seconds")),
                                ('secondary = ["second"]', ("'second'", "'seconds'?")),
                                ('without_meter = "time"', ("'time'",))):
            path = self.study()
            path.write_text(path.read_text().replace('test = "log-t"', 'test = "log-t"\n' + analysis))
            for command in (("plan", path), ("run", path, "-o", self.scratch / "result")):
                with self.subTest(analysis=analysis, command=command[0]):
                    done = self.run_program(*command)
                    self.assertUsage(done, "small.toml", *words)
            self.assertFalse((self.scratch / "result").exists())

    def test_of_a_meter_of_ones_own_and_latencies_are_known(self):
        meter = "rack=sh -c 'while echo 5 W; do sleep 0.1; done'"
        path = self.study()
        path.write_text(
            path.read_text().replace(
                'test = "log-t"', 'test = "log-t"\nprimary = "rack"\nsecondary = ["latency_p99", "seconds"]'
            )
        )
        self.assertUsage(self.run_program("plan", path), "'rack'", "--meter")
        self.assertEqual(self.run_program("plan", path, "--meter", meter).returncode, 0)
        self.assertEqual(self.run_study("--meter", meter, "--blocks", "1").returncode, 0)
        self.assertEqual(self.run_program("compare", self.scratch / "result").returncode, 0)


if __name__ == "__main__":
    unittest.main()
