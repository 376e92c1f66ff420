// SPDX-License-Identifier: Apache-2.0
// Bundles web/src into web/dist: one script, its hash for the page's policy, one style sheet, and
// the licences of what is in the script.
import {createHash} from "node:crypto";
import {mkdirSync, readFileSync, readdirSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {build} from "esbuild";

const web = dirname(fileURLToPath(import.meta.url));
const dist = join(web, "dist");
mkdirSync(dist, {recursive: true});

const result = await build({
  entryPoints: [join(web, "src/report.js")],
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2020"],
  charset: "ascii",
  legalComments: "none",
  metafile: true,
  write: false,
  logLevel: "warning",
});
const script = result.outputFiles[0].text.trimEnd();
for (const ending of ["</script", "<!--"])
  if (script.includes(ending))
    throw new Error(`the script holds ${ending}, which would end it inside of a page`);
writeFileSync(join(dist, "report.js"), script);
writeFileSync(
  join(dist, "report.hash"),
  "sha256-" + createHash("sha256").update(script, "utf8").digest("base64"),
);

const style = await build({
  entryPoints: [join(web, "src/report.css")],
  minify: true,
  write: false,
  logLevel: "warning",
});
writeFileSync(join(dist, "report.css"), style.outputFiles[0].text.trimEnd());

// Whose code is in the bundle: the pages of reports carry this text too, as the licences ask.
const packages = new Set(
  Object.keys(result.metafile.inputs)
    .map(path => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1])
    .filter(Boolean),
);
const byText = new Map();
for (const name of [...packages].sort()) {
  const folder = join(web, "node_modules", name);
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : `Licence: ${about.license}`;
  byText.set(text, [...(byText.get(text) ?? []), `${name} ${about.version} (${about.license})`]);
}
let licences = "The charts of this page are drawn by these packages.\n";
for (const [text, names] of byText) licences += `\n${names.join(", ")}\n\n${text}\n`;
writeFileSync(join(dist, "LICENCES.txt"), licences);
console.log(
  `web: report.js ${(script.length / 1000).toFixed(0)} kB from ${packages.size} packages`,
);
