# SPDX-License-Identifier: Apache-2.0
"""When something runs out or never answers: descriptors, processes, space, drivers, pipes."""

import contextlib
import json
import os
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import types
import unittest

from program import IS_SANITISED, PATIENCE, PRENGDL, STANDINS, Case, FakeMachine, python

STUDY = """[study]
name = "limits"
runs = {runs}
[protocol]
settle = "off"
[factors]
way = ["a", "b"]
[workload]
command = {command}
[analysis]
compare = "way"
"""


def at_most(limit, number, hard=None):
    """For preexec_fn."""
    return lambda: resource.setrlimit(limit, (number, number if hard is None else hard))


class Limits(Case):
    def setUp(self):
        super().setUp()
        self.machine = FakeMachine(self.scratch / "machine")
        self.root = self.machine.root

    def study(self, command=("sh", "-c", "sleep 0.05"), runs=2):
        file = self.scratch / "study.toml"
        words = json.dumps([*command, "{way}"] if "{way}" not in command else [*command])
        file.write_text(STUDY.format(runs=runs, command=words))
        return file

    def run_study(self, *arguments, **more):
        return self.run_program("run", self.study(), "-o", self.scratch / "result", "--root", self.root,
                                "--anyway", *arguments, **more)

    def warnings(self):
        """What the runs of the study were warned about."""
        database = self.scratch / "result/study.db"
        if not database.exists():
            return ""
        with contextlib.closing(sqlite3.connect(database)) as connection:
            return repr(connection.execute("SELECT * FROM warnings").fetchall())


class Descriptors(Limits):
    def packages(self, count):
        for number in range(count):
            self.machine.zone(f"intel-rapl:{number}", f"package-{number}")

    def test_too_few_are_an_error_that_names_the_limit(self):
        self.packages(1)
        for number in (9, 12, 16, 20):
            done = self.run_program("measure", "--root", self.root, "--", "sleep", "0.2",
                                    preexec_fn=at_most(resource.RLIMIT_NOFILE, number))
            self.assertEqual(done.returncode, 1, (number, done.stdout, done.stderr))
            self.assertIn("Too many open files", done.stderr)
            self.assertIn("ulimit -n", done.stderr)

    def test_too_few_for_a_study(self):
        self.packages(1)
        for number in (12, 20, 24):
            done = self.run_study(preexec_fn=at_most(resource.RLIMIT_NOFILE, number))
            self.assertEqual(done.returncode, 1, (number, done.stdout, done.stderr))
            self.assertIn("ulimit -n", done.stderr)

    def test_no_processor_is_lost(self):
        """As many as fit are not the total."""
        self.packages(8)
        seen = set()
        for number in range(10, 64, 3):
            done = self.run_program("measure", "--json", "--root", self.root, "--", "true",
                                    preexec_fn=at_most(resource.RLIMIT_NOFILE, number))
            seen.add(done.returncode)
            if done.returncode == 0:
                meters = json.loads(done.stdout)["meters"]
                self.assertEqual(len([m for m in meters if m["domain"] == "package"]), 8, number)
            else:
                self.assertIn("Too many open files", done.stderr, number)
        self.assertEqual(seen, {0, 1})

    def test_a_soft_limit_is_raised_and_given_back(self):
        self.packages(8)
        told = self.scratch / "told"
        done = self.run_program(
            "measure", "--json", "--root", self.root, "--", *python(
                f"import resource; open({str(told)!r}, 'w').write(str(resource.getrlimit(resource.RLIMIT_NOFILE)))"),
            preexec_fn=at_most(resource.RLIMIT_NOFILE, 20, 500))
        self.assertEqual(done.returncode, 0, done.stderr)
        meters = json.loads(done.stdout)["meters"]
        self.assertEqual(len([m for m in meters if m["domain"] == "package"]), 8)
        self.assertEqual(told.read_text(), "(20, 500)")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_one_of_two_processors_that_only_root_may_read(self):
        self.packages(2)
        (self.root / "sys/class/powercap/intel-rapl:1/energy_uj").chmod(0)
        done = self.run_program("measure", "--root", self.root, "--", "true")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertError(done, "intel-rapl:1", "Permission denied")

    def test_one_of_two_processors_that_cannot_be_read(self):
        self.packages(2)
        counter = self.root / "sys/class/powercap/intel-rapl:1/energy_uj"
        counter.unlink()
        counter.mkdir()  # a read of it fails, and not because it is missing
        done = self.run_program("measure", "--root", self.root, "--", "true")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertError(done, "intel-rapl:1", "the total would miss")


