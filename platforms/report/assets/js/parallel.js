// Parallel coordinates from keys to metrics. Vega-Lite has no brushes over several axes of one chart, so this one is drawn here: lines on
// a canvas, axes and brushes as SVG above it. A brush is dragged, or moved by keys; it filters every chart of the page.
import { choice, element, missing, number, svg, tick, ticks } from "./format.js";
import { css, okabeIto } from "./palette.js";

const kHeight = 330,
  kTop = 44,
  kBottom = 22,
  kSide = 70;
const kTogether = 16; // lines of a path
const kMostLines = 3000; // more look the same and take seconds
const kMilliseconds = 24; // of a frame, for lines
const kFewSteps = 16; // different numbers of a key, up to which they stand at equal distances

const kHelp =
  "Drag along an axis to keep the runs inside; click the axis to drop its brush. With the keyboard: Tab to an axis, ↑ ↓ move the brush, Shift with ↑ ↓ resizes it, Delete drops it.";

/** Where values of a column are on its axis: 0 at the bottom, 1 at the top. */
class Scale {
  constructor(column, count) {
    const values = Array.from({ length: count }, (_, run) => column.at(run)).filter((value) => !missing(value));
    this.column = column;
    const different = new Set(values);
    this.steps = !column.numeric || (column.parameter && different.size <= kFewSteps);
    if (this.steps) {
      this.values = [...different].sort((a, b) =>
        column.numeric ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }),
      );
      const places = new Map(this.values.map((value, i) => [value, this.values.length < 2 ? 0.5 : i / (this.values.length - 1)]));
      this.at = (value) => places.get(value);
      return;
    }
    let low = Infinity,
      high = -Infinity;
    for (const value of values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    this.log = low > 0 && high / low > 30;
    const to = this.log ? Math.log10 : (value) => value;
    const from = this.log ? (value) => 10 ** value : (value) => value;
    const [a, b] = [to(low), to(high)];
    this.at = (value) => (a === b ? 0.5 : (to(value) - a) / (b - a));
    this.value = (place) => from(a + place * (b - a));
    this.low = low;
    this.high = high;
  }
  /** Places that have a name. */
  get ticks() {
    if (this.steps) {
      const every = Math.ceil(this.values.length / 14);
      return this.values
        .filter((_, i) => i % every === 0)
        .map((value) => [this.at(value), this.column.numeric ? tick(value) : value]);
    }
    const places = this.low === this.high ? [0.5] : [0, 0.25, 0.5, 0.75, 1];
    const values = places.map((place) => this.value(place));
    const texts = this.column.unit === "share" ? values.map((value) => number(value, "share")) : ticks(values);
    return places.map((place, i) => [place, texts[i]]);
  }
  /** The brush that covers these places. */
  brush(from, to) {
    const [a, b] = from < to ? [from, to] : [to, from];
    if (!this.steps) return { from: this.value(a), to: this.value(b), places: [a, b] };
    const inside = this.values.filter((value) => this.at(value) >= a - 1e-9 && this.at(value) <= b + 1e-9);
    if (inside.length === 0) return null;
    return this.column.numeric
      ? { from: inside[0], to: inside.at(-1), places: [a, b] }
      : { texts: new Set(inside), places: [a, b] };
  }
}

export function brushText(column, brush) {
  if (brush.texts) return `${column.label}: ${[...brush.texts].join(", ")}`;
  return `${column.label}: ${number(brush.from, column.unit)} to ${number(brush.to, column.unit)}`;
}

