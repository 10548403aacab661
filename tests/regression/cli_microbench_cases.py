"""Cases of cli_cases.py: heddle microbench."""

import json
import re

from cli_command import case, check


@case
def microbench_lists_what_it_measures(c):
    lines = c.run("microbench", "--list").stdout.splitlines()
    names = [line.split()[0] for line in lines]
    check("l1-chase" in names and "dram-chase" in names and len(names) == len(set(names)), "names are missing or double")
    check(all(len(line.split()) > 3 for line in lines), "a benchmark is not described")


@case
def microbench_measures_the_configured_value(c):
    for latency in (18, 33):
        done = c.run("microbench", "--platform", "tiny", "--set", f"core.l1d.latency_cycles={latency}", "l1-chase",
                     "bank-conflicts", "--json", "result.json")
        check(re.search(rf"l1-chase hit +\| +{latency} \| +{latency} \| core cycles .*\| ok$", done.stdout, re.MULTILINE),
              f"no line says that a hit takes {latency} cycles")
        check("As configured on tiny" in done.stdout, "no verdict")
        result = json.loads((c.folder / "result.json").read_text())
        hit = [r for r in result["readings"] if r["benchmark"] == "l1-chase"]
        check(len(hit) == 1 and hit[0]["measured"] == latency and hit[0]["ok"], "JSON has another value")
        check(result["ok"] and {r["benchmark"] for r in result["readings"]} == {"l1-chase", "bank-conflicts"},
              "JSON has other benchmarks")
        check(result["host"]["cycles"] > 0 and result["host"]["resident_core_cycles"] > 0, "JSON lacks the cost")


@case
def microbench_says_what_a_platform_lacks(c):
    done = c.run("microbench", "--platform", "tiny", "--set", "core.l1d.enabled=false", "l1-chase", "--json", "r.json")
    check("there is no L1" in done.stdout, "it does not say why nothing was measured")
    result = json.loads((c.folder / "r.json").read_text())
    check(result["ok"] and not result["readings"] and "l1-chase" in result["missing"], "JSON does not say so")


@case
def microbench_results_repeat_exactly(c):
    first, second = ((c.run("microbench", "--platform", "tiny", "alu-throughput", "dram-chase", "--json", name),
                      json.loads((c.folder / name).read_text()))[1] for name in ("a.json", "b.json"))
    check(first["readings"] == second["readings"], "two runs differ")


@case
def bad_microbench(c):
    c.refused("microbench", "l1-chas", says=["no benchmark 'l1-chas'", "did you mean 'l1-chase'?"])
    c.refused("microbench", "l1-chase", "--platform", "gtx", says=["gtx480"])
    c.refused("microbench", "l1-chase", "--json", "no/such/folder/r.json", says=["--json", "no/such/folder"])
