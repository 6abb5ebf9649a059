// Which documents conditions and shapes mean (hott.explorer.selection).

/** Whether conditions such as label=sport or year=2004..2005 hold; those of a column are alternatives. */
export function holds(where, infos) {
  const columns = new Map();
  for (const condition of where) {
    const at = condition.indexOf("="), name = condition.slice(0, at).trim();
    const info = infos.find((column) => column.name === name);
    if (at < 0) throw new Error(`A condition is a column and a value, as in label=sport or year=2004..2005; got '${condition}'.`);
    if (name !== "label" && !info) throw new Error(`The documents have no column '${name}'.`);
    columns.set(name, [...(columns.get(name) ?? []), fits(info?.type, condition.slice(at + 1))]);
  }
  return (document) => [...columns].every(([name, tests]) => {
    const value = name === "label" ? document.label : Object.hasOwn(document.columns, name) ? document.columns[name] : null;
    return tests.some((test) => test(value));
  });
}

/** At most so many of some things, evenly chosen. */
export function evenly(things, most) {
  const n = Math.min(most, things.length);
  return Array.from({ length: n }, (_, i) => things[n > 1 ? Math.floor((i * (things.length - 1)) / (n - 1)) : 0]);
}

/** Whether a place is inside a closed line (hott.explorer.selection.inside). */
export function isInside(x, y, corners) {
  let odd = false;
  for (let j = 0, k = corners.length - 1; j < corners.length; k = j++) {
    const [[x1, y1], [x2, y2]] = [corners[j], corners[k]];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) odd = !odd;
  }
  return odd && x !== null;
}

/** A test of a column's value: a value, a range of numbers or dates, or nothing for a missing one. */
function fits(type, wanted) {
  if (wanted === "") return (value) => value === null;
  if (type !== "number" && type !== "date") return (value) => value === wanted;
  const at = wanted.indexOf(".."), [first, last] = at < 0 ? [wanted, wanted] : [wanted.slice(0, at), wanted.slice(at + 2)];
  const isIn = type === "number"
    ? (value) => (!first || Number(value) >= Number(first)) && (!last || Number(value) <= Number(last))
    : (value) => (!first || value >= first) && (!last || value.slice(0, last.length) <= last);
  return (value) => value !== null && isIn(value);
}
