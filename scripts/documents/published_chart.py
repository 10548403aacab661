"""Published effects beside ours as one picture (SVG): a row for each study, a dot for each published size, placed at the share of
the published effect that we measure. 1 is the published effect, 0 none, below 0 the opposite. Bounds and orders have no size: the
text at the end of a row counts them.

Read from the tables "claim | published | where | ours | verdict" that the studies have written into the pages."""

import html
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH, LEFT, RIGHT, TOP, ROW, FOOT = 860, 150, 170, 34, 34, 46
LOW, HIGH = -0.5, 2.5  # of the axis; a dot beyond is drawn at the edge, as an arrow
HEADER = ["claim", "published", "where", "ours", "verdict"]
SIZE = re.compile(r"(?P<ours>[-+]?[\d.]+(?:e[-+]?\d+)?)( %)? of (?P<theirs>[-+]?[\d.]+(?:e[-+]?\d+)?)( %)?")
HOLDS, DIFFERS, BAND, INK = "#2e7d4f", "#c2571a", "#e4f1e8", "#444"
PUBLICATIONS = {"aware": "AWARE", "bows": "BOWS", "ddos": "DDOS", "gpudet": "GPUDet", "hanoi": "Hanoi", "kilotm": "Kilo TM, WarpTM",
                "multipath": "Multi-Path", "resync": "thread re-sync", "ssde": "SSDE", "tbc": "TBC, DWF"}


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def claims_of(page):
    """Rows of the page's table of claims, by the name of the column; empty if it has none."""
    lines = page.read_text().splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith("|") and cells(line) == HEADER), None)
    if start is None:
        return []
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            break
        rows.append(dict(zip(HEADER, cells(line), strict=True)))
    return rows


def studies(published):
    """{study: rows}; a table belongs to the study that states its claims."""
    found = {}
    for page in sorted((ROOT / "models").rglob("*.md")):
        rows = claims_of(page)
        names = {row["claim"] for row in rows}
        study = next((name for name, claims in published.items() if rows and names <= {claim["what"] for claim in claims}), None)
        if study and study not in found:
            found[study] = rows
    return found


def held(verdict):
    return verdict.startswith("holds")


def shares(row):
    """Our effect over the published one, for each size that the verdict names."""
    for match in SIZE.finditer(row["verdict"]):
        theirs = float(match["theirs"])
        if theirs:
            yield float(match["ours"]) / theirs


def place(share):
    return LEFT + (min(max(share, LOW), HIGH) - LOW) / (HIGH - LOW) * (WIDTH - LEFT - RIGHT)


def mark(share, height, row):
    colour = HOLDS if held(row["verdict"]) else DIFFERS
    x, title = place(share), html.escape(f"{row['claim']}: published {row['published']}, ours {row['ours']}")
    if LOW <= share <= HIGH:
        shape = f'<circle cx="{x:.1f}" cy="{height}" r="5" fill="{colour}" fill-opacity="0.7">'
        return f"{shape}<title>{title}</title></circle>"
    way = 7 if share > HIGH else -7
    shape = f'<path d="M{x:.1f} {height - 5} l{way} 5 l{-way} 5 z" fill="{colour}" fill-opacity="0.7">'
    return f"{shape}<title>{title}</title></path>"


def chart(published):
    found = studies(published)
    height = TOP + ROW * len(found) + FOOT
    bottom = height - FOOT
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12" '
           f'role="img" aria-label="published effects and ours">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
           f'<rect x="{place(0.7):.1f}" y="{TOP}" width="{place(1.3) - place(0.7):.1f}" height="{bottom - TOP}" fill="{BAND}"/>',
           f'<text x="{place(1):.1f}" y="{TOP - 10}" text-anchor="middle" fill="{INK}">within 30 % of the published effect</text>']
    for tick in (-0.5, 0, 0.5, 1, 1.5, 2, 2.5):
        line = "#999" if tick in (0, 1) else "#ddd"
        out.append(f'<line x1="{place(tick):.1f}" x2="{place(tick):.1f}" y1="{TOP}" y2="{bottom}" stroke="{line}"/>'
                   f'<text x="{place(tick):.1f}" y="{bottom + 16}" text-anchor="middle" fill="{INK}">{tick:g}</text>')
    for number, (study, rows) in enumerate(found.items()):
        y = TOP + ROW * number + ROW // 2
        judged = [row for row in rows if "hold" in row["verdict"]]
        out.append(f'<text x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{PUBLICATIONS[study]}</text>'
                   f'<text x="{WIDTH - RIGHT + 14}" y="{y + 4}" fill="{INK}">{sum(held(row["verdict"]) for row in judged)} of '
                   f'{len(judged)} claims hold</text>')
        dots = sorted(((share, row) for row in judged for share in shares(row)), key=lambda dot: dot[0])
        used = []  # places taken in this row: dots that would cover each other move up or down
        for share, row in dots:
            near = sum(abs(place(share) - x) < 8 for x in used) % 3
            used.append(place(share))
            out.append(mark(share, y + (0, -9, 9)[near], row))
    out.append(f'<text x="{place(1):.1f}" y="{bottom + 36}" text-anchor="middle" fill="{INK}">our effect / published effect '
               f'(1: the same, 0: none, below: the opposite; arrows: beyond)</text></svg>')
    return "\n".join(out) + "\n"
