# SPDX-License-Identifier: Apache-2.0
"""On a terminal: a progress line that comes and goes, colours, keys."""

import os
import pty
import re
import select
import signal
import termios
import time

from program import PATIENCE, PRENGDL, Case, is_alive, line, python

COLOUR = re.compile(r"\x1b\[[\d;]*m")
ERASE = "\r\x1b[K"


class Terminal:
    """A process on a terminal of its own."""

    def __init__(self, arguments, env, columns=None):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            try:
                if columns:
                    termios.tcsetwinsize(0, (24, columns))
                os.execve(arguments[0], arguments, env)
            finally:
                os._exit(127)
        self.seen = ""
        self.code = None

    def read_until(self, condition):
        """Collects what is shown until the condition holds for it, or the process is gone."""
        until = time.monotonic() + PATIENCE
        while not condition(self.seen):
            ready, _, _ = select.select([self.master], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise AssertionError(f"waited in vain; on the terminal: {self.seen!r}")
            try:
                data = os.read(self.master, 65536)
            except OSError:  # how Linux says that nobody has the terminal open any more
                data = b""
            if not data:
                return False
            self.seen += data.decode("utf-8", "backslashreplace")
        return True

    def type(self, text):
        os.write(self.master, text.encode())

    def finish(self):
        self.read_until(lambda _: False)
        _, status = os.waitpid(self.pid, 0)
        self.code = os.waitstatus_to_exitcode(status)
        return self.seen

    def close(self):
        if self.code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)


class OnTerminal(Case):
    def terminal(self, *arguments, env=None, columns=None):
        one = Terminal([PRENGDL, *map(str, arguments)], self.environment(env), columns)
        self.addCleanup(one.close)
        return one


class Progress(OnTerminal):
    def test_a_line_is_shown_and_erased(self):
        one = self.terminal("measure", "-n", "3", "--", "sleep", "0.1")
        text = one.finish()
        self.assertEqual(one.code, 0, text)
        self.assertRegex(text, r"\r\x1b\[Krun \d of 3: sleep 0\.1")
        progress, results = text.rsplit(ERASE, 1)
        self.assertIn("run 3 of 3", progress)
        self.assertNotIn("\n", progress.split("run 1 of 3", 1)[-1])  # one line, written over
        self.assertNotIn("run 1 of 3", results)
        self.assertIn("3 runs", results)

    def test_longer_runs_tell_the_time_left(self):
        text = self.terminal("measure", "-n", "2", "--", "sleep", "0.7").finish()
        self.assertRegex(text, r"run 2 of 2: sleep 0\.7, about .* left")

    def test_a_single_run_shows_none(self):
        text = self.terminal("measure", "--", "sleep", "0.5").finish()
        self.assertNotIn("run 1 of", text)

    def test_long_labels_do_not_wrap(self):
        label = "x" + "ä" * 100
        text = self.terminal("measure", "-n", "2", "--name", label, "--", "sleep", "0.5").finish()
        lines = re.findall(r"\r\x1b\[K(run [^\r]*)", text)
        self.assertTrue(lines, text)
        for shown in lines:
            self.assertLess(len(shown), 80)
            self.assertNotIn("\\x", shown)  # no half of a letter

    def study(self):
        """A study with cells whose names are longer than most terminals are wide."""
        file = self.scratch / "wide.toml"
        levels = ", ".join(f'"{letter * 90}"' for letter in "ab")
        file.write_text(f"""
[study]
name = "wide"
runs = 3
[protocol]
settle = "off"
[factors]
way = [{levels}]
[workload]
command = ["sh", "-c", "sleep 0.3", "{{way}}"]
""")
        return file

    def test_the_line_of_a_study_is_as_wide_as_the_terminal(self):
        study = self.study()
        for columns, widest in ((60, 59), (100, 99), (None, 79)):  # a terminal without a size counts as 80
            with self.subTest(columns=columns):
                result = self.scratch / f"wide{columns}.result"
                text = self.terminal("run", study, "-o", result, columns=columns).finish()
                lines = re.findall(r"\r\x1b\[K(block [^\r]*)", text)
                self.assertEqual(max(map(len, lines)), widest, text)

    def test_a_failed_run_of_a_study_leaves_a_line(self):
        study = self.study()
        study.write_text(study.read_text().replace('"sleep 0.3"', '"exit 3"'))
        text = self.terminal("run", study, "-o", self.scratch / "failed.result").finish()
        self.assertEqual(len(re.findall(r"\r\x1b\[Kblock [^\r]*: failed: exit status 3[^\r]*\r\n", text)), 6, text)

    def test_a_narrow_terminal_still_shows_the_time_left(self):
        text = self.terminal("run", self.study(), "-o", self.scratch / "narrow.result", columns=60).finish()
        self.assertRegex(text, r"block 3 of 3, run \d of 6, about \d+ s left: way=")


