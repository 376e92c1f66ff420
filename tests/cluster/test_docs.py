# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/howto/slurm.md work, in their order, on a Slurm of three nodes."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import sandbox
from cluster_study import PRENGDL

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
ABSENT = sandbox.missing()


@unittest.skipIf(ABSENT, ABSENT or "")
class Docs(unittest.TestCase):
    def test_the_how_to_works_as_written(self):
        from test_console import blocks_of, commands_of

        with sandbox.Sandbox(nodes=3) as slurm, tempfile.TemporaryDirectory(prefix="prengdl-") as name:
            directory = pathlib.Path(name)
            (directory / "bin").mkdir()
            (directory / "bin/prengdl").symlink_to(pathlib.Path(PRENGDL).resolve())
            environment = slurm.environment()
            environment["PATH"] = f"{directory}/bin{os.pathsep}{environment['PATH']}"
            commands = 0
            for block in blocks_of((ROOT / "docs/howto/slurm.md").read_text()):
                if block.file:
                    (directory / block.file).write_text(block.text)
                if not block.info.startswith("console no-run needs Slurm"):
                    continue
                for command, allowed in commands_of(block.text):
                    done = subprocess.run(["bash", "-c", command], cwd=directory, env=environment, text=True,
                                          stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
                    self.assertIn(done.returncode, allowed, f"{command}\n{done.stdout}{done.stderr}")
                    commands += 1
            self.assertGreater(commands, 6)


if __name__ == "__main__":
    unittest.main()
