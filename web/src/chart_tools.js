// SPDX-License-Identifier: Apache-2.0
// What the specifications of all charts share: colours, shapes, axes.
import {distinct, drawable, factorOf, field, least, most} from "./data.js";
import {categories, neutral, palette} from "./theme.js";

export const marks = [
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

export const tooltipOf = (chart, roles) =>
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
export function colouredOf(chart, rows) {
  const names = ordinal(rows, chart.roles.colour);
  return distinct([...chart.coloured.map(drawable).filter(name => names.includes(name)), ...names]);
}

let levels = [];

/** The compared levels: each has one colour and one shape in all charts. */
export function setLevels(names) {
  levels = names.map(drawable);
}

/** Colours by name: those of levels, or others where the names are no levels. An empty name is neutral. */
export function rangeOf(names) {
  const areLevels = names.some(name => levels.includes(name));
  const [own, other] = [palette(), categories()];
  return names.map((name, i) => {
    if (name === "" || name === "disagrees") return name ? own[3] : neutral();
    return areLevels
      ? own[Math.max(0, levels.indexOf(name)) % own.length]
      : other[i % other.length];
  });
}

export function colourOf(chart, rows, extra = {}) {
  const domain = colouredOf(chart, rows);
  return {
    field: field(chart.roles.colour),
    type: "nominal",
    title: null,
    scale: {domain, range: rangeOf(domain)},
    legend: {symbolOpacity: 1},
    ...extra,
  };
}

/** With more levels than colours, a shape tells those of one colour apart. */
export const shapeOf = (chart, rows) => {
  const domain = colouredOf(chart, rows);
  const place = (name, i) => (levels.includes(name) ? levels.indexOf(name) : i);
  return {
    field: field(chart.roles.colour),
    type: "nominal",
    title: null,
    legend: {symbolOpacity: 1},
    scale: {
      domain,
      range: domain.map((name, i) => {
        const at = place(name, i);
        return marks[(at + Math.floor(at / 8)) % marks.length];
      }),
    },
  };
};

/** Whether values are so near to each other that an axis from zero would hide how they differ. */
export const isBroken = (isLog, values) => !isLog && least(values) > 0.6 * most(values);

/** An axis that does not begin at zero says so. */
export const axisTitle = (title, isLog, values) =>
  isBroken(isLog, values) ? `${title} (the axis does not begin at 0)` : title;

/** A logarithmic axis ends near its values: the next power of ten is mostly far away. */
export function scaleOf(isLog, values) {
  if (!isLog) return {type: "linear", zero: !isBroken(isLog, values), nice: true};
  return {type: "log", nice: false, domain: [least(values) / 1.1, most(values) * 1.1]};
}

/** As wide as its frame, whatever the labels take. */
export const fitted = width => ({width, autosize: {type: "fit-x", contains: "padding"}});

export const ordinal = (rows, key) => distinct(rows.map(row => row[key]));

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
