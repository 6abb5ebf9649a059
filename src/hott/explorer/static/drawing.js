// Points as discs: by WebGL, or pixel by pixel, which is the fastest way where there is no graphics card.

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

export class GlPoints {
  constructor(canvas) {
    const gl = (this.gl = canvas.getContext("webgl", { antialias: false, premultipliedAlpha: true }));
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
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffers[name]);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, values, this.gl.STATIC_DRAW);
  }

  /** Draw the first `most` points of a map. */
  draw({ canvas, zoom, left, top, width, height, ratio }, most, growth) {
    const { gl, uniforms } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(uniforms.scale, (2 * zoom) / width, (2 * zoom) / height);
    gl.uniform2f(uniforms.shift, (2 * left) / width - 1, 1 - (2 * top) / height);
    gl.uniform1f(uniforms.ratio, ratio * growth);
    gl.drawArrays(gl.POINTS, 0, most);
  }
}

export function hasGraphicsCard() {
  const gl = document.createElement("canvas").getContext("webgl", { failIfMajorPerformanceCaveat: true });
  const named = gl?.getExtension("WEBGL_debug_renderer_info");
  const card = named ? String(gl.getParameter(named.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return Boolean(gl) && !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(card);
}

export class Pixels {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d", { alpha: false });
    this.masks = new Map();
  }

  clear(back) {
    const { width, height } = this.canvas;
    if (this.image?.width !== width || this.image?.height !== height) {
      this.image = this.pen.createImageData(width, height);
      this.words = new Uint32Array(this.image.data.buffer);
    }
    const [red, green, blue] = /^#[0-9a-f]{6}$/i.test(back) ? channels(back) : [255, 255, 255];
    this.words.fill(((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0);
  }

  /** How much of each pixel a disc covers, of 255. */
  mask(size) {
    const key = Math.max(2, Math.round(size));
    if (!this.masks.has(key)) {
      const side = key + 1, middle = side / 2, cover = new Uint8Array(side * side);
      for (let i = 0; i < side * side; i++) {
        const far = Math.hypot((i % side) + 0.5 - middle, Math.floor(i / side) + 0.5 - middle);
        cover[i] = 255 * Math.min(1, Math.max(0, key / 2 - far + 0.5));
      }
      this.masks.set(key, { side, cover });
    }
    return this.masks.get(key);
  }

  /**
   * The first `most` discs: their places (x and y of each) by `scale` and `shift`, their sizes by `growth`, and their
   * colours, red, green, blue and opacity of each. Red and blue of a pixel are mixed in one multiplication.
   */
  discs(most, places, scale, [shiftX, shiftY], sizes, growth, paint) {
    const { width, height } = this.canvas, { words } = this;
    let size = NaN, side, cover;
    for (let i = 0; i < most; i++) {
      if (sizes[i] !== size) ({ side, cover } = this.mask((size = sizes[i]) * growth));
      const left = Math.round(places[2 * i] * scale + shiftX - side / 2), top = Math.round(shiftY - places[2 * i + 1] * scale - side / 2);
      if (!(left >= 0 && top >= 0 && left + side <= width && top + side <= height)) continue; // NaN is no place
      const redBlue = paint[4 * i] | (paint[4 * i + 2] << 16), green = paint[4 * i + 1] << 8, opacity = paint[4 * i + 3];
      for (let row = 0, k = 0, at = top * width + left; row < side; row++, at += width - side) {
        for (let column = 0; column < side; column++, k++, at++) {
          const part = (cover[k] * opacity) >> 8; // of 256
          if (part === 0) continue;
          const under = words[at], rest = 256 - part;
          words[at] = (((redBlue * part + (under & 0xff00ff) * rest) >>> 8) & 0xff00ff) | (((green * part + (under & 0xff00) * rest) >>> 8) & 0xff00) | 0xff000000;
        }
      }
    }
  }

  show() {
    this.pen.putImageData(this.image, 0, 0);
  }
}
