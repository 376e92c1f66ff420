// SPDX-License-Identifier: Apache-2.0
// The report's page in a real browser. Run by scripts/test-web; CHROMIUM names the browser.
import assert from "node:assert/strict";
import {mkdtempSync, readFileSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {after, before, describe, it} from "node:test";
import {pathToFileURL} from "node:url";
import {launch, openReport} from "./pages.mjs";
import {hostileNames, makeReport} from "./results.mjs";

/** The questions that each result can answer. */
const partsOf = {
  icse22: ["answer", "certainty", "why", "factors", "power", "apis", "larger", "method"],
  itu23: ["answer", "certainty", "why", "accuracy", "factors", "power", "method"],
  quick: [
    "answer",
    "certainty",
    "why",
    "accuracy",
    "factors",
    "power",
    ...(process.env.PRENGDL_QUICK ? [] : ["apis"]),
    "larger",
    "method",
  ],
  measure: ["answer", "certainty", "why", "power", "method"],
};
const folder = mkdtempSync(join(tmpdir(), "prengdl-web-"));
let browser;

before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

const open = (file, options) => openReport(browser, file, options);

for (const name of ["icse22", "itu23", "quick", "measure"])
  describe(`the report of ${name}`, () => {
    let page, troubles;
    before(async () => ({page, troubles} = await open(makeReport(name, folder))));
    after(() => page?.close());

    it("answers the questions that its data allow, in order, and none is empty", async () => {
      const parts = partsOf[name];
      assert.deepEqual(
        await page.$$eval("main > section", sections => sections.map(one => one.id)),
        parts,
      );
      for (const part of parts) {
        const text = await page.locator(`#${part}`).innerText();
        assert.ok(text.split("\n").length > 1, `${part} says nothing`);
      }
      assert.equal(await page.locator("nav a").count(), parts.length);
    });

    it("draws every chart, and marks are in it", async () => {
      const charts = await page.$$eval("figure.chart", figures =>
        figures.map(figure => ({
          id: figure.dataset.chart,
          drawn: figure.dataset.drawn,
          marks: figure.querySelectorAll(
            ".plot svg .mark-symbol > path, .plot svg .mark-line > path, .plot svg .mark-rect > path, .plot svg .mark-rule > line, .plot canvas",
          ).length,
        })),
      );
      assert.ok(charts.length >= 4, `${charts.length} charts`);
      for (const chart of charts) {
        assert.equal(chart.drawn, "yes", chart.id);
        assert.ok(chart.marks > 0, `${chart.id} is empty`);
      }
    });

    it("has the charts that its data allow", async () => {
      const ids = await page.$$eval("figure.chart", figures =>
        figures.map(figure => figure.dataset.chart),
      );
      const wanted = {
        icse22: [
          "dots-metered",
          "forest-seconds",
          "power-chart",
          "flame",
          "calls",
          "classes-chart",
          "energy-time-chart",
          "shares-metered-chart",
        ],
        itu23: [
          "dots-metered",
          "forest-seconds",
          "bubbles",
          "energy-to-accuracy",
          "sweep-metered-chart",
          "sweep-gpu_utilisation-chart",
          "sweep-accuracy-chart",
          "interactions-metered-chart",
          "power-chart",
          "latency-chart",
        ],
        quick: [
          "dots-seconds",
          "bubbles",
          "time-to-accuracy",
          "power-chart",
          "order-chart",
          ...(process.env.PRENGDL_QUICK ? [] : ["flame", "calls"]),
        ],
        measure: ["dots-metered", "forest-metered", "order-chart"],
      }[name];
      for (const id of wanted) assert.ok(ids.includes(id), `${id} is missing`);
    });

    it("gives a level the same colour in every chart", async () => {
      const first = await page.$$eval("figure.chart", figures =>
        Object.fromEntries(
          figures.map(figure => [
            figure.dataset.chart,
            [...figure.querySelectorAll(".plot svg .role-legend-label text")].map(
              one => one.textContent,
            ),
          ]),
        ),
      );
      const levels = first["dots-metered"] ?? first["dots-seconds"];
      if (first["order-chart"]) assert.deepEqual(first["order-chart"], levels);
    });

    it("has a table behind every chart", async () => {
      assert.deepEqual(
        await page.$$eval("figure.chart", figures =>
          figures
            .filter(figure => !figure.querySelector("details table tbody tr"))
            .map(figure => figure.dataset.chart),
        ),
        [],
      );
    });

    it("saves a chart as SVG and as PNG", async () => {
      const figure = page.locator('figure.chart[data-chart="dots-metered"]');
      for (const [format, begin] of [
        ["SVG", "<svg"],
        ["PNG", "\x89PNG"],
      ]) {
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          figure.getByRole("button", {name: `as ${format}`}).click(),
        ]);
        const bytes = readFileSync(await download.path());
        assert.equal(bytes.subarray(0, begin.length).toString("latin1"), begin);
        assert.ok(bytes.length > 2000);
      }
    });

    it("sorts a table by number and back, by the keyboard too", async () => {
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details.folded")) details.open = true;
      });
      const column = page
        .locator("#t-means thead th, #t-means-train thead th")
        .filter({hasText: "energy"})
        .first();
      const table = column.locator("xpath=ancestor::table");
      const place = await column.evaluate(head => head.cellIndex);
      const values = () =>
        table
          .locator("tbody tr")
          .evaluateAll((rows, at) => rows.map(row => Number(row.cells[at].dataset.v)), place);
      await column.locator("button").click();
      assert.equal(await column.getAttribute("aria-sort"), "ascending");
      assert.deepEqual(
        await values(),
        [...(await values())].sort((a, b) => a - b),
      );
      await column.locator("button").press("Enter");
      assert.equal(await column.getAttribute("aria-sort"), "descending");
      assert.deepEqual(
        await values(),
        [...(await values())].sort((a, b) => b - a),
      );
    });

    it("changes its theme, and is readable in both", async () => {
      const contrast = () =>
        page.evaluate(() => {
          const light = colour => {
            const [r, g, b] = colour
              .match(/[\d.]+/g)
              .map(Number)
              .map(part =>
                (part /= 255) <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
              );
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const groundOf = element => {
            for (let at = element; at; at = at.parentElement) {
              const colour = getComputedStyle(at).backgroundColor;
              if (!/rgba\(.*, 0\)/.test(colour)) return colour;
            }
          };
          return Math.min(
            ...[...document.querySelectorAll("p, td, th, a, h2, summary, button, figcaption")]
              .slice(0, 3000)
              .map(element => {
                const [a, b] = [light(getComputedStyle(element).color), light(groundOf(element))];
                return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
              }),
          );
        });
      assert.ok((await contrast()) >= 4.5, "AA in light");
      await page.locator("#theme").click();
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
      await page.evaluate(() => globalThis.prengdlReport.drawAll());
      assert.ok((await contrast()) >= 4.5, "AA in dark");
      await page.locator("#theme").click();
      await page.evaluate(() => globalThis.prengdlReport.drawAll());
    });

    it("asks for nothing and complains of nothing", () => assert.deepEqual(troubles, []));
  });

