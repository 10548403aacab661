// Sheets of the RTL blocks that the machine of the details has.
import { element, number } from "./format.js";

export class Blocks {
  constructor(section, state) {
    this.state = state;
    this.host = element("div");
    section.body.append(this.host);
    state.listen((what) => {
      if (what.has("detail") || what.has("baseline")) this.draw();
    });
    this.draw();
  }
  draw() {
    const { data, detail } = this.state;
    const machine = data.blocks.machines[data.runs.machine[detail]];
    if (!machine) {
      this.host.replaceChildren(element("p", { class: "empty" }, "The run of the details has left no configuration."));
      return;
    }
    const sheets = new Map(data.blocks.sheets.map((sheet) => [sheet.block, sheet]));
    const area = (use) => use.instances * sheets.get(use.block).points[use.point].ge;
    const whole = machine.uses.reduce((sum, use) => sum + area(use), 0);
    const rows = machine.uses.map((use) => {
      const point = sheets.get(use.block).points[use.point];
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, use.block),
        element("td", {}, point.name),
        element("td", {}, use.note || "–"),
        element("td", { class: "number" }, String(use.instances)),
        element("td", { class: "number" }, number(Math.round(area(use)))),
        element("td", { class: "number" }, `${((100 * point.state_ge) / point.ge).toFixed(0)} %`),
        element("td", { class: "number" }, point.bits_per_warp === null ? "–" : number(point.bits_per_warp)),
        element("td", { class: "number" }, point.period_ns.toFixed(2)),
      );
    });
    const sum = machine.without_rtl.length
      ? element(
          "p",
          { class: "note" },
          `Not in RTL, and so without an area: ${machine.without_rtl.join(", ")}. The machine has no sum.`,
        )
      : element("p", { class: "note" }, `Together ${number(Math.round(whole))} gate equivalents in each core.`);
    this.host.replaceChildren(
      element(
        "p",
        { class: "note" },
        `${data.labels[detail]}. Blocks with a context for each warp stand at one warp: their sheets have context memories as flip-flops, so that the area of many warps would mean nothing.`,
      ),
      element(
        "div",
        { class: "scroll" },
        table(
          [
            "block",
            "point of its sheet",
            "differs from the machine",
            "in a core",
            "gate equivalents",
            "of these in state",
            "bits per warp",
            "shortest period, ns",
          ],
          [0, 1, 2],
          rows,
        ),
      ),
      sum,
      ...machine.uses.map((use) => this.#sheet(sheets.get(use.block), use)),
    );
  }
  #sheet(sheet, use) {
    const rows = sheet.points.map((point, i) =>
      element(
        "tr",
        { class: i === use.point ? "used" : null },
        element("td", {}, point.name),
        element("td", { class: "number" }, number(point.ge)),
        element("td", { class: "number" }, number(point.state_ge)),
        element("td", { class: "number" }, point.bits_per_warp === null ? "–" : number(point.bits_per_warp)),
        element("td", { class: "number" }, point.period_ns.toFixed(2)),
      ),
    );
    return element(
      "details",
      {},
      element("summary", {}, `Sheet of ${sheet.block}`),
      element("p", { class: "note" }, sheet.process),
      element(
        "div",
        { class: "scroll" },
        table(["point", "gate equivalents", "of these in state", "bits per warp", "shortest period, ns"], [0], rows),
      ),
    );
  }
}

function table(names, texts, rows) {
  return element(
    "table",
    {},
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        ...names.map((name, i) => element("th", { scope: "col", class: texts.includes(i) ? null : "number" }, name)),
      ),
    ),
    element("tbody", {}, ...rows),
  );
}
