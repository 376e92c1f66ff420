// SPDX-License-Identifier: Apache-2.0
// Power over time: the reader chooses runs, and sees them together or side by side, with their spans.
import {distinct, drawable, most} from "./data.js";
import {rangeOf} from "./chart_tools.js";
import {fitTables} from "./tables.js";

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const nameOf = series => `${series.case} · ${series.level} · ${series.run}`;

/** First the first run of each level in the first case: the frameworks side by side. */
function firstChoice(all) {
  const first = all[0].case;
  return distinct(all.filter(one => one.case === first).map(one => one.level))
    .map(level => all.findIndex(one => one.case === first && one.level === level))
    .slice(0, 4);
}

export class PowerChooser {
  constructor(chart, figure, redraw) {
    this.all = chart.series;
    this.chosen = new Set(firstChoice(this.all));
    this.kinds = distinct(this.all.flatMap(one => one.spans.map(span => span.span)));
    const search = element("input", {
      type: "search",
      id: "power-search",
      placeholder: "find runs by a part of their names",
    });
    this.list = element("select", {multiple: "", id: "power-runs", size: "7"});
    this.together = element(
      "select",
      {id: "power-view"},
      element("option", {value: "side"}, "side by side"),
      element("option", {value: "together"}, "together"),
    );
    this.span = element("select", {id: "power-span"}, element("option", {value: ""}, "none"));
    for (const kind of this.kinds) this.span.append(element("option", {value: kind}, kind));
    this.span.value = this.kinds.includes("epoch") ? "epoch" : (this.kinds[0] ?? "");
    const labelled = (text, control) =>
      element("div", {}, element("label", {for: control.id}, text), control);
    const finder = labelled("Runs (several with Ctrl or Shift)", this.list);
    search.setAttribute("aria-label", "Find runs");
    this.list.before(search);
    const bar = element(
      "div",
      {class: "choice"},
      finder,
      labelled("Show", this.together),
      labelled("Spans", this.span),
    );
    figure.querySelector(".plot").before(bar);
    this.fill("");
    search.addEventListener("input", () => this.fill(search.value.toLowerCase()));
    this.list.addEventListener("change", () => {
      for (const option of this.list.options)
        this.chosen[option.selected ? "add" : "delete"](Number(option.value));
      redraw();
    });
    this.together.addEventListener("change", redraw);
    this.span.addEventListener("change", redraw);
    this.points = element(
      "details",
      {},
      element("summary", {}, "Table: the points that are drawn"),
    );
    this.points.addEventListener("toggle", () => this.showPoints());
    figure.append(this.points);
  }

  /** Of thousands of runs the first that fit; the search finds the others. */
  fill(words) {
    const options = [];
    this.all.forEach((one, i) => {
      if (options.length < 500 && (this.chosen.has(i) || nameOf(one).toLowerCase().includes(words)))
        options.push(
          Object.assign(element("option", {value: String(i)}, nameOf(one)), {
            selected: this.chosen.has(i),
          }),
        );
    });
    this.list.replaceChildren(...options);
  }

  get runs() {
    return [...this.chosen].sort((a, b) => a - b).map(i => this.all[i]);
  }

  showPoints() {
    if (!this.points.open) return;
    const body = element("tbody");
    for (const run of this.runs)
      run.seconds.forEach((second, i) =>
        body.append(
          element(
            "tr",
            {},
            element("td", {}, nameOf(run)),
            element("td", {class: "n"}, String(second)),
            element("td", {class: "n"}, String(run.watts[i])),
          ),
        ),
      );
    const head = element(
      "thead",
      {},
      element(
        "tr",
        {},
        ...["run", "time [s]", "power [W]"].map(text => element("th", {scope: "col"}, text)),
      ),
    );
    this.points.querySelector(".scroll")?.remove();
    this.points.append(
      element("div", {class: "scroll long", tabindex: "0"}, element("table", {}, head, body)),
    );
    fitTables();
  }