describe("power over time", () => {
  it("shows any run, together or side by side", async () => {
    const {page, troubles} = await open(join(folder, "itu23.html"));
    const figure = page.locator('figure.chart[data-chart="power-chart"]');
    const lines = () => figure.locator(".plot svg .mark-line path").count();
    assert.equal(await lines(), 2, "the first run of each framework");
    await figure.locator("#power-runs").selectOption({index: 5});
    await page.evaluate(() => globalThis.prengdlReport.drawAll());
    assert.equal(await lines(), 1);
    await figure.locator("#power-runs").selectOption([{index: 0}, {index: 1}, {index: 2}]);
    await figure.locator("#power-view").selectOption("together");
    await page.evaluate(() => globalThis.prengdlReport.drawAll());
    assert.equal(await lines(), 3);
    await figure.locator("summary", {hasText: "points"}).click();
    assert.ok((await figure.locator("details table").last().locator("tbody tr").count()) > 10);
    assert.deepEqual(troubles, []);
    await page.close();
  });
});

describe("hostile names", () => {
  it("are shown as text", async () => {
    const {page, troubles} = await open(makeReport("hostile", folder));
    const text = await page.locator("main").innerText();
    assert.ok(text.includes(hostileNames[0]));
    assert.ok(text.includes(hostileNames[1]));
    assert.ok(text.includes("\\u202e"), "what turns the direction is visible");
    assert.ok(
      (await page.locator("#t-long-names").textContent()).includes(hostileNames[4]),
      "a long name is there in full",
    );
    assert.equal(await page.locator("main img, main script").count(), 0);
    assert.ok(
      (await page.evaluate(() => document.documentElement.scrollWidth)) <= 1300,
      "a long name does not widen the page",
    );
    assert.deepEqual(troubles, []);
    await page.close();
  });
});

describe("without a script", () => {
  it("texts and tables are there", async () => {
    const page = await browser.newPage({javaScriptEnabled: false});
    await page.goto(pathToFileURL(join(folder, "icse22.html")).href);
    assert.equal(await page.locator("main > section").count(), partsOf.icse22.length);
    assert.ok((await page.locator("#t-answer tbody tr").count()) > 0);
    assert.ok((await page.locator("#overview tbody circle").count()) > 0, "and the forest plot");
    await page.close();
  });
});

describe("on paper", () => {
  it("is a document of several pages", async () => {
    const {page} = await open(join(folder, "itu23.html"));
    const bytes = await page.pdf({format: "A4"});
    assert.ok(bytes.length > 50_000);
    await page.close();
  });
});
