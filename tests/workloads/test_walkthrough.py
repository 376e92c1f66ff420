# SPDX-License-Identifier: Apache-2.0
"""docs/howto/add-a-model.md, step by step: its files are written to a copy of the project and its study is run.

    PRENGDL=build/prengdl PYTHON_WITH_NUMPY -m unittest tests/workloads/test_walkthrough.py
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent.parent


def files_of(page: Path) -> dict[str, str]:
    """What stands behind `<!-- file: NAME -->`."""
    found = re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", page.read_text(), re.S)
    return dict(found)


class WalkThrough(unittest.TestCase):
    def test_a_model_and_a_framework_are_added_and_compared(self):
        program = os.environ.get("PRENGDL", str(HERE / "build" / "prengdl"))
        with tempfile.TemporaryDirectory() as scratch:
            project = Path(scratch)
            for folder in ("workloads", "python", "studies"):
                shutil.copytree(HERE / folder, project / folder, ignore=shutil.ignore_patterns("__pycache__"))
            files = files_of(HERE / "docs" / "howto" / "add-a-model.md")
            self.assertGreaterEqual(len(files), 6)
            for name, text in files.items():
                self.assertFalse((project / name).exists(), f"{name} is in the project already")
                (project / name).parent.mkdir(exist_ok=True)
                (project / name).write_text(text)
            directory = Path(sys.executable).parent  # its `python` is the one with NumPy
            environment = dict(os.environ, PATH=f"{directory}:{os.environ['PATH']}")

            def prengdl(*words):
                return subprocess.run([program, *words], cwd=project, env=environment, capture_output=True, text=True)

            done = prengdl("run", "studies/line.toml", "-o", "line.result")
            self.assertEqual(done.returncode, 0, done.stderr)
            compared = prengdl("compare", "line.result", "--json")
            self.assertEqual(compared.returncode, 0, compared.stderr)
            findings = json.loads(compared.stdout)["findings"]
            self.assertEqual({one["case"]["phase"] for one in findings}, {"train", "infer"})
            for one in findings:
                self.assertNotEqual(one["verdict"], "not comparable", one)
            audit = json.loads(prengdl("audit", "line.result", "--json").stdout)
            for check in audit["checks"]:
                if check["check"] in ("unequal-work", "unequal-settings"):
                    self.assertIn(check["severity"], ("ok", "note"), check)


if __name__ == "__main__":
    unittest.main()
