"""Cases of cli_cases.py: heddle run --sample, and the statistics of occupancy."""

import json
import sqlite3
import struct

import cli_kernels as kernels
from cli_command import HANG, case, check, stats

WIDTHS = {1: "B", 2: "H", 4: "I", 8: "d"}


def series(folder):
    """Interval, launches, and the samples of all series by name, of a folder's samples.sqlite."""
    with sqlite3.connect(folder / "samples.sqlite") as db:
        interval = int(db.execute("SELECT value FROM about WHERE name = 'interval'").fetchone()[0])
        launches = db.execute("SELECT kernel, cycles, first, samples FROM launches ORDER BY launch").fetchall()
        all_samples = sum(samples for _, _, _, samples in launches)
        names = dict(db.execute("SELECT series, name FROM series"))
        values = {name: [0] * all_samples for name in names.values()}
        for number, first, samples, data in db.execute("SELECT series, first, samples, data FROM chunks"):
            values[names[number]][first:first + samples] = struct.unpack(f"<{samples}{WIDTHS[len(data) // samples]}", data)
    return interval, launches, values


def count(tree, path):
    """Sum of a statistic of one kernel by its common name."""
    first, _, rest = path.partition(".")
    found = [value for name, value in tree.items() if name == first or (name.rstrip("0123456789") == first and first + "0" in tree)]
    return sum(count(value, rest) if rest else value for value in found)


@case
def sample_series_sum_to_the_statistics_and_change_nothing(c):
    for platform, workload in (("tiny", "bfs"), ("gtx480", "reduction"), ("rtx2060", "sgemm")):
        run = ["run", workload, "--size", "tiny", "--platform", platform]
        c.run(*run, "--out", f"{platform}-plain", "--per-launch")
        c.run(*run, "--out", platform, "--per-launch", "--sample", "100", "--sample-statistics", "core.*,partition.*,core0.occupancy.*")
        plain, sampled = ((c.folder / name / "stats.json").read_bytes() for name in (f"{platform}-plain", platform))
        check(plain == sampled, f"sampling {workload} on {platform} changes its statistics")
        result = stats(c.folder / platform)
        interval, launches, values = series(c.folder / platform)
        check(interval == 100 and [(kernel, cycles) for kernel, cycles, _, _ in launches] ==
              [(launch["kernel"], launch["summary"]["cycles"]) for launch in result["launches"]], "other launches")
        check(len(values) > 150, f"only {len(values)} series")
        for (_, cycles, first, samples), launch in zip(launches, result["launches"]):
            check(samples == -(-cycles // interval), f"{samples} samples of {cycles} cycles")
            for name, of in values.items():
                expected = count(launch["statistics"], name)
                check(sum(of[first:first + samples]) == expected, f"{name}: {sum(of[first:first + samples])}, not {expected}")
        # What a sample counts belongs to its interval: slots and residency are as many as there are cycles.
        _, cycles, first, samples = launches[0]
        cores = sum(name.startswith("core") for name in result["launches"][0]["statistics"])
        schedulers = sum(values[name][first] for name in values if name.startswith("core.issue.slots.")) / cores / min(interval, cycles)
        for i in range(samples):
            length = min((i + 1) * interval, cycles) - i * interval
            slots = sum(of[first + i] for name, of in values.items() if name.startswith("core.issue.slots."))
            check(slots == schedulers * cores * length, f"{slots} slots in sample {i} of {length} cycles")
            limited = sum(of[first + i] for name, of in values.items() if name.startswith("core.occupancy.limited_by."))
            check(limited == cores * length, f"{limited} cycles of occupancy in sample {i} of {length} cycles")


@case
def sample_keeps_what_a_run_has_that_ends_early(c):
    c.run("run", "spinlock", "--size", "tiny", "--out", "out", "--sample", "1000", code=HANG)
    _, launches, values = series(c.folder / "out")
    check(launches[0][1] == stats(c.folder / "out")["total"]["cycles"] and sum(values["core.issue.warp_instructions"]) > 0, f"{launches}")
    host = json.loads((c.folder / "out" / "host.json").read_text())
    check(host["exit_code"] == HANG and host["files"]["samples.sqlite"] == (c.folder / "out" / "samples.sqlite").stat().st_size, f"{host}")
    c.run("run", "vecadd", "--size", "tiny", "--platform", "tiny", "--out", "out")
    check(not (c.folder / "out" / "samples.sqlite").exists(), "series of an earlier run stay")
    check(not list((c.folder / "out").glob(".heddle*")), "a temporary file was left")


@case
def sample_refuses_what_it_cannot_do(c):
    run = ["run", "vecadd", "--size", "tiny", "--platform", "tiny"]
    done = c.run(*run, "--sample", "100", code=2)
    check("--sample is about samples.sqlite" in done.stderr, f"{done.stderr}")
    c.refused(*run, "--sample-statistics", "core.issue.*", says=["--sample-statistics goes with --sample only"])
    c.refused(*run, "--sample", "0", says=["--sample"])
    c.refused(*run, "--sample", "100", "--sample-statistics", "core.isue.*", says=["--sample-statistics core.isue.*: no counter"])
    c.refused(*run, "--sample", "100", "--set", "watchdog.enabled=false", says=["without the watchdog"])


@case
def occupancy_names_the_resource_that_limits(c):
    """CTAs of one warp on a core with 8 CTA slots, 32 warp slots; each resource in turn is the scarce one."""
    def limits(*options, block="32", grid="64", shared="0"):
        c.run("run", "--platform", "tiny", "--ptx", c.file("k.ptx", kernels.SCALE), "--entry", "scale", "--grid", grid, "--block", block,
              "--shared", shared, "--arg", "buf=x:65536xf32", "--arg", "buf=y:65536xf32", "--arg", "f32=2", "--arg", "u32=65536", "--out", "o",
              *options)
        of = [value["occupancy"] for name, value in stats(c.folder / "o")["kernels"][0]["statistics"].items() if name.startswith("core")]
        issue = [value["issue"] for name, value in stats(c.folder / "o")["kernels"][0]["statistics"].items() if name.startswith("core")]
        for occupancy, issued in zip(of, issue):
            check(sum(occupancy["limited_by"].values()) == issued["cycles"], "the causes do not sum to the cycles")
            check(occupancy["warp_cycles"] >= issued["group_cycles"], "fewer warps than groups that run")
            check(occupancy["cta_cycles"] >= issued["resident_cycles"], "fewer CTAs than cycles with one")
        return {name for occupancy in of for name, cycles in occupancy["limited_by"].items() if cycles and name != "none"}
    check(limits("--set", "core.occupancy.max_ctas=2") == {"cta_slots"}, "CTA slots")
    check(limits("--set", "core.occupancy.max_warps=4", block="64") == {"warp_slots"}, "warp slots")
    check(limits("--set", "core.occupancy.registers=2048", block="64") == {"registers"}, "registers")
    check(limits(shared="9000") == {"shared_memory"}, "shared memory")
    check(limits(grid="1") == set(), "a core with one CTA is not full")
