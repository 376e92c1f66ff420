# SPDX-License-Identifier: Apache-2.0
"""On a terminal: a progress line that comes and goes, colours, keys."""

import codecs
import os
import pty
import re
import select
import signal
import subprocess
import termios
import time

from program import PATIENCE, PRENGDL, Case, FakeMachine, is_alive, line, python

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
        # A read may end in the middle of a character.
        self.decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
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
            self.seen += self.decoder.decode(data)
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
        self.assertRegex(text, r"\r\x1b\[Krun \d of 3.*: sleep 0\.1: running")
        progress, results = text.rsplit(ERASE, 1)
        self.assertIn("run 3 of 3", progress)
        self.assertNotIn("\n", progress.split("run 1 of 3", 1)[-1])  # one line, written over
        self.assertNotIn("run 1 of 3", results)
        self.assertIn("3 runs", results)

    def test_longer_runs_tell_the_time_left(self):
        text = self.terminal("measure", "-n", "2", "--", "sleep", "0.7").finish()
        self.assertRegex(text, r"run 2 of 2, about .* left: sleep 0\.7")

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
        # Each goes on in as many lines as the terminal makes of it.
        self.assertEqual(
            len(re.findall(r"\r\x1b\[Kblock [^\x1b]*: failed: exit status 3[^\x1b]*\)\r\n", text)), 6, text
        )

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
        self.assertIn("interrupted: only the runs made so far are shown", text)

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
        self.assertIn("continued", text)


def shown_lines(text):
    """What is shown, line by line: without colours, and without what erases or moves the cursor."""
    text = re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", text)
    return [line for line in re.split(r"[\r\n]+", text) if line]


class Width(OnTerminal):
    """No command prints a line that is wider than the terminal."""

    STUDY = """
[study]
name = "wide"
runs = 3
[protocol]
warmup = 0
settle = "off"
[factors]
framework = ["a framework with quite a long name", "another-framework-with-a-long-name"]
model = ["a_model_with_a_name_of_more_than_forty_letters", "small"]
phase = ["train", "infer"]
[workload]
command = ["sh", "-c", "sleep 0.01; [ $2 != small ] || [ $3 != infer ]", "x", "{framework}", "{model}", "{phase}"]
retry = 0
[analysis]
compare = "framework"
primary = "seconds"
secondary = ["cpu_seconds", "metered"]
"""

    def assertFits(self, *arguments, columns=80, codes=(0, 1, 3, 4)):
        one = self.terminal(*arguments, columns=columns)
        text = one.finish()
        self.assertIn(one.code, codes, text)
        lines = shown_lines(text)
        self.assertTrue(lines, text)
        for shown in lines:
            self.assertLessEqual(len(shown), columns, f"{' '.join(map(str, arguments))}\n{text}")
        return "\n".join(lines)

    def made(self):
        file = self.scratch / "wide.toml"
        file.write_text(self.STUDY)
        result = self.scratch / "result"
        self.assertFits("plan", file)
        self.assertFits("plan", file, "--order")
        self.assertFits("run", file, "-o", result)
        return result

    def test_of_a_study(self):
        result = self.made()
        for columns in (60, 80, 160):
            with self.subTest(columns=columns):
                for arguments in (
                    ["status"],
                    ["audit"],
                    ["compare"],
                    ["compare", "--energy-time"],
                    ["compare", "--factorial"],
                    ["compare", "--as-published"],
                ):
                    self.assertFits(arguments[0], result, *arguments[1:], columns=columns)
        narrow = self.assertFits("compare", result)
        self.assertIn("not shown at this width: ", narrow)
        self.assertNotIn("not shown at this width: ", self.assertFits("compare", result, columns=300))

    def test_of_measure_and_gate(self):
        long = "/".join([str(self.scratch), "a" * 40, "bin/python"])
        os.makedirs(os.path.dirname(long))
        os.symlink("/bin/sh", long)
        for file in "ab":
            (self.scratch / file).write_text("sleep 0.02")
        commands = ["-c", f"{long} {self.scratch}/a", "-c", f"{long} {self.scratch}/b"]
        text = self.assertFits("measure", "-n", "3", *commands)
        self.assertNotIn("a" * 40, text)
        self.assertRegex(text, r"(?m)^1: python /")
        self.assertFits("measure", "-n", "2", "-o", self.scratch / "stored", *commands)
        self.assertNotIn("a" * 40, self.assertFits("compare", self.scratch / "stored"))
        self.assertFits("gate", "--interleave", "-n", "3", *commands)

    def test_of_what_the_machine_has(self):
        self.assertFits("meters")
        self.assertFits("doctor")
        self.assertFits("setup", "--list")

    def test_of_a_profile(self):
        code = "import cProfile, json; cProfile.run('json.loads(json.dumps(list(range(100))))', 'dump.prof')"
        subprocess.run(python(code), cwd=self.scratch, check=True)
        self.assertFits("profile", self.scratch / "dump.prof")

    def machine(self, rails):
        machine = FakeMachine(self.scratch / "machine")
        directory = "sys/class/hwmon/hwmon0"
        machine.write(f"{directory}/name", "acpitest\n")
        for number in range(1, rails + 1):
            machine.write(f"{directory}/power{number}_input", "5000000\n")
            machine.write(f"{directory}/power{number}_label", f"a rail with a very long name indeed {number}\n")
        return machine.root

    def test_live_watts_stay_in_their_place(self):
        root = self.machine(rails=3)
        one = self.terminal("meters", "--root", root, "--watch", "--times", "3", "--every", "100ms", columns=80)
        text = one.finish()
        self.assertEqual(one.code, 0, text)
        for shown in shown_lines(text):
            self.assertLessEqual(len(shown), 80, text)
        frames = re.split(r"\x1b\[(\d+)F\x1b\[J", text)
        self.assertEqual(len(frames), 5, text)  # three, with what was erased between them
        for frame, erased in zip(frames[::2], frames[1::2]):
            self.assertEqual(frame.count("\n"), int(erased), text)

    def test_more_meters_than_the_terminal_has_lines(self):
        root = self.machine(rails=16)
        machine = FakeMachine(root)
        for number in range(12):
            machine.zone(f"intel-rapl:{number}", f"package-{number}")
        text = self.terminal(
            "meters", "--root", root, "--watch", "--times", "2", "--every", "100ms", columns=80
        ).finish()
        self.assertRegex(text, r"… and \d+ more")
        for erased in re.findall(r"\x1b\[(\d+)F", text):
            self.assertLess(int(erased), 24)

    def test_what_goes_elsewhere_has_lines_of_any_length(self):
        result = self.made()
        done = self.run_program("compare", result)
        self.assertNotIn("no room for", done.stdout)
        self.assertGreater(max(map(len, done.stdout.splitlines())), 80)

    def test_times_are_printed_as_people_read_them(self):
        table = self.scratch / "runs.csv"
        rows = [
            f"{way},{seconds}" for way, base in (("a", 2516), ("b", 4320)) for seconds in (base, base + 1, base + 2)
        ]
        table.write_text("way,time\n" + "\n".join(rows) + "\n")
        result = self.scratch / "imported"
        done = self.run_program("import", "csv", table, "-o", result, "--map", "seconds=time,factor:way=way")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = self.assertFits("compare", result)
        self.assertIn("41 min 57 s", text)
        self.assertIn("1 h 12 min", text)
        self.assertNotIn(" ks", text)
