# SPDX-License-Identifier: Apache-2.0
"""The parent of all processes of one Slurm sandbox.

The keeper starts the daemons and adopts whatever outlives its own parent below it: slurmstepd, the tasks of jobs and
what these leave in the background. Its descendants are therefore all processes of the sandbox, and no others.
It takes requests through a socket in the sandbox's directory. It ends the sandbox on request, when its owner ends, and
when the directory is removed.
"""

import argparse
import contextlib
import ctypes
import json
import os
import pathlib
import selectors
import signal
import socket
import sys
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWUTS = 0x04000000
GRACE = 2.0  # seconds between SIGTERM and SIGKILL
libc = ctypes.CDLL(None, use_errno=True)


def process_parents():
    """The parent of each process that is alive."""
    parents = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            stat = pathlib.Path(entry.path, "stat").read_bytes()
        except OSError:
            continue  # it has ended meanwhile
        state, parent = stat[stat.rindex(b")") + 2:].split()[:2]
        if state not in (b"Z", b"X"):
            parents[int(entry.name)] = int(parent)
    return parents


def descendants(pid):
    """All processes below this one, which is not among them."""
    children = {}
    for child, parent in process_parents().items():
        children.setdefault(parent, []).append(child)
    found = []
    waiting = [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def environment_of(pid):
    """The environment a process started with, as bytes NAME=VALUE; empty if it cannot be read."""
    try:
        return pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def command_of(pid):
    """The command line of a process, for people."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return "(ended)"


def signal_all(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


class Keeper:
    def __init__(self, directory):
        self.directory = directory
        self.commands = json.loads((directory / "etc/daemons.json").read_text())
        self.running = {}  # name: pid
        self.ended = {}  # name: status as of os.waitpid

    def start(self, name):
        """Starts a daemon in the foreground mode it has, in a session of its own."""
        if name not in self.commands:
            return {"error": f"there is no daemon {name} (there are {', '.join(self.commands)})"}
        self.reap()
        if name in self.running:
            return {"error": f"{name} is running already"}
        self.ended.pop(name, None)
        pid = os.fork()
        if pid == 0:
            try:
                self._become(name)
            except OSError as error:
                print(f"cannot start {name}: {error}", file=sys.stderr, flush=True)
            os._exit(127)
        self.running[name] = pid
        return {"pid": pid}

    def _become(self, name):
        os.setsid()
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        signal.set_wakeup_fd(-1)
        output = os.open(self.directory / f"log/{name}.out", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.closerange(3, 1024)
        os.execvp(self.commands[name][0], self.commands[name])

    def reap(self):
        """Takes the exit status of everything that has ended, adopted processes included."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            for name in [name for name, running in self.running.items() if running == pid]:
                self.ended[name] = status
                del self.running[name]

    def kill(self, name, with_jobs):
        """SIGKILL for a daemon, and for the jobs of that node too if asked."""
        self.reap()
        victims = [self.running[name]] if name in self.running else []
        if with_jobs:
            victims += self._jobs_of(name)
        if not victims:
            return {"error": f"{name} is not running"}
        signal_all(victims, signal.SIGKILL)
        deadline = time.monotonic() + 5
        while (left := set(victims) & set(descendants(os.getpid()))) and time.monotonic() < deadline:
            self.reap()
            time.sleep(0.01)
        self.reap()
        return {"error": f"{name} survived SIGKILL: {sorted(left)}"} if left else {"killed": victims}

    def _jobs_of(self, node):
        """Tasks of a node, and the slurmstepd above them."""
        mark = f"SLURMD_NODENAME={node}".encode()
        parents = process_parents()
        found = set()
        for pid in descendants(os.getpid()):
            if mark not in environment_of(pid):
                continue
            while pid in parents and pid != os.getpid() and pid not in self.running.values():
                found.add(pid)
                pid = parents[pid]
        return sorted(found)

    def status(self):
        self.reap()
        processes = {str(pid): command_of(pid) for pid in descendants(os.getpid())}
        return {"running": self.running, "ended": self.ended, "processes": processes}

    def stop(self):
        """Ends everything below; returns what could not be ended."""
        for number, patience in ((signal.SIGTERM, GRACE), (signal.SIGKILL, 10.0)):
            deadline = time.monotonic() + patience
            told = set()
            while left := descendants(os.getpid()):
                # Each process gets SIGTERM once, and new ones too; SIGKILL is repeated.
                signal_all(set(left) - told, number)
                if number == signal.SIGTERM:
                    told |= set(left)
                if time.monotonic() > deadline:
                    break
                time.sleep(0.02)
                self.reap()
        return {"left": [f"{pid} {command_of(pid)}" for pid in descendants(os.getpid())]}

    def answer(self, request):
        match request:
            case {"do": "run", "name": name}:
                return self.start(name)
            case {"do": "kill", "name": name, "with_jobs": with_jobs}:
                return self.kill(name, with_jobs)
            case {"do": "status"}:
                return self.status()
            case {"do": "stop"}:
                return self.stop()
        return {"error": f"unknown request {request}"}


def serve(keeper, server, owner):
    path = keeper.directory / "run/keeper.sock"
    selector = selectors.DefaultSelector()
    selector.register(server, selectors.EVENT_READ)
    if owner is not None:
        selector.register(owner, selectors.EVENT_READ)
    while path.exists():
        ready = [key.fileobj for key, _ in selector.select(timeout=0.5)]
        keeper.reap()
        if owner in ready:
            break
        if server not in ready:
            continue
        connection, _ = server.accept()
        with connection, contextlib.suppress(OSError, ValueError):
            connection.settimeout(5)
            request = json.loads(connection.makefile().readline())
            answer = keeper.answer(request)
            connection.sendall(json.dumps(answer).encode() + b"\n")
            if request["do"] == "stop":
                return
    keeper.stop()


def main():
    parser = argparse.ArgumentParser(description="keeps the processes of one Slurm sandbox")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--owner", type=int, help="end the sandbox when this process ends")
    parser.add_argument("--own-host-name", action="store_true", help="name the host localhost, for the daemons only")
    options = parser.parse_args()
    if options.own_host_name:
        if libc.unshare(CLONE_NEWUTS) != 0:
            sys.exit(f"cannot take a host name of its own: {os.strerror(ctypes.get_errno())}")
        socket.sethostname("localhost")
    owner = None
    if options.owner:
        try:
            owner = os.pidfd_open(options.owner)
        except ProcessLookupError:
            sys.exit(f"the owner, process {options.owner}, has ended")
    keeper = Keeper(options.directory)
    path = options.directory / "run/keeper.sock"
    path.unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen(16)
    if os.fork() != 0:
        os._exit(0)  # the caller may ask from now on
    os.setsid()
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: path.unlink(missing_ok=True))
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1)
    output = os.open(options.directory / "log/keeper.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    try:
        serve(keeper, server, owner)
    finally:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
