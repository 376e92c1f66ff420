# SPDX-License-Identifier: Apache-2.0
"""Under sudo the program reads the meters as root and runs the command as the user."""

import os
import pwd
import unittest

from program import Case, Drawing, FakeMachine


@unittest.skipUnless(os.geteuid() == 0, "only root can become another user")
class Sudo(Case):
    def setUp(self):
        super().setUp()
        self.user = pwd.getpwnam("nobody")
        self.env = {"SUDO_UID": self.user.pw_uid, "SUDO_GID": self.user.pw_gid,
                    "SUDO_USER": self.user.pw_name, "SUDO_COMMAND": "prengdl",
                    "TMPDIR": None}  # a place that the user may enter

    def said(self, *arguments, env=None):
        done = self.run_program("measure", *arguments, env=env or self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_the_command_runs_as_the_calling_user(self):
        lines = self.said("--shell", "-c", "id -u; id -g; echo $HOME; echo $USER; echo ${SUDO_UID-none}")
        self.assertEqual(lines[:5], [str(self.user.pw_uid), str(self.user.pw_gid), self.user.pw_dir,
                                     self.user.pw_name, "none"])

    def test_it_has_no_way_back_to_root(self):
        lines = self.said("--", "grep", "-E", "^(Uid|Groups):", "/proc/self/status")
        self.assertEqual(lines[0].split()[1:], [str(self.user.pw_uid)] * 4)
        self.assertNotIn("0", lines[1].split()[1:])

    def test_as_root_keeps_root(self):
        lines = self.said("--as-root", "--shell", "-c", "id -u; echo $SUDO_UID")
        self.assertEqual(lines[:2], ["0", str(self.user.pw_uid)])

    def test_a_study_and_its_result_are_the_calling_users(self):
        os.chmod(self.scratch.parent, 0o755)
        study = self.scratch / "who.toml"
        study.write_text('[study]\nname = "who"\nruns = 1\n[protocol]\nwarmup = 0\nsettle = "off"\n'
                         '[factors]\nmark = ["a"]\n[workload]\n'
                         'command = ["sh", "-c", "id -u; touch {scratch}/{mark}"]\n')
        done = self.run_program("run", study, "-o", self.scratch / "result", env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        (output,) = (self.scratch / "result/logs").glob("*/stdout")
        self.assertEqual(output.read_text(), f"{self.user.pw_uid}\n")
        for path in (self.scratch / "result", self.scratch / "result/study.db", output):
            self.assertEqual(path.stat().st_uid, self.user.pw_uid, path)

    def test_root_itself_stays_root(self):
        self.assertEqual(self.said("--", "id", "-u", env={"SUDO_UID": 0, "SUDO_GID": 0})[0], "0")
        self.assertEqual(self.said("--", "id", "-u", env={"MARK": 1})[0], "0")

    def test_a_user_without_an_entry(self):
        lines = self.said("--shell", "-c", "id -u; echo $HOME",
                          env={"SUDO_UID": 54321, "SUDO_GID": 54321, "TMPDIR": None})
        self.assertEqual(lines[:2], ["54321", "/"])

    def test_events_can_be_told(self):
        # That the line is broken shows that it arrived.
        run = self.one_run("--shell", "-c", 'echo arrived >> "$PRENGDL_EVENTS"', env=self.env)
        self.assertEqual(run["exit_code"], 0)
        self.assertIn("arrived", "".join(run["warnings"]))

    def test_the_meters_are_still_read_as_root(self):
        machine = FakeMachine(self.scratch)
        counter = machine.zone()
        counter.chmod(0o400)
        with Drawing(counter, 80):
            run = self.one_run("--root", machine.root, "--", "sleep", "0.3", env=self.env)
        self.assertGreater(run["joules"]["package"]["value"], 0)

    def test_the_user_cannot_have_a_file_of_roots_read_as_events(self):
        secret = self.scratch / "secret"
        secret.write_text("the secret of root\n")
        secret.chmod(0o600)
        done = self.run_program("measure", "--name", "x", "--shell", "-c",
                                f'rm "$PRENGDL_EVENTS" && ln -s {secret} "$PRENGDL_EVENTS"',
                                env=self.env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("the secret of root", done.stdout + done.stderr)
