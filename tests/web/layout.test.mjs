// SPDX-License-Identifier: Apache-2.0
// The report's page on screens of several widths and on paper, and with names that are hard to show.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {after, before, describe, it} from "node:test";
import {pathToFileURL} from "node:url";
import {launch, openReport} from "./pages.mjs";
import {hardNames, makeReport, propertyNames} from "./results.mjs";

const folder = mkdtempSync(join(tmpdir(), "prengdl-layout-"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser;

before(async () => {
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, {recursive: true, force: true});
});

const reports = new Map();
const reportOf = name => {
  if (!reports.has(name)) reports.set(name, makeReport(name, folder));
  return reports.get(name);
};

/** Tables whose last column is not inside of the frame that they lie in. */
const cutOff = page =>
  page.$$eval(".scroll > table", tables =>
    tables
      .filter(table => {
        const cell = table.tBodies[0]?.rows[0]?.cells;
        if (!cell?.length || !table.offsetWidth) return false;
        const frame = table.parentElement.getBoundingClientRect();
        return [...table.rows]
          .slice(0, 50)
          .some(
            row => row.cells[row.cells.length - 1].getBoundingClientRect().right > frame.right + 1,
          );
      })
      .map(table => table.id || table.caption?.textContent),
  );

for (const name of ["icse22", "itu23", "names", "modelled", "measure"])
  for (const width of [1280, 768, 390])
    it(`${name} fits a screen of ${width} pixels`, async () => {
      const {page, troubles} = await openReport(browser, reportOf(name), {
        viewport: {width, height: 900},
      });
      for (const details of await page.$$("details"))
        await details.evaluate(one => {
          one.open = true;
        });
      await page.evaluate(
        () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))),
      );
      const wide = await page.evaluate(() =>
        [...document.querySelectorAll("body *")]
          .filter(
            one =>
              one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".plot, .scroll"),
          )
          .map(one => `${one.tagName}.${one.className}#${one.id}`)
          .slice(0, 5),
      );
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        `wider than the screen: ${wide}`,
      );
      assert.deepEqual(await cutOff(page), []);
      assert.deepEqual(troubles, []);
      await page.close();
    });

describe("backticks", () => {
  for (const name of ["icse22", "measure", "modelled"])
    it(`of ${name} are shown as code`, async () => {
      const {page} = await openReport(browser, reportOf(name));
      // The study file is shown as it is.
      const text = await page.evaluate(() => {
        document.querySelector("table.code").remove();
        return document.querySelector("main").innerText;
      });
      assert.equal(
        text
          .split("\n")
          .filter(line => line.includes("`"))
          .join("\n"),
        "",
      );
      assert.ok((await page.locator("main code").count()) > 0);
      await page.close();
    });
});

describe("tables", () => {
  it("that do not fit show each cell under the name of its column", async () => {
    const {page} = await openReport(browser, reportOf("icse22"), {
      viewport: {width: 390, height: 900},
    });
    const table = page.locator("table.stacked").first();
    const cell = table.locator("tbody tr").first().locator("td").nth(1);
    const head = await table.locator("thead th").nth(1).textContent();
    assert.equal(
      await cell.evaluate(one => getComputedStyle(one, "::before").content.slice(1, -1)),
      head,
    );
    await page.setViewportSize({width: 2200, height: 900});
    await page.waitForFunction(() => document.querySelectorAll("table.stacked").length === 0);
    await page.close();
  });
});

describe("on paper", () => {
  it("the heads of tables are repeated with their words", async () => {
    const {page} = await openReport(browser, reportOf("cases"), {
      viewport: {width: 390, height: 900},
    });
    const file = join(folder, "cases.pdf");
    writeFileSync(file, await page.pdf({format: "A4"}));
    await page.close();
    const pages = execFileSync("pdftotext", ["-layout", file, "-"], {
      encoding: "utf8",
      maxBuffer: 1e8,
    }).split("\f");
    const outcomes = pages.filter(text =>
      /\bcell\s+good\s+failed\s+excluded\s+warm-ups\s+flagged/.test(text),
    );
    assert.ok(pages.length > 4, `${pages.length} pages`);
    assert.ok(outcomes.length >= 2, `the head of the cells is on ${outcomes.length} pages`);
  });
});

