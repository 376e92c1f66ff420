#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for sbatch, squeue, scancel, sinfo and scontrol: a cluster of 1,000 nodes in one process.

    with StandinSlurm(plugin, nodes=1000) as slurm:
        subprocess.run([...], env=slurm.environment())

Nothing is executed. For each task that starts, one background process calls the plug-in, a Python file with

    def task(job_id, task_id, node, script, environment):
        yield 2.5, lambda: write_a_record(...)   # 2.5 s after the start
        yield 1.0, None                          # 1 s later: nothing
        yield 0.0, lambda: "NODE_FAIL"           # ends the task in this state

A task ends COMPLETED after its last step, or FAILED if a step raises. task_id is None outside arrays. A cancelled
task's generator is closed. The process starts with the first sbatch and ends when nothing is left to do.

    STANDIN_SLURM         the directory with its state: calls.log (every call with its time), scripts/, simulator.log.
                          While a file `down` is in it, all commands fail as without a controller.
    STANDIN_SLURM_PLUGIN  the plug-in's path; without one, tasks end at once
    STANDIN_SLURM_NODES   the number of nodes (default: 1000); a task has a node to itself
    STANDIN_SLURM_OWNER   the simulation ends with this process
"""

import collections
import contextlib
import heapq
import json
import os
import pathlib
import re
import shlex
import socket
import sys
import time

# Commands start a thousand times: what only the simulation or a test needs is imported there.

PROGRAMS = ("sbatch", "squeue", "scancel", "sinfo", "scontrol")
VERSION = "slurm 22.05.8"
ACTIVE = ("PENDING", "RUNNING")
# What sbatch knows by one letter. Options of long names take a value unless they are in FLAGS.
LETTERS = {"J": "job-name", "a": "array", "o": "output", "e": "error", "N": "nodes", "n": "ntasks",
           "c": "cpus-per-task", "p": "partition", "t": "time", "w": "nodelist", "D": "chdir", "A": "account",
           "C": "constraint", "d": "dependency", "q": "qos", "x": "exclude", "H": "hold", "Q": "quiet", "W": "wait"}
FLAGS = {"parsable", "exclusive", "no-requeue", "requeue", "hold", "quiet", "wait", "test-only", "contiguous"}


class UsageError(Exception):
    """What a command prints before it fails."""


def parse_options(words, letters, flags):
    """Options as a dict (True for flags) and what is left from the first word that is none."""
    options = {}
    words = list(words)
    while words and words[0].startswith("-") and words[0] != "-":
        word = words.pop(0)
        if word.startswith("--"):
            name, has_value, value = word[2:].partition("=")
        else:
            name, value = letters.get(word[1], word[1]), word[2:]
            has_value = value and name not in flags
            if value and name in flags:
                words.insert(0, f"-{value}")  # -hr is -h -r
        if name in flags and not has_value:
            options[name] = True
        elif has_value:
            options[name] = value
        elif words:
            options[name] = words.pop(0)
        else:
            raise UsageError(f"option '--{name}' requires an argument")
    return options, words


def parse_array(text):
    """Indices and the limit of tasks at a time, of 0-999%50 or 1,3,5-9:2."""
    ranges, _, limit = text.partition("%")
    indices = []
    for part in ranges.split(","):
        bounds, _, step = part.partition(":")
        first, _, last = bounds.partition("-")
        indices += range(int(first), int(last or first) + 1, int(step or 1))
    return indices, int(limit or 0)


def words_in(text):
    return text.split(",") if text else []


# The simulation.

class Job:
    def __init__(self, number, name, script, options, environment, directory, submitted):
        self.number, self.name, self.script, self.options = number, name, script, options
        self.environment, self.directory, self.submitted = environment, directory, submitted
        self.limit = 0  # of tasks that run at a time
        self.running = 0
        self.tasks = []


class Task:
    def __init__(self, job, number, index):
        self.job, self.number, self.index = job, number, index
        self.state, self.reason, self.node, self.started = "PENDING", "None", "", None
        self.steps = None  # of the plug-in
        self.turn = 0  # a timed step of an earlier turn is void

    @property
    def name(self):
        return str(self.job.number) if self.index is None else f"{self.job.number}_{self.index}"


def time_text(seconds):
    return "N/A" if seconds is None else time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(seconds))


FIELDS = {
    "i": ("JOBID", lambda task: task.name),
    "A": ("JOBID", lambda task: str(task.number)),
    "F": ("ARRAY_JOB_ID", lambda task: str(task.job.number)),
    "K": ("ARRAY_TASK_ID", lambda task: "N/A" if task.index is None else str(task.index)),
    "j": ("NAME", lambda task: task.job.name),
    "T": ("STATE", lambda task: task.state),
    "r": ("REASON", lambda task: task.reason),
    "N": ("NODELIST", lambda task: task.node),
    "V": ("SUBMIT_TIME", lambda task: time_text(task.job.submitted)),
    "S": ("START_TIME", lambda task: time_text(task.started)),
    "u": ("USER", lambda task: task.job.environment.get("USER", "root")),
    "P": ("PARTITION", lambda task: task.job.options.get("partition", "main")),
}


def parse_format(text, fields):
    """A format of squeue or sinfo as a list of plain texts and (letter, width)."""
    parts = []
    for plain, width, letter in re.findall(r"([^%]+)|%\.?(\d*)([A-Za-z])", text):
        if plain:
            parts.append(plain)
        elif letter in fields:
            parts.append((letter, int(width or 0)))
        else:
            raise UsageError(f"the stand-in does not know the format %{letter}")
    return parts


def format_rows(text, fields, rows, has_header):
    parts = parse_format(text, fields)
    lines = []
    if has_header:
        lines.append("".join(part if isinstance(part, str) else fields[part[0]][0].ljust(part[1]) for part in parts))
    for row in rows:
        lines.append("".join(part if isinstance(part, str) else fields[part[0]][1](row).ljust(part[1])
                             for part in parts))
    return "".join(f"{line}\n" for line in lines)


class Simulation:
    def __init__(self, directory, plugin=None):
        self.directory = directory
        self.plugin = plugin
        count = int(os.environ.get("STANDIN_SLURM_NODES", "1000"))
        self.nodes = [f"n{number:04}" for number in range(1, count + 1)]
        self.free = collections.deque(self.nodes)
        self.jobs = {}
        self.next_number = 1
        self.waiting = []  # jobs with pending tasks, in order
        self.events = []  # heap of (time, sequence, task, turn, step)
        self.sequence = 0
        self.has_changed = False  # so that another task may start
        with contextlib.suppress(FileNotFoundError):
            self._load(json.loads((directory / "state.json").read_text()))

    # Time.

    def run_due(self, now):
        while self.events and self.events[0][0] <= now:
            at, _, task, turn, step = heapq.heappop(self.events)
            if task.turn != turn or task.state != "RUNNING":
                continue
            try:
                outcome = step() if step else None
                if outcome:
                    self._end(task, outcome, "None")
                else:
                    self._next_step(task, at)
            except Exception:
                self._fail(task)

    def next_due(self):
        return self.events[0][0] if self.events else None

    def is_done(self):
        return not any(task.state in ACTIVE for job in self.jobs.values() for task in job.tasks)

    def _next_step(self, task, at):
        following = next(task.steps, None)
        if following is None:
            self._end(task, "COMPLETED", "None")
            return
        self.sequence += 1
        heapq.heappush(self.events, (at + following[0], self.sequence, task, task.turn, following[1]))

    def _fail(self, task):
        import traceback
        print(f"task {task.name}:", traceback.format_exc(), file=sys.stderr, flush=True)
        self._end(task, "FAILED", "NonZeroExitCode")

    def schedule(self):
        while self.has_changed:  # a task without steps ends at once
            self.has_changed = False
            self._start_tasks()

    def _start_tasks(self):
        for job in list(self.waiting):
            pending = [task for task in job.tasks if task.state == "PENDING" and task.reason != "JobHeldUser"]
            for position, task in enumerate(pending):
                if not self.free or (job.limit and job.running >= job.limit):
                    why = "JobArrayTaskLimit" if self.free else "Resources"
                    for other in pending[position:]:
                        other.reason = why
                    break
                self._start(task)
            if not any(task.state == "PENDING" for task in job.tasks):
                self.waiting.remove(job)
            if not self.free:
                break

    def _start(self, task):
        job = task.job
        task.state, task.reason, task.node, task.started = "RUNNING", "None", self.free.popleft(), time.time()
        task.turn += 1
        job.running += 1
        environment = job.environment | {"SLURM_JOB_ID": str(task.number), "SLURM_JOB_NAME": job.name,
                                         "SLURM_JOB_NODELIST": task.node, "SLURMD_NODENAME": task.node,
                                         "SLURM_SUBMIT_DIR": job.directory}
        if task.index is not None:
            environment |= {"SLURM_ARRAY_JOB_ID": str(job.number), "SLURM_ARRAY_TASK_ID": str(task.index)}
        try:
            task.steps = iter(self.plugin(job.number, task.index, task.node, job.script, environment)
                              if self.plugin else ())
            self._next_step(task, time.monotonic())
        except Exception:
            self._fail(task)

    def _end(self, task, state, reason):
        if task.state == "RUNNING":
            task.job.running -= 1
            self.free.append(task.node)
        task.state, task.reason = state, reason
        self.has_changed = True
        if hasattr(task.steps, "close"):
            task.steps.close()
        task.steps = None

    # Requests.

    def answer(self, request):
        """What a command prints on both streams, and its exit status."""
        try:
            text = getattr(self, request["program"])(request)
            return {"out": text, "error": "", "status": 0}
        except (UsageError, ValueError) as error:
            return {"out": "", "error": f"{request['program']}: error: {error}\n", "status": 1}

    def sbatch(self, request):
        options, words = parse_options(request["words"], LETTERS, FLAGS)
        script = request["script"]
        if script is None:
            script = f"#!/bin/sh\n{options['wrap']}\n"
        for line in script.splitlines():
            if line.startswith("#SBATCH "):
                options = parse_options(shlex.split(line[8:], comments=True), LETTERS, FLAGS)[0] | options
            elif line and not line.startswith("#"):
                break
        number = self.next_number
        indices, limit = parse_array(options["array"]) if "array" in options else ([None], 0)
        self.next_number += len(indices)
        path = self.directory / f"scripts/{number}.sh"
        path.write_text(script)
        name = options.get("job-name") or (os.path.basename(words[0]) if words else "wrap")
        job = Job(number, name, str(path), options, request["environment"], request["directory"], time.time())
        for word in words_in(options.get("export", "")):
            variable, is_set, value = word.partition("=")
            if is_set:
                job.environment[variable] = value
        job.limit = limit
        job.tasks = [Task(job, number + position, index) for position, index in enumerate(indices)]
        if options.get("hold"):
            for task in job.tasks:
                task.reason = "JobHeldUser"
        self.jobs[number] = job
        self.waiting.append(job)
        self.has_changed = True
        self.schedule()
        return f"{number}\n" if options.get("parsable") else f"Submitted batch job {number}\n"

    def _chosen(self, names):
        """Tasks by id: 12 is a job with all its tasks, 12_3 one task."""
        for name in names:
            number, _, index = name.partition("_")
            job = self.jobs.get(int(number))
            if job is None:
                raise UsageError("Invalid job id specified")
            yield from (task for task in job.tasks if index in ("", str(task.index)))

    def squeue(self, request):
        letters = {"h": "noheader", "r": "array", "t": "states", "n": "name", "j": "jobs", "u": "user", "o": "format",
                   "a": "all"}
        options, _ = parse_options(request["words"], letters, {"noheader", "array", "me", "all", "version"})
        if options.get("version"):
            return f"{VERSION}\n"
        states = [state.upper() for state in words_in(options.get("states", "PENDING,RUNNING"))]
        names = words_in(options.get("name"))
        jobs = words_in(options.get("jobs"))
        tasks = self._chosen(jobs) if jobs else (task for job in self.jobs.values() for task in job.tasks)
        rows = [task for task in tasks
                if ("ALL" in states or task.state in states) and (not names or task.job.name in names)]
        return format_rows(options.get("format", "%.18i %.9P %.8j %.8u %.9T %.20S %N"), FIELDS, rows,
                           "noheader" not in options)

    def scancel(self, request):
        letters = {"n": "name", "u": "user", "s": "signal", "t": "state", "b": "batch", "f": "full", "Q": "quiet"}
        options, words = parse_options(request["words"], letters, {"batch", "full", "me", "quiet"})
        if options.get("signal", "KILL") not in ("KILL", "SIGKILL", "9"):
            return ""  # a plug-in sees no signals
        named = words_in(options.get("name"))
        tasks = self._chosen(words) if words else (task for job in self.jobs.values() for task in job.tasks)
        for task in list(tasks):
            if task.state in ACTIVE and (not named or task.job.name in named) and (
                    task.state in options.get("state", task.state).upper()):
                self._end(task, "CANCELLED", "None")
        self.schedule()
        return ""

    def sinfo(self, request):
        letters = {"h": "noheader", "N": "Node", "o": "format", "p": "partition", "n": "nodes"}
        options, _ = parse_options(request["words"], letters, {"noheader", "Node", "version"})
        if options.get("version"):
            return f"{VERSION}\n"
        free = set(self.free)
        fields = {"N": ("NODELIST", lambda node: node), "D": ("NODES", lambda node: "1"),
                  "P": ("PARTITION", lambda node: "main"), "c": ("CPUS", lambda node: "64"),
                  "T": ("STATE", lambda node: "idle" if node in free else "allocated")}
        return format_rows(options.get("format", "%N %P %T"), fields, self.nodes, "noheader" not in options)

    def scontrol(self, request):
        _, words = parse_options(request["words"], {"o": "oneliner", "d": "details"}, {"oneliner", "details"})
        match words:
            case ["ping"]:
                return "Slurmctld(primary) at standin is UP\n"
            case ["version"]:
                return f"{VERSION}\n"
            case ["show", "job", name]:
                return "".join(f"JobId={task.number} ArrayJobId={task.job.number} JobName={task.job.name} "
                               f"JobState={task.state} Reason={task.reason} NodeList={task.node} "
                               f"SubmitTime={time_text(task.job.submitted)} StartTime={time_text(task.started)}\n"
                               for task in self._chosen([name]))
            case ["hold" | "release" | "requeue" as verb, names]:
                for task in self._chosen(words_in(names)):
                    self._change(task, verb)
                self.schedule()
                return ""
            case ["update", *_]:
                return ""
        raise UsageError(f"the stand-in does not know: scontrol {' '.join(words)}")

    def _change(self, task, verb):
        if verb == "requeue" and task.state == "RUNNING":
            self._end(task, "PENDING", "BeginTime")
            task.node = ""
        elif task.state == "PENDING":
            task.reason = "JobHeldUser" if verb == "hold" else "None"
        if task.job not in self.waiting:
            self.waiting.append(task.job)
        self.has_changed = True

    # What is left when the process has ended.

    def save(self):
        jobs = [{"number": job.number, "name": job.name, "script": job.script, "options": job.options,
                 "user": job.environment.get("USER", "root"), "directory": job.directory, "submitted": job.submitted,
                 "tasks": [[task.number, task.index, task.state, task.reason, task.node, task.started]
                           for task in job.tasks]} for job in self.jobs.values()]
        new = self.directory / "state.new"
        new.write_text(json.dumps({"next_number": self.next_number, "cpu_seconds": time.process_time(), "jobs": jobs}))
        new.rename(self.directory / "state.json")

    def _load(self, state):
        self.next_number = state["next_number"]
        for kept in state["jobs"]:
            job = Job(kept["number"], kept["name"], kept["script"], kept["options"], {"USER": kept["user"]},
                      kept["directory"], kept["submitted"])
            for number, index, *rest in kept["tasks"]:
                task = Task(job, number, index)
                task.state, task.reason, task.node, task.started = rest
                job.tasks.append(task)
            self.jobs[job.number] = job


def load_plugin():
    import importlib.util
    path = os.environ.get("STANDIN_SLURM_PLUGIN")
    if not path:
        return None
    spec = importlib.util.spec_from_file_location("standin_plugin", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.task


def simulate(directory):
    """The background process: timed steps and requests until nothing is left to do."""
    import selectors
    simulation = Simulation(directory, load_plugin())
    selector = selectors.DefaultSelector()
    path = directory / "socket"
    path.unlink(missing_ok=True)
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen(128)
    selector.register(server, selectors.EVENT_READ)
    owner = os.environ.get("STANDIN_SLURM_OWNER")
    owner_end = os.pidfd_open(int(owner)) if owner else None
    if owner_end is not None:
        selector.register(owner_end, selectors.EVENT_READ)
    linger = None  # until when it waits for more to do
    while path.exists():
        due = simulation.next_due()
        wait = 0.5 if due is None else min(0.5, max(0.0, due - time.monotonic()))
        ready = [key.fileobj for key, _ in selector.select(wait)]
        if owner_end in ready:
            return
        now = time.monotonic()
        simulation.run_due(now)
        simulation.schedule()
        if server in ready:
            linger = None
            connection, _ = server.accept()
            with connection, contextlib.suppress(OSError, ValueError):
                request = json.loads(connection.makefile().readline())
                if request["program"] == "stop":
                    simulation.scancel({"words": []})
                    simulation.save()
                    path.unlink(missing_ok=True)
                    return  # closes the connection, after which the caller may remove the directory
                connection.sendall(json.dumps(simulation.answer(request)).encode())
        elif due is None and simulation.is_done():
            linger = linger or now + 1
            if now >= linger:
                break
    if directory.exists():
        simulation.save()
        path.unlink(missing_ok=True)


# The commands.

def ask(directory, request):
    """The simulation's answer; None if it is not running."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(directory / "socket"))
            connection.sendall(json.dumps(request).encode() + b"\n")
            return json.loads(connection.makefile().read() or "null")
    except (FileNotFoundError, ConnectionError):
        return None


