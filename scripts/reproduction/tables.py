"""Markdown of scripts/reproduce, the means it uses, and the published numbers."""

import json
import math
import pathlib

PUBLISHED = pathlib.Path(__file__).resolve().parent / "published.json"
NOTES = {"hang": "hangs", "limit": "cycle limit", "wrong": "WRONG RESULT"}


def published(study):
    return json.loads(PUBLISHED.read_text())[study]


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def settings(run):
    """`mechanism=aware st_entries=4`: the last parts of the keys, all in the table's legend."""
    text = " ".join(f"{name.removeprefix('core.')}={str(value).lower() if isinstance(value, bool) else value}"
                    for name, value in run.settings.items())
    return f"`{text or 'as the platform'}`"


def where(name, run):
    """The first columns of every row."""
    return [name, run.workload, run.size, run.platform, settings(run)]


WHERE = ["name", "workload", "size", "platform", "settings (of `core.`)"]


def count(run, value):
    return f"{value:,}" if run.passed else NOTES[run.outcome]


def ratio(above, below, digits=2):
    """As text, "-" where one of them has no number."""
    return "-" if above is None or not below else f"{above / below:.{digits}f}"


def percent(part, digits=1):
    return "-" if part is None else f"{100 * part:.{digits}f} %"


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def harmonic_mean(values):
    values = [v for v in values if v]
    return len(values) / sum(1 / v for v in values) if values else None


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def xy_chart(title, labels, axis, values):
    """Bars, as a diagram that Markdown viewers draw (Mermaid); a missing value is 0."""
    values = [value or 0 for value in values]
    return "\n".join(["```mermaid", "xychart-beta", f'    title "{title}"',
                      "    x-axis [" + ", ".join(f'"{label}"' for label in labels) + "]",
                      f'    y-axis "{axis}" 0 --> {max(1, *values) * 1.1:.2f}',
                      "    bar [" + ", ".join(f"{value:.2f}" for value in values) + "]", "```"])


def comparison(study, ours):
    """The published claims with our values by id, then the explanations of the differences. An unpublished id is an
    error; an id without one of our values is reported as such."""
    claims = published(study)
    unknown = set(ours) - {claim["id"] for claim in claims}
    if unknown:
        raise KeyError(f"not in {PUBLISHED.name}: {', '.join(sorted(unknown))}")
    rows = [[c["what"], c["published"], c["where"], ours.get(c["id"]) or "not measured in this run"] for c in claims]
    text = table(["claim", "published", "where", "ours"], rows)
    notes = [f"* **{c['what']}**: {c['difference']}" for c in claims if c.get("difference")]
    if notes:
        text += "\n\nWhy ours differ:\n\n" + "\n".join(notes)
    return text


def chosen(benchmarks, names):
    """The entries of `benchmarks` (published name, workload ...) selected by `names`; all if it is empty."""
    return [b for b in benchmarks if not names or names & set(b)]
