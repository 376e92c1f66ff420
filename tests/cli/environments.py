# SPDX-License-Identifier: Apache-2.0
"""Tiny environments to set up: a product's files of a few lines, a uv that installs nothing, a wheel of one module."""

import base64
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

from program import Case

CHECK = 'import json, sys\nprint("hello")\nprint(json.dumps({"version": "%s", "device": sys.argv[1]}))\n'

# Notes how it is called. While the file $FAKE_UV_WAIT is there, an installation takes its time; with
# $FAKE_UV_SAYS it fails with these words.
FAKE_UV = """#!/bin/sh
echo "$*" >> "$FAKE_UV_LOG"
case $1 in
  --version) echo "uv 9.9.9 (fake)" ;;
  venv) for last; do :; done; exec {python} -m venv --without-pip "$last" ;;
  pip)
    while [ -e "$FAKE_UV_WAIT" ]; do touch "$FAKE_UV_WAIT.begun"; sleep 0.05; done
    if [ -n "$FAKE_UV_SAYS" ]; then echo "$FAKE_UV_SAYS" >&2; exit 1; fi
    for word; do case $word in */bin/python) set -- "${{word%/bin/python}}"/lib/python3*/site-packages ;; esac; done
    echo "answer = 42" > "$1/one_module.py"
    echo "Installed one module" ;;
esac
"""

# Runs the command on the machine itself, with only the variables that it was told to pass.
FAKE_PODMAN = """#!{python}
import os, sys
words = sys.argv[1:]
with open(os.environ["FAKE_PODMAN_LOG"], "a") as log:
    print(*words, file=log)
if words[0] == "image":
    print("PYTHONPATH=/of/the/image" if any("Config.Env" in word for word in words) else "sha256:feed")
    sys.exit(0 if words[-1] == "tiny:1" else 125)
if words[0] == "run":
    image = words.index("tiny:1")
    variables = {{"PATH": os.environ["PATH"]}}
    for option, value in zip(words[:image], words[1:image]):
        if option == "--env":
            name, equals, text = value.partition("=")
            variables[name] = text if equals else os.environ[name]
        if option == "--workdir":
            os.chdir(value)
    os.execvpe(words[image + 1], words[image + 1:], variables)
"""


def python311():
    """The interpreter that the locks are for; None where there is none."""
    for name in ("/usr/bin/python3", "python3.11", sys.executable):
        path = shutil.which(name)
        if path:
            code = "import sys; print(sys.version_info[:2] == (3, 11) and sys.executable)"
            done = subprocess.run([path, "-c", code], capture_output=True, text=True)
            if done.returncode == 0 and done.stdout.strip() != "False":
                return done.stdout.strip()
    return None


def real_uv():
    """A uv on the PATH or among prengdl's own tools."""
    cache = os.environ.get("PRENGDL_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "prengdl")
    return shutil.which("uv") or shutil.which(os.path.join(cache, "tools/bin/uv"))


def wheel(directory, name="tiny", version="1.0"):
    """A wheel with one module; its SHA-256."""
    info = f"{name}-{version}.dist-info"
    files = {f"{name}/__init__.py": f'__version__ = "{version}"\n',
             f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
             f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},"
        f"{len(text)}\n" for path, text in files.items())
    path = pathlib.Path(directory, f"{name}-{version}-py3-none-any.whl")
    with zipfile.ZipFile(path, "w") as archive:
        for inner, text in {**files, f"{info}/RECORD": record + f"{info}/RECORD,,\n"}.items():
            archive.writestr(inner, text)
    return hashlib.sha256(path.read_bytes()).hexdigest()


class EnvironmentCase(Case):
    """A test with a product of its own: the environments tiny@1.0 (the default) and tiny@2.0, locked to nothing."""

    def setUp(self):
        super().setUp()
        self.python = python311()
        if not self.python:
            self.skipTest("there is no Python 3.11")
        self.share = self.scratch / "share"
        self.cache = self.scratch / "cache"
        self.wait = self.scratch / "wait"
        self.uv_log = self.scratch / "uv.log"
        self.podman_log = self.scratch / "podman.log"
        self.write("share/environments/tiny/default", "1.0\n")
        self.write("share/environments/tiny/check.py", CHECK % "1.0")
        for version in ("1.0", "2.0"):
            self.lock(version, f"nothing=={version} --hash=sha256:00\n")
        # All that may be found: this Python, the usual programs, and what a test adds.
        self.programs = self.scratch / "programs"
        self.write("programs/python3.11", f'#!/bin/sh\nexec {self.python} "$@"\n', 0o755)
        self.variables = {
            "PRENGDL_SHARE": self.share, "PRENGDL_CACHE": self.cache, "XDG_CACHE_HOME": None, "PRENGDL_DATA": None,
            "FAKE_UV_LOG": self.uv_log, "FAKE_UV_WAIT": self.wait, "FAKE_PODMAN_LOG": self.podman_log,
            "PATH": f"{self.programs}:/usr/bin:/bin", "UV_CACHE_DIR": None}

    def environment(self, changes=None):
        return super().environment({**self.variables, **(changes or {})})

    def write(self, path, text, mode=0o644):
        file = self.scratch / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(mode)
        return file

    def lock(self, version, text):
        return self.write(f"share/environments/tiny/{version}/cpu.lock", text)

    def fake_uv(self):
        self.write("programs/uv", FAKE_UV.format(python=self.python), 0o755)

    def fake_podman(self):
        self.write("programs/podman", FAKE_PODMAN.format(python=self.python), 0o755)

    def calls_of_uv(self):
        return self.uv_log.read_text().splitlines() if self.uv_log.exists() else []

    def directory(self, version="1.0"):
        lock = self.share / f"environments/tiny/{version}/cpu.lock"
        digest = hashlib.sha256(lock.read_bytes()).hexdigest()
        return self.cache / f"environments/tiny-{version}-cpu-{digest[:12]}"

    def setup_program(self, *words, code=0, **more):
        done = self.run_program("setup", *words, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def setup_json(self, *words, code=0, **more):
        return json.loads(self.setup_program("--json", *words, code=code, **more).stdout)

    def study(self, workload, more="", name="study.toml"):
        return self.write(name, '[study]\nname = "small"\nruns = 1\n[protocol]\nwarmup = 0\nsettle = "off"\n'
                                f'{more}\n[workload]\n{workload}\n')

    def run_study(self, *more, code=0, **how):
        done = self.run_program("run", self.scratch / "study.toml", "-o", self.scratch / "result", "--anyway", *more,
                                **how)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def said(self):
        """What the commands of the study wrote, sorted."""
        return sorted(path.read_text() for path in self.scratch.glob("result/logs/*/stdout"))
