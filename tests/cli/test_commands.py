# SPDX-License-Identifier: Apache-2.0
"""Commands that fail, hang, do not exist or leave something behind."""

import os
import signal

from program import Case, is_alive, line, python


class Failing(Case):
    def test_a_failing_command_is_measured_and_the_exit_code_is_1(self):
        done = self.run_program("measure", "--", "false")
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed with exit code 1", done.stdout)
        self.assertIn("--ignore-failure", done.stderr)

    def test_the_series_stops_at_the_first_failure(self):
        log = self.scratch / "log"
        result = self.measure("-n", "5", "--shell", "-c", f"echo x >> {log}; exit 3", code=1)
        self.assertEqual([run["exit_code"] for run in result["commands"][0]["runs"]], [3])
        self.assertEqual(log.read_text(), "x\n")

    def test_failures_can_be_ignored(self):
        result = self.measure("-n", "3", "--ignore-failure", "--shell", "-c", "exit 3")
        self.assertEqual([run["exit_code"] for run in result["commands"][0]["runs"]], [3, 3, 3])

    def test_the_end_of_hidden_output_is_shown(self):
        code = ("import sys\nfor i in range(2000): print('line', i)\n"
                "sys.stdout.flush(); print('the reason', file=sys.stderr); sys.exit(1)")
        done = self.run_program("measure", "-n", "2", "-c", line(python(code)))
        self.assertEqual(done.returncode, 1)
        self.assertIn("    line 1999\n    the reason\n", done.stdout)
        self.assertNotIn("line 100\n", done.stdout)
        run = self.measure("-n", "2", "-c", line(python(code)), code=1)["commands"][0]["runs"][0]
        self.assertTrue(run["output_tail"].endswith("line 1999\nthe reason\n"))

    def test_hidden_output_cannot_act_on_the_terminal(self):
        done = self.run_program("measure", "-n", "2", "--shell", "-c",
                                r"printf '\033[31mred\n'; exit 1")
        self.assertNotIn("\x1b", done.stdout)
        self.assertIn("red", done.stdout)

    def test_a_failing_warm_up_is_a_failure(self):
        done = self.run_program("measure", "--warmup", "1", "--", "false")
        self.assertEqual(done.returncode, 1)

    def test_killed_by_a_signal(self):
        run = self.one_run("--shell", "-c", "kill -SEGV $$", code=1)
        self.assertEqual(run["signal"], signal.SIGSEGV)
        self.assertNotIn("exit_code", run)
        done = self.run_program("measure", "--shell", "-c", "kill -SEGV $$")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"signal {int(signal.SIGSEGV)}", done.stdout)


class Starting(Case):
    def script(self, text, mode=0o755):
        path = self.scratch / "script"
        path.write_text(text)
        path.chmod(mode)
        return path

    def test_a_command_that_does_not_exist(self):
        done = self.run_program("measure", "--", "no-such-program-here")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertError(done, "cannot run no-such-program-here", "PATH", "--shell")
        done = self.run_program("measure", "--", "/no/such/program")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertError(done, "cannot run /no/such/program")
        self.assertEqual(self.run_program("measure", "--", "").returncode, 1)

    def test_a_command_that_may_not_be_executed(self):
        script = self.script("#!/bin/sh\n", 0o644)
        done = self.run_program("measure", "--", script)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertError(done, f"cannot run {script}", "executable")
        done = self.run_program("measure", "--", "script", env={"PATH": self.scratch})
        self.assertEqual(done.returncode, 1)
        self.assertError(done, "not executable", "chmod +x")
        done = self.run_program("measure", "--", self.scratch)
        self.assertEqual(done.returncode, 1)
        self.assertError(done, f"cannot run {self.scratch}")

    def test_a_script_without_a_first_line_runs_in_the_shell(self):
        done = self.run_program("measure", "--", self.script('echo "got $1"\n'), "a b")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("got a b\n", done.stdout)

    def test_a_script_whose_interpreter_is_missing(self):
        script = self.script("#!/no/such/interpreter\n")
        done = self.run_program("measure", "--", script)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertError(done, f"cannot run {script}")

    def test_what_cannot_start_stops_even_a_series_that_ignores_failures(self):
        done = self.run_program("measure", "-n", "3", "--ignore-failure", "--", "/no/such/program")
        self.assertEqual(done.returncode, 1)

    def test_the_child_has_no_descriptors_of_ours_and_its_signals_as_usual(self):
        code = ("import os, signal\n"
                "print(sorted(int(n) for n in os.listdir('/proc/self/fd'))[:4])\n"
                "blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])\n"
                "print('blocked', sorted(blocked))\n"
                "print('pipe', signal.getsignal(signal.SIGTERM) == signal.SIG_DFL)\n")
        done = self.run_program("measure", "--", *python(code))
        self.assertTrue(done.stdout.startswith("[0, 1, 2, 3]\nblocked []\npipe True\n"), done.stdout)


class TimeLimit(Case):
    def test_a_run_is_ended_when_its_time_is_over(self):
        run = self.one_run("--timeout", "200ms", "--", "sleep", "60", code=1)
        self.assertEqual(run["signal"], signal.SIGTERM)
        self.assertIn("timeout", run["flags"])

    def test_one_that_ignores_the_request_is_killed(self):
        code = ("import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
                "time.sleep(60)")
        done = self.run_program("measure", "--timeout", "500ms", "--", *python(code))
        self.assertEqual(done.returncode, 1)
        self.assertIn("ran out of time", done.stdout)

    def test_a_whole_group_is_ended(self):
        pid_file = self.scratch / "pid"
        self.one_run("--timeout", "500ms", "--shell", "-c",
                     f"sleep 60 & echo $! > {pid_file}; wait", code=1)
        self.assertFalse(is_alive(self.pid_in(pid_file)))

    def test_no_time_at_all(self):
        run = self.one_run("--timeout", "0s", "--", "sleep", "60", code=1)
        self.assertIn("timeout", run["flags"])