@unittest.skipUnless(os.geteuid() == 0, "only root can become a user that has no processes")
class Processes(Limits):
    """Root is not held to the limit on processes, so another user is."""

    USER = 54321
    ENV = types.MappingProxyType({"ASAN_OPTIONS": "detect_leaks=0"})  # to look for leaks takes a process more

    def as_user(self, number):
        def prepare():
            os.setgroups([])
            os.setgid(self.USER)
            os.setuid(self.USER)
            resource.setrlimit(resource.RLIMIT_NPROC, (number, number))
        return prepare

    def setUp(self):
        super().setUp()
        for directory in (self.scratch.parent, self.scratch, self.temporary):
            directory.chmod(0o777)
        if subprocess.run([PRENGDL, "--version"], preexec_fn=self.as_user(50),
                          capture_output=True).returncode != 0:
            self.skipTest("the program lies where another user cannot start it")

    def test_too_few_are_an_error_that_names_the_limit(self):
        self.machine.zone()
        ends = set()
        for number in (1, 2, 3, 4, 5, 30):
            done = self.run_program("measure", "--root", self.root, "--", "sleep", "0.3",
                                    preexec_fn=self.as_user(number), cwd=self.scratch, env=self.ENV)
            ends.add(done.returncode)
            if done.returncode != 0:
                self.assertEqual(done.returncode, 1, (number, done.stderr))
                self.assertError(done, "Resource temporarily unavailable", "ulimit -u")
        self.assertEqual(ends, {0, 1})

    def test_too_few_for_a_study(self):
        self.machine.zone()
        done = self.run_study(preexec_fn=self.as_user(2), cwd=self.scratch, env=self.ENV)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertNotIn("terminate", done.stderr)
        self.assertIn("Resource temporarily unavailable", done.stderr + self.warnings())


class Places(Limits):
    """-o and --output that cannot be."""

    def test_a_result_in_proc_is_refused_at_once(self):
        for arguments in (["measure", "-o", "/proc/x.result", "--", "true"],
                          ["run", self.study(), "-o", "/proc/x.result", "--anyway"]):
            done = self.run_program(*arguments, "--root", self.root) if arguments[0] == "run" else \
                self.run_program("measure", "--root", self.root, *arguments[1:])
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertError(done, "cannot write /proc/x.result", "use another directory")

    def test_output_that_cannot_be_kept(self):
        file = self.scratch / "file"
        file.write_text("")
        done = self.run_program("measure", "--root", self.root, "--output", file / "logs", "--", "true")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertError(done, f"cannot make the directory {file}/logs: Not a directory", "  choose")

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_a_directory_that_may_not_be_searched(self):
        closed = self.scratch / "closed"
        closed.mkdir(mode=0o700)
        for directory in (self.scratch.parent, self.scratch, self.temporary):
            directory.chmod(0o777)

        def prepare():
            os.setgroups([])
            os.setgid(54321)
            os.setuid(54321)
        for arguments in (["measure", "--root", self.root, "-o", closed / "result", "--", "true"],
                          ["measure", "--root", self.root, "--output", closed / "logs", "--", "true"],
                          ["status", closed / "result"], ["compare", closed / "result"],
                          ["run", self.study(), "-o", closed / "result", "--anyway", "--root", self.root]):
            done = self.run_program(*arguments, preexec_fn=prepare, cwd="/")
            self.assertEqual(done.returncode, 1, (arguments, done.stderr))
            self.assertError(done, "Permission denied", str(closed))
            self.assertNotIn("filesystem error", done.stderr)


