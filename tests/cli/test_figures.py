# SPDX-License-Identifier: Apache-2.0
"""Figures that are right, or say how far they may be wrong: runs that were cut short, a sampler or a
counter that was held up, coarse counters, slow meters."""

import json
import os
import signal
import time
import unittest

import test_fake_rapl
from program import PATIENCE, Case, Drawing, FakeMachine, line, python

# From its second run on it hangs.
SECOND_HANGS = """
import os, time
note = {note!r}
with open(note, "a") as file: file.write("x")
if len(open(note).read()) > 1:
    with open({pid!r}, "w") as file: file.write(f"{{os.getpid()}}\\n")
    time.sleep(600)
"""


class CutShort(Case):
    """A run that was interrupted or ran out of time is listed, and in no average."""

    def workload(self):
        code = SECOND_HANGS.format(note=str(self.scratch / "note"), pid=str(self.scratch / "pid"))
        return line(python(code))

    def interrupted(self, *arguments):
        (self.scratch / "note").unlink(missing_ok=True)
        (self.scratch / "pid").unlink(missing_ok=True)
        process = self.start_program("measure", "-n", "3", "--name", "job", *arguments, "-c", self.workload())
        self.pid_in(self.scratch / "pid")
        time.sleep(0.3)  # so that an average with it would differ
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, error)
        return out

    def test_by_ctrl_c_in_json(self):
        command = json.loads(self.interrupted("--json"))["commands"][0]
        self.assertEqual(len(command["runs"]), 2)
        self.assertIn("interrupted", command["runs"][1]["flags"])
        self.assertEqual(command["summary"]["seconds"]["n"], 1)
        self.assertEqual(command["summary"]["seconds"]["mean"], command["runs"][0]["seconds"])

    def test_by_ctrl_c_in_the_table(self):
        out = self.interrupted()
        self.assertRegex(out, r"run 2, not averaged: .*interrupted")
        self.assertNotIn("median", out)  # of two runs there would be one

    def test_by_ctrl_c_in_markdown_and_csv(self):
        out = self.interrupted("--markdown")
        self.assertIn("| job | 1 |", out)
        self.assertIn("job: 1 run left out of the table", out)
        rows = self.interrupted("--csv").splitlines()
        self.assertEqual(len(rows), 3)
        self.assertNotIn("interrupted", rows[1])
        self.assertIn("interrupted", rows[2])

    def test_the_only_run_has_no_average_at_all(self):
        process = self.start_program("measure", "--json", "--", "sh", "-c",
                                     f"echo $$ > {self.scratch}/pid; exec sleep 600")
        self.pid_in(self.scratch / "pid")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
        command = json.loads(out)["commands"][0]
        self.assertEqual(command["summary"], {})
        self.assertGreater(command["runs"][0]["seconds"], 0)

    def test_by_a_time_limit(self):
        arguments = ("-n", "2", "--ignore-failure", "--timeout", "2s", "-c", self.workload())
        command = self.measure(*arguments)["commands"][0]
        self.assertIn("timeout", command["runs"][1]["flags"])
        self.assertEqual(command["summary"]["seconds"]["n"], 1)

    def test_its_partner_is_in_no_finding(self):
        result = self.measure("-n", "2", "--ignore-failure", "--timeout", "2s", "-c", self.workload(),
                              "-c", "true")
        self.assertEqual([f["n"] for f in result["findings"] if f["measure"] == "seconds"], [1])

    def test_a_failure_that_is_to_be_ignored_is_averaged_and_compared(self):
        result = self.measure("-n", "2", "--ignore-failure", "-c", "false", "-c", "true")
        self.assertEqual(result["commands"][0]["summary"]["seconds"]["n"], 2)
        self.assertEqual([f["n"] for f in result["findings"] if f["measure"] == "seconds"], [2])


class Stopped(Case):
    """prengdl itself is stopped while a run goes on."""

    WORKLOAD = """
import os, time
begin = time.monotonic()
with open({name!r}, "w") as file: file.write(f"{{os.getpid()}}\\n")
while not os.path.exists({go!r}): time.sleep(0.01)
time.sleep(0.5)
with open({name!r} + ".seconds", "w") as file: file.write(str(time.monotonic() - begin))
"""

    def start(self, *arguments):
        self.name, self.go = str(self.scratch / "workload"), self.scratch / "go"
        code = self.WORKLOAD.format(name=self.name, go=str(self.go))
        process = self.start_program("measure", "--json", *arguments, "--", *python(code))
        self.pid = self.pid_in(self.scratch / "workload")
        return process

    def stop_over_the_exit(self, process, seconds=1.5):
        time.sleep(0.5)
        process.send_signal(signal.SIGSTOP)
        self.go.touch()
        self.wait_for(self.has_ended, "the workload's end")
        time.sleep(seconds)
        process.send_signal(signal.SIGCONT)

    def has_ended(self):
        try:
            with open(f"/proc/{self.pid}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] == "Z"
        except FileNotFoundError:
            return True

    def run_of(self, process):
        out, error = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, error)
        (run,) = json.loads(out)["commands"][0]["runs"]
        return run

    def stamps_exits(self):
        with open("/proc/sys/kernel/perf_event_paranoid") as file:
            return os.geteuid() == 0 or int(file.read()) <= 2


