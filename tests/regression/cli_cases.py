#!/usr/bin/python3
"""Behaviour of the heddle command as seen from outside: one case per run.

cli_cases.py --list prints the names of the cases; cli_cases.py --heddle PATH CASE runs one."""

import argparse
import importlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import cli_kernels as kernels
from cli_command import BAD_INPUT, CASES, CYCLE_LIMIT, HANG, Command, case, check, stats

# ---- workloads and reports


@case
def workload_writes_a_report(c):
    done = c.run("run", "vecadd", "--platform", "tiny", "--size", "tiny", "--out", "result")
    out = c.folder / "result"
    check(sorted(p.name for p in out.iterdir()) == ["config.yaml", "host.json", "report.txt", "stats.json"],
          "wrong files in --out")
    report = (out / "report.txt").read_text()
    check(report in done.stdout, "report.txt differs from what was printed")
    check("passed" in report, "the report does not say that the result is right")
    check("host" in done.stdout and "host" not in report, "host time belongs to stdout only")
    total = stats(out)["total"]
    check(f"{total['cycles']:,} core cycles" in report, "report and stats.json disagree on cycles")
    check(f"{total['warp_instructions']:,} warp" in report, "report and stats.json disagree on instructions")


@case
def runs_within_limited_addresses(c):
    limited = subprocess.run(["/bin/sh", "-c", 'ulimit -v 120000 && exec "$0" run vecadd --platform tiny --size tiny',
                              c.heddle], cwd=c.folder, capture_output=True, text=True, check=False)
    check(limited.returncode == 0 and "passed" in limited.stdout, f"{limited.returncode}: {limited.stderr}")


@case
def dram_that_never_gets_to_a_column_is_refused(c):
    for key in ("tRCD", "tRCDWR"):
        c.refused("run", "vecadd", "--platform", "tiny", "--size", "tiny", "--set", f"memory.dram.{key}=4000",
                  says=["memory.dram.tREFI", "no time between refreshes"])


@case
def issue_slots_sum_exactly(c):
    for workload in ("vecadd", "bfs"):
        c.run("run", workload, "--platform", "tiny", "--size", "tiny", "--per-launch", "--out", "result")
        results = stats(c.folder / "result")
        for launch in results["launches"] + results["kernels"]:
            s = launch["summary"]
            slots = s["issue_slots"]
            schedulers = 2
            check(slots["all"] == sum(slots["by_cause"].values()), "slots do not sum")
            check(slots["all"] == 2 * schedulers * s["cycles"],
                  f"{workload}: {slots['all']} slots, but 2 cores x {schedulers} schedulers x {s['cycles']} cycles")
            check(slots["by_cause"]["issued"] == s["warp_instructions"], "issued slots are not the instructions")


def leaves(tree, path=()):
    for name, value in tree.items():
        yield from leaves(value, (*path, name)) if isinstance(value, dict) else [((*path, name), value)]


@case
def kernels_are_their_launches_put_together(c):
    """bfs launches one kernel again and again; on AWARE there are maxima as well."""
    for setting in ("simt_stack", "aware"):
        command = ["run", "bfs", "--platform", "tiny", "--size", "tiny", "--set",
                   f"core.control_flow.mechanism={setting}"]
        c.run(*command, "--per-launch", "--out", "each")
        each = stats(c.folder / "each")
        check(each["total"]["launches"] == len(each["launches"]) > 2, "launches are missing")
        for kernel in each["kernels"]:
            launches = [launch for launch in each["launches"] if launch["kernel"] == kernel["kernel"]]
            check(len(launches) == kernel["launches"] > 1, "a kernel lacks launches")
            check(kernel["grid"] == launches[0]["grid"], "not the shape of the launches")
            several = [dict(leaves(launch["statistics"])) for launch in launches]
            for path, value in leaves(kernel["statistics"]):
                values = [one[path] for one in several]
                if path[-1].startswith("max_"):
                    check(value == max(values), f"{path}: {value} is not the maximum of {values}")
                elif isinstance(value, int):
                    check(value == sum(values), f"{path}: {value} is not the sum of {values}")
            for name in ("cycles", "warp_instructions", "busy_core_cycles"):
                check(kernel["summary"][name] == sum(launch["summary"][name] for launch in launches),
                      f"{name} do not add up")
            l2, dram = (kernel["statistics"]["partition0"][name] for name in ("l2", "dram"))
            check(l2["average_service"] == l2["service_cycles"] / l2["responses"] > 0, "not the quotient of the sums")
            check(dram["average_queue"] == dram["queue_cycles"] / dram["requests"] > 0, "not the quotient of the sums")
        done = c.run(*command, "--out", "sums")
        sums = stats(c.folder / "sums")
        check("launches" not in sums, "launches that nobody asked for")
        each.pop("launches")
        check(sums == each, "--per-launch changes the sums")
        check((c.folder / "sums" / "report.txt").read_text() == (c.folder / "each" / "report.txt").read_text(),
              "--per-launch changes the report")
        check("of it simulation" in done.stdout, "the host line does not say what is simulation")


