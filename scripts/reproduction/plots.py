"""Pictures (SVG) of a page's claims: each published size beside ours, and the error of ours. Read from the page's table "claim |
published | where | ours | verdict", so that a picture says what its page says; of several values of a claim the verdict names the one
that is farthest off."""

import html
import math
import re

HEADER = ["claim", "published", "where", "ours", "verdict"]
SIZE = re.compile(r"(?P<name>[^;:]*?)(?P<ours>[-+]?[\d.]+(?:e[-+]?\d+)?)(?P<unit> %)? of (?P<theirs>[-+]?[\d.]+(?:e[-+]?\d+)?)(?: %)?")
HOLDS, DIFFERS, BAND, INK, LINE = "#2e7d4f", "#c2571a", "#e4f1e8", "#444", "#ddd"
HEADLINE = "## Published and ours: "


def svg(width, height, label, body, size=11):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="{size}" role="img" '
            f'aria-label="{html.escape(label)}"><rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(body) + "\n</svg>\n")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def claims_of(text):
    """Rows of the page's table of claims, by the name of the column; empty if it has none."""
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith("|") and cells(line) == HEADER), None)
    rows = []
    for line in lines[start + 2:] if start is not None else []:
        if not line.startswith("|"):
            break
        rows.append(dict(zip(HEADER, cells(line), strict=True)))
    return rows


def held(row):
    return row["verdict"].startswith("holds")


def sizes_of(row):
    """(name, ours, published, unit) of each size that the verdict names."""
    for match in SIZE.finditer(row["verdict"].partition(": ")[2]):
        if not match["name"].endswith("within "):  # "1.02, within 5 % of 1" is no size
            yield match["name"].strip(), float(match["ours"]), float(match["theirs"]), match["unit"] or ""


# ---- The picture of a page

LEFT, VALUES, GAP, ERRORS, ROW, TOP = 330, 300, 150, 240, 20, 40
MOST = 1.5  # error at the edges of its axis


def bent(value, unit):
    """Place on an axis that is logarithmic on both sides of 0."""
    finest = 1 if unit else 0.01
    return math.copysign(math.log10(1 + abs(value) / finest), value)


def values_panel(rows, unit, title, first):
    """Rows of one unit: published (ring) and ours (dot)."""
    ends = [bent(value, unit) for row in rows for value in row[1:3]]
    low, high = min(0, *ends), max(0.01, *ends)

    def x(value):
        return LEFT + (bent(value, unit) - low) / (high - low) * VALUES
    bottom = TOP + ROW * (first + len(rows))
    out = [f'<text x="{LEFT}" y="{TOP + ROW * first - 6}" fill="{INK}">{title}</text>']
    finest = 0 if unit else -2
    for power in range(finest, 7):
        for sign in (-1, 1):
            if low - 1e-9 <= bent(sign * 10 ** power, unit) <= high + 1e-9:
                out.append(f'<line x1="{x(sign * 10 ** power):.1f}" x2="{x(sign * 10 ** power):.1f}" y1="{TOP + ROW * first}" y2="{bottom}" stroke="{LINE}"/>'
                           f'<text x="{x(sign * 10 ** power):.1f}" y="{bottom + 12}" text-anchor="middle" fill="{INK}">{sign * 10 ** power:g}</text>')
    out.append(f'<line x1="{x(0):.1f}" x2="{x(0):.1f}" y1="{TOP + ROW * first}" y2="{bottom}" stroke="#999"/>'
               f'<text x="{x(0):.1f}" y="{bottom + 12}" text-anchor="middle" fill="{INK}">0</text>')
    for number, (name, ours, theirs, whether) in enumerate(rows):
        y, colour = TOP + ROW * (first + number) + ROW // 2, HOLDS if whether else DIFFERS
        shown = name if len(name) <= 52 else name[:51] + "…"
        said = f"{ours:+g} of {theirs:+g}{unit}" if unit else f"{ours:g} of {theirs:g}"
        out.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end"><title>{html.escape(name)}</title>{html.escape(shown)}</text>'
                   f'<line x1="{x(theirs):.1f}" x2="{x(ours):.1f}" y1="{y}" y2="{y}" stroke="{colour}"/>'
                   f'<circle cx="{x(theirs):.1f}" cy="{y}" r="4.5" fill="white" stroke="{INK}"/><circle cx="{x(ours):.1f}" cy="{y}" r="4" fill="{colour}"/>'
                   f'<text x="{LEFT + VALUES + 12}" y="{y + 4}" fill="{INK}">{said}</text>')
    return out


def errors_panel(rows, first):
    """Our effect over the published one, less 1: a bar; one that ends beyond the axis is an arrow."""
    left = LEFT + VALUES + GAP
    middle = left + ERRORS / 2
    top, bottom = TOP + ROW * first, TOP + ROW * (first + len(rows))

    def x(error):
        return middle + min(max(error, -MOST), MOST) / MOST * ERRORS / 2
    out = [f'<rect x="{x(-0.3):.1f}" y="{top}" width="{x(0.3) - x(-0.3):.1f}" height="{bottom - top}" fill="{BAND}"/>',
           f'<text x="{middle}" y="{top - 6}" text-anchor="middle" fill="{INK}">error of the effect; band: 30 %</text>']
    for tick in (-1, 0, 1):
        out.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{top}" y2="{bottom}" stroke="{LINE if tick else INK}"/>'
                   f'<text x="{x(tick):.1f}" y="{bottom + 12}" text-anchor="middle" fill="{INK}">{100 * tick} %</text>')
    for number, (_, ours, theirs, whether) in enumerate(rows):
        if not theirs:
            continue
        error, y, colour = ours / theirs - 1, TOP + ROW * (first + number) + ROW // 2, HOLDS if whether else DIFFERS
        a, b = sorted((middle, x(error)))
        out.append(f'<rect x="{a:.1f}" y="{y - 5}" width="{max(b - a, 1):.1f}" height="10" fill="{colour}" fill-opacity="0.7"><title>{100 * error:+.0f} %</title></rect>')
        if abs(error) > MOST:
            way = math.copysign(8, error)
            out.append(f'<path d="M{x(error):.1f} {y - 6} l{way} 6 l{-way} 6 z" fill="{colour}"/>')
    return out


def picture(text):
    """Of a page; None if no claim of it has a size."""
    found = [(f"{row['claim']}{f': {name}' if name else ''}", ours, theirs, held(row), unit) for row in claims_of(text) for name, ours, theirs, unit in sizes_of(row)]
    out, first = [], 0
    for wanted, title in ((" %", "gain or loss, %: ring published, dot ours"), ("", "shares and counts: ring published, dot ours")):
        rows = [one[:4] for one in found if one[4] == wanted]
        if rows:
            out += [*values_panel(rows, wanted, title, first), *errors_panel(rows, first)]
            first += len(rows) + 2
    height = TOP + ROW * first - ROW + 16
    return svg(LEFT + VALUES + GAP + ERRORS + 30, height, "published effects, ours, and the error of ours", out) if out else None


def picture_name(page):
    return f"{page.stem}-published.svg"


def with_picture(text, page):
    """The page's text, which shows the picture of its claims where they begin."""
    line = f"![Each published size, ours, and the error of ours]({picture_name(page)})"
    if line in text or HEADLINE not in text or picture(text) is None:
        return text
    head, _, rest = text.partition(HEADLINE)
    headline, _, rest = rest.partition("\n")
    return f"{head}{HEADLINE}{headline}\n\n{line}\n{rest}"
