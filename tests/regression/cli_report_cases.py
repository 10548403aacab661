"""Cases of cli_cases.py: heddle report, what is in its page. The page in a browser: cli_report_page_cases.py."""

import json
import os
import pathlib
import re
import subprocess
import sys

from cli_command import BAD_INPUT, HANG, OK, case, check, stats

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def needs_page(c):
    """The build has bundled the page, or the case is skipped: npm's packages are fetched by scripts/setup."""
    page = c.heddle.parent.parent / "report" / "page.html"
    if not page.is_file() and not os.environ.get("HEDDLE_REPORT_DIR"):
        print("skipped: built without the page of heddle report (scripts/setup gets the npm packages for it)")
        sys.exit(SKIPPED)


def page_data(path):
    text = path.read_text()
    begin = text.index('id="heddle-data">') + len('id="heddle-data">')
    return json.loads(text[begin:text.index("</script>", begin)])


def metric(data, key):
    return next(column["values"] for column in data["metrics"] if column["key"] == key)


def parameter(data, key):
    column = next(column for column in data["parameters"] if column["key"] == key)
    return [column["texts"][i] if i >= 0 else None for i in column["index"]]


def sheet_area(block, point):
    """Gate equivalents of a point in the committed sheet."""
    for line in (ROOT / "rtl" / block / "SYNTHESIS.md").read_text().splitlines():
        if line.startswith(f"| {point} |"):
            heading = next(each for each in (ROOT / "rtl" / block / "SYNTHESIS.md").read_text().splitlines() if each.startswith("| Point |"))
            cell = [text.strip() for text in heading.split("|")].index("Gate equiv.")
            return int(line.split("|")[cell].strip().replace(",", ""))
    raise AssertionError(f"{block} has no point {point}")


def make_runs(c):
    """Eight runs that differ in workload, policy and mechanism, with profiles; one that hangs; one with a timeline and samples."""
    folders = []
    for workload in ("bfs", "vecadd"):
        for policy in ("lrr", "gto"):
            for mechanism in ("simt_stack", "aware"):
                folder = f"{workload}-{policy}-{mechanism}"
                c.run("run", workload, "--size", "tiny", "--platform", "tiny", "--set", f"core.scheduler.policy={policy}", "--set",
                      f"core.control_flow.mechanism={mechanism}", "--profile", "--sample", "100", "--out", folder)
                folders.append(folder)
    c.run("run", "spinlock", "--size", "tiny", "--platform", "tiny", "--out", "hang", code=HANG)
    (c.folder / "warps").mkdir()
    c.run("run", "barrier-divergent", "--size", "tiny", "--platform", "tiny", "--set", "core.control_flow.mechanism=aware", "--out", "warps",
          "--trace-timeline", "warps/timeline.json")
    return folders + ["hang", "warps"]


@case
def report_holds_what_the_runs_have_counted(c):
    needs_page(c)
    folders = make_runs(c)
    done = c.run("report", *folders, "-o", "page.html", "--title", "a </script><b>title</b> & more")
    check("10 runs, 1 of them failed -> page.html" in done.stdout, done.stdout)
    text = (c.folder / "page.html").read_text()
    check(text.count("</script>") == 2, "a text of the runs ends an element")
    check("<title>a &lt;/script>&lt;b>title&lt;/b> &amp; more</title>" in text, "not its title")
    elements = re.sub(r"(<script[^>]*>).*?</script>", r"\1", text, flags=re.DOTALL)  # a library has markup in its strings
    check("default-src 'none'" in text and not re.search(r"<(link|img|iframe|script[^>]* src)", elements), "it may fetch something")
    data = page_data(c.folder / "page.html")
    check(data["title"] == "a </script><b>title</b> & more", data["title"])
    check(data["runs"]["count"] == 10, "not ten runs")
    check(parameter(data, "workload") == ["bfs"] * 4 + ["vecadd"] * 4 + ["spinlock", "barrier-divergent"], "other workloads")
    check(parameter(data, "core.scheduler.policy")[:4] == ["lrr", "lrr", "gto", "gto"], "other policies")
    policy = next(column for column in data["parameters"] if column["key"] == "core.scheduler.policy")
    described = json.loads(c.run("describe", "core.scheduler.policy", "--json").stdout)
    check(policy["description"] and policy["description"] in json.dumps(described, ensure_ascii=False).replace('\\"', '"'), "its meaning is another one")
    check({"key": "platform", "text": "tiny"} in data["common"], f"{data['common']}")
    for run, folder in enumerate(folders):
        total = stats(c.folder / folder)["total"]
        check(metric(data, "cycles")[run] == total["cycles"], f"cycles of {folder}")
        check(abs(metric(data, "ipc")[run] - total["ipc"]) <= 1e-6 * total["ipc"], f"IPC of {folder}")
        check(abs(metric(data, "energy_uj")[run] - total["energy"]["dynamic_femtojoules"] * 1e-9) <= 1e-6 * metric(data, "energy_uj")[run], f"energy of {folder}")
        slots = {cause: column[run] for cause, column in zip(data["slots"]["causes"], data["slots"]["values"])}
        check(slots == {cause: n for cause, n in total["issue_slots"]["by_cause"].items() if cause in slots}, f"slots of {folder}")
        check(sum(slots.values()) == total["issue_slots"]["all"], f"slots of {folder} are not all")
        bytes_moved = total["dram"]["read_bytes"] + total["dram"]["write_bytes"]
        check(abs(metric(data, "intensity")[run] - total["thread_instructions"] / bytes_moved) <= 1e-6 * metric(data, "intensity")[run], f"intensity of {folder}")
        for key in ("core_active", "fetch_busy", "register_busy", "l2_busy", "dram_busy", "request_links", "response_links", "issued"):
            check(0 <= metric(data, key)[run] <= 1, f"{key} of {folder} is {metric(data, key)[run]}")
    check(data["machines"][data["runs"]["machine"][0]]["peak_thread_ipc"] == 2 * 2 * 32, "tiny has two cores with two schedulers")


