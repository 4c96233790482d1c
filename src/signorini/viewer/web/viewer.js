// The viewer: time, camera, controls, and what of a frame is drawn.
"use strict";

const $ = (id) => document.getElementById(id);
const SUN = unit([-0.55, -0.45, 1.1]);
const REPORT = [
  ["status", "status"], ["contact_count", "contacts"], ["active_count", "with force"], ["refinements", "refinements"],
  ["substeps", "sub-steps"], ["halvings", "repeated attempts"], ["failsafe_substeps", "by a fail-safe"],
  ["min_distance", "least distance", "mm", 1e3], ["residual", "residual", "m/s"], ["solves_converged", "solved"],
  ["total_energy", "energy", "J"], ["friction_loss", "friction loss", "J"], ["other_loss", "impact, damping", "J"],
  ["max_speed", "fastest", "m/s"], ["milliseconds", "time", "ms"],
];

class Viewer {
  constructor(source) {
    this.source = source;
    this.cache = new FrameCache(source, 400e6);
    this.times = [];
    this.steps = { columns: {}, texts: {}, count: 0 };
    this.now = 0; // shown frame
    this.wanted = 0;
    this.playing = false;
    this.field = "";
    this.spans = {};
    this.hovered = null;
    this.drawn = 0;
    this.dirty = true;
    this.renderer = new Renderer($("view"));
    this.level = 0; // how much less is drawn while something moves: see Renderer.begin
    this.drawnLevel = 0;
    this.touched = -Infinity; // when the camera or the time was last moved
  }

  async start() {
    const { meta, arrays } = await this.source.scene();
    this.meta = meta;
    this.bodies = meta.bodies.map((body, k) => this.makeBody(body, k, arrays));
    $("title").textContent = document.title = meta.title;
    this.plots = new Plots($("plots"), this.steps, (t) => this.seekTime(t), (t) => { this.hovered = t; this.dirty = true; });
    await this.update();
    await this.show(0);
    this.aim();
    this.controls();
    requestAnimationFrame((t) => this.tick(t));
    if (this.more) this.poll();
  }

  makeBody(body, k, arrays) {
    const source = arrays["source/" + k], triangles = arrays["triangles/" + k], edges = arrays["edges/" + k];
    const same = source.length === body.vertices && source.every((s, i) => s === i);
    return { ...body, k, source: same ? null : source, triangles: new Uint32Array(triangles), edges, shown: true,
      normals: new Float32Array(3 * source.length), values: new Float32Array(source.length) };
  }

  async update() {
    const { meta, arrays } = await this.source.news(this.times.length, this.steps.count);
    this.more = meta.more;
    this.times = [...this.times, ...arrays.times];
    const { columns, texts } = this.steps, phases = PHASES.map((p) => arrays["seconds_" + p]);
    arrays.residual = arrays.time.map((_, i) => Math.max(arrays.complementarity_residual[i], arrays.momentum_residual[i]));
    arrays.milliseconds = arrays.time.map((_, i) => 1e3 * phases.reduce((sum, p) => sum + p[i], 0));
    for (const name of Object.keys(arrays)) {
      if (name === "times") continue;
      const old = columns[name] || new Float64Array(0), all = new Float64Array(old.length + arrays[name].length);
      all.set(old); all.set(arrays[name], old.length);
      columns[name] = all;
    }
    for (const name of Object.keys(meta.texts)) texts[name] = [...(texts[name] || []), ...meta.texts[name]];
    this.steps.count = columns.time.length;
    $("scrub").max = Math.max(0, this.times.length - 1);
    $("follow-label").hidden = !this.more;
    this.dirty = true;
  }

  async poll() {
    while (this.more) {
      await new Promise((done) => setTimeout(done, 500));
      const before = this.times.length;
      try { await this.update(); } catch { break; } // the server has ended
      if ($("follow").checked && !this.playing && this.times.length > before) this.show(this.times.length - 1);
    }
    $("follow-label").hidden = true;
  }

