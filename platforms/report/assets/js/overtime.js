// Sampled counters over time, of the baseline and of the run of the details. uPlot: series may be long.
import uPlot from "uplot";
import { element, number } from "./format.js";
import { css, okabeIto } from "./palette.js";

const kHeight = 190;

export class OverTime {
  constructor(section, state) {
    this.state = state;
    this.series = new Map(state.data.series.map((series) => [series.run, series]));
    this.host = element("div");
    this.plots = [];
    section.body.append(this.host);
    if (this.series.size === 0) {
      this.host.append(
        element(
          "p",
          { class: "empty" },
          "No run was sampled. ",
          element("code", {}, "heddle run ... --sample 1000 --out DIR"),
          " records its counters every 1,000 cycles.",
        ),
      );
      return;
    }
    state.listen((what) => {
      if (["baseline", "detail", "theme"].some((each) => what.has(each))) this.draw();
    });
    new ResizeObserver(() =>
      this.plots.forEach((plot) => plot.setSize({ width: this.host.clientWidth, height: kHeight })),
    ).observe(this.host);
    this.draw();
  }
  /** The runs to draw, the one of the details first; if neither was sampled, the first one that was. */
  get runs() {
    const wanted = [...new Set([this.state.detail, this.state.baseline])].filter((run) => this.series.has(run));
    return wanted.length
      ? wanted
      : [[...this.series.keys()].find((run) => this.state.shown.includes(run)) ?? this.series.keys().next().value];
  }
  draw() {
    this.plots.forEach((plot) => plot.destroy());
    this.plots = [];
    this.host.replaceChildren();
    const runs = this.runs;
    const { data } = this.state;
    const keys = [...new Map(runs.flatMap((run) => this.series.get(run).lines.map((line) => [line.key, line]))).values()];
    const sync = uPlot.sync("time");
    for (const kind of keys) {
      const tables = runs.map((run) => [
        this.series.get(run).end,
        this.series.get(run).lines.find((line) => line.key === kind.key)?.values ?? this.series.get(run).end.map(() => null),
      ]);
      const joined = uPlot.join(tables);
      const share = kind.unit === "share";
      const plot = new uPlot(
        {
          width: this.host.clientWidth || 800,
          height: kHeight,
          title: [kind.label, share ? "" : kind.unit].filter(Boolean).join(", "),
          cursor: { sync: { key: sync.key }, drag: { x: true, y: false } },
          scales: { x: { time: false }, y: { range: (_, low, high) => (share ? [0, 1] : [0, high > 0 ? high * 1.08 : 1]) } },
          axes: [
            {
              stroke: css("ink"),
              grid: { stroke: css("line"), width: 1 },
              ticks: { stroke: css("line") },
              values: (_, all) => all.map((v) => number(v)),
              label: "core cycles",
              labelSize: 22,
            },
            {
              stroke: css("ink"),
              grid: { stroke: css("line"), width: 1 },
              ticks: { stroke: css("line") },
              size: 64,
              values: (_, all) => all.map((v) => (share ? `${Math.round(100 * v)} %` : number(v))),
            },
          ],
          series: [
            { label: "cycle", value: (_, v) => number(v) },
            ...runs.map((run, i) => ({
              label: `${run === this.state.baseline ? "◆ " : ""}${data.labels[run]}`,
              stroke: okabeIto[i === 0 ? 0 : 3],
              width: 1.6,
              dash: i === 0 ? undefined : [6, 3],
              spanGaps: true,
              paths: uPlot.paths.stepped({ align: -1 }),
              value: (_, v) => number(v, kind.unit),
              points: { show: false },
            })),
          ],
          hooks: { drawAxes: [(u) => launches(u, this.series.get(runs[0]))] },
        },
        joined,
        this.host,
      );
      plot.root.setAttribute("role", "img");
      plot.root.setAttribute(
        "aria-label",
        `${kind.label} over time: ${runs.map((run, i) => `${data.labels[run]} ${summary(tables[i][1], kind.unit)}`).join("; ")}`,
      );
      this.plots.push(plot);
    }
    const first = this.series.get(runs[0]);
    this.host.append(
      element(
        "p",
        { class: "note" },
        `A sample every ${number(first.interval)} core cycles${first.merged > 1 ? `, ${first.merged} drawn as one` : ""}; vertical lines: launches. Drag to look closer, double-click to see all. `,
        `${this.series.size} of ${data.count} runs were sampled${data.series_left_out ? `, and of ${data.series_left_out} more the series are left out` : ""}.`,
      ),
    );
  }
}

function summary(values, unit) {
  const have = values.filter((value) => value !== null);
  if (!have.length) return "none";
  return `${number(Math.min(...have), unit)} to ${number(Math.max(...have), unit)}, on average ${number(have.reduce((a, b) => a + b, 0) / have.length, unit)}`;
}

function launches(u, series) {
  if (series.launches.length < 2 || series.launches.length > 200) return;
  const pen = u.ctx;
  pen.save();
  pen.strokeStyle = css("soft");
  pen.globalAlpha = 0.5;
  pen.setLineDash([2, 4]);
  for (const launch of series.launches) {
    const x = Math.round(u.valToPos(launch.begin, "x", true));
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
    pen.beginPath();
    pen.moveTo(x, u.bbox.top);
    pen.lineTo(x, u.bbox.top + u.bbox.height);
    pen.stroke();
  }
  pen.restore();
}
