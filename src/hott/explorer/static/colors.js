// The palette of the library's pictures (hott.plots.style): every reader can tell its colours apart.

export const COLORS = [
  "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#793D3D", "#314992", "#9279F3", "#9EB686",
  "#925579", "#9E490C", "#920C6D", "#8661DB", "#3D49C2", "#E77931", "#FF79CE", "#556D49", "#6DAA61", "#9E0C0C",
];
export const GREY = "#8C8C8C";

/** The colour at a position; they repeat after twenty. On a dark page they are lighter, to stand out from it. */
export function colorAt(position) {
  const color = position < 0 ? GREY : COLORS[position % COLORS.length];
  return document.documentElement.dataset.theme === "dark" ? lighter(color) : color;
}

function lighter(hex) {
  return "#" + channels(hex).map((value) => Math.round(value + 0.3 * (255 - value)).toString(16).padStart(2, "0")).join("");
}

/** Red, green and blue from 0 to 255. */
export function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}
