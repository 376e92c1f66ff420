# SPDX-License-Identifier: Apache-2.0
"""The Python package is there for every workload, behind what the user has on the path."""

import os
import subprocess
import unittest
import venv

from program import PATIENCE, SOURCE, Case, line

OURS = str(SOURCE / "python")
TELL = "import os, prengdl; print(prengdl.__file__); print(os.environ['PYTHONPATH'])"


class PythonPath(Case):
    def setUp(self):
        super().setUp()
        venv.create(self.scratch / "venv", with_pip=False, symlinks=True)
        self.python = self.scratch / "venv/bin/python"

    def tell(self, *command, path=None, cwd=None):
        done = self.run_program(*command, env={"PYTHONPATH": path}, cwd=cwd)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_measure_appends_it(self):
        done = self.tell("measure", "--", self.python, "-c", TELL)
        self.assertEqual(done.stdout.splitlines()[:2], [OURS + "/prengdl/__init__.py", OURS])

    def test_what_the_user_has_comes_first(self):
        mine = self.scratch / "mine"
        (mine / "prengdl").mkdir(parents=True)
        (mine / "prengdl/__init__.py").write_text("")
        done = self.tell("measure", "--", self.python, "-c", TELL, path=mine)
        self.assertEqual(done.stdout.splitlines()[:2], [f"{mine}/prengdl/__init__.py", f"{mine}:{OURS}"])

    def test_gate_appends_it(self):
        command = line([str(self.python), "-c", "import prengdl"])
        done = self.run_program(
            "gate", "--interleave", "-n", "2", "-c", command, "-c", command, env={"PYTHONPATH": None}
        )
        self.assertNotIn("a command failed", done.stderr)
        self.assertIn(done.returncode, (0, 3, 4), done.stderr)

    def study(self, variables):
        file = self.scratch / "study.toml"
        file.write_text(f"""
[study]
name = "path"
runs = 1
[protocol]
warmup = 0
settle = "off"
[factors]
way = ["a"]
[workload]
environment = "{self.scratch}/venv"
command = ["python", "-c", '''{TELL}; open("told-{{way}}", "w").write(os.environ["PYTHONPATH"])''']
prepare = ["python", "-c", "import prengdl"]
{variables}
""")
        done = self.run_program(
            "run", file, "-o", self.scratch / "result", "--anyway", env={"PYTHONPATH": "/from/outside"}
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.scratch / "told-a").read_text()

    def test_run_appends_it_to_what_is_inherited(self):
        self.assertEqual(self.study(""), "/from/outside:" + OURS)

    def test_run_appends_it_to_what_the_study_says(self):
        self.assertEqual(self.study('variables = { PYTHONPATH = "/of/the/study" }'), "/of/the/study:" + OURS)

    def workloads(self, *words):
        env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run([self.python, "-m", "workloads", *words], cwd=SOURCE, env=env, capture_output=True,
                              timeout=PATIENCE, encoding="utf-8")

    def test_the_workloads_start_from_a_clone(self):
        done = self.workloads("pytorch", "ncf", "--settings")
        # An environment without packages: what is missing is said, and it is not the package of the clone.
        self.assertIn("ncf needs numpy, which is not installed here", done.stderr)
        done = self.workloads("pytorch", "nosuchmodel")
        self.assertIn("there is no model 'nosuchmodel'", done.stderr)


if __name__ == "__main__":
    unittest.main()
