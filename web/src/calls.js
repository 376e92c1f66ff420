// SPDX-License-Identifier: Apache-2.0
// Flame graphs and call graphs of profiles: one profile at a time, chosen by the reader.
import {distinct, drawable, rowsOf, shortened} from "./data.js";

const rowHeight = 17;
const letter = 5.9; // width of one at font size 10, about

/** A select for the profiles; the charts keep what was chosen. */
export class ProfileChooser {
  constructor(chart, figure, redraw) {
    this.rows = rowsOf(chart.tables[0]);
    const names = distinct(this.rows.map(row => row.profile));
    this.profile = names[0];
    this.zoom = null;
    const select = document.createElement("select");
    select.id = `profile-${chart.id}`;
    for (const name of names) select.append(new Option(name, name));
    const label = document.createElement("label");
    label.append("Profile ", select);
    const bar = document.createElement("div");
    bar.className = "tools";
    bar.append(label);
    if (chart.kind === "flame") {
      this.back = document.createElement("button");
      this.back.className = "tool";
      this.back.type = "button";
      this.back.textContent = "Whole graph";
      this.back.disabled = true;
      this.back.addEventListener("click", () => this.zoomTo(null, redraw));
      bar.append(this.back);
    }
    figure.querySelector(".plot").before(bar);
    select.addEventListener("change", () => {
      this.profile = select.value;
      this.zoomTo(null, redraw);
    });
    this.redraw = redraw;
  }

  zoomTo(frame, redraw) {
    this.zoom = frame;
    if (this.back) this.back.disabled = !frame;
    redraw();
  }
}

const familyOf = name =>
  name.includes("(")
    ? "own code"
    : name.startsWith("<")
      ? "built in"
      : drawable(name.split(".")[0]);

export function flame(chart, chooser, width) {
  const wide = Math.max(300, width - 20);
  const from = chooser.zoom?.start ?? 0,
    to = chooser.zoom?.end ?? 1,
    lowest = chooser.zoom?.depth ?? 0;
  // Frames of a few pixels say nothing; they are there once their caller is enlarged.
  const narrowest = (5 / wide) * (to - from);
  const frames = chooser.rows.filter(
    row =>
      row.profile === chooser.profile &&
      row.end - row.start > narrowest &&
      row.end > from + 1e-9 &&
      row.start < to - 1e-9 &&
      row.depth >= lowest,
  );
  const deepest = Math.max(0, ...frames.map(row => row.depth));
  const common = distinct(frames.map(row => familyOf(row.name)).sort())
    .map(name => ({
      name,
      share: frames
        .filter(row => familyOf(row.name) === name)
        .reduce((sum, row) => sum + row.end - row.start, 0),
    }))
    .sort((a, b) => b.share - a.share)
    .slice(0, 6)
    .map(one => one.name);
  const values = frames.map(row => {
    const start = Math.max(row.start, from),
      end = Math.min(row.end, to);
    const room = Math.floor((((end - start) / (to - from)) * wide) / letter) - 1;
    return {
      ...row,
      left: start,
      right: end,
      label: room > 2 ? shortened(row.name, room) : "",
      top: row.depth - lowest,
      bottom: row.depth - lowest + 1,
      family: common.includes(familyOf(row.name)) ? familyOf(row.name) : "others",
    };
  });
  const across = {type: "quantitative", scale: {domain: [from, to], nice: false}, axis: null};
  const up = {
    type: "quantitative",
    scale: {domain: [deepest - lowest + 1, 0], nice: false},
    axis: null,
  };
  return {
    width: wide,
    height: (deepest - lowest + 1) * rowHeight,
    data: {values},
    view: {stroke: null},
    layer: [
      {
        mark: {type: "rect", stroke: "#fff", strokeWidth: 0.6, cursor: "pointer"},
        encoding: {
          x: {...across, field: "left"},
          x2: {field: "right"},
          y: {...up, field: "top"},
          y2: {field: "bottom"},
          color: {
            field: "family",
            type: "nominal",
            title: null,
            scale: {
              domain: [...common, "others"],
              range: ["#f4a582", "#92c5de", "#b8e186", "#fddbc7", "#d9c4e8", "#f6e8a6", "#cfd3d8"],
            },
          },
          tooltip: [
            {field: "name", type: "nominal", title: "function"},
            {field: "share_text", type: "nominal", title: "share"},
            {field: "depth", type: "quantitative"},
          ],
        },
      },
      {
        mark: {
          type: "text",
          align: "left",
          baseline: "middle",
          dx: 3,
          fontSize: 10,
          color: "#111",
          interactive: false,
        },
        transform: [{filter: "datum.label !== ''"}, {calculate: "datum.top + 0.5", as: "centre"}],
        encoding: {
          x: {...across, field: "left"},
          y: {...up, field: "centre"},
          text: {field: "label", type: "nominal"},
        },
      },
    ],
  };
}

