// SPDX-License-Identifier: Apache-2.0
// The live page. Names, logs and events come from outside: they become text, never markup.
"use strict";
(() => {
  const {byId, say, make, withPrefix, forPeople, roughly, clockAt, percent, qualities, figure} =
    window.prengdl;
  const {drawPower, showFindings, showScores, showJobs} = window.prengdl;

  const words = {
    running: "running",
    ended: "ended",
    interrupted: "interrupted",
    killed: "killed",
    quiet: "not running",
  };
  let study = {factors: [], cells: new Map()};
  let live = null;
  let received = 0;
  let power = [];
  let sorted = {column: null, down: false};

  const nameOf = cell => window.prengdl.nameOf(study, cell);

  const columns = () => [
    ...study.factors.map((factor, i) => ({title: factor, key: cell => cell.cell[i], isName: true})),
    {title: "runs", key: cell => cell.runs},
    {title: "failed", key: cell => cell.failures},
    {title: "time", key: cell => cell.seconds, unit: "s"},
    {title: "energy", key: cell => cell.joules, unit: "J"},
  ];

  const showHeads = () => {
    const heads = columns().map((column, i) => {
      const head = make("th", undefined, column.isName ? "" : "number");
      head.scope = "col";
      if (sorted.column === i)
        head.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      const button = make("button", column.title);
      button.type = "button";
      button.addEventListener("click", () => {
        sorted = {column: i, down: sorted.column === i && !sorted.down};
        showHeads();
        showCells();
        byId("heads").children[i].firstChild.focus();
      });
      head.append(button);
      return head;
    });
    byId("heads").replaceChildren(...heads);
  };

  const meanCell = (cell, value, spread, show, isModel) => {
    const td = make("td", undefined, "number");
    if (value === undefined) {
      td.append(make("span", "\u2013"));
      return td;
    }
    const both = make("span");
    both.append(make("span", isModel ? "~" + show(value) : show(value), isModel ? "model" : ""));
    if (spread !== undefined && value > 0)
      both.append(make("span", " \u00b1 " + percent(spread / value), "spread"));
    td.append(both);
    return td;
  };

  const showRow = cell => {
    const row = make("tr");
    if (live && live.state === "running" && live.live && live.live.cell === nameOf(cell.cell))
      row.setAttribute("aria-current", "true");
    for (const level of cell.cell) row.append(make("td", level, "name"));
    row.append(make("td", String(cell.runs), "number"));
    row.append(make("td", String(cell.failures), cell.failures ? "number bad" : "number"));
    row.append(meanCell(cell, cell.seconds, cell.seconds_sd, forPeople, false));
    row.append(
      meanCell(
        cell,
        cell.joules,
        cell.joules_sd,
        j => withPrefix(j, "J"),
        cell.quality === "model",
      ),
    );
    columns().forEach((column, i) => (row.children[i].dataset.head = column.title));
    return row;
  };

  const showCells = () => {
    const cells = [...study.cells.values()];
    const column = columns()[sorted.column];
    if (column) {
      const order = (a, b) => {
        const [x, y] = [column.key(a), column.key(b)];
        if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
        return typeof x === "string" ? x.localeCompare(y, undefined, {numeric: true}) : x - y;
      };
      cells.sort((a, b) => (sorted.down ? order(b, a) : order(a, b)));
    }
    byId("no-cells").hidden = cells.length > 0;
    byId("cells-part").hidden = byId("cells-note").hidden = cells.length === 0;
    byId("cells").replaceChildren(...cells.map(showRow));
  };

  const showFailures = () => {
    const opened = new Set(
      [...document.querySelectorAll("#failures details[open]")].map(one => one.dataset.run),
    );
    byId("failures-part").hidden = study.failures.length === 0;
    byId("failures").replaceChildren(
      ...study.failures.map(failure => {
        const details = make("details");
        details.dataset.run = failure.run;
        details.open = opened.has(failure.run);
        let how = failure.outcome.replace(/_/g, " ");
        if (failure.exit_code !== undefined) how += ", exit " + failure.exit_code;
        if (failure.signal !== undefined) how += ", signal " + failure.signal;
        const summary = make("summary", nameOf(failure.cell) + ": ");
        summary.append(
          make("span", how, "bad"),
          make("span", failure.at ? " at " + failure.at : "", "note"),
        );
        details.append(summary, make("p", "run " + failure.run, "note"));
        for (const warning of failure.warnings) details.append(make("p", warning));
        details.append(
          failure.log_tail ? make("pre", failure.log_tail) : make("p", "It wrote nothing.", "note"),
        );
        return details;
      }),
    );
  };

  const showEvents = () => {
    byId("events").replaceChildren(
      ...study.events
        .slice()
        .reverse()
        .map(event => {
          const item = make("li");
          const time = make("time", event.at);
          time.dateTime = event.at;
          item.append(
            time,
            make("b", event.kind),
            make("span", event.detail ? " " + event.detail : ""),
          );
          return item;
        }),
    );
  };

  const showSums = () => {
    say("study", study.study || "prengdl");
    say("preset", study.preset ? "preset " + study.preset : "");
    byId("bar").max = Math.max(1, study.planned);
    byId("bar").value = study.done;
    say("done", study.done + " of " + study.planned + " runs");
    document.title = study.done + "/" + study.planned + " " + study.study;
    say("failed", String(study.failed));
    byId("failed").classList.toggle("bad", study.failed > 0);
    say("failed-note", study.failed > 0 ? "kept, but not in the means" : "");
    say("seconds", forPeople(study.seconds));
    say(
      "warmups",
      study.warmups > 0 ? "including " + study.warmups + " warm-ups" : "of all stored runs",
    );
    const parts = Object.entries(study.joules);
    if (parts.length > 0) {
      say(
        "joules",
        parts.map(([quality, joules]) => figure(withPrefix(joules, "J"), quality)).join(" + "),
      );
      say("joules-quality", parts.map(([quality]) => qualities[quality] || quality).join("; "));
    }
  };

  const showPower = () => {
    byId("power-part").hidden = power.length < 2;
    if (power.length < 2) return;
    drawPower(byId("curve"), power, live.now + (performance.now() - received) / 1000);
    const values = power.map(point => point[1]);
    const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
    const told = live.live || {};
    say(
      "power-says",
      `Mean ${figure(withPrefix(mean, "W"), told.watts_quality)}, ` +
        `${withPrefix(Math.min(...values), "W")} to ${withPrefix(Math.max(...values), "W")}, ` +
        `${qualities[told.watts_quality] || "of unknown quality"}. ` +
        "Each point is the mean of a second or two. The line is recorded only while a page is open.",
    );
  };

  // What counts on by itself between two events.
  const showTime = () => {
    const told = live && live.live;
    if (!told || live.state !== "running") {
      say("now", live ? live.why : "");
      say("left", "");
      if (live) showJobs(study, live.cluster);
      return;
    }
    const passed = (performance.now() - received) / 1000;
    const since = told.doing_since !== undefined ? live.now - told.doing_since + passed : undefined;
    const silent = live.now - told.at + passed;
    say(
      "now",
      told.doing +
        (told.cell ? ": " + told.cell : "") +
        (since >= 1 ? ", for " + roughly(since) : "") +
        (silent > 30 ? " (last update " + roughly(silent) + " ago)" : ""),
    );
    const left =
      told.seconds_left !== undefined ? Math.max(0, told.seconds_left - passed) : undefined;
    const ends = left !== undefined ? `about ${roughly(left)} left, ends ${clockAt(left)}` : "";
    say("left", ends);
    showJobs(study, live.cluster, ends);
  };

  const showLive = () => {
    say("state", words[live.state] || live.state);
    byId("state").dataset.state = live.state;
    byId("trouble").hidden = !live.trouble;
    say("trouble", live.trouble || "");
    const told = live.state === "running" && live.live ? live.live : {};
    say("block", told.block ? "block " + told.block + " of " + told.blocks : "");
    if (told.watts !== undefined) {
      say("watts", figure(withPrefix(told.watts, "W"), told.watts_quality));
      say("watts-quality", qualities[told.watts_quality] || "");
    } else {
      say("watts", "\u2013");
      say(
        "watts-quality",
        live.state === "running" ? "not known right now" : "no run is in progress",
      );
    }
    say("cpu", forPeople(live.serve.cpu_seconds));
    say(
      "watchers",
      live.serve.watchers === 1 ? "1 open page" : live.serve.watchers + " open pages",
    );
    say(
      "noted",
      live.serve.noted
        ? "Runs made meanwhile get the flag \u201cwatched\u201d and record what it cost."
        : "Runs made meanwhile do not record this, because the result is not writable.",
    );
    showPower();
    showTime();
  };

  // One short sentence for screen readers, when a run or the study has ended.
  let announced = "";
  const announce = () => {
    const text =
      study.done +
      " of " +
      study.planned +
      " runs done, " +
      study.failed +
      " failed, " +
      (words[live.state] || "");
    if (text === announced) return;
    announced = text;
    say("news", text);
  };

  const takeLive = told => {
    live = {
      state: told.state,
      why: told.why,
      live: told.live,
      cluster: told.cluster,
      trouble: told.trouble,
      serve: told.serve,
      now: told.now,
    };
    received = performance.now();
  };

  const takeWhole = whole => {
    study = whole;
    study.cells = new Map(whole.cells.map(cell => [JSON.stringify(cell.cell), cell]));
    power = whole.power;
    takeLive(whole);
    showHeads();
    showSums();
    showFailures();
    showEvents();
    showFindings(study);
    showCells();
    showScores(study);
    showLive();
    announce();
  };

  const takeChanges = changes => {
    for (const cell of changes.cells) study.cells.set(JSON.stringify(cell.cell), cell);
    study = {...study, ...changes, cells: study.cells};
    showSums();
    showFindings(study);
    showScores(study);
    if (changes.failures) showFailures();
    if (changes.events) showEvents();
  };

  let lastCell = "";
  const takeLiveEvent = told => {
    takeLive(told);
    if (live.state !== "running") power = [];
    else if (live.live && live.live.watts !== undefined && live.live.at > (power.at(-1)?.[0] ?? 0))
      power = [...power, [live.live.at, live.live.watts]].slice(-300);
    const cell = live.state + study.done + (live.live ? live.live.cell : "");
    if (cell !== lastCell) showCells();
    lastCell = cell;
    showLive();
    announce();
  };

  // The connection. A page that nobody looks at lets go after a minute: the machine is measured.
  const token = new URLSearchParams(location.search).get("token");
  if (token) history.replaceState(null, "", location.pathname);
  let source = null;
  let retry = 0;
  let letGo = 0;
  const connect = () => {
    clearTimeout(retry);
    if (source) source.close();
    source = new EventSource("events" + (token ? "?token=" + encodeURIComponent(token) : ""));
    const on = (name, take) =>
      source.addEventListener(name, event => {
        byId("connection").hidden = true;
        take(JSON.parse(event.data));
      });
    on("study", takeWhole);
    on("changes", takeChanges);
    on("live", takeLiveEvent);
    source.addEventListener("error", () => {
      byId("connection").hidden = false;
      say(
        "connection",
        "Not connected, so these figures may be old. The page keeps trying. If prengdl serve was started again, use its new address.",
      );
      if (source.readyState === EventSource.CLOSED) {
        clearTimeout(retry);
        retry = setTimeout(connect, 3000);
      }
    });
  };
  document.addEventListener("visibilitychange", () => {
    clearTimeout(letGo);
    if (!document.hidden && (!source || source.readyState === EventSource.CLOSED)) connect();
    if (document.hidden)
      letGo = setTimeout(() => {
        clearTimeout(retry);
        if (source) source.close();
      }, 60000);
  });
  let width = 0;
  new ResizeObserver(() => {
    if (!live || width === document.body.clientWidth) return;
    width = document.body.clientWidth;
    showPower();
    showScores(study);
  }).observe(document.body);
  connect();
  setInterval(showTime, 1000);
})();