def start(directory):
    """Starts the background process unless another sbatch has done so meanwhile."""
    import fcntl
    import subprocess
    with open(directory / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(directory / "socket"))
            return
        with open(directory / "simulator.log", "a") as log:
            process = subprocess.Popen([sys.executable, os.path.realpath(__file__), "simulate"], stdout=log, stderr=log,
                                       stdin=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(directory / "socket"))
                return
            time.sleep(0.01)
    sys.exit(f"sbatch: error: the simulation does not start: see {directory}/simulator.log")


def script_of(words):
    """The text of the script that sbatch is to submit; None with --wrap."""
    options, rest = parse_options(words, LETTERS, FLAGS)
    if "wrap" in options:
        return None
    return pathlib.Path(rest[0]).read_text() if rest else sys.stdin.read()


def main(program, words):
    directory = pathlib.Path(os.environ["STANDIN_SLURM"])
    if program == "simulate":
        simulate(directory)
        return 0
    (directory / "scripts").mkdir(parents=True, exist_ok=True)
    with open(directory / "calls.log", "a") as log:
        log.write(json.dumps({"at": time.monotonic(), "program": program, "words": words}) + "\n")
    if (directory / "down").exists():
        print(f"{program}: error: Unable to contact slurm controller (connect failure)", file=sys.stderr)
        return 1
    request = {"program": program, "words": words}
    if program == "sbatch":
        request |= {"script": script_of(words), "environment": dict(os.environ), "directory": os.getcwd()}
    answer = ask(directory, request)
    if answer is None and program != "sbatch":
        answer = Simulation(directory).answer(request)
    for _ in range(5):  # one that was about to end may be gone again
        if answer is None:
            start(directory)
            answer = ask(directory, request)
    if answer is None:
        sys.exit(f"sbatch: error: the simulation does not answer: see {directory}/simulator.log")
    sys.stdout.write(answer["out"])
    sys.stderr.write(answer["error"])
    return answer["status"]


