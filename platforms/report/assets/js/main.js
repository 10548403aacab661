// Reads the data, makes the sections, and draws each when it comes near the window.
import { Blocks } from "./blocks.js";
import { Data } from "./data.js";
import { Failures } from "./failures.js";
import { Findings } from "./findings.js";
import { debounce, element, number } from "./format.js";
import { MachineView } from "./machine.js";
import { OverTime } from "./overtime.js";
import { Parallel, brushText } from "./parallel.js";
import { Pareto } from "./pareto.js";
import { Roofline } from "./roofline.js";
import { Slots } from "./slots.js";
import { Source } from "./source.js";
import { State } from "./state.js";
import { RunTable } from "./table.js";
import { Timeline } from "./timeline.js";

const sections = [
  ["runs", "Runs", "Every run, with the parameters in which they differ and changes against the baseline.", RunTable],
  [
    "keys",
    "From keys to metrics",
    "Each line is a run. A brush on an axis keeps the runs inside it, here and in all other charts.",
    Parallel,
  ],
  [
    "pareto",
    "Pareto",
    "What a machine costs against what it brings. The dashed line joins the runs of a program that no other one beats in both.",
    Pareto,
  ],
  [
    "slots",
    "Issue slots",
    "What every issue slot of every core was used for, or why it was not: 100 % are all slots of the run.",
    Slots,
  ],
  ["roofline", "Roofline", "How far a run is from what issue and DRAM allow.", Roofline],
  ["time", "Over time", "Sampled counters of the run of the details and of the baseline.", OverTime],
  ["warps", "Warps", "Which code each split of a warp runs, and when it issues.", Timeline],
  [
    "source",
    "Source",
    "Group-cycles by instruction: issues, and waiting by cause. A wait is charged to the instruction that has to issue next.",
    Source,
  ],
  ["machine", "Machine", "The machine of the run of the details.", MachineView],
  ["blocks", "RTL blocks", "Synthesis sheets of the blocks that this machine has.", Blocks],
  ["failures", "Failed points", "Runs that hang, fault, exceed a limit or give wrong results are results, too.", Failures],
];

const byId = (id) => document.getElementById(id);

function theme(state) {
  const select = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const printing = document.documentElement.dataset.print === "true";
    const name = printing ? "light" : select.value === "auto" ? (system.matches ? "dark" : "light") : select.value;
    if (document.documentElement.dataset.theme === name) return;
    document.documentElement.dataset.theme = name;
    state?.themed();
  };
  apply();
  return (of) => {
    state = of;
    select.addEventListener("change", apply);
    system.addEventListener("change", apply);
    return apply;
  };
}

/** The selects of the bar hold many runs: they are filled when they are opened, and else hold one. */
function runSelect(select, state, get, set) {
  const { data } = state;
  const only = () => select.replaceChildren(element("option", { value: get() }, data.labels[get()] ?? "none"));
  const fill = () => {
    if (select.options.length > 1) return;
    const runs = state.shown.slice(0, 2000);
    if (!runs.includes(get())) runs.unshift(get());
    select.replaceChildren(...runs.map((run) => element("option", { value: run, selected: run === get() }, data.labels[run])));
  };
  select.addEventListener("focus", fill);
  select.addEventListener("pointerdown", fill);
  select.addEventListener("change", () => set(Number(select.value)));
  state.listen(() => {
    if (document.activeElement === select) select.value = String(get());
    else only();
  });
  only();
}

function bar(state) {
  const { data } = state;
  const query = byId("query");
  query.addEventListener(
    "input",
    debounce(() => state.setQuery(query.value), 120),
  );
  byId("clear").addEventListener("click", () => {
    query.value = "";
    state.clear();
  });
  const update = () => {
    byId("shown").textContent = `${number(state.shown.length)} of ${number(data.count)} runs`;
    byId("query-error").textContent = state.errors.join("; ");
    byId("chips").replaceChildren(
      ...[...state.brushes].map(([key, brush]) => {
        const column = data.columns.get(key);
        return element(
          "button",
          { type: "button", class: "chip", title: "Drop this brush", onclick: () => state.brush(key, null) },
          `${brushText(column, brush)} ✕`,
        );
      }),
    );
  };
  state.listen(update);
  update();
  runSelect(
    byId("baseline"),
    state,
    () => state.baseline,
    (run) => state.pin(run),
  );
  runSelect(
    byId("detail"),
    state,
    () => state.detail,
    (run) => state.choose(run),
  );
}

