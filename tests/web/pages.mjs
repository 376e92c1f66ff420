// SPDX-License-Identifier: Apache-2.0
// Reports in a real browser: the browser, and a page that notes what it should not do.
import {pathToFileURL} from "node:url";
import {chromium} from "playwright-core";

export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });

/** The page with all charts drawn, and what it did that it should not. */
export async function openReport(browser, file, options = {}) {
  const page = await browser.newPage({viewport: {width: 1280, height: 900}, ...options});
  page.setDefaultTimeout(120_000);
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
    if (!/^(file|data|blob):/.test(request.url())) troubles.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  await page.evaluate(() => globalThis.prengdlReport.drawAll());
  return {page, troubles};
}
