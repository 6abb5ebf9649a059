// Points on a plane, drawn with WebGL (or without, where there is none): zoom, pan, hover, click, lasso.
// Written here because plotly's WebGL plots compile code at run time, which the page's policy forbids.

import { channels } from "./colors.js";

const VERTEX = `
  attribute vec2 place; attribute vec4 paint; attribute float size;
  uniform vec2 scale; uniform vec2 shift; uniform float ratio;
  varying vec4 color;
  void main() {
    gl_Position = vec4(place * scale + shift, 0.0, 1.0);
    gl_PointSize = size * ratio;
    color = paint;
  }`;
const FRAGMENT = `
  precision mediump float;
  varying vec4 color;
  void main() {
    float r = 2.0 * distance(gl_PointCoord, vec2(0.5));
    float cover = color.a * (1.0 - smoothstep(0.8, 1.0, r));
    gl_FragColor = vec4(color.rgb * cover, cover);
  }`;
const REACH = 10; // pixels around the pointer in which a point is found
const CLICK = 5; // pixels that a hand may shake in a click

export class Scatter {
  /** Draws into `host`. `hover(index or -1, x, y)`, `pick(index)` and `lasso(indices)` are told what happens. */
  constructor(host, { hover, pick, lasso, moved }) {
    Object.assign(this, { host, hover, pick, lassoed: lasso, moved, mode: "pan", n: 0 });
    this.canvas = document.createElement("canvas");
    this.trail = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.trail.setAttribute("class", "lasso");
    this.path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    this.trail.append(this.path);
    host.append(this.canvas, this.trail);
    host.scatter = this;
    this.gl = this.canvas.getContext("webgl", { antialias: true, premultipliedAlpha: true });
    if (this.gl) this.prepare();
    else this.plain = this.canvas.getContext("2d");
    this.pointers = new Map();
    this.listen();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(host);
  }

  /** Show other points. `x` and `y` may hold NaN: such points are not drawn. */
  setPoints(x, y) {
    this.x = Float32Array.from(x, (value) => value ?? NaN);
    this.y = Float32Array.from(y, (value) => value ?? NaN);
    this.n = this.x.length;
    const places = new Float32Array(2 * this.n);
    for (let i = 0; i < this.n; i++) places.set([this.x[i], this.y[i]], 2 * i);
    this.upload("place", places);
    this.drawn = this.x.filter((value) => !Number.isNaN(value)).length;
    this.size = Math.min(11, Math.max(4, 60 / Math.max(this.n, 1) ** 0.35));
    this.bound();
    this.resize();
  }

  /** Colour point i by `colors[i]` ("#rrggbb"); those not in `strong` (a function of i) fade. */
  setColors(colors, strong = () => true) {
    const parsed = new Map();
    this.paint = new Uint8Array(4 * this.n);
    this.sizes = new Float32Array(this.n);
    this.strong = new Uint8Array(this.n);
    for (let i = 0; i < this.n; i++) {
      if (!parsed.has(colors[i])) parsed.set(colors[i], channels(colors[i]));
      const full = strong(i);
      this.paint.set([...parsed.get(colors[i]), full ? 225 : 36], 4 * i);
      this.sizes[i] = full ? this.size : 0.8 * this.size;
      this.strong[i] = full ? 1 : 0;
    }
    this.upload("paint", this.paint);
    this.upload("size", this.sizes);
    this.draw();
  }

  setMode(mode) {
    this.mode = mode;
    this.host.dataset.mode = mode;
  }

  /** Where a point is on the screen, in pixels from the corner of the map. */
  placeOf(i) {
    return [this.x[i] * this.zoom + this.left, -this.y[i] * this.zoom + this.top];
  }

  zoomBy(factor, at = [this.width / 2, this.height / 2]) {
    const zoom = Math.min(Math.max(this.zoom * factor, 0.4 * this.fit), 400 * this.fit);
    const real = zoom / this.zoom;
    this.left = at[0] + (this.left - at[0]) * real;
    this.top = at[1] + (this.top - at[1]) * real;
    this.zoom = zoom;
    this.draw();
  }

  panBy(dx, dy) {
    this.left += dx;
    this.top += dy;
    this.draw();
  }

  /** Show everything. */
  reset() {
    const { west, east, south, north } = this.bounds;
    const pad = 24;
    this.fit = Math.min((this.width - 2 * pad) / (east - west || 1), (this.height - 2 * pad) / (north - south || 1));
    this.fit = Math.max(this.fit, 1);
    this.zoom = this.fit;
    this.left = this.width / 2 - (this.zoom * (west + east)) / 2;
    this.top = this.height / 2 + (this.zoom * (south + north)) / 2;
    this.draw();
  }

  close() {
    this.watcher.disconnect();
    cancelAnimationFrame(this.frame);
    this.gl?.getExtension("WEBGL_lose_context")?.loseContext();
  }

  // -- drawing ----------------------------------------------------------------------------------------

  prepare() {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const uniform = (name) => gl.getUniformLocation(program, name);
    this.uniforms = { scale: uniform("scale"), shift: uniform("shift"), ratio: uniform("ratio") };
    this.buffers = {};
    for (const [name, width, type] of [["place", 2, gl.FLOAT], ["paint", 4, gl.UNSIGNED_BYTE], ["size", 1, gl.FLOAT]]) {
      const buffer = (this.buffers[name] = gl.createBuffer());
      const slot = gl.getAttribLocation(program, name);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(slot);
      gl.vertexAttribPointer(slot, width, type, type === gl.UNSIGNED_BYTE, 0, 0);
    }
  }