@case
def report_has_areas_of_the_sheets(c):
    needs_page(c)
    folders = []
    for name, keys in (("stack", []), ("aware", ["mechanism=aware"]), ("virtual", ["mechanism=aware", "aware.st_entries=6", "aware.rt_entries=2"]),
                       ("hanoi", ["mechanism=hanoi"])):
        sets = [word for key in keys for word in ("--set", f"core.control_flow.{key}")]
        c.run("run", "bfs", "--size", "tiny", "--platform", "tiny", *sets, "--out", name)
        folders.append(name)
    c.run("run", "bfs", "--size", "tiny", "--platform", "tiny", "--set", "core.scheduler.policy=lrr", "--set", "core.spin.source=ddos", "--out", "ddos")
    c.run("report", *folders, "ddos", "-o", "page.html")
    data = page_data(c.folder / "page.html")
    board = sheet_area("scoreboard", "no masks, 1 warp, 8 entries")
    gto, lrr = (2 * sheet_area("warp_scheduler", f"{name}, 16 warps") for name in ("GTO", "LRR"))  # 32 warps, two schedulers
    stack = sheet_area("simt_stack", "1 warp, 32 entries")
    fifo = sheet_area("split_fifo", "1 warp, 32 entries")
    whole = sheet_area("split_table", "1 warp, all physical") + sheet_area("reconvergence_table", "1 warp, 32 entries") + fifo
    part = sheet_area("split_table", "1 warp, 6 physical") + sheet_area("reconvergence_table", "1 warp, 2 of 32 entries") + fifo
    spin = sheet_area("sib_table", "16 entries")
    # Not in RTL: no area, and not the sum of the other blocks.
    expected = [stack + board + gto, whole + board + gto, part + board + gto, None, stack + board + lrr + spin]
    check(metric(data, "area_ge") == expected, f"{metric(data, 'area_ge')} instead of {expected}")
    blocks = data["blocks"]["machines"][data["runs"]["machine"][3]]
    check(blocks["without_rtl"] == ["mechanism hanoi"], f"{blocks['without_rtl']}")
    check({sheet["block"] for sheet in data["blocks"]["sheets"]} == {"simt_stack", "scoreboard", "warp_scheduler", "split_table", "reconvergence_table", "split_fifo", "sib_table"}, "other sheets")


