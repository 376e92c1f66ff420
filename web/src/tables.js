// SPDX-License-Identifier: Apache-2.0
// Tables that sort by a click, or by the keyboard, on the head of a column.

import {factorOf, rowsOf, significant} from "./data.js";

const numberOf = cell => (cell?.dataset.v === undefined ? null : Number(cell.dataset.v));

/** Numbers by their value, texts as people sort them ("r2" before "r10"), cells without either last. */
function compare(a, b, direction) {
  const x = numberOf(a),
    y = numberOf(b);
  const isEmpty = cell => cell.dataset.v === undefined && cell.textContent === "";
  if (isEmpty(a) || isEmpty(b)) return isEmpty(a) - isEmpty(b);
  if (x !== null && y !== null) return direction * (x - y);
  return direction * a.textContent.localeCompare(b.textContent, undefined, {numeric: true});
}

function sortBy(table, column, head) {
  const direction = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row, place) => ({row, place, cell: row.cells[column]}));
  rows.sort((a, b) => compare(a.cell, b.cell, direction) || a.place - b.place);
  body.append(...rows.map(one => one.row));
}

/** The text stays outside of the button: on paper, the heads that are repeated have no buttons in them. */
export function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", `Sort by ${head.textContent}`);
    head.append(button);
    head.addEventListener("click", () => sortBy(table, column, head));
  });
}

/** Each cell under the name of its column, for frames in which the columns do not fit side by side. */
function stack(table) {
  const names = [...table.tHead.rows[0].cells].map(head => head.textContent);
  for (const row of table.tBodies[0].rows)
    [...row.cells].forEach((cell, i) => {
      cell.dataset.head = names[i];
      cell.classList.toggle("none", cell.textContent === "");
    });
  table.classList.add("stacked");
}

/** All columns are inside of the frame: side by side where they fit, else below each other. */
export function fitTables() {
  const tables = [...document.querySelectorAll(".scroll > table:not(.code)")];
  for (const table of tables) table.classList.remove("stacked");
  const wide = tables.filter(
    table => table.tHead && table.offsetWidth > table.parentElement.clientWidth,
  );
  wide.forEach(stack);
}

/** A table of thousands of rows is made when its reader opens it. */
export function makeLater(details, table) {
  details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("table")) return;
    const made = document.createElement("table");
    made.className = "sortable";
    made.createCaption().textContent = table.title;
    const head = made.createTHead().insertRow();
    for (const column of table.heads) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.className = column.number ? "n" : "";
      cell.textContent = column.unit ? `${column.title} [${column.unit}]` : column.title;
      head.append(cell);
    }
    const body = made.createTBody();
    for (const row of rowsOf(table)) {
      const line = body.insertRow();
      for (const {key, unit, number} of table.heads) {
        const cell = line.insertCell();
        if (!number) {
          cell.textContent = row[key];
          continue;
        }
        cell.className = "n";
        cell.textContent =
          row[`${key}_text`] ?? significant(row[key] === null ? null : row[key] / factorOf(unit));
        if (row[key] !== null) cell.dataset.v = row[key];
      }
    }
    const frame = document.createElement("div");
    frame.className = "scroll long";
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", table.title);
    frame.append(made);
    details.append(frame);
    makeSortable(made);
    fitTables();
  });
}
