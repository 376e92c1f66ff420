// SPDX-License-Identifier: Apache-2.0
// What Vega-Lite is told for each kind of chart. Each function gets the chart, its rows and the width
// in pixels, and gives a specification.
import {
  distinct,
  drawable,
  drawnRows,
  factorOf,
  field,
  frontOf,
  least,
  most,
  spread,
} from "./data.js";

const marks = [
  "circle",
  "square",
  "triangle-up",
  "diamond",
  "cross",
  "triangle-down",
  "triangle-right",
  "triangle-left",
];

/** Whether more than so many marks are drawn: then a canvas is faster than elements. */
export const isLarge = count => count > 3000;

const tooltipOf = (chart, roles) =>
  roles
    .filter(role => chart.roles[role])
    .map(role => {
      const key = chart.roles[role];
      const hasText = chart.tables[0].columns[key + "_text"] !== undefined;
      return {
        field: hasText ? field(key) + "_text" : field(key),
        type: "nominal",
        title: chart.titles[role] || key,
      };
    });

/** A level has the same colour in all charts, also where the rows do not come in the order of the levels. */
function colouredOf(chart, rows) {
  const names = ordinal(rows, chart.roles.colour);
  return distinct([...chart.coloured.map(drawable).filter(name => names.includes(name)), ...names]);
}

/** More names than our palette has colours get a larger one, in which neighbours are harder to tell apart. */
function colourOf(chart, rows, extra = {}) {
  const domain = colouredOf(chart, rows);
  return {
    field: field(chart.roles.colour),
    type: "nominal",
    title: chart.titles.colour,
    scale: {domain, ...(domain.length > 8 ? {scheme: "tableau20"} : {})},
    legend: {symbolOpacity: 1},
    ...extra,
  };
}

const shapeOf = (chart, rows) => ({
  field: field(chart.roles.colour),
  type: "nominal",
  title: chart.titles.colour,
  scale: {domain: colouredOf(chart, rows), range: marks},
});

/** A logarithmic axis ends near its values: the next power of ten is mostly far away. */
function scaleOf(isLog, values) {
  if (!isLog) return {type: "linear", zero: false, nice: true};
  return {type: "log", nice: false, domain: [least(values) / 1.1, most(values) * 1.1]};
}

const ordinal = (rows, key) => distinct(rows.map(row => row[key]));

/** Axes are in the unit that the column's texts are in: numbers are scaled, not formatted. */
export function scaled(chart, rows) {
  const factors = {};
  for (const [role, title] of Object.entries(chart.titles)) {
    const unit = /\[(.+)\]$/.exec(title)?.[1];
    if (factorOf(unit) !== 1 && chart.roles[role]) factors[chart.roles[role]] = factorOf(unit);
  }
  for (const [key, factor] of Object.entries(factors))
    for (const row of rows) if (typeof row[key] === "number") row[key] /= factor;
  return rows;
}

