// Points as discs, pixel by pixel: as fast with a graphics card as without one, and the same on every machine.

import { channels } from "./colors.js";

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
