// Cycles against what a machine costs: area of its blocks, or energy. The front of each program: no run of it is better in both.
import { Chart } from "./chart.js";
import { choice, element, missing } from "./format.js";
import { css } from "./palette.js";
import { byColumn, rings, rows, tooltipFields, tooltipValues } from "./scatter.js";

export class Pareto {
  constructor(section, state) {
    this.state = state;
    this.data = state.data;
    const has = (key) => this.data.measured.find((metric) => metric.key === key);
    this.costs = ["area_ge", "energy_uj", "dram_bytes"].map(has).filter(Boolean);
    this.gains = ["cycles", "relative_cycles", "ipc"]
      .map((key) => (key === "relative_cycles" ? this.#relative() : has(key)))
      .filter(Boolean);
    this.cost = this.costs[0];
    const programs = this.#programs();
    this.gain = programs > 1 ? (this.gains.find((g) => g.key === "relative_cycles") ?? this.gains[0]) : this.gains[0];
    const textual = this.data.grouping;
    this.group = textual[0];
    this.host = element("div");
    if (!this.cost || !this.gain) {
      section.body.append(element("p", { class: "empty" }, "No run has both cycles and area or energy."));
      return;
    }
    section.controls.append(
      choice(
        "Cost",
        this.costs.map((c) => [c.key, c.label]),
        this.cost.key,
        (key) => {
          this.cost = this.costs.find((c) => c.key === key);
          this.draw();
        },
      ),
      choice(
        "Against",
        this.gains.map((c) => [c.key, c.label]),
        this.gain.key,
        (key) => {
          this.gain = this.gains.find((c) => c.key === key);
          this.draw();
        },
      ),
      choice(
        "Colour by",
        textual.map((c) => [c.key, c.label]),
        this.group?.key ?? "",
        (key) => {
          this.group = textual.find((c) => c.key === key);
          this.draw();
        },
      ),
    );
    this.note = element("p", { class: "note" });
    section.body.append(this.host, this.note);
    this.chart = new Chart(this.host, {
      label: "Cost of the runs against their performance, with the Pareto front",
      pick: (run) => state.choose(run),
    });
    state.listen((what) => {
      if (what.has("theme") || what.has("baseline")) this.draw();
      else if (what.has("runs") || what.has("detail")) this.update();
    });
    this.draw();
  }
  #programs() {
    return new Set(Array.from({ length: this.data.count }, (_, run) => this.#program(run))).size;
  }
  #program(run) {
    return this.data.telling
      .filter((c) => this.data.programKeys.has(c.key) && c.key !== "seed")
      .map((c) => c.at(run))
      .join(" ");
  }
  #relative() {
    const cycles = this.data.metric("cycles");
    if (!cycles) return null;
    const { state } = this;
    return {
      key: "relative_cycles",
      label: "Cycles relative to the baseline",
      unit: "",
      better: -1,
      at: (run) => {
        const base = state.bases[run];
        return base < 0 ? null : cycles.at(run) / cycles.at(base);
      },
      text: (run) => {
        const base = state.bases[run];
        return base < 0 ? "–" : (cycles.at(run) / cycles.at(base)).toFixed(3);
      },
    };
  }
  #rows() {
    const { data, state } = this;
    const grouping = byColumn(this.group, data);
    const metrics = [this.cost, this.gain];
    const all = rows(
      state,
      (run) => (data.complete(run) ? this.cost.at(run) : null),
      (run) => this.gain.at(run),
      (run) => ({
        group: grouping.field ? grouping.field(run) : "",
        program: this.#program(run),
        t: tooltipValues(run, data.telling, metrics),
      }),
    );
    this.#front(all);
    const without = state.shown.filter((run) => data.complete(run) && missing(this.cost.at(run))).length;
    this.note.textContent = `${this.cost.label}: ${this.cost.description}${this.cost.description.endsWith(".") ? "" : "."}${without ? ` ${without} of the runs shown have no value: see RTL blocks.` : ""}`;
    return all;
  }
  /** Marks rows that no other one of their program dominates. */
  #front(all) {
    const sign = this.gain.better === 1 ? -1 : 1;
    const programs = new Map();
    for (const row of all) {
      if (!programs.has(row.program)) programs.set(row.program, []);
      programs.get(row.program).push(row);
    }
    for (const list of programs.values()) {
      list.sort((a, b) => a.x - b.x || sign * (a.y - b.y));
      let best = Infinity;
      for (const row of list) {
        row.front = sign * row.y < best;
        if (row.front) best = sign * row.y;
      }
    }
  }
  draw() {
    const grouping = byColumn(this.group, this.data);
    const values = this.#rows();
    const log = (field) => {
      let low = Infinity,
        high = 0;
      for (const row of values) {
        low = Math.min(low, row[field]);
        high = Math.max(high, row[field]);
      }
      return low > 0 && high / low > 20 ? "log" : "linear";
    };
    const axis = (column) => [column.label, column.unit].filter(Boolean).join(", ");
    const many = values.length > 1500;
    return this.chart.draw(
      {
        height: 340,
        autosize: { type: "fit", contains: "padding" },
        data: { name: "runs", values },
        encoding: {
          x: {
            field: "x",
            type: "quantitative",
            title: `${axis(this.cost)} (less is better)`,
            scale: { type: log("x"), zero: false, nice: true },
          },
          y: {
            field: "y",
            type: "quantitative",
            title: `${axis(this.gain)} (${this.gain.better === 1 ? "more" : "less"} is better)`,
            scale: { type: log("y"), zero: false, nice: true },
          },
        },
        layer: [
          {
            transform: [{ filter: "datum.front" }],
            mark: {
              type: "line",
              interpolate: "step-after",
              color: css("soft"),
              strokeWidth: 1.5,
              strokeDash: [5, 3],
              tooltip: false,
            },
            encoding: { detail: { field: "program" }, order: { field: "x", type: "quantitative" } },
          },
          {
            mark: {
              type: "point",
              filled: true,
              stroke: css("ink"),
              strokeWidth: 0.6,
              size: many ? 22 : 75,
              opacity: many ? 0.55 : 0.9,
              cursor: "pointer",
            },
            encoding: { ...grouping.encoding, tooltip: tooltipFields(this.data.telling, [this.cost, this.gain]) },
          },
          rings(),
        ],
      },
      values.length,
    );
  }
  update() {
    return this.chart.update("runs", this.#rows());
  }
}