class LeftBehind(Case):
    DAEMON = ("import os, sys, time\n"
              "if os.fork(): os._exit(0)\n"
              "os.setsid()\n"
              "if os.fork(): os._exit(0)\n"
              "{more}\n"
              "open({path!r}, 'w').write(f'{{os.getpid()}}\\n')\n"
              "time.sleep(60)\n")

    def daemon(self, more=""):
        path = self.scratch / "pid"
        daemon = self.DAEMON.format(more=more, path=str(path))
        wait = f"while [ ! -s {path} ]; do sleep 0.01; done"
        return path, ["/bin/sh", "-c", f"{line(python(daemon))} >&- 2>&-; {wait}"]

    def assertEnded(self, path, run):
        self.assertIn("left-behind", run["flags"])
        self.assertTrue(any("python" in name for name in run["left_behind"]), run["left_behind"])
        self.assertEqual(run["exit_code"], 0)
        self.assertFalse(is_alive(self.pid_in(path)))

    def test_a_daemon_is_ended_and_reported(self):
        path, command = self.daemon()
        self.assertEnded(path, self.one_run("--", *command))

    def test_a_daemon_that_ignores_the_request_is_killed(self):
        path, command = self.daemon("import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)")
        self.assertEnded(path, self.one_run("--", *command))

    def test_the_text_names_it(self):
        done = self.run_program("measure", "--shell", "-c", "setsid sleep 60 >&- 2>&- & sleep 0.2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("flag: left-behind", done.stdout)
        self.assertIn("left processes behind, and prengdl ended them: sleep", done.stdout)

    def test_nothing_left_behind_is_not_reported(self):
        run = self.one_run("--shell", "-c", "sleep 0.05 & wait")
        self.assertNotIn("left-behind", run["flags"])
        self.assertNotIn("left_behind", run)


class Output(Case):
    def test_a_later_run_has_no_more_rights_to_the_processor_than_the_first(self):
        where = self.scratch / "niceness"
        self.run_program("measure", "-n", "2", "--output", where, "--", "nice")
        for n in (1, 2):
            self.assertEqual((where / f"run-{n}.stdout").read_text(), f"{os.nice(0)}\n")

    def test_a_later_run_finds_the_timers_as_the_first_did(self):
        where = self.scratch / "timers"
        slack = "/proc/self/timerslack_ns"
        self.run_program("measure", "-n", "3", "--output", where, "--", "cat", slack)
        slacks = [(where / f"run-{n}.stdout").read_text() for n in (1, 2, 3)]
        with open(slack, encoding="ascii") as own:
            self.assertEqual(slacks, [own.read()] * 3)

    def test_a_single_run_shows_its_output_and_several_hide_it(self):
        self.assertIn("hello\n", self.run_program("measure", "--", "echo", "hello").stdout)
        done = self.run_program("measure", "-n", "2", "--name", "x", "--", "echo", "hello")
        self.assertNotIn("hello", done.stdout + done.stderr)

    def test_it_can_be_hidden_or_shown(self):
        done = self.run_program("measure", "--output", "hide", "--name", "x", "--", "echo", "hello")
        self.assertNotIn("hello", done.stdout + done.stderr)
        done = self.run_program("measure", "-n", "2", "--output", "show", "--name", "x", "--", "echo",
                                "hello")
        self.assertEqual(done.stdout.count("hello\n"), 2)

    def test_it_can_be_kept(self):
        where = self.scratch / "deep" / "logs"
        self.run_program("measure", "-n", "2", "--output", where, "--shell", "-c",
                         "echo out; echo error >&2")
        self.assertEqual(sorted(path.name for path in where.iterdir()),
                         ["run-1.stderr", "run-1.stdout", "run-2.stderr", "run-2.stdout"])
        self.assertEqual((where / "run-2.stdout").read_text(), "out\n")
        self.assertEqual((where / "run-2.stderr").read_text(), "error\n")

    def test_a_place_that_cannot_be_written_to(self):
        where = self.scratch / "file"
        where.touch()
        done = self.run_program("measure", "--output", where, "--", "true")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertError(done, str(where))


class Input(Case):
    def test_a_single_run_reads_ours(self):
        done = self.run_program("measure", "--", "cat", input="from a pipe\n")
        self.assertTrue(done.stdout.startswith("from a pipe\n"), done.stdout)

    def test_several_runs_read_nothing(self):
        where = self.scratch / "logs"
        done = self.run_program("measure", "-n", "2", "--output", where, "--", "cat", input="text\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(where / f"run-{n}.stdout").read_text() for n in (1, 2)], ["", ""])


class Environment(Case):
    def test_the_child_sees_ours_and_the_event_file(self):
        code = "import os; print(os.environ['MARK'], os.path.isfile(os.environ['PRENGDL_EVENTS']))"
        done = self.run_program("measure", "--", *python(code), env={"MARK": "seen"})
        self.assertTrue(done.stdout.startswith("seen True\n"), done.stdout)

    def test_without_a_path_the_usual_places_are_searched(self):
        done = self.run_program("measure", "--", "true", env={"PATH": None})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_in_a_directory_that_was_removed(self):
        gone = self.scratch / "gone"
        gone.mkdir()
        process = self.start_program("measure", "--", "true", cwd=gone,
                                     preexec_fn=lambda: os.rmdir(gone))
        out, error = process.communicate()
        self.assertEqual(process.returncode, 0, out + error)
