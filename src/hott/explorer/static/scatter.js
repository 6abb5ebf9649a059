// Points on a plane: zoom, pan, hover, click, lasso.
// Written here because plotly's WebGL plots compile code at run time, which the page's policy forbids.

import { reachOf } from "./clusters.js";
import { channels } from "./colors.js";
import { rangeOf, svg } from "./dom.js";
import { Pixels } from "./drawing.js";
import { listenToHands } from "./hands.js";

const REACH = 10; // pixels around the pointer in which a point is found
const FRAME = 14, REST = 160; // milliseconds that drawing may take while the map is moved, and until all points are drawn again
const MIN_POINTS = 10_000, FIRST = 40_000; // points that are drawn while the map is moved: however slow that is, and before that is known
const VIEWED = 0.35; // of the map is the radius of what a view is made for
const PAD = 24; // pixels around all points
const FAINT = 42, FULL = 225; // how opaque points are, of 255

export class Scatter {
  /** Draws into `host`. `hover(index or -1, x, y, isWalked)`, `pick(index or -1, x, y)`, `lasso(corners)` and `moved()` are told what happens. */
  constructor(host, { hover, pick, lasso, moved }) {
    Object.assign(this, { host, hover, pick, lassoed: lasso, moved, n: 0, shape: [], outline: [] });
    this.canvas = document.createElement("canvas");
    [this.path, this.rim] = [svg("path"), svg("path", { class: "rim" })];
    host.append(this.canvas, svg("svg", { class: "lasso" }, this.path, this.rim));
    host.scatter = this;
    this.pixels = new Pixels(this.canvas);
    listenToHands(this);
    new ResizeObserver(() => this.resize()).observe(host);
  }

  /** Show other points. `x` and `y` may hold NaN: such points are not drawn. */
  setPoints(x, y) {
    this.x = Float32Array.from(x, (value) => value ?? NaN);
    this.y = Float32Array.from(y, (value) => value ?? NaN);
    this.n = this.x.length;
    const places = new Float32Array(2 * this.n);
    if (this.slot?.length !== this.n) this.slot = shuffled(this.n);
    for (let i = 0; i < this.n; i++) { places[2 * this.slot[i]] = this.x[i]; places[2 * this.slot[i] + 1] = this.y[i]; }
    this.places = places;
    this.most = Math.min(this.n, FIRST);
    this.drawn = this.x.reduce((n, value) => n + !Number.isNaN(value), 0);
    this.size = sizeOf(this.n);
    this.ends = this.drawn ? [this.x, this.y].map(rangeOf) : [[-1, 1], [-1, 1]];
    this.resize();
  }

  /** Colour point i by `colors[codes[i]]` ("#rrggbb", -1 the last); those not in `lit` (a Uint8Array, or null) fade. */
  setColors(codes, colors, lit = null) {
    const some = lit ? lit.reduce((n, one) => n + one, 0) : this.n, size = Math.max(this.size, Math.min(7, sizeOf(some))); // a few are seen among many
    const parsed = colors.map(channels);
    this.paint = new Uint8Array(4 * this.n);
    this.sizes = new Float32Array(this.n);
    this.lit = lit;
    for (let i = 0; i < this.n; i++) {
      const [red, green, blue] = parsed[codes[i] < 0 ? parsed.length - 1 : codes[i]];
      const full = !lit || lit[i];
      const at = this.slot[i];
      this.paint[4 * at] = red;
      this.paint[4 * at + 1] = green;
      this.paint[4 * at + 2] = blue;
      this.paint[4 * at + 3] = full ? FULL : FAINT;
      this.sizes[at] = full ? size : 0.8 * this.size;
    }
    this.draw();
  }

  /** Show closed lines on the map, in its coordinates: a `shape`, or the `outline` of a cluster. */
  setLines(lines) {
    Object.assign(this, lines);
    this.draw();
  }

  /** Where a point is on the screen, in pixels from the corner of the map. */
  placeOf(i) { return this.onScreen([this.x[i], this.y[i]]); }

  onScreen([x, y]) { return [x * this.zoom + this.left, this.top - y * this.zoom]; }

  /** What a place on the screen is on the map. */
  coordinates([left, top]) { return [(left - this.left) / this.zoom, (this.top - top) / this.zoom]; }

  /** The middle of what is shown, and how near it is (1: all is shown). */
  get view() { return [...this.coordinates([this.width / 2, this.height / 2]), this.zoom / this.fit]; }