@case
def host_time_is_that_of_launches_as_a_whole(c):
    begin = time.monotonic()
    c.run("run", "bfs", "--platform", "tiny", "--size", "tiny", "--per-launch", "--out", "result")
    wall = time.monotonic() - begin
    host = json.loads((c.folder / "result" / "host.json").read_text())
    for part in (host, *host["kernels"], *host["launches"]):
        check(0 < part["simulation_seconds"] < part["seconds"] < wall, "times that cannot be")
        check(abs(part["seconds"] - part["simulation_seconds"] - part["setup_and_statistics_seconds"]) < 1e-9,
              "the parts do not add up")
    for parts in ("kernels", "launches"):
        check(abs(sum(part["seconds"] for part in host[parts]) - host["seconds"]) < 1e-6, f"{parts} do not add up")


@case
def per_launch_goes_with_out(c):
    done = c.run("run", "vecadd", "--platform", "tiny", "--size", "tiny", "--per-launch", code=BAD_INPUT)
    check("--per-launch is about stats.json" in done.stderr and "--out DIR" in done.stderr, "not said")


@case
def runs_repeat_exactly(c):
    contents = []
    for folder in ("a", "b"):
        c.run("run", "bfs", "--platform", "tiny", "--size", "tiny", "--per-launch", "--out", folder)
        contents.append({name: (c.folder / folder / name).read_text()
                         for name in ("stats.json", "report.txt", "config.yaml")})
    check(contents[0] == contents[1], "two runs differ")


@case
def resolved_configuration_repeats_the_run(c):
    c.run("run", "vecadd", "--platform", "tiny", "--size", "tiny", "--set", "core.scheduler.policy=lrr", "--out", "a")
    c.run("run", "vecadd", "--platform", "a/config.yaml", "--size", "tiny", "--out", "b")
    check((c.folder / "a/stats.json").read_text() == (c.folder / "b/stats.json").read_text(), "the runs differ")


@case
def results_replace_earlier_results(c):
    for seed in ("1", "2"):
        c.run("run", "vecadd", "--platform", "tiny", "--size", "tiny", "--seed", seed, "--out", "result")
    check(stats(c.folder / "result")["seed"] == 2, "the old results are still there")
    check([p.name for p in c.folder.iterdir()] == ["result"], "something was left behind")


@case
def both_compilers_and_the_oracle(c):
    for compiler in ("nvcc", "clang"):
        done = c.run("run", "sgemm", "--platform", "tiny", "--size", "tiny", "--compiler", compiler, "--check",
                     "oracle")
        check("oracle:" in done.stdout and "are the same" in done.stdout, "the oracle was not asked")


@case
def hang_has_a_diagnosis_and_its_own_exit_code(c):
    done = c.refused("run", "spinlock", "--platform", "tiny", "--size", "tiny", code=HANG, says=["spin"])
    check(re.search(r"spinlock\.nvcc\.ptx:\d+", done.stderr), "no source line")
    check("deadlock" in done.stderr.lower(), "not called a deadlock")


