// Runs that did not end with right results, each with its diagnosis.
import { element } from "./format.js";

const kMost = 100;
const meanings = {
  wrong: "ended with wrong results",
  hang: "hangs",
  fault: "illegal action of the kernel",
  limit: "stopped by a limit",
  refused: "refused before anything was simulated",
  failed: "failed",
};

export class Failures {
  constructor(section, state) {
    const { data } = state;
    const host = element("div");
    section.body.append(host);
    const draw = () => {
      const shown = new Set(state.shown);
      const all = data.failures.filter((failure) => shown.has(failure.run));
      host.replaceChildren(
        ...(all.length
          ? all.slice(0, kMost).map((failure) => this.#entry(failure, state))
          : [
              element(
                "p",
                { class: "empty" },
                data.failures.length ? "None of the runs that the filter leaves." : "All runs ended with right results.",
              ),
            ]),
        ...(all.length > kMost ? [element("p", { class: "note" }, `${all.length - kMost} more: filter to see them.`)] : []),
      );
    };
    state.listen((what) => what.has("runs") && draw());
    draw();
  }
  #entry(failure, state) {
    const text = failure.diagnosis || failure.verdict;
    const [first, ...rest] = text.split("\n");
    return element(
      "div",
      { class: "failure" },
      element("strong", {}, state.data.labels[failure.run]),
      " ",
      element("span", { class: "status bad" }, `${failure.status}, exit code ${failure.exit_code}`),
      ` ${meanings[failure.status] ?? ""}`,
      element("p", {}, first),
      rest.length ? element("pre", { tabindex: 0 }, rest.join("\n")) : null,
    );
  }
}
