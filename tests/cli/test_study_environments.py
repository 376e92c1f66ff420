# SPDX-License-Identifier: Apache-2.0
"""Studies find their environments: made by setup, the study's own, containers; and their data."""

import json
import sqlite3
import subprocess
import unittest

from environments import EnvironmentCase

WHERE = '["python", "-c", "import sys; print(sys.prefix)"]'
VERSIONS = '[factors]\nversion = ["1.0", "2.0"]'


class Named(EnvironmentCase):
    def setUp(self):
        super().setUp()
        self.fake_uv()
        # Each says what its directory is called.
        self.write("share/environments/tiny/check.py",
                   'import json, sys\nversion = sys.prefix.split("-")[1]\n'
                   'print(json.dumps({"version": version, "device": "cpu"}))\n')

    def test_a_version_can_be_a_level(self):
        path = self.study(f'command = {WHERE}\nenvironment = "tiny@{{version}}"', VERSIONS)
        rows = self.setup_json(path)["environments"]
        self.assertEqual([row["environment"] for row in rows], ["tiny@1.0", "tiny@2.0"])
        self.run_study()
        self.assertEqual(self.said(), sorted(f"{self.directory(version)}\n" for version in ("1.0", "2.0")))
        with sqlite3.connect(self.scratch / "result/study.db") as database:
            locks = dict(database.execute("SELECT environment, text FROM locks"))
            events = [row[0] for row in database.execute("SELECT detail FROM events WHERE kind = 'environment'")]
        database.close()
        self.assertEqual(locks["tiny@2.0"], (self.share / "environments/tiny/2.0/cpu.lock").read_text())
        self.assertEqual(len(events), 2)
        self.assertIn("tiny@1.0: tiny 1.0 cpu, lock sha256:", events[0])

    def test_nothing_runs_before_all_are_there(self):
        path = self.study(f'command = {WHERE}\nenvironment = "tiny@{{version}}"', VERSIONS)
        self.setup_program("tiny@1.0")
        done = self.run_study("--cache", self.cache, code=1)
        self.assertIn("the environment tiny 2.0 cpu is not ready: there is no ", done.stderr)
        self.assertIn(f"prengdl setup {path} --cache {self.cache}", done.stderr)
        self.assertFalse((self.scratch / "result").exists())
        self.assertIn("tiny 2.0 cpu is not ready", self.run_program("plan", path).stdout)
        # What is left out need not be there; it is added when its turn comes.
        self.run_study("--only", "version=1.0")
        self.setup_program(path)
        self.run_study()
        self.assertEqual(len(self.said()), 2)

    def test_a_study_is_not_gone_on_with_in_another_environment(self):
        self.study(f'command = {WHERE}\nenvironment = "tiny"', '[factors]\n')
        self.setup_program("tiny")
        self.run_study()
        self.lock("1.0", "nothing==1.1 --hash=sha256:00\n")
        self.setup_program("tiny")
        done = self.run_study("--runs", "2", code=1)
        self.assertIn("the environment tiny was another one", done.stderr)
        self.assertIn("+nothing==1.1", done.stderr)

    def test_names_are_checked_where_they_are_written(self):
        path = self.study('command = ["{environment:tinny}/bin/x"]\nenvironment = "tiny@9"')
        for command in ("plan", "run", "setup", "doctor"):
            done = self.run_program(command, path)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("study.toml:9:12: there is no environment 'tinny' (did you mean 'tiny'?)", done.stderr)
            self.assertIn("study.toml:10:15: there is no environment 'tiny@9'", done.stderr)

    def test_directories_are_told_to_commands(self):
        path = self.study('command = ["echo", "{environment:tiny@2.0}", "{data}"]\nvariables = { X = "{data}" }\n'
                          'prepare = ["sh", "-c", "test $PRENGDL_DATA = $X"]')
        self.assertEqual(self.setup_json(path)["environments"][0]["environment"], "tiny@2.0")
        self.run_study("--data", self.scratch / "sets")
        self.assertEqual(self.said(), [f"{self.directory('2.0')} {self.scratch}/sets\n"])

    def test_doctor_looks_for_them(self):
        path = self.study(f'command = {WHERE}\nenvironment = "tiny"\nrequires = {{ cpus = 60000 }}')

        def checks():
            done = self.run_program("doctor", path, "--json")
            found = {}
            for check in json.loads(done.stdout)["checks"]:
                found.setdefault(check["check"], []).append(check)
            return found, done.returncode

        found, code = checks()
        self.assertEqual(code, 3)
        self.assertEqual(found["environment"][0]["severity"], "fail")
        self.assertIn("prengdl setup", found["environment"][0]["remedy"])
        self.assertIn("requires 60000 CPUs", found["requires"][0]["finding"])
        self.setup_program("tiny")
        self.assertEqual(checks()[0]["environment"][0]["severity"], "ok")