function heading(data) {
  byId("title").textContent = data.title;
  const failed = data.failures.length;
  const common = data.common.map(({ key, text }) => `${key} ${text}`).join(", ");
  byId("subtitle").textContent =
    `${number(data.count)} ${data.count === 1 ? "run" : "runs"}${failed ? `, ${number(failed)} of them failed` : ""}. ${common ? `All have ${common}.` : ""}`;
}

function footer(data) {
  const texts = (column, most = 6) =>
    (column.texts.length > most ? [...column.texts.slice(0, most), `${column.texts.length - most} more`] : column.texts).join(
      ", ",
    );
  const seeds = data.columns.get("seed");
  const common = new Map(data.common.map(({ key, text }) => [key, text]));
  const speed = data.metric("host_speed")?.values.filter((value) => value !== null) ?? [];
  const time = data.metric("host_seconds")?.values.filter((value) => value !== null) ?? [];
  const entries = [
    ["Heddle", `this page: ${data.about.heddle}; runs: ${texts(data.runs.heddle) || "not known"}`],
    ...Object.entries(data.about)
      .filter(([key]) => key !== "heddle")
      .map(([key, value]) => [key, value]),
    ["Configurations", texts(data.runs.configuration) || "not known"],
    [
      "Seed",
      seeds
        ? `${seeds.numeric ? [...new Set(seeds.values)].slice(0, 12).join(", ") : texts(seeds)}`
        : (common.get("seed") ?? "not known"),
    ],
    [
      "Host",
      speed.length
        ? `${number(time.reduce((a, b) => a + b, 0))} s in all; ${number(speed.reduce((a, b) => a + b, 0) / speed.length)} M warp instructions/s on average`
        : "not known",
    ],
    ["Charts", VERSIONS],
    [
      "Licences",
      "Vega, Vega-Lite, Vega-Embed: BSD-3-Clause; uPlot: MIT. The texts of these and of what they use are at the end of this file.",
    ],
  ];
  byId("footer").append(
    element("dl", {}, ...entries.flatMap(([key, value]) => [element("dt", {}, key), element("dd", {}, String(value).includes("\n") ? element("pre", {}, value) : String(value))])),
  );
}

function start() {
  const begun = performance.now();
  const themed = theme(null);
  const data = new Data(JSON.parse(byId("heddle-data").textContent));
  const state = new State(data);
  const applyTheme = themed(state);
  heading(data);
  bar(state);
  footer(data);
  const main = byId("main");
  const findings = element("div", { class: "findings", "aria-label": "At first sight", role: "group" });
  main.append(findings);
  new Findings(findings, state);

  const waiting = new Map();
  const near = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.isIntersecting) make(entry.target);
    },
    { rootMargin: "400px" },
  );
  const make = (node) => {
    const build = waiting.get(node);
    if (!build) return;
    waiting.delete(node);
    near.unobserve(node);
    build();
  };
  const links = new Map();
  for (const [id, title, lead, Section] of sections) {
    const controls = element("div", { class: "controls" });
    const body = element("div", { style: "min-height:60px" });
    const node = element(
      "section",
      { class: "card", id, "aria-labelledby": `${id}-title` },
      element("div", { class: "head" }, element("h2", { id: `${id}-title` }, title), controls),
      element("p", { class: "lead" }, lead),
      body,
    );
    main.append(node);
    waiting.set(node, () => new Section({ node, controls, body }, state));
    near.observe(node);
    links.set(
      node,
      element("a", { href: `#${id}` }, id === "failures" && data.failures.length ? `${title} (${data.failures.length})` : title),
    );
    byId("contents").append(links.get(node));
  }
  const current = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) links.get(entry.target).setAttribute("aria-current", "true");
        else links.get(entry.target).removeAttribute("aria-current");
      }
    },
    { rootMargin: "-25% 0px -70% 0px" },
  );
  for (const node of links.keys()) current.observe(node);

  /* Everything is drawn, in light colours, before a page is printed. */
  const all = () => [...waiting.keys()].forEach(make);
  const printing = (on) => {
    document.documentElement.dataset.print = String(on);
    if (on) all();
    applyTheme();
    state.tellNow("runs", "theme");
  };
  addEventListener("beforeprint", () => printing(true));
  addEventListener("afterprint", () => printing(false));
  byId("print").addEventListener("click", () => {
    printing(true);
    setTimeout(() => print(), 800); // charts draw asynchronously
  });
  window.heddle = { state, data, drawAll: all, prepareToPrint: () => printing(true), milliseconds: performance.now() - begun };
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      window.heddle.shownAfter = performance.now();
    }),
  );
}

start();
