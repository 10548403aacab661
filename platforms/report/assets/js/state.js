// What the reader has chosen, and which runs that leaves. Charts listen.
import { missing } from "./format.js";
import { parseQuery } from "./query.js";

export class State {
  #listeners = [];
  #pending = null;

  constructor(data) {
    this.data = data;
    this.query = "";
    this.errors = [];
    this.terms = [];
    this.brushes = new Map(); // column key -> {from, to} of numbers, or {texts: Set}
    const good = [...Array(data.count).keys()].find((run) => data.complete(run)) ?? 0;
    this.baseline = data.baseline ?? good;
    this.bases = data.baselines(this.baseline);
    this.detail = data.detail ?? good;
    this.sort = { key: null, down: false };
    this.shown = this.#select();
  }

  /** `listener(what)`, what: a Set of "runs", "baseline", "detail", "theme", "sort". Called once a frame. */
  listen(listener) {
    this.#listeners.push(listener);
  }
  setQuery(text) {
    this.query = text;
    ({ terms: this.terms, errors: this.errors } = parseQuery(text, this.data));
    this.#filter();
  }
  brush(key, brush) {
    if (brush) this.brushes.set(key, brush);
    else this.brushes.delete(key);
    this.#filter();
  }
  clear() {
    this.brushes.clear();
    this.setQuery("");
  }
  pin(run) {
    this.baseline = run;
    this.bases = this.data.baselines(run);
    this.tell("baseline");
  }
  choose(run) {
    this.detail = run;
    this.tell("detail");
  }
  sortBy(key, down) {
    this.sort = { key, down };
    this.shown = this.#select();
    this.tell("sort");
  }
  themed() {
    this.tell("theme");
  }

  /** The same within this call: paper does not wait. */
  tellNow(...what) {
    for (const listener of this.#listeners) listener(new Set(what));
  }

  #filter() {
    this.shown = this.#select();
    this.tell("runs");
  }
  tell(what) {
    if (!this.#pending) {
      this.#pending = new Set();
      requestAnimationFrame(() => {
        const changed = this.#pending;
        this.#pending = null;
        for (const listener of this.#listeners) listener(changed);
      });
    }
    this.#pending.add(what);
  }

  passesBrush(key, run) {
    const brush = this.brushes.get(key);
    if (!brush) return true;
    const value = this.data.columns.get(key).at(run);
    if (missing(value)) return false;
    return brush.texts ? brush.texts.has(value) : value >= brush.from && value <= brush.to;
  }
  #select() {
    const runs = [];
    const brushed = [...this.brushes.keys()];
    for (let run = 0; run < this.data.count; ++run)
      if (brushed.every((key) => this.passesBrush(key, run)) && this.terms.every((term) => term(run))) runs.push(run);
    const { key, down } = this.sort;
    if (key === null) return runs;
    const column = this.data.columns.get(key);
    const order = (a, b) => {
      const x = column.at(a),
        y = column.at(b);
      if (missing(x) || missing(y)) return missing(x) - missing(y); // those without a value come last, either way
      const less = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
      return down ? -less : less;
    };
    return runs.sort((a, b) => order(a, b) || a - b);
  }
}
