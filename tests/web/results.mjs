// SPDX-License-Identifier: Apache-2.0
// Results to make reports of: small ones of the shapes that the published studies have, one that
// prengdl measures itself, and one with hostile names. Real data are taken where they are given:
// PRENGDL_ICSE22 and PRENGDL_ITU23 name directories as `prengdl import` takes them, PRENGDL_QUICK a
// result of studies/quick.toml.
import {execFileSync} from "node:child_process";
import {mkdirSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {fileURLToPath} from "node:url";

const source = fileURLToPath(new URL("../..", import.meta.url));
export const program = process.env.PRENGDL ?? join(source, "build/prengdl");

export const hostileNames = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(2)>",
  "a\"b'c",
  "\u05d0\u05d1\u05d2 \u202e reversed",
  "x".repeat(10000),
];

export const run = (...words) =>
  execFileSync(program, words, {
    stdio: ["ignore", "pipe", "pipe"],
    env: {...process.env, PYTHONPATH: join(source, "python")},
  });

/** Numbers that scatter, the same every time. */
function scattered(seed) {
  let state = seed;
  return () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
}

function icse22Files(folder) {
  const next = scattered(22);
  for (const [phase, seconds] of [
    ["train", 40],
    ["inference", 8],
  ]) {
    const at = join(folder, "data", `measurements_${phase}`);
    mkdirSync(at, {recursive: true});
    for (const [model, factor] of [
      ["ncf", 1],
      ["resnet50", 1.6],
    ])
      for (const [framework, more] of [
        ["PyTorch", 1],
        ["TensorFlow", model === "ncf" ? 1.3 : 0.8],
      ])
        for (let i = 1; i <= 4; ++i) {
          const time = seconds * factor * more * (1 + 0.03 * next());
          const joules = (50 * time * (1 + 0.02 * next())).toFixed(2);
          writeFileSync(
            join(at, `${model}_${framework}_perf_${i}.txt`),
            `\n Performance counter stats for 'system wide':\n\n` +
              `          ${joules} Joules power/energy-pkg/\n          ${(joules / 9).toFixed(2)} Joules power/energy-ram/\n\n     ${time.toFixed(9)} seconds time elapsed\n`,
          );
          writeFileSync(
            join(at, `${model}_${framework}_nvidia_smi_${i}.txt`),
            Array.from(
              {length: Math.round(time)},
              () => `${(80 + 20 * next()).toFixed(2)} W\n`,
            ).join(""),
          );
        }
  }
  const profiles = join(folder, "data", "cProfile_results");
  mkdirSync(profiles, {recursive: true});
  const script = join(folder, "profiled.py");
  writeFileSync(
    script,
    "import json\nfor i in range(2000): json.loads(json.dumps(list(range(50))))\n",
  );
  execFileSync("python3", [
    "-m",
    "cProfile",
    "-o",
    join(profiles, "ncf_pytorch_train.prof"),
    script,
  ]);
}

function itu23Files(folder) {
  const next = scattered(23);
  const stamp = seconds =>
    new Date(Date.UTC(2023, 4, 8) + Math.round(seconds * 1000)).toISOString().slice(0, 23);
  let clock = 0;
  for (const framework of ["tensorflow", "pytorch"]) {
    // as the study made them: not in the order of the levels
    const at = join(folder, "experiments", "gpu", framework);
    mkdirSync(at, {recursive: true});
    for (const dataset of ["CIFAR10", "CIFAR100"])
      for (const [model, depth] of [
        ["resnet50", 1],
        ["resnet101", 1.5],
      ])
        for (const batch of [32, 64])
          for (const i of [1, 2]) {
            const name = join(
              at,
              `run${i}-gpu-epoch10-batchsize${batch}-${framework}-${dataset}-${model}`,
            );
            const epoch =
              5 *
              depth *
              (framework === "pytorch" ? 1 : 1.3) *
              (batch === 32 ? 1.5 : 1) *
              (1 + 0.05 * next());
            let energy =
              "timestamp, power.draw [W], temperature.gpu, memory.used [MiB], utilization.gpu [%], utilization.memory [%]\n";
            let told = "epoch;precision;recall;accuracy;f1;timestamp\n";
            for (let second = 0; second <= 10 * epoch + 2; ++second)
              energy += `${stamp(clock + second)
                .replace(/-/g, "/")
                .replace(
                  "T",
                  " ",
                )}, ${(100 + 40 * next()).toFixed(2)} W, 40, 2090 MiB, ${Math.round(40 + 30 * next())} %, 17 %\n`;
            for (let one = 0; one < 10; ++one) {
              const reached = (dataset === "CIFAR10" ? 0.3 : 0.1) + 0.02 * one + 0.01 * next();
              told += `${one};${reached};${reached};${reached};${reached};${stamp(
                clock + (one + 1) * epoch,
              )
                .slice(0, 19)
                .replace("T", " ")}\n`;
            }
            writeFileSync(`${name}-ENERGY.csv`, energy);
            writeFileSync(`${name}_MODEL.csv`, told);
            clock += 10 * epoch + 10;
          }
  }
}