describe("names that objects have as properties", () => {
  it("are drawn in every chart", async () => {
    const {page, troubles} = await openReport(browser, reportOf("names"));
    const charts = await page.$$eval("figure.chart", figures =>
      figures.map(figure => ({
        id: figure.dataset.chart,
        drawn: figure.dataset.drawn,
        text: figure.querySelector(".plot").textContent,
        marks: figure.querySelectorAll(
          ".plot svg .mark-symbol > path, .plot svg .mark-line > path, .plot svg .mark-rect > path, .plot svg .mark-rule > line, .plot canvas",
        ).length,
      })),
    );
    assert.ok(charts.length >= 6, `${charts.length} charts`);
    for (const chart of charts) {
      assert.equal(chart.drawn, "yes", chart.id);
      assert.ok(chart.marks > 0, `${chart.id} is empty`);
    }
    const dots = charts.find(chart => chart.id === "dots-metered").text.replaceAll("\u2060", "");
    for (const name of [...propertyNames, ...hardNames.slice(0, 5)])
      assert.ok(dots.includes(name), `${name} is not named`);
    const text = await page.locator("main").innerText();
    for (const name of propertyNames) assert.ok(text.includes(name));
    assert.deepEqual(troubles, []);
    await page.close();
  });
});

describe("energy against time", () => {
  /** Whether the numbers at an axis grow by the same amount for each pixel. */
  const isLinear = (page, orient) =>
    page.$eval(
      'figure[data-chart="energy-time-chart"] .plot svg',
      (svg, at) => {
        const axes = [...svg.querySelectorAll(".role-axis")].map(axis =>
          [...axis.querySelectorAll(".role-axis-label text")].map(one => ({
            value: Number(one.textContent.replaceAll(",", "")),
            at: /translate\(([-\d.]+),([-\d.]+)\)/
              .exec(one.getAttribute("transform"))
              .slice(1)
              .map(Number),
          })),
        );
        const isAcross = labels => labels[0].at[1] === labels[1].at[1];
        const labels = axes
          .filter(one => one.length > 2)
          .find(one => isAcross(one) === (at === "x"));
        const places = labels.map(one => one.at[at === "x" ? 0 : 1]);
        const steps = labels
          .slice(1)
          .map((one, i) => (one.value - labels[i].value) / (places[i + 1] - places[i]));
        return Math.max(...steps.map(step => Math.abs(step / steps[0] - 1))) < 0.1;
      },
      orient,
    );

  for (const [name, linear] of [
    ["modelled", true],
    ["icse22", false],
  ])
    it(`says of ${name} what its axes are`, async () => {
      const {page} = await openReport(browser, reportOf(name));
      const words = await page
        .locator('figure[data-chart="energy-time-chart"] p.note')
        .first()
        .innerText();
      assert.match(words, linear ? /Both axes are linear/ : /Both axes are logarithmic/);
      for (const axis of ["x", "y"]) assert.equal(await isLinear(page, axis), linear, axis);
      await page.close();
    });
});

describe("thousands of runs", () => {
  it("are drawn in part, and the page says so", async () => {
    const {page, troubles} = await openReport(browser, reportOf("many"));
    const figure = page.locator('figure[data-chart="dots-metered"]');
    assert.match(
      await figure.locator("p.note").first().innerText(),
      /a part of the 12000 runs.* up to 250 of each cell/,
    );
    assert.equal(
      await page.evaluate(
        () =>
          JSON.parse(document.getElementById("charts").textContent).charts.find(
            chart => chart.id === "dots-metered",
          ).tables[0].rows,
      ),
      6000,
    );
    assert.deepEqual(troubles, []);
    await page.close();
  });
});

/** What axe-core finds that keeps people from reading a page. */
async function faultsOf(page) {
  // The page's own policy forbids other scripts: this one is run by the browser's debugger.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const found = await globalThis.axe.run(document, {resultTypes: ["violations"]});
    return found.violations
      .filter(one => ["serious", "critical"].includes(one.impact))
      .map(one => `${one.id}: ${one.nodes.slice(0, 3).map(node => node.target.join(" "))}`);
  });
}

const isWide = page =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

