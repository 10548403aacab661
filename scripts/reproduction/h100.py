"""The H100 model against the card: what Nsight Compute has counted (platforms/correlation/h100.json) beside our numbers, launch by launch,
with a scatter of the cycles and the error by workload as pictures."""

import html
import json
import math
import pathlib
import tempfile

from plots import svg
from runner import Failure
from tables import percent, table

TITLE = "The H100 model against one card: cycles and counters of launches"
PLATFORM = "h100"
ROOT = pathlib.Path(__file__).resolve().parents[2]
TRUTH = ROOT / "platforms" / "correlation" / "h100.json"
RECORDED = json.loads(TRUTH.read_text())["workloads"]
BENCHMARKS = [(name, name) for name in RECORDED]
# --quick: short kernels of every kind.
QUICK = ["aes", "bench-diverge", "bfs", "coulomb", "gaussian", "lud", "nn-packed", "nonbonded", "nqueens", "reduction", "sgemm", "vecadd"]
SIZES = {"tiny": ["small"], "small": ["small"], "paper": ["small", "paper"]}  # by --size
SECONDS = {"small": 3600, "paper": 100}  # of a run: the longest of size paper take hours
INK, DOT, BAND = "#444", "#1f6fb4", "#e4f1e8"


def correlate(machine, names, folder, size):
    recorded = [name for name, sizes in RECORDED.items() if size in sizes]
    chosen = [name for name in recorded if name in names] if names else QUICK if machine.size == "tiny" else recorded
    code = ["--cubin", machine.cubin] if machine.cubin else ["--compiler", machine.compiler]
    done = machine.command("correlate", TRUTH, "--platform", machine.platform, "--size", size, "--workloads", ",".join(chosen), *code, "--jobs",
                           machine.jobs, "--max-seconds", SECONDS[size], "--out", folder)
    if done.returncode != 0:
        raise Failure(f"heddle correlate: {done.stderr.strip() or done.stdout.strip()}")
    text = (pathlib.Path(folder) / "correlation.json").read_text()
    return json.loads(text.replace(f"{machine.cubin}: ", "") if machine.cubin else text)


def cycles(launch):
    """(card, model); None: the model has none."""
    counter = launch["counters"]["cycles"]
    return (counter["card"], counter["model"]) if "model" in counter else None