/** A result of the shape of studies/quick.toml, from a workload that needs no framework. */
function runQuick(folder, result) {
  mkdirSync(folder, {recursive: true});
  writeFileSync(
    join(folder, "work.py"),
    `
import prengdl, sys, time
framework, model, phase = sys.argv[1:]
seconds = {"pytorch": 0.02, "tensorflow": 0.03}[framework] * (2 if model == "resnet50" else 1)
def step(): time.sleep(seconds / 4)
with prengdl.span("load"): time.sleep(0.01)
with prengdl.span("train" if phase == "train" else "infer"):
    for epoch in range(1, 4):
        with prengdl.span("epoch", str(epoch)):
            step()
            if model == "ncf": prengdl.metric("hit_rate_10", 0.5 + 0.1 * epoch, epoch)
            else: prengdl.metric("top5_error", 0.5 - 0.1 * epoch, epoch)
prengdl.work("samples", 96)
prengdl.fact("framework_version", "1.0")
`,
  );
  writeFileSync(
    join(folder, "quick.toml"),
    `
[study]
name = "quick"
runs = 6
seed = 1
[protocol]
warmup = 0
settle = "off"
[factors]
framework = ["pytorch", "tensorflow"]
model = ["resnet50", "ncf"]
phase = ["train", "infer"]
[[exclude]]
model = "ncf"
phase = "infer"
[workload]
command = ["python3", "work.py", "{framework}", "{model}", "{phase}"]
[analysis]
compare = "framework"
within = ["model", "phase"]
primary = "metered"
without_meter = "seconds"
secondary = ["seconds"]
test = "log-t"
`,
  );
  run("run", join(folder, "quick.toml"), "--profile", "-o", result);
}

/** Levels that every object of JavaScript has a property of, and others that are hard to show. */
export const propertyNames = ["constructor", "__proto__", "toString"];
export const hardNames = [
  "hasOwnProperty",
  "valueOf",
  "<b>bold</b> &amp;",
  "a\"b'c`d",
  "\ud83d\ude42 emoji",
  "l".repeat(200),
];

/** Levels of 40 characters. */
export const longLevels = [
  "a framework with forty characters, the 1".padEnd(40, "."),
  "another_framework-with-forty.characters2".padEnd(40, "."),
];

/** A table of runs as `import csv` takes it: each level a part slower than the one before. */
function csvTable(file, levels, cases, runs) {
  const next = scattered(7);
  const quoted = text => `"${text.replaceAll('"', '""')}"`;
  let text = "framework,model,seconds,joules,accuracy\n";
  for (let i = 0; i < runs; ++i)
    for (const [c, name] of cases.entries())
      for (const [l, level] of levels.entries()) {
        // Which level is faster, and by how much, differs from case to case.
        const slower = c % 5 === 3 ? 1 / (1 + 0.15 * l) : 1 + 0.1 * l * (1 + (c % 7));
        const seconds = (10 + 5 * c) * slower * (1 + 0.03 * next());
        text += `${quoted(level)},${quoted(name)},${seconds.toFixed(4)},${(80 * seconds * (1 + 0.02 * next())).toFixed(3)},${(0.8 + 0.02 * l + 0.01 * next()).toFixed(4)}\n`;
      }
  writeFileSync(file, text);
}

function importTable(folder, name, result, levels, cases, runs, quality = "chip") {
  const file = join(folder, `${name}.csv`);
  csvTable(file, levels, cases, runs);
  run(
    "import",
    "csv",
    file,
    "-o",
    result,
    "--quality",
    quality,
    "--compare",
    "framework",
    "--map",
    "seconds=seconds,joules_package=joules,factor:framework=framework,factor:model=model,metric:accuracy=accuracy",
  );
}

/** The result of that name below the folder, and the path of its report. */
export function makeReport(name, folder) {
  const result = join(folder, name),
    page = join(folder, `${name}.html`);
  if (name === "icse22" || name === "itu23") {
    let data = process.env[`PRENGDL_${name.toUpperCase()}`];
    if (!data) {
      data = join(folder, `${name}-files`);
      (name === "icse22" ? icse22Files : itu23Files)(data);
    }
    run("import", name, data, "-o", result);
  } else if (name === "quick") {
    if (process.env.PRENGDL_QUICK) {
      run("report", process.env.PRENGDL_QUICK, "-o", page);
      return page;
    }
    runQuick(join(folder, "quick-files"), result);
  } else if (name === "measure") {
    run(
      "measure",
      "-n",
      "4",
      "--name",
      "one",
      "--name",
      "two",
      "-c",
      "sleep 0.03",
      "-c",
      "sleep 0.05",
      "-o",
      result,
    );
  } else if (name === "names") {
    importTable(folder, name, result, propertyNames, hardNames, 4);
  } else if (name === "many") {
    importTable(
      folder,
      name,
      result,
      ["pytorch", "tensorflow"],
      Array.from({length: 12}, (_, i) => `model ${i + 1}`),
      500,
    );
  } else if (name === "cases") {
    importTable(
      folder,
      name,
      result,
      ["pytorch", "tensorflow"],
      Array.from({length: 60}, (_, i) => `model ${i + 1}`),
      3,
    );
  } else if (/^long-\d+$/.test(name)) {
    importTable(
      folder,
      name,
      result,
      longLevels,
      Array.from({length: Number(name.slice(5))}, (_, i) => `model ${i + 1}`),
      4,
    );
  } else if (name === "levels") {
    importTable(
      folder,
      name,
      result,
      Array.from({length: 6}, (_, i) => `runtime ${i + 1}`),
      Array.from({length: 5}, (_, i) => `model ${i + 1}`),
      4,
    );
  } else if (name === "modelled") {
    importTable(folder, name, result, ["pytorch", "tensorflow"], ["ncf", "resnet50"], 4, "model");
  } else {
    run(
      "measure",
      "-n",
      "2",
      ...hostileNames.flatMap(one => ["--name", one]),
      ...hostileNames.flatMap(() => ["-c", "true"]),
      "-o",
      result,
    );
  }
  run("report", result, "-o", page);
  return page;
}
