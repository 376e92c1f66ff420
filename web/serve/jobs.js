// SPDX-License-Identifier: Apache-2.0
// The nodes and jobs of a study on a cluster.
"use strict";
(() => {
  const {byId, say, make} = window.prengdl;

  /** "1-3, 7" of the blocks of a job. */
  const rangesOf = blocks => {
    const ranges = [];
    for (const block of blocks) {
      const last = ranges.at(-1);
      if (last && block === last[1] + 1) last[1] = block;
      else ranges.push([block, block]);
    }
    return ranges.map(([first, last]) => (first === last ? first : first + "-" + last)).join(", ");
  };

  const columns = [
    {title: "job", text: job => job.job, name: "name"},
    {title: "state", text: job => job.state, name: "name"},
    {title: "node", text: job => job.node || "\u2013", name: "name"},
    {title: "blocks", text: job => rangesOf(job.blocks || []), name: "name"},
    {title: "runs", text: job => job.runs + " of " + job.planned, name: "number"},
    {title: "reason", text: job => job.reason || "", name: "name"},
  ];

  const jobRow = (job, shown) => {
    const row = make("tr");
    for (const column of shown) {
      const cell = make("td", column.text(job), column.name);
      cell.dataset.head = column.title;
      row.append(cell);
    }
    return row;
  };

  const showTable = jobs => {
    byId("jobs-scroll").hidden = jobs.length === 0;
    const shown = columns.filter(column => jobs.some(job => column.text(job) !== ""));
    byId("job-heads").replaceChildren(
      ...shown.map(column => {
        const head = make("th", column.title, column.name === "number" ? "number" : "");
        head.scope = "col";
        return head;
      }),
    );
    byId("jobs").replaceChildren(...jobs.map(job => jobRow(job, shown)));
  };

  let drawn = "";

  /** `left`: the time left in words, or nothing. */
  const showJobs = (study, cluster, left) => {
    byId("jobs-part").hidden = !cluster;
    if (!cluster) return;
    const nodes = study.nodes === 1 ? "1 node" : study.nodes + " nodes";
    say(
      "jobs-says",
      `${cluster.summary}. ${study.done} of ${study.planned} runs are done` +
        (study.nodes > 0 ? `, on ${nodes}` : "") +
        (left ? `; ${left}.` : "."),
    );
    byId("jobs-old").hidden = !cluster.controller_has_ended || cluster.all_jobs === 0;
    say(
      "jobs-old",
      `Nobody has followed these jobs since ${cluster.at}: process ${cluster.pid} on ` +
        `${cluster.host} has ended.` +
        (study.done < study.planned
          ? " The jobs may still run. Run the same command again to continue."
          : ""),
    );
    const more = cluster.all_jobs - cluster.jobs.length;
    say(
      "jobs-note",
      `${more > 0 ? `${more} more jobs are not listed. ` : ""}Recorded at ${cluster.at}.`,
    );
    const text = JSON.stringify(cluster.jobs);
    if (text !== drawn) showTable(cluster.jobs);
    drawn = text;
  };

  Object.assign(window.prengdl, {showJobs});
})();
