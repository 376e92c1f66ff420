// SPDX-License-Identifier: Apache-2.0
// Charts of runs and ratios: every run, forest plots, energy against time, the order of the runs.
import {
  axisTitle,
  colourOf,
  fitted,
  isBroken,
  ordinal,
  scaleOf,
  scaled,
  shapeOf,
  tooltipOf,
} from "./chart_tools.js";
import {drawnRows, factorOf, field, least, most} from "./data.js";
import {isDark, neutral} from "./theme.js";

export function dots(chart, rows, width) {
  const {x, y, colour} = chart.roles;
  const units = ordinal(rows, y),
    levels = ordinal(rows, colour);
  const step = Math.max(3, Math.min(14, 2400 / (units.length * levels.length)));
  const values = rows.map(row => row[x]);
  const place = {
    y: {field: field(y), type: "nominal", sort: units, title: null, axis: {grid: true}},
    yOffset: {field: field(colour), sort: levels},
    x: {
      field: field(x),
      type: "quantitative",
      title: axisTitle(chart.titles.x, chart.settings.log, values),
      scale: scaleOf(chart.settings.log, values),
    },
    color: colourOf(chart, rows),
  };
  return {
    ...fitted(width),
    height: units.length * (levels.length * step + 8),
    data: {values: rows},
    layer: [
      {
        mark: {type: "point", filled: true, size: 34, opacity: 0.6},
        encoding: {
          ...place,
          shape: shapeOf(chart, rows),
          tooltip: tooltipOf(chart, ["y", "colour", "x", "label"]),
        },
      },
      {
        data: {values: scaled(chart, drawnRows(chart.tables[1]))},
        mark: {type: "tick", thickness: 2, size: step},
        encoding: {...place, color: {value: isDark() ? "#fff" : "#111"}},
      },
    ],
  };
}

export function forest(chart, rows, width) {
  const {x, low, high, y} = chart.roles;
  const units = ordinal(rows, y);
  const margin = chart.settings.margin || 0;
  const all = rows
    .flatMap(row => [row[x], row[low], row[high]])
    .filter(value => value > 0)
    .concat([1, 1 + margin, 1 / (1 + margin)]);
  const from = least(all),
    to = most(all);
  const scale = {...scaleOf(to / from > 1.5, all), nice: false, domain: [from / 1.03, to * 1.03]};
  const across = {field: field(x), type: "quantitative", scale, title: chart.titles.x};
  const up = {field: field(y), type: "nominal", sort: units, title: null, axis: {grid: true}};
  const colour = colourOf(chart, rows, {
    legend: {labelExpr: "datum.label === '' ? 'no winner' : datum.label", symbolOpacity: 1},
  });
  return {
    ...fitted(width),
    height: units.length * Math.max(6, Math.min(22, 3000 / units.length)),
    layer: [
      {
        data: {values: [{from: 1 / (1 + margin), to: 1 + margin}]},
        mark: {type: "rect", color: "#8a8f98", opacity: 0.22},
        encoding: {
          x: {field: "from", type: "quantitative", scale, title: chart.titles.x},
          x2: {field: "to"},
        },
      },
      {
        data: {values: [{one: 1}]},
        mark: {type: "rule", strokeDash: [4, 3]},
        encoding: {x: {field: "one", type: "quantitative", scale}},
      },
      {
        data: {values: rows.filter(row => row[low] > 0)},
        mark: {type: "rule", strokeWidth: 2},
        encoding: {
          x: {...across, field: field(low)},
          x2: {field: field(high)},
          y: up,
          color: colour,
        },
      },
      {
        data: {values: rows},
        mark: {type: "point", filled: true, size: 60},
        encoding: {
          x: across,
          y: up,
          color: colour,
          shape: {
            field: "kind",
            type: "nominal",
            scale: {domain: ["case", "group"], range: ["circle", "diamond"]},
            legend: null,
          },
          tooltip: tooltipOf(chart, ["y", "x", "low", "high", "colour"]),
        },
      },
    ],
  };
}

