// Files to take away: lists as CSV and Parquet, pictures as SVG and PNG.

import { getParquet, getRows, hasParquet } from "./api.js";
import { announce, button, h, svg, swap } from "./dom.js";

function download(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const menu = (name, ...items) => h("details", { class: "menu" }, h("summary", { "aria-label": name, "data-key": `menu:${name}` }, "Save"), h("div", { class: "card" }, items));

/** Rows as CSV. A cell that a spreadsheet would take for a formula begins with an apostrophe; a number is none. */
function csv(header, rows) {
  const cell = (value) => {
    let text = value === null || value === undefined ? "" : String(value);
    if (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text))) text = `'${text}`;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** A button that saves a list; `rows()` is asked when it is pressed. */
export function csvButton(name, header, rows, text = "CSV") {
  return button(text, () => download(`${name}.csv`, csv(header, rows()), "text/csv;charset=utf-8"), { class: "small", name: text === "CSV" ? "Save this list as CSV" : `Save as CSV: ${name}` });
}

/** A button that saves a part of the page as one file that needs no other. */
export function pageButton(name, title, element) {
  const save = () => {
    let styles = "";
    try { styles = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText).join("\n"); } catch { /* a page from a disk may not read its style: plain, then */ }
    const copy = element.cloneNode(true), { theme } = document.documentElement.dataset;
    for (const one of copy.querySelectorAll("button.term")) one.replaceWith(h("span", { class: "term" }, one.textContent));
    for (const one of copy.querySelectorAll("button, details, a")) one.remove();
    const head = `<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n${h("title", {}, title()).outerHTML}\n<style>\n${styles}\n</style>`;
    download(`${name}.html`, `<!doctype html>\n<html lang="en" data-theme="${theme}">\n${head}\n<body>${copy.outerHTML}</body>\n</html>\n`, "text/html;charset=utf-8");
  };
  return button("HTML", save, { class: "small", name: `Save as one HTML file: ${name}` });
}

/** A menu that saves documents with all that is known of them; `selection()` says which. `extra` has further columns of those that are
 *  listed one by one: their names, and their values by the position of a document. */
export function documentsMenu(name, selection, extra = null) {
  const text = h("input", { type: "checkbox" }), told = h("p", { class: "faint small-text" });

  async function saveCsv(wanted) {
    const { columns, positions } = await getRows(wanted), names = Object.keys(columns);
    const rows = positions.map((_, i) => names.map((column) => columns[column][i]));
    download(`${name}.csv`, csv(names, rows), "text/csv;charset=utf-8");
  }

  const saveParquet = async (wanted) => download(`${name}.parquet`, await getParquet(wanted));

  const choose = (save) => async () => {
    swap(told, "…");
    const wanted = { ...selection(), text: text.checked }, { positions } = wanted;
    if (positions && extra) wanted.extra = Object.fromEntries(extra.header.map((column, k) => [column, positions.map((position) => extra.at(position)[k] ?? null)]));
    await save(wanted).then(() => swap(told), (error) => { swap(told, error.message); announce(error.message); });
  };
  return menu("Save this list", button("CSV", choose(saveCsv), { class: "small", name: "Save this list as CSV" }),
    hasParquet && button("Parquet", choose(saveParquet), { class: "small", name: "Save this list as Parquet" }), h("label", {}, text, " with texts"), told);
}

/** A button that saves a text. */
export const textButton = (name, content, text) => button(text, () => download(name, content(), "text/plain;charset=utf-8"), { class: "small", name: `${text}: save ${name}` });

/** A menu that saves a drawing; `drawing()` makes the svg element. */
export const pictureMenu = (name, drawing) => menu("Save this picture",
  button("SVG", () => download(`${name}.svg`, standalone(drawing()), "image/svg+xml"), { class: "small", name: "Save this picture as SVG" }),
  button("PNG", async () => download(`${name}.png`, await rasterized(drawing)), { class: "small", name: "Save this picture as PNG" }));

/** A drawing as a file, on the background of the page. */
function standalone(drawing) {
  const { width, height } = drawing.viewBox.baseVal;
  drawing.prepend(svg("rect", { width, height, fill: getComputedStyle(document.body).backgroundColor }));
  for (const [name, value] of Object.entries({ width, height })) drawing.setAttribute(name, value);
  return new XMLSerializer().serializeToString(drawing);
}

async function rasterized(drawing) {
  const element = drawing();
  const { width, height } = element.viewBox.baseVal;
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([standalone(element)], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve) => canvas.toBlob(resolve));
}
