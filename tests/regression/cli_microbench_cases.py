"""Cases of cli_cases.py: heddle microbench."""

import json
import re

from cli_command import MISMATCH, case, check
from cli_device_cases import card


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
def microbench_takes_partitions_in_turn_and_says_so(c):
    """Benchmarks aim at partitions by address."""
    says = "Partitions in turn (memory.address_map=interleaved) instead of ipoly"
    hashed = c.run("microbench", "--platform", "tiny", "--set", "memory.address_map=ipoly", "dram-chase")
    check(says in hashed.stdout and "As configured on tiny" in hashed.stdout, "it is not said, or not measured")
    plain = c.run("microbench", "--platform", "tiny", "dram-chase")
    check("Partitions in turn" not in plain.stdout, "said of a platform that has them in turn")
    check(plain.stdout.partition("As configured")[0] == hashed.stdout.partition("Partitions in turn")[0], "other readings")


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


FEW_CORES = ("--platform", "tiny", "--set", "cores=2")


@case
def microbench_on_the_oracle_checks_values(c):
    done = c.run("microbench", "--device", "oracle", *FEW_CORES, "alu-latency", "l1-chase", "coalescing", "occupancy", "--json", "r.json")
    check("the oracle has no time; values are checked" in done.stdout, "it does not say why there are no times")
    check("only the model tells core*.lsu.line_accesses" in done.stdout, "it does not say what the model alone counts")
    check("only the model tells a kernel's registers" in done.stdout, "it does not say what the model alone knows")
    check("As configured in tiny on the oracle: " in done.stdout, "no verdict")
    result = json.loads((c.folder / "r.json").read_text())
    check(result["device"] == "oracle" and result["ok"] and not result["readings"], "readings of what has no time")
    check(result["host"]["launches"] > 10 and "cycles" not in result["host"], "JSON: the launches")


@case
def microbench_on_a_card_compares_it_with_a_platform(c):
    with card():  # the stub's clock counts instructions: no latency of tiny
        done = c.run("microbench", "--device", "gpu", *FEW_CORES, "alu-latency", "l1-chase", "--json", "r.json", code=MISMATCH)
        check("NOT AS CONFIGURED in tiny on Stub card: " in done.stdout, "no verdict")
        readings = json.loads((c.folder / "r.json").read_text())["readings"]
        check({each["benchmark"] for each in readings} == {"alu-latency", "l1-chase"}, "readings are missing")
        check(all("wrong values" not in each["what"] for each in readings), "a kernel has computed something else")
        c.refused("microbench", "--device", "gpu", "l1-chase", says=["no platform", "--platform h100"])
    with card("flips"):  # a wrong result is a failed reading
        done = c.run("microbench", "--device", "gpu", *FEW_CORES, "alu-latency", code=MISMATCH)
        check("wrong values" in done.stdout, "a flipped bit is not found")


@case
def bad_microbench(c):
    c.refused("microbench", "l1-chas", says=["no benchmark 'l1-chas'", "did you mean 'l1-chase'?"])
    c.refused("microbench", "l1-chase", "--platform", "gtx", says=["gtx480"])
    c.refused("microbench", "l1-chase", "--json", "no/such/folder/r.json", says=["--json", "no/such/folder"])