/** Round powers whose lines go through the points. */
function powerLines(rows, x, y, unitFactor, [left, right]) {
  const watts = rows.map(row => (row[y] / row[x]) * unitFactor);
  const [low, high] = [least(watts), most(watts)];
  const round = [1, 2, 5].flatMap(digit => [-3, -2, -1, 0, 1, 2, 3, 4].map(e => digit * 10 ** e));
  const near = round.filter(watt => watt > low / 1.6 && watt < high * 1.6).sort((a, b) => a - b);
  return near.flatMap(watt =>
    [left, right].map(second => ({
      watt: `${Number(watt.toPrecision(2))} W`,
      second,
      joule: (watt / unitFactor) * second,
    })),
  );
}

export function scatter(chart, rows, width) {
  const {x, y} = chart.roles;
  const {log} = chart.settings;
  const unitOf = role => factorOf(/\[(.+)\]$/.exec(chart.titles[role])?.[1]);
  const edges = key => {
    const values = rows.map(row => row[key]);
    return log
      ? [least(values) / 1.15, most(values) * 1.15]
      : [isBroken(false, values) ? least(values) * 0.97 : 0, most(values) * 1.05];
  };
  const axis = role => ({
    field: field(chart.roles[role]),
    type: "quantitative",
    title: axisTitle(
      chart.titles[role],
      log,
      rows.map(row => row[chart.roles[role]]),
    ),
    scale: {type: log ? "log" : "linear", nice: false, domain: edges(chart.roles[role])},
    axis: {tickCount: 6, grid: false},
  });
  const [across, up] = [axis("x"), axis("y")];
  const [bottom, top] = edges(y);
  const ofPower = powerLines(rows, x, y, unitOf("y") / unitOf("x"), edges(x));
  // Each line is named where it leaves the picture.
  const names = ofPower
    .filter((_, i) => i % 2 === 1)
    .map(({watt, second, joule}) =>
      joule <= top
        ? {watt, second, joule, align: "right"}
        : {watt, second: (second * top) / joule, joule: top, align: "right"},
    )
    .filter(one => one.joule > bottom && one.second > edges(x)[0]);
  const line = {
    x: {...across, field: "second"},
    y: {...up, field: "joule"},
  };
  return {
    ...fitted(width),
    height: 380,
    layer: [
      {
        data: {values: ofPower},
        mark: {type: "line", strokeWidth: 1, color: "#8a8f98", strokeDash: [2, 3], clip: true},
        encoding: {...line, detail: {field: "watt"}},
      },
      {
        data: {values: names},
        mark: {type: "text", align: "right", baseline: "bottom", dx: -4, dy: -1, fontSize: 10},
        encoding: {...line, text: {field: "watt"}, color: {value: neutral()}},
      },
      {
        data: {values: rows},
        mark: {type: "point", filled: true, opacity: 0.6, size: 36},
        encoding: {
          x: across,
          y: up,
          color: colourOf(chart, rows),
          shape: shapeOf(chart, rows),
          tooltip: tooltipOf(chart, ["label", "colour", "x", "y"]),
        },
      },
    ],
  };
}

export function order(chart, rows, width) {
  const {x, y} = chart.roles;
  const units = ordinal(rows, y);
  return {
    data: {values: rows},
    ...fitted(width),
    height: units.length * Math.max(4, Math.min(20, 2400 / units.length)),
    mark: {type: "point", filled: true, size: 40, opacity: 0.8},
    encoding: {
      x: {
        field: field(x),
        type: "quantitative",
        title: chart.titles.x,
        axis: {format: "d", tickMinStep: 1},
      },
      y: {field: field(y), type: "nominal", sort: units, title: null, axis: {grid: true}},
      color: colourOf(chart, rows),
      shape: shapeOf(chart, rows),
      tooltip: tooltipOf(chart, ["x", "y", "colour", "label"]),
    },
  };
}