  upload(name, values) {
    if (!this.gl) return;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffers[name]);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, values, this.gl.STATIC_DRAW);
  }

  bound() {
    const range = (values) => {
      let least = Infinity, most = -Infinity;
      for (const value of values) if (!Number.isNaN(value)) { least = Math.min(least, value); most = Math.max(most, value); }
      return least > most ? [-1, 1] : [least, most];
    };
    const [west, east] = range(this.x), [south, north] = range(this.y);
    this.bounds = { west, east, south, north };
  }

  resize() {
    const { clientWidth, clientHeight } = this.host;
    if (!clientWidth || !clientHeight || !this.n) return;
    const first = !this.width;
    const view = first ? null : [this.zoom / this.fit, this.left - this.width / 2, this.top - this.height / 2];
    [this.width, this.height] = [clientWidth, clientHeight];
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    if (first || view[0] === 1) this.reset();
    else {
      this.left = view[1] + this.width / 2;
      this.top = view[2] + this.height / 2;
      this.draw();
    }
  }

  draw() {
    if (this.frame || !this.width || !this.paint) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (this.gl) this.drawFast();
      else this.drawPlain();
      this.host.dataset.drawn = this.drawn;
      this.moved();
    });
  }

  drawFast() {
    const { gl, uniforms } = this;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(uniforms.scale, (2 * this.zoom) / this.width, (2 * this.zoom) / this.height);
    gl.uniform2f(uniforms.shift, (2 * this.left) / this.width - 1, 1 - (2 * this.top) / this.height);
    gl.uniform1f(uniforms.ratio, this.ratio * this.growth());
    gl.drawArrays(gl.POINTS, 0, this.n);
  }

  drawPlain() {
    const { plain: pen, ratio } = this;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    for (let i = 0; i < this.n; i++) {
      if (Number.isNaN(this.x[i])) continue;
      const [red, green, blue, alpha] = this.paint.subarray(4 * i, 4 * i + 4);
      pen.fillStyle = `rgba(${red},${green},${blue},${alpha / 255})`;
      pen.beginPath();
      pen.arc(...this.placeOf(i), (this.sizes[i] * this.growth()) / 2, 0, 7);
      pen.fill();
    }
  }

  /** Points grow a little when one comes nearer. */
  growth() {
    return Math.min(2.5, Math.max(0.7, (this.zoom / this.fit) ** 0.3));
  }

  // -- hands ------------------------------------------------------------------------------------------

  at(x, y) {
    let best = -1, least = REACH * REACH;
    for (let i = 0; i < this.n; i++) {
      if (!this.strong[i]) continue;
      const dx = this.x[i] * this.zoom + this.left - x;
      const dy = -this.y[i] * this.zoom + this.top - y;
      const square = dx * dx + dy * dy;
      if (square < least) { least = square; best = i; }
    }
    return best;
  }

  listen() {
    const { host } = this;
    const spot = (event) => {
      const box = host.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    host.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), spot(event));
    }, { passive: false });
    host.addEventListener("dblclick", () => this.reset());
    host.addEventListener("pointerleave", () => this.hover(-1));
    host.addEventListener("pointerdown", (event) => {
      if (event.button || event.target.closest("button")) return;
      host.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, spot(event));
      this.start = spot(event);
      this.line = this.mode === "lasso" || event.shiftKey ? [spot(event)] : null;
    });
    host.addEventListener("pointermove", (event) => {
      const place = spot(event);
      const before = this.pointers.get(event.pointerId);
      if (!before) return this.hover(this.n ? this.at(...place) : -1, ...place);
      this.pointers.set(event.pointerId, place);
      if (this.pointers.size === 2) return this.pinch(event.pointerId, before, place);
      if (this.line) return this.drawLine(place);
      return this.panBy(place[0] - before[0], place[1] - before[1]);
    });
    const end = (event) => {
      if (!this.pointers.delete(event.pointerId) || event.type === "pointercancel") return;
      const place = spot(event);
      if (this.line?.length > 2) this.lassoed(this.inside(this.line));
      else if (Math.hypot(place[0] - this.start[0], place[1] - this.start[1]) < CLICK) {
        const found = this.at(...place);
        if (found >= 0) this.pick(found);
      }
      this.line = null;
      this.path.removeAttribute("d");
    };
    host.addEventListener("pointerup", end);
    host.addEventListener("pointercancel", end);
    host.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
      if (event.target !== host) return;
      if (event.key in steps) this.panBy(...steps[event.key]);
      else if (event.key === "+" || event.key === "=") this.zoomBy(1.4);
      else if (event.key === "-") this.zoomBy(1 / 1.4);
      else if (event.key === "0") this.reset();
      else return;
      event.preventDefault();
    });
  }

  pinch(id, before, now) {
    const [, other] = [...this.pointers].find(([key]) => key !== id);
    const apart = (place) => Math.hypot(place[0] - other[0], place[1] - other[1]) || 1;
    this.line = null;
    this.start = [-1e9, 0]; // no click when the fingers are lifted
    this.zoomBy(apart(now) / apart(before), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
  }

  drawLine(place) {
    this.line.push(place);
    this.path.setAttribute("d", "M" + this.line.map((spot) => spot.map(Math.round).join(" ")).join("L") + "Z");
  }

  /** Points inside a closed line: those that a ray crosses it from an odd number of times. */
  inside(line) {
    const found = [];
    for (let i = 0; i < this.n; i++) {
      if (!this.strong[i] || Number.isNaN(this.x[i])) continue;
      const [x, y] = this.placeOf(i);
      let odd = false;
      for (let j = 0, k = line.length - 1; j < line.length; k = j++) {
        const [[x1, y1], [x2, y2]] = [line[j], line[k]];
        if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) odd = !odd;
      }
      if (odd) found.push(i);
    }
    return found;
  }
}