  // Load a frame and put it on the stage; of several requests the last one wins.
  async show(k) {
    this.wanted = Math.max(0, Math.min(k, this.times.length - 1));
    $("scrub").value = this.wanted;
    let frame;
    try { frame = this.cache.get(this.wanted) || (await this.cache.load(this.wanted)); } catch (error) { complain(error); return; }
    if (k === this.wanted || frame === this.cache.get(this.wanted)) this.stage(frame, this.wanted);
  }

  stage(frame, k) {
    this.now = k;
    this.frame = frame;
    for (const body of this.bodies) this.placeBody(body, frame);
    this.placeContacts();
    this.dirty = true;
  }

  placeBody(body, frame) {
    const own = placedPositions(frame, body.k);
    body.positions = own;
    if (!body.triangles.length) { this.placeTubes(body, own); return; }
    let points = own;
    const values = frame.arrays[`${this.field}/${body.k}`];
    if (body.source) {
      points = body.points || (body.points = new Float32Array(3 * body.source.length));
      body.source.forEach((s, i) => { points[3 * i] = own[3 * s]; points[3 * i + 1] = own[3 * s + 1]; points[3 * i + 2] = own[3 * s + 2]; });
      if (values) body.source.forEach((s, i) => { body.values[i] = values[s]; });
    } else if (values) body.values.set(values);
    body.mapped = Boolean(values);
    if (values) this.widen(values);
    vertexNormals(points, body.triangles, body.normals);
    this.renderer.place(body.k, points, body.normals, values ? body.values : null, body.placed ? null : body.triangles);
    body.placed = true;
  }

