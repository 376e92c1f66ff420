# SPDX-License-Identifier: Apache-2.0
"""prengdl as sudo starts it, on this machine or on one whose /sys is made up."""

import os
import pathlib
import pwd
import shlex
import subprocess
import unittest

from program import PATIENCE, PRENGDL, Case

STUDY = """
[study]
name = "small"
runs = {runs}
[protocol]
warmup = 0
settle = "off"
{protocol}
[factors]
mark = ["a", "b"]
[workload]
command = ["sh", "-c", '''{command}''']
variables = {{ MARK = "{{mark}}" }}
{workload}
"""


def anyway(arguments):
    """These studies are not made to show anything."""
    return [*arguments, "--anyway"] if arguments[0] == "run" else arguments


@unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
class SudoCase(Case):
    """The calling user is nobody; the scratch directory is theirs."""

    def setUp(self):
        super().setUp()
        self.user = pwd.getpwnam("nobody")
        self.env = {"SUDO_UID": self.user.pw_uid, "SUDO_GID": self.user.pw_gid,
                    "SUDO_USER": self.user.pw_name, "SUDO_COMMAND": "prengdl",
                    "XDG_STATE_HOME": self.scratch / "state",
                    "TMPDIR": self.temporary}
        os.chmod(self.scratch.parent, 0o755)
        for path in (self.scratch, self.temporary):
            self.give(path)

    def give(self, *paths):
        """To the calling user."""
        for path in paths:
            os.chown(path, self.user.pw_uid, self.user.pw_gid, follow_symlinks=False)

    def sudo(self, *arguments, code=0, env=None, **more):
        more.setdefault("cwd", self.scratch)
        done = self.run_program(*anyway(arguments), env={**self.env, **(env or {})}, **more)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def study(self, command="id -u", protocol="", workload="", runs=1):
        path = self.scratch / "small.toml"
        path.write_text(STUDY.format(command=command, protocol=protocol, workload=workload, runs=runs))
        return path

    def outputs(self, result):
        return [path.read_text() for path in sorted((result / "logs").glob("*/stdout"))]

    def secret(self, name="secret"):
        """A file of root's that the user may not read."""
        path = self.scratch.parent / name
        path.write_text("the secret of root\n")
        path.chmod(0o600)
        return path

    def assertUntouched(self, *paths):
        """They are as secret() made them."""
        for path in paths:
            status = path.stat()
            self.assertEqual((path.read_text(), status.st_uid, status.st_mode & 0o777),
                             ("the secret of root\n", 0, 0o600), path)

    def assertNothingIsRoots(self, directory):
        """All that was made there is the user's."""
        for path in [directory, *directory.rglob("*")]:
            self.assertEqual(path.lstat().st_uid, self.user.pw_uid, path)


class FakeSys:
    """A /sys/class, /sys/devices/system/cpu and /run for one process and its children, in a mount namespace. What the
    directories hold can be changed from outside."""

    def __init__(self, scratch):
        self.root = pathlib.Path(scratch)
        for name in ("class/powercap", "cpu/cpufreq", "run", "bin"):
            (self.root / name).mkdir(parents=True)
        for name in ("online", "possible", "present"):
            (self.root / "cpu" / name).write_text("0\n")

    def zone(self, entry="intel-rapl:0"):
        directory = self.root / "class/powercap" / entry
        directory.mkdir()
        (directory / "name").write_text("package-0\n")
        for name, value in (("max_energy_range_uj", 262_143_328_850), ("energy_uj", 1_000_000)):
            (directory / name).write_text(f"{value:020}\n")
            (directory / name).chmod(0o400)
        return directory / "energy_uj"

    def governor(self, name="powersave"):
        directory = self.root / "cpu/cpufreq/policy0"
        directory.mkdir()
        (directory / "scaling_governor").write_text(name + "\n")
        (directory / "scaling_available_governors").write_text("performance powersave\n")
        return directory / "scaling_governor"

    def tool(self, name, text):
        """A program of the system, in /usr/bin."""
        path = self.root / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def words(self, *arguments):
        """The command line of prengdl in there."""
        quoted = shlex.quote(str(self.root))
        script = (f"mount --bind {quoted}/class /sys/class && mount --bind {quoted}/cpu /sys/devices/system/cpu && "
                  f"mount --bind {quoted}/run /run && ")
        if any((self.root / "bin").iterdir()):
            script += f"mount -t overlay overlay -o lowerdir={quoted}/bin:/usr/bin /usr/bin && "
        script += 'exec "$@"'
        return ["unshare", "--mount", "sh", "-c", script, "sh", PRENGDL, *map(str, anyway(arguments))]

    def run(self, *arguments, env, cwd):
        return subprocess.run(self.words(*arguments), env=env, cwd=cwd, stdin=subprocess.DEVNULL, timeout=PATIENCE,
                              capture_output=True, encoding="utf-8")

    @staticmethod
    def has_overlays():
        return (
            FakeSys.is_possible()
            and subprocess.run(
                [
                    "unshare",
                    "--mount",
                    "mount",
                    "-t",
                    "overlay",
                    "overlay",
                    "-o",
                    "lowerdir=/usr/share:/usr/bin",
                    "/usr/bin",
                ],
                stderr=subprocess.DEVNULL,
                check=False,
            ).returncode
            == 0
        )

    @staticmethod
    def is_possible():
        return os.geteuid() == 0 and subprocess.run(
            ["unshare", "--mount", "mount", "--bind", "/tmp", "/sys/class"],
            stderr=subprocess.DEVNULL, check=False).returncode == 0
