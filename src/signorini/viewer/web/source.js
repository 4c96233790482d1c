// Where the data come from: blocks inside of this page, or the server that sent it. Both give the same blocks of arrays.
"use strict";

const TYPES = { f4: Float32Array, f8: Float64Array, u2: Uint16Array, i4: Int32Array, u1: Uint8Array };

function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  for (const [name, type, count, place] of header.arrays) {
    arrays[name] = new TYPES[type](buffer, 4 + length + place, count);
  }
  return { meta: header.meta, arrays };
}

async function inflated(text) {
  const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return unpack(await new Response(stream).arrayBuffer());
}

function embeddedSource() {
  const block = (id) => inflated(document.getElementById(id).textContent);
  return { live: false, scene: () => block("scene"), news: () => block("news"), frame: (k) => block("frame-" + k) };
}

function servedSource() {
  const token = new URLSearchParams(location.search).get("token");
  const get = async (path) => {
    const answer = await fetch(path + (token ? (path.includes("?") ? "&" : "?") + "token=" + encodeURIComponent(token) : ""));
    if (!answer.ok) throw new Error((await answer.text()) || answer.statusText);
    return unpack(await answer.arrayBuffer());
  };
  return {
    live: true,
    scene: () => get("scene"),
    news: (frames, steps) => get(`news?frames=${frames}&steps=${steps}`),
    frame: (k) => get("frame/" + k),
  };
}

// Frames that were loaded, the ones used last kept as long as they fit.
class FrameCache {
  constructor(source, budget) {
    this.source = source;
    this.budget = budget; // bytes
    this.ready = new Map();
    this.waiting = new Map();
    this.bytes = 0;
  }

  get(k) {
    const frame = this.ready.get(k);
    if (frame) {
      this.ready.delete(k);
      this.ready.set(k, frame);
    }
    return frame;
  }

  load(k) {
    if (this.ready.has(k)) return Promise.resolve(this.get(k));
    if (!this.waiting.has(k)) {
      const done = this.source.frame(k).then((frame) => this.keep(k, frame));
      this.waiting.set(k, done.finally(() => this.waiting.delete(k)));
    }
    return this.waiting.get(k);
  }

  keep(k, frame) {
    frame.bytes = 0;
    for (const name of Object.keys(frame.arrays)) frame.bytes += frame.arrays[name].byteLength;
    this.bytes += frame.bytes;
    this.ready.set(k, frame);
    for (const [old, other] of this.ready) {
      if (this.bytes <= this.budget || old === k) break;
      this.ready.delete(old);
      this.bytes -= other.bytes;
    }
    return frame;
  }
}

function placedPositions(frame, k) {
  const raw = frame.arrays["positions/" + k], box = frame.meta.boxes[k];
  if (!box) return raw;
  const points = new Float32Array(raw.length), scale = box[3] / 65535;
  for (let i = 0; i < raw.length; i++) points[i] = box[i % 3] + scale * raw[i];
  return points;
}
