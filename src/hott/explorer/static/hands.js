// What hands do on the map: drag, wheel, pinch, click, lasso, keys.

const CLICK = 5; // pixels that a hand may shake in a click
const MAX_CORNERS = 60; // of a lasso

export function listenToHands(scatter) {
  const { host } = scatter;
  const pointers = new Map();
  let start, line;
  const spot = ({ offsetX, offsetY }) => [offsetX, offsetY];

  host.addEventListener("wheel", (event) => {
    event.preventDefault();
    scatter.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), spot(event));
    scatter.hover(scatter.at(...spot(event)), ...spot(event)); // what is under the pointer now
  }, { passive: false });
  host.addEventListener("dblclick", () => scatter.reset());
  host.addEventListener("pointerleave", () => scatter.hover(-1));
  host.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    host.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, spot(event));
    start = spot(event);
    line = host.dataset.mode === "lasso" || event.shiftKey ? [spot(event)] : null;
  });
  host.addEventListener("pointermove", (event) => {
    const place = spot(event);
    const before = pointers.get(event.pointerId);
    if (!before) return scatter.hover(scatter.n ? scatter.at(...place) : -1, ...place);
    pointers.set(event.pointerId, place);
    if (pointers.size === 2) return pinch(event.pointerId, before, place);
    if (!line) return scatter.panBy(place[0] - before[0], place[1] - before[1]);
    line.push(place);
    return scatter.trace(line);
  });

  function end(event) {
    if (!pointers.delete(event.pointerId) || event.type === "pointercancel") return;
    const place = spot(event);
    if (line?.length > 2) scatter.lassoed(line.filter((_, i) => i % Math.ceil(line.length / MAX_CORNERS) === 0));
    else if (Math.hypot(place[0] - start[0], place[1] - start[1]) < CLICK) {
      scatter.pick(scatter.at(...place), ...place);
    }
    line = null;
  }
  host.addEventListener("pointerup", end);
  host.addEventListener("pointercancel", end);

  function pinch(id, before, now) {
    const [, other] = [...pointers].find(([key]) => key !== id);
    const apart = (place) => Math.hypot(place[0] - other[0], place[1] - other[1]) || 1;
    line = null;
    start = [-1e9, 0]; // no click when the fingers are lifted
    scatter.zoomBy(apart(now) / apart(before), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
  }

  host.addEventListener("keydown", (event) => {
    const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [], { cursor } = scatter;
    const factor = { "+": 1.4, "=": 1.4, "-": 1 / 1.4 }[event.key];
    if (event.target !== host) return;
    if (dx !== undefined && event.shiftKey) scatter.panBy(-60 * dx, -60 * dy);
    else if (dx !== undefined) walk(scatter, dx, dy);
    else if (event.key === "Enter" && cursor !== undefined) scatter.pick(cursor, ...scatter.placeOf(cursor));
    else if (factor) scatter.zoomBy(factor);
    else if (event.key === "0") scatter.reset();
    else return;
    event.preventDefault();
  });
}

/** Go to the next lit point in a direction, from the last one or from the middle, where there is one. */
function walk(scatter, dx, dy) {
  const { cursor, lit, width, height, n } = scatter, [u, v] = cursor === undefined ? [width / 2, height / 2] : scatter.placeOf(cursor);
  let best = -1, least = Infinity;
  for (let i = 0; i < n; i++) {
    if ((lit && !lit[i]) || i === cursor) continue;
    const [x, y] = scatter.placeOf(i), along = (x - u) * dx + (y - v) * dy, across = Math.abs((x - u) * dy) + Math.abs((y - v) * dx);
    if (along > 0 && across <= along && along + 2 * across < least) { least = along + 2 * across; best = i; }
  }
  if (best < 0) return;
  scatter.cursor = best;
  const [x, y] = scatter.placeOf(best), beyond = (at, size) => (at < 40 ? 40 - at : at > size - 40 ? size - 40 - at : 0);
  scatter.panBy(beyond(x, width), beyond(y, height));
  scatter.hover(best, ...scatter.placeOf(best), true);
}
