# SPDX-License-Identifier: Apache-2.0
"""What someone plants for a user, or a user for root under sudo: nothing of it runs as root or is written through."""

import os
import unittest

from sudo import SudoCase, anyway

ATTACKER = 1  # some other user


class UnderSudo(SudoCase):
    """The user controls every file that the program reads; root's files must not be within reach."""

    def setUp(self):
        super().setUp()
        self.result = self.scratch / "result"
        self.who = self.scratch / "who"  # every planted program writes down who runs it

    def plant_program(self, path, answer="exit 0"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\nid -u >> {self.who}\n{answer}\n")
        path.chmod(0o755)
        self.give(path.parent, path)

    def assertNeverRoot(self):
        self.assertEqual(set(self.who.read_text().split()), {str(self.user.pw_uid)})

    def test_a_planted_way_back_is_not_executed(self):
        self.result.mkdir()
        mark, secret = self.scratch / "mark", self.secret()
        (self.result / "control.state").write_text(f"run touch {mark}\nwrite x {secret}\n")
        self.give(self.result)
        self.sudo("run", self.study(), "-o", self.result)
        self.assertFalse(mark.exists())
        self.assertUntouched(secret)

    def test_an_environment_of_the_study_is_run_as_the_user(self):
        self.plant_program(self.scratch / "venv/bin/python")
        (self.scratch / "venv/pyvenv.cfg").write_text("home = /usr/bin\n")
        study = self.study("python -c 1", workload='environment = "./venv"')
        self.sudo("run", study, "-o", self.result)
        self.sudo("doctor", study, code=None)
        self.sudo("setup", study, code=None)
        self.assertNeverRoot()

    @unittest.skipUnless(os.path.exists("/usr/bin/python3"), "needs a Python that everybody may run")
    def test_modules_in_the_working_directory_are_run_as_the_user(self):
        (self.scratch / "venv/bin").mkdir(parents=True)
        (self.scratch / "venv/bin/python").symlink_to("/usr/bin/python3")
        # What importlib.metadata needs, which tells the packages of an environment.
        for module in ("csv", "email", "zipfile"):
            (self.scratch / f"{module}.py").write_text(
                f"import os\nwith open({str(self.who)!r}, 'a') as who: who.write(f'{{os.geteuid()}}\\n')\n")
        self.sudo("run", self.study("true", workload='environment = "./venv"'), "-o", self.result, code=None,
                  env={"PYTHONPATH": None})
        self.assertNeverRoot()

    def test_programs_in_the_callers_path_are_run_as_the_user(self):
        for name in ("nvidia-smi", "uv", "python3", "python3.11", "podman", "groupadd", "udevadm"):
            self.plant_program(self.scratch / "bin" / name)
        study = self.study("python3 -c 1")
        self.sudo("run", study, "-o", self.result, env={"PATH": f"{self.scratch}/bin:/usr/bin:/bin"})
        self.assertNeverRoot()

    def test_standard_input_is_opened_as_the_user(self):
        secret = self.secret()
        done = self.sudo("run", self.study("cat", workload=f'stdin = "{secret}"'), "-o", self.result, code=None)
        everything = done.stdout + done.stderr + "".join(self.outputs(self.result))
        self.assertNotIn("the secret of root", everything)
        self.assertUntouched(secret)

    def test_studies_and_data_are_read_as_the_user(self):
        secret = self.secret()
        (self.scratch / "link.toml").symlink_to(secret)
        for words in (("run", "link.toml"), ("plan", "link.toml"), ("doctor", "link.toml"), ("setup", "link.toml"),
                      ("import", "csv", secret, "-o", "x"), ("profile", secret)):
            done = self.sudo(*words, code=None)
            self.assertIn(done.returncode, (1, 2), words)
            self.assertNotIn("the secret", done.stdout + done.stderr)

    def test_no_file_changes_its_owner(self):
        secret = self.secret()
        self.result.mkdir()
        os.link(secret, self.result / "mine")
        (self.result / "link").symlink_to(secret)
        self.give(self.result)
        self.sudo("run", self.study(f"ln -sf {secret} {self.result}/late"), "-o", self.result)
        self.sudo("measure", "-o", self.scratch / "measured", "--", "true")
        self.assertUntouched(secret)

    def test_links_to_files_of_roots_are_not_written_through(self):
        study = self.study(runs=1)
        for name in ("lock", "study.toml", "study.toml.part", "study.db", "study.db-wal", "study.db-shm",
                     "study.db-journal", "live.json", "live.json.part", "logs", "records", "scratch", "profiles",
                     "watchers"):
            with self.subTest(name):
                secret, result = self.secret(), self.scratch / f"result-{name}"
                result.mkdir()
                (result / name).symlink_to(secret)
                self.give(result, result / name)
                self.sudo("run", study, "-o", result, "--profile", code=None)
                self.assertUntouched(secret)

    def test_the_temporary_directory_and_the_output_are_the_users(self):
        secret = self.secret()
        output = self.scratch / "output"
        output.mkdir()
        (output / "run-1.stdout").symlink_to(secret)
        (output / "run-1.stderr").symlink_to(secret)
        self.give(output)
        self.sudo("measure", "--output", output, "--", "echo", "x")
        self.assertUntouched(secret)
        self.assertEqual((output / "run-1.stdout").read_text(), "x\n")
        self.assertNothingIsRoots(output)

    def test_the_record_of_aa_is_the_users(self):
        secret = self.secret()
        self.sudo("doctor", "--aa", "5", "-c", "true", code=None)
        directory = self.scratch / "state/prengdl/aa"
        (record,) = directory.glob("*.json")
        self.assertNothingIsRoots(self.scratch / "state")
        record.unlink()
        for name in (record.name, record.name + ".part"):
            (directory / name).symlink_to(secret)
        self.sudo("doctor", "--aa", "5", "-c", "true", code=None)
        self.assertUntouched(secret)
        self.assertFalse(record.is_symlink())

    def test_the_user_cannot_have_a_file_of_roots_read_as_events(self):
        secret = self.secret()
        done = self.sudo("measure", "--name", "x", "--shell", "-c",
                         f'rm "$PRENGDL_EVENTS" && ln -s {secret} "$PRENGDL_EVENTS"')
        self.assertNotIn("the secret of root", done.stdout + done.stderr)


@unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
class ByAnotherUser(SudoCase):
    """Someone who may write to the directory of a result plants links to files of the user who runs the study."""

    def setUp(self):
        super().setUp()
        self.precious = self.scratch / "precious"
        self.precious.mkdir()
        self.file = self.precious / "file"
        self.file.write_text("precious\n")
        self.give(self.precious, self.file)

    def as_user(self, *arguments, code=None):
        done = self.run_program(*anyway(arguments), cwd=self.scratch, user=self.user.pw_uid, group=self.user.pw_gid,
                                extra_groups=[], env={"XDG_STATE_HOME": self.scratch / "state",
                                                      "HOME": self.scratch})
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        return done

    def open_directory(self, name, owner=None):
        """A directory that everybody may write to."""
        directory = self.scratch / name
        directory.mkdir()
        directory.chmod(0o777)
        os.chown(directory, owner or self.user.pw_uid, -1)
        return directory

    def assertPreciousIsUnchanged(self):
        self.assertEqual(self.file.read_text(), "precious\n")
        self.assertEqual(os.listdir(self.precious), ["file"])

    def test_links_are_not_followed(self):
        study = self.study("python3 -c 1")
        files = ("lock", "study.toml.part", "study.db", "study.db-wal", "study.db-shm", "study.db-journal",
                 "live.json.part")
        for name in (*files, "logs", "records", "scratch", "profiles"):
            with self.subTest(name):
                result = self.open_directory(f"result-{name}")
                (result / name).symlink_to(self.file if name in files else self.precious)
                os.chown(result / name, ATTACKER, -1, follow_symlinks=False)
                done = self.as_user("run", study, "-o", result, "--profile")
                self.assertPreciousIsUnchanged()
                if done.returncode != 0:
                    self.assertIn(name.removesuffix(".part"), done.stderr)

    def test_links_are_not_followed_when_a_study_goes_on(self):
        study = self.study()
        for name in ("lock", "study.db-wal", "study.db-shm", "logs", "records", "scratch"):
            with self.subTest(name):
                result = self.open_directory(f"more-{name}")
                self.as_user("run", study, "-o", result, "--only", "mark=a", code=0)
                if (result / name).is_dir():
                    (result / name).rename(result / "away")
                else:
                    (result / name).unlink(missing_ok=True)
                (result / name).symlink_to(self.file if "." in name or name == "lock" else self.precious)
                self.as_user("run", study, "-o", result)
                self.assertPreciousIsUnchanged()

    def test_a_directory_of_someone_else_is_refused(self):
        result = self.open_directory("result", owner=ATTACKER)
        done = self.as_user("run", self.study(), "-o", result, code=1)
        self.assertError(done, str(result), "belongs to another user", "directory of your own")
        self.assertEqual(os.listdir(result), [])
        done = self.as_user("measure", "-o", result, "--", "true", code=1)
        self.assertIn("belongs to another user", done.stderr)

    def test_a_lock_of_someone_else_is_refused(self):
        result = self.open_directory("result")
        (result / "lock").touch()
        (result / "lock").chmod(0o666)
        os.chown(result / "lock", ATTACKER, -1)
        done = self.as_user("run", self.study(), "-o", result, code=1)
        self.assertIn("lock: it belongs to another user", done.stderr)

    def test_a_result_of_someone_else_can_be_read(self):
        result = self.scratch / "result"
        self.as_user("run", self.study(), "-o", result, code=0)
        for path in (result, *result.rglob("*")):
            os.chown(path, ATTACKER, -1)
        for words in (("status", result), ("export", result), ("audit", result)):
            self.assertIn(self.as_user(*words).returncode, (0, 3), words)
        self.assertIn("belongs to another user",
                      self.as_user("run", self.scratch / "small.toml", "-o", result, code=1).stderr)

    def test_outputs_of_reports_replace_a_link(self):
        result = self.scratch / "result"
        self.as_user("run", self.study(), "-o", result, code=0)
        place = self.open_directory("place")
        for name in ("report.html", "report.html.part"):
            (place / name).symlink_to(self.file)
        self.as_user("report", result, "-o", place / "report.html", code=0)
        self.assertPreciousIsUnchanged()
        self.assertFalse((place / "report.html").is_symlink())

    def test_the_output_of_a_command_replaces_a_link(self):
        place = self.open_directory("place")
        (place / "run-1.stdout").symlink_to(self.file)
        self.as_user("measure", "--output", place, "--", "echo", "x", code=0)
        self.assertPreciousIsUnchanged()

    def test_a_result_behind_a_link_of_ones_own_is_fine(self):
        (self.scratch / "real").mkdir()
        (self.scratch / "link").symlink_to(self.scratch / "real")
        self.give(self.scratch / "real", self.scratch / "link")
        self.as_user("run", self.study(), "-o", self.scratch / "link/result", code=0)
        self.as_user("status", self.scratch / "link/result", code=0)


if __name__ == "__main__":
    unittest.main()
