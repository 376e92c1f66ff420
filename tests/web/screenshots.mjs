// SPDX-License-Identifier: Apache-2.0
// Pictures of a report for the docs: node screenshots.mjs REPORT.html FOLDER [light|dark] [PART or #CHART ...]
// The part `first` is the first screen, 1280 x 800 pixels.
import {join, resolve} from "node:path";
import {pathToFileURL} from "node:url";
import {chromium} from "playwright-core";

const [report, folder, theme = "light", ...wanted] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage({viewport: {width: 1280, height: 800}, colorScheme: theme});
page.setDefaultTimeout(120_000);
await page.goto(pathToFileURL(resolve(report)).href);
await page.evaluate(() => globalThis.prengdlReport.drawAll());
const parts = wanted.length
  ? wanted
  : ["first", ...(await page.$$eval("main > section", sections => sections.map(one => one.id)))];
for (const part of parts) {
  if (part === "first") {
    await page.evaluate(() => globalThis.scrollTo(0, 0));
    await page.screenshot({path: join(folder, "first.png")});
    continue;
  }
  const at = page.locator(part.startsWith("#") ? `#c-${part.slice(1)}` : `#${part}`);
  await at.scrollIntoViewIfNeeded();
  await at.screenshot({path: join(folder, `${part.replace("#", "")}.png`)});
}
await browser.close();
