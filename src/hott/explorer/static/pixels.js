// Discs drawn pixel by pixel: where there is no graphics card, the fastest way to draw very many.

import { channels } from "./colors.js";

export class Pixels {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
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

  /** A disc in the colour that stands at `from` in `paint`. */
  disc(x, y, size, paint, from) {
    const { side, cover } = this.mask(size);
    const { width, height } = this.canvas;
    const left = Math.round(x - side / 2), top = Math.round(y - side / 2);
    if (left < 0 || top < 0 || left + side > width || top + side > height) return;
    const { data } = this.image;
    const red = paint[from], green = paint[from + 1], blue = paint[from + 2], opacity = paint[from + 3];
    for (let row = 0, i = 0; row < side; row++) {
      let at = 4 * ((top + row) * width + left);
      for (let column = 0; column < side; column++, i++, at += 4) {
        const part = (cover[i] * opacity) >> 8; // of 255
        if (part === 0) continue;
        data[at] += ((red - data[at]) * part) >> 8;
        data[at + 1] += ((green - data[at + 1]) * part) >> 8;
        data[at + 2] += ((blue - data[at + 2]) * part) >> 8;
      }
    }
  }

  show() {
    this.pen.putImageData(this.image, 0, 0);
  }
}
