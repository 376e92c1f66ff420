// SPDX-License-Identifier: Apache-2.0
// Charts with a panel for each case or factor: scores, learning curves, percentiles, sweeps, interactions.
import {colourOf, ordinal, scaleOf, tooltipOf} from "./chart_tools.js";
import {field, frontOf, least, most, spread} from "./data.js";

const largestBubble = 900,
  widestBubble = 18; // pixels of area and of radius: none lies over an axis

/** A score is drawn so that better is up; where lower is better the axis is turned over, and says so. */
function scoreAxis(chart, lowerIsBetter) {
  return {
    field: field(chart.roles.y),
    type: "quantitative",
    title: `${chart.titles.y} (${lowerIsBetter ? "lower" : "higher"} is better)`,
    scale: {zero: false, reverse: lowerIsBetter},
    axis: {tickCount: 5},
  };
}

export function bubble(chart, rows, width) {
  const {x, y, size, facet, better, label} = chart.roles;
  const panels = facet ? ordinal(rows, facet) : [""];
  const columns = Math.min(panels.length, width > 700 ? 2 : 1);
  const isLog = spread(rows.map(row => row[x])) > 20;
  const views = panels.map(panel => {
    const values = rows.filter(row => !facet || row[facet] === panel);
    const lowerIsBetter = values[0][better] === "lower";
    const points = values.map(row => ({row, x: row[y], y: row[x]}));
    for (const one of frontOf(points, lowerIsBetter)) one.row.at_front = true;
    const up = scoreAxis(chart, lowerIsBetter);
    const encoding = {
      x: {
        field: field(x),
        type: "quantitative",
        title: `${chart.titles.x} (less is better)`,
        scale: {
          ...scaleOf(
            isLog,
            values.map(row => row[x]),
          ),
          padding: widestBubble,
        },
        axis: {tickCount: 5},
      },
      y: {...up, scale: {...up.scale, padding: widestBubble}},
    };
    const isNamed = label && values.length <= 16;
    return {
      title: panel || undefined,
      width: Math.max(200, width / columns - 70),
      height: 320,
      data: {values},
      layer: [
        {
          transform: [{filter: "datum.at_front"}],
          mark: {type: "line", strokeDash: [5, 3], color: "#8a8f98"},
          encoding: {...encoding, order: {field: field(x), type: "quantitative"}},
        },
        {
          mark: {type: "point", opacity: 0.85, strokeWidth: 1.5},
          encoding: {
            ...encoding,
            size: {
              field: field(size),
              type: "quantitative",
              title: chart.titles.size,
              scale: {range: [30, largestBubble]},
              legend: {tickCount: 2, columns: 4},
            },
            color: colourOf(chart, rows),
            fillOpacity: {condition: {test: "datum.front === 'yes'", value: 0.5}, value: 0},
            fill: colourOf(chart, rows),
            tooltip: tooltipOf(chart, ["label", "colour", "x", "y", "size", "front"]),
          },
        },
        ...(isNamed
          ? [
              {
                mark: {type: "text", dy: -12, fontSize: 10, limit: 120},
                encoding: {...encoding, text: {field: field(label), type: "nominal"}},
              },
            ]
          : []),
      ],
    };
  });
  return {
    columns,
    spacing: 24,
    resolve: {scale: {x: "independent", y: "independent"}},
    concat: views,
  };
}

/** Small panels, as many in a row as fit. */
export function lines(chart, rows, width) {
  if (chart.settings.ordinal) return percentiles(chart, rows, width);
  const {x, y, facet, label, better} = chart.roles;
  const panels = ordinal(rows, facet);
  const columns = Math.max(1, Math.min(panels.length, Math.floor(width / 290)));
  const mark = {type: "line", point: chart.settings.points ? {size: 22} : false, strokeWidth: 1.8};
  return {
    columns,
    spacing: {row: 18, column: 14},
    resolve: {scale: {x: "independent", y: "independent", color: "shared"}},
    concat: panels.map((name, i) => {
      const values = rows.filter(row => row[facet] === name);
      const isTurned = better && values[0][better] === "lower";
      const up = better
        ? scoreAxis(chart, isTurned)
        : {
            field: field(y),
            type: "quantitative",
            title: chart.titles.y,
            scale: {zero: true},
            axis: {tickCount: 4},
          };
      return {
        title: isTurned ? `${name} (lower is better)` : name,
        width: Math.max(140, Math.min(520, width / columns - 80)),
        height: panels.length > 4 ? 130 : 220,
        data: {values},
        mark,
        encoding: {
          x: {
            field: field(x),
            type: "quantitative",
            title: chart.titles.x,
            scale: {zero: true},
            axis: {tickCount: 4},
          },
          y: {...up, title: i % columns === 0 ? chart.titles.y : null},
          color: colourOf(chart, rows),
          ...(label ? {order: {field: field(x), type: "quantitative"}} : {}),
          tooltip: tooltipOf(chart, ["facet", "colour", "label", "x", "y"]),
        },
      };
    }),
  };
}

/**
 * Percentiles as a distribution: for each level of a case a bar from the median to the highest percentile that is known,
 * a thick one to p90, and a mark for each. The axis begins at zero, for lengths are compared.
 */
