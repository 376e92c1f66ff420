// SPDX-License-Identifier: Apache-2.0
// The live page in a real browser, while a study with hostile names runs. Run by scripts/test-web.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync} from "node:fs";
import {connect, createServer} from "node:net";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {after, before, describe, it} from "node:test";
import {setTimeout as sleep} from "node:timers/promises";
import {chromium} from "playwright-core";
import {hostileNames, program, run as runProgram} from "./results.mjs";

const folder = mkdtempSync(join(tmpdir(), "prengdl-serve-"));
const result = join(folder, "result");
const study = `[study]
name = ${JSON.stringify(hostileNames[0])}
runs = 3
seed = 1
[protocol]
warmup = 0
settle = "off"
give_up_after = 100
[factors]
level = [${hostileNames.map(name => JSON.stringify(name)).join(", ")}]
[workload]
command = ["sh", "-c", "sleep 0.6; echo '<b>bold</b> <script>alert(3)</script>'; case $LEVEL in a*) exit 3;; esac"]
variables = { LEVEL = "{level}" }
[analysis]
compare = "level"
test = "log-t"
`;

let browser, run, server, address;

/** A command that keeps running, and the first line it prints. Fails if it ends without one. */
async function started(...words) {
  const child = spawn(program, words, {stdio: ["ignore", "pipe", "pipe"]});
  let errors = "";
  child.stderr.on("data", data => (errors += data));
  const line = await new Promise((resolve, reject) => {
    child.stdout.once("data", data => resolve(String(data).trim()));
    child.once("error", reject);
    child.once("close", code =>
      reject(new Error(`prengdl ${words[0]} ended with status ${code}: ${errors.trim()}`)),
    );
  });
  return [child, line];
}

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  writeFileSync(join(folder, "study.toml"), study);
  run = spawn(program, ["run", join(folder, "study.toml"), "-o", result, "--anyway"], {
    stdio: "ignore",
  });
  await sleep(1500);
  [server, address] = await started("serve", result);
});
after(async () => {
  await browser?.close();
  run?.kill();
  server?.kill();
  rmSync(folder, {recursive: true, force: true});
});

