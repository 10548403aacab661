// What the numbers say at first sight: the best run in each respect, against the pinned baseline.
import { change, element, missing, number } from "./format.js";

const wanted = [
  ["cycles", "Fewest cycles"],
  ["energy_uj", "Least energy"],
  ["area_ge", "Smallest control blocks"],
];

export class Findings {
  constructor(host, state) {
    this.state = state;
    this.host = host;
    state.listen((what) => {
      if (what.has("runs") || what.has("baseline")) this.draw();
    });
    this.draw();
  }
  draw() {
    const { data, shown, bases, baseline } = this.state;
    const complete = shown.filter((run) => data.complete(run));
    const cards = [
      this.#card(
        "Pinned baseline",
        data.metric("cycles") ? `${number(data.metric("cycles").at(baseline))} cycles` : "",
        data.labels[baseline] ?? "none",
      ),
    ];
    for (const [key, title] of wanted) {
      const metric = data.metric(key);
      if (!metric) continue;
      // Against the baseline of its own program: cycles of different programs say nothing about each other.
      const best = complete
        .filter((run) => bases[run] >= 0 && !missing(metric.at(run)) && metric.at(bases[run]) > 0)
        .reduce((a, run) => (a < 0 || metric.at(run) / metric.at(bases[run]) < metric.at(a) / metric.at(bases[a]) ? run : a), -1);
      if (best >= 0)
        cards.push(
          this.#card(
            title,
            best === bases[best] ? "the baseline" : change(metric.at(best), metric.at(bases[best])),
            best === bases[best]
              ? data.labels[best]
              : `${data.labels[best]}: ${number(metric.at(best), metric.unit)} ${metric.unit}`,
          ),
        );
    }
    const mean = this.#means(complete);
    if (mean) cards.push(mean);
    const failed = shown.length - complete.length;
    if (failed) cards.push(this.#card("Did not finish", String(failed), `of ${shown.length} runs; see Failed points`));
    this.host.replaceChildren(...cards);
  }
  /** The machine that is fastest over all programs, by the geometric mean, if it ran all of them. */
  #means(complete) {
    const { data, bases } = this.state;
    const program = data.telling.filter((c) => data.programKeys.has(c.key));
    const machine = data.telling.filter((c) => !data.programKeys.has(c.key) && c.key !== "results");
    const programs = new Set(complete.map((run) => program.map((c) => c.at(run)).join(" ")));
    if (programs.size < 2 || machine.length === 0) return null;
    const groups = new Map();
    for (const run of complete) {
      if (bases[run] < 0) continue;
      const key = machine.map((c) => c.at(run)).join("\u0000");
      if (!groups.has(key))
        groups.set(key, {
          label: machine.map((c) => (c.numeric ? `${c.key.split(".").at(-1)} ${c.text(run)}` : c.text(run))).join(" · "),
          of: new Map(),
        });
      groups
        .get(key)
        .of.set(program.map((c) => c.at(run)).join(" "), data.metric("cycles").at(run) / data.metric("cycles").at(bases[run]));
    }
    const whole = [...groups.values()].filter((group) => group.of.size === programs.size);
    if (!whole.length) return null;
    const mean = (group) => Math.exp([...group.of.values()].reduce((sum, ratio) => sum + Math.log(ratio), 0) / group.of.size);
    const best = whole.reduce((a, b) => (mean(a) <= mean(b) ? a : b));
    return this.#card(
      `Fastest over ${programs.size} programs`,
      change(mean(best), 1),
      `${best.label} (geometric mean of cycles)`,
    );
  }
  #card(what, value, by) {
    return element(
      "div",
      { class: "finding" },
      element("div", { class: "what" }, what),
      element("div", { class: "value" }, value),
      element("div", { class: "by" }, by),
    );
  }
}
