# SPDX-License-Identifier: Apache-2.0
"""docs/tutorial.md, block by block, as a newcomer would follow it."""

import re
import shlex
import unittest
from pathlib import Path

from program import Case

HERE = Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"<!-- (file|run)(?:: (\S+))?(?: exits=(\S+))? -->\n```\w*\n(.*?)```", re.S)


class Tutorial(Case):
    def test_every_block_does_what_the_page_says(self):
        blocks = BLOCK.findall((HERE / "docs" / "tutorial.md").read_text())
        commands = 0
        for kind, name, exits, text in blocks:
            if kind == "file":
                (self.scratch / name).write_text(text)
                continue
            allowed = [int(code) for code in exits.split(",")] if exits else [0]
            for line in text.strip().splitlines():
                words = shlex.split(line)
                self.assertEqual(words[0], "prengdl", line)
                done = self.run_program(*words[1:], cwd=self.scratch, env={"PYTHONPATH": str(HERE / "python")})
                self.assertIn(done.returncode, allowed, f"{line}\n{done.stdout}\n{done.stderr}")
                commands += 1
        self.assertGreater(commands, 12)
        page = (self.scratch / "median.html").read_text()
        self.assertIn("</html>", page)


if __name__ == "__main__":
    unittest.main()
