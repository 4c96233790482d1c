// Vectors and matrices of the camera (column-major, as WebGL takes them), normals, tubes and arrows.
"use strict";

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const add = (a, b, s) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.sqrt(dot(a, a));
const unit = (a) => { const s = norm(a) || 1; return [a[0] / s, a[1] / s, a[2] / s]; };

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2), d = 1 / (near - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (near + far) * d, -1, 0, 0, 2 * near * far * d, 0];
}

function lookAt(eye, target, up) {
  const z = unit(sub(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
}

function times(a, b) {
  const c = new Float32Array(16);
  for (let j = 0; j < 4; j++) {
    for (let i = 0; i < 4; i++) {
      c[4 * j + i] = a[i] * b[4 * j] + a[4 + i] * b[4 * j + 1] + a[8 + i] * b[4 * j + 2] + a[12 + i] * b[4 * j + 3];
    }
  }
  return c;
}

// Normals of vertices, weighted by the areas of their triangles; `out` has three numbers for each vertex.
function vertexNormals(points, triangles, out) {
  out.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    out[a] += nx; out[a + 1] += ny; out[a + 2] += nz;
    out[b] += nx; out[b + 1] += ny; out[b + 2] += nz;
    out[c] += nx; out[c + 1] += ny; out[c + 2] += nz;
  }
  for (let i = 0; i < out.length; i += 3) {
    const s = 1 / (Math.hypot(out[i], out[i + 1], out[i + 2]) || 1);
    out[i] *= s; out[i + 1] *= s; out[i + 2] *= s;
  }
}

// Two directions across a third one.
function across(d) {
  const u = unit(cross(d, Math.abs(d[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0]));
  return [u, cross(d, u)];
}

// A mesh that grows: points, normals and triangles of tubes and arrows.
class SolidShapes {
  constructor() { this.points = []; this.normals = []; this.triangles = []; }

  // A truncated cone with six sides from a to b.
  cone(a, b, radiusA, radiusB) {
    const axis = unit(sub(b, a)), [u, w] = across(axis), sides = 6, first = this.points.length / 3;
    for (let k = 0; k < sides; k++) {
      const angle = (2 * Math.PI * k) / sides, n = add([0, 0, 0], u, Math.cos(angle)).map((x, i) => x + Math.sin(angle) * w[i]);
      this.points.push(...add(a, n, radiusA), ...add(b, n, radiusB));
      this.normals.push(...n, ...n);
      const i = first + 2 * k, j = first + 2 * ((k + 1) % sides);
      this.triangles.push(i, j, i + 1, j, j + 1, i + 1);
    }
  }

  // A shaft with a head, and a dot where it begins.
  arrow(a, b, radius) {
    const direction = sub(b, a), length = norm(direction), head = Math.min(0.45 * length, 5 * radius);
    this.cone(add(a, unit(direction), -1.2 * radius), add(a, unit(direction), 1.2 * radius), 1.6 * radius, 1.6 * radius);
    if (length < 1e-9) return;
    const neck = add(b, unit(direction), -head);
    this.cone(a, neck, 0.8 * radius, 0.8 * radius);
    this.cone(neck, b, 2.2 * radius, 0);
  }
}
