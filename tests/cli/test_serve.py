# SPDX-License-Identifier: Apache-2.0
"""The live page: who may see it, what it shows while a study runs, and that it leaves the study alone."""

import base64
import hashlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import sqlite3
import time
import unittest
import urllib.parse

from program import IS_SANITISED, PATIENCE, Case, Drawing, FakeMachine, copy_program

STUDY = """
[study]
name = {name}
runs = {runs}
seed = 5
[protocol]
warmup = 0
settle = "off"
[factors]
side = ["left", "right"]
[workload]
command = {command}
[analysis]
compare = "side"
test = "log-t"
"""
QUICK = '["sh", "-c", "echo {side}"]'


def sleeping(seconds):
    return f'["sh", "-c", "sleep {seconds}; echo {{side}}"]'


class Server:
    """A page that is being served."""

    def __init__(self, process):
        self.process = process
        self.url = process.stdout.readline().strip()
        found = re.fullmatch(r"http://([^/]+):(\d+)/\?token=([-A-Za-z0-9._~%]{20,})", self.url)
        if not found:
            raise AssertionError(f"no address: {self.url!r} {process.stderr.read()}")
        self.host, self.port, self.token = found[1], int(found[2]), urllib.parse.unquote(found[3])

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, path, method="GET", token=True, headers=None, body=None):
        """Status, headers and text of an answer."""
        connection = self.connect()
        headers = dict(headers or {})
        if token:
            headers["Authorization"] = f"Bearer {self.token}"
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        result = answer.status, answer.headers, answer.read().decode()
        connection.close()
        return result

    def send(self, raw):
        """All that comes back for these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            try:
                connection.sendall(raw)
            except (BrokenPipeError, ConnectionResetError):
                return b""
            answer = b""
            try:
                while part := connection.recv(65536):
                    answer += part
            except ConnectionResetError:
                pass
            return answer

    def state(self):
        return json.loads(self.ask("/state")[2])

    def events(self):
        """Server-sent events as they come: name and data."""
        connection = self.connect()
        connection.request("GET", "/events", headers={"Authorization": f"Bearer {self.token}"})
        answer = connection.getresponse()
        assert answer.status == 200 and answer.headers["Content-Type"] == "text/event-stream"
        try:
            name = None
            while line := answer.readline().decode().rstrip("\n"):
                if line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    yield name, json.loads(line[6:])
                    answer.readline()
        finally:
            connection.close()


class Serving(Case):
    def study(self, command=QUICK, runs=2, name="small"):
        path = self.scratch / "small.toml"
        path.write_text(STUDY.format(command=command, runs=runs, name=json.dumps(name)))
        self.result = self.scratch / "result"
        return path

    def made(self, **how):
        """A result that is complete."""
        study = self.study(**how)
        done = self.run_program("run", study, "-o", self.result, "--anyway")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return self.result

    def start_run(self, *more, **how):
        """A study that runs; it is there for others when this returns."""
        run = self.start_program("run", self.study(**how), "-o", self.result, "--anyway", *more)
        self.wait_for(lambda: (self.result / "live.json").exists() or run.poll() is not None, "the study's start")
        return run

    def serve(self, *more, env=None):
        return Server(self.start_program("serve", self.result, *more, env=env))

    def rows(self, sql):
        return sqlite3.connect(self.result / "study.db").execute(sql).fetchall()

    def end(self, server):
        server.process.send_signal(signal.SIGINT)
        self.assertEqual(server.process.wait(PATIENCE), 0)


class Looks(Serving):
    def looks(self):
        done = self.run_program("export", self.result, "--table", "looks", "--format", "json")
        return [(one["by"], one["blocks"], one["planned_blocks"]) for one in json.loads(done.stdout)["rows"]]

    def test_each_block_that_is_shown_before_the_end_is_a_look(self):
        study = self.study(runs=4)
        run = ["run", study, "-o", self.result, "--blocks", "1"]
        self.assertEqual(self.run_program(*run).returncode, 0)
        server = self.serve()
        for block in (1, 2):
            self.wait_for(lambda block=block: server.state() and len(self.looks()) == block, "a look")
            self.assertEqual(self.looks()[-1], ("serve", block, 4))
            self.assertEqual(self.run_program(*run).returncode, 0)
        self.assertEqual(self.run_program("run", study, "-o", self.result).returncode, 0)
        self.wait_for(lambda: server.state()["done"] == 8, "the last run")
        self.assertLessEqual(len(self.looks()), 3, "a finished study is left alone")
        self.end(server)


class FindingsSoFar(Serving):
    def looks(self):
        done = self.run_program("export", self.result, "--table", "looks", "--format", "json")
        return [one["blocks"] for one in json.loads(done.stdout)["rows"]]

    def test_are_those_of_compare_and_final_only_at_the_end(self):
        study = self.study(command=sleeping(0.02), runs=4)
        run = ["run", study, "-o", self.result, "--anyway"]
        self.assertEqual(self.run_program(*run, "--blocks", "1").returncode, 0)
        server = self.serve()
        first = server.state()["findings"]
        self.assertEqual((first["blocks"], first["planned_blocks"], first["is_final"]), (1, 4, False))
        self.assertEqual(self.looks(), [1], "it is recorded before anybody sees it")
        self.assertEqual(self.run_program(*run).returncode, 0)
        last = self.wait_for(lambda: (now := server.state()["findings"])["is_final"] and now, "the end")
        self.assertEqual((last["blocks"], last["planned_blocks"]), (4, 4))
        compared = json.loads(self.run_program("compare", self.result, "--json").stdout)["findings"]
        measure = "seconds" if last["measure"] == "time" else "metered"  # without a meter time comes first
        found = next(one for one in compared if one["measure"] == measure)
        row = last["rows"][0]
        self.assertEqual(row["ratio"], found["estimate"]["ratio"])
        self.assertEqual([row["low"], row["high"]], found["estimate"].get("ci95", [None, None]))
        self.assertEqual(last["levels"], ["left", "right"])

    def test_do_not_change_within_a_block(self):
        study = self.study(command=sleeping(0.4), runs=2)
        self.assertEqual(self.run_program("run", study, "-o", self.result, "--anyway", "--blocks", "1").returncode, 0)
        server = self.serve()
        before = server.state()["findings"]
        run = self.start_program("run", study, "-o", self.result, "--anyway")
        half = None
        while run.poll() is None:
            state = server.state()
            if state["done"] == 3:
                half = state
                self.assertEqual(state["findings"], before)
        self.assertTrue(half or run.returncode == 0)

    def test_say_why_there_are_none(self):
        self.made(command='["sh", "-c", "exit 1 # {side}"]', runs=2)
        self.assertTrue(self.serve().state()["findings"]["why_not"])

    def test_scores_are_those_of_the_latest_runs(self):
        code = "import prengdl\nfor i in (1, 2, 3): prengdl.metric('accuracy', i / 4, step=i)"
        command = json.dumps(["python3", "-c", code, "{side}"])
        self.made(command=command, runs=7)
        for cell in self.serve().state()["cells"]:
            runs = cell["scores"]["accuracy"]
            self.assertEqual([run["block"] for run in runs], [2, 3, 4, 5, 6])
            self.assertEqual(runs[-1]["points"], [[1, 0.25], [2, 0.5], [3, 0.75]])


class Access(Serving):
    def setUp(self):
        super().setUp()
        self.made()
        self.server = self.serve()
        self.known = {}

    def assertRefused(self, answer, *codes):
        status, _, text = answer
        self.assertIn(status, codes)
        self.assertEqual(text, self.refusal(status))

    def refusal(self, status):
        """It depends on the status alone, so it reveals nothing about what is there."""
        title = {400: "The request is not valid.", 403: "This address does not have the right token.",
                 404: "There is nothing at this path."}[status]
        known = self.known.setdefault(status, {400: "/", 403: "/", 404: "/elsewhere"}[status])
        if known.startswith("/"):
            headers = {"Host": ""} if status == 400 else {}
            known = self.known[status] = self.server.ask(known, token=status == 404, headers=headers)[2]
        self.assertTrue(known.startswith(title + "\n"), known)
        return known

    def test_nothing_is_shown_without_the_token(self):
        for path in ("/", "/events", "/state", "/metrics", "/elsewhere", "/?token=", "/?token=" + "0" * 40,
                     "/?token=" + self.server.token[:-1], "/?token=" + self.server.token + "0"):
            for method in ("GET", "HEAD", "POST", "DELETE"):
                with self.subTest(path=path, method=method):
                    status, headers, text = self.server.ask(path, method, token=False)
                    self.assertEqual((status, text), (403, "" if method == "HEAD" else self.refusal(403)))
                    self.assertNotIn("Set-Cookie", headers)
        for headers in ({"Authorization": "Bearer " + "0" * 40}, {"Authorization": "Basic " + self.server.token},
                        {"Cookie": f"prengdl-{self.server.port}=wrong"}, {"Cookie": f"other={self.server.token}"}):
            self.assertRefused(self.server.ask("/state", token=False, headers=headers), 403)

    def test_a_wrong_token_is_answered_with_what_to_do(self):
        browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        for accept, kind in ((browser, "text/html; charset=utf-8"), ("application/json", "application/json"),
                             ("*/*", "text/plain"), ("", "text/plain")):
            with self.subTest(accept=accept):
                status, headers, text = self.server.ask("/?token=wrong", token=False, headers={"Accept": accept})
                self.assertEqual((status, headers["Content-Type"]), (403, kind))
                for word in (
                    "does not have the right token",
                    "that ",
                    "prengdl serve",
                    " printed",
                    "Authorization: Bearer",
                ):
                    self.assertIn(word, text)
                self.assertNotIn("`", text)
                self.assertNotIn(self.server.token, text)
                if kind == "application/json":
                    self.assertEqual(set(json.loads(text)), {"error", "advice"})
                if kind.startswith("text/html"):
                    style, = re.findall(r"(?s)<style>(.*?)</style>", text)
                    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
                    self.assertEqual(headers["Content-Security-Policy"],
                                     f"default-src 'none'; frame-ancestors 'none'; style-src 'sha256-{digest}'")
        for path, method, status, word in (
            ("/elsewhere", "GET", 404, "nothing at this path"),
            ("/", "POST", 405, "Use GET or HEAD"),
        ):
            answer = self.server.ask(path, method, headers={"Accept": browser})
            self.assertEqual(answer[0], status)
            self.assertIn(word, answer[2])

    def test_the_first_visit_gives_a_cookie_that_is_enough_from_then_on(self):
        status, headers, _ = self.server.ask(f"/?token={self.server.token}", token=False)
        self.assertEqual(status, 200)
        cookie, *flags = headers["Set-Cookie"].split("; ")
        self.assertLessEqual({"HttpOnly", "SameSite=Strict"}, set(flags))
        self.assertNotIn("Domain", headers["Set-Cookie"])
        for path in ("/", "/state", "/metrics"):
            status, headers, _ = self.server.ask(path, token=False, headers={"Cookie": f"a=b; {cookie}; c=d"})
            self.assertEqual(status, 200)
            self.assertNotIn("Set-Cookie", headers)

    def test_two_servers_have_two_tokens_and_two_cookies(self):
        other = self.serve()
        self.assertNotEqual(other.token, self.server.token)
        self.assertRefused(other.ask(f"/?token={self.server.token}", token=False), 403)
        cookies = {server.ask(f"/?token={server.token}", token=False)[1]["Set-Cookie"].partition("=")[0]
                   for server in (self.server, other)}
        self.assertEqual(len(cookies), 2)

    def test_foreign_host_headers_are_refused(self):
        for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1@evil.example",
                     "localhost.evil.example", "127.0.0.1:80:80", "127.0.0.1:x", "[::1", "[::1]x", "", "0.0.0.0",
                     "127.0.0.1\tx", "*"):
            with self.subTest(host=host):
                self.assertRefused(self.server.ask("/state", headers={"Host": host}), 400, 403)
        for host in ("localhost", "LOCALHOST:1", "127.0.0.1", f"127.0.0.1:{self.server.port}", "[::1]:9"):
            with self.subTest(host=host):  # the port may be forwarded
                self.assertEqual(self.server.ask("/state", headers={"Host": host})[0], 200)
        target = f"/state?token={self.server.token}"
        for head in (f"GET {target} HTTP/1.0\r\n\r\n", f"GET {target} HTTP/1.1\r\n\r\n",
                     f"GET {target} HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"):
            self.assertRegex(self.server.send(head.encode()), rb"^HTTP/1.1 400 ")

    def test_nothing_can_be_changed(self):
        def content():
            return {str(path): path.read_bytes() for path in sorted(self.result.rglob("*"))
                    if path.is_file() and "-shm" not in path.name}
        before = content()
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            status, headers, _ = self.server.ask("/state", method, body="x=1")
            self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"))
        for method in ("TRACE", "CONNECT", "BREW", "get"):
            answer = self.server.send(
                f"{method} /?token={self.server.token} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
            )
            self.assertRegex(answer, rb"^HTTP/1.1 40[05] ")
        self.assertEqual(content(), before)

    def test_paths_lead_nowhere_else(self):
        for path in (
            "/..",
            "/../study.toml",
            "/study.toml",
            "/study.db",
            "/logs/",
            "//",
            "//state",
            "/state/",
            "/STATE",
            "/%2e%2e/%2e%2e/etc/passwd",
            "/..%2f..%2fetc/passwd",
            "/%2fstate",
            "/state%00",
            "/.",
            "/./state",
            "/..\\..\\etc\\passwd",
            "/state;x",
            "/%",
            "/%zz",
            "/" + "a/" * 2000,
        ):
            with self.subTest(path=path[:40]):
                self.assertRefused(self.server.ask(path), 404)
                self.assertRefused(self.server.ask(path, token=False), 403)
        token = self.server.token
        for target in (f"http://evil.example/?token={token}", f"../?token={token}", f"*?token={token}"):
            answer = self.server.send(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.assertRegex(answer, rb"^HTTP/1.1 40[0-9] ")

    def test_every_answer_tells_the_browser_to_be_careful(self):
        for path, token in (("/", True), ("/state", True), ("/nowhere", True), ("/", False)):
            headers = self.server.ask(path, token=token)[1]
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertEqual(headers["Cache-Control"], "no-store")
            self.assertEqual(len(headers.get_all("Content-Security-Policy")), 1)
            self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
            self.assertIn("frame-ancestors 'none'", headers["Content-Security-Policy"])
            self.assertIsNone(headers["Access-Control-Allow-Origin"])
            self.assertIsNone(headers["Server"])

    def test_only_the_own_script_and_style_run(self):
        _, headers, page = self.server.ask("/")
        for tag, policy in (("script", "script-src"), ("style", "style-src")):
            content, = re.findall(rf"(?s)<{tag}>(.*?)</{tag}>", page)
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            self.assertIn(f"{policy} 'sha256-{digest}'", headers["Content-Security-Policy"])
        self.assertNotRegex(page, r"(?i)\son\w+=|https?://(?!www\.w3\.org/2000/svg)|innerHTML|\bstyle=|eval\(")

    def test_head_gives_the_head(self):
        for path in ("/", "/state", "/metrics", "/events"):
            status, _, text = self.server.ask(path, "HEAD")
            self.assertEqual((status, text), (200, ""))

    def test_there_is_a_limit_to_what_is_read(self):
        head = f"GET /state?token={self.server.token} HTTP/1.1\r\nHost: localhost\r\n".encode()
        self.assertRegex(self.server.send(head + b"\r\n"), rb"^HTTP/1.1 200 ")
        many = b"".join(b"X-%d: y\r\n" % i for i in range(100_000))
        for more in (b"X: " + b"y" * 1_000_000 + b"\r\n", many, b"X" * 1_000_000, b"\0" * 20_000):
            answer = self.server.send(head + more + b"\r\n")
            self.assertNotRegex(answer, rb"^HTTP/1.1 200 ")
        self.assertNotRegex(self.server.send(b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\n\r\n"), rb"^HTTP/1.1 200 ")
        for field in (
            b"Range: bytes=" + b"0-1," * 3000 + b"0-1",
            b"Accept-Encoding: " + b"gzip," * 2000,
            b"Expect: 100-continue",
        ):
            answer = self.server.send(head + field + b"\r\n\r\n")
            self.assertRegex(answer, rb"^HTTP/1.1 (200|4\d\d) ")
            self.assertNotIn(b"100 Continue", answer)
        body = b"POST /state HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n" + b"x" * 500_000
        self.assertNotRegex(self.server.send(body), rb"^HTTP/1.1 200 ")
        if not IS_SANITISED:  # ASan holds freed memory back
            status = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text()
            self.assertLess(int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]), 100_000)
        self.assertEqual(self.server.ask("/state")[0], 200)

    def test_who_is_slow_is_left(self):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE) as connection:
            begin = time.monotonic()
            connection.sendall(b"GET / HT")
            connection.recv(1000)
            self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(self.server.ask("/state")[0], 200)

    def test_who_goes_away_in_the_middle_harms_nobody(self):
        linger = b"\1\0\0\0\0\0\0\0"
        for raw in (b"", b"GET", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", f"GET /events?token={self.server.token} "
                    "HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()):
            for _ in range(20):
                connection = socket.create_connection(("127.0.0.1", self.server.port))
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                connection.sendall(raw)
                connection.close()
        self.assertEqual(self.server.ask("/state")[0], 200)


class Starting(Serving):
    def test_what_is_no_result_is_said(self):
        self.result = self.scratch / "nowhere"
        done = self.run_program("serve", self.result)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertError(done, "there is no directory", "nowhere")
        self.result.mkdir()
        done = self.run_program("serve", self.result)
        self.assertEqual(done.returncode, 1)
        self.assertError(done, "contains no result")
        self.assertEqual(list(self.result.iterdir()), [], "nothing is left there")

    def test_wrong_usage(self):
        self.assertUsage(self.run_program("serve"), "RESULT")
        self.assertUsage(self.run_program("serve", ".", "--port", "65536"), "--port")
        self.assertUsage(self.run_program("serve", ".", "--prot", "1"), "--prot")

    def test_a_port_that_is_in_use(self):
        self.made()
        server = self.serve()
        done = self.run_program("serve", self.result, "--port", server.port)
        self.assertEqual(done.returncode, 1)
        self.assertError(done, str(server.port), "in use", "--port")
        self.end(server)
        # It is free again at once.
        again = self.serve("--port", server.port)
        self.assertEqual(again.port, server.port)

    def test_only_this_machine_can_connect_unless_told(self):
        self.made()
        server = self.serve()
        self.assertEqual(server.host, "127.0.0.1")
        listening = pathlib.Path("/proc/net/tcp").read_text() + pathlib.Path("/proc/net/tcp6").read_text()
        addresses = {line.split()[1] for line in listening.splitlines() if line.split()[3] == "0A"}
        ours = [address for address in addresses if address.endswith(f":{server.port:04X}")]
        self.assertEqual(ours, [f"0100007F:{server.port:04X}"])

    def test_elsewhere_with_a_warning(self):
        self.made()
        server = self.serve("--listen", "0.0.0.0")
        name = socket.gethostname()
        self.assertEqual(server.host, name)
        self.assertEqual(server.ask("/state", headers={"Host": name})[0], 200)
        self.assertEqual(server.ask("/state", headers={"Host": "evil.example"})[0], 403)
        self.end(server)
        self.assertIn("not encrypted", server.process.stderr.read())
        done = self.run_program("serve", self.result, "--listen", "no such address")
        self.assertEqual(done.returncode, 1)
        self.assertError(done, "no such address")

    def test_the_program_for_it_may_be_missing(self):
        alone = copy_program(self.scratch)
        process = self.start_program("serve", ".", env={"PATH": "/nowhere"}, executable=alone)
        error = process.communicate(timeout=PATIENCE)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn("prengdl-serve", error)

    def test_the_browser_gets_the_token_by_a_file_of_the_users_own(self):
        self.made()
        tools = self.scratch / "tools"
        tools.mkdir()
        told = self.scratch / "told"
        (tools / "xdg-open").write_text(f'#!/bin/sh\necho "$@" > {told}.part; stat -c %a "$1" >> {told}.part\n'
                                        f'cat "$1" >> {told}.part; mv {told}.part {told}\n')
        (tools / "xdg-open").chmod(0o755)
        server = self.serve("--open", env={"PATH": f"{tools}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": None})
        self.wait_for(told.exists, "the browser")
        arguments, mode, page = told.read_text().split("\n", 2)
        self.assertNotIn(server.token, arguments)
        self.assertEqual(mode, "600")
        self.assertIn(server.url, page)
        self.end(server)
        self.assertFalse(pathlib.Path(arguments).exists())

    def test_a_token_file_keeps_the_token_over_restarts(self):
        self.made()
        file = self.scratch / "secret" / "token"
        done = self.run_program("serve", self.result, "--token-file", file)
        self.assertEqual(done.returncode, 1)
        self.assertError(done, "cannot create the token file", "No such file or directory", "name a file")
        file.parent.mkdir()
        before = os.umask(0)
        try:
            server = self.serve("--token-file", file)
        finally:
            os.umask(before)
        self.assertEqual(file.stat().st_mode & 0o7777, 0o600)
        self.assertEqual(file.read_text(), server.token + "\n")
        self.assertRegex(server.token, "^[0-9a-f]{40}$")
        self.end(server)
        again = self.serve("--token-file", file)
        self.assertEqual(again.token, server.token)
        self.assertEqual(again.ask("/metrics")[0], 200)
        self.assertNotIn(server.token, pathlib.Path(f"/proc/{again.process.pid}/cmdline").read_text())
        self.end(again)

    def test_a_token_of_the_users_own(self):
        self.made()
        file = self.scratch / "token"
        file.write_text("  ab+/cd==ABCD.-_~12345\n\n")
        file.chmod(0o640)
        server = self.serve("--token-file", file)
        self.assertEqual(server.token, "ab+/cd==ABCD.-_~12345")
        self.assertEqual(server.ask("/state")[0], 200)
        status, headers, _ = server.ask(server.url.partition(str(server.port))[2], token=False)
        self.assertEqual(status, 200)
        cookie = headers["Set-Cookie"].split("; ")[0]
        self.assertEqual(server.ask("/state", token=False, headers={"Cookie": cookie})[0], 200)
        self.assertEqual(server.ask("/?token=ab+/cd==ABCD.-_~12346", token=False)[0], 403)

    def test_a_token_file_that_is_no_secret_is_refused(self):
        self.made()
        file = self.scratch / "token"
        good = "0123456789abcdef0123\n"
        for text, mode, *words in ((good, 0o604, "other users can read or change", "0604", "chmod 600"),
                                   (good, 0o644, "0644"), (good, 0o620, "0620"), (good, 0o602, "0602"),
                                   ("", 0o600, "0 characters", "remove the file"), ("short\n", 0o600, "5 characters"),
                                   ("x" * 513, 0o600, "20 to 512"), ("x" * 5000, 0o600, "20 to 512"),
                                   ("two words of enough length", 0o600, "other characters"),
                                   ("0123456789abcdef01\u00e9;", 0o600, "other characters")):
            with self.subTest(text=text[:30], mode=oct(mode)):
                file.write_text(text)
                file.chmod(mode)
                done = self.run_program("serve", self.result, "--token-file", file)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertError(done, *words)
                self.assertNotIn(good.strip(), done.stderr)
        for name, make in (("directory", os.mkdir), ("pipe", os.mkfifo)):
            make(self.scratch / name)
            done = self.run_program("serve", self.result, "--token-file", self.scratch / name)
            self.assertEqual(done.returncode, 1)
            self.assertError(done, "not a regular file")

    def test_ends_at_once_although_somebody_watches(self):
        self.made()
        server = self.serve()
        watching = server.events()
        next(watching)
        begin = time.monotonic()
        self.end(server)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(list(watching), [])
        self.assertFalse((self.result / "watchers").exists())


class Shown(Serving):
    FAILS = (r"""["sh", "-c", "echo {side} '\u202e<script>'; test {side} = left || {{ echo why >&2; exit 7; }}"]""")

    def test_a_study_as_it_goes_on_until_its_end(self):
        machine = FakeMachine(self.scratch / "machine")
        with Drawing(machine.zone(), watts=50):
            run = self.start_run("--root", machine.root, command=sleeping(1.1), runs=3)
            server = self.serve()
            seen, done, watts, state = [], [], [], None
            for name, data in server.events():
                seen.append(name)
                if "done" in data:
                    done.append(data["done"])
                if name == "live":
                    state = data["state"]
                    if "watts" in data.get("live", {}):
                        watts.append(data["live"]["watts"])
                        self.assertEqual(data["live"]["watts_quality"], "chip")
                    if state == "ended":
                        break
            self.assertEqual(run.wait(PATIENCE), 0)
        self.assertEqual(seen[0], "study")
        self.assertEqual(done[-1], 6)
        self.assertEqual(done, sorted(done))
        self.assertGreater(len(set(done)), 3, "it was seen on the way")
        self.assertTrue(watts)
        for value in watts:
            self.assertLess(abs(value - 50), 15)
        final = server.state()
        self.assertEqual((final["done"], final["planned"], final["failed"]), (6, 6, 0))
        self.assertEqual(final["events"][-1]["kind"], "end")
        cells = {cell["cell"][0]: cell for cell in final["cells"]}
        self.assertEqual({name: cell["runs"] for name, cell in cells.items()}, {"left": 3, "right": 3})
        for level, cell in cells.items():
            stored = self.rows("SELECT seconds, joules_metered FROM runs JOIN run_levels ON run = number "
                               f"WHERE level = '{level}'")
            self.assertAlmostEqual(cell["seconds"], sum(row[0] for row in stored) / 3)
            self.assertAlmostEqual(cell["joules"], sum(row[1] for row in stored) / 3)
            self.assertEqual(cell["quality"], "chip")
        self.assertFalse((self.result / "live.json").exists())

    def test_runs_tell_that_they_were_watched_and_what_that_cost(self):
        run = self.start_run(command=sleeping(0.5), runs=4)
        server = self.serve()
        for _, data in server.events():
            if data.get("state") == "ended":
                break
        run.wait(PATIENCE)
        rows = self.rows("SELECT flags, (SELECT mean FROM channels WHERE run = number AND name = 'watch_cpu_seconds') "
                         "FROM runs ORDER BY number")
        watched = [cpu for flags, cpu in rows if "watched" in flags.split()]
        self.assertGreaterEqual(len(watched), 6)
        self.assertTrue(all(cpu >= 0 for cpu in watched))
        self.assertGreater(sum(watched), 0)
        self.assertLess(sum(watched), 4)
        self.assertTrue(all(cpu is None for flags, cpu in rows if "watched" not in flags.split()))
        self.end(server)
        # Nobody looks any more: nothing is flagged, and nothing is left.
        self.assertEqual(self.run_program("run", self.study(command=sleeping(0.5), runs=4), "-o", self.result,
                                          "--anyway", "--runs", "5").returncode, 0)
        self.assertEqual(self.rows("SELECT count(*) FROM runs WHERE block = 4 AND flags LIKE '%watched%'"), [(0,)])
        self.assertFalse((self.result / "watchers").exists())

    def test_a_watcher_that_ends_during_a_run_is_in_its_record(self):
        run = self.start_run(command=sleeping(2), runs=1)
        server = self.serve()
        server.state()
        self.end(server)
        self.assertEqual(run.wait(PATIENCE), 0)
        cpus = self.rows("SELECT mean FROM channels WHERE name = 'watch_cpu_seconds'")
        self.assertEqual(len(cpus), 1)
        self.assertGreater(cpus[0][0], 0)
        self.assertFalse((self.result / "watchers").exists())

    def test_failures_with_the_ends_of_their_output(self):
        self.made(command=self.FAILS, runs=2)
        state = self.serve().state()
        self.assertEqual(state["failed"], 2)
        failure = state["failures"][0]
        self.assertEqual((failure["cell"], failure["outcome"], failure["exit_code"]), (["right"], "failed", 7))
        self.assertEqual(failure["log_tail"], "right \u202e<script>\nwhy\n")
        self.assertNotIn("joules", {cell["cell"][0]: cell for cell in state["cells"]}["right"])

    def test_what_was_left_out_is_not_in_the_means(self):
        self.made(runs=3)
        server = self.serve()
        run, = [row[0] for row in self.rows("SELECT id FROM runs JOIN run_levels ON run = number "
                                            "WHERE level = 'left' AND block = 1")]
        watching = server.events()
        self.assertEqual([cell["runs"] for cell in next(watching)[1]["cells"]], [3, 3])
        self.assertEqual(self.run_program("exclude", self.result, run, "--why", "test").returncode, 0)
        changes = next(data for name, data in watching if name == "changes")
        self.assertEqual({(cell["cell"][0], cell["runs"], cell["excluded"]) for cell in changes["cells"]},
                         {("left", 2, 1), ("right", 3, 0)})

    def test_a_run_that_was_killed(self):
        run = self.start_run(command=sleeping(30), runs=2)
        server = self.serve()
        self.assertEqual(server.state()["state"], "running")
        run.kill()
        run.wait()
        self.wait_for(lambda: server.state()["state"] == "killed", "the news of the kill")

    def test_an_interrupted_study(self):
        run = self.start_run(command=sleeping(30), runs=2)
        server = self.serve()
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(PATIENCE), 130)
        self.wait_for(lambda: server.state()["state"] == "interrupted", "the news of it")

    def test_another_machine_that_runs_into_a_shared_directory(self):
        self.made(runs=2)
        server = self.serve()
        live = {"schema": "prengdl.live/1", "doing": "running", "cell": "side=left", "done": 1, "planned": 4, "pid": 1,
                "host": "another", "at": time.time(), "watts": 5, "watts_quality": "wall", "secret": "x"}
        aside = self.result / "live.part"
        aside.write_text(json.dumps(live))
        aside.rename(self.result / "live.json")
        state = self.wait_for(lambda: (state := server.state())["state"] == "running" and state, "the news")
        self.assertEqual(state["live"]["watts"], 5)
        self.assertEqual(state["power"], [[live["at"], 5]])
        self.assertNotIn("secret", state["live"])
        self.assertIn('prengdl_watts{study="small",quality="wall"} 5\n', server.ask("/metrics")[2])

    def test_a_live_file_that_is_something_else(self):
        self.made()
        server = self.serve()
        live = self.result / "live.json"
        def make_pipe():
            os.mkfifo(live)

        for make in (
            lambda: live.write_text("{"),
            lambda: live.write_text("[1]"),
            lambda: live.write_bytes(b"\xff" * 100),
            lambda: live.write_text('{"schema":"prengdl.live/1","pid":"x","watts":[],"host":5}' + " " * 70000),
            lambda: live.write_text("[" * 60000),
            lambda: live.symlink_to("/etc/passwd"),
            live.mkdir,
            make_pipe,
        ):
            make()
            time.sleep(1.05)
            self.assertEqual(server.state()["state"], "ended")
            live.rmdir() if live.is_dir() and not live.is_symlink() else live.unlink()

    def test_a_result_that_cannot_take_notes(self):
        self.made()
        (self.result / "watchers").write_text("in the way")
        server = self.serve()
        self.assertFalse(server.state()["serve"]["noted"])
        self.end(server)
        self.assertIn("will not record that they were watched", server.process.stderr.read())
        self.assertEqual((self.result / "watchers").read_text(), "in the way")

    def test_notes_that_are_something_else_do_not_hold_up_a_run(self):
        notes = self.scratch / "result/watchers"
        study = self.study(runs=2)
        notes.mkdir(parents=True)
        os.mkfifo(notes / "100")
        (notes / "101").symlink_to("/dev/zero")
        (notes / "102").write_bytes(b"\0" * 100_000)
        (notes / "103").write_text(f"{socket.gethostname()} 1 nonsense\n")  # of a process that is gone
        (notes / "1").mkdir()
        done = self.run_program("run", study, "-o", self.result, "--anyway")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows("SELECT DISTINCT flags LIKE '%watched%' FROM runs"), [(0,)])

    def test_a_state_that_cannot_be_written_does_not_hold_up_a_run(self):
        study = self.study(runs=2)
        (self.scratch / "result/live.json.part").mkdir(parents=True)
        done = self.run_program("run", study, "-o", self.result, "--anyway")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.result / "live.json").exists())

    def test_a_result_that_goes_away_and_comes_back(self):
        self.made()
        server = self.serve()
        server.state()
        away = self.scratch / "away"
        self.result.rename(away)
        time.sleep(1.1)
        self.assertEqual(server.ask("/state")[0], 200)
        away.rename(self.result)
        time.sleep(1.1)
        self.assertEqual(server.state()["done"], 4)


class Metrics(Serving):
    LINE = re.compile(r'(prengdl_\w+)\{((?:\w+="(?:[^"\\\n]|\\["\\n])*",?)+)\} (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)')

    def test_have_the_format_of_prometheus(self):
        name = 'na"me\\ <&> \u202e'
        self.made(name=name, runs=3)
        status, headers, text = self.serve().ask("/metrics")
        self.assertEqual(status, 200)
        self.assertEqual(headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        self.assertTrue(text.endswith("\n"))
        types, values = {}, {}
        for line in text.splitlines():
            if line.startswith("# HELP "):
                continue
            if line.startswith("# TYPE "):
                _, _, metric, kind = line.split(" ")
                self.assertNotIn(metric, types)
                types[metric] = kind
                continue
            metric, labels, value = self.LINE.fullmatch(line).groups()
            self.assertIn(metric, types, "a metric has its type before its values")
            escaped = name.replace("\\", "\\\\").replace('"', '\\"')
            self.assertIn(f'study="{escaped}"', labels)
            values[metric, "".join(re.findall(r'quality="(\w+)"', labels))] = float(value)
        self.assertEqual(values["prengdl_runs_done", ""], 6)
        self.assertEqual(values["prengdl_runs_planned", ""], 6)
        self.assertEqual(values["prengdl_runs_failed_total", ""], 0)
        self.assertEqual(values["prengdl_running", ""], 0)
        seconds, joules = self.rows("SELECT sum(seconds), sum(joules_metered) FROM runs")[0]
        self.assertAlmostEqual(values["prengdl_run_seconds_total", ""], seconds)
        found = [value for (metric, _), value in values.items() if metric == "prengdl_joules_total"]
        if joules is not None:
            self.assertAlmostEqual(sum(found), joules)
        self.assertGreater(values["prengdl_serve_cpu_seconds_total", ""], 0)
        self.assertTrue(all(kind == ("counter" if metric.endswith("_total") else "gauge")
                            for metric, kind in types.items()))


if __name__ == "__main__":
    unittest.main()
