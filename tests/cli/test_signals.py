# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and its relatives, sent to the program alone as a job scheduler would."""

import json
import signal

from program import PATIENCE, Case, is_alive, line, python

# Notes its pid, its runs and the signals that it gets; from the second run on it hangs.
WORKLOAD = """
import os, signal, sys, time
def note(name, text):
    with open(os.path.join({scratch!r}, name), "a") as file: file.write(text + "\\n")
def got(number, frame):
    note("signals", str(number))
    if {ends}: sys.exit(0)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(number, got)
note("runs", "x")
runs = len(open(os.path.join({scratch!r}, "runs")).readlines())
if runs >= {hangs_from}:
    note("pid", str(os.getpid()))
    while True: time.sleep(60)
"""


class Interrupts(Case):
    def start(self, *arguments, hangs_from=2, ends=True):
        code = WORKLOAD.format(scratch=str(self.scratch), hangs_from=hangs_from, ends=ends)
        process = self.start_program("measure", *arguments, "-c", line(python(code)))
        self.pid = self.pid_in(self.scratch / "pid")
        return process

    def noted(self, name):
        return (self.scratch / name).read_text().split()

    def test_ctrl_c_reaches_the_child_and_the_finished_runs_are_printed(self):
        process = self.start("-n", "3", "--json")
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, error)
        self.assertEqual(self.noted("signals"), [str(int(signal.SIGINT))])
        self.assertFalse(is_alive(self.pid))
        result = json.loads(out)
        self.assertTrue(result["interrupted"])
        runs = result["commands"][0]["runs"]
        self.assertEqual(runs[0]["exit_code"], 0)
        self.assertNotIn("interrupted", runs[0]["flags"])
        for run in runs[1:]:
            self.assertIn("interrupted", run["flags"])
        self.assertEqual(len(self.noted("runs")), 2)  # no third run was started

    def test_in_text_too(self):
        process = self.start("-n", "3", "--name", "workload")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted: only the runs made so far are shown", out)
        self.assertIn("workload", out)

    def test_the_other_signals_are_passed_on_as_they_are(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number.name):
                for name in ("pid", "signals", "runs"):
                    (self.scratch / name).unlink(missing_ok=True)
                process = self.start(hangs_from=1)
                process.send_signal(number)
                process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 130)
                self.assertEqual(self.noted("signals"), [str(int(number))])

    def test_a_child_that_does_not_care_is_killed_after_a_while(self):
        process = self.start("--json", hangs_from=1, ends=False)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        run = json.loads(out)["commands"][0]["runs"][0]
        self.assertEqual(run["signal"], signal.SIGKILL)

    def test_the_second_ctrl_c_kills(self):
        process = self.start("--json", hangs_from=1, ends=False)
        process.send_signal(signal.SIGINT)
        self.wait_for((self.scratch / "signals").exists, "the first signal")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(json.loads(out)["commands"][0]["runs"][0]["signal"], signal.SIGKILL)
        self.assertFalse(is_alive(self.pid))

    def test_while_waiting_for_a_quiet_machine(self):
        # 30 s of idle are cut short: what counts is that it ends at all within the patience.
        process = self.start_program("measure", "--json", "--idle", "30s", "--", "true")
        self.wait_for(lambda: sleeps(process.pid), "the program to wait")
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=15)
        self.assertEqual(process.returncode, 130, error)
        self.assertEqual(json.loads(out)["commands"][0]["runs"], [])

    def test_a_workload_does_not_outlive_a_killed_program(self):
        process = self.start(hangs_from=1)
        process.kill()
        process.communicate()
        self.assertGone(self.pid)

    def test_live_watts_end_with_ctrl_c(self):
        process = self.start_program("meters", "--watch", "--every", "100ms")
        self.assertIn(" W", process.stdout.readline())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0)


def sleeps(pid):
    """Whether a process has taken over its signals and waits."""
    with open(f"/proc/{pid}/status") as status:
        lines = dict(text.split(":\t", 1) for text in status if ":\t" in text)
    blocked = int(lines["SigBlk"], 16)
    return blocked >> (signal.SIGINT - 1) & 1 and lines["State"].startswith("S")