class Stalls(Stopped):
    def test_over_the_exit_is_not_counted_as_run_time(self):
        process = self.start()
        self.stop_over_the_exit(process, 3)
        run = self.run_of(process)
        self.assertIn("stalled", run["flags"])
        if self.stamps_exits():
            with open(self.name + ".seconds") as file:
                truth = float(file.read())
            # Python takes a while to start and to end; less than the stall, whatever the load.
            self.assertLess(run["seconds"], truth + 2.5)

    def test_a_run_that_ended_meanwhile_did_not_run_out_of_time(self):
        machine = FakeMachine(self.scratch / "machine")
        machine.zone()  # its steps are waited for after the exit
        process = self.start("--root", machine.root, "--timeout", "6s")
        self.stop_over_the_exit(process, 7)
        run = self.run_of(process)
        self.assertNotIn("timeout", run["flags"])
        self.assertEqual(run["exit_code"], 0)

    def test_in_the_middle_is_flagged(self):
        process = self.start()
        time.sleep(0.5)
        process.send_signal(signal.SIGSTOP)
        time.sleep(1)
        process.send_signal(signal.SIGCONT)
        time.sleep(0.3)
        self.go.touch()
        self.assertIn("sampling-gaps", self.run_of(process)["flags"])


@unittest.skipIf(test_fake_rapl.why_not(), test_fake_rapl.why_not())
class StallsOfKnownEnergy(Stopped):
    mount = test_fake_rapl.FakeRapl.mount
    unmount = staticmethod(test_fake_rapl.FakeRapl.unmount)

    def assertWithin(self, run, watts):
        energy = run["joules"]["metered"]
        self.assertAlmostEqual(energy["value"], watts * run["window_seconds"], delta=energy["uncertainty"])
        return energy

    def test_over_the_exit_joules_are_those_of_the_run_and_less_sure(self):
        root = self.mount("--wave", "const:60")  # and 15 W of memory
        process = self.start("--root", root)
        self.stop_over_the_exit(process)
        run = self.run_of(process)
        self.assertIn("stalled", run["flags"])
        energy = self.assertWithin(run, 75)
        self.assertGreater(energy["uncertainty"], 75 * 0.5)


class StuckCounters(Case):
    def run_with(self, watts_then_nothing, *more):
        machine = FakeMachine(self.scratch / "machine")
        counter = machine.zone()
        memory = machine.zone("intel-rapl:0:1", "dram")
        pid = self.scratch / "pid"
        go = self.scratch / "go"
        code = f"import os, time\nopen({str(pid)!r}, 'w').write(f'{{os.getpid()}}\\n')\n" \
               f"while not os.path.exists({str(go)!r}): time.sleep(0.01)"
        with Drawing(memory, 5):
            with Drawing(counter, watts_then_nothing):
                process = self.start_program("measure", "--json", "--root", machine.root, *more, "--",
                                             *python(code))
                self.pid_in(pid)
                time.sleep(1)
            time.sleep(3)
            go.touch()
            out, error = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, error)
        (run,) = json.loads(out)["commands"][0]["runs"]
        return run

    def test_a_package_that_freezes_in_mid_run_has_no_figure(self):
        run = self.run_with(60)
        self.assertIn("stuck-meter", run["flags"])
        self.assertNotIn("package", run["joules"])
        self.assertNotIn("metered", run["joules"])
        self.assertIn("dram", run["joules"])
        self.assertTrue(any("powercap/intel-rapl:0 has no figure" in one and "did not change" in one
                            for one in run["warnings"]), run["warnings"])


class CoarseCounters(Case):
    def test_steps_of_36_joules_are_in_the_uncertainty(self):
        script = self.scratch / "meter.py"
        script.write_text("import time\nwhile True:\n"
                          "    print(time.monotonic() * 20 // 36 * 36, 'J', flush=True)\n"
                          "    time.sleep(0.1)\n")
        machine = FakeMachine(self.scratch / "machine")
        run = self.one_run("--root", machine.root, "--meter", line([*python("")[:1], str(script)]), "--",
                           "sleep", "4")
        energy = run["joules"]["machine"]
        self.assertAlmostEqual(energy["value"], 20 * run["window_seconds"], delta=energy["uncertainty"])
        self.assertGreater(energy["uncertainty"], 3)
        self.assertIn("short", run["flags"])


class SlowMeters(Case):
    def battery(self, machine):
        directory = "sys/class/power_supply/BAT0"
        for name, text in (("type", "Battery"), ("status", "Discharging"), ("present", "1"),
                           ("power_now", "15000000")):
            machine.write(f"{directory}/{name}", text + "\n")

    def test_a_battery_that_is_not_in_the_total_does_not_hold_up_the_runs(self):
        machine = FakeMachine(self.scratch / "machine")
        counter = machine.zone()
        self.battery(machine)
        with Drawing(counter, 60):
            # With ten seconds after each run this would take longer than a test may.
            result = self.measure("--root", machine.root, "-n", "5", "--", "sleep", "0.1")
        self.assertEqual(result["metered"], ["package"])
        self.assertEqual(len(result["commands"][0]["runs"]), 5)
