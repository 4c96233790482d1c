// The viewer's camera, panels and keys; then the start.
"use strict";

Object.assign(Viewer.prototype, {
  // Look at everything that is shown, from the front right and a little above.
  aim() {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const body of this.bodies) {
      body.positions.forEach((x, i) => { low[i % 3] = Math.min(low[i % 3], x); high[i % 3] = Math.max(high[i % 3], x); });
    }
    if (!Number.isFinite(low[0])) { low.fill(-0.5); high.fill(0.5); }
    for (const plane of this.meta.planes) if (plane.normal[2] > 0.9) low[2] = Math.min(low[2], plane.height);
    this.center = [0, 1, 2].map((i) => 0.5 * (low[i] + high[i]));
    this.radius = Math.max(0.5 * norm(sub(high, low)), 1e-3);
    this.target = [...this.center];
    this.orbit = { turn: -1.09, rise: 0.38, distance: 2.6 * this.radius };
    for (const body of this.bodies) if (!body.triangles.length) this.placeTubes(body, body.positions);
    this.dirty = true;
  },

  draw() {
    this.drawnLevel = this.moving() ? this.level : 0;
    const canvas = $("view"), { turn, rise, distance } = this.orbit;
    const out = [Math.cos(rise) * Math.cos(turn), Math.cos(rise) * Math.sin(turn), Math.sin(rise)];
    const eye = add(this.target, out, distance), far = distance + 12 * this.radius;
    const lens = perspective(0.72, canvas.clientWidth / Math.max(1, canvas.clientHeight), 0.004 * distance, far);
    this.renderer.begin(times(lens, lookAt(eye, this.target, [0, 0, 1])), eye, SUN, this.drawnLevel);
    const shown = this.bodies.filter((body) => body.shown);
    const power = 10 ** Math.floor(Math.log10(0.35 * this.radius));
    const tile = power * Math.max(...[1, 2, 5].filter((s) => s * power <= 0.35 * this.radius * 1.0001));
    for (const plane of this.meta.planes) this.renderer.drawGround(plane, this.center, this.radius, tile, shown.map((b) => b.k));
    const span = this.spans[this.field], stops = span && span.low < 0 ? SIGNED : VIRIDIS;
    const gray = this.field ? [0.72, 0.71, 0.69] : null;
    for (const body of shown) {
      const map = this.field && body.mapped && span ? { stops, ...span } : null;
      this.renderer.drawMesh(body.k, gray || body.front, gray || body.back, map);
    }
    if ($("contacts").checked) {
      this.renderer.drawMesh("stick", STICK, STICK, null);
      this.renderer.drawMesh("slip", SLIP, SLIP, null);
    }
    this.renderer.end();
    this.legend(span, stops);
    $("clock").textContent = `${(this.times[this.now] || 0).toFixed(3)} s, frame ${this.now} of ${this.times.length - 1}`;
    this.plots.draw(this.times[this.now], this.hovered);
    this.report(this.hovered === null ? this.times[this.now] : this.hovered);
  },

  legend(span, stops) {
    $("legend").hidden = !this.field;
    if (!this.field) return;
    const unitName = this.meta.fields[this.field], shown = span || { low: 0, high: 0 };
    $("legend-name").textContent = unitName ? `${this.field} [${unitName}]` : this.field;
    $("legend-low").textContent = (shown.beyond && shown.low < 0 ? "≤ " : "") + shortNumber(shown.low);
    $("legend-high").textContent = (shown.beyond ? "≥ " : "") + shortNumber(shown.high);
    const bar = $("legend-bar"), pen = bar.getContext("2d"), colors = pen.createLinearGradient(0, 0, bar.width, 0);
    stops.forEach((c, k) => colors.addColorStop(k / 8, c));
    pen.fillStyle = colors;
    pen.fillRect(0, 0, bar.width, bar.height);
  },

  // The report of the step that ends at a time, or of the last one before it.
  report(time) {
    const { columns, texts, count } = this.steps;
    let low = 0, high = count;
    while (low < high) { const mid = (low + high) >> 1; if (columns.time[mid] <= time + 1e-9) low = mid + 1; else high = mid; }
    const row = low - 1, key = `${row} ${count}`;
    if (this.reported === key) return;
    this.reported = key;
    $("step-number").textContent = row < 0 ? "(start)" : `${columns.index[row]} at ${columns.time[row].toFixed(4)} s`;
    $("report").replaceChildren();
    $("status").textContent = "";
    if (row < 0) return;
    for (const [name, label, unitName, scale] of REPORT) {
      const tr = $("report").insertRow(), value = name === "status" ? texts.status[row] : columns[name][row];
      let text = name === "status" ? value : shortNumber(value * (scale || 1)) + (unitName ? " " + unitName : "");
      if (name === "min_distance" && !Number.isFinite(value)) text = "nothing near";
      if (name === "solves_converged") text = `${value} of ${columns.solves[row]}`;
      tr.insertCell().textContent = label;
      const cell = tr.insertCell();
      cell.textContent = text;
      const bad = (name === "status" && value !== "accepted" && value !== "halved") || (name === "failsafe_substeps" && value > 0)
        || (name === "solves_converged" && value < columns.solves[row]);
      if (bad) cell.className = "bad";
    }
    const notes = [];
    if (texts.infeasible_bodies[row]) notes.push("squeezed: " + texts.infeasible_bodies[row]);
    if (texts.unsolved_bodies[row]) notes.push("not solved: " + texts.unsolved_bodies[row]);
    $("status").textContent = notes.join("; ");
  },

  controls() {
    $("play").onclick = () => (this.playing ? this.pause() : this.play());
    $("scrub").oninput = () => { this.pause(); this.touched = performance.now(); $("follow").checked = false; this.show(Number($("scrub").value)); };
    $("speed").onchange = () => { this.clock = null; };
    $("contacts").onchange = $("arrows").oninput = () => { this.placeContacts(); this.dirty = true; };
    $("fit").onclick = () => { delete this.spans[this.field]; this.stage(this.frame, this.now); };
    for (const name of Object.keys(this.meta.fields)) {
      if (Object.keys(this.frame.arrays).some((key) => key.startsWith(name + "/")) || this.frame.meta.contacts) {
        $("field").append(new Option(name, name));
      }
    }
    $("field").onchange = () => { this.field = $("field").value; this.stage(this.frame, this.now); };
    for (const body of this.bodies) this.bodyControl(body);
    $("all").onchange = () => {
      for (const box of $("bodies").querySelectorAll("input[type=checkbox]")) { box.checked = $("all").checked; box.onchange(); }
    };
    this.pointer($("view"));
    document.addEventListener("keydown", (event) => {
      if (["SELECT", "INPUT"].includes(event.target.tagName) && event.target.id !== "scrub") return;
      const act = { " ": () => $("play").click(), ArrowRight: () => this.show(this.now + 1), ArrowLeft: () => this.show(this.now - 1),
        Home: () => this.show(0), End: () => this.show(this.times.length - 1), r: () => this.aim() }[event.key];
      if (act) { event.preventDefault(); act(); }
    });
    new ResizeObserver(() => { this.dirty = true; }).observe($("view"));
  },

  bodyControl(body) {
    const label = document.createElement("label"), box = document.createElement("input"), color = document.createElement("input");
    box.type = "checkbox"; box.checked = true;
    color.type = "color";
    color.value = "#" + body.front.map((c) => Math.round(255 * c).toString(16).padStart(2, "0")).join("");
    box.onchange = () => { body.shown = box.checked; this.dirty = true; };
    color.oninput = () => { body.front = rgbOf(color.value); body.back = body.front.map((c) => 0.5 + 0.5 * c); this.dirty = true; };
    const count = document.createElement("small");
    count.textContent = body.vertices.toLocaleString("en");
    label.append(box, color, document.createTextNode(body.name), count);
    label.dataset.body = body.name;
    $("bodies").append(label);
  },

  pointer(canvas) {
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => this.aim());
    canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons) return;
      const { orbit } = this, dx = event.movementX, dy = event.movementY;
      if (event.buttons === 1 && !event.shiftKey) {
        orbit.turn -= 0.007 * dx;
        orbit.rise = Math.max(-1.5, Math.min(1.5, orbit.rise + 0.007 * dy));
      } else {
        const side = [-Math.sin(orbit.turn), Math.cos(orbit.turn), 0], step = (0.75 * orbit.distance) / canvas.clientHeight;
        const up = cross([Math.cos(orbit.rise) * Math.cos(orbit.turn), Math.cos(orbit.rise) * Math.sin(orbit.turn), Math.sin(orbit.rise)], side);
        this.target = add(add(this.target, side, -step * dx), up, step * dy);
      }
      this.touched = performance.now();
      this.dirty = true;
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.orbit.distance *= Math.exp(0.0012 * event.deltaY);
      this.touched = performance.now();
      this.dirty = true;
    }, { passive: false });
  },
});

let viewer;
try {
  viewer = new Viewer(document.getElementById("scene") ? embeddedSource() : servedSource());
  viewer.start().catch(complain);
} catch (error) { complain(error); }
