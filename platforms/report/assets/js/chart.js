// A Vega-Lite chart in a section: embedded once, new data on change, new colours with the theme.
import embed from "vega-embed";
import { debounce } from "./format.js";
import { css } from "./palette.js";

function config() {
  const ink = css("ink"),
    soft = css("soft"),
    line = css("line");
  return {
    background: null,
    font: "system-ui, 'DejaVu Sans', sans-serif",
    view: { stroke: null },
    axis: {
      labelColor: ink,
      titleColor: soft,
      gridColor: line,
      domainColor: soft,
      tickColor: soft,
      labelFontSize: 11.5,
      titleFontSize: 12,
      titleFontWeight: "normal",
      gridOpacity: 0.7,
      labelLimit: 320,
    },
    legend: {
      labelColor: ink,
      titleColor: soft,
      labelFontSize: 11.5,
      titleFontSize: 12,
      titleFontWeight: "normal",
      labelLimit: 240,
      symbolStrokeWidth: 1,
    },
    title: { color: ink },
    text: { color: ink },
  };
}

/* SVG is sharp on paper, and its texts take the page's colours at once. Of many marks it is slow. */
const kMostSvgMarks = 1500;

/* Vega's own width "container" follows its own marks, too: it may never come to rest. */
const widthOf = (host) => Math.max(240, Math.floor(host.clientWidth) - 44); // of the chart's menu

export class Chart {
  #view = null;
  #turn = Promise.resolve();
  #width = 0;

  /** `label` is what a screen reader says of it; `pick(run)` is called when a mark of a run is clicked. */
  constructor(host, { label, pick }) {
    this.host = host;
    this.pick = pick;
    host.classList.add("chart");
    host.setAttribute("role", "img");
    host.setAttribute("aria-label", label);
    const resize = debounce(() => {
      if (this.#view && widthOf(host) !== this.#width) this.draw(this.spec, this.marks);
    }, 150);
    new ResizeObserver(resize).observe(host);
  }
  /** Draws anew, about so many marks. Calls are carried out one after the other. */
  draw(spec, marks = 0) {
    this.spec = spec;
    this.marks = marks;
    return (this.#turn = this.#turn.then(() => this.#embed(spec)));
  }
  async #embed(spec) {
    this.#view?.finalize();
    this.#width = widthOf(this.host);
    const result = await embed(
      this.host,
      { $schema: "https://vega.github.io/schema/vega-lite/v6.json", ...spec, width: this.#width, config: config() },
      {
        actions: { export: true, source: false, compiled: false, editor: false },
        renderer: this.marks > kMostSvgMarks ? "canvas" : "svg",
        downloadFileName: "heddle",
        tooltip: { theme: "custom", disableDefaultStyle: false },
        defaultStyle: true,
        logLevel: 1, // errors: that a layer without rows has no extent is none
      },
    );
    this.#view = result.view;
    this.host.chart = result.view; // for tests
    this.host.setAttribute("role", "img"); // vega puts its own label on a child
    if (this.pick)
      result.view.addEventListener("click", (_, item) => item?.datum?.run !== undefined && this.pick(item.datum.run));
  }
  /** New rows for the named data set of the spec. */
  update(name, rows) {
    return (this.#turn = this.#turn.then(async () => {
      if (!this.#view) return;
      await this.#view.data(name, rows).runAsync();
    }));
  }
}