def scatter(launches):
    """Cycles of the model over the card's, both logarithmic; the band is a factor of 1.2."""
    size, left, top = 520, 70, 16
    points = [(*cycles(launch), f"{launch['workload']} {launch['size']} {launch['kernel']} #{launch['launch_of_kernel']}") for launch in launches
              if cycles(launch)]
    values = [value for card, model, _ in points for value in (card, model)]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def x(value):
        return left + (math.log10(value) - low) / (high - low) * size

    def y(value):
        return top + size - (math.log10(value) - low) / (high - low) * size

    step = math.log10(1.2) / (high - low) * size
    out = [f'<path d="M{left} {top + size - step:.1f} L{left + size - step:.1f} {top} L{left + size} {top} L{left + size} {top + step:.1f} '
           f'L{left + step:.1f} {top + size} L{left} {top + size} z" fill="{BAND}"/>',
           f'<line x1="{left}" y1="{top + size}" x2="{left + size}" y2="{top}" stroke="#999"/>']
    for power in range(low, high + 1):
        value = 10 ** power
        out.append(f'<line x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{top}" y2="{top + size}" stroke="#ddd"/>'
                   f'<line x1="{left}" x2="{left + size}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>'
                   f'<text x="{x(value):.1f}" y="{top + size + 16}" text-anchor="middle" fill="{INK}">{value:,}</text>'
                   f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end" fill="{INK}">{value:,}</text>')
    out += [f'<circle cx="{x(card):.1f}" cy="{y(model):.1f}" r="4" fill="{DOT}" fill-opacity="0.6"><title>{html.escape(name)}: card {card:,.0f}, '
            f'model {model:,.0f}</title></circle>' for card, model, name in points]
    out.append(f'<text x="{left + size / 2}" y="{top + size + 34}" text-anchor="middle">cycles of the card</text>'
               f'<text x="14" y="{top + size / 2}" transform="rotate(-90 14 {top + size / 2})" text-anchor="middle">cycles of the model</text>')
    return svg(left + size + 20, top + size + 46, "cycles of the model over cycles of the card", out)


def by_workload(launches):
    """Mean absolute error of each workload's launches, the largest first."""
    errors = {}
    for launch in launches:
        error = launch["counters"]["cycles"].get("error")
        if error is not None:
            errors.setdefault(launch["workload"], []).append(abs(error))
    means = sorted(((sum(values) / len(values), name) for name, values in errors.items()), reverse=True)
    left, row, width = 150, 16, 480
    most = max([0.1, *(mean for mean, _ in means)])
    out = []
    for number, (mean, name) in enumerate(means):
        y = 8 + row * number
        out.append(f'<text x="{left - 8}" y="{y + 11}" text-anchor="end" fill="{INK}">{html.escape(name)}</text>'
                   f'<rect x="{left}" y="{y + 2}" width="{mean / most * width:.1f}" height="{row - 5}" fill="{DOT}" fill-opacity="0.7"/>'
                   f'<text x="{left + mean / most * width + 6:.1f}" y="{y + 11}" fill="{INK}">{100 * mean:.1f} %</text>')
    return svg(left + width + 70, 16 + row * len(means), "mean absolute error of cycles by workload", out)


def means_table(results):
    """`results`: by size; with several, each row names its size."""
    rows = []
    for size, result in results.items():
        limit = f"{result['large_cycles']:,.0f}"
        for key, name in (("all", "all launches"), ("large", f"of {limit} cycles and more"), ("small", f"of fewer than {limit}")):
            means = result["cycles"][key]
            if means["launches"]:
                pearson = means.get("pearson_of_logs")
                rows.append([name + (f", size {size}" if len(results) > 1 else ""), means["launches"], means["workloads"],
                             percent(means["mean_absolute_error"]), percent(means["mean_absolute_error_over_workloads"]),
                             f"{100 * means['bias']:+.1f} %", "-" if pearson is None else f"{pearson:.4f}"])
    return table(["cycles", "launches", "workloads", "mean absolute error", "over workloads", "bias", "Pearson of logs"], rows)


def counters_table(result):
    rows = [[name, at["launches"], at["equal"], at["within_tolerance"], percent(at["mean_absolute_error"]), f"{100 * at['bias']:+.1f} %",
             "" if at["comparable"] else "not the same thing"] for name, at in result["counters"].items()]
    return table(["counter", "launches", "equal", "within tolerance", "mean absolute error", "bias", ""], rows)


def launches_table(launches):
    rows = []
    for launch in launches:
        counter = launch["counters"]["cycles"]
        rows.append([launch["workload"], launch["size"], launch["kernel"], launch["launch_of_kernel"], f"{counter['card']:,.0f}",
                     f"{counter['model']:,.0f}" if "model" in counter else "-", f"{100 * counter['error']:+.1f} %" if "error" in counter else "-",
                     launch.get("problem", launch.get("first_difference", ""))])
    return table(["workload", "size", "kernel", "launch", "card, cycles", "model", "error", "first difference but cycles"], rows)


def worst(launches):
    rows = [launch for launch in launches if "error" in launch["counters"]["cycles"]]
    rows.sort(key=lambda launch: -abs(launch["counters"]["cycles"]["error"]))
    return launches_table(rows[:10])


def report(machine, names):
    with tempfile.TemporaryDirectory() as folder:
        return page({size: correlate(machine, names, pathlib.Path(folder) / size, size) for size in SIZES[machine.size]}, machine.pictures)


def page(results, folder):
    """`results`: of heddle correlate, by size. `folder`: for the pictures, or None."""
    launches = [launch for result in results.values() for launch in result["launches"]]
    pictures = {"h100-cycles.svg": scatter(launches) if any(map(cycles, launches)) else None, "h100-errors.svg": by_workload(launches)}
    shown = []
    if folder is not None:
        for name, picture in pictures.items():
            if picture is not None:
                (folder / name).write_text(picture)
                shown.append(f"![{name.removeprefix('h100-').removesuffix('.svg')}]({name})")
    first = next(iter(results.values()))
    settings = "".join(f", `{setting}`" for setting in first["settings"])
    text = [f"# {TITLE}\n", f"{first['platform']}, {first['code']}{settings}, against one {first['device']}. How counts are compared: "
            "[`platforms/correlation`](../README.md). Errors are (model - card) / card.\n"]
    if "paper" in results:
        text.append("The model was built with launches of size small. Nobody looked at those of size paper while it was.\n")
    text += [means_table(results), "", *(["\n".join(shown), ""] if shown else [])]
    for size, result in results.items():
        of_size = f", size {size}" if len(results) > 1 else ""
        text += [f"## Counters{of_size}\n", counters_table(result), "", f"## The worst launches{of_size}\n", worst(result["launches"]), ""]
    text += ["## All launches\n", launches_table(launches)]
    notes = [note for result in results.values() for note in result["notes"]]
    if notes:
        text += ["", *(f"* {note}" for note in notes)]
    return "\n".join(text)