@case
def strict_gto_starves_the_owners_of_locks(c):
    """[DDOS/BOWS] §6.3.3: without rotating ages, old warps that spin keep the one that holds their lock from issuing."""
    contended = ("hashtable", "--param", "ctas=40", "--param", "threads=256", "--param", "buckets=8", "--param", "keys=10240",
                 "--set", "cores=4")
    strict = ("--set", "core.scheduler.gto_rotation_cycles=0")
    done = c.run("run", *contended, *strict, code=HANG)
    check("starvation by scheduling" in done.stderr and "waits for 'locks'" in done.stderr
          and "core.scheduler.gto_rotation_cycles" in done.stderr, done.stderr)
    check("passed: 10240 keys" in c.run("run", *contended, *strict, "--set", "core.spin.source=ddos").stdout,
          "with BOWS, although ages do not rotate")


@case
def cycle_limit_has_its_own_exit_code(c):
    c.ptx(kernels.COUNT, "count", "--arg", "buf=x:4", "--arg", "u32=1000000", "--max-cycles", "2000",
          code=CYCLE_LIMIT, says=["2000"])


# ---- parameters of workloads


@case
def parameters_change_the_input_of_a_workload(c):
    shape = ("--platform", "tiny", "--size", "tiny", "--param", "buckets=8", "--param", "keys=100")
    done = c.run("run", "hashtable", *shape, "--out", "result")
    check("100 keys in 8 chains" in done.stdout and "buckets 8, keys 100" in done.stdout, done.stdout)
    stats = json.loads((c.folder / "result" / "stats.json").read_text())
    check(stats["parameters"] == {"buckets": 8, "keys": 100}, str(stats["parameters"]))
    check("--param accounts=N" in c.run("list").stdout, "heddle list does not show parameters")
    for parameter, words in {"bucket=8": "there are keys, buckets, ctas, threads", "buckets": "no value",
                             "buckets=12": "power of two", "keys=0": "from 1", "keys=1e3": "whole number",
                             "keys=99999999999": "whole number"}.items():
        c.refused("run", "hashtable", "--param", parameter, says=[f"--param {parameter}", words])
    c.refused("run", "sgemm", "--param", "buckets=8", says=["sgemm has no parameter 'buckets'", "--size"])


# ---- bad input: what to run


@case
def unknown_workload(c):
    c.refused("run", "sgem", says=["there is no workload 'sgem'; did you mean 'sgemm'?", "vecadd"])


@case
def unknown_platform(c):
    c.refused("run", "vecadd", "--platform", "gtx408", says=["did you mean 'gtx480'?", "tiny"])


@case
def missing_platform_file(c):
    c.refused("run", "vecadd", "--platform", "none.yaml", says=["none.yaml", "No such file"])


@case
def nothing_to_run(c):
    c.refused("run", says=["nothing to run", "heddle list"])


@case
def workload_and_ptx(c):
    c.refused("run", "vecadd", "--ptx", "x.ptx", says=["WORKLOAD 'vecadd' does not go with --ptx"])
    c.refused("run", "vecadd", "--grid", "4", says=["--grid goes with --ptx or --cubin only"])
    c.refused("run", "vecadd", "--cooperative", says=["--cooperative goes with --ptx or --cubin only"])


@case
def unknown_options_and_commands(c):
    c.refused("run", "vecadd", "--platfrom", "tiny", says=["did you mean '--platform'?"])
    c.refused("rnu", "vecadd", says=["did you mean 'run'?"])
    c.refused(says=["heddle --help"])
    c.refused("run", "vecadd", "--size", "huge", says=["--size", "tiny"])
    c.refused("run", "vecadd", "--seed", "x", says=["seed"])
    c.refused("run", "vecadd", "--seed", "-1", says=["seed", "at least 0"])
    c.refused("run", "vecadd", "--seed", "18446744073709551616", says=["seed", "larger than 18446744073709551615"])
    c.refused("run", "vecadd", "--max-cycles", "many", says=["max-cycles"])
    c.refused("run", "vecadd", "sgemm", says=["sgemm"])


# ---- bad input: configuration


@case
def unknown_key_in_set(c):
    c.refused("run", "vecadd", "--set", "core.l1d.way=4",
              says=["--set core.l1d.way: unknown key", "did you mean 'core.l1d.ways'?"])