class Colours(OnTerminal):
    def test_only_on_a_terminal(self):
        self.assertRegex(self.terminal("measure", "--", "true").finish(), COLOUR)
        self.assertRegex(self.terminal("meters").finish(), COLOUR)
        self.assertRegex(self.terminal("doctor").finish(), COLOUR)
        for arguments in (("measure", "--", "true"), ("measure", "-n", "2", "--", "true"), ("meters",)):
            done = self.run_program(*arguments)
            self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_can_be_refused(self):
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            with self.subTest(env=env):
                text = self.terminal("measure", "-n", "2", "--", "sleep", "0.3", env=env).finish()
                self.assertNotRegex(text, COLOUR)

    def test_a_dumb_terminal_gets_no_escapes_at_all(self):
        text = self.terminal("measure", "-n", "2", "--", "sleep", "0.3", env={"TERM": "dumb"}).finish()
        self.assertNotIn("\x1b", text)

    def test_an_empty_no_color_does_not_count(self):
        self.assertRegex(self.terminal("measure", "--", "true", env={"NO_COLOR": ""}).finish(), COLOUR)

    def test_programs_get_none_even_there(self):
        text = self.terminal("measure", "--json", "--", "true").finish()
        self.assertNotRegex(text, COLOUR)

    def test_live_watts_are_written_over(self):
        text = self.terminal("meters", "--watch", "--times", "2", "--every", "100ms").finish()
        self.assertRegex(text, r"\x1b\[\d+F\x1b\[J")


class Keys(OnTerminal):
    def test_a_single_run_reads_from_the_terminal(self):
        one = self.terminal("measure", "--name", "reader", "--", *python("print('got', input())"))
        one.type("hello\n")
        text = one.finish()
        self.assertEqual(one.code, 0, text)
        self.assertIn("got hello", text)
        self.assertIn("reader", text)

    def test_ctrl_c_interrupts_it(self):
        pid_file = self.scratch / "pid"
        code = f"import os, time\nopen({str(pid_file)!r}, 'w').write(f'{{os.getpid()}}\\n')\ntime.sleep(60)"
        one = self.terminal("measure", "--name", "sleeper", "--", *python(code))
        pid = self.pid_in(pid_file)
        one.type("\x03")
        text = one.finish()
        self.assertEqual(one.code, 130, text)
        self.assertIn("interrupted", text)
        self.assertFalse(is_alive(pid))

    def test_ctrl_c_ends_a_series_and_prints_what_was_made(self):
        one = self.terminal("measure", "-n", "50", "--", "sleep", "0.3")
        one.read_until(lambda text: "run 2 of" in text)
        one.type("\x03")
        text = one.finish()
        self.assertEqual(one.code, 130, text)
        self.assertIn("interrupted: these are the runs that were made", text)

    def test_the_terminal_is_ours_again_afterwards(self):
        # A shell that starts us and then reads: it would be stopped if it were in the background.
        script = f"{line([PRENGDL, 'measure', '--', 'true'])}; read answer; echo \"after $answer\""
        one = Terminal(["/bin/sh", "-c", script], self.environment())
        self.addCleanup(one.close)
        one.read_until(lambda text: "energy" in text)
        one.type("that\n")
        self.assertIn("after that", one.finish())

    def test_a_run_that_is_suspended_is_woken(self):
        pid_file = self.scratch / "pid"
        code = f"import os, time\nopen({str(pid_file)!r}, 'w').write(f'{{os.getpid()}}\\n')\ntime.sleep(1)"
        one = self.terminal("measure", "--name", "sleeper", "--", *python(code))
        self.pid_in(pid_file)
        one.type("\x1a")
        text = one.finish()
        self.assertEqual(one.code, 0, text)
        self.assertIn("woken", text)
