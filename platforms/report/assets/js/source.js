// The profile of a run by instruction: the text, and beside it what its warps waited for.
import { choice, element, number } from "./format.js";
import { causeColours } from "./palette.js";

export class Source {
  constructor(section, state) {
    this.state = state;
    this.of = new Map(state.data.profiles.map((profile) => [profile.run, profile.kernels]));
    this.kernel = 0;
    this.byHeat = false;
    if (this.of.size === 0) {
      section.body.append(
        element(
          "p",
          { class: "empty" },
          "No run has a profile. ",
          element("code", {}, "heddle run ... --profile --out DIR"),
          " records one.",
        ),
      );
      return;
    }
    this.picker = element("span", { class: "controls" });
    section.controls.append(this.picker);
    this.host = element("div");
    section.body.append(this.host);
    state.listen((what) => {
      if (what.has("detail") || what.has("baseline")) this.draw();
    });
    this.draw();
  }
  draw() {
    const { data } = this.state;
    const run = [this.state.detail, this.state.baseline].find((each) => this.of.has(each)) ?? this.of.keys().next().value;
    const kernels = this.of.get(run);
    const kernel = kernels[Math.min(this.kernel, kernels.length - 1)];
    this.picker.replaceChildren(
      choice(
        "Kernel",
        kernels.map((each, i) => [String(i), each.kernel]),
        String(kernels.indexOf(kernel)),
        (i) => {
          this.kernel = Number(i);
          this.draw();
        },
      ),
      choice(
        "Order",
        [
          ["program", "program"],
          ["heat", "hottest first"],
        ],
        this.byHeat ? "heat" : "program",
        (order) => {
          this.byHeat = order === "heat";
          this.draw();
        },
      ),
    );
    if (!kernel) return;
    const issuesColour = causeColours(["issues"])[0];
    const colours = causeColours(kernel.causes);
    const cycles = kernel.pc.map((_, i) => kernel.issues[i] + kernel.waiting.reduce((sum, column) => sum + column[i], 0));
    const all = cycles.reduce((a, b) => a + b, 0);
    const hottest = Math.max(...cycles, 1);
    const order = kernel.pc.map((_, i) => i);
    if (this.byHeat) order.sort((a, b) => cycles[b] - cycles[a] || a - b);
    const named = kernel.program.some((line) => line !== "");
    const rows = order
      .filter((i) => !this.byHeat || cycles[i] > 0)
      .map((i) => this.#row(kernel, i, cycles, all, hottest, colours, issuesColour, named));
    const legend = element(
      "ul",
      { class: "legend" },
      this.#key("issues", issuesColour),
      ...kernel.causes.map((cause, c) => this.#key(cause, colours[c])),
    );
    this.host.replaceChildren(
      element(
        "p",
        { class: "note" },
        `${data.labels[run]}: ${kernel.kernel} of ${kernel.source}, ${number(kernel.launches)} ${kernel.launches === 1 ? "launch" : "launches"}, ${number(all)} group-cycles.${kernel.pcs_left_out ? ` ${kernel.pcs_left_out} instructions are left out.` : ""}`,
      ),
      legend,
      element(
        "div",
        { class: "tall", tabindex: 0, role: "region", "aria-label": "Instructions" },
        element(
          "table",
          { class: "source" },
          element(
            "thead",
            {},
            element(
              "tr",
              {},
              ...[
                ["share", "number"],
                ["waits and issues", null],
                ["pc", null],
                [named ? "program" : "line", "number"],
                ["issues", "number"],
                ["lanes", "number"],
                ["instruction", null],
              ].map(([text, c]) => element("th", { scope: "col", class: c }, text)),
            ),
          ),
          element("tbody", {}, ...rows),
        ),
      ),
    );
  }
  #key(text, colour) {
    return element("li", {}, element("span", { class: "swatch", style: `background:${colour}` }), text);
  }
  #row(kernel, i, cycles, all, hottest, colours, issuesColour, named) {
    const parts = [
      ["issues", kernel.issues[i], issuesColour],
      ...kernel.causes.map((cause, c) => [cause, kernel.waiting[c][i], colours[c]]),
    ].filter(([, n]) => n > 0);
    const text = parts
      .filter(([, n]) => n >= 0.005 * cycles[i])
      .sort((a, b) => b[1] - a[1])
      .map(([cause, n]) => `${cause} ${((100 * n) / cycles[i]).toFixed(0)} %`)
      .join(", ");
    const stack = element(
      "div",
      {
        class: "stack",
        role: "img",
        "aria-label": text,
        title: text,
        style: `width:${((100 * cycles[i]) / hottest).toFixed(2)}%`,
      },
      ...parts.map(([, n, colour]) => element("i", { style: `flex:${n} 0 0;background:${colour}` })),
    );
    const lanes = kernel.issues[i] ? (kernel.lanes[i] / kernel.issues[i]).toFixed(1) : "";
    return element(
      "tr",
      {},
      element("td", { class: "number" }, all ? `${((100 * cycles[i]) / all).toFixed(1)} %` : ""),
      element("td", { class: "waits" }, stack),
      element("td", { class: "mono" }, kernel.pc[i]),
      element("td", { class: "number" }, named ? kernel.program[i] : kernel.line[i] || ""),
      element("td", { class: "number" }, number(kernel.issues[i])),
      element("td", { class: "number" }, lanes),
      element("td", { class: "code", title: kernel.text[i] }, kernel.text[i]),
    );
  }
}
