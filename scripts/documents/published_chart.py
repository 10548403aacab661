"""Published effects beside ours as one picture (SVG): a row for each study, a dot for each published size, placed at the share of
the published effect that we measure. 1 is the published effect, 0 none, below 0 the opposite. Bounds and orders have no size: the
text at the end of a row counts them.

Read from the tables "claim | published | where | ours | verdict" that the studies have written into the pages."""

import html
import pathlib

from plots import BAND, DIFFERS, HOLDS, INK, claims_of, held, sizes_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH, LEFT, RIGHT, TOP, ROW, FOOT = 860, 150, 170, 34, 34, 46
LOW, HIGH = -0.5, 2.5  # of the axis; a dot beyond is drawn at the edge, as an arrow
PUBLICATIONS = {"aware": "AWARE", "bows": "BOWS", "ddos": "DDOS", "gpudet": "GPUDet", "hanoi": "Hanoi", "kilotm": "Kilo TM, WarpTM",
                "multipath": "Multi-Path", "resync": "thread re-sync", "ssde": "SSDE", "tbc": "TBC, DWF"}


def studies(published):
    """{study: rows}; a table belongs to the study that states its claims."""
    found = {}
    for page in sorted((ROOT / "models").rglob("*.md")):
        rows = claims_of(page.read_text())
        names = {row["claim"] for row in rows}
        study = next((name for name, claims in published.items() if rows and names <= {claim["what"] for claim in claims}), None)
        if study and study not in found:
            found[study] = rows
    return found


def shares(row):
    """Our effect over the published one, for each size that the verdict names."""
    return [ours / theirs for _, ours, theirs, _ in sizes_of(row) if theirs]


def place(share):
    return LEFT + (min(max(share, LOW), HIGH) - LOW) / (HIGH - LOW) * (WIDTH - LEFT - RIGHT)


def mark(share, height, row):
    colour = HOLDS if held(row) else DIFFERS
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
                   f'<text x="{WIDTH - RIGHT + 14}" y="{y + 4}" fill="{INK}">{sum(held(row) for row in judged)} of '
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
