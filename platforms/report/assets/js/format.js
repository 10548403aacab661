// Numbers for people, and small helpers to make elements.

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 4, useGrouping: true });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

export const missing = (value) => value === null || value === undefined || Number.isNaN(value);

/** A value with its unit's form: "share" is shown in per cent. The unit itself is in the heading. */
export function number(value, unit) {
  if (missing(value)) return "–";
  if (unit === "share") return `${(100 * value).toFixed(1)} %`;
  if (Number.isInteger(value) || Math.abs(value) >= 10000) return grouped.format(value);
  return short.format(value);
}
export const withUnit = (value, unit) =>
  missing(value) || unit === "share" || !unit ? number(value, unit) : `${number(value, unit)} ${unit}`;
export const tick = (value) => (Math.abs(value) >= 10000 ? compact.format(value) : short.format(value));

/** Texts of the places on an axis: as many digits as tell them apart. */
export function ticks(values) {
  for (let digits = 3; ; ++digits) {
    const format = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: digits });
    const texts = values.map((value) => (Math.abs(value) >= 10000 || digits > 4 ? format.format(value) : short.format(value)));
    if (digits === 7 || new Set(texts).size === new Set(values).size) return texts;
  }
}

/** Relative to a base: "+12.3 %"; with a true minus sign. */
export function change(value, base) {
  if (missing(value) || missing(base) || base === 0) return "";
  const percent = 100 * (value / base - 1);
  const digits = Math.abs(percent) >= 100 ? 0 : 1;
  const text = Math.abs(percent).toFixed(digits);
  return Number(text) === 0 ? "±0 %" : `${percent > 0 ? "+" : "−"}${text} %`;
}

/** element("td", {class: "number", onclick: f}, "text", child ...) */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  set(made, attributes);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  set(made, attributes);
  made.append(...children);
  return made;
}
function set(made, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
}

/** One <select> of [value, text] pairs. */
export function choice(label, options, value, changed) {
  const select = element(
    "select",
    { onchange: () => changed(select.value) },
    ...options.map(([key, text]) => element("option", { value: key, selected: key === value }, text)),
  );
  return element("label", { class: "field inline" }, label, select);
}
export const debounce = (action, milliseconds) => {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
};
