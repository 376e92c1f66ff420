// SPDX-License-Identifier: Apache-2.0
// Light and dark: as the system has it, until the reader says otherwise.

const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

/** Colours that those with a colour vision deficiency can tell apart (Okabe and Ito), for each ground. */
export const palette = () =>
  isDark()
    ? ["#56b4e9", "#e69f00", "#2bc492", "#e3a0c6", "#f0e442", "#ff8c42", "#bdbdbd", "#9bb7ff"]
    : ["#0072b2", "#d55e00", "#007a5a", "#b3568a", "#8a6d00", "#3d85b8", "#555555", "#6a3fa0"];

export function config() {
  const ink = isDark() ? "#e8eaed" : "#1a1d21",
    quiet = isDark() ? "#a8b0ba" : "#555c66",
    line = isDark() ? "#3a4049" : "#e1e4e8";
  const font = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', 'DejaVu Sans', sans-serif";
  const words = {
    labelColor: ink,
    titleColor: ink,
    labelFont: font,
    titleFont: font,
    labelFontSize: 11,
    titleFontSize: 12,
    titleFontWeight: "normal",
  };
  return {
    background: "transparent",
    font,
    aria: false,
    axis: {
      ...words,
      gridColor: line,
      domainColor: quiet,
      tickColor: quiet,
      labelLimit: 260,
      titleLimit: 600,
    },
    legend: {
      ...words,
      orient: "top",
      direction: "horizontal",
      symbolLimit: 40,
      labelLimit: 260,
      columns: 4,
      titleLimit: 300,
    },
    header: {...words, labelLimit: 260, titleLimit: 400},
    title: {color: ink, font, fontSize: 12, fontWeight: 600, anchor: "start", limit: 900},
    view: {stroke: line},
    range: {category: palette()},
    text: {color: ink, font},
    rule: {color: quiet},
    tick: {color: ink},
  };
}

export function addThemeButton(redraw) {
  const button = document.createElement("button");
  button.className = "tool";
  button.id = "theme";
  button.type = "button";
  const say = () => {
    button.textContent = isDark() ? "Light theme" : "Dark theme";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    say();
    redraw();
  });
  system.addEventListener("change", () => {
    if (!root.dataset.theme) {
      say();
      redraw();
    }
  });
  say();
  document.querySelector("header").append(button);
}
