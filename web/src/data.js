// SPDX-License-Identifier: Apache-2.0
// From the columns in the page to what the charts are drawn from.

/** Names that come again and again are in the page once. */
const valuesOf = column => (Array.isArray(column) ? column : column.at.map(i => column.names[i]));

/** Rows of a chart's table as objects; numbers have their text next to them: value, value_text. */
export function rowsOf(table) {
  const rows = Array.from({length: table.rows}, () => ({}));
  for (const [key, column] of Object.entries(table.columns))
    valuesOf(column).forEach((value, i) => {
      rows[i][key] = value;
    });
  return rows;
}

/**
 * A name as Vega can draw it. It keeps names as keys of plain objects, in which "constructor" and the like are always
 * there: such a name gets a mark of no width.
 */
export const drawable = name => (name in Object.prototype ? `${name}\u2060` : name);

/** Rows of a chart's table as they are drawn. */
export function drawnRows(table) {
  const rows = rowsOf(table);
  for (const row of rows)
    for (const [key, value] of Object.entries(row))
      if (typeof value === "string") row[key] = drawable(value);
  return rows;
}

const prefixes = {G: 1e9, M: 1e6, k: 1e3, m: 1e-3, u: 1e-6, n: 1e-9};
/** What a number is divided by to be in this unit: 1000 for "kJ". */
export const factorOf = unit => (unit?.length > 1 ? (prefixes[unit[0]] ?? 1) : 1);

/** Four significant digits, as the program writes them in its tables. */
export function significant(value) {
  if (value === 0 || value === null) return value === 0 ? "0" : "";
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  return exponent < -5 || exponent > 8
    ? value.toExponential(3)
    : value.toFixed(Math.max(0, 3 - exponent));
}

/** Different values in the order in which they appear. */
export const distinct = values => [...new Set(values)];

/** The field of a role as Vega-Lite wants it: keys are plain, but a dot or bracket would mean a path. */
export const field = key => key.replace(/([\\.[\]])/g, "\\$1");

/** Of any number of values: as arguments of a function a million would not fit. */
export const least = values => values.reduce((a, b) => Math.min(a, b), Infinity);
export const most = values => values.reduce((a, b) => Math.max(a, b), -Infinity);

/** How far numbers above zero spread: the largest over the smallest. */
export function spread(values) {
  const positive = values.filter(value => value > 0);
  return positive.length < values.length || !positive.length ? 1 : most(positive) / least(positive);
}

/** The front of points: no other has at most as much y and at least as good x. */
export function frontOf(points, lowerIsBetter) {
  const better = (a, b) => (lowerIsBetter ? a <= b : a >= b);
  return points.filter(
    one =>
      !points.some(
        other =>
          other !== one &&
          other.y <= one.y &&
          better(other.x, one.x) &&
          (other.y < one.y || other.x !== one.x),
      ),
  );
}

export function shortened(text, length) {
  const characters = [...text];
  return characters.length <= length
    ? text
    : characters.slice(0, Math.max(length - 1, 1)).join("") + "…";
}
