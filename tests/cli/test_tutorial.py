# SPDX-License-Identifier: Apache-2.0
"""docs/tutorial.md, block by block, as a newcomer would follow it."""

import re
import shlex
import subprocess
import unittest
from pathlib import Path

from program import Case

HERE = Path(__file__).resolve().parent.parent.parent
IN_THE_CLONE = re.compile(r"<!-- in the clone -->\n```\n(.*?)```", re.S)
BLOCK = re.compile(r"<!-- (file|run)(?:: (\S+))?(?: exits=(\S+))? -->\n```\w*\n(.*?)```", re.S)


class Tutorial(Case):
    def test_every_block_does_what_the_page_says(self):
        page = (HERE / "docs" / "tutorial.md").read_text()
        lines = IN_THE_CLONE.search(page).group(1) + "echo $PYTHONPATH:$PATH; pwd"
        shell = subprocess.run(
            ["bash", "-e", "-c", lines],
            cwd=HERE,
            env={"HOME": str(self.scratch), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        )
        paths, here = shell.stdout.split()
        self.assertEqual(paths.split(":")[1], str(HERE / "build"))
        self.assertEqual(list(Path(here).iterdir()), [])
        blocks = BLOCK.findall(page)
        commands = 0
        for kind, name, exits, text in blocks:
            if kind == "file":
                (self.scratch / name).write_text(text)
                continue
            allowed = [int(code) for code in exits.split(",")] if exits else [0]
            for line in text.strip().splitlines():
                words = shlex.split(line)
                self.assertEqual(words[0], "prengdl", line)
                done = self.run_program(*words[1:], cwd=self.scratch, env={"PYTHONPATH": paths.split(":")[0]})
                self.assertIn(done.returncode, allowed, f"{line}\n{done.stdout}\n{done.stderr}")
                commands += 1
        self.assertGreater(commands, 12)
        page = (self.scratch / "median.html").read_text()
        self.assertIn("</html>", page)


if __name__ == "__main__":
    unittest.main()
