#!/usr/bin/python3
"""How long a page of heddle report with many runs takes to open: report_page_bench.py PAGE.html [RUNS]

The runs of the page are repeated and varied until there are RUNS (10,000) of them. Prints the file's size, the time from
the start of the navigation until the first frame with the table is shown, and the times to draw everything and to filter. Other
programs of the machine count, too: 3 s are the goal for the first frame, half a second is what an idle machine needs."""

import json
import pathlib
import random
import sys
import tempfile

import cli_browser


def grown(text, runs):
    """The page's text with so many runs."""
    begin = text.index('id="heddle-data">') + len('id="heddle-data">')
    end = text.index("</script>", begin)
    data = json.loads(text[begin:end])
    source = random.Random(1)
    picked = [source.randrange(data["runs"]["count"]) for _ in range(runs)]
    factors = [source.uniform(0.7, 1.4) for _ in range(runs)]
    columns = [column for column in data["runs"].values() if isinstance(column, dict)] + data["parameters"]
    for column in columns:
        column["index"] = [column["index"][run] for run in picked]
    data["parameters"].append({"key": "param.point", "unit": "", "description": "", "texts": [str(i) for i in range(runs)], "index": list(range(runs))})
    data["runs"].update(count=runs, machine=[data["runs"]["machine"][run] for run in picked])
    for column in data["metrics"]:
        values = [column["values"][run] for run in picked]
        column["values"] = [value if value is None or column["unit"] == "share" else float(f"{value * factor:.7g}") for value, factor in zip(values, factors)]
    for table in (data["slots"], data["occupancy_limits"]):
        table["values"] = [[values[run] for run in picked] for values in table["values"]]
    failed = {failure["run"]: failure for failure in data["failures"]}
    data["failures"] = [{**failed[run], "run": i} for i, run in enumerate(picked) if run in failed]
    return text[:begin] + json.dumps(data, separators=(",", ":")).replace("<", "\\u003c") + text[end:]


def measured(text, runs, folder):
    """A page of so many runs: its file, and seconds until it is shown, until all is drawn after that, and to filter."""
    path = folder / "page.html"
    path.write_text(grown(text, runs))
    with cli_browser.opened(path, draw=False) as opened:
        opened.until("heddle.shownAfter", "it is not shown")
        shown = opened.js("return heddle.shownAfter")
        drawn = opened.driver.execute_async_script("""const done = arguments[0], begun = performance.now(); heddle.drawAll();
            const check = () => [...document.querySelectorAll('.chart')].every((chart) => chart.chart) ? done(performance.now() - begun) : requestAnimationFrame(check); check();""")
        filtered = opened.driver.execute_async_script("""const done = arguments[0], begun = performance.now(); heddle.state.setQuery('ipc>1');
            requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begun)));""")
    return path, shown / 1000, drawn / 1000, filtered / 1000


def main():
    page, runs = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        cli_browser.needs_browser()
        path, shown, drawn, filtered = measured(page.read_text(), runs, pathlib.Path(folder))
        print(f"{runs:,} runs, {path.stat().st_size / 1e6:.1f} MB: shown after {shown:.2f} s, all drawn {drawn:.2f} s later, filtered in {filtered:.2f} s")


if __name__ == "__main__":
    main()
