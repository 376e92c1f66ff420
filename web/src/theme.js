// SPDX-License-Identifier: Apache-2.0
// Light and dark: as the system has it, until the reader says otherwise.

const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");

export const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

const colour = name => getComputedStyle(root).getPropertyValue(`--${name}`).trim();

/** The colours of levels, after Okabe and Ito: the style sheet has them for each ground. */
export const palette = () => Array.from({length: 8}, (_, i) => colour(`l${i}`));

/** What has no winner, or is no level: never one of the levels' colours. */
export const neutral = () => colour("none");

/** Categories that are no levels (Tol's light scheme): none of them looks like a level. */
export const categories = () =>
  isDark()
    ? ["#8c9fb8", "#c9b48f", "#9fb89a", "#b893b0", "#8fb8b8", "#c9a39a", "#a3a3a3", "#bdb76b"]
    : ["#7d8fa8", "#bda77f", "#8aa884", "#a97fa1", "#7aa6a6", "#ba8d83", "#999999", "#a8a255"];

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