export function dots(chart, rows, width) {
  const {x, y, colour} = chart.roles;
  const units = ordinal(rows, y),
    levels = ordinal(rows, colour);
  const step = Math.max(3, Math.min(14, 2400 / (units.length * levels.length)));
  const place = {
    y: {field: field(y), type: "nominal", sort: units, title: null, axis: {grid: true}},
    yOffset: {field: field(colour), sort: levels},
    x: {
      field: field(x),
      type: "quantitative",
      title: chart.titles.x,
      scale: scaleOf(
        chart.settings.log,
        rows.map(row => row[x]),
      ),
    },
    color: colourOf(chart, rows),
  };
  return {
    width: Math.max(300, width - 280),
    height: {step, for: "offset"},
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
        encoding: {...place, color: {value: "currentColor"}},
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
  const colour = colourOf(chart, rows, {title: null});
  return {
    width: Math.max(300, width - 280),
    height: {step: Math.max(6, Math.min(22, 3000 / units.length))},
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

const largestBubble = 900,
  widestBubble = 18; // pixels of area and of radius: none lies over an axis
export function bubble(chart, rows, width) {
  const {x, y, size, facet, better} = chart.roles;
  const panels = facet ? ordinal(rows, facet) : [""];
  for (const panel of panels) {
    const here = rows
      .filter(row => !facet || row[facet] === panel)
      .map(row => ({row, x: row[x], y: row[y]}));
    for (const one of frontOf(here, here[0].row[better] === "lower")) one.row.at_front = true;
    for (const {row} of here) row.panel = `${panel} (${row[better]} is better)`;
  }
  const encoding = {
    x: {
      field: field(x),
      type: "quantitative",
      title: chart.titles.x,
      scale: {zero: false, padding: widestBubble},
    },
    y: {
      field: field(y),
      type: "quantitative",
      title: chart.titles.y,
      scale: {
        ...scaleOf(
          spread(rows.map(row => row[y])) > 20,
          rows.map(row => row[y]),
        ),
        padding: widestBubble,
      },
    },
  };
  const columns = Math.min(panels.length, width > 700 ? 2 : 1);
  const layer = [
    {
      transform: [{filter: "datum.at_front"}],
      mark: {type: "line", strokeDash: [5, 3], color: "#8a8f98"},
      encoding,
    },
    {
      mark: {type: "point", opacity: 0.75, strokeWidth: 1.5},
      encoding: {
        ...encoding,
        size: {
          field: field(size),
          type: "quantitative",
          title: chart.titles.size,
          scale: {range: [30, largestBubble]},
        },
        color: colourOf(chart, rows),
        fillOpacity: {condition: {test: "datum.front === 'yes'", value: 0.55}, value: 0},
        fill: colourOf(chart, rows),
        tooltip: tooltipOf(chart, ["label", "colour", "x", "y", "size", "front"]),
      },
    },
  ];
  const panel = {width: Math.max(240, width / columns - 110), height: 320, layer};
  if (!facet) return {...panel, data: {values: rows}};
  return {
    data: {values: rows},
    columns,
    facet: {
      field: "panel",
      type: "nominal",
      sort: distinct(rows.map(row => row.panel)),
      title: null,
    },
    spec: panel,
    resolve: {scale: {x: "independent", y: "independent"}},
  };
}

/** Small panels, as many in a row as fit. */
export function lines(chart, rows, width) {
  const {x, y, facet, line, label} = chart.roles;
  const panels = ordinal(rows, facet);
  const columns = Math.max(1, Math.min(panels.length, Math.floor(width / 270)));
  const isOrdinal = chart.settings.ordinal;
  const mark = {type: "line", point: chart.settings.points ? {size: 22} : false, strokeWidth: 1.8};
  return {
    data: {values: rows},
    columns,
    spacing: {row: 14, column: 12},
    facet: {field: field(facet), type: "nominal", sort: panels, title: null},
    resolve: {scale: {x: isOrdinal ? "shared" : "independent", y: "independent"}},
    spec: {
      width: Math.max(150, Math.min(520, width / columns - 85)),
      height: panels.length > 4 ? 120 : 220,
      mark,
      encoding: {
        x: isOrdinal
          ? {
              field: field(x),
              type: "nominal",
              sort: ordinal(rows, x),
              title: null,
              axis: {labelAngle: 0},
            }
          : {field: field(x), type: "quantitative", title: chart.titles.x, axis: {tickCount: 4}},
        y: {
          field: field(y),
          type: "quantitative",
          title: chart.titles.y,
          scale: {zero: false},
          axis: {tickCount: 4},
        },
        color: colourOf(chart, rows),
        ...(line
          ? {strokeDash: {field: field(line), type: "nominal", title: chart.titles.line}}
          : {}),
        ...(label ? {order: {field: field(x), type: "quantitative"}} : {}),
        tooltip: tooltipOf(chart, ["facet", "colour", "line", "label", "x", "y"]),
      },
    },
  };
}

export function sweep(chart, rows, width) {
  const {x, y, panel, line} = chart.roles;
  const panels = ordinal(rows, panel);
  const each = Math.max(130, Math.min(620, (width - 90) / panels.length - 30));
  const zero = spread(rows.map(row => row[y])) > 3;
  const colours = colourOf(chart, rows);
  return {
    data: {values: rows},
    resolve: {scale: {y: "shared", color: "shared"}},
    spacing: 16,
    hconcat: panels.map((name, i) => {
      const levels = ordinal(
        rows.filter(row => row[panel] === name),
        x,
      );
      const across = {
        field: field(x),
        type: "nominal",
        sort: levels,
        title: name,
        axis: {labelAngle: levels.length > 4 ? -35 : 0, grid: false},
      };
      const up = {
        field: field(y),
        type: "quantitative",
        title: i === 0 ? chart.titles.y : null,
        scale: {zero, nice: true},
      };
      return {
        width: each,
        height: 200,
        transform: [{filter: {field: field(panel), equal: name}}],
        layer: [
          {
            mark: {type: "line", strokeWidth: 1, opacity: 0.28},
            encoding: {x: across, y: up, color: colours, detail: {field: field(line)}},
          },
          {
            mark: {type: "point", filled: true, size: 20, opacity: 0.5},
            encoding: {
              x: across,
              y: up,
              color: colours,
              tooltip: tooltipOf(chart, ["panel", "x", "colour", "line", "y"]),
            },
          },
          {
            mark: {type: "line", strokeWidth: 3.2, point: {size: 55, filled: true}},
            encoding: {x: across, y: {...up, aggregate: "mean"}, color: colours},
          },
        ],
      };
    }),
  };
}

export function heat(chart, rows, width) {
  const {x, y, value, panel} = chart.roles;
  for (const row of rows) row.logarithm = Math.log2(row[value]);
  const far = Math.max(0.05, most(rows.map(row => Math.abs(row.logarithm))));
  const colour = {
    field: "logarithm",
    type: "quantitative",
    scale: {scheme: "blueorange", domain: [-far, far]},
    legend: null,
  };
  const columns = Math.max(1, Math.floor(width / 400));
  return {
    columns,
    spacing: 24,
    resolve: {scale: {x: "independent", y: "independent"}},
    concat: ordinal(rows, panel).map(name => {
      const here = rows.filter(row => row[panel] === name);
      const place = {
        x: {
          field: field(x),
          type: "nominal",
          sort: ordinal(here, x),
          title: null,
          axis: {labelAngle: -25},
        },
        y: {field: field(y), type: "nominal", sort: ordinal(here, y), title: null},
      };
      return {
        title: name,
        data: {values: here},
        width: {step: Math.max(34, Math.min(64, 260 / ordinal(here, x).length))},
        height: {step: 26},
        layer: [
          {
            mark: "rect",
            encoding: {
              ...place,
              color: colour,
              tooltip: tooltipOf(chart, ["panel", "y", "x", "value"]),
            },
          },
          {
            mark: {type: "text", fontSize: 10},
            encoding: {
              ...place,
              text: {field: field(value), type: "quantitative", format: ".3f"},
              color: {
                condition: {test: `abs(datum.logarithm) > ${0.6 * far}`, value: "#fff"},
                value: "#111",
              },
            },
          },
        ],
      };
    }),
  };
}

export function bars(chart, rows, width) {
  const {x, y, colour} = chart.roles;
  const names = ordinal(rows, y);
  return {
    data: {values: rows},
    width: Math.max(280, width - 300),
    height: {step: 22},
    mark: {type: "bar", ...(colour ? {} : {color: "#3d85b8"})},
    encoding: {
      y: {field: field(y), type: "nominal", sort: names, title: null},
      x: {
        field: field(x),
        type: "quantitative",
        title: chart.titles.x,
        axis: {format: chart.settings.percent ? ".0%" : ".3~s"},
        ...(chart.settings.stacked ? {stack: "zero", scale: {domainMax: 1, nice: false}} : {}),
      },
      ...(colour
        ? {color: colourOf(chart, rows), order: {field: field(x), sort: "descending"}}
        : {}),
      tooltip: tooltipOf(chart, ["y", "colour", "x"]),
    },
  };
}

export function scatter(chart, rows, width) {
  const axis = role => {
    const values = rows.map(row => row[chart.roles[role]]);
    return {
      field: field(chart.roles[role]),
      type: "quantitative",
      title: chart.titles[role],
      scale: scaleOf(chart.settings.log, values),
    };
  };
  return {
    data: {values: rows},
    width: Math.max(300, width - 110),
    height: 380,
    mark: {type: "point", filled: true, opacity: 0.6, size: 36},
    encoding: {
      x: axis("x"),
      y: axis("y"),
      color: colourOf(chart, rows),
      shape: shapeOf(chart, rows),
      tooltip: tooltipOf(chart, ["label", "colour", "x", "y"]),
    },
  };
}

export function order(chart, rows, width) {
  const {x, y} = chart.roles;
  const units = ordinal(rows, y);
  return {
    data: {values: rows},
    width: Math.max(300, width - 280),
    height: {step: Math.max(4, Math.min(20, 2400 / units.length))},
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
