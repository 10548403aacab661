// The filter's language: words, key=value, key!=value, and comparisons of metrics, all of which must hold.
import { missing } from "./format.js";

/** A column by its key, or by its last part, or by the start of its label. */
function find(data, word) {
  const wanted = word.toLowerCase();
  const all = [...data.columns.values()];
  return (
    all.find((c) => c.key.toLowerCase() === wanted) ??
    all.find((c) => c.key.toLowerCase().endsWith(`.${wanted}`)) ??
    all.find((c) => c.label.toLowerCase() === wanted) ??
    all.find((c) => c.key.toLowerCase().includes(wanted) || c.label.toLowerCase().startsWith(wanted))
  );
}

function comparison(column, sign, text) {
  const percent = /%$/.test(text);
  const value = Number(text.replace(/[,%]/g, "")) / (percent ? 100 : 1);
  if (sign === "=" || sign === "!=") {
    const same = (run) => {
      const has = column.at(run);
      if (missing(has)) return false;
      return column.numeric ? has === value : has.toLowerCase() === text.toLowerCase();
    };
    return sign === "=" ? same : (run) => !same(run);
  }
  if (!column.numeric || Number.isNaN(value)) return null;
  const holds = { "<": (a) => a < value, ">": (a) => a > value, "<=": (a) => a <= value, ">=": (a) => a >= value }[sign];
  return (run) => !missing(column.at(run)) && holds(column.at(run));
}

export function parseQuery(text, data) {
  const terms = [],
    errors = [];
  for (const word of text.match(/"[^"]*"|\S+/g) ?? []) {
    const parts = word.match(/^([\w.\-]+)(<=|>=|!=|=|<|>)(.+)$/);
    if (!parts) {
      const wanted = word.replaceAll('"', "").toLowerCase();
      terms.push((run) => `${data.labels[run]} ${data.status.at(run)}`.toLowerCase().includes(wanted));
      continue;
    }
    const column = find(data, parts[1]);
    const term = column && comparison(column, parts[2], parts[3].replaceAll('"', ""));
    if (term) terms.push(term);
    else errors.push(column ? `${column.label} is not compared with ${parts[3]}` : `no column is called ${parts[1]}`);
  }
  return { terms, errors };
}
