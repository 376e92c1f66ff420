// SPDX-License-Identifier: Apache-2.0
// The page of a report: draws its charts when they come into view, sorts its tables, changes its theme.
import embed from "vega-embed";
import {expressionInterpreter} from "vega-interpreter";
import {drawnRows} from "./data.js";
import {addThemeButton, config, isDark} from "./theme.js";
import {fitTables, makeLater, makeSortable} from "./tables.js";
import * as specs from "./specs.js";
import {PowerChooser} from "./power.js";
import {ProfileChooser, callGraph, flame} from "./calls.js";

class Figure {
  constructor(chart, figure) {
    this.chart = chart;
    this.figure = figure;
    this.plot = figure.querySelector(".plot");
    this.isDrawn = false;
    this.turn = Promise.resolve();
    const redraw = () => this.draw();
    if (chart.kind === "power") this.chooser = new PowerChooser(chart, figure, redraw);
    if (chart.kind === "flame" || chart.kind === "call_graph")
      this.chooser = new ProfileChooser(chart, figure, redraw);
    this.addTools();
    for (const details of figure.querySelectorAll("details[data-table]"))
      makeLater(details, chart.tables[Number(details.dataset.table)]);
  }

  spec() {
    const {chart} = this;
    const width = Math.max(320, this.plot.clientWidth || 900);
    if (chart.kind === "power") return {spec: this.chooser.spec(chart, width), marks: 0};
    if (chart.kind === "flame") return {spec: flame(chart, this.chooser, width), marks: 0};
    if (chart.kind === "call_graph") return {spec: callGraph(chart, this.chooser, width), marks: 0};
    const rows = specs.scaled(chart, drawnRows(chart.tables[0]));
    return {spec: specs[chart.kind](chart, rows, width), marks: rows.length};
  }

  /** One drawing after the other: a second one waits for the first. */
  draw() {
    this.isDrawn = true;
    this.turn = this.turn
      .then(async () => {
        const {spec, marks} = this.spec();
        this.view?.finalize();
        // Its own element: the one that it is put in is as narrow as what is drawn.
        const target = document.createElement("div");
        // The plot is an image with a name and a description: its marks are not read out one by one.
        const picture = document.createElement("div");
        picture.setAttribute("aria-hidden", "true");
        picture.append(target);
        this.plot.replaceChildren(picture);
        const result = await embed(
          target,
          {$schema: "https://vega.github.io/schema/vega-lite/v6.json", ...spec},
          {
            mode: "vega-lite",
            actions: false,
            ast: true,
            expr: expressionInterpreter,
            config: config(),
            renderer: specs.isLarge(marks) ? "canvas" : "svg",
            tooltip: {theme: isDark() ? "dark" : "light"},
          },
        );
        this.view = result.view;
        if (this.chart.kind === "flame")
          this.view.addEventListener("click", (event, item) => {
            if (item?.datum?.end) this.chooser.zoomTo(item.datum, () => this.draw());
          });
        this.figure.dataset.drawn = "yes";
      })
      .catch(error => {
        this.plot.textContent = `This chart could not be drawn (${error.message}). Its figures are in the table.`;
        console.error(`${this.chart.id}: ${error.stack}`);
      });
    return this.turn;
  }

  addTools() {
    const bar = document.createElement("div");
    bar.className = "tools";
    for (const format of ["SVG", "PNG"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "tool";
      button.textContent = `Save as ${format}`;
      button.setAttribute("aria-label", `Save as ${format}: ${this.chart.title}`);
      button.addEventListener("click", () => this.save(format.toLowerCase()));
      bar.append(button);
    }
    this.plot.after(bar);
  }

  async save(format) {
    if (!this.isDrawn) this.draw();
    await this.turn;
    const background = isDark() ? "#15181c" : "#ffffff";
    this.view.background(background);
    const url =
      format === "svg"
        ? URL.createObjectURL(new Blob([await this.view.toSVG()], {type: "image/svg+xml"}))
        : await this.view.toImageURL("png", 2);
    const link = document.createElement("a");
    link.href = url;
    link.download = `${this.chart.id.replace(/[^A-Za-z0-9-]+/g, "_")}.${format}`;
    link.click();
    if (format === "svg") setTimeout(() => URL.revokeObjectURL(url), 10000);
  }
}

const page = JSON.parse(document.getElementById("charts").textContent);
specs.setLevels(page.levels);
const charts = new Map(page.charts.map(chart => [chart.id, chart]));
const figures = [...document.querySelectorAll("figure.chart")].map(
  figure => new Figure(charts.get(figure.dataset.chart), figure),
);

const watcher = new IntersectionObserver(
  entries => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      const one = figures.find(figure => figure.figure === entry.target);
      if (!one.isDrawn) one.draw();
    }
  },
  {rootMargin: "800px"},
);
for (const one of figures) watcher.observe(one.figure);

const drawAll = () => Promise.all(figures.map(one => (one.isDrawn ? one.turn : one.draw())));
const redrawAll = () => {
  for (const one of figures) if (one.isDrawn) one.draw();
};

addThemeButton(redrawAll);
for (const table of document.querySelectorAll("table.sortable")) makeSortable(table);
fitTables();
for (const box of document.querySelectorAll(".more-columns"))
  box.addEventListener("change", fitTables);
for (const details of document.querySelectorAll("details"))
  details.addEventListener("toggle", () => {
    if (details.open) fitTables();
  });

// Once the page is idle the rest is drawn too, so that all of it prints.
const later = globalThis.requestIdleCallback ?? (work => setTimeout(work, 300));
function drawNext() {
  const next = figures.find(one => !one.isDrawn);
  if (next) next.draw().then(() => later(drawNext));
}
later(drawNext);
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details.folded, details.cautions"))
    details.open = true;
  drawAll();
});

let resizing;
let lastWidth = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === lastWidth) return;
  lastWidth = innerWidth;
  clearTimeout(resizing);
  resizing = setTimeout(() => {
    fitTables();
    redrawAll();
  }, 250);
});

globalThis.prengdlReport = {drawAll};