@case
def report_has_details_of_runs(c):
    needs_page(c)
    folders = make_runs(c)
    c.run("report", *folders, "-o", "page.html")
    data = page_data(c.folder / "page.html")
    check([profile["run"] for profile in data["profiles"]] == list(range(8)), "other runs with profiles")
    profile = json.loads((c.folder / folders[0] / "profile.json").read_text())
    for kernel, shown in zip(profile["kernels"], data["profiles"][0]["kernels"]):
        cycles = sum(shown["issues"]) + sum(map(sum, shown["waiting"]))
        check(cycles == kernel["total"]["group_cycles"], f"{cycles} group-cycles of {kernel['kernel']}")
        check(shown["text"] == [pc["ptx"] for pc in kernel["pcs"]], "another text")
    series = data["series"][0]
    total = stats(c.folder / folders[0])["total"]
    ipc = next(line["values"] for line in series["lines"] if line["key"] == "ipc")
    lengths = [end - begin for begin, end in zip([0, *series["end"]], series["end"])]
    check(series["interval"] == 100 and series["end"][-1] == total["cycles"], f"samples end at {series['end'][-1]}")
    instructions = sum(value * length for value, length in zip(ipc, lengths))
    check(abs(instructions - total["warp_instructions"]) < 0.001 * total["warp_instructions"], f"{instructions} instructions in the samples")
    simd = next(line["values"] for line in series["lines"] if line["key"] == "simd_efficiency")
    check(all(value is None or 0 < value <= 1 for value in simd), "SIMD efficiency is no share")
    trace = json.loads((c.folder / "warps" / "timeline.json").read_text())["traceEvents"]
    timeline = data["timelines"][0]
    stretches = [event for event in trace if event["ph"] == "X" and "from" in event["args"]]
    check(timeline["from"] == [event["ts"] for event in stretches] and timeline["length"] == [event["dur"] for event in stretches], "other stretches")
    issues = [event["ts"] for event in trace if event["ph"] == "X" and "lanes" in event["args"] and "from" not in event["args"]]
    check(timeline["issue_at"] == issues and timeline["left_out"] == 0, "other issues")
    check([(each["run"], each["files"]) for each in data["files"]] == [(timeline["run"], [{"name": "timeline.json", "link": "warps/timeline.json"}])], f"{data['files']}")
    hang = data["failures"][0]
    check(len(data["failures"]) == 1 and hang["run"] == 8 and hang["status"] == "hang" and hang["exit_code"] == HANG, f"{data['failures']}")
    check("SIMT-induced deadlock" in hang["diagnosis"] and "lanes 0x" in hang["diagnosis"], "not its diagnosis")
    c.run("report", *folders, "-o", "less.html", "--details", "3", "--baseline", "workload=vecadd,core.scheduler.policy=gto")
    less = page_data(c.folder / "less.html")
    check(len(less["profiles"]) == 3 and less["profiles_left_out"] == 5, "not three profiles")
    check(less["baseline"] == 6, f"baseline {less['baseline']}")


@case
def report_refuses_bad_input(c):
    needs_page(c)
    c.run("run", "vecadd", "--size", "tiny", "--platform", "tiny", "--out", "run")
    c.refused("report", "run", says=["-o", "required"])
    c.refused("report", "-o", "page.html", says=["RESULTS"])
    c.refused("report", "nothing", "-o", "page.html", says=["nothing", "there is no such folder"])
    c.refused("report", "run", "-o", "no/page.html", says=["--output no/page.html"])
    c.refused("report", "run", "-o", "run/stats.json", says=["run/stats.json"])
    c.refused("report", "run", "-o", "run", says=["--output run"])
    c.refused("report", "run", "-o", "page.html", "--baseline", "1", says=["--baseline 1", "1 run"])
    c.refused("report", "run", "-o", "page.html", "--baseline", "best", says=["--baseline best", "KEY=VALUE"])
    c.refused("report", "run", "-o", "page.html", "--baseline", "wokload=vecadd", says=["wokload", "did you mean 'workload'"])
    c.refused("report", "run", "-o", "page.html", "--baseline", "workload=bfs", says=["no run has these parameters"])
    c.file("run/profile.json", '{"kernels": [{}]}')
    c.refused("report", "run", "-o", "page.html", says=["run/profile.json", "is not as heddle run writes it"])
    (c.folder / "run" / "profile.json").unlink()
    c.file("run/timeline.json", "[1, 2")
    c.refused("report", "run", "-o", "page.html", says=["timeline.json"])


@case
def report_without_its_page_says_what_to_do(c):
    c.run("run", "vecadd", "--size", "tiny", "--platform", "tiny", "--out", "run")
    (c.folder / "data").mkdir()
    done = subprocess.run([c.heddle, "report", "run", "-o", "page.html"], cwd=c.folder, capture_output=True, text=True, check=False,
                          env={**os.environ, "HEDDLE_REPORT_DIR": str(c.folder / "data")})
    check(done.returncode == BAD_INPUT and "scripts/setup" in done.stderr and "npm" in done.stderr, done.stderr)
    check(not (c.folder / "page.html").exists(), "a page is left")


@case
def report_of_a_sweep_is_the_report_of_its_runs(c):
    needs_page(c)
    c.run("sweep", "vecadd", "bfs", "--size", "tiny", "--platform", "tiny", "--vary", "core.scheduler.policy=lrr,gto", "--out", "sweep")
    c.run("report", "sweep", "-o", "sweep.html", code=OK)
    folders = sorted(path for path in (c.folder / "sweep" / "runs").iterdir() if path.is_dir())
    c.run("report", *folders, "-o", "runs.html")
    sweep, runs = page_data(c.folder / "sweep.html"), page_data(c.folder / "runs.html")
    for key in ("slots", "machines", "blocks"):
        check(sweep[key] == runs[key], f"{key} differ")
    for one, other in zip(sweep["metrics"], runs["metrics"]):
        check(one["key"].startswith("host_") or one == other, f"{one['key']} differs: {one['values']}, {other['values']}")
    check(parameter(sweep, "core.scheduler.policy") == parameter(runs, "core.scheduler.policy") == ["lrr", "gto"] * 2, "other parameters")
