// The table of runs: only columns that differ, values relative to the baseline, sorted and paged.
import { change, choice, element, missing, number } from "./format.js";

const kPage = 50;
const kPrinted = 400; // rows: more of them make no page that is read

/** Of a key its section in small, above the name. */
function headingText(label, parameter) {
  const dot = label.lastIndexOf(".");
  return parameter && dot > 0 ? [element("span", { class: "unit" }, label.slice(0, dot + 1)), label.slice(dot + 1)] : [label];
}

export class RunTable {
  constructor(section, state) {
    this.state = state;
    this.data = state.data;
    this.page = 0;
    this.size = kPage;
    this.relative = true;
    this.visible = new Set(this.data.measured.filter((metric) => metric.first).map((metric) => metric.key));
    this.table = element("table", { class: "runs" });
    this.pages = element("div", { class: "pages" });
    const columns = element(
      "details",
      { class: "choose" },
      element("summary", {}, "Columns"),
      element("div", { class: "columns" }, ...this.data.measured.map((metric) => this.#box(metric))),
    );
    section.controls.append(
      element(
        "label",
        { class: "field inline" },
        element("input", {
          type: "checkbox",
          checked: true,
          onchange: (e) => {
            this.relative = e.target.checked;
            this.draw();
          },
        }),
        "relative to the baseline",
      ),
      choice(
        "Rows",
        [25, 50, 100, 250].map((n) => [String(n), String(n)]),
        String(kPage),
        (n) => {
          this.size = Number(n);
          this.page = 0;
          this.draw();
        },
      ),
    );
    section.body.append(columns, element("div", { class: "scroll" }, this.table), this.pages);
    this.table.addEventListener("keydown", (event) => this.#key(event));
    state.listen((what) => {
      if (what.has("runs") || what.has("sort")) this.page = 0;
      if (!what.has("theme") || what.size > 1) this.draw();
    });
    this.draw();
  }
  #box(metric) {
    const input = element("input", {
      type: "checkbox",
      checked: this.visible.has(metric.key),
      onchange: () => {
        if (input.checked) this.visible.add(metric.key);
        else this.visible.delete(metric.key);
        this.draw();
      },
    });
    return element("label", { title: metric.description }, input, ` ${metric.label}`);
  }
  get columns() {
    const { data } = this;
    const statuses = new Set(data.status.index).size > 1 ? [data.status] : [];
    return [...data.telling, ...statuses, ...data.measured.filter((metric) => this.visible.has(metric.key))];
  }
  draw() {
    const focused = document.activeElement?.dataset?.run ?? document.activeElement?.dataset?.sort;
    const inside = this.table.contains(document.activeElement);
    const columns = this.columns;
    this.table.replaceChildren(
      element(
        "caption",
        {},
        this.data.telling.length === 0
          ? "All parameters of the runs are the same."
          : "Parameters in which runs differ, then metrics. ◆ pins the baseline. Enter shows a run's details below.",
      ),
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("th", { scope: "col" }, element("span", { class: "hidden" }, "Baseline")),
          ...columns.map((c) => this.#heading(c)),
        ),
      ),
      element("tbody", {}, ...this.#rows(columns)),
    );
    this.#drawPages();
    if (inside && focused !== undefined) this.table.querySelector(`[data-run="${focused}"], [data-sort="${focused}"]`)?.focus();
  }
  #heading(column) {
    const { sort } = this.state;
    const sorted = sort.key === column.key;
    const toggle = () => this.state.sortBy(column.key, sorted ? !sort.down : column.better === 1);
    return element(
      "th",
      {
        scope: "col",
        class: column.numeric ? "number" : null,
        "aria-sort": sorted ? (sort.down ? "descending" : "ascending") : "none",
      },
      element(
        "button",
        {
          type: "button",
          title: [column.key, column.description].filter(Boolean).join(": "),
          onclick: toggle,
          "data-sort": column.key,
        },
        ...headingText(column.label, column.parameter),
        sorted ? (sort.down ? " ▼" : " ▲") : "",
        column.unit && column.unit !== "share" ? element("span", { class: "unit" }, column.unit) : null,
      ),
    );
  }
  #rows(columns) {
    const { state } = this;
    const printing = document.documentElement.dataset.print === "true";
    const from = printing ? 0 : this.page * this.size;
    return state.shown.slice(from, from + (printing ? kPrinted : this.size)).map((run, i) => {
      const pinned = run === state.baseline;
      const pin = element(
        "button",
        {
          type: "button",
          class: "pin",
          tabindex: -1,
          "aria-pressed": String(pinned),
          title: "Pin as the baseline (b)",
          "aria-label": `Baseline: ${this.data.labels[run]}`,
          onclick: (e) => {
            e.stopPropagation();
            state.pin(run);
          },
        },
        pinned ? "◆" : "◇",
      );
      return element(
        "tr",
        {
          tabindex: i === 0 ? 0 : -1,
          "data-run": run,
          onclick: () => state.choose(run),
          "aria-selected": String(run === state.detail),
          class: [pinned ? "pinned" : "", run === state.detail ? "chosen" : ""].join(" ").trim() || null,
        },
        element("td", {}, pin),
        ...columns.map((column) => this.#cell(column, run)),
      );
    });
  }
  #cell(column, run) {
    const { state, data } = this;
    if (column === data.status) {
      const name = data.status.at(run);
      return element("td", {}, element("span", { class: `status ${name === "passed" ? "good" : "bad"}` }, name));
    }
    const value = column.at(run);
    if (!column.numeric) return element("td", {}, value ?? "–");
    const cell = element("td", { class: "number" }, column.parameter ? column.text(run) : number(value, column.unit));
    const base = column.parameter || !this.relative ? -1 : state.bases[run];
    if (base >= 0 && base !== run && data.complete(run) && data.complete(base)) {
      const text = change(value, column.at(base));
      const better = missing(value) || text.startsWith("±") ? 0 : Math.sign(value - column.at(base)) * (column.better ?? 0);
      if (text) cell.append(element("span", { class: `change ${better > 0 ? "good" : better < 0 ? "bad" : ""}` }, text));
    }
    return cell;
  }
  #drawPages() {
    const count = Math.max(1, Math.ceil(this.state.shown.length / this.size));
    const go = (to) => {
      this.page = Math.min(count - 1, Math.max(0, to));
      this.draw();
    };
    this.pages.hidden = count === 1;
    this.pages.replaceChildren(
      element("button", { type: "button", disabled: this.page === 0, onclick: () => go(this.page - 1) }, "Previous"),
      element("span", {}, `page ${this.page + 1} of ${count}`),
      element("button", { type: "button", disabled: this.page === count - 1, onclick: () => go(this.page + 1) }, "Next"),
    );
  }
  /** Arrows move over rows, Enter chooses one, b pins it. */
  #key(event) {
    const row = event.target.closest("tr[data-run]");
    if (!row) return;
    const move = {
      ArrowDown: row.nextElementSibling,
      ArrowUp: row.previousElementSibling,
      Home: row.parentElement.firstElementChild,
      End: row.parentElement.lastElementChild,
    };
    if (event.key in move) {
      const next = move[event.key];
      if (next) {
        row.tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
      }
    } else if (event.key === "Enter" && event.target === row) this.state.choose(Number(row.dataset.run));
    else if (event.key === "b") this.state.pin(Number(row.dataset.run));
    else return;
    event.preventDefault();
  }
}
