// Drawing with WebGL 2: two-sided meshes with one sun, shadows on the ground, colour maps and contact arrows.
"use strict";

const BACKGROUND = [0.957, 0.949, 0.933];
const VIRIDIS = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];
const SIGNED = ["#053061", "#2a71b2", "#6bacd1", "#c2ddec", "#f2f0ea", "#fbccb4", "#e48066", "#ba2832", "#67001f"];
const rgbOf = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
const STICK = rgbOf("#0b7a4b"), SLIP = rgbOf("#e07b00");

const MESH_VERTEX = `#version 300 es
layout(location = 0) in vec3 point; layout(location = 1) in vec3 normal; layout(location = 2) in float value;
uniform mat4 camera; out vec3 place, up; out float amount;
void main() { place = point; up = normal; amount = value; gl_Position = camera * vec4(point, 1.0); }`;
const MESH_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place, up; in float amount; out vec4 color;
uniform vec3 front, back, eye, sun, stops[9]; uniform bool mapped; uniform vec2 span;
vec3 map(float v) {
  float t = clamp((v - span.x) / max(span.y - span.x, 1e-30), 0.0, 1.0) * 8.0;
  int k = min(int(t), 7);
  return mix(stops[k], stops[k + 1], t - float(k));
}
void main() {
  vec3 view = normalize(eye - place), n = normalize(up);
  vec3 own = gl_FrontFacing ? front : back;
  if (!gl_FrontFacing) n = -n;
  if (mapped) own = map(amount);
  float light = 0.40 + 0.20 * (0.5 + 0.5 * n.z) + 0.36 * max(dot(n, sun), 0.0) + 0.16 * max(dot(n, view), 0.0);
  color = vec4(own * light, 1.0);
}`;
const SHADOW_VERTEX = `#version 300 es
layout(location = 0) in vec3 point; uniform mat4 camera; uniform vec3 sun, plane; uniform float height;
void main() {
  float slant = max(dot(sun, plane), 0.2);
  gl_Position = camera * vec4(point - (dot(point, plane) - height) / slant * sun, 1.0);
}`;
const SHADOW_FRAGMENT = `#version 300 es
precision mediump float; out vec4 color; void main() { color = vec4(0.29, 0.33, 0.41, 0.22); }`;
const GROUND_VERTEX = `#version 300 es
layout(location = 0) in vec2 corner; uniform mat4 camera; uniform vec3 middle, u, w; uniform float reach; out vec2 at;
void main() { at = reach * corner; gl_Position = camera * vec4(middle + at.x * u + at.y * w, 1.0); }`;
const GROUND_FRAGMENT = `#version 300 es
precision highp float; in vec2 at; out vec4 color; uniform vec2 shift; uniform float tile, radius; uniform vec3 background;
void main() {
  vec2 cell = (at + shift) / tile, wide = max(fwidth(cell), 1e-6);
  vec2 s = clamp((abs(fract(0.5 * cell) * 2.0 - 1.0) - 0.5) / wide, -0.5, 0.5);
  float odd = 0.5 - 2.0 * s.x * s.y;
  float fade = smoothstep(0.9, 3.0, length(at) / radius);
  color = vec4(mix(mix(vec3(0.933, 0.922, 0.898), vec3(0.875, 0.859, 0.827), odd), background, fade), 1.0);
}`;

class Renderer {
  constructor(canvas) {
    const options = { antialias: false, stencil: true, preserveDrawingBuffer: true, powerPreference: "high-performance" };
    const gl = canvas.getContext("webgl2", options);
    if (!gl) throw new Error("This browser offers no WebGL 2, which the viewer draws with.");
    this.gl = gl;
    this.canvas = canvas;
    this.meshes = new Map();
    this.mesh = this.program(MESH_VERTEX, MESH_FRAGMENT);
    this.shadow = this.program(SHADOW_VERTEX, SHADOW_FRAGMENT);
    this.ground = this.program(GROUND_VERTEX, GROUND_FRAGMENT);
    this.square = gl.createVertexArray();
    gl.bindVertexArray(this.square);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.enable(gl.DEPTH_TEST);
    this.samples = Math.min(4, gl.getParameter(gl.MAX_SAMPLES));
    this.smooth = { frame: gl.createFramebuffer(), color: gl.createRenderbuffer(), depth: gl.createRenderbuffer(), width: 0, height: 0 };
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    const places = {}, count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
    for (let k = 0; k < count; k++) {
      const name = gl.getActiveUniform(program, k).name;
      places[name.replace("[0]", "")] = gl.getUniformLocation(program, name);
    }
    return { program, places };
  }

  // Make or replace the mesh of a name; triangles may be left out when they are as before.
  place(name, points, normals, values, triangles) {
    const gl = this.gl;
    let mesh = this.meshes.get(name);
    if (!mesh) {
      mesh = { array: gl.createVertexArray(), buffers: [gl.createBuffer(), gl.createBuffer(), gl.createBuffer(), gl.createBuffer()] };
      this.meshes.set(name, mesh);
    }
    gl.bindVertexArray(mesh.array);
    [[points, 3], [normals, 3], [values, 1]].forEach(([data, size], k) => {
      if (!data) { gl.disableVertexAttribArray(k); return; }
      gl.bindBuffer(gl.ARRAY_BUFFER, mesh.buffers[k]);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, size, gl.FLOAT, false, 0, 0);
    });
    if (triangles) {
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.buffers[3]);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.DYNAMIC_DRAW);
      mesh.count = triangles.length;
    }
  }

  // Level 0 is antialiased, 1 is not, 2 has half of the pixels each way, and 3 has no shadows either.
  begin(camera, eye, sun, level) {
    const gl = this.gl, ratio = Math.min(window.devicePixelRatio || 1, 2) * (level > 1 ? 0.5 : 1);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
    if (this.canvas.width !== width || this.canvas.height !== height) { this.canvas.width = width; this.canvas.height = height; }
    Object.assign(this, { camera, eye, sun, shadows: level < 3 });
    this.multisampled = level === 0 && this.samples > 1;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.multisampled ? this.sampled(width, height) : null);
    gl.viewport(0, 0, width, height);
    gl.clearColor(...BACKGROUND, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
  }

  // The framebuffer with several samples a pixel, of this size.
  sampled(width, height) {
    const gl = this.gl, smooth = this.smooth;
    if (smooth.width === width && smooth.height === height) return smooth.frame;
    Object.assign(smooth, { width, height });
    gl.bindFramebuffer(gl.FRAMEBUFFER, smooth.frame);
    for (const [buffer, format, place] of [[smooth.color, gl.RGBA8, gl.COLOR_ATTACHMENT0],
      [smooth.depth, gl.DEPTH24_STENCIL8, gl.DEPTH_STENCIL_ATTACHMENT]]) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, this.samples, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
    }
    return smooth.frame;
  }

  // Bring what was drawn to the page.
  end() {
    if (!this.multisampled) return;
    const gl = this.gl, { width, height } = this.smooth;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.smooth.frame);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  // A half-space: its chequer, then the shadows that meshes cast on it, each point darkened once.
  drawGround(plane, center, radius, tile, names) {
    const gl = this.gl, n = plane.normal, [u, w] = across(n);
    const middle = add(center, n, plane.height - dot(center, n) - 1e-4 * radius);
    gl.useProgram(this.ground.program);
    const at = this.ground.places;
    gl.uniformMatrix4fv(at.camera, false, this.camera);
    gl.uniform3fv(at.middle, middle); gl.uniform3fv(at.u, u); gl.uniform3fv(at.w, w);
    gl.uniform2f(at.shift, dot(middle, u), dot(middle, w));
    gl.uniform1f(at.reach, 3.1 * radius); gl.uniform1f(at.radius, radius); gl.uniform1f(at.tile, tile);
    gl.uniform3fv(at.background, BACKGROUND);
    gl.bindVertexArray(this.square);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    if (!this.shadows) return;
    gl.useProgram(this.shadow.program);
    gl.uniformMatrix4fv(this.shadow.places.camera, false, this.camera);
    gl.uniform3fv(this.shadow.places.sun, this.sun);
    gl.uniform3fv(this.shadow.places.plane, n);
    gl.uniform1f(this.shadow.places.height, plane.height - 0.5e-4 * radius);
    gl.clear(gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.STENCIL_TEST); gl.enable(gl.BLEND);
    gl.stencilFunc(gl.EQUAL, 0, 1); gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ZERO, gl.ONE); // the page stays opaque
    gl.disable(gl.DEPTH_TEST); // the ground is drawn first
    for (const name of names) this.elements(name);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.STENCIL_TEST); gl.disable(gl.BLEND);
  }

  drawMesh(name, front, back, map) {
    const gl = this.gl, at = this.mesh.places;
    gl.useProgram(this.mesh.program);
    gl.uniformMatrix4fv(at.camera, false, this.camera);
    gl.uniform3fv(at.eye, this.eye); gl.uniform3fv(at.sun, this.sun);
    gl.uniform3fv(at.front, front); gl.uniform3fv(at.back, back);
    gl.uniform1i(at.mapped, map ? 1 : 0);
    if (map) { gl.uniform3fv(at.stops, map.stops.flatMap(rgbOf)); gl.uniform2f(at.span, map.low, map.high); }
    this.elements(name);
  }

  elements(name) {
    const mesh = this.meshes.get(name);
    if (!mesh || !mesh.count) return;
    this.gl.bindVertexArray(mesh.array);
    this.gl.drawElements(this.gl.TRIANGLES, mesh.count, this.gl.UNSIGNED_INT, 0);
  }
}
