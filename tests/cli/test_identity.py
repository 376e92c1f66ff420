# SPDX-License-Identifier: Apache-2.0
"""Under sudo the program drops to the calling user at once; a helper does the few things that need root."""

import json
import os
import pathlib
import resource
import signal
import unittest
from unittest import mock

import program
from program import Drawing, FakeMachine, copy_program
from sudo import FakeSys, SudoCase

SHOW_PARENT = "grep -E '^(Uid|Gid|Groups|CapPrm):' /proc/$PPID/status"


class Sudo(SudoCase):
    def said(self, *arguments, env=None):
        return self.sudo("measure", *arguments, env=env).stdout.splitlines()

    def test_the_command_runs_as_the_calling_user(self):
        lines = self.said("--shell", "-c", "id -u; id -g; echo $HOME; echo $USER; echo ${SUDO_UID-none}")
        self.assertEqual(lines[:5], [str(self.user.pw_uid), str(self.user.pw_gid), self.user.pw_dir,
                                     self.user.pw_name, "none"])

    def test_it_has_no_way_back_to_root(self):
        lines = self.said("--", "grep", "-E", "^(Uid|Groups):", "/proc/self/status")
        self.assertEqual(lines[0].split()[1:], [str(self.user.pw_uid)] * 4)
        self.assertNotIn("0", lines[1].split()[1:])

    def test_the_program_itself_is_the_calling_user_for_good(self):
        lines = self.said("--shell", "-c", SHOW_PARENT)
        self.assertEqual(lines[0].split()[1:], [str(self.user.pw_uid)] * 4)
        self.assertEqual(lines[1].split()[1:], [str(self.user.pw_gid)] * 4)
        self.assertNotIn("0", lines[2].split()[1:])
        self.assertEqual(int(lines[3].split()[1], 16), 0)

    def test_the_workload_cannot_look_into_the_program(self):
        lines = self.said("--shell", "-c", "cat /proc/$PPID/environ 2>&1; ls /proc/$PPID/fd 2>&1; true")
        self.assertIn("Permission denied", lines[0])
        self.assertIn("Permission denied", lines[1])

    def test_the_helper_holds_nothing_of_the_users(self):
        process = self.start_program("measure", "--", "sleep", "60", env=self.env, cwd=self.scratch)

        def helper():
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            names = {pathlib.Path(f"/proc/{pid}/comm").read_text().strip(): pid for pid in children}
            return "sleep" in names and names.get("prengdl-helper")
        proc = pathlib.Path("/proc") / self.wait_for(helper, "the helper")
        self.assertIn("\nUid:\t0\t0\t0\t0\n", (proc / "status").read_text())
        self.assertEqual(os.readlink(proc / "cwd"), "/")
        self.assertEqual(sorted(os.listdir(proc / "fd")), ["0", "1", "2", "3"])
        self.assertEqual([os.readlink(proc / "fd" / stream) for stream in "012"], ["/dev/null"] * 3)
        process.send_signal(signal.SIGTERM)
        process.communicate()
        self.assertGone(int(proc.name))

    def test_a_study_and_its_result_are_the_calling_users(self):
        result = self.scratch / "result"
        self.sudo("run", self.study("id -u; touch {scratch}/x"), "-o", result)
        self.assertEqual(self.outputs(result), [f"{self.user.pw_uid}\n"] * 2)
        self.assertNothingIsRoots(result)

    def test_root_itself_stays_root(self):
        for env in ({"SUDO_UID": 0, "SUDO_GID": 0}, {"SUDO_UID": None, "SUDO_GID": None}):
            self.assertEqual(self.said("--", "id", "-u", env=env)[0], "0")

    def test_a_user_without_an_entry(self):
        lines = self.said("--shell", "-c", "id -u; echo $HOME",
                          env={"SUDO_UID": 54321, "SUDO_GID": 54321, "TMPDIR": None})
        self.assertEqual(lines[:2], ["54321", "/"])

    def test_variables_that_name_no_user_are_an_error(self):
        mark = self.scratch / "mark"
        # The largest id means "leave it as it is" to the kernel; the one after it would be cut down to root's.
        for user in ("4294967295", "4294967296", "-1", "nobody", ""):
            with self.subTest(user):
                done = self.sudo("measure", "--", "touch", mark, env={"SUDO_UID": user}, code=1)
                self.assertError(done, "SUDO_UID")
                self.assertFalse(mark.exists())
        self.sudo("measure", "--", "touch", mark, env={"SUDO_GID": None}, code=1)
        self.assertFalse(mark.exists())

    def test_events_can_be_told(self):
        # That the line is broken shows that it arrived.
        run = self.one_run("--shell", "-c", 'echo arrived >> "$PRENGDL_EVENTS"', env=self.env)
        self.assertEqual(run["exit_code"], 0)
        self.assertIn("arrived", "".join(run["warnings"]))

    def test_the_priority_of_the_sampler_is_not_the_workloads(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NICE)
        lines = self.said("--", "grep", "nice priority", "/proc/self/limits")
        self.assertEqual(lines[0].split()[3:5], [str(soft), str(hard)])

    def test_below_another_root_nothing_is_read_as_root(self):
        machine = FakeMachine(self.scratch / "machine")
        machine.zone().chmod(0o400)
        done = json.loads(self.sudo("meters", "--root", machine.root, "--json", code=None).stdout)
        self.assertIn("powercap/intel-rapl:0", [one["source"] for one in done["left_out"]])

    def test_root_does_not_search_the_callers_path(self):
        planted = self.scratch / "bin"
        planted.mkdir()
        mark = self.scratch / "ran"
        (planted / "prengdl-serve").write_text(f"#!/bin/sh\nid -u > {mark}\n")
        (planted / "prengdl-serve").chmod(0o755)
        alone = self.scratch / "alone"
        alone.mkdir()
        copy_program(alone)
        with mock.patch.object(program, "PRENGDL", str(alone / "prengdl")):
            self.run_program("serve", "any.result", env={"PATH": f"{planted}:/usr/bin:/bin"})
        self.assertFalse(mark.exists())