export class Parallel {
  constructor(section, state) {
    this.state = state;
    this.data = state.data;
    const metrics = this.data.measured;
    this.axes = [...this.data.telling.slice(0, 8), ...metrics.filter((metric) => metric.axis)].slice(0, 12);
    this.scales = new Map();
    this.colourKey = this.data.grouping[0]?.key ?? "";
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.svg = svg("svg", { role: "group", "aria-label": "Axes of the parallel coordinates", height: kHeight });
    section.controls.append(
      choice(
        "Colour by",
        this.data.telling.map((c) => [c.key, c.label]),
        this.colourKey,
        (key) => {
          this.colourKey = key;
          this.drawLines();
        },
      ),
    );
    this.host = element("div", { class: "parallel" }, this.canvas, this.svg);
    this.legend = element("ul", { class: "legend", "aria-label": "Colours" });
    this.note = element("p", { class: "note" }, kHelp);
    section.body.append(this.legend, this.host, this.note);
    new ResizeObserver(() => this.draw()).observe(this.host);
    state.listen((what) => {
      if (what.has("theme") || what.has("runs") || what.has("baseline") || what.has("detail")) this.draw();
    });
  }
  scale(column) {
    if (!this.scales.has(column.key)) this.scales.set(column.key, new Scale(column, this.data.count));
    return this.scales.get(column.key);
  }
  x(i) {
    return kSide + (this.axes.length < 2 ? 0 : (i * (this.width - 2 * kSide)) / (this.axes.length - 1));
  }
  y(place) {
    return kHeight - kBottom - place * (kHeight - kTop - kBottom);
  }
  place(y) {
    return Math.min(1, Math.max(0, (kHeight - kBottom - y) / (kHeight - kTop - kBottom)));
  }
  draw() {
    this.width = this.host.clientWidth;
    if (this.width < 10) return;
    this.drawAxes();
    this.drawLines();
  }
  drawAxes() {
    const focused = this.svg.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${kHeight}`);
    this.svg.replaceChildren(...this.axes.map((column, i) => this.#axis(column, i)));
    if (focused) this.svg.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
  #axis(column, i) {
    const x = this.x(i),
      scale = this.scale(column);
    const brush = this.state.brushes.get(column.key);
    const end = i === this.axes.length - 1;
    const room = Math.max(60, (this.width - 2 * kSide) / Math.max(1, this.axes.length - 1) - 6);
    const longest = Math.floor(room / 6.2);
    const cut = (text) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
    const node = svg(
      "g",
      {
        class: "axis",
        tabindex: 0,
        role: "slider",
        "data-key": column.key,
        "aria-orientation": "vertical",
        "aria-label": `Brush of ${column.label}`,
        "aria-valuetext": brush ? brushText(column, brush) : "no brush",
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        "aria-valuenow": brush ? Math.round(100 * brush.places[0]) : 0,
      },
      svg("title", {}, [column.key, column.unit, column.description].filter(Boolean).join(" · ")),
      svg("text", { x, y: 14, "text-anchor": "middle", class: "name" }, cut(column.label)),
      svg(
        "text",
        { x, y: 28, "text-anchor": "middle", class: "kind" },
        column.parameter ? "key" : column.unit === "share" ? "" : cut(column.unit ?? ""),
      ),
      svg("line", { x1: x, x2: x, y1: this.y(0), y2: this.y(1) }),
      ...scale.ticks.map(([place, text]) =>
        svg("text", { x: end ? x + 7 : x - 7, y: this.y(place) + 4, "text-anchor": end ? "start" : "end" }, cut(String(text))),
      ),
    );
    if (brush)
      node.append(
        svg("rect", {
          class: "brush",
          x: x - 8,
          width: 16,
          y: this.y(brush.places[1]),
          height: Math.max(3, this.y(brush.places[0]) - this.y(brush.places[1])),
        }),
      );
    const hit = svg("rect", { class: "hit", x: x - 13, width: 26, y: kTop - 10, height: kHeight - kTop - kBottom + 20 });
    node.append(hit);
    hit.addEventListener("pointerdown", (event) => this.#drag(event, column, scale));
    node.addEventListener("keydown", (event) => this.#key(event, column, scale));
    return node;
  }
  #drag(down, column, scale) {
    const top = this.svg.getBoundingClientRect().top;
    const from = this.place(down.clientY - top);
    let moved = false;
    const move = (event) => {
      const to = this.place(event.clientY - top);
      moved ||= Math.abs(event.clientY - down.clientY) > 3;
      if (moved) this.state.brush(column.key, scale.brush(from, to));
    };
    const up = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      if (!moved) this.state.brush(column.key, null);
      this.svg.querySelector(`[data-key="${CSS.escape(column.key)}"]`)?.focus({ preventScroll: true });
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
    down.preventDefault();
  }
  #key(event, column, scale) {
    const brush = this.state.brushes.get(column.key);
    const step = scale.steps && scale.values.length > 1 ? 1 / (scale.values.length - 1) : 0.05;
    const by = { ArrowUp: step, ArrowDown: -step, PageUp: 4 * step, PageDown: -4 * step }[event.key];
    const clamp = (place) => Math.min(1, Math.max(0, place));
    if (event.key === "Delete" || event.key === "Backspace" || event.key === "Escape") this.state.brush(column.key, null);
    else if (by === undefined) return;
    else {
      const [a, b] = brush?.places ?? (by > 0 ? [0, 0] : [1, 1]);
      const places = !brush
        ? scale.steps
          ? [a, b]
          : by > 0
            ? [0, 0.25]
            : [0.75, 1]
        : event.shiftKey
          ? [a, clamp(b + by)]
          : by > 0
            ? [clamp(a + Math.min(by, 1 - b)), clamp(b + by)]
            : [clamp(a + by), clamp(b + Math.max(by, -a))];
      this.state.brush(column.key, scale.brush(...places) ?? brush ?? null);
    }
    event.preventDefault();
  }
  drawLines() {
    const ratio = Math.max(1, Math.min(3, devicePixelRatio || 1));
    this.canvas.width = this.width * ratio;
    this.canvas.height = kHeight * ratio;
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const shown = new Set(this.state.shown);
    const colour = this.#colours();
    /* A path of many lines takes much longer to fill in than many paths, and thousands of lines more than a frame. */
    const work = [];
    const sample = (runs) =>
      runs.length > kMostLines
        ? Array.from({ length: kMostLines }, (_, i) => runs[Math.floor((i * runs.length) / kMostLines)])
        : runs;
    const lines = (runs, stroke, alpha, width) => {
      for (let first = 0; first < runs.length; first += kTogether)
        work.push([runs.slice(first, first + kTogether), stroke, alpha, width]);
    };
    const all = Array.from({ length: this.data.count }, (_, run) => run);
    const hidden = all.filter((run) => !shown.has(run));
    if (hidden.length) lines(sample(hidden), css("line"), Math.min(0.8, 600 / all.length + 0.05), 1);
    const alpha = Math.max(0.06, Math.min(0.85, 120 / Math.max(1, shown.size)));
    const groups = new Map();
    const drawn = sample([...shown]);
    this.note.textContent = `${drawn.length < shown.size ? `Of ${number(shown.size)} lines ${number(drawn.length)} are drawn, evenly picked. ` : ""}${kHelp}`;
    for (const run of drawn) {
      const stroke = colour(run);
      if (!groups.has(stroke)) groups.set(stroke, []);
      groups.get(stroke).push(run);
    }
    const below = work.length;
    for (const [stroke, runs] of groups) lines(runs, stroke, alpha, 1.4);
    // Colours take turns, so that the last one does not cover the others.
    const next = new Map();
    const turns = new Map([...groups].map(([stroke, runs]) => [stroke, Math.ceil(runs.length / kTogether)]));
    for (const each of work.slice(below)) {
      const at = next.get(each[1]) ?? 0;
      next.set(each[1], at + 1);
      each.place = at / turns.get(each[1]);
    }
    work.push(...work.splice(below).sort((a, b) => a.place - b.place));
    if (this.state.baseline >= 0 && shown.has(this.state.baseline)) lines([this.state.baseline], css("ink"), 0.9, 2.2);
    let done = 0;
    const turn = (this.turn = {});
    const step = () => {
      if (this.turn !== turn) return; // drawn anew meanwhile
      const until = document.documentElement.dataset.print === "true" ? Infinity : performance.now() + kMilliseconds;
      while (done < work.length && performance.now() < until) {
        const [runs, stroke, alpha, width] = work[done++];
        pen.globalAlpha = alpha;
        pen.lineWidth = width;
        pen.strokeStyle = stroke;
        pen.beginPath();
        for (const run of runs) this.#line(pen, run);
        pen.stroke();
      }
      if (done < work.length) requestAnimationFrame(step);
    };
    step();
  }
  #line(pen, run) {
    let down = false;
    for (let i = 0; i < this.axes.length; ++i) {
      const value = this.axes[i].at(run);
      if (missing(value)) {
        down = false;
        continue;
      }
      const x = this.x(i),
        y = this.y(this.scale(this.axes[i]).at(value));
      if (down) pen.lineTo(x, y);
      else pen.moveTo(x, y);
      down = true;
    }
  }
  #colours() {
    const column = this.data.columns.get(this.colourKey);
    if (!column) {
      this.legend.replaceChildren();
      return () => okabeIto[0];
    }
    const values = this.scale(column).steps ? this.scale(column).values : null;
    const of = (value) => (values ? (okabeIto[Math.min(values.indexOf(value), 7)] ?? okabeIto[7]) : okabeIto[0]);
    this.legend.replaceChildren(
      ...(values ?? [])
        .slice(0, 8)
        .map((value, i) =>
          element(
            "li",
            {},
            element("span", { class: "swatch", style: `background:${okabeIto[i]}` }),
            i === 7 && values.length > 8 ? "others" : String(value),
          ),
        ),
      element("li", {}, element("span", { class: "swatch", style: `background:${css("ink")}` }), "baseline"),
    );
    return (run) => of(column.at(run));
  }
}
