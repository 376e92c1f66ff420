# SPDX-License-Identifier: Apache-2.0
"""A throw-away Slurm for tests: munged, slurmctld and several slurmd on loopback, as the calling user.

    with Sandbox(nodes=3) as slurm:
        job = slurm.sbatch("--wrap=hostname")
        slurm.wait_for(job, "COMPLETED")

It needs no systemd, touches nothing outside its directory and leaves no process behind, not even if the test is killed.
The nodes are called n1, n2, ... and share this machine, so it tests the flow of control and never a measurement.
A job finds the name of its node in SLURMD_NODENAME. tests/cluster/slurm-sandbox does the same by hand.
"""

import contextlib
import getpass
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import keeper

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ("munged", "munge", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo", "scontrol")
MARK = ".slurm-sandbox"
PATIENCE = 60  # seconds until a daemon that does not answer counts as failed
# Daemons are in /usr/sbin, which users often do not have on their path.
SEARCH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))

# The waits of a cluster in use are minutes; a test sees the same faults within seconds.
SETTINGS = """\
ClusterName=sandbox
SlurmctldHost={host}({address})
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={directory}/run/munge.sock
# Listen on the address of the host name, which is loopback, rather than on every address.
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool/%n
SlurmctldLogFile={directory}/log/slurmctld.log
SlurmdLogFile={directory}/log/%n.log
SlurmctldPidFile={directory}/run/slurmctld.pid
SlurmdPidFile={directory}/run/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=5,sched_min_interval=100000,bf_interval=2
SlurmdTimeout=10
SlurmctldTimeout=10
MessageTimeout=5
TCPTimeout=2
KillWait=2
CompleteWait=0
MinJobAge=600
InactiveLimit=0
ReturnToService=2
MaxArraySize=10001
MaxJobCount=20000
# Nodes may claim more CPUs than this machine has.
SlurmdParameters=config_overrides
AccountingStorageType=accounting_storage/none
"""


class SandboxError(Exception):
    """Why there is no sandbox, in one line."""


def missing():
    """What has to be installed before a sandbox can start, as a sentence; None if nothing is."""
    absent = [name for name in PROGRAMS if not shutil.which(name, path=SEARCH)]
    if not absent:
        return None
    return f"Slurm is not installed ({', '.join(absent)} missing). Run scripts/dependencies cluster to install it."


def _free_ports(address, count):
    """Ports nobody listens on, below those that the kernel hands out."""
    for _ in range(200):
        first = random.randrange(20000, 32000 - count)
        ports = range(first, first + count)
        with contextlib.ExitStack() as held:
            try:
                for port in ports:
                    held.enter_context(socket.socket()).bind((address, port))
            except OSError:
                continue
            return list(ports)
    raise SandboxError(f"there are no {count} free ports next to each other between 20000 and 32000")


def _host():
    """Host name and address for the daemons, and whether they need a host name of their own.

    Slurm listens on whatever the host name resolves to, which has to be loopback.
    """
    name = socket.gethostname().split(".")[0]
    try:
        address = socket.gethostbyname(socket.gethostname())
    except OSError:
        address = "nothing"
    if address.startswith("127."):
        return name, address, False
    if os.geteuid() != 0:
        raise SandboxError(f"the host name {name} resolves to {address}, not to a loopback address; "
                           "add it to /etc/hosts as 127.0.1.1, or run as root")
    return "localhost", "127.0.0.1", True


