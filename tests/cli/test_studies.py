# SPDX-License-Identifier: Apache-2.0
"""Studies as a user runs them: plan, run, go on, look, leave out, join, gate."""

import csv
import io
import json
import signal
import sqlite3
import subprocess
import unittest

from program import PRENGDL, Case

STUDY = """
[study]
name = "small"
runs = 3
seed = 5
[protocol]
warmup = 0
settle = "off"
{protocol}
[factors]
side = ["left", "right"]
size = ["1", "2"]
[workload]
command = {command}
variables = {{ SIDE = "{{side}}", SIZE = "{{size}}" }}
{workload}
[analysis]
compare = "side"
within = ["size"]
test = "log-t"
"""


class Study(Case):
    def study(self, command='["sh", "-c", "echo {side} {size} $PRENGDL_SEED"]', protocol="", workload=""):
        path = self.scratch / "small.toml"
        path.write_text(STUDY.format(command=command, protocol=protocol, workload=workload))
        return path

    def run_study(self, *more, result="result", **how):
        return self.run_program("run", self.scratch / "small.toml", "-o", self.scratch / result, *more, **how)

    def rows(self, *more, result="result"):
        done = self.run_program("export", self.scratch / result, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def events(self, result="result"):
        done = self.run_program("status", self.scratch / result, "--json")
        return [event["kind"] for event in json.loads(done.stdout)["events"]]


class Run(Study):
    def test_makes_what_was_planned_in_the_planned_order(self):
        self.study()
        done = self.run_study()
        self.assertEqual(done.returncode, 0, done.stderr)
        plan = json.loads(self.run_program("plan", self.scratch / "small.toml", "--json").stdout)
        rows = sorted(self.rows(), key=lambda row: int(row["order"]))
        self.assertEqual([(row["side"], row["size"]) for row in rows],
                         [(run["cell"]["side"], run["cell"]["size"]) for run in plan["order"]])
        self.assertEqual(len(rows), 12)
        # One seed per block, handed to the workload and stored.
        for row in rows:
            output = (self.scratch / "result/logs" / row["run"] / "stdout").read_text().split()
            self.assertEqual(output, [row["side"], row["size"], row["seed"]])
        self.assertEqual(len({row["seed"] for row in rows}), 3)

    def test_goes_on_where_it_was(self):
        self.study()
        self.assertEqual(self.run_study("--blocks", "1").returncode, 0)
        first = self.rows()
        self.assertEqual(len(first), 4)
        self.assertEqual(self.run_study().returncode, 0)
        self.assertEqual(len(self.rows()), 12)
        self.assertEqual([row["run"] for row in self.rows()][:4], [row["run"] for row in first])
        self.assertIn("resume", self.events())
        # More runs are more blocks, nothing else changes.
        self.assertEqual(self.run_study("--runs", "4").returncode, 0)
        self.assertEqual(len(self.rows()), 16)

    def test_only_some_levels(self):
        self.study()
        self.assertEqual(self.run_study("--only", "side=left").returncode, 0)
        self.assertEqual({row["side"] for row in self.rows()}, {"left"})
        done = self.run_study("--only", "side=lefft")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Did you mean 'left'?", done.stderr)

    def test_a_failure_is_an_outcome_and_a_hopeless_cell_is_given_up(self):
        self.study(command='["sh", "-c", "echo going; test {side}{size} != left1 || {{ echo why >&2; exit 7; }}"]',
                   protocol="give_up_after = 2")
        done = self.run_study()
        self.assertEqual(done.returncode, 1)
        self.assertIn("given up after 2 failures in a row: side=left size=1", done.stderr)
        rows = self.rows()
        failed = [row for row in rows if row["outcome"] != "ok"]
        self.assertEqual([(row["outcome"], row["exit_code"]) for row in failed], [("failed", "7")] * 2)
        self.assertEqual(len(rows), 11)
        status = self.run_program("status", self.scratch / "result").stdout
        self.assertIn("its output ends: why", status)
        self.assertIn("2 (100 %)", status)

    def test_retries_timeouts_and_missing_outputs(self):
        self.study(command='["sh", "-c", "test {side} = right || sleep 60; test {size} = 2 || touch made"]',
                   workload='retry = 1\ntimeout = "3s"\noutputs = ["made"]\ncleanup = [["rm", "-f", "made"]]',
                   protocol="give_up_after = 100")
        self.run_study("--blocks", "1")
        outcomes = {(row["side"], row["size"]): set() for row in self.rows()}
        for row in self.rows():
            outcomes[row["side"], row["size"]].add((row["outcome"], row["attempt"]))
        self.assertEqual(outcomes["left", "1"], {("timeout", "0")}, "a timeout is not tried again unasked")
        self.assertEqual(outcomes["right", "1"], {("ok", "0")})
        self.assertEqual(outcomes["right", "2"], {("missing_output", "0"), ("missing_output", "1")})

    def test_prepares_and_cleans_up_in_a_scratch_of_its_own(self):
        self.study(command='["cat", "{scratch}/input"]',
                   workload='prepare = [["sh", "-c", "echo $SIDE > {scratch}/input"]]')
        self.assertEqual(self.run_study("--blocks", "1").returncode, 0)
        for row in self.rows():
            self.assertEqual((self.scratch / "result/logs" / row["run"] / "stdout").read_text(), row["side"] + "\n")
        self.assertEqual(list((self.scratch / "result/scratch").iterdir()), [])

    def test_stops_at_its_budget(self):
        path = self.study(command='["sleep", "0.05"]')
        path.write_text(path.read_text().replace('seed = 5', 'seed = 5\nbudget = "120ms"'))
        done = self.run_study()
        self.assertEqual(done.returncode, 0)
        self.assertIn("the budget is used up", done.stderr)
        self.assertLess(len(self.rows()), 12)
        self.assertIn("budget", self.events())
        for _ in range(8):  # it is not given anew with each start
            self.run_study()
        self.assertLess(len(self.rows()), 6)

    def test_a_signal_ends_it_in_order(self):
        self.study(command='["sleep", "0.2"]')
        process = subprocess.Popen([PRENGDL, "run", self.scratch / "small.toml", "-o", self.scratch / "result"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, env=self.environment())
        for text in process.stderr:
            if "run 2 of 12" in text:
                break
        process.send_signal(signal.SIGTERM)
        rest = process.communicate(timeout=30)[1]
        self.assertEqual(process.returncode, 130)
        self.assertIn("run the same command again to continue", rest)
        self.assertGreaterEqual(len(self.rows()), 2)
        self.assertIn("interrupted", self.events())


class Protocol(Study):
    def test_a_unit_that_is_decided_needs_no_more_runs(self):
        path = self.study(command='["sh", "-c", "test {side} = left || sleep 0.3"]',
                          protocol='stop = { rule = "sequence", at_least = 10 }')
        path.write_text(path.read_text().replace("runs = 3", "runs = 14")
                        .replace('test = "log-t"', 'test = "log-t"\nprimary = "seconds"'))
        done = self.run_study()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("stopped early", done.stderr)
        self.assertEqual(len(self.rows()), 40, "ten blocks of four cells")
        self.assertEqual(self.events().count("stop-early"), 3, "two units and the study")
        # Going on with it makes nothing more.
        self.assertEqual(self.run_study().returncode, 0)
        self.assertEqual(len(self.rows()), 40)
        # Another number of runs would be another plan.
        other = self.run_study("--runs", "20")
        self.assertEqual(other.returncode, 2)
        self.assertIn("was planned with 14 runs and may stop early", other.stderr)
        self.assertEqual(len(self.rows()), 40)

    def test_the_workload_gets_its_niceness_and_its_cpus(self):
        self.study(command='["sh", "-c", "nice; grep Cpus_allowed_list /proc/self/status"]',
                   protocol="nice = 5\ncpus = [0]\nsampler_cpus = [0]")
        self.assertEqual(self.run_study("--blocks", "1").returncode, 0)
        for row in self.rows():
            output = (self.scratch / "result/logs" / row["run"] / "stdout").read_text()
            self.assertEqual(output, "5\nCpus_allowed_list:\t0\n")

    def test_a_warm_start_runs_the_same_load_before_every_run(self):
        self.study(
            protocol='start = "warm"\nwarm_command = ["sh", "-c", "echo warm {{$(basename {result})}} >> load.txt"]'
        )
        self.assertEqual(self.run_study("--blocks", "1").returncode, 0)
        self.assertEqual((self.scratch / "load.txt").read_text(), "warm {result}\n" * 4)

    def test_warm_ups_are_stored_but_do_not_count(self):
        path = self.study()
        path.write_text(path.read_text().replace("warmup = 0", "warmup = 1"))
        self.run_study("--blocks", "1")
        self.assertEqual(len(self.rows()), 4)
        self.assertEqual(len(self.rows("--with-warmups")), 8)

    def test_idle_and_settling_are_recorded(self):
        self.study(protocol='idle = "200ms"')
        path = self.scratch / "small.toml"
        path.write_text(path.read_text().replace('settle = "off"', 'settle = { at_most = "300ms" }'))
        self.assertEqual(self.run_study("--blocks", "1").returncode, 0)
        database = sqlite3.connect(self.scratch / "result/study.db")
        waits = [row[0] for row in database.execute("SELECT settle_seconds FROM runs")]
        database.close()
        self.assertEqual(len(waits), 4)
        self.assertTrue(all(wait > 0 for wait in waits))


class Refused(Study):
    def test_a_study_file_that_has_changed(self):
        path = self.study()
        self.run_study("--blocks", "1")
        path.write_text(path.read_text().replace("seed = 5", "seed = 6"))
        done = self.run_study()
        self.assertEqual(done.returncode, 1)
        self.assertIn("-seed = 5\n", done.stderr)
        self.assertIn("+seed = 6\n", done.stderr)
        self.assertIn("choose another directory with -o", done.stderr)
        again = self.run_program("run", self.scratch / "result/study.toml", "-o", self.scratch / "result")
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_a_design_that_can_show_nothing(self):
        path = self.study()
        path.write_text(path.read_text().replace('"log-t"', '"rank"'))
        done = self.run_study()
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot show anything", done.stderr)
        self.assertFalse((self.scratch / "result").exists())
        self.assertEqual(self.run_study("--anyway", "--blocks", "1").returncode, 0)

    def test_a_second_prengdl_on_the_same_result(self):
        self.study(command='["sleep", "2"]')
        first = subprocess.Popen([PRENGDL, "run", self.scratch / "small.toml", "-o", self.scratch / "result"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 env=self.environment())
        self.addCleanup(first.wait)
        self.addCleanup(first.terminate)
        # Once a run has begun the result is made.
        self.wait_for(lambda: list((self.scratch / "result").glob("logs/*")), "the first run")
        done = self.run_study()
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"in use by prengdl {first.pid}", done.stderr)
        self.assertEqual(self.run_program("status", self.scratch / "result").returncode, 0, "readers may look")

    def test_a_result_of_a_newer_version(self):
        self.study()
        self.run_study("--blocks", "1")
        database = sqlite3.connect(self.scratch / "result/study.db")
        database.execute("PRAGMA user_version = 999")
        database.close()
        for command in (("status", self.scratch / "result"), ("export", self.scratch / "result")):
            done = self.run_program(*command)
            self.assertEqual(done.returncode, 1)
            self.assertIn("newer", done.stderr)

    def test_a_machine_that_lacks_what_is_required(self):
        path = self.study()
        path.write_text(path.read_text().replace("[factors]", "[requires]\ncpus = 60000\n[factors]"))
        done = self.run_study()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("requires 60000 CPUs", done.stderr)


    def test_cells_that_the_machine_cannot_run_are_refused_by_name(self):
        path = self.study()
        override = '[[override]]\nwhere = { size = "2" }\nrequires = { cpus = 60000 }\n[analysis]'
        path.write_text(path.read_text().replace("[analysis]", override))
        done = self.run_study()
        self.assertEqual(done.returncode, 0, done.stderr)
        for side in ("left", "right"):
            self.assertIn(f"refused: side={side} size=2 requires 60000 CPUs", done.stderr)
        self.assertEqual({row["size"] for row in self.rows()}, {"1"})
        self.assertEqual(self.events().count("refused"), 2)
        self.assertIn("6 of 6 planned", self.run_program("status", self.scratch / "result").stdout)


class Results(Study):
    def test_a_run_is_left_out_with_a_reason_and_stays(self):
        self.study()
        self.run_study("--blocks", "1")
        run = self.rows()[0]["run"]
        self.assertEqual(self.run_program("exclude", self.scratch / "result", run).returncode, 2)
        done = self.run_program("exclude", self.scratch / "result", run, "--why", "the fan stopped")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.rows()), 3)
        self.assertEqual(len(self.rows("--with-excluded")), 4)
        self.assertIn("the fan stopped", self.run_program("exclude", self.scratch / "result", "--list").stdout)
        self.run_program("exclude", self.scratch / "result", run, "--why", "it did not", "--undo")
        self.assertEqual(len(self.rows()), 4)

    def test_results_of_one_study_are_joined(self):
        self.study()
        self.run_study("--blocks", "1", result="a")
        self.run_study("--blocks", "2", result="b")
        done = self.run_program("merge", self.scratch / "a", self.scratch / "b", "-o", self.scratch / "both")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.rows(result="both")), 12)
        again = self.run_program("merge", self.scratch / "b", "-o", self.scratch / "both")
        self.assertIn("0 runs added, 8 were there already", again.stdout)

    def test_measure_stores_the_same(self):
        done = self.run_program("measure", "-n", "2", "-o", self.scratch / "m", "-c", "true", "-c", "sleep 0.02")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(row["command"] for row in self.rows(result="m")),
                         ["sleep 0.02", "sleep 0.02", "true", "true"])
        self.assertGreater(len(self.rows("--table", "samples", result="m")), 4)
        again = self.run_program("measure", "-o", self.scratch / "m", "--", "true")
        self.assertEqual(again.returncode, 2)
        self.assertIn("never overwritten", again.stderr)

    def test_spans_and_metrics_are_exported(self):
        code = ("import prengdl, time\n"
                "for epoch in prengdl.spans('epoch', range(1, 3)):\n"
                "    time.sleep(0.12)\n    prengdl.metric('accuracy', epoch / 10, step=epoch)\n")
        (self.scratch / "train.py").write_text(code)
        self.study(command='["python3", "train.py"]')
        self.assertEqual(self.run_study("--blocks", "1").returncode, 0)
        spans = self.rows("--table", "spans")
        self.assertEqual(len(spans), 8)
        self.assertEqual({span["accuracy"] for span in spans}, {"0.1", "0.2"})
        metrics = self.rows("--table", "metrics")
        self.assertEqual([metric["value"] for metric in metrics[:2]], ["0.1", "0.2"])


