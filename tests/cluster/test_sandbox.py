# SPDX-License-Identifier: Apache-2.0
"""The throw-away Slurm itself: it behaves as a cluster does, and leaves nothing behind."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import keeper
from sandbox import HERE, Sandbox, SandboxError, missing


def is_alive(pid):
    return int(pid) in keeper.process_parents()


@unittest.skipIf(missing(), missing())
class ASandbox(unittest.TestCase):
    def assert_ends(self, pids, patience=15):
        deadline = time.monotonic() + patience
        while (left := [pid for pid in pids if is_alive(pid)]) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual([keeper.command_of(pid) for pid in left], [])

    def wait_for_file(self, path, patience=30):
        deadline = time.monotonic() + patience
        while not (path.exists() and path.read_text().strip()):
            self.assertLess(time.monotonic(), deadline, f"{path} was not written")
            time.sleep(0.05)
        return path.read_text().strip()

    def test_runs_an_exclusive_array_on_all_nodes(self):
        with Sandbox(nodes=3) as slurm:
            job = slurm.sbatch("--exclusive", "--array=0-5", "--wrap=echo $SLURMD_NODENAME; sleep 0.5")
            tasks = slurm.wait_for(job, "COMPLETED")
            self.assertEqual(sorted(task["task"] for task in tasks), list("012345"))
            self.assertEqual({task["node"] for task in tasks}, {"n1", "n2", "n3"})
            for task in tasks:
                written = slurm.directory / f"out/{job}_{task['task']}.txt"
                self.assertEqual(self.wait_for_file(written), task["node"])

    def test_a_job_survives_the_restart_of_its_slurmd(self):
        with Sandbox(nodes=1) as slurm:
            job = slurm.sbatch("--wrap=sleep 3")
            slurm.wait_for(job, "RUNNING")
            slurm.kill("n1")
            self.assertNotIn("n1", slurm.status()["running"])
            slurm.run("n1")
            slurm.wait_for(job, "COMPLETED")

    def test_a_lost_node_fails_its_job(self):
        with Sandbox(nodes=2) as slurm:
            job = slurm.sbatch("--no-requeue", "-w", "n2", "--wrap=sleep 600")
            slurm.wait_for(job, "RUNNING")
            task = [pid for pid, command in slurm.status()["processes"].items() if command == "sleep 600"]
            slurm.kill("n2", with_jobs=True)
            self.assert_ends(task)
            self.assertEqual(slurm.wait_for(job, "NODE_FAIL")[0]["reason"], "NodeDown")
            self.assertEqual(slurm.nodes(), {"n1": "idle", "n2": "down*"})
            slurm.run("n2")
            slurm.wait_for_node("n2", "idle")

    def test_the_controller_keeps_its_queue_over_a_restart(self):
        with Sandbox(nodes=1) as slurm:
            job = slurm.sbatch("--hold", "--job-name=kept", "--wrap=true")
            time.sleep(6)  # slurmctld writes its state every five seconds
            slurm.kill("slurmctld")
            with self.assertRaisesRegex(SandboxError, "squeue failed"):
                slurm.jobs()
            slurm.run("slurmctld")
            deadline = time.monotonic() + 30
            while time.monotonic() < deadline:
                try:
                    self.assertEqual([task["name"] for task in slurm.jobs(job)], ["kept"])
                    break
                except SandboxError:
                    time.sleep(0.2)
            slurm.scontrol("release", str(job))
            slurm.wait_for(job, "COMPLETED")

    def test_an_urgent_job_preempts(self):
        for mode, outcome in (("CANCEL", "PREEMPTED"), ("REQUEUE", "PENDING")):
            with self.subTest(mode), Sandbox(nodes=1, preempt=mode, grace=1) as slurm:
                usual = slurm.sbatch("--exclusive", "--requeue", "--wrap=sleep 600")
                slurm.wait_for(usual, "RUNNING")
                urgent = slurm.sbatch("-p", "urgent", "--exclusive", "--wrap=sleep 5")
                slurm.wait_for(urgent, "RUNNING", "COMPLETED")
                slurm.wait_for(usual, outcome)

    def test_stop_ends_jobs_that_do_not_want_to_end(self):
        with Sandbox(nodes=2) as slurm:
            # The second leaves its session and its environment, as a daemon does.
            stubborn = slurm.directory / "stubborn.txt"
            slurm.sbatch(f"--wrap=trap '' TERM; echo $$ > {stubborn}; while :; do sleep 1; done")
            hidden = slurm.directory / "hidden.txt"
            slurm.sbatch(f"--wrap=setsid env -i sh -c 'echo $$ > {hidden}; exec sleep 600' & sleep 600")
            pids = [self.wait_for_file(stubborn), self.wait_for_file(hidden), *slurm.status()["processes"]]
            self.assertGreater(len(pids), 7)
            slurm.stop()
            self.assert_ends(pids, patience=0)
            self.assertFalse(slurm.is_running())

    def test_ends_with_the_test_that_started_it(self):
        code = ("import os, signal, sandbox\n"
                "slurm = sandbox.Sandbox(nodes=1); slurm.__enter__(); slurm.sbatch('--wrap=sleep 600')\n"
                "print(slurm.directory, *slurm.status()['processes'], flush=True)\n"
                "os.kill(os.getpid(), signal.SIGKILL)")
        killed = subprocess.run([sys.executable, "-c", code], cwd=HERE, capture_output=True, text=True)
        self.assertEqual(killed.returncode, -signal.SIGKILL, killed.stderr)
        directory, *pids = killed.stdout.split()
        self.assert_ends(pids)
        subprocess.run(["rm", "-r", directory], check=True)

    def test_jobs_of_a_killed_keeper_are_found(self):
        with Sandbox(nodes=1) as slurm:
            started = slurm.directory / "started.txt"
            slurm.sbatch(f"--wrap=echo $$ > {started}; exec sleep 600")
            pid = int(self.wait_for_file(started))
            step = keeper.process_parents()[pid]
            self.assertIn("slurmstepd", keeper.command_of(step))
            daemon = slurm.status()["running"]["slurmctld"]
            os.kill(keeper.process_parents()[daemon], signal.SIGKILL)
            self.assert_ends([daemon])
            slurm.stop()
            self.assert_ends([pid, step], patience=0)

    def test_two_do_not_meet(self):
        with Sandbox(nodes=1) as one, Sandbox(nodes=1) as other:
            one.sbatch("--hold", "--wrap=true")
            self.assertEqual((len(one.jobs()), len(other.jobs())), (1, 0))
            one.stop()
            self.assertEqual(other.nodes(), {"n1": "idle"})

    def test_a_start_that_fails_says_why_and_stops_everything(self):
        with tempfile.TemporaryDirectory() as directory:
            slurm = Sandbox(f"{directory}/slurm", settings=["SelectType=select/none_such"])
            with self.assertRaisesRegex(SandboxError, "slurmctld ended: .*select/none_such"):
                slurm.start()
            self.assertFalse(slurm.is_running())
            self.assertIn("none_such", (slurm.directory / "log/slurmctld.log").read_text())

    def test_leaves_directories_with_other_files_alone(self):
        with tempfile.TemporaryDirectory() as directory:
            pathlib.Path(directory, "mine.txt").touch()
            with self.assertRaisesRegex(SandboxError, "holds other files"):
                Sandbox(directory).start()
            self.assertEqual(os.listdir(directory), ["mine.txt"])

    @unittest.skipIf(os.geteuid() != 0, "only root may give the daemons a host name of their own")
    def test_needs_no_host_name_that_resolves_to_loopback(self):
        name = socket.gethostname()
        with tempfile.TemporaryDirectory() as directory:
            script = (f"hostname no-such-host && ./slurm-sandbox start {directory}/s --nodes 1 && "
                      f"eval \"$(./slurm-sandbox env {directory}/s)\" && cd / && "
                      f"sbatch -o {directory}/out --wait --wrap hostname; cat {directory}/out; "
                      f"{HERE}/slurm-sandbox stop {directory}/s && {HERE}/slurm-sandbox status {directory}/s; echo $?")
            done = subprocess.run(["unshare", "--uts", "sh", "-c", script], cwd=HERE, capture_output=True, text=True)
        self.assertEqual(done.stdout.splitlines()[1:],
                         ["localhost", f"no sandbox is running in {directory}/s", "3"], done.stderr)
        self.assertEqual(socket.gethostname(), name)


if __name__ == "__main__":
    unittest.main()
