# SPDX-License-Identifier: Apache-2.0
"""The commands in the `console` blocks of the docs work.

A block is a session: lines that begin with `$ ` are commands, the others their output, which is not compared.
A command may end in `# exit 3` or `# exit 0, 3`; otherwise it must exit with 0. A page's blocks run in order in one
directory that holds the files of tests/cli/reader, and `quick.result`. `<!-- file: NAME -->` before a block of any
other kind writes it to that file. Blocks marked `console no-run REASON` are listed and not run.
"""

import re
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path
from typing import NamedTuple

from program import PRENGDL, SOURCE, Case

READER = Path(__file__).resolve().parent / "reader"
FENCE = re.compile(r"^(?:<!-- file: (?P<file>\S+) -->\n)?(?P<fence>```+)(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=fence) *$",
                   re.S | re.M)
EXIT = re.compile(r"\s*# exits? ([\d, ]+)$")


class Block(NamedTuple):
    line: int
    file: str | None
    info: str
    text: str


def blocks_of(page: str) -> list[Block]:
    return [
        Block(page.count("\n", 0, found.start("fence")) + 1, found["file"], found["info"].strip(), found["text"])
        for found in FENCE.finditer(page)
    ]


def commands_of(text: str) -> list[tuple[str, list[int]]]:
    """Each command of a session with the exit codes that it may have; `\\` and `> ` continue a line."""
    commands: list[str] = []
    continues = False
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append(line[2:])
        elif continues:
            commands[-1] += "\n" + line.removeprefix("> ")
        else:
            continue
        continues = line.endswith("\\")
    found = []
    for command in commands:
        marker = EXIT.search(command)
        found.append((command, [int(code) for code in marker[1].split(",")] if marker else [0]))
    return found


def script_of(commands: list[tuple[str, list[int]]]) -> str:
    """Runs the commands one after the other and writes their exit codes to descriptor 9."""
    return "\n".join(f"{command}\necho $? >&9" for command, _ in commands)


class Console(Case):
    def setUp(self):
        super().setUp()
        self.programs = self.temporary / "bin"
        self.programs.mkdir()
        (self.programs / "prengdl").symlink_to(PRENGDL)
        shutil.copytree(READER, self.scratch, dirs_exist_ok=True)

    def session(self, text):
        """Runs a session; what went wrong, as text, or None."""
        commands = commands_of(text)
        codes = self.temporary / "codes"
        path = f"{self.programs}:/usr/local/bin:/usr/bin:/bin"
        done = subprocess.run(["bash", "-c", f"exec 9>{codes}\n{script_of(commands)}"], cwd=self.scratch,
                              env=self.environment({"PATH": path, "HOME": self.temporary}), text=True, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        found = [int(code) for code in codes.read_text().split()]
        for (command, allowed), code in zip(commands, found, strict=False):
            if code not in allowed:
                return f"`{command}` exited with {code}:\n{done.stdout[-2000:]}"
        return None if len(found) == len(commands) else f"the session ended early:\n{done.stdout[-2000:]}"

    def test_every_command_of_the_pages_works(self):
        made = self.run_program("run", "quick.toml", cwd=self.scratch)
        self.assertEqual(made.returncode, 0, made.stderr)
        pristine = self.temporary / "reader"
        shutil.copytree(self.scratch, pristine)
        pages = [SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))]
        skipped, run = [], 0
        for page in pages:
            if "results" in page.parts:
                continue
            shutil.rmtree(self.scratch)
            shutil.copytree(pristine, self.scratch)
            begin = time.monotonic()
            name = page.relative_to(SOURCE)
            for block in blocks_of(page.read_text()):
                if block.info.startswith("console no-run"):
                    reason = block.info.removeprefix("console no-run").strip()
                    self.assertTrue(reason, f"{name}:{block.line}: say why the block is not run")
                    skipped.append(f"{name}:{block.line}: {reason}")
                elif block.info == "console":
                    with self.subTest(page=str(name), line=block.line):
                        self.assertTrue(commands_of(block.text), "a session without a command")
                        problem = self.session(block.text)
                        self.assertIsNone(problem, problem)
                    run += 1
                elif block.file:
                    (self.scratch / block.file).parent.mkdir(parents=True, exist_ok=True)
                    (self.scratch / block.file).write_text(block.text)
            if (seconds := time.monotonic() - begin) > 10:
                print(f"{name}: {seconds:.0f} s", file=sys.stderr)
        print("console blocks that are not run:", *skipped, sep="\n  ", file=sys.stderr)
        self.assertGreater(run, 30)
        self.assertGreater(run, len(skipped))

    def test_a_command_that_fails_is_found(self):
        self.assertIn("`false` exited with 1", self.session("$ true\n$ false\n"))
        self.assertIn("exited with 2", self.session("$ prengdl measure --no-such-option\n"))
        self.assertIn("ended early", self.session("$ exit 0\n$ true\n"))

    def test_exit_codes_can_be_stated(self):
        self.assertIsNone(self.session("$ sh -c 'exit 3'  # exit 3\n$ true  # exit 0, 3\n"))
        self.assertIn("exited with 0", self.session("$ true # exit 3\n"))

    def test_commands_may_take_several_lines(self):
        self.assertIsNone(self.session('$ test "$(echo a \\\n>   b)" = "a b"\noutput\n'))


if __name__ == "__main__":
    unittest.main()