  placeTubes(body, points) {
    const shapes = new SolidShapes(), at = (i) => [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
    const radius = 0.004 * (this.radius || 1);
    for (let e = 0; e < body.edges.length; e += 2) shapes.cone(at(body.edges[e]), at(body.edges[e + 1]), radius, radius);
    this.renderer.place(body.k, new Float32Array(shapes.points), new Float32Array(shapes.normals), null, new Uint32Array(shapes.triangles));
  }

  widen(values) {
    const span = this.spans[this.field] || (this.spans[this.field] = { low: 0, high: 0 });
    // Without the largest 2 % of what is not zero: a corner that carries a body would leave the rest in one colour.
    const sizes = values.filter((v) => v !== 0).map(Math.abs).sort(), most98 = sizes[Math.floor(0.98 * (sizes.length - 1))] || 0;
    for (const v of values) {
      if (v < span.low) span.low = Math.min(span.low, Math.max(v, -most98));
      if (v > span.high) span.high = Math.max(span.high, Math.min(v, most98));
      if (Math.abs(v) > most98) span.beyond = true;
    }
    const most = Math.max(-span.low, span.high);
    if (span.low < 0) { span.low = -most; span.high = most; }
  }

  placeContacts() {
    const { meta, arrays } = this.frame, wanted = $("contacts").checked && meta.contacts;
    const shapes = { stick: new SolidShapes(), slip: new SolidShapes() }, counts = { stick: 0, slip: 0 };
    const points = arrays.points || [], forces = arrays.forces || [], sizes = [];
    for (let c = 0; c < points.length; c += 3) sizes.push(Math.hypot(forces[c], forces[c + 1], forces[c + 2]));
    if (sizes.length) { // one scale for the whole run: the largest 95 % quantile of a frame so far
      const sorted = [...sizes].sort((a, b) => a - b);
      this.forceScale = Math.max(this.forceScale || 0, sorted[Math.floor(0.95 * (sorted.length - 1))]);
    }
    const full = 0.2 * (this.radius || 1) * 10 ** Number($("arrows").value), radius = 0.0035 * (this.radius || 1);
    sizes.forEach((size, c) => {
      const kind = arrays.sticks[c] ? "stick" : "slip", a = [points[3 * c], points[3 * c + 1], points[3 * c + 2]];
      counts[kind]++;
      if (!wanted) return;
      const factor = full / (this.forceScale || 1), force = [forces[3 * c], forces[3 * c + 1], forces[3 * c + 2]];
      shapes[kind].arrow(a, add(a, force, factor), radius);
    });
    for (const kind of ["stick", "slip"]) {
      const s = shapes[kind];
      this.renderer.place(kind, new Float32Array(s.points), new Float32Array(s.normals), null, new Uint32Array(s.triangles));
      $(kind + "-count").textContent = meta.contacts ? counts[kind] : "";
    }
    $("no-contacts").hidden = meta.contacts;
    $("contacts").disabled = !meta.contacts;
    $("arrow-scale").textContent = wanted && this.forceScale
      ? `an arrow of ${shortNumber(1e3 * full)} mm is ${shortNumber(this.forceScale)} N on the first body` : "";
  }

  seekTime(t) {
    let best = 0;
    for (let k = 0; k < this.times.length; k++) if (Math.abs(this.times[k] - t) < Math.abs(this.times[best] - t)) best = k;
    this.pause();
    this.show(best);
  }

  play() {
    if (this.now >= this.times.length - 1) this.show(0);
    this.playing = true;
    this.clock = null;
    $("play").textContent = "❚❚";
  }

  pause() { this.playing = false; $("play").textContent = "▶"; }

  advance(stamp) {
    if (this.clock === null || this.clock === undefined) this.clock = { stamp, time: this.times[this.wanted] };
    let time = this.clock.time + (Number($("speed").value) * (stamp - this.clock.stamp)) / 1e3;
    const last = this.times.length - 1;
    if (time > this.times[last]) {
      if (!$("loop").checked || last === 0) { this.pause(); this.show(last); return; }
      this.clock = { stamp, time: this.times[0] };
      time = this.times[0];
    }
    let k = time < this.times[this.wanted] ? 0 : this.wanted;
    while (k < last && this.times[k + 1] <= time) k++;
    for (let ahead = 1; ahead <= 6; ahead++) this.cache.load((k + ahead) % (last + 1)).catch(complain);
    if (k !== this.now && this.cache.get(k)) this.show(k);
    else if (k !== this.now) this.cache.load(k).catch(complain);
  }

  // Whether nothing moves, and the last picture was drawn as well as can be.
  get settled() { return !this.dirty && !this.moving() && this.drawnLevel === 0; }

  moving() { return this.playing || performance.now() - this.touched < 250; }

  // Draw less while something moves if the browser comes back less than 30 times a second: without a graphics card it must.
  watchPace(stamp) {
    if (!this.moving() || document.hidden) { this.pace = null; return; }
    if (!this.pace) this.pace = { stamp, ticks: 0 };
    else if (stamp - this.pace.stamp < 500) this.pace.ticks++;
    else {
      if (this.pace.ticks < 15 && this.level < 3) this.level++;
      this.pace = null;
    }
  }

  tick(stamp) {
    if (this.playing && this.times.length) this.advance(stamp);
    this.watchPace(stamp);
    if (this.drawnLevel && !this.moving()) this.dirty = true;
    if (this.dirty) {
      this.dirty = false;
      this.draw();
      this.drawn++;
    }
    if (!this.counted || stamp - this.counted.stamp > 1000) {
      const seconds = this.counted ? (stamp - this.counted.stamp) / 1000 : 1;
      this.rate = (this.drawn - (this.counted ? this.counted.drawn : 0)) / seconds;
      $("rate").textContent = this.playing ? `${this.rate.toFixed(0)} frames/s` : "";
      this.counted = { stamp, drawn: this.drawn };
    }
    requestAnimationFrame((t) => this.tick(t));
  }
}

function complain(error) {
  $("message").textContent = error.message || String(error);
  $("message").hidden = false;
}
