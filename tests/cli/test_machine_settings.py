# SPDX-License-Identifier: Apache-2.0
"""Settings of the machine that a study changes are restored, whoever is killed meanwhile."""

import json
import os
import pathlib
import signal
import subprocess
import unittest

from program import PRENGDL, Case, FakeMachine
from sudo import STUDY, FakeSys, SudoCase


def helper_of(pid):
    """The helper process of a prengdl, or nothing."""
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for child in children:
            if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "prengdl-helper":
                return int(child)
    except OSError:
        pass
    return None


class Governor(Case):
    """A fake machine below --root: its settings are changed with the rights of whoever runs the study."""

    def setUp(self):
        super().setUp()
        self.machine = FakeMachine(self.scratch / "machine")
        self.machine.governor("powersave", policies=1)
        self.governor = self.machine.root / "sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
        self.record = self.machine.root / "run/prengdl/settings"
        self.result = self.scratch / "result"
        self.go = self.scratch / "go"

    def study(self, command, runs=2):
        path = self.scratch / "small.toml"
        path.write_text(STUDY.format(command=command, protocol='governor = "performance"', workload="", runs=runs))
        return path

    def now(self):
        return self.governor.read_text().strip()

    def run_study(self, study, *more, root=None, **how):
        return self.run_program("run", study, "-o", self.result, "--root", root or self.machine.root, "--anyway",
                                *more, **how)

    def outputs(self):
        return [path.read_text().strip() for path in sorted((self.result / "logs").glob("*/stdout"))]

    def events(self):
        done = self.run_program("status", self.result, "--json")
        return [event["kind"] for event in json.loads(done.stdout)["events"]]

    def start_and_wait(self, study):
        """A run whose first workload has begun."""
        process = self.start_program("run", study, "-o", self.result, "--root", self.machine.root, "--anyway")
        self.wait_for(lambda: any(self.outputs()), "the first run")
        return process

    def test_is_set_for_the_study_and_restored(self):
        done = self.run_study(self.study(f"cat {self.governor}; ls -l {self.record} >&2"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.outputs(), ["performance"] * 4)
        self.assertEqual(self.now(), "powersave")
        self.assertFalse(self.record.exists())
        self.assertEqual(self.record.parent.stat().st_mode & 0o777, 0o700)
        self.assertEqual(list(self.result.glob("control*")), [], "nothing of it is in the result")

    def test_is_restored_below_a_relative_root(self):
        done = self.run_study(self.study(f"cat {self.governor}"), root="machine", cwd=self.scratch)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.outputs(), ["performance"] * 4)
        self.assertEqual(self.now(), "powersave")

    def test_is_restored_when_the_program_is_killed(self):
        process = self.start_and_wait(self.study(f"cat {self.governor}; sleep 600"))
        self.assertEqual(self.now(), "performance")
        process.kill()
        process.communicate()
        self.wait_for(lambda: self.now() == "powersave" and not self.record.exists(), "the governor before")

    def test_is_set_again_when_everything_was_killed(self):
        study = self.study(f"cat {self.governor}; [ -e {self.go} ] || sleep 600")
        process = self.start_and_wait(study)
        helper = helper_of(process.pid)
        self.assertIsNotNone(helper)
        os.kill(helper, signal.SIGKILL)
        process.kill()
        process.communicate()
        self.assertEqual(self.now(), "performance", "nobody was left to restore it")
        self.assertTrue(self.record.exists())
        self.go.touch()
        done = self.run_study(study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(set(self.outputs()), {"performance"}, "the runs after the kill, too")
        self.assertEqual(len(self.outputs()), 5)  # one of them was lost
        self.assertEqual(self.now(), "powersave")
        self.assertFalse(self.record.exists())
        self.assertIn("restored", self.events())

    def test_what_cannot_be_restored_is_reported_and_tried_again(self):
        # The last run takes the file away.
        study = self.study(f"[ $PRENGDL_BLOCK = 0 ] || rm -f {self.governor}")
        done = self.run_study(study)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("could not be restored", done.stderr)
        self.assertIn(str(self.governor), done.stderr)
        self.assertIn("not-restored", self.events())
        self.assertTrue(self.record.exists())

        done = self.run_study(study)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertError(done, str(self.governor), "by hand")
        self.assertTrue(self.record.exists())

        self.machine.governor("performance", policies=1)
        done = self.run_study(study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.now(), "powersave")
        self.assertFalse(self.record.exists())

    def test_a_helper_that_was_killed_is_reported(self):
        study = self.study(f"cat {self.governor}; while [ ! -e {self.go} ]; do sleep 0.01; done")
        process = self.start_and_wait(study)
        helper = helper_of(process.pid)
        os.kill(helper, signal.SIGKILL)
        self.go.touch()
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("helper process was killed", said)
        self.assertIn("not-restored", self.events())
        done = self.run_study(study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.now(), "powersave")

    def test_two_studies_at_a_time_do_not_undo_each_other(self):
        process = self.start_and_wait(self.study(f"cat {self.governor}; sleep 600"))
        other = self.scratch / "other.toml"
        other.write_text(STUDY.format(command="true", protocol='governor = "performance"', workload="", runs=1))
        done = self.run_program("run", other, "-o", self.scratch / "other", "--root", self.machine.root,
                                "--anyway")
        self.assertEqual(done.returncode, 1)
        self.assertIn("another run of prengdl", done.stderr)
        self.assertEqual(self.now(), "performance")
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.assertEqual(self.now(), "powersave")

    def test_a_governor_that_is_not_offered_is_refused(self):
        study = self.study("true")
        study.write_text(study.read_text().replace("performance", "../../victim"))
        done = self.run_study(study)
        self.assertIn(done.returncode, (1, 2))
        self.assertEqual(self.now(), "powersave")


@unittest.skipUnless(FakeSys.is_possible(), "needs root and a mount namespace of its own")
class UnderSudo(SudoCase):
    def setUp(self):
        super().setUp()
        self.sys = FakeSys(self.scratch.parent / "sys")
        self.governor = self.sys.governor()
        self.governor.chmod(0o644)
        self.result = self.scratch / "result"

    def test_the_helper_sets_and_restores_for_the_user(self):
        study = self.study("id -u; cat /sys/devices/system/cpu/cpufreq/policy0/scaling_governor; "
                           "ls /run/prengdl || echo closed",
                           protocol='governor = "performance"')
        done = self.sys.run("run", study, "-o", self.result, env=self.environment(self.env), cwd=self.scratch)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.outputs(self.result), [f"{self.user.pw_uid}\nperformanceclosed\n"] * 2)
        self.assertEqual(self.governor.read_text().strip(), "powersave")
        self.assertNothingIsRoots(self.result)
        state = self.sys.root / "run/prengdl"
        self.assertEqual((state.stat().st_uid, state.stat().st_mode & 0o777), (0, 0o700))
        self.assertFalse((state / "settings").exists())

    def test_it_restores_when_the_user_kills_the_program(self):
        study = self.study("sleep 600", protocol='governor = "performance"')
        process = subprocess.Popen(self.sys.words("run", study, "-o", self.result), cwd=self.scratch,
                                   env=self.environment(self.env), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        self.wait_for(lambda: list((self.result / "logs").glob("*/stdout")), "the first run")
        self.assertEqual(self.governor.read_text().strip(), "performance")
        killed = subprocess.run(["kill", "-9", str(process.pid)], user=self.user.pw_uid, check=False)
        self.assertEqual(killed.returncode, 0, "the program is the user's to kill")
        process.wait()
        self.wait_for(lambda: self.governor.read_text().strip() == "powersave", "the governor before")

    def test_without_root_the_settings_are_refused(self):
        study = self.study("true", protocol='governor = "performance"')
        words = self.sys.words("run", study, "-o", self.result)
        at = words.index(PRENGDL)
        words[at:at] = ["setpriv", "--reuid", str(self.user.pw_uid), "--clear-groups"]
        done = subprocess.run(words, env=self.environment(), cwd=self.scratch, stdin=subprocess.DEVNULL,
                              capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("need root: sudo prengdl run", done.stderr)
        self.assertEqual(self.governor.read_text().strip(), "powersave")


@unittest.skipUnless(FakeSys.has_overlays(), "needs root and an overlay in a mount namespace of its own")
class GpuClock(SudoCase):
    """By /usr/bin/nvidia-smi and no other: an overlay puts one there that notes who calls it, and how."""

    def setUp(self):
        super().setUp()
        self.sys = FakeSys(self.scratch.parent / "sys")
        self.log = self.scratch / "gpu.log"
        self.log.touch()
        self.log.chmod(0o666)
        self.result = self.scratch / "result"
        (self.scratch / "bin").mkdir()
        planted = self.scratch / "bin/nvidia-smi"
        planted.write_text(f'#!/bin/sh\necho planted >> {self.log}\n')
        planted.chmod(0o755)
        self.env["PATH"] = f"{self.scratch}/bin:{os.environ['PATH']}"

    def tool(self, ends_with=0):
        self.sys.tool("nvidia-smi", f'#!/bin/sh\necho "$(id -u) $@" >> {self.log}\nexit {ends_with}\n')

    def lines(self):
        return self.log.read_text().splitlines()

    def start(self, *words):
        return self.sys.run(*words, env=self.environment(self.env), cwd=self.scratch)

    def test_is_locked_and_given_back(self):
        self.tool()
        study = self.study(f"echo workload >> {self.log}", protocol='gpu_clock = "1200MHz"')
        done = self.start("run", study, "-o", self.result)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.lines(), ["0 -lgc 1200,1200", "workload", "workload", "0 -rgc"])

    def test_a_tool_that_fails_is_reported(self):
        self.tool(ends_with=4)
        done = self.start("run", self.study("true", protocol='gpu_clock = "1200MHz"'), "-o", self.result)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nvidia-smi -lgc 1200,1200 ended with 4", done.stderr)

    def test_is_given_back_after_a_kill(self):
        self.tool()
        study = self.study("sleep 600", protocol='gpu_clock = "1200MHz"')
        process = subprocess.Popen(self.sys.words("run", study, "-o", self.result), cwd=self.scratch,
                                   env=self.environment(self.env), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        self.wait_for(lambda: list((self.result / "logs").glob("*/stdout")), "the first run")
        self.assertEqual(self.lines(), ["0 -lgc 1200,1200"])
        process.kill()
        process.wait()
        self.wait_for(lambda: self.lines() == ["0 -lgc 1200,1200", "0 -rgc"], "its release")


if __name__ == "__main__":
    unittest.main()