class Gate(Study):
    def test_tells_what_costs_more(self):
        done = self.run_program("gate", "--interleave", "-n", "6", "-c", "sleep 0.05", "-c", "sleep 0.5", "--json")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(json.loads(done.stdout)["verdict"], "fail")
        done = self.run_program("gate", "--interleave", "-n", "6", "-c", "sleep 0.5", "-c", "sleep 0.05", "--markdown")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("|", done.stdout)

    def test_cannot_tell_from_too_little(self):
        done = self.run_program("gate", "--interleave", "-n", "1", "-c", "sleep 0.02", "-c", "sleep 0.02")
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)

    def test_results_of_other_machines_are_refused(self):
        for name in ("base", "new"):
            self.run_program("measure", "-n", "3", "-o", self.scratch / name, "--", "sleep", "0.02")
        ours = self.run_program("gate", self.scratch / "base", self.scratch / "new", "--max", "+900%")
        self.assertEqual(ours.returncode, 4, ours.stderr)
        fake = self.scratch / "machine"
        (fake / "proc/sys/kernel").mkdir(parents=True)
        (fake / "proc/sys/kernel/hostname").write_text("elsewhere\n")
        self.run_program("measure", "-n", "3", "-o", self.scratch / "other", "--root", fake, "--", "sleep", "0.02")
        done = self.run_program("gate", self.scratch / "base", self.scratch / "other")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("machine", done.stderr)


if __name__ == "__main__":
    unittest.main()
