// Block diagram of the machine of the run of the details, each block with how much of it is in use.
import { element, missing, number, svg } from "./format.js";

const kWidth = 980;

/* x, y, width, height; metrics: the first one fills the bar. */
const blocks = [
  { name: "CTA dispatcher", box: [20, 20, 150, 62], facts: (m) => `${m.cores} cores` },
  { name: "Fetch, L1I", box: [230, 44, 150, 78], use: ["fetch_busy"], facts: () => "" },
  { name: "Warp schedulers", box: [230, 140, 150, 96], use: ["issued"], facts: (m) => `${m.schedulers} per core, ${m.policy}` },
  { name: "Scoreboard", box: [400, 44, 150, 78], facts: (m) => m.scoreboard },
  { name: "Control flow", box: [570, 44, 170, 78], use: ["simd_efficiency"], facts: (m) => m.mechanism },
  { name: "Register file", box: [400, 140, 150, 96], use: ["register_busy"], facts: () => "reads by ports" },
  { name: "Warps", box: [570, 140, 170, 96], use: ["occupancy"], facts: (m) => `${m.max_warps} per core` },
  { name: "Load/store unit", box: [230, 254, 150, 78], use: ["lsu_busy"], facts: () => "lines by cycle" },
  { name: "L1D", box: [400, 254, 150, 78], use: ["l1d_hits"], facts: (m) => `${m.l1d}; bar: hits` },
  { name: "Shared memory", box: [570, 254, 170, 78], use: ["shared_busy"], facts: (m) => m.shared_memory },
  { name: "Crossbar", box: [230, 372, 510, 66], use: ["request_links", "response_links"], facts: () => "requests · responses" },
  { name: "L2", box: [230, 462, 320, 78], use: ["l2_busy", "l2_hits"], facts: (m) => `${m.l2}; in use · hits` },
  { name: "DRAM", box: [570, 462, 170, 78], use: ["dram_busy"], facts: (m) => `${Math.round(m.dram_gbs)} GB/s` },
];
const wires = [
  "M170 51H210",
  "M305 122V140",
  "M475 122V140",
  "M655 122V140",
  "M380 188H400",
  "M550 188H570",
  "M305 236V254",
  "M380 293H400",
  "M550 293H570",
  "M475 332V372",
  "M390 438V462",
  "M655 438V462",
];

export class MachineView {
  constructor(section, state) {
    this.state = state;
    this.host = element("div", { class: "machine" });
    section.body.append(this.host);
    state.listen((what) => {
      if (what.has("detail") || what.has("baseline")) this.draw();
    });
    this.draw();
  }
  draw() {
    const { data, detail, baseline } = this.state;
    const machine = data.machines[data.runs.machine[detail]];
    if (!machine) {
      this.host.replaceChildren(element("p", { class: "empty" }, "The run of the details has left no configuration."));
      return;
    }
    const root = svg("svg", {
      viewBox: `0 0 ${kWidth} 560`,
      role: "img",
      "aria-label": `Machine of ${data.labels[detail]}: ${this.#words(detail)}`,
    });
    root.append(
      svg("rect", { class: "frame", x: 212, y: 14, width: 546, height: 334, rx: 8 }),
      svg("text", { x: 770, y: 34, class: "small" }, `${machine.cores} cores at ${number(machine.core_mhz)} MHz`),
    );
    for (const wire of wires) root.append(svg("path", { class: "wire", d: wire }));
    for (const block of blocks) root.append(this.#block(block, machine));
    this.#side(root, machine);
    const limits = this.#limits();
    this.host.replaceChildren(
      element(
        "p",
        { class: "note" },
        `${data.labels[detail]} on ${machine.label}. Bars: use by time and capacity, over the whole run${detail !== baseline && baseline >= 0 ? "; a tick marks the pinned baseline" : ""}.`,
      ),
      root,
      limits,
    );
  }
  #words(run) {
    return blocks
      .filter((b) => b.use)
      .map((b) => `${b.name} ${this.state.data.metric(b.use[0])?.text(run) ?? ""}`)
      .join(", ");
  }
  #block({ name, box: [x, y, width, height], use = [], facts }, machine) {
    const { data, detail, baseline } = this.state;
    const group = svg(
      "g",
      {},
      svg("rect", { class: "box", x, y, width, height, rx: 6 }),
      svg("text", { x: x + 10, y: y + 20, "font-weight": 600 }, name),
      svg("text", { x: x + 10, y: y + 36, class: "small" }, facts(machine)),
    );
    const metrics = use.map((key) => data.metric(key)).filter((metric) => metric && !missing(metric.at(detail)));
    const room = (width - 20 - 12 * (metrics.length - 1)) / Math.max(1, metrics.length);
    metrics.forEach((metric, i) => {
      const value = metric.at(detail),
        left = x + 10 + i * (room + 12),
        top = y + height - 14;
      group.append(
        svg("rect", { class: "track", x: left, y: top, width: room, height: 8, rx: 2 }),
        svg("rect", { class: "level", x: left, y: top, width: room * Math.min(1, value), height: 8, rx: 2 }),
        svg("text", { x: left + room, y: top - 4, "text-anchor": "end", class: height > 80 ? "big" : "" }, metric.text(detail)),
        svg("title", {}, metrics.map((m) => `${m.label}: ${m.text(detail)}, ${m.description}`).join("\n")),
      );
      const base = baseline >= 0 && baseline !== detail ? metric.at(baseline) : null;
      if (!missing(base))
        group.append(
          svg("line", {
            class: "wire",
            "stroke-width": 2,
            x1: left + room * Math.min(1, base),
            x2: left + room * Math.min(1, base),
            y1: top - 3,
            y2: top + 11,
          }),
        );
    });
    return group;
  }
  /** What kept further CTAs from the cores, by cycles. */
  #limits() {
    const { occupancy_limits: limits } = this.state.data;
    const counts = limits.causes
      .map((cause, i) => [cause, limits.values[i][this.state.detail] ?? 0])
      .filter(([, n]) => n > 0)
      .sort((a, b) => b[1] - a[1]);
    const all = counts.reduce((sum, [, n]) => sum + n, 0);
    return all
      ? element(
          "p",
          { class: "note" },
          `What keeps a further CTA from a core: ${counts.map(([cause, n]) => `${cause === "none" ? "nothing" : cause.replaceAll("_", " ")} ${((100 * n) / all).toFixed(0)} %`).join(", ")} of the core cycles.`,
        )
      : "";
  }
  /** Numbers of the whole run beside the diagram. */
  #side(root, machine) {
    const { data, detail } = this.state;
    const lines = ["cycles", "ipc", "simd_efficiency", "load_latency", "core_active", "energy_uj", "area_ge"]
      .map((key) => data.metric(key))
      .filter((metric) => metric && !missing(metric.at(detail)));
    lines.forEach((metric, i) =>
      root.append(
        svg("text", { x: 770, y: 80 + i * 46, class: "small" }, metric.label),
        svg("text", { x: 770, y: 99 + i * 46, class: "big" }, metric.text(detail)),
        svg("title", {}, metric.description),
      ),
    );
  }
}