class Own(EnvironmentCase):
    def test_requirements_of_the_study(self):
        self.fake_uv()
        self.write("req.txt", "-r more.txt\n")
        self.write("more.txt", "nothing\n")
        path = self.study(f'command = {WHERE}\nenvironment = {{ requirements = "req.txt", python = "{self.python}" }}')
        (row,) = self.setup_json(path)["environments"]
        self.assertIn("/environments/requirements-study-own-", row["directory"])
        self.assertIn(f"pip install --requirement {self.scratch}/req.txt", self.calls_of_uv()[-1])
        self.assertNotIn("--require-hashes", self.calls_of_uv()[-1])
        self.run_study()
        self.assertEqual(self.said(), [row["directory"] + "\n"])

    def test_an_interpreter_and_a_virtual_environment(self):
        subprocess.run([self.python, "-m", "venv", "--without-pip", self.scratch / "venv"], check=True)
        self.study(f'command = {WHERE}\nenvironment = "./venv"',
                   '[factors]\nkind = ["venv", "interpreter"]\n'
                   '[[override]]\nwhere = { kind = "interpreter" }\n'
                   'environment = { interpreter = "venv/bin/python" }')
        self.run_study()
        self.assertEqual(self.said(), [f"{self.scratch}/venv\n"] * 2)

    def test_what_is_not_there_is_the_studys_to_make(self):
        path = self.study(f'command = {WHERE}\nenvironment = {{ conda = "prefix" }}')
        self.assertIn(f"there is no {self.scratch}/prefix", self.run_study(code=1).stderr)
        self.assertIn("it is the study's own", self.setup_program(path, code=1).stderr)