@case
def wrong_values_in_set(c):
    c.refused("run", "vecadd", "--set", "cores=many", says=["--set cores: ", "whole number", "many"])
    c.refused("run", "vecadd", "--set", "cores=0", says=["--set cores: ", "out of range"])
    c.refused("run", "vecadd", "--set", "cores", says=["path=value"])
    c.refused("run", "vecadd", "--set", "core.scheduler.policy=fifo", says=["choices: lrr, gto"])
    c.refused("run", "vecadd", "--set", "core.l1d.ways=5", says=["core.l1d"])


@case
def unknown_key_in_yaml(c):
    path = c.file("mine.yaml", "cores: 2\ncore:\n  l1d:\n    way: 4\n")
    c.refused("run", "vecadd", "--platform", path, says=["mine.yaml:4: unknown key 'core.l1d.way'", "core.l1d.ways"])


@case
def malformed_yaml(c):
    path = c.file("mine.yaml", "cores: 2\ncore: [\n")
    c.refused("run", "vecadd", "--platform", path, says=["mine.yaml:", "malformed YAML"])
    path = c.file("mine.yaml", "- cores\n")
    c.refused("run", "vecadd", "--platform", path, says=["mine.yaml:1: ", "key: value"])
    path = c.file("mine.yaml", bytes(range(256)))
    c.refused("run", "vecadd", "--platform", path, says=["mine.yaml"])


# ---- the other commands


@case
def list_names_workloads_and_platforms(c):
    done = c.run("list")
    for name in ("vecadd", "sgemm", "reduction", "bfs", "histogram", "hashtable", "atm", "spinlock", "bench-vecadd",
                 "bench-sgemm", "bench-diverge", "gtx480", "tiny", "quadro_fx5800", "tesla_c2050", "rtx2060", "rtx2080ti", "v100", "a100", "h100"):
        check(re.search(rf"^  {name} ", done.stdout, re.MULTILINE), f"{name} is not listed")


@case
def list_ptx_names_instructions(c):
    lines = c.run("list", "--ptx").stdout.splitlines()
    check(len(lines) > 20, "too few instructions")
    for opcode in ("add", "ld", "st", "bra", "bar", "atom", "setp"):
        check(any(re.match(rf"{opcode}\b", line) for line in lines), f"{opcode} is not listed")


@case
def describe_explains_every_key(c):
    keys = json.loads(c.run("describe", "tiny", "--json").stdout)
    by_path = {key["path"]: key for key in keys}
    check(by_path["cores"]["value"] == "2", "not the platform's value")
    check(by_path["core.scheduler.policy"]["choices"][:2] == ["lrr", "gto"], "no choices")
    check(all(key["meaning"] for key in keys), "a key without a meaning")
    table = c.run("describe").stdout
    check(len(table.splitlines()) == len(keys), "table and JSON disagree")
    c.refused("describe", "gtx408", says=["did you mean 'gtx480'?"])
    check("cores" in c.run("describe", "tiny", "--set", "cores=7").stdout, "no table")


@case
def version_and_help(c):
    check(re.fullmatch(r"heddle \d+\.\d+\.\d+\n", c.run("--version").stdout), "no version")
    check("run" in c.run("--help").stdout, "no help")
    text = c.run("run", "--help").stdout
    for word in ("--arg", "buf=NAME:SIZE", "Examples:", "Exit codes:"):
        check(word in text, f"{word} is not explained")


def load_companions(name):
    """The modules beside this one, which register their cases; only that of the case `name`, if it is given: most of a short case's
    time would be reading all of them."""
    for path in sorted(pathlib.Path(__file__).parent.glob("cli_*_cases.py")):
        if name is None or f"def {name}(" in path.read_text(encoding="utf-8"):
            importlib.import_module(path.stem)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--heddle", type=pathlib.Path)
    parser.add_argument("case", nargs="?")
    arguments = parser.parse_args()
    load_companions(None if arguments.list else arguments.case)
    if arguments.list:
        print("\n".join(CASES))
        return
    if not arguments.case or not arguments.heddle:
        parser.error("give --heddle and a case")
    if arguments.case not in CASES:
        parser.error(f"{arguments.case}: there is no such case (--list)")
    with tempfile.TemporaryDirectory() as folder:
        try:
            CASES[arguments.case](Command(arguments.heddle.resolve(), pathlib.Path(folder)))
        except AssertionError as error:
            sys.exit(f"FAILED: {error}")


main()
