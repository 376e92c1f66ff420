# SPDX-License-Identifier: Apache-2.0
"""What can go wrong on a cluster. Each fault is a function of the Slurm, the study and a random source.

It strikes in the middle of the study, and puts right what an administrator would. None waits for the end.
"""

import contextlib
import os
import pathlib
import signal
import time

from cluster_study import wait_until
from sandbox import SandboxError


def _scancel(slurm, study, *options):
    job = study.running_job()
    with contextlib.suppress(SandboxError):  # it may have ended
        slurm.command("scancel", *options, job["id"])


def slurmd_restarts(slurm, study, _):
    node = study.running_job()["node"]
    slurm.kill(node)
    time.sleep(1)
    slurm.run(node)


def node_is_lost(slurm, study, _):
    """The orphan goes on running while its block is given to another node."""
    node = study.running_job()["node"]
    slurm.kill(node)
    wait_until(lambda: slurm.nodes()[node].startswith("down"), "the node is not down", 90)
    time.sleep(1)
    slurm.run(node)


def node_crashes(slurm, study, _):
    """slurmd, slurmstepd and the tasks die at once."""
    node = study.running_job()["node"]
    slurm.kill(node, with_jobs=True)
    time.sleep(1)
    slurm.run(node)


def stepd_dies(slurm, study, _):
    """The job stays RUNNING for Slurm, whatever its task does."""
    study.running_job()
    for pid in slurm.status()["processes"]:
        with contextlib.suppress(OSError):
            if "slurmstepd" in os.readlink(f"/proc/{pid}/exe"):
                os.kill(int(pid), signal.SIGKILL)
                return


def program_dies(_, study, random):
    """prengdl on a node, by SIGKILL."""
    study.running_job()
    programs = [pid for pid, words in study.processes().items() if " --task " in words]
    if programs:
        with contextlib.suppress(OSError):
            os.kill(random.choice(programs), signal.SIGKILL)


def workload_dies(_, study, random):
    study.running_job()
    workloads = [pid for pid, words in study.processes().items() if words.startswith("sleep ")]
    if workloads:
        with contextlib.suppress(OSError):
            os.kill(random.choice(workloads), signal.SIGKILL)


def controller_dies(_, study, random):
    time.sleep(random.random())
    study.kill()
    time.sleep(random.random())
    study.start()


def controller_is_interrupted(_, study, random):
    time.sleep(random.random())
    study.kill(signal.SIGINT)
    study.start()


def controller_stands_still(_, study, __):
    study.controller.send_signal(signal.SIGSTOP)
    time.sleep(3)
    study.controller.send_signal(signal.SIGCONT)


def slurmctld_restarts(slurm, _, __):
    """By SIGKILL: what it acknowledged in the last seconds is forgotten."""
    slurm.kill("slurmctld")
    time.sleep(0.5)
    slurm.run("slurmctld")


def slurmctld_forgets(slurm, study, _):
    """It dies right after it has taken jobs, whose ids it gives out again."""
    before = len(list(study.cluster.glob("*.job")))
    _scancel(slurm, study)
    with contextlib.suppress(AssertionError):
        wait_until(lambda: len(list(study.cluster.glob("*.job"))) > before, "nothing was submitted", 25)
    slurm.kill("slurmctld")
    slurm.run("slurmctld")


def slurmctld_is_away(slurm, _, __):
    slurm.kill("slurmctld")
    time.sleep(12)
    slurm.run("slurmctld")


def munged_restarts(slurm, _, __):
    slurm.kill("munged")
    time.sleep(2)
    slurm.run("munged")


def node_is_drained(slurm, study, _):
    node = study.running_job()["node"]
    slurm.scontrol("update", f"nodename={node}", "state=drain", "reason=test")
    time.sleep(4)
    study.repair_nodes()


def job_is_requeued(slurm, study, _):
    job = study.running_job()
    with contextlib.suppress(SandboxError):  # it may have ended
        slurm.scontrol("update", f"jobid={job['id']}", "requeue=1")
        slurm.scontrol("requeue", job["id"])
        time.sleep(1)
        slurm.scontrol("update", f"jobid={job['id']}", "starttime=now")


def job_is_held(slurm, study, _):
    waiting = [job for job in study.live_jobs() if job["state"] == "PENDING"]
    with contextlib.suppress(SandboxError):
        for job in waiting[:1]:
            slurm.scontrol("hold", job["id"])
            time.sleep(4)
            slurm.scontrol("release", job["id"])


def job_is_cancelled(slurm, study, _):
    _scancel(slurm, study)


def job_is_terminated(slurm, study, _):
    """As at preemption: SIGTERM to the job, then the end."""
    _scancel(slurm, study, "--signal=TERM", "--batch")


def job_is_warned(slurm, study, _):
    """As before the time limit, by --signal."""
    _scancel(slurm, study, "--signal=USR1", "--batch")


def job_runs_out_of_time(slurm, study, _):
    job = study.running_job()
    with contextlib.suppress(SandboxError):
        slurm.scontrol("update", f"jobid={job['id']}", "timelimit=00:01:00")


def disk_is_full(_, study, __):
    """Needs a file system of its own for the result: see `small_disk`."""
    filler = pathlib.Path(study.directory) / "filler"
    with filler.open("wb") as file, contextlib.suppress(OSError):
        while True:
            file.write(b"\0" * 65536)
            file.flush()
    time.sleep(2)
    filler.unlink()


SHORT = (slurmd_restarts, program_dies, controller_dies, slurmctld_restarts, job_is_requeued)
ALL = (slurmd_restarts, node_is_lost, node_crashes, stepd_dies, program_dies, workload_dies, controller_dies,
       controller_is_interrupted, controller_stands_still, slurmctld_restarts, slurmctld_forgets, slurmctld_is_away,
       munged_restarts, node_is_drained, job_is_requeued, job_is_held, job_is_cancelled, job_is_terminated,
       job_is_warned, job_runs_out_of_time, disk_is_full)