class Sandbox:
    def __init__(self, directory=None, *, nodes=3, cpus=2, preempt=None, grace=5, jobacct=False, settings=()):
        """preempt: None, or what becomes of jobs in `main` when one in `urgent` needs their node: CANCEL or REQUEUE."""
        self._temporary = directory is None
        self.directory = pathlib.Path(directory or tempfile.mkdtemp(prefix="slurm-")).resolve()
        self.names = [f"n{number}" for number in range(1, nodes + 1)]
        self._cpus, self._preempt, self._grace, self._jobacct = cpus, preempt, grace, jobacct
        self._settings = settings

    @property
    def configuration(self):
        return self.directory / "etc/slurm.conf"

    # Start and stop.

    def __enter__(self):
        try:
            self.start(owner=os.getpid())
        except SandboxError:
            self._remove()
            raise
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        finally:
            self._remove()

    def _remove(self):
        if self._temporary:
            shutil.rmtree(self.directory, ignore_errors=True)

    def start(self, owner=None):
        """Starts all daemons and waits until every node is idle. The sandbox ends when the process `owner` does."""
        if absent := missing():
            raise SandboxError(absent)
        self._take_directory()
        own_host_name = self._configure()
        command = [sys.executable, str(HERE / "keeper.py"), str(self.directory)]
        command += ["--owner", str(owner)] if owner else []
        command += ["--own-host-name"] if own_host_name else []
        started = subprocess.run(command, env=self.environment(), capture_output=True, text=True, cwd=self.directory)
        if started.returncode != 0:
            raise SandboxError(f"the keeper did not start: {started.stderr.strip().splitlines()[-1]}")
        try:
            self._start_daemons()
        except BaseException:
            self.stop()
            raise

    def _start_daemons(self):
        self.run("munged")
        self._until(lambda: self._answers("munge", "-n", "-S", f"{self.directory}/run/munge.sock"), "munged")
        self.run("slurmctld")
        self._until(lambda: self._answers("scontrol", "ping"), "slurmctld")
        for name in self.names:
            self.run(name)
        self._until(lambda: set(self.nodes().values()) == {"idle"}, *self.names)

    def stop(self):
        """Ends the daemons, the jobs and whatever these left running."""
        left = self._ask(do="stop").get("left", []) if self.is_running() else []
        deadline = time.monotonic() + 5
        while self.is_running() and time.monotonic() < deadline:
            time.sleep(0.02)
        left += self._strays()
        if left:
            raise SandboxError(f"processes are left: {'; '.join(left)}")

    def _strays(self):
        """Ends what a killed keeper left running; returns what could not be ended."""
        deadline = time.monotonic() + 5
        while (pids := [pid for pid in keeper.process_parents() if self._owns(pid)]) and time.monotonic() < deadline:
            keeper.signal_all(pids, signal.SIGKILL)
            time.sleep(0.02)
        return [f"{pid} {keeper.command_of(pid)}" for pid in pids]

    def _owns(self, pid):
        """Whether a process is a task, which Slurm marks, or a slurmstepd, which has its log file open."""
        words = keeper.environment_of(pid)
        if f"SLURM_CONF={self.configuration}".encode() in words and any(
                word.startswith(b"SLURMD_NODENAME=") for word in words):
            return True
        with contextlib.suppress(OSError):
            if "slurmstepd" in os.readlink(f"/proc/{pid}/exe"):
                files = [os.readlink(entry) for entry in os.scandir(f"/proc/{pid}/fd")]
                return any(name.startswith(f"{self.directory}/") for name in files)
        return False

    # Faults.

    def kill(self, daemon, with_jobs=False):
        """SIGKILL for munged, slurmctld or a node's slurmd. Jobs of a node go on unless with_jobs is given."""
        self._demand(do="kill", name=daemon, with_jobs=with_jobs)

    def run(self, daemon):
        """Starts a daemon that was killed; does not wait until it answers."""
        if daemon == "munged":
            for name in ("munge.sock", "munge.sock.lock"):
                (self.directory / "run" / name).unlink(missing_ok=True)
        self._demand(do="run", name=daemon)

    # What it is doing.

    def is_running(self):
        try:
            self.status()
        except SandboxError:
            return False
        return True

    def status(self):
        """Daemons that run (name: pid), those that ended (name: wait status), and all processes (pid: command)."""
        return self._ask(do="status")

    def environment(self):
        """The environment for clients of this Slurm: nothing of a job that the test itself may be part of."""
        foreign = re.compile(r"(SLURM|SLURMD|SBATCH|SALLOC|SRUN|SQUEUE|SINFO|SCANCEL|SCONTROL)_")
        result = {name: value for name, value in os.environ.items() if not foreign.match(name)}
        result.update(SLURM_CONF=str(self.configuration), PATH=SEARCH)
        return result

    def command(self, *words, timeout=30, **changes):
        """Runs a client to its end and returns what it printed; the test fails with its message if it fails."""
        done = subprocess.run([str(word) for word in words], env=self.environment() | changes, capture_output=True,
                              text=True, timeout=timeout, cwd=self.directory)
        if done.returncode != 0:
            raise SandboxError(f"{words[0]} failed with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def sbatch(self, *words, **changes):
        """Submits a job and returns its id. Its output goes to the sandbox unless --output says otherwise."""
        is_array = any(str(word).startswith(("--array", "-a")) for word in words)
        output = () if any(str(word).startswith(("--output", "-o")) for word in words) else (
            f"--output={self.directory}/out/{'%A_%a' if is_array else '%j'}.txt",)
        return int(self.command("sbatch", "--parsable", *output, *words, **changes).split(";")[0])

    def scontrol(self, *words):
        return self.command("scontrol", *words)

    def jobs(self, job=None):
        """Every job, array tasks one by one, also ended ones: a list of dicts with id, name, state, reason, node."""
        chosen = () if job is None else ("-j", job)
        names = ("id", "array", "task", "name", "state", "reason", "node")
        text = self.command("squeue", "-h", "-r", "-t", "all", *chosen, "-o", "%i|%F|%K|%j|%T|%r|%N")
        return [dict(zip(names, line.split("|"), strict=True)) for line in text.splitlines()]

    def nodes(self):
        """The state of each node, as sinfo says it: idle, allocated, down*, ..."""
        text = self.command("sinfo", "-h", "-N", "-p", "main", "-o", "%N %T")
        return dict(line.split() for line in text.splitlines())

    def wait_for(self, job, *states, timeout=PATIENCE):
        """Waits until all tasks of a job are in one of these states; returns them as jobs() does."""
        deadline = time.monotonic() + timeout
        while True:
            tasks = self.jobs(job)
            if tasks and all(task["state"] in states for task in tasks):
                return tasks
            if time.monotonic() > deadline:
                seen = ", ".join(f"{task['id']} {task['state']} ({task['reason']})" for task in tasks)
                raise SandboxError(f"job {job} is not {' or '.join(states)} after {timeout} s: {seen}")
            time.sleep(0.1)

    def wait_for_node(self, node, *states, timeout=PATIENCE):
        deadline = time.monotonic() + timeout
        while (state := self.nodes()[node]) not in states:
            if time.monotonic() > deadline:
                raise SandboxError(f"node {node} is {state}, not {' or '.join(states)}, after {timeout} s")
            time.sleep(0.1)

    # How it is made.

    def _take_directory(self):
        if not re.fullmatch(r"/[A-Za-z0-9/._+-]{1,59}", str(self.directory)):
            raise SandboxError(f"{self.directory} has more than 60 characters or unusual ones; name another directory")
        if self.is_running():
            raise SandboxError(f"a sandbox is running in {self.directory}; stop it first")
        if self.directory.exists() and not (self.directory / MARK).exists() and any(self.directory.iterdir()):
            raise SandboxError(f"{self.directory} holds other files; name an empty or a new directory")
        for name in ("etc", "run", "log", "state", "spool", "out"):
            shutil.rmtree(self.directory / name, ignore_errors=True)
            (self.directory / name).mkdir(parents=True)
        (self.directory / MARK).touch()

    def _configure(self):
        """Writes slurm.conf and the daemons' commands; returns whether they need a host name of their own."""
        host, address, own_host_name = _host()
        ports = _free_ports(address, 1 + len(self.names))
        lines = [SETTINGS.format(host=host, address=address, port=ports[0], user=getpass.getuser(),
                                 directory=self.directory)]
        lines.append(f"JobAcctGatherType=jobacct_gather/{'linux' if self._jobacct else 'none'}\n")
        if self._jobacct:
            lines.append(f"JobAcctGatherFrequency=1\nJobCompType=jobcomp/filetxt\nJobCompLoc={self.directory}/log/jobs\n")
            (self.directory / "log/jobs").touch()
        for name, port in zip(self.names, ports[1:]):
            (self.directory / "spool" / name).mkdir()
            lines.append(f"NodeName={name} NodeHostname={host} NodeAddr={address} Port={port} CPUs={self._cpus} "
                         "RealMemory=1000 State=UNKNOWN\n")
        main = "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=NO State=UP"
        if self._preempt:
            lines.append(f"PreemptType=preempt/partition_prio\nPreemptMode={self._preempt}\n")
            lines.append("PartitionName=urgent Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF\n")
            main += f" PriorityTier=1 PreemptMode={self._preempt} GraceTime={self._grace}"
        lines.append(main + "\n")
        changed = {setting.split("=")[0] for setting in self._settings} - {"NodeName", "PartitionName"}
        kept = [line for line in "".join(lines).splitlines() if line.split("=")[0] not in changed]
        self.configuration.write_text("\n".join((*kept, *self._settings)) + "\n")
        (self.directory / "etc/cgroup.conf").touch()
        (self.directory / "etc/daemons.json").write_text(json.dumps(self._daemons()))
        return own_host_name

    def _daemons(self):
        key = self.directory / "etc/munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        run = self.directory / "run"
        # Forced, because munged wants its socket to be open to everybody, which the sandbox is not.
        munged = ["munged", "--foreground", "--force", "--num-threads=2", f"--key-file={key}",
                  f"--socket={run}/munge.sock", f"--pid-file={run}/munged.pid", f"--seed-file={run}/munge.seed",
                  f"--log-file={self.directory}/log/munged.log"]
        configuration = str(self.configuration)
        daemons = {"munged": munged, "slurmctld": ["slurmctld", "-D", "-f", configuration]}
        return daemons | {name: ["slurmd", "-D", "-f", configuration, "-N", name] for name in self.names}

    def _answers(self, *words):
        return subprocess.run(words, env=self.environment(), capture_output=True, cwd=self.directory,
                              timeout=PATIENCE).returncode == 0

    def _until(self, holds, *daemons):
        """Waits for a condition that these daemons bring about; says why if one of them ends before."""
        deadline = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(SandboxError, subprocess.TimeoutExpired):
                if holds():
                    return
            ended = self.status()["ended"]
            for name in daemons:
                if name in ended:
                    raise SandboxError(f"{name} ended: {self._last_words(name)}")
            if time.monotonic() > deadline:
                raise SandboxError(f"{daemons[0]} did not answer within {PATIENCE} s: {self._last_words(daemons[0])}")
            time.sleep(0.05)

    def _last_words(self, daemon):
        """The last error in the logs of a daemon, or its last line."""
        lines = []
        for suffix in ("out", "log"):
            with contextlib.suppress(OSError):
                lines += (self.directory / f"log/{daemon}.{suffix}").read_text(errors="replace").splitlines()
        errors = [line for line in lines if re.search(r"error|fatal|cannot", line, re.IGNORECASE)]
        return (errors or lines or [f"nothing is in {self.directory}/log"])[-1]

    def _ask(self, **request):
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(PATIENCE)
                connection.connect(str(self.directory / "run/keeper.sock"))
                connection.sendall(json.dumps(request).encode() + b"\n")
                return json.loads(connection.makefile().readline())
        except (OSError, ValueError) as error:
            raise SandboxError(f"no sandbox is running in {self.directory}") from error

    def _demand(self, **request):
        if reason := self._ask(**request).get("error"):
            raise SandboxError(reason)
