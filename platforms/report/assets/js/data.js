// The page's data: columns by run, as C++ has written them (platforms/report/README.md has the form).
import { missing, number } from "./format.js";

/** A column of text is a list of different texts and, by run, which of them. */
class TextColumn {
  constructor(column) {
    Object.assign(this, column);
    this.numeric = false;
  }
  at(run) {
    const index = this.index[run];
    return index < 0 ? null : this.texts[index];
  }
  text(run) {
    return this.at(run) ?? "–";
  }
}

class NumberColumn {
  constructor(column) {
    Object.assign(this, column);
    this.numeric = true;
  }
  at(run) {
    return this.values[run];
  }
  text(run) {
    return number(this.values[run], this.unit);
  }
}

const asNumbers = (column) => {
  const numbers = column.texts.map((text) => (text.trim() === "" ? NaN : Number(text)));
  return numbers.every((value) => Number.isFinite(value)) ? numbers : null;
};

export class Data {
  constructor(json) {
    Object.assign(this, json);
    this.count = json.runs.count;
    this.status = new TextColumn({ key: "status", label: "status", ...json.runs.status });
    this.parameters = json.parameters.map((column) => {
      const numbers = asNumbers(column);
      const label = column.key.replace(/^core\./, "");
      if (!numbers) return new TextColumn({ ...column, label, parameter: true });
      const values = column.index.map((index) => (index < 0 ? null : numbers[index]));
      return new NumberColumn({ ...column, label, parameter: true, values, steps: numbers.length });
    });
    this.metrics = json.metrics.map((column) => new NumberColumn(column));
    this.programKeys = new Set(["workload", "size", "ptx", "cubin", "entry", "kernel", "compiler", "machine_code", "seed"]);
    this.columns = new Map([...this.parameters, this.status, ...this.metrics].map((column) => [column.key, column]));
    this.telling = this.#telling();
    this.labels = Array.from({ length: this.count }, (_, run) => this.#label(run));
    this.complete = (run) => this.status.at(run) === "passed" || this.status.at(run) === "wrong";
  }

  metric(key) {
    return this.metrics.find((column) => column.key === key);
  }
  /** Metrics that some run has. */
  get measured() {
    return this.metrics.filter((column) => !column.hidden && column.values.some((value) => !missing(value)));
  }
  /** Numbers of the groups of runs that have the same values in these parameters, and how many groups there are. */
  #groups(columns) {
    let groups = new Int32Array(this.count),
      count = this.count ? 1 : 0;
    for (const { index, texts } of columns) {
      const known = new Map();
      const width = texts.length + 1;
      groups = groups.map((group, run) => {
        const key = group * width + index[run] + 1;
        let number = known.get(key);
        if (number === undefined) known.set(key, (number = known.size));
        return number;
      });
      count = known.size;
    }
    return { groups, count };
  }
  #different(columns) {
    return this.#groups(columns).count;
  }
  /** Parameters without those that say nothing new: keys that follow from the platform, and names of folders where the others tell the
      runs apart. */
  #telling() {
    const folder = this.columns.get("results"),
      platform = this.columns.get("platform");
    const others = this.parameters.filter((column) => column !== folder);
    const follows = (column) => platform && column !== platform && this.#different([platform, column]) === platform.texts.length;
    const kept = others.filter((column) => !follows(column));
    const rank = (column) => (column.key === "workload" ? 0 : column === platform ? 1 : this.programKeys.has(column.key) ? 2 : 3);
    kept.sort((a, b) => rank(a) - rank(b)); // what ran, then on what
    return folder && this.#different(kept) < this.#different(this.parameters) ? [folder, ...kept] : kept;
  }
  /** Parameters by which runs may be coloured: few values, those of the machine first. */
  get grouping() {
    const few = this.telling.filter((column) => !column.numeric || column.steps <= 8);
    const rank = (column) =>
      (this.programKeys.has(column.key) ? 2 : column.key === "platform" ? 1 : 0) + (column.numeric ? 0.5 : 0);
    return few.sort((a, b) => rank(a) - rank(b));
  }
  /** As few parameters as tell the runs apart, in their order. */
  get labelled() {
    if (this.namedBy) return this.namedBy;
    const order = [...this.telling].sort((a, b) =>
      a.key === "workload"
        ? -1
        : b.key === "workload"
          ? 1
          : a.key === "platform" || a.key === "size"
            ? 1
            : b.key === "platform" || b.key === "size"
              ? -1
              : 0,
    );
    const chosen = [];
    let known = 1;
    for (const column of order) {
      const different = this.#different([...chosen, column]);
      if (different > known) chosen.push(column);
      known = different;
      if (known === this.count) break;
    }
    return (this.namedBy = chosen);
  }
  #label(run) {
    const parts = this.labelled.map((column) => {
      const text = column.at(run);
      if (missing(text)) return null;
      const last = column.key.split(".").slice(-2).join(".");
      return column.numeric || ["true", "false"].includes(text) ? `${last} ${text}` : text;
    });
    return parts.filter((part) => part !== null).join(" · ") || `run ${run}`;
  }

  /** By run: the run that it is compared with when `pinned` is the baseline. That is `pinned` itself for runs of its program, and for
      another program the run whose configuration is that of `pinned`. -1: there is none. */
  baselines(pinned) {
    if (pinned < 0) return new Int32Array(this.count).fill(-1);
    const program = this.parameters.filter((column) => this.programKeys.has(column.key) || column.key.startsWith("param."));
    const machine = this.telling.filter((column) => !program.includes(column) && column.key !== "results");
    const programs = this.#groups(program).groups,
      machines = this.#groups(machine).groups;
    const of = new Map();
    for (let run = this.count - 1; run >= 0; --run) if (machines[run] === machines[pinned]) of.set(programs[run], run);
    of.set(programs[pinned], pinned);
    return Int32Array.from({ length: this.count }, (_, run) => of.get(programs[run]) ?? -1);
  }
}
