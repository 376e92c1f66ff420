// SPDX-License-Identifier: Apache-2.0
// Elements and figures for people, for the scripts of the live page. Names, logs and events come from outside: they
// become text, never markup.
"use strict";
(() => {
  const byId = id => document.getElementById(id);
  const say = (id, text) => {
    const element = byId(id);
    if (element.textContent !== text) element.textContent = text;
  };
  const make = (tag, text, className) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  };

  // Figures for people.
  const withPrefix = (value, unit) => {
    if (value === 0) return "0 " + unit;
    const steps = [
      [1e9, "G"],
      [1e6, "M"],
      [1e3, "k"],
      [1, ""],
      [1e-3, "m"],
      [1e-6, "\u00b5"],
    ];
    const [size, prefix] = steps.find(([least]) => Math.abs(value) >= least) || [1e-9, "n"];
    return (value / size).toPrecision(3).replace(/e\+?(\d+)/, "") + " " + prefix + unit;
  };
  const forPeople = seconds => {
    if (seconds < 1) return withPrefix(seconds, "s");
    if (seconds < 60) return (seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)) + " s";
    const whole = Math.round(seconds);
    const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
    if (hours >= 48) return Math.round(hours / 24) + " days";
    return hours > 0 ? hours + " h " + minutes + " min" : minutes + " min " + (whole % 60) + " s";
  };
  const roughly = seconds =>
    seconds < 60 ? Math.max(0, Math.round(seconds)) + " s" : forPeople(seconds);
  const clockAt = seconds => {
    const end = new Date(Date.now() + 1000 * seconds);
    const time = end.toLocaleTimeString([], {hour: "2-digit", minute: "2-digit"});
    const isToday = end.toDateString() === new Date().toDateString();
    return "at about " + (isToday ? time : end.toLocaleDateString() + " " + time);
  };
  const percent = share => {
    if (share < 0.001) return "< 0.1 %";
    return (share < 0.995 ? (100 * share).toPrecision(2) : (100 * share).toFixed(0)) + " %";
  };
  const ratioText = value =>
    value >= 100 ? "> 100" : value < 0.01 ? "< 0.01" : value.toPrecision(3);
  const qualities = {
    wall: "measured by a wall meter",
    sensor: "measured by sensors",
    chip: "measured by the chip",
    virtual: "reported by the hypervisor",
    model: "modelled, not measured",
  };
  const figure = (text, quality) => (quality === "model" ? "~" + text : text);

  /** What `run` calls a cell: "framework=pytorch model=ncf". */
  const nameOf = (study, cell) =>
    study.factors.map((factor, i) => factor + "=" + cell[i]).join(" ");

  window.prengdl = {
    byId,
    say,
    make,
    withPrefix,
    forPeople,
    roughly,
    clockAt,
    percent,
    ratioText,
    qualities,
    figure,
    nameOf,
  };
})();
