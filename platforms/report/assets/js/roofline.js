// Instruction roofline: thread instructions per cycle against thread instructions per byte of DRAM traffic, below the machine's roofs.
import { Chart } from "./chart.js";
import { element } from "./format.js";
import { css } from "./palette.js";
import { byColumn, rings, rows, tooltipFields, tooltipValues } from "./scatter.js";

export class Roofline {
  constructor(section, state) {
    this.state = state;
    this.data = state.data;
    this.intensity = this.data.metric("intensity");
    this.rate = this.data.metric("thread_ipc");
    this.host = element("div");
    this.note = element("p", { class: "note" });
    section.body.append(this.host, this.note);
    if (!this.intensity || !this.rate || !this.data.machines.length) {
      section.body.replaceChildren(
        element("p", { class: "empty" }, "No run has instructions, DRAM traffic and a configuration."),
      );
      return;
    }
    this.group =
      this.data.telling.find((c) => c.key === "workload") ?? this.data.telling.find((c) => !c.numeric) ?? this.data.telling[0];
    this.chart = new Chart(this.host, {
      label: "Roofline: instructions per cycle against instructions per byte of DRAM traffic",
      pick: (run) => state.choose(run),
    });
    state.listen((what) => {
      if (what.has("theme") || what.has("baseline") || what.has("runs")) this.draw();
      else if (what.has("detail")) this.chart.update("runs", this.#rows());
    });
    this.draw();
  }
  #rows() {
    const grouping = byColumn(this.group, this.data);
    return rows(
      this.state,
      (run) => this.intensity.at(run) || null,
      (run) => this.rate.at(run) || null,
      (run) => ({
        group: grouping.field ? grouping.field(run) : "",
        t: tooltipValues(run, this.data.telling, [this.intensity, this.rate]),
      }),
    );
  }
  draw() {
    const { data } = this;
    const values = this.#rows();
    const none = this.state.shown.filter((run) => this.intensity.at(run) === null && this.rate.at(run) > 0).length;
    const used = [...new Set(this.state.shown.map((run) => data.runs.machine[run]))].filter((m) => m >= 0);
    const roofs = [
      ...new Map(used.map((m) => data.machines[m]).map((m) => [`${m.peak_thread_ipc} ${m.dram_bytes_per_cycle}`, m])).values(),
    ].slice(0, 4);
    let low = Infinity,
      high = 0;
    for (const row of values) {
      low = Math.min(low, row.x);
      high = Math.max(high, row.x);
    }
    for (const roof of roofs) high = Math.max(high, (4 * roof.peak_thread_ipc) / roof.dram_bytes_per_cycle);
    low = Math.min(low / 2, high / 100);
    const lines = roofs.flatMap((roof) => {
      const ridge = roof.peak_thread_ipc / roof.dram_bytes_per_cycle;
      return [low, ridge, Math.max(high * 2, ridge * 2)].map((x, i) => ({
        roof: roof.label,
        x,
        y: Math.min(roof.peak_thread_ipc, x * roof.dram_bytes_per_cycle),
        text:
          i === 0
            ? `DRAM of ${roof.label}: ${roof.dram_bytes_per_cycle.toFixed(0)} bytes per cycle`
            : i === 2
              ? `issue slots of ${roof.label}: ${roof.peak_thread_ipc}`
              : "",
      }));
    });
    this.note.textContent = `Below the slope a run can be limited by DRAM, below the flat roof by issue (32 lanes in every issue slot).${none ? ` ${none} of the runs shown have no DRAM traffic and no place here.` : ""}`;
    const grouping = byColumn(this.group, data);
    return this.chart.draw(
      {
        height: 340,
        autosize: { type: "fit", contains: "padding" },
        data: { name: "runs", values },
        encoding: {
          x: {
            field: "x",
            type: "quantitative",
            scale: { type: "log", nice: false },
            title: "thread instructions per byte of DRAM traffic",
            axis: { format: "~g", tickCount: 8 },
          },
          y: {
            field: "y",
            type: "quantitative",
            scale: { type: "log", nice: true },
            title: "thread instructions per core cycle",
            axis: { format: "~g", tickCount: 8 },
          },
        },
        layer: [
          {
            data: { name: "roofs", values: lines },
            mark: { type: "line", color: css("soft"), strokeWidth: 1.6, tooltip: false },
            encoding: { detail: { field: "roof" } },
          },
          {
            data: { name: "roofs", values: lines },
            transform: [{ filter: "datum.text !== ''" }],
            mark: {
              type: "text",
              align: { expr: "datum.text[0] === 'i' ? 'right' : 'left'" },
              dy: { expr: "datum.text[0] === 'i' ? -7 : 12" },
              dx: 6,
              angle: 0,
              fontSize: 11,
              color: css("soft"),
              tooltip: false,
            },
            encoding: { text: { field: "text" } },
          },
          {
            mark: {
              type: "point",
              filled: true,
              stroke: css("ink"),
              strokeWidth: 0.6,
              size: values.length > 1500 ? 22 : 75,
              opacity: values.length > 1500 ? 0.55 : 0.9,
              cursor: "pointer",
            },
            encoding: { ...grouping.encoding, tooltip: tooltipFields(data.telling, [this.intensity, this.rate]) },
          },
          rings(),
        ],
      },
      values.length,
    );
  }
}