# For tests.

class StandinSlurm:
    def __init__(self, plugin=None, nodes=1000):
        """plugin: the path or the text of the plug-in."""
        import tempfile
        self._temporary = tempfile.TemporaryDirectory(prefix="standin-")
        self.directory = pathlib.Path(self._temporary.name)
        programs = self.directory / "bin"
        programs.mkdir()
        for name in PROGRAMS:
            (programs / name).symlink_to(os.path.realpath(__file__))
        if isinstance(plugin, str) and "\n" in plugin:
            path = self.directory / "plugin.py"
            path.write_text(plugin)
            plugin = path
        self._plugin, self._nodes = plugin, nodes

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self._temporary.cleanup()

    def environment(self):
        result = dict(os.environ)
        result.update(STANDIN_SLURM=str(self.directory), STANDIN_SLURM_NODES=str(self._nodes),
                      STANDIN_SLURM_OWNER=str(os.getpid()),
                      PATH=os.pathsep.join((str(self.directory / "bin"), os.environ.get("PATH", os.defpath))))
        if self._plugin:
            result["STANDIN_SLURM_PLUGIN"] = str(self._plugin)
        return result

    def is_running(self):
        return ask(self.directory, {"program": "squeue", "words": []}) is not None

    def stop(self):
        ask(self.directory, {"program": "stop", "words": []})

    def calls(self, program=None):
        """The calls so far, as dicts with at (monotonic seconds), program and words."""
        path = self.directory / "calls.log"
        lines = path.read_text().splitlines() if path.exists() else []
        return [call for call in map(json.loads, lines) if program in (None, call["program"])]

    def cpu_seconds(self):
        """What the simulation used, after its end."""
        return json.loads((self.directory / "state.json").read_text())["cpu_seconds"]


if __name__ == "__main__":
    name = os.path.basename(sys.argv[0])
    if name in PROGRAMS:
        sys.exit(main(name, sys.argv[1:]))
    sys.exit(main(sys.argv[1], sys.argv[2:]))