function percentiles(chart, rows, width) {
  const {x, y, facet, line, colour} = chart.roles;
  const kinds = ordinal(rows, line);
  const isMixed = spread(rows.map(row => row[y])) > 50;
  return {
    spacing: 14,
    resolve: {scale: {x: "independent", color: "shared"}},
    vconcat: kinds.map(kind => {
      const values = rows.filter(row => row[line] === kind);
      const cases = ordinal(values, facet);
      const rowsOfKind = [];
      for (const name of cases)
        for (const level of ordinal(values, colour)) {
          const here = values.filter(row => row[facet] === name && row[colour] === level);
          if (!here.length) continue;
          const at = rank => here.find(row => row[x] === rank)?.[y];
          const known = here.map(row => row[y]);
          rowsOfKind.push({
            [facet]: name,
            [colour]: level,
            middle: at("p50") ?? least(known),
            far: at("p90") ?? most(known),
            end: most(known),
          });
        }
      const place = {
        y: {field: field(facet), type: "nominal", sort: cases, title: null, axis: {grid: true}},
        yOffset: {field: field(colour), sort: ordinal(values, colour)},
        color: colourOf(chart, rows),
      };
      const scale = isMixed
        ? scaleOf(
            true,
            values.map(row => row[y]),
          )
        : {zero: true};
      const across = (name, extra = {}) => ({
        field: field(name),
        type: "quantitative",
        scale,
        title: `${kind}: ${chart.titles.y}`,
        ...extra,
      });
      return {
        width: Math.max(180, width - Math.min(260, width * 0.35) - 60),
        height: {step: Math.max(7, Math.min(14, 1800 / values.length)), for: "offset"},
        layer: [
          {
            data: {values: rowsOfKind},
            mark: {type: "rule", strokeWidth: 1.5},
            encoding: {...place, x: across("middle"), x2: {field: "end"}},
          },
          {
            data: {values: rowsOfKind},
            mark: {type: "rule", strokeWidth: 5, opacity: 0.5},
            encoding: {...place, x: across("middle"), x2: {field: "far"}},
          },
          {
            data: {values},
            mark: {type: "point", filled: true, opacity: 1},
            encoding: {
              ...place,
              x: across(y),
              size: {
                field: field(x),
                type: "nominal",
                title: null,
                sort: ordinal(rows, x),
                scale: {domain: ordinal(rows, x), range: [70, 45, 32, 22, 15]},
              },
              tooltip: tooltipOf(chart, ["facet", "colour", "line", "x", "y"]),
            },
          },
        ],
      };
    }),
  };
}

/** Whether the levels have an order and distances of their own: only then lines join them. */
const areNumbers = names =>
  names.every(name => name.trim() !== "" && Number.isFinite(Number(name)));

export function sweep(chart, rows, width) {
  const {x, y, panel, line} = chart.roles;
  const panels = ordinal(rows, panel);
  const columns = Math.max(1, Math.min(panels.length, Math.floor(width / 230)));
  const each = Math.max(120, Math.min(480, (width - 70) / columns - 40));
  const colours = colourOf(chart, rows);
  return {
    data: {values: rows},
    resolve: {scale: {y: "shared", color: "shared", x: "independent"}},
    spacing: 16,
    columns,
    concat: panels.map((name, i) => {
      const levels = ordinal(
        rows.filter(row => row[panel] === name),
        x,
      );
      const isJoined = areNumbers(levels);
      if (isJoined) levels.sort((a, b) => Number(a) - Number(b));
      const across = {
        field: field(x),
        type: "nominal",
        sort: levels,
        title: name.replaceAll("_", " "),
        scale: isJoined ? {type: "point"} : {type: "band", paddingInner: 0.45, paddingOuter: 0.3},
        axis: {labelAngle: levels.length > 4 ? -35 : 0, grid: false},
      };
      const up = {
        field: field(y),
        type: "quantitative",
        title: i % columns === 0 ? chart.titles.y : null,
        scale: {zero: true, nice: true},
      };
      const offset = isJoined
        ? undefined
        : {field: field(chart.roles.colour), sort: ordinal(rows, chart.roles.colour)};
      return {
        width: each,
        height: 200,
        transform: [{filter: {field: field(panel), equal: name}}],
        layer: [
          ...(isJoined
            ? [
                {
                  mark: {type: "line", strokeWidth: 1, opacity: 0.28},
                  encoding: {x: across, y: up, color: colours, detail: {field: field(line)}},
                },
              ]
            : []),
          {
            mark: {type: "point", filled: true, size: 22, opacity: 0.45},
            encoding: {
              x: across,
              xOffset: offset,
              y: up,
              color: colours,
              tooltip: tooltipOf(chart, ["panel", "x", "colour", "line", "y"]),
            },
          },
          {
            mark: isJoined
              ? {type: "line", strokeWidth: 3, point: {size: 55, filled: true}}
              : {type: "tick", orient: "horizontal", thickness: 3, size: 16},
            encoding: {
              x: across,
              ...(isJoined ? {} : {xOffset: offset}),
              y: {...up, aggregate: "mean"},
              color: colours,
            },
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
    scale: {scheme: "purplegreen", domain: [far, -far]},
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
