// Points drawn by a graphics card.

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
