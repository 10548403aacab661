// Colours: Okabe and Ito (https://jfly.uni-koeln.de/color), and lighter or darker ones of the same hues where eight are not enough.

export const okabeIto = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#8c8c8c"];
export const shapes = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"];

/* Causes in the order of the stack: neighbours differ in hue and in lightness. */
const causes = {
  issued: "#009e73",
  issues: "#009e73",
  not_selected: "#a6dcc8",
  replay: "#8a6d00",
  pipe_busy: "#f0e442",
  operand_collector: "#b9ad2e",
  memory_back_pressure: "#e69f00",
  scoreboard_alu: "#56b4e9",
  scoreboard_memory: "#d55e00",
  ibuffer_empty: "#cc79a7",
  control_flow: "#7b3f62",
  barrier: "#0072b2",
  fence: "#003f63",
  hold: "#9ecbe8",
  idle: "#c9ced4",
  no_warp: "#dfe3e7",
  empty: "#dfe3e7",
};

/** Colours of names, in order: those that are known, and for others what is left. */
export function causeColours(names) {
  const taken = new Set(names.map((name) => causes[name]).filter(Boolean));
  const free = [...okabeIto, "#7fb2d5", "#f3c873", "#7ccdb5", "#e9a27a", "#a0a0a0", "#5c5c5c"].filter(
    (colour) => !taken.has(colour),
  );
  let next = 0;
  return names.map((name) => causes[name] ?? free[next++ % free.length]);
}

export function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Black or white, whichever is read more easily on the colour. */
export function inkOn(colour) {
  const [r, g, b] = [1, 3, 5]
    .map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000000" : "#ffffff";
}
