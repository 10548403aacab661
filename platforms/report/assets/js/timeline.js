// Where each split of a warp runs, from a timeline of the run's folder: a row for each split, a bar for each stretch of code.
import { Chart } from "./chart.js";
import { choice, element } from "./format.js";
import { css, inkOn, okabeIto } from "./palette.js";

const kRows = 24;

/** Links to the traces and waveforms that the run of the details has left. */
function traceFiles(host, state) {
  const of = new Map(state.data.files.map(({ run, files }) => [run, files]));
  const tool = (name) =>
    name.endsWith(".fst") ? "gtkwave" : name.endsWith(".json") ? "Perfetto, speedscope" : "heddle compare-traces";
  const draw = () => {
    const files = of.get(state.detail);
    const links = (files ?? []).flatMap(({ name, link }, i) => [
      i ? ", " : "",
      element("a", { href: link.split("/").map(encodeURIComponent).join("/") }, name),
      ` (${tool(name)})`,
    ]);
    host.replaceChildren(
      ...(files
        ? ["Traces and waveforms of ", state.data.labels[state.detail], ": ", ...links, ". They lie beside the page, not in it."]
        : []),
    );
  };
  state.listen((what) => {
    if (what.has("detail")) draw();
  });
  draw();
}

export class Timeline {
  constructor(section, state) {
    this.state = state;
    const files = element("p", { class: "note files" });
    section.body.append(files);
    traceFiles(files, state);
    this.of = new Map(state.data.timelines.map((timeline) => [timeline.run, timeline]));
    this.first = 0;
    if (this.of.size === 0) {
      section.body.append(
        element(
          "p",
          { class: "empty" },
          "No run has a timeline. ",
          element("code", {}, "heddle run ... --out DIR --trace-timeline DIR/timeline.json"),
          " records one.",
        ),
      );
      return;
    }
    this.picker = element("span");
    section.controls.append(this.picker);
    this.host = element("div");
    this.note = element("p", { class: "note" });
    section.body.append(this.host, this.note);
    this.chart = new Chart(this.host, { label: "Timeline of warps: which code each split runs, by core cycle" });
    state.listen((what) => {
      if (what.has("detail") || what.has("theme")) this.draw();
    });
    this.draw();
  }
  draw() {
    const { data } = this.state;
    const run = this.of.has(this.state.detail) ? this.state.detail : this.of.keys().next().value;
    const timeline = this.of.get(run);
    const pages = Math.ceil(timeline.order.length / kRows);
    this.first = Math.min(this.first, (pages - 1) * kRows);
    this.picker.replaceChildren(
      pages > 1
        ? choice(
            "Rows",
            Array.from({ length: pages }, (_, i) => [
              String(i * kRows),
              `${i * kRows + 1} to ${Math.min((i + 1) * kRows, timeline.order.length)}`,
            ]),
            String(this.first),
            (first) => {
              this.first = Number(first);
              this.draw();
            },
          )
        : "",
    );
    const shown = timeline.order.slice(this.first, this.first + kRows);
    const inside = new Set(shown);
    const names = [...new Set(timeline.name)];
    const colours = new Map(names.map((name, i) => [name, okabeIto[i % 7]]));
    const bars = timeline.row
      .map((row, i) => ({
        row: timeline.rows[row],
        inside: inside.has(row),
        from: timeline.from[i],
        to: timeline.from[i] + timeline.length[i],
        cycles: timeline.length[i],
        name: timeline.name[i],
        lanes: timeline.lanes[i],
        code: timeline.code[i],
        ink: inkOn(colours.get(timeline.name[i])),
      }))
      .filter((bar) => bar.inside);
    const issues = timeline.issue_row
      .map((row, i) => ({ row: timeline.rows[row], inside: inside.has(row), from: timeline.issue_at[i] }))
      .filter((issue) => issue.inside);
    this.note.textContent = `${data.labels[run]}. Dark marks are issues; the number in a bar is its lanes. Drag to move, turn the wheel to look closer.${timeline.left_out ? ` ${timeline.left_out} later events are left out.` : ""}`;
    return this.chart.draw(
      {
        height: shown.length * 24,
        autosize: { type: "fit-x", contains: "padding" },
        encoding: { y: { field: "row", type: "nominal", sort: shown.map((row) => timeline.rows[row]), title: null } },
        layer: [
          {
            data: { values: bars },
            params: [{ name: "view", select: { type: "interval", encodings: ["x"] }, bind: "scales" }],
            mark: { type: "bar", height: 16, clip: true, stroke: css("card"), strokeWidth: 0.5 },
            encoding: {
              x: { field: "from", type: "quantitative", title: "core cycle", scale: { nice: false } },
              x2: { field: "to" },
              color: {
                field: "name",
                type: "nominal",
                sort: names,
                scale: { domain: names, range: names.map((name) => colours.get(name)) },
                legend: names.length <= 20 ? { title: "code from", orient: "right" } : null,
              },
              tooltip: [
                { field: "row", title: "split" },
                { field: "name", title: "from" },
                { field: "code" },
                { field: "lanes" },
                { field: "from", title: "cycle" },
                { field: "cycles" },
              ],
            },
          },
          {
            data: { values: issues },
            mark: { type: "tick", thickness: 1, size: 16, color: "#000000", opacity: 0.55, clip: true, tooltip: false },
            encoding: { x: { field: "from", type: "quantitative" } },
          },
          {
            data: { values: bars },
            mark: { type: "text", align: "left", dx: 3, fontSize: 10, clip: true, tooltip: false },
            encoding: {
              x: { field: "from", type: "quantitative" },
              text: { field: "lanes" },
              color: { field: "ink", type: "nominal", scale: null, legend: null },
            },
          },
        ],
        resolve: { scale: { color: "independent" } },
      },
      bars.length + issues.length,
    );
  }
}