class AsRoot(SudoCase):
    def test_changes_the_workload_only_and_warns(self):
        # For the moment in which it asks the kernel to note the workload's exit, the program acts as root.
        user = self.user.pw_uid
        wait = f"until ids=$(grep ^Uid: /proc/$PPID/status | grep -P '^Uid:\\t{user}\\t{user}\\t'); do sleep 0.01; done"
        done = self.sudo("measure", "--as-root", "--shell", "-c", f'id -u; echo $SUDO_UID $HOME; {wait}; echo "$ids"',
                         env={"HOME": "/root"})
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:2], ["0", f"{user} /root"])
        self.assertEqual(lines[2].split()[1:3], [str(user)] * 2, "real and effective user")
        self.assertIn("warning: --as-root", done.stderr)

    def test_the_result_is_still_the_users(self):
        result = self.scratch / "result"
        secret = self.secret()
        self.sudo("run", "--as-root", self.study(), "-o", result)
        self.assertEqual(self.outputs(result), ["0\n"] * 2)
        self.assertNothingIsRoots(result)
        done = self.sudo("run", "--as-root", secret, "-o", self.scratch / "other", code=2)
        self.assertIn("Permission denied", done.stderr)

    def test_a_program_that_only_root_may_see_is_found(self):
        program = self.scratch.parent / "private/program"
        program.parent.mkdir(mode=0o700)
        program.write_text("#!/bin/sh\nid -u\n")
        program.chmod(0o700)
        self.assertEqual(self.sudo("measure", "--as-root", "--", program).stdout.splitlines()[0], "0")
        self.sudo("measure", "--", program, code=1)
        study = self.study()
        study.write_text(study.read_text().replace('"sh", "-c", \'\'\'id -u\'\'\'', f'"{program}"'))
        self.sudo("run", "--as-root", study, "-o", self.scratch / "result")
        self.assertEqual(self.outputs(self.scratch / "result"), ["0\n"] * 2)

    def test_without_it_nobody_can_become_root_again(self):
        # The word stands where it is no option of ours.
        lines = self.sudo("measure", "--name=--as-root", "-n", "1", "--shell", "-c", SHOW_PARENT).stdout.splitlines()
        self.assertEqual(lines[0].split()[1:], [str(self.user.pw_uid)] * 4)
        lines = self.sudo("measure", "--", "sh", "-c", SHOW_PARENT, "--as-root").stdout.splitlines()
        self.assertEqual(lines[0].split()[1:], [str(self.user.pw_uid)] * 4)

    def test_a_workload_of_roots_is_ended_all_the_same(self):
        note = self.scratch / "pid"
        self.sudo("measure", "--as-root", "--timeout", "200ms", "--shell", "-c",
                  f"echo $$ > {note}; exec sleep 600", code=1)
        self.assertGone(self.pid_in(note))
        note.unlink()
        # What it left behind, too.
        self.sudo("measure", "--as-root", "--shell", "-c", f"setsid sleep 600 & echo $! > {note}")
        self.assertGone(self.pid_in(note))

    def test_it_does_not_outlive_a_program_that_was_killed(self):
        note = self.scratch / "pid"
        study = self.study(f"setsid sleep 600 & echo $! > {note}; sleep 600")
        process = self.start_program("run", "--as-root", study, "--anyway", "-o", self.scratch / "result", env=self.env)
        left = self.pid_in(note)
        process.kill()
        process.communicate()
        self.assertGone(left)


@unittest.skipUnless(FakeSys.is_possible(), "needs root and a mount namespace of its own")
class Meters(SudoCase):
    def setUp(self):
        super().setUp()
        self.sys = FakeSys(self.scratch.parent / "sys")

    def on_machine(self, *arguments, code=0):
        done = self.sys.run(*arguments, env=self.environment(self.env), cwd=self.scratch)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_that_only_root_may_read_are_opened_by_the_helper(self):
        counter = self.sys.zone()
        with Drawing(counter, 80):
            done = self.on_machine(
                "measure",
                "--json",
                "--shell",
                "-c",
                f"sleep 0.3; cat /sys/class/powercap/*/energy_uj; {SHOW_PARENT} >&2",
            )
        self.assertIn(f"Uid:\t{self.user.pw_uid}\t{self.user.pw_uid}", done.stderr)
        self.assertIn("Permission denied", done.stderr)  # the workload's own try
        run = json.loads(done.stdout)["commands"][0]["runs"][0]
        self.assertGreater(run["joules"]["package"]["value"], 0)

    def test_a_workload_does_not_inherit_them(self):
        self.sys.zone()
        done = self.on_machine("measure", "--", "ls", "-l", "/proc/self/fd")
        self.assertNotIn("energy_uj", done.stdout)

    def test_doctor_fixes_the_governor_by_the_helper(self):
        governor = self.sys.governor()
        self.sys.zone()
        done = self.sys.run("doctor", "--fix", "--yes", env=self.environment(self.env), cwd=self.scratch)
        self.assertIn("done: governor-performance", done.stderr)
        self.assertEqual(governor.read_text().strip(), "performance")
        governor.write_text("powersave\n")
        done = self.sys.run("doctor", "--fix", "--yes", cwd=self.scratch,
                            env=self.environment({**self.env, "SUDO_UID": 0, "SUDO_GID": 0}))
        self.assertIn("done: governor-performance", done.stderr)


if __name__ == "__main__":
    unittest.main()
