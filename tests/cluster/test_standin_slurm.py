# SPDX-License-Identifier: Apache-2.0
"""The stand-ins for Slurm's commands, which tests of many nodes rely on."""

import pathlib
import subprocess
import time
import unittest

from standin_slurm import StandinSlurm, parse_array

# Writes a line for each start, step and end; `$STEPS` steps of `$PAUSE` seconds.
PLUGIN = """\
import os

def task(job_id, task_id, node, script, environment):
    log = open(environment["LOG"], "a", buffering=1)
    log.write(f"start {job_id} {task_id} {node}\\n")
    try:
        for step in range(int(environment["STEPS"])):
            yield float(environment["PAUSE"]), lambda: log.write(f"step {task_id} {step}\\n") and None
        if environment.get("FAIL") == str(task_id):
            yield 0, lambda: 1 / 0
        if environment.get("LOSE") == str(task_id):
            yield 0, lambda: "NODE_FAIL"
    finally:
        log.write(f"end {task_id}\\n")
"""


class StandIns(unittest.TestCase):
    def start(self, nodes=1000, plugin=PLUGIN):
        slurm = self.enterContext(StandinSlurm(plugin, nodes=nodes))
        self.log = slurm.directory / "log.txt"
        self.slurm = slurm
        return slurm

    def call(self, *words, status=0, text=None, **changes):
        environment = self.slurm.environment() | {"LOG": str(self.log), "STEPS": "2", "PAUSE": "0.05"} | changes
        done = subprocess.run([str(word) for word in words], env=environment, capture_output=True, text=True,
                              input=text, cwd=self.slurm.directory, timeout=30)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr if status else done.stdout

    def states(self, *choice):
        return dict(line.split() for line in
                    self.call("squeue", "-h", "-r", "-t", "all", *choice, "-o", "%i %T").splitlines())

    def wait_until_done(self, patience=60):
        deadline = time.monotonic() + patience
        while set(self.states().values()) & {"PENDING", "RUNNING"}:
            self.assertLess(time.monotonic(), deadline, self.states())
            time.sleep(0.1)

    def test_tasks_run_their_steps(self):
        self.start()
        self.assertEqual(self.call("sbatch", "--parsable", "--job-name=few", "--array=0-4", "--wrap", "true"), "1\n")
        self.wait_until_done()
        self.assertEqual(self.states(), {f"1_{index}": "COMPLETED" for index in range(5)})
        lines = self.log.read_text().splitlines()
        self.assertEqual(sorted(line for line in lines if line.startswith("start")),
                         [f"start 1 {index} n000{index + 1}" for index in range(5)])
        self.assertEqual([line for line in lines if line.split()[1] == "3" and "start" not in line],
                         ["step 3 0", "step 3 1", "end 3"])

    def test_no_more_tasks_than_allowed_run_at_a_time(self):
        for nodes, array in ((100, "0-29%4"), (4, "0-29")):
            with self.subTest(array):
                self.start(nodes=nodes)
                self.call("sbatch", f"--array={array}", "--wrap=true", PAUSE="0.01")
                self.wait_until_done()
                running, most = 0, 0
                for line in self.log.read_text().splitlines():
                    running += line.startswith("start") - line.startswith("end")
                    most = max(most, running)
                self.assertEqual((running, most), (0, 4))

    def test_squeue_prints_what_the_format_says(self):
        self.start(nodes=1)
        self.call("sbatch", "-J", "one", "--wrap=true", PAUSE="60", USER="ada")
        self.call("sbatch", "--job-name", "two", "-a", "7", "--wrap=true", USER="ada")
        row = self.call("squeue", "-h", "-r", "-t", "all", "--name=one", "-o", "%i|%F|%K|%j|%T|%r|%N|%u").strip()
        self.assertEqual(row, "1|1|N/A|one|RUNNING|None|n0001|ada")
        row = self.call("squeue", "-h", "-r", "--name=two", "-o", "%i|%F|%K|%T|%r|%N|%S").strip()
        self.assertEqual(row, "2_7|2|7|PENDING|Resources||N/A")
        self.assertRegex(self.call("squeue", "-hr", "-o%V %S", "-j", "1"), r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d ?){2}\n$")
        self.assertEqual(self.call("squeue", "-o", "%i %T", "-t", "RUNNING"), "JOBID STATE\n1 RUNNING\n")
        self.assertIn("Invalid job id", self.call("squeue", "-j", "99", status=1))
        self.assertIn("%Z", self.call("squeue", "-o", "%Z", status=1))
        self.assertEqual(self.call("sinfo", "-h", "-N", "-o", "%N %T"), "n0001 allocated\n")

    def test_scripts_may_come_with_options_and_by_standard_input(self):
        self.start()
        script = "#!/bin/sh\n#SBATCH --job-name='a name'  # comment\n#SBATCH -a 1-2\n\n#SBATCH --exclusive\ntrue\n"
        path = self.slurm.directory / "block.sh"
        path.write_text(script)
        self.assertEqual(self.call("sbatch", "--export=ALL,STEPS=0", path), "Submitted batch job 1\n")
        self.call("sbatch", "--parsable", "--job-name=other", text=script)
        self.wait_until_done()
        names = self.call("squeue", "-h", "-t", "all", "-o", "%i %j").splitlines()
        self.assertEqual(names, ["1_1 a name", "1_2 a name", "3_1 other", "3_2 other"])
        self.assertEqual(pathlib.Path(self.slurm.directory, "scripts/1.sh").read_text(), script)
        self.assertEqual([line for line in self.log.read_text().splitlines() if line.startswith("step")],
                         sorted(["step 1 0", "step 1 1", "step 2 0", "step 2 1"],
                                key=lambda line: line.split()[2]), "only the second job has steps")

    def test_tasks_fail_are_lost_and_cancelled(self):
        self.start()
        self.call("sbatch", "--array=0-4", "--wrap=true", FAIL="1", LOSE="2", PAUSE="0.5")
        self.call("scancel", "1_3")
        self.call("sbatch", "--hold", "--job-name=held", "--wrap=true")
        self.call("scancel", "--name", "held")
        self.wait_until_done()
        self.assertEqual(self.states(), {"1_0": "COMPLETED", "1_1": "FAILED", "1_2": "NODE_FAIL", "1_3": "CANCELLED",
                                         "1_4": "COMPLETED", "6": "CANCELLED"})
        self.assertIn("ZeroDivisionError", (self.slurm.directory / "simulator.log").read_text())
        self.assertIn("end 3", self.log.read_text())
        self.assertNotIn("step 3", self.log.read_text())

    def test_jobs_are_held_released_and_requeued(self):
        self.start()
        self.call("sbatch", "--hold", "--wrap=true", PAUSE="0.3")
        self.assertEqual(self.call("squeue", "-h", "-o", "%T %r"), "PENDING JobHeldUser\n")
        self.call("scontrol", "release", "1")
        self.assertIn("JobState=RUNNING", self.call("scontrol", "show", "job", "1"))
        self.call("scontrol", "requeue", "1")
        self.wait_until_done()
        self.assertEqual(self.log.read_text().count("start 1"), 2)
        self.assertEqual(self.log.read_text().count("step None 1"), 1, "a step of the first turn is void")

    def test_calls_are_recorded_and_the_controller_may_be_away(self):
        slurm = self.start()
        before = time.monotonic()
        self.assertIn("UP", self.call("scontrol", "ping"))
        (slurm.directory / "down").touch()
        self.assertIn("Unable to contact", self.call("squeue", status=1))
        (slurm.directory / "down").unlink()
        calls = slurm.calls()
        self.assertEqual([call["program"] for call in calls], ["scontrol", "squeue"])
        self.assertTrue(before <= calls[0]["at"] <= calls[1]["at"] <= time.monotonic())
        self.assertEqual(slurm.calls("scontrol")[0]["words"], ["ping"])

    def test_ends_by_itself_and_remembers_the_jobs(self):
        slurm = self.start()
        self.call("sbatch", "--wrap=true")
        deadline = time.monotonic() + 60
        while not (slurm.directory / "state.json").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.assertFalse(slurm.is_running())
        self.assertEqual(self.states(), {"1": "COMPLETED"})
        self.assertEqual(self.call("sbatch", "--parsable", "--wrap=true"), "2\n")
        self.wait_until_done()
        self.assertEqual(self.states("-j", "1,2"), {"1": "COMPLETED", "2": "COMPLETED"})

    def test_a_thousand_tasks_of_a_hundred_steps(self):
        slurm = self.start()
        began = time.monotonic()
        self.call("sbatch", "--array=0-999", "--wrap=true", STEPS="100", PAUSE="0.1")
        self.assertEqual(set(self.states().values()), {"RUNNING"})
        deadline = time.monotonic() + 300
        while set(self.states().values()) == {"RUNNING"} or "RUNNING" in self.states().values():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(1)
        self.assertGreaterEqual(time.monotonic() - began, 10)
        self.assertEqual(set(self.states().values()), {"COMPLETED"})
        lines = self.log.read_text().splitlines()
        self.assertEqual(len(lines), 1000 * 102)
        self.assertEqual([line for line in lines if line.startswith("step 417 ")],
                         [f"step 417 {step}" for step in range(100)])
        slurm.stop()
        deadline = time.monotonic() + 30
        while not (slurm.directory / "state.json").exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        print(f"100,000 steps of 1,000 tasks took {slurm.cpu_seconds():.2f} s of CPU time")

    def test_arrays(self):
        self.assertEqual(parse_array("0-999%50"), (list(range(1000)), 50))
        self.assertEqual(parse_array("1,3,5-9:2"), ([1, 3, 5, 7, 9], 0))


if __name__ == "__main__":
    unittest.main()