  /** Show a place of the map, so near, in the middle or `at` another place on the screen. */
  show([x, y, nearness], [left, top] = [this.width / 2, this.height / 2]) {
    this.zoom = Math.min(Math.max(nearness, 0.4), 400) * this.fit;
    this.left = left - x * this.zoom;
    this.top = top + y * this.zoom;
    this.draw();
  }

  /** The view that has some points and little else. */
  viewOf(positions) {
    const { x, y, radius } = reachOf(positions, this.x, this.y), near = (VIEWED * Math.min(this.width, this.height)) / (radius || 1e-9) / this.fit;
    return Number.isNaN(x) ? null : [x, y, Math.min(Math.max(near, 1), 12)];
  }

  zoomBy(factor, at = [this.width / 2, this.height / 2]) { this.show([...this.coordinates(at), (factor * this.zoom) / this.fit], at); }

  panBy(dx, dy) {
    this.left += dx;
    this.top += dy;
    this.draw();
  }

  /** Show everything. */
  reset() {
    const [[west, east], [south, north]] = this.ends;
    this.fit = Math.max(Math.min((this.width - 2 * PAD) / (east - west || 1), (this.height - 2 * PAD) / (north - south || 1)), 1);
    this.show([(west + east) / 2, (south + north) / 2, 1]);
    this.home = [this.left, this.top, this.zoom].join();
  }

  /** Whether everything is shown, as at first. */
  get isWhole() { return this.home === [this.left, this.top, this.zoom].join(); }

  // -- drawing ----------------------------------------------------------------------------------------

  resize() {
    const { clientWidth, clientHeight } = this.host;
    if (!clientWidth || !clientHeight || !this.n) return;
    const first = !this.width;
    const before = first || this.isWhole ? null : this.view;
    [this.width, this.height] = [clientWidth, clientHeight];
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    this.reset();
    if (before) this.show(before);
  }

  draw() {
    if (this.frame || !this.width || !this.paint) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.drawSmoothly();
      this.trace(this.shape.map((corner) => this.onScreen(corner)));
      this.trace(this.outline.map((corner) => this.onScreen(corner)), this.rim);
      this.host.dataset.drawn = this.drawn;
      this.moved();
    });
  }

  /** Fewer points while the map is moved where it would be slow otherwise; all of them when it rests. */
  drawSmoothly() {
    clearTimeout(this.resting);
    const began = performance.now(), drawn = this.most;
    this.drawPlain(drawn);
    const took = Math.max(performance.now() - began, 1);
    this.most = Math.min(this.n, Math.max(MIN_POINTS, Math.round((drawn * FRAME) / took)));
    if (drawn < this.n) this.resting = setTimeout(() => this.drawPlain(), REST);
  }

  drawPlain(most = this.n) {
    this.pixels.clear(getComputedStyle(this.host).getPropertyValue("--back").trim());
    const { places, paint, sizes, zoom, left, top, ratio } = this;
    this.pixels.discs(most, places, zoom * ratio, [left * ratio, top * ratio], sizes, ratio * this.growth(), paint);
    this.pixels.show();
  }

  trace(corners, path = this.path) {
    if (corners.length) path.setAttribute("d", "M" + corners.map((spot) => spot.map(Math.round).join(" ")).join("L") + "Z");
    else path.removeAttribute("d");
  }

  /** Points grow a little when one comes nearer. */
  growth() { return Math.min(2.5, Math.max(0.7, (this.zoom / this.fit) ** 0.3)); }

  /** The lit point near a place on the screen, -1 for none. */
  at(x, y) {
    let best = -1, least = REACH * REACH;
    for (let i = 0; i < this.n; i++) {
      if (this.lit && !this.lit[i]) continue;
      const dx = this.x[i] * this.zoom + this.left - x;
      const dy = -this.y[i] * this.zoom + this.top - y;
      const square = dx * dx + dy * dy;
      if (square < least) { least = square; best = i; }
    }
    return best;
  }
}

/** How large each of n points is, in pixels. */
const sizeOf = (n) => Math.min(11, Math.max(3, 60 / Math.max(n, 1) ** 0.35));

/** A place for each of n points: any first part of them is spread over all. */
function shuffled(n) {
  const places = Uint32Array.from({ length: n }, (_, i) => i);
  let seed = 1;
  for (let i = n - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((seed / 4294967296) * (i + 1));
    [places[i], places[j]] = [places[j], places[i]];
  }
  return places;
}