async function open(options = {}) {
  const page = await browser.newPage({viewport: {width: 1100, height: 900}, ...options});
  page.setDefaultTimeout(60_000);
  const troubles = [];
  page.on("console", message => {
    if (message.type() !== "log") troubles.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", error => troubles.push(`error: ${error.message}`));
  page.on("dialog", dialog => {
    troubles.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", request => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== new URL(address).origin)
      troubles.push(`request: ${url}`);
  });
  await page.goto(address);
  await page.waitForSelector("#cells tr");
  return {page, troubles};
}

describe("the live page", () => {
  it("shows hostile names, logs and studies as text", async () => {
    const {page, troubles} = await open();
    await page.waitForFunction(
      count => document.querySelectorAll("#cells tr").length === count,
      hostileNames.length,
    );
    assert.equal(await page.textContent("#study"), hostileNames[0]);
    assert.deepEqual(
      (
        await page.$$eval("#cells td:first-child", cells => cells.map(cell => cell.textContent))
      ).sort(),
      [...hostileNames].sort(),
    );
    await page.click("#failures summary >> nth=0");
    assert.match(
      await page.textContent("#failures pre >> nth=0"),
      /<b>bold<\/b> <script>alert\(3\)<\/script>/,
    );
    assert.equal(
      await page.evaluate(() => document.querySelectorAll("main script, main img, pre b").length),
      0,
    );
    assert.deepEqual(troubles, []);
    await page.close();
  });

  it("takes the token out of the address bar and knows it by its cookie after that", async () => {
    const {page, troubles} = await open();
    assert.equal(new URL(page.url()).search, "");
    await page.reload();
    await page.waitForSelector("#cells tr");
    assert.equal(await page.evaluate(() => document.cookie), "", "no script can read it");
    assert.deepEqual(troubles, []);
    await page.close();
  });

  for (const colorScheme of ["light", "dark"])
    it(`fits a narrow ${colorScheme} screen, long names and all`, async () => {
      const {page, troubles} = await open({viewport: {width: 360, height: 740}, colorScheme});
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      assert.deepEqual(troubles, []);
      await page.close();
    });

  it("can be used by keyboard", async () => {
    const {page} = await open();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "cells-title");
    await page.focus("#heads th:nth-child(2) button");
    await page.keyboard.press("Enter");
    assert.equal(await page.getAttribute("#heads th:nth-child(2)", "aria-sort"), "ascending");
    await page.keyboard.press("Enter");
    assert.equal(await page.getAttribute("#heads th:nth-child(2)", "aria-sort"), "descending");
    const runs = await page.$$eval("#cells td:nth-child(2)", cells =>
      cells.map(cell => Number(cell.textContent)),
    );
    assert.deepEqual(
      runs,
      [...runs].sort((a, b) => b - a),
    );
    await page.close();
  });

  it("follows the study to its end and says so to screen readers", async () => {
    const {page, troubles} = await open();
    await page.waitForFunction(() => document.getElementById("state").textContent === "ended");
    assert.match(await page.textContent("#news"), /^15 of 15 runs done, 3 failed, ended$/);
    assert.equal(await page.getAttribute("#news", "aria-live"), "polite");
    assert.equal(await page.$eval("#bar", bar => bar.value / bar.max), 1);
    assert.deepEqual(troubles, []);
    await page.close();
  });

  it("says when it is not connected, and comes back by itself", async () => {
    // As a tunnel would: other port, same server.
    const sockets = new Set();
    const tunnel = createServer(socket => {
      const onward = connect(Number(new URL(address).port), "127.0.0.1");
      for (const end of [socket, onward]) end.on("error", () => {});
      sockets.add(socket.on("close", () => onward.destroy()));
      socket.pipe(onward).pipe(socket);
    });
    await new Promise(resolve => tunnel.listen(0, "127.0.0.1", resolve));
    const {port} = tunnel.address();
    const page = await browser.newPage();
    const here = new URL(address);
    here.port = port;
    await page.goto(here.href);
    await page.waitForSelector("#cells tr");
    assert.equal(await page.isVisible("#connection"), false);
    tunnel.close();
    for (const socket of sockets) socket.destroy();
    await page.waitForSelector("#connection", {state: "visible"});
    await new Promise(resolve => tunnel.listen(port, "127.0.0.1", resolve));
    await page.waitForSelector("#connection", {state: "hidden"});
    await page.close();
    tunnel.close();
    for (const socket of sockets) socket.destroy();
  });

  it("says what to do when the server was started anew", async () => {
    const {page} = await open();
    const port = new URL(address).port;
    server.kill();
    await page.waitForSelector("#connection", {state: "visible"});
    [server, address] = await started("serve", result, "--port", port);
    assert.match(await page.textContent("#connection"), /use its new address/);
    await page.goto(address);
    await page.waitForSelector("#cells tr");
    assert.equal(await page.isVisible("#connection"), false);
    await page.close();
  });
});

describe("a study that is watched", () => {
  const watched = join(folder, "watched");
  const file = join(folder, "watched.toml");
  const words = ["run", file, "-o", watched, "--anyway"];
  let watching, where;

  before(async () => {
    writeFileSync(
      file,
      `[study]
name = "watched"
runs = 4
[protocol]
warmup = 0
settle = "off"
[factors]
model = ["small", "large"]
framework = ["pytorch", "tensorflow"]
[workload]
command = ["python3", "-c", '''
import sys, time
import prengdl
for epoch in (1, 2, 3):
    time.sleep(0.01 if sys.argv[2] == "pytorch" else 0.03)
    prengdl.metric("accuracy", epoch / 4, step=epoch)
''', "{model}", "{framework}"]
[analysis]
compare = "framework"
primary = "seconds"
secondary = []
`,
    );
    runProgram(...words, "--blocks", "2");
    [watching, where] = await started("serve", watched);
  });
  after(() => watching?.kill());

  /** As `run` on another machine would leave it: power at this time. */
  function writeLive(at, watts) {
    const live = {
      schema: "prengdl.live/1",
      doing: "running",
      cell: "model=small framework=pytorch",
      block: 3,
      blocks: 4,
      host: "another",
      pid: 1,
      at,
      watts,
      watts_quality: "chip",
      seconds_left: 90,
    };
    writeFileSync(join(watched, "live.part"), JSON.stringify(live));
    renameSync(join(watched, "live.part"), join(watched, "live.json"));
  }

  for (const [width, colorScheme] of [
    [1280, "light"],
    [390, "dark"],
  ])
    it(`shows findings, power and scores at ${width} px (${colorScheme})`, async () => {
      const page = await browser.newPage({viewport: {width, height: 844}, colorScheme});
      page.setDefaultTimeout(60_000);
      const troubles = [];
      page.on("console", message => troubles.push(message.text()));
      page.on("pageerror", error => troubles.push(error.message));
      for (const [ago, watts] of [
        [2, 40],
        [1, 60],
        [0, 50],
      ]) {
        writeLive(Date.now() / 1000 - ago / 10, watts);
        if (ago === 2) await page.goto(where);
        await page.waitForFunction(
          text => document.getElementById("watts").textContent === text,
          `${watts}.0 W`,
        );
      }
      assert.equal(await page.textContent("#findings-badge"), "not final: 2 of 4 blocks");
      const cases = await page.$$eval("#findings .case .name", all =>
        all.map(one => one.textContent),
      );
      assert.deepEqual(cases, ["small", "large"]);
      assert.equal(await page.$$eval("#findings .case .ratio .point", all => all.length), 2);
      const labels = await page.$$eval("#curve text", all => all.map(one => one.textContent));
      assert.ok(labels.includes("0 W") && labels.includes("now"), labels.join());
      assert.ok(labels.filter(label => label.endsWith(" W")).length >= 3, labels.join());
      assert.match(await page.getAttribute("#curve .line", "d"), /^M.*L.*L/);
      assert.equal(await page.$$eval("#scores .curve:not(.faint)", all => all.length), 4);
      assert.deepEqual(
        await page.$$eval("#scores-legend span", all => all.map(one => one.textContent)),
        ["pytorch", "tensorflow"],
      );
      assert.match(await page.textContent("#left"), /^about 1 min \d+ s left, ends at about /);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      assert.deepEqual(troubles, []);
      rmSync(join(watched, "live.json"));
      await page.close();
    });

  it("shows the jobs of a cluster and where they run", async () => {
    const page = await browser.newPage({viewport: {width: 1100, height: 900}});
    page.setDefaultTimeout(60_000);
    const troubles = [];
    page.on("console", message => troubles.push(message.text()));
    page.on("pageerror", error => troubles.push(error.message));
    await page.goto(where);
    await page.waitForSelector("#cells tr");
    assert.equal(await page.isVisible("#jobs-part"), false);
    const jobs = Array.from({length: 60}, (_, i) => ({
      job: String(100 + i),
      state: i < 2 ? "running" : "waiting",
      ...(i < 2 ? {node: hostileNames[i]} : {reason: "Resources"}),
      runs: i < 2 ? 1 : 0,
      planned: 4,
      blocks: i === 0 ? [1, 2, 3, 7] : [i + 1],
    }));
    const write = more => {
      mkdirSync(join(watched, "cluster"), {recursive: true});
      const state = {
        at: "2026-03-01T10:00:00Z",
        host: "login1",
        pid: 4711,
        scheduler_answers: true,
        running: 2,
        waiting: {Resources: 58},
        jobs,
        ...more,
      };
      writeFileSync(join(watched, "cluster", "state.part"), JSON.stringify(state));
      renameSync(join(watched, "cluster", "state.part"), join(watched, "cluster", "state.json"));
    };
    write();
    writeLive(Date.now() / 1000, 50);
    await page.waitForSelector("#jobs tr");
    await page.waitForFunction(() => / left, /.test(document.getElementById("left").textContent));
    assert.match(
      await page.textContent("#jobs-says"),
      /^2 jobs running, 58 waiting \(Resources\)\. 8 of 16 runs are done, on 1 node; about 1 min \d+ s left/,
    );
    const rows = await page.$$eval("#jobs tr", all =>
      all.map(row => [...row.children].map(cell => cell.textContent)),
    );
    assert.equal(rows.length, 50);
    assert.deepEqual(rows[0], ["100", "running", hostileNames[0], "1-3, 7", "1 of 4", ""]);
    assert.deepEqual(rows[2], ["102", "waiting", "\u2013", "3", "0 of 4", "Resources"]);
    assert.match(await page.textContent("#jobs-note"), /^10 more jobs are not listed\. /);
    assert.equal(await page.isVisible("#jobs-old"), false);
    for (const width of [1100, 390]) {
      await page.setViewportSize({width, height: 844});
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    }
    write({jobs: [], running: 0, waiting: {}});
    await page.waitForFunction(() => document.querySelectorAll("#jobs tr").length === 0);
    rmSync(join(watched, "cluster"), {recursive: true});
    await page.waitForSelector("#jobs-part", {state: "hidden"});
    rmSync(join(watched, "live.json"));
    assert.deepEqual(troubles, []);
    await page.close();
  });

  it("calls findings final when all blocks are made", async () => {
    const page = await browser.newPage();
    await page.goto(where);
    await page.waitForSelector("#findings .case");
    assert.equal(await page.getAttribute("#findings-badge", "data-final"), "false");
    runProgram(...words);
    await page.waitForSelector("#findings-badge[data-final=true]");
    assert.equal(await page.textContent("#findings-badge"), "final: all 4 blocks");
    assert.equal(await page.textContent("#findings-title"), "Findings");
    await page.close();
  });

  for (const token of ["", "?token=wrong"])
    it(`says what to do at an address with ${token || "no token"}`, async () => {
      const page = await browser.newPage({viewport: {width: 390, height: 844}});
      const answer = await page.goto(new URL(where).origin + "/" + token);
      assert.equal(answer.status(), 403);
      assert.match(await page.textContent("h1"), /does not have the right token/);
      assert.equal(await page.$$eval("ol li", all => all.length), 4);
      assert.match(
        await page.textContent("ol"),
        /Open the whole address that prengdl serve printed/,
      );
      // The style is applied: its hash is in the policy.
      assert.equal(await page.$eval("main", main => getComputedStyle(main).borderTopWidth), "4px");
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      await page.close();
    });
});
