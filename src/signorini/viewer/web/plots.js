// Plots along the time line: contacts, residual, energy, time by phase. A click seeks, the pointer shows a step's report.
"use strict";

const PHASES = ["assembly", "unconstrained", "detection", "contact", "check", "other"];
const PHASE_COLORS = ["#8a7fc2", "#2f7fb8", "#1f9a78", "#d2602a", "#e0a021", "#999999"];
const PLOTS = [
  { title: "contacts", lines: [["contact_count", "#bbb", "constraints"], ["active_count", "#0b6e4f", "with force"]] },
  { title: "residual [m/s]", log: true, lines: [["residual", "#b3261e", "largest"]] },
  { title: "energy [J]", lines: [["kinetic_energy", "#2f7fb8", "kinetic"], ["potential_energy", "#999", "gravity"],
    ["elastic_energy", "#d2602a", "elastic"], ["total_energy", "#222", "total"]] },
  { title: "step [ms]", stacked: true, scale: 1e3, lines: PHASES.map((p, k) => ["seconds_" + p, PHASE_COLORS[k], p]) },
];

const shortNumber = (x) => {
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(1).replace("e-", "e−").replace("e+", "e");
  return String(Number(x.toPrecision(3)));
};

class Plots {
  constructor(host, steps, seek, hover) {
    this.steps = steps;
    this.views = PLOTS.map((plot) => {
      const figure = document.createElement("figure"), canvas = document.createElement("canvas");
      figure.append(canvas);
      host.append(figure);
      const timeAt = (event) => {
        const box = canvas.getBoundingClientRect(), [t0, t1] = this.span();
        return t0 + ((event.clientX - box.left - 50) / Math.max(1, box.width - 54)) * (t1 - t0);
      };
      canvas.addEventListener("pointerdown", (event) => seek(timeAt(event)));
      canvas.addEventListener("pointermove", (event) => { if (event.buttons) seek(timeAt(event)); hover(timeAt(event)); });
      canvas.addEventListener("pointerleave", () => hover(null));
      return { plot, canvas };
    });
  }

  span() {
    const time = this.steps.columns.time || [];
    return [0, time.length ? time[time.length - 1] : 1];
  }

  // Draw all plots, with the present time marked; curves are drawn again only when there are new steps or another size.
  draw(now, hovered) {
    for (const view of this.views) {
      const ratio = window.devicePixelRatio || 1, width = view.canvas.clientWidth, height = view.canvas.clientHeight;
      const key = `${width} ${height} ${this.steps.count}`;
      if (view.key !== key) {
        view.key = key;
        view.curves = document.createElement("canvas");
        view.curves.width = view.canvas.width = Math.round(width * ratio);
        view.curves.height = view.canvas.height = Math.round(height * ratio);
        const pen = view.curves.getContext("2d");
        pen.scale(ratio, ratio);
        this.curves(pen, view.plot, width, height);
      }
      const pen = view.canvas.getContext("2d"), [t0, t1] = this.span();
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, view.canvas.width, view.canvas.height);
      pen.drawImage(view.curves, 0, 0);
      pen.scale(ratio, ratio);
      for (const [time, color] of [[hovered, "#bbb"], [now, "#222"]]) {
        if (time === null || time === undefined) continue;
        const x = 50 + ((time - t0) / Math.max(t1 - t0, 1e-12)) * (width - 54);
        pen.fillStyle = color;
        pen.fillRect(x - 0.5, 16, 1, height - 18);
      }
    }
  }

  curves(pen, plot, width, height) {
    const { columns, count } = this.steps, [t0, t1] = this.span(), scale = plot.scale || 1;
    const shown = plot.lines.map(([name]) => columns[name] || new Float64Array(0));
    const total = plot.stacked ? Array.from({ length: count }, (_, i) => shown.reduce((s, c) => s + c[i], 0)) : null;
    let low = plot.log ? Infinity : 0, high = plot.log ? -Infinity : 0;
    const place = (v) => (plot.log ? Math.log10(v) : v * scale);
    for (const column of total ? [total] : shown) {
      for (let i = 0; i < count; i++) {
        if (!Number.isFinite(column[i]) || (plot.log && column[i] <= 0)) continue;
        const y = place(column[i]);
        low = Math.min(low, y); high = Math.max(high, y);
      }
    }
    let above = 0;
    if (total && count) { // a step that compiled, or was disturbed, must not hide the others; as axis_end of the report
      const most = scale * [...total].sort((a, b) => a - b)[Math.ceil(0.98 * count) - 1];
      if (high > 5 * most) { high = 2 * most; above = total.filter((v) => v * scale > high).length; }
    }
    const empty = !(low <= high) || (!plot.log && low === 0 && high === 0);
    if (empty) { low = 0; high = 1; }
    if (high - low < 1e-9 * Math.max(1, Math.abs(high))) { low -= plot.log ? 0.5 : 0; high += plot.log ? 0.5 : 1; }
    const X = (t) => 50 + ((t - t0) / Math.max(t1 - t0, 1e-12)) * (width - 54);
    pen.font = "11px system-ui, sans-serif";
    const top = 6 + this.titles(pen, plot, width);
    const Y = (y) => height - 4 - ((y - low) / (high - low)) * (height - 8 - top);
    pen.fillStyle = "#888";
    pen.textAlign = "right";
    const label = (y) => shortNumber(plot.log ? 10 ** y : y);
    if (empty) { pen.textAlign = "left"; pen.fillText("nothing in this run", 54, 0.6 * height); return; }
    for (const y of [low, high]) {
      pen.fillText(label(y), 46, Y(y) + (y === high ? 8 : 0));
      pen.fillStyle = "#eee"; pen.fillRect(50, Y(y), width - 54, 1); pen.fillStyle = "#888";
    }
    if (above) { pen.textAlign = "left"; pen.fillText(`${above} above`, 54, Y(high) + 10); }
    if (plot.stacked) { // each phase on those below it, the highest drawn first
      for (let k = 1; k < shown.length; k++) shown[k] = shown[k].map((v, i) => v + shown[k - 1][i]);
    }
    [...plot.lines.entries()].reverse().forEach(([k, [, color]]) => {
      const column = shown[k];
      pen.beginPath();
      let open = false;
      for (let i = 0; i < count; i++) {
        const raw = column[i];
        if (!Number.isFinite(raw) || (plot.log && raw <= 0)) { open = false; continue; }
        const y = Y(Math.min(place(raw), high));
        if (open) pen.lineTo(X(columns.time[i]), y); else pen.moveTo(X(columns.time[i]), y);
        open = true;
      }
      pen.strokeStyle = color;
      pen.lineWidth = 1.2;
      pen.stroke();
    });
  }

  // Write the title and the names of the lines, and return how far down they reach [px].
  titles(pen, plot, width) {
    let x = 50, y = 10;
    pen.textAlign = "left";
    pen.fillStyle = "#555";
    pen.fillText(plot.title, x, 10);
    x += pen.measureText(plot.title).width + 10;
    if (plot.lines.length < 2) return y;
    for (const [, color, name] of plot.lines) {
      const size = pen.measureText(name).width;
      if (x + size > width && x > 50) { x = 50; y += 12; }
      pen.fillStyle = color;
      pen.fillText(name, x, y);
      x += size + 7;
    }
    return y;
  }
}
