# SPDX-License-Identifier: Apache-2.0
"""Many watch at once. The server has a thread for each and a low priority, so nothing else may run."""

import selectors
import socket
import time
import unittest

from program import PATIENCE
from test_serve import Serving, sleeping


class Crowd(Serving):
    WATCHERS = 200

    def watch(self, server):
        """All of them, until each has seen the end; what they saw."""
        request = f"GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n\r\n".encode()
        chosen, seen = selectors.DefaultSelector(), {}
        for _ in range(self.WATCHERS):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
            connection.sendall(request)
            seen[connection] = b""
            chosen.register(connection, selectors.EVENT_READ)
        waiting, until = set(seen), time.monotonic() + 4 * PATIENCE
        while waiting and time.monotonic() < until:
            for key, _ in chosen.select(1):
                seen[key.fileobj] += (part := key.fileobj.recv(65536))
                if not part or b'"state":"ended"' in seen[key.fileobj]:
                    waiting.discard(key.fileobj)
        for connection in seen:
            connection.close()
        return list(seen.values())

    def test_two_hundred_watchers_leave_a_run_alone(self):
        runs = {}
        for crowd in (False, True):
            result = self.scratch / f"result-{crowd}"
            study = self.study(command=sleeping(0.7), runs=4)
            self.result = result
            run = self.start_program("run", study, "-o", result, "--anyway")
            self.wait_for((result / "live.json").exists, "the study's start")
            if crowd:
                server = self.serve()
                seen = self.watch(server)
                self.assertEqual(len([one for one in seen if one.count(b"event: study") == 1]), self.WATCHERS)
                self.assertEqual(len([one for one in seen if b'"state":"ended"' in one]), self.WATCHERS)
                self.assertEqual(server.ask("/state")[0], 200)
            self.assertEqual(run.wait(PATIENCE), 0)
            runs[crowd] = self.rows("SELECT outcome, samples, missed_samples, seconds FROM runs")
        for crowd, rows in runs.items():
            self.assertEqual([row[0] for row in rows], ["ok"] * 8)
            samples, missed = sum(row[1] for row in rows), sum(row[2] for row in rows)
            self.assertGreater(samples, 0)
            # Generous: the machine that tests is busy with other tests.
            self.assertLess(missed, 0.5 * (samples + missed), f"crowd: {crowd}")


if __name__ == "__main__":
    unittest.main()
