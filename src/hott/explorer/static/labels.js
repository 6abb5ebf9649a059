// Names of subjects on the map: a few from afar, more and finer ones from near, and never one over another.

const LOOKS = [
  { size: 17, weight: 700, from: 0, to: 4 },
  { size: 14, weight: 600, from: 1.7, to: 12 },
  { size: 12.5, weight: 500, from: 4, to: Infinity },
]; // of each level: from which nearness to which it is shown
const MARGIN = 6;
const SHIFTS = [0, 1, -1, 2, -2]; // lines by which a label may give way to one that has its place: a finer name lies on a coarser one

/** Places labels for what is shown: `{text, x, y, width, height, look}` each, in pixels; none over a `reserved` place. */
export function placeLabels(levels, scatter, measure, reserved = []) {
  const nearness = scatter.zoom / scatter.fit;
  const placed = [];
  levels.forEach((level, depth) => {
    const look = LOOKS[Math.min(depth, LOOKS.length - 1)], isFinest = depth === levels.length - 1;
    if (nearness < look.from || (nearness >= look.to && !isFinest)) return;
    for (const { number, isChaff, words, ...place } of level) {
      const text = words.join(", ");
      const [x, middle] = [place.x * scatter.zoom + scatter.left, scatter.top - place.y * scatter.zoom];
      const width = measure(text, look) + MARGIN, height = look.size + MARGIN;
      if (x < width / 2 || x > scatter.width - width / 2) continue;
      const isFree = (y) => y >= height / 2 && y <= scatter.height - height / 2 && [...reserved, ...placed].every((other) =>
        Math.abs(other.x - x) > (other.width + width) / 2 || Math.abs(other.y - y) > (other.height + height) / 2);
      const y = SHIFTS.map((lines) => middle + lines * (height + 1)).find(isFree);
      if (y !== undefined) placed.push({ number, text, x, y, width, height, look, isChaff });
    }
  });
  return placed;
}

/** Draws labels on a canvas over the map. */
export class Labels {
  constructor(host) {
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("class", "labels");
    this.pen = this.canvas.getContext("2d");
    this.levels = [];
    this.placed = [];
    this.reserved = []; // places of other things over the map: their middle and size
    this.widths = new Map();
    host.append(this.canvas);
  }

  font({ size, weight }) {
    return `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  }

  /** The label at a place on the screen. */
  at(x, y) {
    return this.placed.find((label) => Math.abs(label.x - x) < label.width / 2 && Math.abs(label.y - y) < label.height / 2);
  }

  draw(scatter) {
    const { canvas, pen } = this;
    const { ratio, width, height } = scatter;
    if (canvas.width !== scatter.canvas.width || canvas.height !== scatter.canvas.height) {
      canvas.width = scatter.canvas.width;
      canvas.height = scatter.canvas.height;
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.placed = placeLabels(this.levels, scatter, (text, look) => {
      const key = `${look.size} ${text}`;
      if (!this.widths.has(key)) {
        pen.font = this.font(look);
        this.widths.set(key, pen.measureText(text).width);
      }
      return this.widths.get(key);
    }, this.reserved);
    const style = getComputedStyle(document.documentElement);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.strokeStyle = style.getPropertyValue("--back").trim();
    const [dark, grey] = ["--text", "--faint"].map((name) => style.getPropertyValue(name).trim());
    for (const { text, x, y, look, isChaff } of this.placed) {
      pen.fillStyle = isChaff ? grey : dark;
      pen.font = this.font(look);
      pen.lineWidth = 3.5;
      pen.globalAlpha = 0.75;
      pen.strokeText(text, x, y);
      pen.globalAlpha = 1;
      pen.fillText(text, x, y);
    }
  }
}
