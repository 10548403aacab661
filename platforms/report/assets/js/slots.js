// What every issue slot was used for: stacks that sum to all slots, 100 %.
import { Chart } from "./chart.js";
import { element, number } from "./format.js";
import { causeColours, inkOn } from "./palette.js";

const kMost = 40; // bars

export class Slots {
  constructor(section, state) {
    this.state = state;
    this.data = state.data;
    const { slots } = this.data;
    if (!slots || slots.causes.length === 0) {
      section.body.append(element("p", { class: "empty" }, "No run has issue slots."));
      return;
    }
    this.host = element("div");
    this.note = element("p", { class: "note" });
    section.body.append(this.host, this.note);
    this.chart = new Chart(this.host, {
      label: "Issue slots by cause, in per cent of all slots, a bar for each run",
      pick: (run) => state.choose(run),
    });
    state.listen((what) => {
      if (["runs", "theme", "sort", "baseline"].some((each) => what.has(each))) this.draw();
    });
    this.draw();
  }
  /** The baseline first, then the runs in the order of the table. */
  get runs() {
    const { state, data } = this;
    const has = (run) => data.slots.values.some((column) => column[run] > 0);
    const first = state.shown.includes(state.baseline) ? [state.baseline] : [];
    return [...first, ...state.shown.filter((run) => run !== state.baseline)].filter(has);
  }
  draw() {
    const { data } = this;
    const all = this.runs;
    const runs = all.slice(0, kMost);
    const { causes, values } = data.slots;
    const used = causes.map((_, c) => c).filter((c) => runs.some((run) => values[c][run] > 0));
    const rows = [];
    const names = new Map();
    for (const run of runs) {
      const name = `${run === this.state.baseline ? "◆ " : ""}${data.labels[run]}`;
      names.set(run, names.has(run) ? name : [...names.values()].includes(name) ? `${name} (#${run})` : name);
      const sum = used.reduce((total, c) => total + values[c][run], 0);
      used.forEach((c, order) => {
        const slots = values[c][run];
        if (slots > 0)
          rows.push({
            run,
            name: names.get(run),
            cause: causes[c],
            slots,
            order,
            share: slots / sum,
            text: slots / sum >= 0.06 ? `${Math.round((100 * slots) / sum)}` : "",
            of: `${number(slots)} of ${number(sum)}`,
          });
      });
    }
    const domain = used.map((c) => causes[c]);
    const colours = causeColours(domain);
    const inks = new Map(domain.map((cause, i) => [cause, inkOn(colours[i])]));
    for (const row of rows) row.ink = inks.get(row.cause);
    this.note.textContent =
      all.length > runs.length
        ? `The first ${runs.length} of ${all.length} runs, in the order of the table: sort or filter it to see others.`
        : "";
    return this.chart.draw({
      height: Math.max(1, runs.length) * (runs.length > 20 ? 18 : 24),
      autosize: { type: "fit-x", contains: "padding" },
      data: { name: "slots", values: rows },
      encoding: {
        y: { field: "name", type: "nominal", sort: null, title: null, axis: { labelLimit: 300, ticks: false, domain: false } },
        order: { field: "order", type: "quantitative" },
      },
      layer: [
        {
          mark: { type: "bar", stroke: "#ffffff", strokeWidth: 0.6, cursor: "pointer" },
          encoding: {
            x: {
              field: "slots",
              type: "quantitative",
              stack: "normalize",
              title: "share of all issue slots",
              axis: { format: "%", tickCount: 10 },
            },
            color: {
              field: "cause",
              type: "nominal",
              sort: domain,
              scale: { domain, range: colours },
              legend: { title: null, orient: "top", columns: 6, symbolType: "square" },
            },
            tooltip: [
              { field: "name", title: "run" },
              { field: "cause" },
              { field: "share", format: ".2%" },
              { field: "of", title: "slots" },
            ],
          },
        },
        {
          mark: { type: "text", fontSize: 11, align: "center", tooltip: false },
          encoding: {
            x: { field: "slots", type: "quantitative", stack: "normalize", bandPosition: 0.5 },
            text: { field: "text" },
            detail: { field: "cause" },
            color: { field: "ink", type: "nominal", scale: null, legend: null },
          },
        },
      ],
      resolve: { scale: { color: "independent" } },
    });
  }
}