class Container(EnvironmentCase):
    COMMAND = 'command = ["sh", "-c", "pwd; echo $SHOWN/$HIDDEN/$PRENGDL_SEED; {tell}"]\n' \
              'variables = {{ SHOWN = "yes" }}\n' \
              'environment = {{ container = "{image}", by = "podman", options = ["--network", "none"] }}\n'
    # What a workload tells, without the package: the container of this test gets no PYTHONPATH.
    TELL = """
import json, os, time
with open(os.environ["PRENGDL_EVENTS"], "a") as events:
    events.write(json.dumps({"t": time.monotonic_ns(), "ev": "metric", "name": "m", "value": 7}) + chr(10))
"""

    def setUp(self):
        super().setUp()
        self.fake_podman()

    def test_runs_the_command_and_hands_events_out(self):
        self.write("tell.py", self.TELL)
        self.study(self.COMMAND.format(tell="python3.11 tell.py", image="tiny:1"))
        self.run_study(env={"HIDDEN": "no"})
        (said,) = self.said()
        self.assertRegex(said, rf"^{self.scratch}\nyes//\d+\n$")
        call = next(line for line in self.podman_log.read_text().splitlines() if line.startswith("run"))
        self.assertIn(f"--volume {self.scratch}:{self.scratch} ", call)
        self.assertIn("--network none tiny:1 sh -c", call)
        rows = self.run_program("export", self.scratch / "result", "--table", "metrics").stdout
        self.assertIn(",m,", rows)
        with sqlite3.connect(self.scratch / "result/study.db") as database:
            self.assertEqual(database.execute("SELECT environment, text FROM locks").fetchall(),
                             [("podman tiny:1", "tiny:1 sha256:feed\n")])
        database.close()

    def test_python_finds_the_package_in_it_behind_what_the_image_says(self):
        self.write("share/python/prengdl/__init__.py", "")
        self.study(self.COMMAND.format(tell="python3.11 -c 'import prengdl'; echo $PYTHONPATH", image="tiny:1"))
        self.run_study(env={"PYTHONPATH": "/of/the/caller"})
        (said,) = self.said()
        self.assertEqual(said.splitlines()[-1], f"/of/the/image:{self.share}/python")
        self.podman_log.unlink()
        self.write("study.toml", (self.scratch / "study.toml").read_text().replace(
            'SHOWN = "yes"', 'SHOWN = "yes", PYTHONPATH = "/of/the/study"'))
        self.run_program("run", self.scratch / "study.toml", "-o", self.scratch / "other", "--anyway")
        call = next(line for line in self.podman_log.read_text().splitlines() if line.startswith("run"))
        self.assertIn(f"--env PYTHONPATH=/of/the/study:{self.share}/python ", call)

    def test_is_ended_when_its_time_is_over(self):
        self.study(self.COMMAND.format(tell="sleep 60", image="tiny:1") + 'timeout = "300ms"')
        self.run_study(code=1)
        lines = self.podman_log.read_text().splitlines()
        name = next(line for line in lines if line.startswith("run")).split("--name ")[1].split()[0]
        self.assertIn(f"rm --force {name}", lines)

    def test_an_image_that_is_not_there(self):
        path = self.study(self.COMMAND.format(tell="true", image="none:1"))
        self.assertIn("podman has no image none:1", self.run_study(code=1).stderr)
        self.setup_program(path)
        self.assertIn("pull none:1", self.podman_log.read_text())


class Data(EnvironmentCase):
    """The workloads' side is a module of a few lines here."""

    def setUp(self):
        super().setUp()
        self.fake_uv()
        self.write("share/workloads/__init__.py", "")
        self.write("share/python/marker.py", "")
        self.write("share/workloads/data.py", """
import json, marker, pathlib, sys
verb, *words = sys.argv[1:]
file = pathlib.Path(words[words.index("--data") + 1], "set.txt")
if verb == "make":
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(" ".join(words))
    sys.exit()
problems = [] if file.exists() else ["set.txt is missing"]
print("a warning", file=sys.stderr)
print(json.dumps({"sets": [{"name": "set", "origin": "a far place", "problems": problems}]}, indent=2))
sys.exit(3 if problems else 0)
""")
        self.path = self.study('command = ["python", "-m", "workloads", "any", "{model}", "--preset", "{preset}"]\n'
                               'environment = "tiny"\nvariables = { A = "{data}" }',
                               '[factors]\nmodel = ["a", "b"]\n[presets.small]\nfactors.model = ["b"]\n')

    def test_is_checked_where_the_user_says(self):
        done = self.setup_program(self.path, "--preset", "small", "--data", self.scratch / "sets", code=3)
        self.assertIn("set.txt is missing", done.stdout)
        self.assertIn("a far place", done.stdout)
        self.write("sets/set.txt", "")
        sets = self.setup_json(self.path, "--preset", "small", "--data", self.scratch / "sets")["data"]["sets"]
        self.assertEqual(sets, [{"name": "set", "origin": "a far place", "problems": []}])
        self.assertIn("depend on the preset", self.setup_program(self.path, "--data", self.scratch / "sets").stderr)

    def test_is_made_where_nobody_says(self):
        self.setup_program(self.path, "--preset", "small")
        self.assertEqual((self.cache / "data/set.txt").read_text(), f"b --data {self.cache}/data --preset small")

    def test_a_module_that_fails_is_quoted(self):
        self.write("share/workloads/data.py", "raise SystemExit('all is lost')")
        done = self.setup_program(self.path, "--preset", "small", code=1)
        self.assertIn("the data cannot be made: all is lost", done.stderr)


if __name__ == "__main__":
    unittest.main()
