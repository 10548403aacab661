// Scatter charts of runs: what a point of a run says, and its colour and shape.
import { missing } from "./format.js";
import { css, okabeIto, shapes } from "./palette.js";

/** Rows of the shown runs that have both values. */
export function rows(state, x, y, more = () => ({})) {
  const { data } = state;
  const made = [];
  for (const run of state.shown) {
    const a = x(run),
      b = y(run);
    if (missing(a) || missing(b)) continue;
    made.push({
      run,
      x: a,
      y: b,
      label: data.labels[run],
      mark: run === state.baseline ? "baseline" : run === state.detail ? "details" : "",
      ...more(run),
    });
  }
  return made;
}

/** Colour and shape by a column of few different values, so that it needs no colours to be read. */
export function byColumn(column, data) {
  if (!column) return { field: null, encoding: {} };
  const values = [...new Set(Array.from({ length: data.count }, (_, run) => String(column.at(run) ?? "–")))].sort((a, b) =>
    a.localeCompare(b, "en", { numeric: true }),
  );
  const domain = values.slice(0, 8);
  const title = column.label;
  const legend = { orient: "right", title };
  return {
    field: (run) => {
      const value = String(column.at(run) ?? "–");
      return domain.includes(value) ? value : domain.at(-1);
    },
    encoding: {
      color: { field: "group", type: "nominal", title, legend, scale: { domain, range: okabeIto.slice(0, domain.length) } },
      shape: { field: "group", type: "nominal", title, legend, scale: { domain, range: shapes.slice(0, domain.length) } },
    },
  };
}

/** Rings around the baseline and the run of the details. */
export const rings = () => ({
  transform: [{ filter: "datum.mark !== ''" }],
  mark: { type: "point", shape: "circle", size: 260, strokeWidth: 2, filled: false, color: css("ink"), tooltip: false },
  encoding: {
    strokeDash: {
      field: "mark",
      type: "nominal",
      legend: null,
      scale: {
        domain: ["baseline", "details"],
        range: [
          [1, 0],
          [3, 2],
        ],
      },
    },
  },
});

export const tooltipFields = (columns, metrics) => [
  ...columns.map((c) => ({ field: `t.${c.key.replaceAll(".", "_")}`, type: "nominal", title: c.label })),
  ...metrics.filter(Boolean).map((m) => ({ field: `t.${m.key.replaceAll(".", "_")}`, type: "nominal", title: m.label })),
];
export function tooltipValues(run, columns, metrics) {
  const t = {};
  for (const c of [...columns, ...metrics.filter(Boolean)])
    t[c.key.replaceAll(".", "_")] = `${c.text(run)}${c.unit && c.unit !== "share" && !missing(c.at(run)) ? ` ${c.unit}` : ""}`;
  return t;
}