const lastPart = name =>
  name.includes("(") || name.startsWith("<") ? name : name.split(".").slice(-2).join(".");

export function callGraph(chart, chooser, width) {
  const nodes = chooser.rows.filter(row => row.profile === chooser.profile);
  const edges = rowsOf(chart.tables[1]).filter(row => row.profile === chooser.profile);
  const wide = Math.max(280, width - 20);
  const high = 58;
  const known = new Map();
  // A layer with more functions than fit side by side takes several rows.
  const fitting = Math.max(2, Math.floor(wide / 118));
  let layers = 0;
  for (const layer of distinct(nodes.map(row => row.y)).sort((a, b) => a - b)) {
    const all = nodes.filter(row => row.y === layer);
    const lines = Math.ceil(all.length / fitting);
    const each = Math.ceil(all.length / lines);
    all.forEach((row, i) => {
      const line = Math.floor(i / each);
      const count = Math.min(each, all.length - line * each);
      Object.assign(row, {place: ((i % each) + 0.5) / count, line: layers + line, count});
    });
    layers += lines;
  }
  for (const row of nodes) {
    const half = Math.min(86, wide / row.count / 2 - 4);
    Object.assign(row, {
      left: row.place * wide - half,
      right: row.place * wide + half,
      top: row.line * high + 8,
      bottom: row.line * high + 42,
      centre: row.place * wide,
    });
    row.first = shortened(lastPart(row.name), Math.floor((2 * half) / letter));
    row.second = `${row.share_text} (own ${row.own_text})`;
    if (row.second.length * letter > 2 * half) row.second = row.share_text;
    known.set(row.id, row);
  }
  const lines = edges
    .filter(edge => known.has(edge.from) && known.has(edge.to))
    .map(edge => {
      const a = known.get(edge.from),
        b = known.get(edge.to);
      const down = b.line > a.line;
      return {
        x: a.centre,
        y: down ? a.bottom : a.top,
        x2: b.centre,
        y2: down ? b.top : b.bottom,
        share: edge.share ?? 0,
        calls: edge.calls_text,
        caller: a.name,
        callee: b.name,
      };
    });
  const x = {type: "quantitative", scale: {domain: [0, wide], nice: false}, axis: null};
  const y = {type: "quantitative", scale: {domain: [layers * high, 0], nice: false}, axis: null};
  return {
    width: wide,
    height: layers * high,
    view: {stroke: null},
    layer: [
      {
        data: {values: lines},
        mark: {type: "rule", opacity: 0.55},
        encoding: {
          x: {...x, field: "x"},
          x2: {field: "x2"},
          y: {...y, field: "y"},
          y2: {field: "y2"},
          strokeWidth: {
            field: "share",
            type: "quantitative",
            scale: {domain: [0, 1], range: [0.7, 7]},
            legend: null,
          },
          tooltip: [
            {field: "caller", type: "nominal"},
            {field: "callee", type: "nominal"},
            {field: "calls", type: "nominal"},
          ],
        },
      },
      {
        data: {values: nodes},
        mark: {type: "rect", stroke: "#8a8f98", strokeWidth: 0.8, cornerRadius: 3},
        encoding: {
          x: {...x, field: "left"},
          x2: {field: "right"},
          y: {...y, field: "top"},
          y2: {field: "bottom"},
          color: {
            field: "own",
            type: "quantitative",
            scale: {type: "sqrt", domain: [0, 1], range: ["#fff7ec", "#e8601c"]},
            legend: null,
          },
          tooltip: [
            {field: "name", type: "nominal", title: "function"},
            {field: "share_text", type: "nominal", title: "share with callees"},
            {field: "own_text", type: "nominal", title: "own share"},
            {field: "calls_text", type: "nominal", title: "calls"},
          ],
        },
      },
      {
        data: {values: nodes},
        mark: {type: "text", fontSize: 10, color: "#111", dy: -7},
        transform: [{calculate: "(datum.top + datum.bottom) / 2", as: "middle"}],
        encoding: {
          x: {...x, field: "centre"},
          y: {...y, field: "middle"},
          text: {field: "first", type: "nominal"},
        },
      },
      {
        data: {values: nodes},
        mark: {type: "text", fontSize: 9, color: "#333", dy: 6},
        transform: [{calculate: "(datum.top + datum.bottom) / 2", as: "middle"}],
        encoding: {
          x: {...x, field: "centre"},
          y: {...y, field: "middle"},
          text: {field: "second", type: "nominal"},
        },
      },
    ],
  };
}
