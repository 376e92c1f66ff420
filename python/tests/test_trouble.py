# SPDX-License-Identifier: Apache-2.0
"""Files that cannot be written, threads, forks and other processes: no line is torn, nothing fails."""

import collections
import os
import unittest

from telling import TellingTest, parsed

TELL = "prengdl.begin('epoch', 1)\nwith prengdl.span('step'): prengdl.metric('m', 1)\nprengdl.end('epoch', 1)\n"


class Trouble(TellingTest):
    def warned_once(self, program, path, *options):
        process = self.run_workload(program + "\nprint(prengdl.active())", path, *options)
        self.assertEqual(process.out, "False\n")
        self.assertEqual(process.err.count("RuntimeWarning: prengdl: no"), 1, process.err)
        return process

    def test_with_opening_is_one_warning(self):
        os.mkfifo(os.path.join(self.folder, "pipe"))
        for path in (
            self.folder,
            "/nowhere/events",
            "/proc/version",
            os.path.join(self.folder, "pipe"),
        ):
            self.warned_once(TELL, path)

    def test_with_a_full_disk_is_one_warning(self):
        self.warned_once("begin = prengdl.begin\n" + TELL + "begin('later')\n" + TELL, "/dev/full")

    def test_with_a_closed_descriptor_is_one_warning(self):
        self.warned_once(TELL + "os.closerange(3, 4096)\n" + TELL, self.path)
        self.assertEqual(len(self.events()), 5)

    def test_with_a_line_that_is_cut_costs_only_that_line(self):
        limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, resource.RLIM_INFINITY))\n"
        self.warned_once(
            limit.format(200)
            + "prengdl.begin('first')\nprengdl.begin('s' * 500)\nprengdl.begin('stopped')\n"
            + f"with open({self.path!r}, 'rb') as file: assert len(file.read()) == 200\n",
            self.path,
        )
        with open(self.path, "ab") as file:
            file.write(b"\n")
        with open(self.path, "rb") as file:
            first, cut = file.read().splitlines()
        self.assertEqual(parsed(first + b"\n")[0]["span"], "first")
        self.assertTrue(cut.endswith(b"sss"))

    def test_does_not_fail_a_workload_that_makes_warnings_errors(self):
        for path in ("/nowhere/events", "/dev/full"):
            process = self.run_workload(
                TELL + "prengdl.metric('m', float('nan'))", path, "-W", "error"
            )
            self.assertEqual((process.out, process.err), ("", ""))

    def test_with_a_line_that_is_cut_ends_it_where_that_is_possible(self):
        self.warned_once(
            "from prengdl import _events\n"
            "_events._write = lambda file, line: os.write(file, line[:20])\n"
            "prengdl.begin('cut')\n",
            self.path,
        )
        with open(self.path, "rb") as file:
            line = file.read()
        self.assertEqual((len(line), line[-1:]), (21, b"\n"))

    def becoming(self, prepare, program):
        """Like told, but in a process prepared before Python starts in it."""
        command = "import os, prengdl\n" + program
        return self.told(
            f"import sys\n{prepare}\nos.execv(sys.executable, [sys.executable, '-c', {command!r}])"
        )

    def test_does_not_come_from_a_workload_without_stdout(self):
        # The file would be opened as descriptor 1, and get what the workload prints.
        program = (
            "prengdl.begin('epoch')\n"
            "try: os.write(1, b'not an event')\n"
            "except OSError: pass\n"
        )
        few = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        self.assertEqual(len(self.becoming("os.close(1)", program)), 1)
        self.assertEqual(len(self.becoming(few + "os.close(1)", program)), 2)


class Concurrent(TellingTest):
    def matched(self, events):
        """Matches as the reader does; returns how many spans were whole."""
        opened = collections.Counter()
        whole = 0
        for event in events:
            key = tuple(event.get(part) for part in ("span", "name", "id", "pid", "tid"))
            if event["ev"] == "begin":
                opened[key] += 1
            elif event["ev"] == "end":
                self.assertGreater(opened[key], 0, event)
                opened[key] -= 1
                whole += 1
        self.assertEqual(sum(opened.values()), 0)
        return whole

    def test_threads_are_told_apart(self):
        events = self.told(
            "import threading\n"
            "def run():\n"
            "    for step in prengdl.spans('step', range(1000)): prengdl.metric('m', step)\n"
            "threads = [threading.Thread(target=run) for _ in range(8)]\n"
            "for thread in threads: thread.start()\n"
            "run()\n"
            "for thread in threads: thread.join()\n"
        )
        self.assertEqual(self.matched(events), 9000)
        told = collections.Counter(event.get("tid") for event in events)
        self.assertEqual(len(told), 9)
        self.assertEqual(set(told.values()), {3000})
        self.assertIn(None, told)

    def test_a_fork_tells_its_own_spans_and_leaves_its_parents_alone(self):
        events = self.told(
            "import threading, warnings\n"
            "warnings.simplefilter('ignore', DeprecationWarning)  # forking a thread is what is tried\n"
            "def forked():\n"
            "    with prengdl.span('outer'):\n"
            "        child = os.fork()\n"
            "        with prengdl.span('inner'): pass\n"
            "    if not child: os._exit(0)\n"
            "    os.waitpid(child, 0)\n"
            "forked()\n"
            "thread = threading.Thread(target=forked); thread.start(); thread.join()\n"
        )
        self.assertEqual(self.matched(events), 6)
        inner = [event for event in events if event["span"] == "inner" and event["ev"] == "begin"]
        self.assertEqual(len({event["pid"] for event in inner}), 3)
        self.assertEqual(sum("tid" in event for event in inner), 1)

    def test_multiprocessing_of_each_kind_works(self):
        for method in ("fork", "spawn", "forkserver"):
            program = os.path.join(self.folder, "program.py")
            with open(program, "w") as file:
                file.write(
                    "import multiprocessing, prengdl\n"
                    "def work(turn):\n"
                    "    with prengdl.span('work', 'same'): return turn\n"
                    "if __name__ == '__main__':\n"
                    f"    with multiprocessing.get_context('{method}').Pool(3) as pool:\n"
                    "        assert sum(pool.map(work, range(60), 1)) == 1770\n"
                )
            self.path = os.path.join(self.folder, method)
            self.told(f"import sys; os.execv(sys.executable, [sys.executable, {program!r}])")
            self.assertEqual(self.matched(self.events()), 60)

    def test_no_line_of_many_processes_is_torn(self):
        program = (
            "for step in range(5000):\n"
            "    prengdl.begin('step', step)\n"
            "    prengdl.metric('x' * (step % 97 * 80), step)\n"
        )
        for process in [self.start(program, self.path) for _ in range(6)]:
            self.finish(process)
        events = self.events()
        told = collections.Counter(event["pid"] for event in events)
        self.assertEqual(sorted(told.values()), [10000] * 6)
        for pid in told:
            steps = [e["value"] for e in events if e["pid"] == pid and e["ev"] == "metric"]
            self.assertEqual(steps, list(range(5000)))


if __name__ == "__main__":
    unittest.main()
