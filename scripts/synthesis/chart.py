"""Area over the parameter that is swept, as SVG: one line per setting of the others, and dashed the part of it that is
flip-flops."""

import html

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 340, 70, 190, 16, 44
COLOURS = ["#1f6fb4", "#d2691e", "#2e8b57", "#8b3a8b", "#b8860b", "#555555"]


def swept(points):
    """The parameter with most values (of two alike not Warps, then the first by name); None where nothing is swept."""
    names = sorted({name for point in points for name in point["parameters"]})
    values = {name: {point["parameters"].get(name) for point in points} - {None} for name in names}
    varied = [name for name in names if len(values[name]) > 1]
    return max(varied, key=lambda name: (len(values[name]), name != "Warps"), default=None)  # the first on a tie


def series(points, parameter):
    """{setting of the other parameters that vary: points in order}; a point without the parameter is in none."""
    others = sorted({name for point in points for name in point["parameters"] if name != parameter and
                     len({p["parameters"].get(name) for p in points}) > 1})
    lines = {}
    for point in sorted((p for p in points if parameter in p["parameters"]), key=lambda p: p["parameters"][parameter]):
        label = ", ".join(f"{name} {point['parameters'].get(name, 'default')}" for name in others) or "all"
        lines.setdefault(label, []).append(point)
    return lines


def step_of(largest, parts=5):
    step = 1
    while largest / step > parts:
        step = {"1": 2, "2": 5, "5": 10}[str(step)[0]] * 10 ** (len(str(step)) - 1)
    return step


def area_chart(points):
    parameter = swept(points)
    if parameter is None:
        return None
    lines = series(points, parameter)
    values = sorted({point["parameters"][parameter] for line in lines.values() for point in line})
    top = max(point["gate_equivalents"] for line in lines.values() for point in line)
    step = step_of(top)
    top = (int(top / step) + 1) * step
    span = (values[-1] - values[0]) or 1

    def x(value):
        return LEFT + (value - values[0]) / span * (WIDTH - LEFT - RIGHT)

    def y(area):
        return HEIGHT - BOTTOM - area / top * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
           f'font-size="11" role="img" aria-label="area over {html.escape(parameter)}">'
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for area in range(0, top + 1, step):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(area):.1f}" y2="{y(area):.1f}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 6}" y="{y(area) + 4:.1f}" text-anchor="end" fill="#555">{area:,}</text>')
    for value in values:
        out.append(f'<text x="{x(value):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle" fill="#555">{value}'
                   '</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{html.escape(parameter)}'
               f'</text><text x="14" y="{HEIGHT / 2}" transform="rotate(-90 14 {HEIGHT / 2})" text-anchor="middle">'
               'gate equivalents</text>')
    for i, (label, line) in enumerate(lines.items()):
        colour = COLOURS[i % len(COLOURS)]
        for quantity, dash in (("gate_equivalents", ""), ("state_gate_equivalents", ' stroke-dasharray="4 3"')):
            marks = [(x(p["parameters"][parameter]), y(p[quantity]), p) for p in line]
            if len(marks) > 1:
                out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.6"{dash} points="'
                           + " ".join(f"{mx:.1f},{my:.1f}" for mx, my, _ in marks) + '"/>')
            out += [f'<circle cx="{mx:.1f}" cy="{my:.1f}" r="3" fill="{colour if not dash else "white"}" '
                    f'stroke="{colour}"><title>{html.escape(p["point"])}: {p[quantity]:,.0f}</title></circle>'
                    for mx, my, p in marks]
        ly = TOP + 14 + 34 * i
        lx = WIDTH - RIGHT + 16
        out.append(f'<line x1="{lx}" x2="{lx + 22}" y1="{ly}" y2="{ly}" stroke="{colour}" stroke-width="1.6"/>'
                   f'<text x="{lx + 28}" y="{ly + 4}">{html.escape(label)}</text>'
                   f'<line x1="{lx}" x2="{lx + 22}" y1="{ly + 15}" y2="{ly + 15}" stroke="{colour}" stroke-width="1.6" '
                   f'stroke-dasharray="4 3"/><text x="{lx + 28}" y="{ly + 19}" fill="#555">of these flip-flops</text>')
    return "\n".join(out) + "\n</svg>"
