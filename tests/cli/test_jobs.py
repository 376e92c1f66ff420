# SPDX-License-Identifier: Apache-2.0
"""Jobs and nodes of a result: what status and serve show of them."""

import itertools
import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest

from program import PATIENCE
from test_serve import Serving
from test_terminal import OnTerminal, shown_lines

STUDY = """
[study]
name = "small"
runs = 2
seed = 5
[protocol]
warmup = 0
settle = "off"
[factors]
side = ["left", "right"]
[workload]
command = ["sh", "-c", "sleep {seconds} # {{side}}"]
[analysis]
compare = "side"
primary = "seconds"
"""


def gone():
    """The number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def state(jobs, host=None, pid=None):
    """What a controller records: two jobs run for each that waits."""
    rows = []
    for i in range(jobs):
        one = {"job": str(4711 + i), "state": "waiting", "runs": 0, "planned": 4, "blocks": [2 * i + 1, 2 * i + 2],
               "reason": "Resources"}
        if i % 3 != 0:
            one |= {"state": "running", "runs": 1, "node": f"n{i}"}
            del one["reason"]
        rows.append(one)
    waiting = sum(one["state"] == "waiting" for one in rows)
    return {"schema": "prengdl.cluster/1", "at": "2026-03-01T10:00:00Z", "host": host or socket.gethostname(),
            "pid": pid or os.getpid(), "scheduler_answers": True, "running": jobs - waiting,
            "waiting": {"Resources": waiting} if waiting else {}, "jobs": rows}


class Jobs(OnTerminal):
    def made(self, seconds=0, **more):
        study = self.scratch / "small.toml"
        study.write_text(STUDY.format(seconds=seconds))
        self.result = self.scratch / "result"
        done = self.run_program("run", study, "-o", self.result, "--anyway", **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return study

    def record(self, state):
        directory = self.result / "cluster"
        directory.mkdir(exist_ok=True)
        (directory / "state.json").write_text(json.dumps(state))

    def status(self):
        done = self.run_program("status", self.result)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def status_json(self):
        return json.loads(self.run_program("status", self.result, "--json").stdout)


class Shown(Jobs):
    def test_jobs_and_nodes(self):
        self.made()
        self.assertNotIn("\njobs", self.status())
        self.assertNotIn("\nnodes", self.status())
        self.assertNotIn("cluster", self.status_json())
        self.record(state(3))
        text = self.status()
        self.assertIn("2 jobs running, 1 waiting (Resources)", text)
        self.assertRegex(text, r"(?m)^  4712 +running +n1 +3-4 +1 of 4$")
        self.assertRegex(text, r"(?m)^  4711 +waiting +1-2 +0 of 4 +Resources$")
        self.assertRegex(text, r"(?m)^  \S+ +4 +100 %$")
        self.assertIn("as of 2026-03-01T10:00:00Z", text)
        told = self.status_json()
        self.assertEqual(told["schema"], "prengdl.status/2")
        self.assertEqual(told["cluster"]["summary"], "2 jobs running, 1 waiting (Resources)")
        self.assertFalse(told["cluster"]["controller_has_ended"])
        self.assertEqual(told["cluster"]["jobs"], state(3)["jobs"])
        node, = told["nodes"]
        self.assertEqual((node["runs"], node["failures"], node["share"]), (4, 0, 1))
        self.assertEqual(node["fingerprint"], told["machines"][0]["fingerprint"])

    def test_a_controller_that_has_ended(self):
        self.made()
        self.record(state(2, pid=gone()))
        self.assertIn("nobody has followed these jobs since 2026-03-01T10:00:00Z", self.status())
        self.assertTrue(self.status_json()["cluster"]["controller_has_ended"])
        self.record(state(2, pid=gone(), host="another"))
        self.assertIn("on another", self.status())
        self.assertNotIn("nobody", self.status())

    def test_a_thousand_jobs(self):
        self.made()
        self.record(state(1000))
        text = self.status()
        self.assertIn("666 jobs running, 334 waiting (Resources)", text)
        self.assertIn("and 980 more", text)
        self.assertLess(len(text.splitlines()), 60)
        self.assertEqual(len(self.status_json()["cluster"]["jobs"]), 1000)

    def test_names_from_outside_are_harmless(self):
        self.made()
        told = state(2)
        told["jobs"][0] |= {"job": "\x1b[31m1", "reason": "<b>\x07", "node": "n\n1"}
        self.record(told)
        self.assertNotRegex(self.status(), r"[\x00-\x09\x0b-\x1f]")

    def test_a_state_that_is_something_else(self):
        self.made()
        file = self.result / "cluster" / "state.json"
        file.parent.mkdir()
        for text in ("{", "[1]", "\x00", "[" * 60000, '{"at":1}', json.dumps(state(1) | {"jobs": [1]})):
            file.write_text(text)
            self.assertNotIn("\njobs", self.status())
        file.unlink()
        os.mkfifo(file)
        self.assertNotIn("\njobs", self.status())

    def test_fits_the_terminal(self):
        self.made()
        told = state(30)
        for one in told["jobs"]:
            one["reason"] = "ReqNodeNotAvail, UnavailableNodes:n[1-40],a-node-with-a-long-name"
            one["blocks"] = [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21]
        self.record(told)
        for columns in (60, 80, 160):
            one = self.terminal("status", self.result, columns=columns)
            for line in shown_lines(one.finish()):
                self.assertLessEqual(len(line), columns)


class Watched(Jobs):
    def start(self, seconds):
        """A study that runs."""
        study = self.scratch / "small.toml"
        study.write_text(STUDY.format(seconds=seconds))
        self.result = self.scratch / "result"
        run = self.start_program("run", study, "-o", self.result, "--anyway")
        self.wait_for(lambda: (self.result / "live.json").exists() or run.poll() is not None, "the study's start")
        return run

    def test_follows_a_study_to_its_end(self):
        run = self.start(1)
        done = self.run_program("status", self.result, "--watch")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run.wait(PATIENCE), 0)
        shown = re.findall(r"(\d) of 4 planned runs are done", done.stdout)
        self.assertGreaterEqual(len(shown), 2)
        self.assertEqual(shown, sorted(shown))
        self.assertEqual(shown[-1], "4")
        self.assertNotIn("\x1b", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^  [a-z]+: side=(left|right), about [\d.]+ m?s left")
        self.assertEqual(list(self.result.glob("watchers/*")), [])

    def test_is_written_over_on_a_terminal(self):
        run = self.start(1)
        one = self.terminal("status", self.result, "--watch", columns=80)
        text = one.finish()
        self.assertEqual(one.code, 0, text)
        run.wait(PATIENCE)
        frames = re.split(r"\x1b\[(\d+)F\x1b\[J", text)
        self.assertGreaterEqual(len(frames), 3, text)
        for frame, erased in zip(frames[::2], frames[1::2]):
            self.assertEqual(frame.count("\n"), int(erased), text)
            self.assertLess(int(erased), 24)
        self.assertIn("4 of 4 planned runs are done", frames[-1])

    def test_ctrl_c_ends_it_and_not_the_study(self):
        run = self.start(30)
        one = self.terminal("status", self.result, "--watch")
        one.read_until(lambda seen: "planned runs" in seen)
        one.type("\x03")
        one.finish()
        self.assertEqual(one.code, 130)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGINT)
        run.wait(PATIENCE)

    def test_a_study_that_has_ended_is_shown_once(self):
        self.made()
        begin = time.monotonic()
        done = self.run_program("status", self.result, "--watch")
        self.assertEqual((done.returncode, done.stdout), (0, self.status()))
        self.assertLess(time.monotonic() - begin, PATIENCE / 2)

    def test_a_study_that_was_killed_has_ended(self):
        run = self.start(30)
        run.kill()
        run.wait()
        done = self.run_program("status", self.result, "--watch")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the run was killed", done.stdout)

    def test_json_is_not_repeated(self):
        self.made()
        self.assertUsage(self.run_program("status", self.result, "--watch", "--json"), "--watch")


class Served(Serving):
    def record(self, told):
        directory = self.result / "cluster"
        directory.mkdir(exist_ok=True)
        (directory / "state.part").write_text(told if isinstance(told, str) else json.dumps(told))
        (directory / "state.part").rename(directory / "state.json")

    def test_a_thousand_jobs_are_counted_and_some_are_sent(self):
        self.made()
        server = self.serve()
        self.assertNotIn("cluster", server.state())
        self.assertNotIn("prengdl_jobs", server.ask("/metrics")[2])
        self.record(state(1000))
        told = self.wait_for(lambda: server.state().get("cluster"), "the jobs")
        self.assertEqual((len(told["jobs"]), told["all_jobs"], told["running"]), (50, 1000, 666))
        self.assertEqual(told["summary"], "666 jobs running, 334 waiting (Resources)")
        self.assertEqual({one["state"] for one in told["jobs"]}, {"running"})
        self.assertFalse(told["controller_has_ended"])
        self.assertEqual(server.state()["nodes"], 1)
        text = server.ask("/metrics")[2]
        self.assertIn('prengdl_jobs{study="small",state="running"} 666\n', text)
        self.assertIn('prengdl_jobs{study="small",state="waiting"} 334\n', text)

    def test_jobs_that_nobody_follows_are_not_counted(self):
        self.made()
        server = self.serve()
        self.record(state(3, pid=gone()))
        self.wait_for(lambda: server.state().get("cluster", {}).get("controller_has_ended"), "the jobs")
        self.assertNotIn("prengdl_jobs", server.ask("/metrics")[2])

    def test_news_of_jobs_is_an_event(self):
        self.made()
        server = self.serve()
        events = server.events()
        self.assertEqual(next(events)[0], "study")
        self.record(state(2))
        self.assertTrue(any(name == "live" and data.get("cluster", {}).get("all_jobs") == 2
                            for name, data in itertools.islice(events, 3)))

    def test_a_state_that_is_something_else(self):
        self.made()
        server = self.serve()
        for text in ("{", "[1]", "[" * 60000, '{"at":1}'):
            self.record(text)
            time.sleep(1.05)
            self.assertNotIn("cluster", server.state())
        (self.result / "cluster" / "state.json").unlink()
        os.mkfifo(self.result / "cluster" / "state.json")
        time.sleep(1.05)
        self.assertEqual(server.state()["state"], "ended")


if __name__ == "__main__":
    unittest.main()
