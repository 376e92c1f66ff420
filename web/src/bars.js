// SPDX-License-Identifier: Apache-2.0
// Bars: shares of the variation, and of the time by class of API.
import {fitted, ordinal, tooltipOf} from "./chart_tools.js";
import {field} from "./data.js";
import {categories, isDark} from "./theme.js";

/** The largest categories by their sum; the others are put together: more colours would look alike. */
function withFewColours(rows, {x, y, colour}) {
  const sums = new Map();
  for (const row of rows) sums.set(row[colour], (sums.get(row[colour]) ?? 0) + row[x]);
  const names = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a));
  const rest = "all others";
  if (names.length <= categories().length) return {rows, names};
  const kept = names.slice(0, categories().length - 1);
  const merged = new Map();
  for (const row of rows) {
    const name = kept.includes(row[colour]) ? row[colour] : rest;
    const known = merged.get(`${row[y]}\n${name}`);
    if (known) known[x] += row[x];
    else
      merged.set(`${row[y]}\n${name}`, {
        ...row,
        [colour]: name,
        ...(name === rest ? {merged: 1} : {}),
      });
  }
  for (const row of merged.values())
    if (row.merged) row[`${x}_text`] = `${(100 * row[x]).toFixed(1)} %`;
  return {rows: [...merged.values()], names: [...kept, rest]};
}

/** Segments of a stacked bar with where they begin and end, so that a name can stand inside. */
function segments(rows, {x, y, colour}, names) {
  const ends = new Map();
  return names.flatMap(name =>
    rows
      .filter(row => row[colour] === name)
      .map(row => {
        const begin = ends.get(row[y]) ?? 0;
        ends.set(row[y], begin + row[x]);
        return {...row, begin, end: begin + row[x], middle: begin + row[x] / 2};
      }),
  );
}

export function bars(chart, rows, width) {
  const {x, y, colour} = chart.roles;
  const bands = ordinal(rows, y);
  const up = {field: field(y), type: "nominal", sort: bands, title: null};
  const axis = {format: chart.settings.percent ? ".0%" : ".3~s", tickCount: 5};
  const frame = {...fitted(width), height: bands.length * 24};
  if (!colour)
    return {
      ...frame,
      data: {values: rows},
      encoding: {y: up, x: {field: field(x), type: "quantitative", title: chart.titles.x, axis}},
      layer: [
        {
          mark: {type: "bar", color: categories()[0]},
          encoding: {tooltip: tooltipOf(chart, ["y", "x"])},
        },
        {
          mark: {type: "text", align: "left", dx: 4, fontSize: 11},
          encoding: {text: {field: `${field(x)}_text`, type: "nominal"}},
        },
      ],
    };
  const few = withFewColours(rows, chart.roles);
  const values = segments(few.rows, chart.roles, few.names);
  const scale = {domain: [0, 1], nice: false};
  const room = (width * 0.75) / 6.2; // letters in the whole width
  return {
    ...frame,
    data: {values},
    layer: [
      {
        mark: {type: "bar", stroke: isDark() ? "#15181c" : "#fff", strokeWidth: 1},
        encoding: {
          y: up,
          x: {field: "begin", type: "quantitative", title: chart.titles.x, axis, scale},
          x2: {field: "end"},
          color: {
            field: field(colour),
            type: "nominal",
            title: null,
            sort: few.names,
            scale: {domain: few.names, range: categories()},
          },
          tooltip: tooltipOf(chart, ["y", "colour", "x"]),
        },
      },
      {
        transform: [
          {
            filter: `(datum.end - datum.begin) * ${room} > length(datum[${JSON.stringify(colour)}]) + 1`,
          },
        ],
        mark: {type: "text", fontSize: 10, color: "#111", interactive: false},
        encoding: {
          y: up,
          x: {field: "middle", type: "quantitative", scale},
          text: {field: field(colour), type: "nominal"},
        },
      },
    ],
  };
}