# A disk that takes nothing and says nothing.
NOTHING = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
ssize_t write(int fd, const void* bytes, size_t size) {
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (readlink(link, path, sizeof path - 1) > 0 && strstr(path, ".part")) return 0;
  return syscall(SYS_write, fd, bytes, size);
}
"""


@unittest.skipIf(IS_SANITISED, "a build with sanitisers takes no library before its own")
@unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
class Disks(Limits):
    def test_a_write_that_takes_nothing_is_an_error(self):
        (self.scratch / "nothing.c").write_text(NOTHING)
        library = self.scratch / "nothing.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, self.scratch / "nothing.c"], check=True)
        done = self.run_program("measure", "--root", self.root, "-o", self.scratch / "result", "--", "true",
                                env={"LD_PRELOAD": library})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertError(done, "study.toml.part", "Input/output error")


class Pipes(Limits):
    """Something else where a regular file is expected."""

    def setUp(self):
        super().setUp()
        self.assertEqual(self.run_study().returncode, 0)
        self.result = self.scratch / "result"

    def test_a_pipe_among_the_records(self):
        os.mkfifo(self.result / "records/b0001-p000001-t0-00000000.record")
        os.mkfifo(self.result / "records/b0001-p000001-t0-00000001.part")
        for command in (["status", self.result], ["compare", self.result], ["audit", self.result],
                        ["run", self.study(), "-o", self.result, "--anyway", "--root", self.root]):
            done = self.run_program(*command)
            self.assertIn(done.returncode, (0, 3), (command, done.stderr))
        self.assertIn("it is a pipe", self.run_program(
            "run", self.study(), "-o", self.result, "--anyway", "--root", self.root).stderr)

    def test_a_socket_or_a_device_among_the_records(self):
        with socket.socket(socket.AF_UNIX) as server:
            where = os.getcwd()
            os.chdir(self.result / "records")
            try:
                server.bind("b0001-p000001-t0-00000000.record")
            finally:
                os.chdir(where)
            done = self.run_program("status", self.result)
        self.assertEqual(done.returncode, 0, done.stderr)
        os.symlink("/dev/zero", self.result / "records/b0001-p000001-t0-00000001.record")
        done = self.run_program("status", self.result)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_pipe_for_a_database(self):
        (self.result / "study.db").unlink()
        os.mkfifo(self.result / "study.db")
        done = self.run_program("status", self.result)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertError(done, "study.db", "not a regular file")

    def test_a_pipe_for_a_study(self):
        os.mkfifo(self.scratch / "pipe.toml")
        done = self.run_program("plan", self.scratch / "pipe.toml")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertError(done, "it is a pipe, not a regular file")

    def test_a_file_without_end(self):
        huge = self.scratch / "huge"
        huge.touch()
        os.truncate(huge, 20 << 30)
        for command in (["plan", huge], ["profile", huge], ["import", "csv", huge, "-o", self.scratch / "i"],
                        ["compare", self.result, "--margin", "5%", "--grid", huge]):
            done = self.run_program(*command)
            self.assertIn(done.returncode, (1, 2), (command, done.stdout, done.stderr))
            self.assertTrue(done.stderr.startswith("prengdl: "), done.stderr)


class Events(Limits):
    def test_an_event_file_of_20_gigabytes_costs_no_measurement(self):
        self.machine.zone()
        code = ("import os, prengdl\n"
                "with prengdl.span('first'): pass\n"
                "os.truncate(os.environ['PRENGDL_EVENTS'], 20 << 30)\n")
        run = self.one_run("--root", self.root, "--", *python(code))
        self.assertEqual(run["exit_code"], 0)
        self.assertEqual([span["span"] for span in run["spans"]], ["first"])
        self.assertTrue([w for w in run["warnings"] if "only the first 256 MiB were read" in w],
                        run["warnings"])


class Temporary(Limits):
    def left(self):
        return sorted(path.name for path in self.temporary.iterdir())

    def test_output_has_no_name(self):
        seen = self.scratch / "seen"
        code = f"import os; open({str(seen)!r}, 'w').write(' '.join(os.listdir(os.environ['TMPDIR'])))"
        self.measure("--root", self.root, "-n", "2", "--", *python(code))
        (one,) = seen.read_text().split()
        self.assertTrue(one.startswith("prengdl-events-"), one)
        self.assertEqual(self.left(), [])

    def test_what_a_killed_measurement_left_goes_with_the_next(self):
        pid_file = self.scratch / "pid"
        process = self.start_program("measure", "--root", self.root, "-n", "2", "--", "sh", "-c",
                                     f"echo $$ > {pid_file}; exec sleep 1000")
        workload = self.pid_in(pid_file)
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
        self.assertGone(workload)
        self.assertEqual(len(self.left()), 1, self.left())
        other = self.temporary / "prengdl-events-of-someone"
        other.write_text("of someone else")
        self.measure("--root", self.root, "--", "true")
        self.assertEqual(self.left(), [other.name])

    def test_files_of_those_that_live_stay(self):
        pid_file = self.scratch / "pid"
        process = self.start_program("measure", "--root", self.root, "--", "sh", "-c",
                                     f"echo $$ > {pid_file}; exec sleep 1000")
        self.pid_in(pid_file)
        before = self.left()
        self.measure("--root", self.root, "--", "true")
        self.assertEqual(self.left(), before)
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        self.assertEqual(self.left(), [])

    def test_a_killed_study_leaves_nothing(self):
        pid_file = self.scratch / "pid"
        study = self.study(("sh", "-c", f"echo $$ > {pid_file}; exec sleep 1000"))
        process = self.start_program("run", study, "-o", self.scratch / "result", "--root", self.root,
                                     "--anyway")
        self.pid_in(pid_file)
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
        self.wait_for(lambda: not self.left(), "an empty temporary directory")
        self.assertNotEqual(list((self.scratch / "result/scratch").iterdir()), [])
        study.write_text(study.read_text())
        process = self.start_program("run", study, "-o", self.scratch / "result", "--root", self.root,
                                     "--anyway")
        pid_file.unlink()
        self.pid_in(pid_file)
        self.assertEqual(len(list((self.scratch / "result/scratch").iterdir())), 1)
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)

    @unittest.skipUnless(os.geteuid() == 0, "only root can mount a small file system")
    def test_a_full_directory_is_named_with_the_reason(self):
        full = self.scratch / "full"
        full.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(full)],
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest(f"cannot mount: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", str(full)], capture_output=True)
        filler = full / "filler"
        with open(filler, "wb", 0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"x" * 4096)
        for arguments in (["measure", "--root", self.root, "--", "true"],
                          ["measure", "--root", self.root, "-n", "2", "--", "true"]):
            done = self.run_program(*arguments, env={"TMPDIR": full})
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertError(done, str(full), "No space left on device", "TMPDIR")
        done = self.run_program("run", self.study(), "-o", self.scratch / "result", "--root", self.root,
                                "--anyway", env={"TMPDIR": full})
        self.assertIn("No space left on device", done.stderr + self.warnings())
        # It fills up in the middle.
        filler.unlink()
        code = (f"import os; f = open({str(filler)!r}, 'wb', 0)\n"
                "try:\n  while True: f.write(b'x' * 4096)\n"
                "except OSError: pass\n")
        run = self.one_run("--root", self.root, "--", *python(code), env={"TMPDIR": full})
        self.assertTrue([w for w in run["warnings"] if str(full) in w and "is full" in w], run["warnings"])


@unittest.skipUnless(os.path.exists(f"{STANDINS}/libnvidia-ml.so.1"), "the stand-ins are not built")
class Drivers(Limits):
    """A call into the driver's library that never returns."""

    def env(self, hang):
        return {"LD_LIBRARY_PATH": STANDINS, "PRENGDL_STANDIN_ROCM": "", "CUDA_VISIBLE_DEVICES": None,
                "PRENGDL_STANDIN_NVML": f"name=NVIDIA A100-SXM4-80GB,cc=8.0,watts=250,hang={hang}"}

    def test_a_measurement_ends_without_its_figure(self):
        self.machine.zone()
        hang = self.scratch / "hang"
        result = self.measure("--root", self.root, "-n", "2", "--shell", "-c", f"touch {hang}; sleep 1",
                              env=self.env(hang))
        runs = result["commands"][0]["runs"]
        self.assertEqual([run["exit_code"] for run in runs], [0, 0])
        for run in runs:
            self.assertNotIn("gpu", run["joules"])
            self.assertNotIn("metered", run["joules"])
            self.assertTrue([w for w in run["warnings"] if "nvml" in w and "no answer" in w], run["warnings"])

    def test_a_study_goes_on_and_is_stored(self):
        self.machine.zone()
        hang = self.scratch / "hang"
        study = self.study(("sh", "-c", f"touch {hang}; sleep 0.2; : {{way}}"))
        done = self.run_program("run", study, "-o", self.scratch / "result", "--root", self.root,
                                "--anyway", env=self.env(hang))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.stored()), 4)

    def stored(self):
        done = self.run_program("export", self.scratch / "result", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["rows"]


if __name__ == "__main__":
    unittest.main()