describe("the first screen", () => {
  for (const cases of [1, 12, 48])
    for (const [width, colorScheme] of [
      [1280, "light"],
      [1280, "dark"],
      [768, "light"],
      [390, "dark"],
    ])
      it(`has the forest plot of ${cases} cases, ${width} px, ${colorScheme}`, async () => {
        const {page, troubles} = await openReport(browser, reportOf(`long-${cases}`), {
          viewport: {width, height: 800},
          colorScheme,
        });
        const plot = await page.locator("#overview").boundingBox();
        assert.ok(plot.y + plot.height <= 800, `ends at ${plot.y + plot.height}`);
        assert.equal(
          await page.locator("#overview tbody circle").count(),
          cases,
          "every case has its mark",
        );
        assert.ok((await page.locator(".card").count()) > 0);
        if (width === 1280) {
          const facts = await page.locator(".facts").boundingBox();
          assert.ok(facts.y + facts.height <= 800, "cautions are on the first screen");
        }
        assert.equal(await isWide(page), false, "nothing scrolls sideways");
        assert.deepEqual(await cutOff(page), []);
        if (width !== 768) assert.deepEqual(await faultsOf(page), []);
        assert.deepEqual(troubles, []);
        await page.close();
      });

  it("shows how many levels compare, with a row for each", async () => {
    const {page, troubles} = await openReport(browser, reportOf("levels"));
    assert.equal(await page.locator("#overview tbody tr").count(), 6);
    assert.equal(await page.locator("#overview tbody tr").first().locator("circle").count(), 5);
    assert.deepEqual(await faultsOf(page), []);
    assert.deepEqual(troubles, []);
    await page.close();
  });

  it("unfolds its cautions", async () => {
    const {page} = await openReport(browser, reportOf("modelled"));
    const cautions = page.locator(".cautions");
    const words = await cautions.locator("summary").innerText();
    await cautions.locator("summary").click();
    assert.equal(await cautions.locator("li").count(), Number(/^\d+/.exec(words)[0]));
    assert.ok((await page.locator("h1 + .badge").innerText()).includes("modelled"));
    await page.close();
  });
});

describe("further columns", () => {
  it("unfold, with and without JavaScript", async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await browser.newPage({
        viewport: {width: 1280, height: 800},
        javaScriptEnabled,
      });
      await page.goto(pathToFileURL(reportOf("icse22")).href);
      const hidden = page.locator("#t-answer thead th.more").first();
      assert.equal(await hidden.isVisible(), false);
      await page.locator("#m-answer").check();
      assert.equal(await hidden.isVisible(), true);
      if (javaScriptEnabled) assert.deepEqual(await cutOff(page), []);
      await page.close();
    }
  });
});

describe("colours", () => {
  it("are the same for a level in the first screen and in every chart", async () => {
    const {page} = await openReport(browser, reportOf("itu23"));
    const colours = await page.evaluate(() => {
      const root = getComputedStyle(document.documentElement);
      const level = i => root.getPropertyValue(`--l${i}`).trim();
      const symbols = [...document.querySelectorAll(".role-legend")].flatMap(legend => {
        const names = [...legend.querySelectorAll(".role-legend-label text")];
        return [...legend.querySelectorAll(".role-legend-symbol path")].map((path, i) => ({
          chart: path.closest("figure").dataset.chart,
          name: names[i]?.textContent,
          colours: [path.getAttribute("fill"), path.getAttribute("stroke")],
        }));
      });
      return {
        levels: [level(0), level(1)],
        symbols,
        none: root.getPropertyValue("--none"),
      };
    });
    const seen = new Set();
    for (const {chart, name, colours: drawn} of colours.symbols) {
      if (!["pytorch", "tensorflow"].includes(name)) continue;
      seen.add(chart);
      const own = colours.levels[name === "pytorch" ? 0 : 1];
      assert.ok(drawn.includes(own), `${name} in ${chart}: ${drawn}, not ${own}`);
    }
    assert.ok(seen.size >= 6, `${[...seen]}`);
    assert.ok(!colours.levels.includes(colours.none.trim()), "no winner is no level");
    await page.close();
  });
});

describe("printing", () => {
  it("has the first screen, whole tables and no wider page", async () => {
    for (const name of ["long-1", "long-48"]) {
      const {page} = await openReport(browser, reportOf(name), {colorScheme: "dark"});
      const file = join(folder, `${name}.pdf`);
      writeFileSync(file, await page.pdf({format: "A4"}));
      await page.close();
      const pages = execFileSync("pdftotext", ["-layout", file, "-"], {
        encoding: "utf8",
        maxBuffer: 1e8,
      }).split("\f");
      assert.match(pages[0], /use less energy|take less time/);
      const last = `model ${name.slice(5)}`;
      if (name !== "long-1") assert.ok(pages[0].includes(last), "all cases are on the first page");
      assert.ok(pages.some(text => /verdict/.test(text)));
      assert.ok(pages.slice(0, 2).some(text => /cautions?, \w+ severe/.test(text)));
      assert.ok(
        pages.some(text => /corrected p/.test(text)),
        "folded tables are on paper",
      );
    }
  });
});
