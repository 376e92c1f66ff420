# SPDX-License-Identifier: Apache-2.0
"""A study of short runs on a throw-away Slurm, and what must hold when it has ended."""

import collections
import contextlib
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import time

from sandbox import SandboxError

PRENGDL = os.environ.get("PRENGDL", str(pathlib.Path(__file__).resolve().parents[2] / "build/prengdl"))
MODELS = ("ncf", "ssd")
SIDES = ("left", "right")

STUDY = """\
[study]
name = "s"
runs = {blocks}
[factors]
model = ["ncf", "ssd"]
side = ["left", "right"]
[protocol]
warmup = {warmup}
settle = "off"
[workload]
command = ["sh", "-c", "sleep {seconds} # {{model}} {{side}}"]
retry = 1
[analysis]
compare = "side"
primary = "seconds"
[slurm]
{slurm}
"""


def wait_until(holds, what, timeout=60):
    deadline = time.monotonic() + timeout
    while not (value := holds()):
        if time.monotonic() > deadline:
            raise AssertionError(f"after {timeout} s: {what}")
        time.sleep(0.1)
    return value


class ClusterStudy:
    def __init__(self, slurm, directory, *, blocks=15, seconds=0.1, warmup=0, settings="blocks_per_job = 1"):
        self.slurm = slurm
        self.directory = pathlib.Path(directory)
        self.result = self.directory / "s.result"
        self.cluster = self.result / "cluster"
        self.blocks = blocks
        self.controller = None
        self.output = self.directory / "controller.txt"
        (self.directory / "s.toml").write_text(
            STUDY.format(blocks=blocks, seconds=seconds, warmup=warmup, slurm=settings))

    # The controller.

    def command(self, *options):
        return [PRENGDL, "run", "s.toml", "--on", "slurm", "--quiet", *options]

    def start(self, *options):
        with self.output.open("a") as output:
            self.controller = subprocess.Popen(self.command(*options), cwd=self.directory, stdout=output, stderr=output,
                                               stdin=subprocess.DEVNULL, env=self.slurm.environment())

    def kill(self, number=signal.SIGKILL):
        self.controller.send_signal(number)
        return self.controller.wait(timeout=60)

    def wait(self, timeout=120):
        return self.controller.wait(timeout=timeout)

    def finish(self, timeout=240, starts=5):
        """Waits for the end of the study; starts the same command again where a fault has ended it."""
        deadline = time.monotonic() + timeout
        for _ in range(starts):
            while (code := self.controller.poll()) is None:
                if time.monotonic() > deadline:
                    raise AssertionError(f"not over after {timeout} s: {self.slurm.nodes()} {self.live_jobs()}")
                self.repair_nodes()
                time.sleep(1)
            if code == 0:
                return
            self.start()
        raise AssertionError(f"the study does not end: exit {code}\n{self.output.read_text()[-2000:]}")

    def repair_nodes(self):
        """As an administrator who finds a node that Slurm has drained or set down."""
        with contextlib.suppress(SandboxError, subprocess.TimeoutExpired):
            for node, state in self.slurm.nodes().items():
                if state.startswith(("drain", "down")) and not state.endswith("*"):
                    self.slurm.scontrol("update", f"nodename={node}", "state=resume")

    # What is there.

    def rows(self, query):
        with sqlite3.connect(f"file:{self.result}/study.db?mode=ro", uri=True, timeout=30) as database:
            return database.execute(query).fetchall()

    def made(self):
        """Runs in the database; 0 before there is one."""
        try:
            return self.rows("SELECT count(*) FROM runs WHERE NOT warmup")[0][0]
        except sqlite3.Error:
            return 0

    def wait_for_runs(self, count, timeout=60):
        def are_made():
            self.repair_nodes()
            return self.made() >= count
        wait_until(are_made, f"{self.made()} runs, not {count}", timeout)

    def events(self, kind):
        return [detail for (detail,) in self.rows(f"SELECT detail FROM events WHERE kind = '{kind}' ORDER BY number")]

    def status(self):
        words = [PRENGDL, "status", str(self.result), "--json"]
        return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)

    def live_jobs(self):
        prefix = self.job_prefix()
        ended = ("COMPLETED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "CANCELLED", "OUT_OF_MEMORY", "BOOT_FAIL")
        return [job for job in self.slurm.jobs() if job["name"].startswith(prefix) and job["state"] not in ended]

    def job_prefix(self):
        arrays = sorted(self.cluster.glob("[0-9]*.json"))
        return json.loads(arrays[0].read_text())["name"].rsplit("-", 1)[0] if arrays else "none"

    def running_job(self, timeout=60):
        """A job that has begun its task."""
        def find():
            self.repair_nodes()
            return next((job for job in self.live_jobs() if job["state"] == "RUNNING"
                         and self.task_directory(job).exists()), None)
        return wait_until(find, "no job runs", timeout)

    def task_directory(self, job):
        return self.cluster / "tasks" / f"{int(job['name'].rsplit('-', 1)[1]):04}-{job['task']}"

    def processes(self, node=None):
        """The processes of tasks: pid and command, by their environment."""
        found = {}
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                variables = (entry / "environ").read_bytes().split(b"\0")
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if not any(one.startswith(b"PRENGDL_TASK=" + str(self.cluster).encode() + b"/") for one in variables):
                continue
            if node is None or b"SLURMD_NODENAME=" + node.encode() in variables:
                found[int(entry.name)] = words
        return found

    # What must hold.

    def check(self, test):
        """Exactly the planned runs, in the planned order, each case on one node; nothing lost, nothing left."""
        planned = self.blocks * len(MODELS) * len(SIDES)
        counted = self.rows("SELECT place, machine, begin_ns FROM counted_runs ORDER BY place")
        test.assertEqual([row[0] for row in counted], list(range(planned)), "every place once")
        cases = collections.defaultdict(set)
        for place, machine, _ in counted:
            cases[place // len(SIDES)].add(machine)
        test.assertEqual([case for case, machines in cases.items() if len(machines) > 1], [], "cases on several nodes")
        ids = {row[0] for row in self.rows("SELECT id FROM runs")}
        reported = set()
        for log in (self.cluster / "logs").glob("*.log"):
            reported |= set(re.findall(r"(?m)\((b\d+-p\d+-t\d+-[0-9a-f]{8})\)$", log.read_text(errors="replace")))
        test.assertEqual(reported - ids, set(), "runs that a node reported as done are in the result")
        test.assertEqual(self.rows("SELECT count(*), count(DISTINCT id) FROM runs")[0][0], len(ids))
        wait_until(lambda: not self.processes(), f"processes left: {self.processes()}", 30)
        wait_until(lambda: not self.live_jobs(), f"jobs left: {self.live_jobs()}", 90)
