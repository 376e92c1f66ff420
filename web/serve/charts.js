// SPDX-License-Identifier: Apache-2.0
// The charts of the live page as SVG, drawn in pixels so that lines and letters keep their size.
"use strict";
(() => {
  const part = (tag, attributes = {}, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };

  /** About `count` round values that cover the range. */
  const ticksBetween = (low, high, count) => {
    const rough = (high - low) / count || 1;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 2.5, 5, 10].map(one => one * power).find(one => one >= rough);
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
      ticks.push(i * step);
    return ticks;
  };
  const tickText = value => String(Number(value.toPrecision(4)));

  /** An empty frame with both axes. `x` and `y` have from, to, ticks [[value, text], ...]. */
  const frame = (svg, {x, y, height, left = 48}) => {
    const width = Math.max(200, svg.parentElement.clientWidth);
    const [top, right, bottom] = [10, 14, 24];
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    const placeX = value =>
      left + ((width - left - right) * (value - x.from)) / (x.to - x.from || 1);
    const placeY = value =>
      height - bottom - ((height - top - bottom) * (value - y.from)) / (y.to - y.from || 1);
    const parts = [];
    for (const [value, text] of y.ticks) {
      const at = placeY(value).toFixed(1);
      parts.push(part("line", {class: "grid", x1: left, x2: width - right, y1: at, y2: at}));
      parts.push(part("text", {x: left - 6, y: at, dy: "0.32em", "text-anchor": "end"}, text));
    }
    for (const [value, text] of x.ticks) {
      const at = placeX(value).toFixed(1);
      const anchor = at > width - 40 ? "end" : "middle";
      parts.push(part("text", {x: at, y: height - 6, "text-anchor": anchor}, text));
    }
    const base = height - bottom;
    parts.push(part("line", {class: "axis", x1: left, x2: width - right, y1: base, y2: base}));
    svg.replaceChildren(...parts);
    return {placeX, placeY};
  };

  const path = (points, placeX, placeY) =>
    points
      .map(([x, y], i) => `${i ? "L" : "M"}${placeX(x).toFixed(1)} ${placeY(y).toFixed(1)}`)
      .join("");

  /** Where nothing was heard for a while, the line is broken. */
  const pieces = (points, longestGap) => {
    const found = [];
    for (const point of points) {
      const last = found.at(-1);
      if (last && point[0] - last.at(-1)[0] <= longestGap) last.push(point);
      else found.push([point]);
    }
    return found;
  };

  /** Power over the last minutes: [[Unix time, watts], ...]. */
  const drawPower = (svg, power, now) => {
    if (power.length < 2) return svg.replaceChildren();
    const span = now - power[0][0];
    const seconds = [60, 120, 300, 600].find(one => one >= span) ?? 600;
    const step = seconds / 60 > 2 ? 60 : seconds / 4;
    const ticks = [];
    for (let ago = seconds; ago >= 0; ago -= step)
      ticks.push([-ago, ago === 0 ? "now" : ago % 60 === 0 ? `−${ago / 60} min` : `−${ago} s`]);
    const highest = Math.max(...power.map(point => point[1])) * 1.08 || 1;
    const values = ticksBetween(0, highest, 4);
    const {placeX, placeY} = frame(svg, {
      x: {from: -seconds, to: 0, ticks},
      y: {from: 0, to: highest, ticks: values.map(value => [value, tickText(value) + " W"])},
      height: 190,
      left: 56,
    });
    const points = power
      .map(([at, watts]) => [at - now, watts])
      .filter(([at]) => at >= -seconds && at <= 5)
      .map(([at, watts]) => [Math.min(0, at), watts]);
    for (const piece of pieces(points, 15)) {
      if (piece.length > 1) {
        const [first, last] = [piece[0][0], piece.at(-1)[0]];
        const line = path(piece, placeX, placeY);
        const area = `${line}L${placeX(last)} ${placeY(0)}L${placeX(first)} ${placeY(0)}Z`;
        svg.append(part("path", {class: "area", d: area}), part("path", {class: "line", d: line}));
      } else {
        const [[at, watts]] = piece;
        svg.append(part("circle", {class: "dot", cx: placeX(at), cy: placeY(watts), r: 2.5}));
      }
    }
  };

  /** Values of one metric. Each curve has points, the number of its colour, and whether it is faint. */
  const drawScores = (svg, curves) => {
    const all = curves.flatMap(curve => curve.points);
    const extent = place => [
      Math.min(...all.map(point => point[place])),
      Math.max(...all.map(point => point[place])),
    ];
    const [firstX, lastX] = extent(0);
    const [low, high] = extent(1);
    const pad = (high - low) * 0.08 || Math.abs(high) * 0.05 || 1;
    const y = {from: low - pad, to: high + pad};
    const x = {from: firstX, to: lastX};
    if (x.from === x.to) [x.from, x.to] = [x.from - 1, x.to + 1];
    const steps = ticksBetween(firstX, lastX, 5).filter(one => Number.isInteger(one));
    const {placeX, placeY} = frame(svg, {
      x: {...x, ticks: steps.map(value => [value, tickText(value)])},
      y: {...y, ticks: ticksBetween(y.from, y.to, 4).map(value => [value, tickText(value)])},
      height: 170,
    });
    for (const curve of curves) {
      const name = `level-${curve.colour % 6}${curve.isFaint ? " faint" : ""}`;
      const shape =
        curve.points.length > 1
          ? part("path", {class: `curve ${name}`, d: path(curve.points, placeX, placeY)})
          : part("circle", {
              class: `dot ${name}`,
              cx: placeX(curve.points[0][0]),
              cy: placeY(curve.points[0][1]),
              r: 3.5,
            });
      shape.append(part("title", {}, curve.title));
      svg.append(shape);
    }
  };

  const steps = [0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 0.95, 1, 1.05, 1.11, 1.25, 1.5, 2, 3, 5, 10];

  /** A log scale for ratios that is as wide to both sides of 1; places are in percent. */
  const ratioScale = (rows, margin) => {
    let far = Math.log(1 + Math.max(margin, 0.02)) * 1.3;
    for (const row of rows)
      for (const value of [row.ratio, row.low, row.high])
        if (value > 0) far = Math.max(far, Math.min(Math.abs(Math.log(value)), Math.log(12)));
    far *= 1.06;
    const place = value =>
      Math.min(100, Math.max(0, 50 + (50 * Math.log(Math.max(value, 1e-9))) / far));
    const within = steps.filter(one => Math.abs(Math.log(one)) <= far * 0.92);
    // Labels keep their distance, counted from the one in the middle.
    const ticks = [1];
    for (const side of [within.filter(one => one > 1), within.filter(one => one < 1).reverse()]) {
      let last = 50;
      for (const one of side) {
        if (Math.abs(place(one) - last) < 15) continue;
        last = place(one);
        ticks.push(one);
      }
    }
    return {place, ticks};
  };

  /** One ratio with its interval: stretched to the width of its cell, which all rows share. */
  const ratioBar = (row, margin, place, className) => {
    const svg = part("svg", {
      viewBox: "0 0 100 24",
      preserveAspectRatio: "none",
      "aria-hidden": "true",
      class: "ratio",
    });
    const [left, right] = [place(1 / (1 + margin)), place(1 + margin)];
    svg.append(
      part("rect", {class: "margin", x: left, width: right - left, y: 0, height: 24}),
      part("line", {class: "one", x1: 50, x2: 50, y1: 0, y2: 24}),
    );
    const draw = (name, from, to) =>
      svg.append(part("line", {class: `${name} ${className}`, x1: from, x2: to, y1: 12, y2: 12}));
    if (row.low > 0 && row.high > 0) draw("interval", place(row.low), place(row.high));
    if (row.ratio > 0) draw("point", place(row.ratio), place(row.ratio));
    return svg;
  };

  Object.assign(window.prengdl, {drawPower, drawScores, ratioScale, ratioBar});
})();
