# SPDX-License-Identifier: Apache-2.0
"""prengdl setup: environments are made once, whole, and found by studies."""

import json
import os
import pwd
import signal
import subprocess
import unittest

from program import PRENGDL, SOURCE, copy_program

from environments import EnvironmentCase, real_uv, wheel


class Making(EnvironmentCase):
    def setUp(self):
        super().setUp()
        self.fake_uv()

    def test_is_done_once(self):
        (made,) = self.setup_json("tiny")["environments"]
        self.assertEqual((made["name"], made["version"], made["variant"]), ("tiny", "1.0", "cpu"))
        self.assertEqual((made["ready"], made["was_there"], made["tool"]), (True, False, "uv 9.9.9"))
        self.assertEqual(made["check"], {"version": "1.0", "device": "cpu"})
        self.assertEqual(made["directory"], str(self.directory()))
        mark = json.loads((self.directory() / ".prengdl-environment").read_text())
        self.assertEqual(mark["lock_sha256"], made["lock_sha256"])
        calls = self.calls_of_uv()
        self.assertIn("--require-hashes", calls[-1])
        again = self.setup_json("tiny")["environments"][0]
        self.assertTrue(again["was_there"])
        self.assertEqual(self.calls_of_uv(), calls, "what is complete is not touched")

    def test_only_wheels_are_installed(self):
        self.setup_program("tiny")
        self.assertIn("--only-binary :all:", self.calls_of_uv()[-1])

    def test_only_what_the_lock_names_is_built_from_source(self):
        self.lock(
            "1.0", "first==1 --hash=sha256:00\nsecond==2 \\\n    --hash=sha256:00\nthird[more]==3 --hash=sha256:00\n"
        )
        self.write("share/environments/tiny/1.0/cpu.source", "# has no wheel\nsecond\n")
        self.setup_program("tiny")
        call = self.calls_of_uv()[-1]
        self.assertIn("--only-binary first --only-binary third", call)
        self.assertNotIn(":all:", call)
        self.assertNotIn("--only-binary second", call)

    def test_packages_are_compiled_for_all_runs_alike(self):
        self.variables["PYTHONDONTWRITEBYTECODE"] = "1"
        self.setup_program("tiny")
        self.assertTrue(list(self.directory().glob("lib/python3*/site-packages/__pycache__/one_module.*.pyc")))
        # One that was made without is completed.
        file = self.directory() / ".prengdl-environment"
        mark = json.loads(file.read_text())
        self.assertTrue(mark.pop("compiled"))
        file.write_text(json.dumps(mark))
        self.assertFalse(self.setup_json("tiny")["environments"][0]["was_there"])
        self.assertTrue(self.setup_json("tiny")["environments"][0]["was_there"])

    def test_another_lock_is_another_environment(self):
        self.setup_program("tiny")
        first = self.directory()
        self.lock("1.0", "# nothing any more\n")
        self.setup_program("tiny")
        self.assertNotEqual(self.directory(), first)
        rows = json.loads(self.setup_program("--list", "--json").stdout)["environments"]
        self.assertEqual(sorted("lock" in row for row in rows), [False, True])

    def test_what_was_not_finished_is_gone_on_with(self):
        self.wait.touch()
        first = self.start_program("setup", "tiny")
        self.wait_for(lambda: (self.scratch / "wait.begun").exists(), "the installation")
        first.send_signal(signal.SIGKILL)
        first.wait()
        self.assertFalse((self.directory() / ".prengdl-environment").exists())
        self.wait.unlink()
        self.setup_program("tiny")
        self.assertTrue((self.directory() / ".prengdl-environment").exists())
        self.assertEqual(sum(call.startswith("venv") for call in self.calls_of_uv()), 1, "it was not begun anew")

    def test_packages_that_were_installed_in_part_are_known(self):
        self.setup_program("tiny")
        (self.directory() / ".prengdl-environment").unlink()
        packages = next(self.directory().glob("lib/python3*/site-packages"))
        for name, record in (("whole", "whole.py,,\nwhole-1.dist-info/RECORD,,\n"), ("half", "half.py,,\n"),
                             ("bare", None)):
            (packages / f"{name}-1.dist-info").mkdir()
            if record:
                (packages / f"{name}-1.dist-info/RECORD").write_text(record)
        (packages / "whole.py").touch()
        self.setup_program("tiny")
        self.assertEqual([path.name for path in packages.glob("*.dist-info")], ["whole-1.dist-info"])

    def test_two_at_once_make_it_once(self):
        self.wait.touch()
        first = self.start_program("setup", "tiny")
        self.wait_for(lambda: (self.scratch / "wait.begun").exists(), "the installation")
        second = self.start_program("setup", "tiny")
        self.wait_for(lambda: "waiting" in second.stderr.readline(), "the second to wait")
        self.wait.unlink()
        for process in (first, second):
            process.communicate()
            self.assertEqual(process.returncode, 0)
        self.assertEqual(sum(call.startswith("pip") for call in self.calls_of_uv()), 1)

    def test_what_does_not_work_is_not_complete(self):
        self.write("share/environments/tiny/check.py", 'raise SystemExit("no such device")\n')
        done = self.setup_program("tiny", code=1)
        self.assertIn("is installed but does not work: no such device", done.stderr)
        self.assertFalse((self.directory() / ".prengdl-environment").exists())
        self.write("share/environments/tiny/check.py", 'print(\'{"version": "3.0"}\')\n')
        self.assertIn("has version 3.0", self.setup_program("tiny", code=1).stderr)

    def test_failures_name_the_thing_and_the_next_step(self):
        for words, what, step in (
                ("error: x\n  cause: No space left on device (os error 28)", "is full", "--cache DIR"),
                ("error: Hash mismatch for `numpy==1.0`", "the file of numpy==1.0", "do not use it"),
                ("error: error sending request: dns error", "no way to the index", "UV_DEFAULT_INDEX")):
            with self.subTest(words):
                done = self.setup_program("tiny", code=1, env={"FAKE_UV_SAYS": words})
                self.assertIn("cannot make the environment tiny 1.0 cpu: ", done.stderr)
                self.assertIn(what, done.stderr)
                self.assertIn(step, done.stderr)
                self.assertIn(words, (self.directory() / "setup.log").read_text())

    def test_one_failure_does_not_keep_the_others_away(self):
        self.write("share/environments/bad/default", "1\n")
        self.write("share/environments/bad/1/cpu.lock", "x==1\n")
        self.write("share/environments/bad/check.py", "raise SystemExit(1)\n")
        rows = self.setup_json("bad", "tiny", code=1)["environments"]
        self.assertEqual([row["ready"] for row in rows], [False, True])
        self.assertIn("does not work", rows[0]["error"])

    def test_there_must_be_a_python_311(self):
        (self.scratch / "programs/python3.11").write_text("#!/bin/sh\necho 3.9.1; echo /x/python\n")
        done = self.run_program("setup", "tiny", env={"PATH": f"{self.programs}:/usr/bin:/bin"})
        if done.returncode == 0:
            self.skipTest("/usr/bin/python3 is one")
        self.assertIn("there is no Python 3.11", done.stderr)

    def test_wrong_calls(self):
        for words, what, hint in (
                ((), "needs a STUDY or names", "tiny@2.0"),
                (("tinny",), "there is no environment 'tinny'", "did you mean 'tiny'?"),
                (("tiny@3.0",), "has no version '3.0'", "did you mean"),
                (("tiny", "--list"), "cannot be combined", "once for each"),
                (("tiny", "--variant", "gpu"), "neither cpu nor cuda", ""),
                (("tiny", "--preset", "p"), "--preset needs a study", ""),
                (("--remove", "none"), "there is no environment none", "--list"),
                (("tiny", "--data", "x"), "nothing that was named uses {data}", "")):
            with self.subTest(words):
                self.assertUsage(self.run_program("setup", *words, env={"FAKE_UV_SAYS": ""}), what, hint)

    def test_listed_and_removed(self):
        self.assertEqual(self.setup_program("--list").stdout, "there are no environments\n")
        self.setup_program("tiny", "tiny@2.0", code=1)  # its check says that 2.0 is 1.0
        rows = json.loads(self.setup_program("--list", "--json").stdout)["environments"]
        self.assertEqual([(row["version"], row["complete"]) for row in rows], [("1.0", True), ("2.0", False)])
        self.assertIn("cpu.lock", self.setup_program("--list").stdout)
        self.setup_program("--remove", "tiny@2.0")
        self.assertTrue(self.directory().exists())
        self.assertIn("removed", self.setup_program("--remove", "tiny").stderr)
        self.assertFalse(self.directory().exists())
        (self.cache / "uv").mkdir()
        self.setup_program("--remove", "downloads")
        self.assertFalse((self.cache / "uv").exists())

    def test_nothing_is_removed_while_it_is_made(self):
        self.wait.touch()
        first = self.start_program("setup", "tiny")
        self.wait_for(lambda: (self.scratch / "wait.begun").exists(), "the installation")
        done = self.setup_program("--remove", "tiny", code=1)
        self.assertIn(f"is being made by process {first.pid}", done.stderr)
        self.wait.unlink()
        first.communicate()
        self.assertEqual(first.returncode, 0)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_a_cache_that_cannot_be_written_serves_what_is_there(self):
        self.setup_program("tiny")
        os.chmod(self.scratch.parent, 0o755)
        nobody = pwd.getpwnam("nobody")
        # The checkout may be in a home that nobody else may enter.
        program = copy_program(self.scratch)
        as_other = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": [], "executable": program,
                    "cwd": self.scratch}
        self.assertTrue(self.setup_json("tiny", **as_other)["environments"][0]["was_there"])
        self.lock("1.0", "# another\n")
        done = self.setup_program("tiny", code=1, **as_other)
        self.assertIn("Permission denied", done.stderr)
        self.assertIn("--cache DIR", done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
    def test_under_sudo_it_is_the_users(self):
        os.chmod(self.scratch.parent, 0o755)
        os.chmod(self.scratch, 0o777)
        nobody = pwd.getpwnam("nobody")
        self.setup_program("tiny", env={"SUDO_UID": nobody.pw_uid, "SUDO_GID": nobody.pw_gid, "TMPDIR": None})
        self.assertEqual((self.directory() / ".prengdl-environment").stat().st_uid, nobody.pw_uid)


class WithRealTools(EnvironmentCase):
    """Without network: the only package is a wheel that lies beside."""

    def setUp(self):
        super().setUp()
        self.wheels = self.scratch / "wheels"
        self.wheels.mkdir()
        digest = wheel(self.wheels)
        self.lock("1.0", f"tiny==1.0 \\\n    --hash=sha256:{digest}\n")
        self.write("share/environments/tiny/check.py",
                   'import json, tiny\nprint(json.dumps({"version": tiny.__version__, "device": "cpu"}))\n')
        self.offline = {"UV_FIND_LINKS": self.wheels, "UV_NO_INDEX": 1, "PIP_FIND_LINKS": self.wheels,
                        "PIP_NO_INDEX": 1}

    def make(self, code=0):
        # Longer than other calls may take: pip is installed on the way.
        done = subprocess.run([PRENGDL, "setup", "--json", "tiny"], env=self.environment(self.offline), text=True,
                              capture_output=True, timeout=300)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)["environments"][0], done.stderr

    def check(self, tool):
        made, _ = self.make()
        self.assertTrue(made["tool"].startswith(tool), made["tool"])
        # Made by hand, or by a setup that was killed at the very end: it is looked at and completed.
        (self.directory() / ".prengdl-environment").unlink()
        made, _ = self.make()
        self.assertEqual(made["check"]["version"], "1.0")
        # Installed in part: the package is repaired.
        (self.directory() / ".prengdl-environment").unlink()
        (module,) = self.directory().glob("lib/python3*/site-packages/tiny/__init__.py")
        module.unlink()
        self.assertEqual(self.make()[0]["check"]["version"], "1.0")
        # Another file than the lock's.
        self.lock("1.0", f"tiny==1.0 \\\n    --hash=sha256:{'0' * 64}\n")
        _, words = self.make(code=1)
        self.assertIn("the file of tiny==1.0 that came is not the one that the lock names", words)
        self.assertFalse((self.directory() / ".prengdl-environment").exists())

    def test_pip(self):
        if os.path.exists("/usr/bin/uv") or os.path.exists("/bin/uv"):
            self.skipTest("uv cannot be hidden")
        # Whoever began it left a Python without pip: uv, or a venv that was killed.
        subprocess.run([self.python, "-m", "venv", "--without-pip", self.directory()], check=True)
        self.check("pip")

    def test_uv(self):
        uv = real_uv()
        if not uv:
            self.skipTest("there is no uv")
        (self.cache / "tools/bin").mkdir(parents=True)
        (self.cache / "tools/bin/uv").symlink_to(uv)
        self.check("uv")


class Sources(unittest.TestCase):
    def test_what_is_built_from_source_is_in_the_lock(self):
        lists = list((SOURCE / "environments").glob("*/*/*.source"))
        self.assertTrue(lists)
        for file in lists:
            lock = file.with_suffix(".lock").read_text()
            names = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
            self.assertTrue(names, file)
            for name in names:
                self.assertIn(f"\n{name}==", "\n" + lock, file)


if __name__ == "__main__":
    unittest.main()
