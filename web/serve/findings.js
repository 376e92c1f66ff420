// SPDX-License-Identifier: Apache-2.0
// The findings so far and the scores of the live page.
"use strict";
(() => {
  const {byId, say, make, nameOf, ratioText, drawScores, ratioScale, ratioBar} = window.prengdl;

  // Findings: what `compare` says after the last whole block.
  const winnerOf = (row, levels) => levels.indexOf(row.winner);

  const summaryOf = (rows, levels, measure) => {
    const cases = rows.filter(row => row.kind === "case");
    if (levels.length !== 2 || cases.length < 2) return "";
    const wins = levels.map((_, i) => cases.filter(row => winnerOf(row, levels) === i).length);
    const equal = cases.filter(row => row.verdict === "equivalent").length;
    const open = cases.length - wins[0] - wins[1] - equal;
    const parts = levels
      .map((level, i) => [wins[i], `${level} used less ${measure} in ${wins[i]}`])
      .concat([
        [equal, `${equal} equivalent`],
        [open, `${open} undecided`],
      ])
      .filter(([count]) => count > 0)
      .map(([, text]) => text);
    return `Of ${cases.length} cases: ${parts.join(", ")}.`;
  };

  const findingRow = (row, found, place) => {
    const item = make("li", undefined, row.kind);
    const winner = winnerOf(row, found.levels);
    const colour = winner < 0 ? "open" : "level-" + (winner % 6);
    const bar = make("span", undefined, "bar");
    bar.append(ratioBar(row, found.margin, place, colour));
    const interval = row.low !== null ? ` [${ratioText(row.low)}, ${ratioText(row.high)}]` : "";
    item.append(
      make("span", row.case, "name"),
      bar,
      make("span", row.ratio === null ? "no ratio" : ratioText(row.ratio) + interval, "figures"),
      make(
        "span",
        row.kind === "group" ? "" : row.verdict,
        winner < 0 ? "verdict note" : "verdict level-" + (winner % 6),
      ),
    );
    return item;
  };

  const scaleRow = (found, place, ticks) => {
    const item = make("li", undefined, "axis");
    item.setAttribute("aria-hidden", "true");
    const scale = make("span", undefined, "bar scale");
    for (const tick of ticks) {
      const label = make("span", tick + "\u00d7");
      label.style.left = place(tick) + "%";
      scale.append(label);
    }
    item.append(make("span", "ratio " + found.ratio_of, "name note"), scale);
    return item;
  };

  const showFindings = study => {
    const found = study.findings;
    const list = byId("findings");
    const badge = byId("findings-badge");
    badge.hidden = !found;
    if (!found) {
      list.replaceChildren();
      say("findings-says", "Findings appear when the first block is complete.");
      return say("findings-note", "");
    }
    say("findings-title", found.is_final ? "Findings" : "Findings so far");
    badge.dataset.final = String(found.is_final);
    say(
      "findings-badge",
      !found.is_final
        ? `not final: ${found.blocks} of ${found.planned_blocks} blocks`
        : found.planned_blocks > 0
          ? `final: all ${found.planned_blocks} blocks`
          : "final",
    );
    say(
      "findings-note",
      found.is_final
        ? "Run prengdl compare or prengdl report for all measures, tests and caveats."
        : "Each look at unfinished findings is recorded in the result, once per block. An early difference may vanish, so wait for the last block before you conclude.",
    );
    if (found.why_not) {
      list.replaceChildren();
      return say("findings-says", "There are no findings yet: " + found.why_not);
    }
    const rows = found.rows;
    say(
      "findings-says",
      (found.is_modelled ? "Energy was modelled, so it supports no verdict. " : "") +
        (summaryOf(rows, found.levels, found.measure) || `Ratios of ${found.measure}.`),
    );
    const {place, ticks} = ratioScale(rows, found.margin);
    list.replaceChildren(
      ...rows.map(row => findingRow(row, found, place)),
      ...(rows.length ? [scaleRow(found, place, ticks)] : []),
    );
  };

  // Scores: the metrics that workloads emit, coloured by the compared factor.
  const coloured = study => {
    const compared = study.findings && study.findings.compare;
    const cells = [...study.cells.values()];
    const varies = i => new Set(cells.map(cell => cell.cell[i])).size > 1;
    const named = study.factors.indexOf(compared);
    const place =
      named >= 0
        ? named
        : Math.max(
            0,
            study.factors.findIndex((_, i) => varies(i)),
          );
    const levels = [...new Set(cells.map(cell => cell.cell[place]))];
    if (study.findings && study.findings.levels && named >= 0) {
      const order = study.findings.levels;
      levels.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    }
    return {place, levels};
  };

  const curvesOf = (study, metric, place, levels) => {
    const curves = [];
    const single = [...study.cells.values()].every(cell =>
      ((cell.scores || {})[metric] || []).every(run => run.points.length < 2),
    );
    for (const cell of study.cells.values()) {
      const runs = (cell.scores || {})[metric] || [];
      runs.forEach((run, i) =>
        curves.push({
          points: single ? [[run.block + 1, run.points[0][1]]] : run.points,
          colour: Math.max(0, levels.indexOf(cell.cell[place])),
          isFaint: !single && i < runs.length - 1,
          title: `${nameOf(study, cell.cell)}, block ${run.block + 1}`,
        }),
      );
    }
    return {curves: curves.sort((a, b) => b.isFaint - a.isFaint), single};
  };

  const showScores = study => {
    const metrics = [
      ...new Set([...study.cells.values()].flatMap(cell => Object.keys(cell.scores || {}))),
    ].slice(0, 6);
    byId("scores-part").hidden = metrics.length === 0;
    if (metrics.length === 0) return;
    const {place, levels} = coloured(study);
    byId("scores-legend").replaceChildren(
      ...levels.slice(0, 12).map((level, i) => make("span", level, "level-" + (i % 6))),
    );
    byId("scores").replaceChildren(
      ...metrics.map(metric => {
        const panel = make("figure");
        const plot = make("div", undefined, "plot");
        plot.append(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
        panel.append(make("figcaption", metric), plot);
        return panel;
      }),
    );
    let anySingle = false;
    metrics.forEach((metric, i) => {
      const {curves, single} = curvesOf(study, metric, place, levels);
      anySingle = anySingle || single;
      const svg = byId("scores").children[i].querySelector("svg");
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", `${metric} of ${curves.length} runs`);
      drawScores(svg, curves);
    });
    say(
      "scores-note",
      anySingle
        ? "Metrics that the workloads emit. One dot per run, by block."
        : "Metrics that the workloads emit, by step or epoch. Strong: the latest run of each cell.",
    );
  };

  Object.assign(window.prengdl, {showFindings, showScores});
})();
