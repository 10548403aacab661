"""Markdown of scripts/reproduce, and the means it uses."""

import math

NOTES = {"hang": "hangs", "refused": "refused", "limit": "cycle limit", "wrong": "WRONG RESULT"}


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


def averages(values, digits=2, text=None):
    """`0.59 (harmonic 0.33)`: the arithmetic mean and the harmonic one; `text` formats each."""
    values = list(values)
    text = text or (lambda value: number(value, digits))
    return f"{text(sum(values) / len(values))} (harmonic {text(harmonic_mean(values))})"


def gain(value):
    """A ratio as what it gains or loses."""
    return "-" if value is None else f"{100 * (value - 1):+.1f} %"


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def xy_chart(title, labels, axis, values):
    """Bars, as a diagram that Markdown viewers draw (Mermaid); a missing value is 0."""
    values = [value or 0 for value in values]
    return "\n".join(["```mermaid", "xychart-beta", f'    title "{title}"',
                      "    x-axis [" + ", ".join(f'"{label}"' for label in labels) + "]",
                      f'    y-axis "{axis}" 0 --> {max(1, *values) * 1.1:.2f}',
                      "    bar [" + ", ".join(f"{value:.2f}" for value in values) + "]", "```"])


def chosen(benchmarks, names):
    """The entries of `benchmarks` (published name, workload ...) selected by `names`; all if it is empty."""
    return [b for b in benchmarks if not names or names & set(b)]