  spec(chart, width) {
    this.showPoints();
    const runs = this.runs;
    const levels = distinct(this.all.map(one => drawable(one.level)));
    const end = most(runs.map(run => run.seconds[run.seconds.length - 1]));
    const across = {
      field: "second",
      type: "quantitative",
      title: chart.titles.x,
      scale: {domain: [0, end], nice: false},
    };
    const up = {field: "watt", type: "quantitative", title: chart.titles.y};
    const valuesOf = run =>
      run.seconds.map((second, i) => ({
        second,
        watt: run.watts[i],
        low: run.low[i] ?? run.watts[i],
        high: run.high[i] ?? run.watts[i],
        run: nameOf(run),
        level: drawable(run.level),
      }));
    const wide = Math.max(200, width - 70);
    const colour = {
      field: "level",
      type: "nominal",
      scale: {domain: levels, range: rangeOf(levels)},
      legend: {symbolOpacity: 1},
      title: null,
    };
    const highest = most(runs.flatMap(run => (run.high.length ? run.high : run.watts)));
    const fromZero = {...up, scale: {domain: [0, highest * 1.08], nice: false}};
    const tooltip = [
      {field: "run", type: "nominal"},
      {field: "second", type: "quantitative", title: "time [s]"},
      {field: "watt", type: "quantitative", title: "mean power [W]"},
      {field: "low", type: "quantitative", title: "lowest [W]"},
      {field: "high", type: "quantitative", title: "highest [W]"},
    ];
    if (this.together.value === "together")
      return {
        width: wide,
        height: 320,
        data: {values: runs.flatMap(valuesOf)},
        layer: [
          {
            mark: {type: "area", opacity: 0.15},
            encoding: {
              x: across,
              y: {...fromZero, field: "low"},
              y2: {field: "high"},
              color: colour,
              detail: {field: "run"},
            },
          },
          {
            mark: {type: "line", strokeWidth: 1.5, opacity: 0.9},
            encoding: {x: across, y: fromZero, color: colour, detail: {field: "run"}, tooltip},
          },
          {
            // Each line has its name at its end instead of in a long legend.
            data: {values: runs.map(run => valuesOf(run).at(-1))},
            mark: {type: "text", align: "right", baseline: "bottom", dy: -6, fontSize: 10},
            encoding: {x: across, y: fromZero, color: colour, text: {field: "run"}},
          },
        ],
      };
    return {
      spacing: 12,
      resolve: {scale: {color: "shared"}},
      vconcat: runs.map(run => {
        const spans = run.spans
          .filter(span => span.span === this.span.value)
          .map((span, i) => ({
            ...span,
            odd: i % 2,
            text: `${span.span} ${span.name}`,
            middle: (span.begin + span.end) / 2,
          }));
        const longest = most(spans.map(span => span.text.length));
        const room = spans.length > 0 ? wide / spans.length : 0;
        const label = room > 6 * longest ? "text" : "name"; // "epoch 3", or only "3" where it is tight
        const fits = room > 16;
        return {
          title: nameOf(run),
          width: wide,
          height: Math.max(120, 360 / runs.length),
          layer: [
            {
              data: {values: spans},
              mark: {type: "rect", color: "#8a8f98"},
              encoding: {
                x: {
                  field: "begin",
                  type: "quantitative",
                  scale: across.scale,
                  title: chart.titles.x,
                },
                x2: {field: "end"},
                opacity: {
                  field: "odd",
                  type: "quantitative",
                  scale: {domain: [0, 1], range: [0.08, 0.2]},
                  legend: null,
                },
                tooltip: [
                  {field: "text", type: "nominal", title: "span"},
                  {field: "begin", type: "quantitative"},
                  {field: "end", type: "quantitative"},
                ],
              },
            },
            {
              data: {values: fits ? spans : []},
              mark: {type: "text", baseline: "top", dy: 2, fontSize: 10},
              encoding: {
                x: {field: "middle", type: "quantitative", scale: across.scale},
                y: {value: 0},
                text: {field: label, type: "nominal"},
              },
            },
            {
              data: {values: valuesOf(run)},
              mark: {type: "area", opacity: 0.25},
              encoding: {
                x: across,
                y: {...fromZero, field: "low"},
                y2: {field: "high"},
                color: colour,
              },
            },
            {
              data: {values: valuesOf(run)},
              mark: {type: "line", strokeWidth: 1.5},
              encoding: {x: across, y: fromZero, color: colour, tooltip},
            },
          ],
        };
      }),
    };
  }
}
