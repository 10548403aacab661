"""Cases of cli_cases.py: waits as intervals, in profiles and timelines."""

import json
from collections import defaultdict

from cli_command import case, check


def recorded(c, workload, *options):
    """profile.json and the timeline's events of a run on the small platform."""
    c.run("run", workload, "--size", "tiny", "--platform", "tiny", "--profile", "--out", "out", "--trace-timeline", "t.json", *options)
    return json.loads((c.folder / "out" / "profile.json").read_text())["kernels"], json.loads((c.folder / "t.json").read_text())["traceEvents"]


MACHINES = {"stack": [], "aware": ["--set", "core.control_flow.mechanism=aware"],
            "multi_path": ["--set", "core.control_flow.mechanism=multi_path"]}


@case
def waits_for_results_sum_to_the_profile(c):
    for workload in ("sgemm", "bfs"):
        kernels, _ = recorded(c, workload)
        for kernel in kernels:
            waited = defaultdict(int)
            for each in kernel["dependences"]:
                check(each["longest"] <= each["group_cycles"] and each["longest"] * each["waits"] >= each["group_cycles"], f"{each}")
                waited[each["pc"]] += each["group_cycles"]
            at_scoreboard = {pc["pc"]: pc["waiting"]["scoreboard_alu"] + pc["waiting"]["scoreboard_memory"] for pc in kernel["pcs"]}
            check({pc: cycles for pc, cycles in at_scoreboard.items() if cycles} == dict(waited), f"{kernel['kernel']}: waits do not sum up")
    # A store of what was loaded waits for the load.
    (kernel,) = [kernel for kernel in recorded(c, "vecadd")[0] if kernel["kernel"] == "vector_add"]
    text = {pc["pc"]: pc["ptx"] for pc in kernel["pcs"]}
    longest = kernel["dependences"][0]
    check("add" in text[longest["pc"]] and "ld.global" in text[longest["producer"]], f"{longest}: {text[longest['pc']]}, {text[longest['producer']]}")


@case
def waits_cover_the_life_of_each_warp(c):
    for name, options in MACHINES.items():
        for workload in ("reduction",) if name == "stack" else ("bfs",):
            kernels, events = recorded(c, workload, *options)
            slices = [e for e in events if e["ph"] == "X"]
            waits = [e for e in slices if e.get("cat") == "wait"]
            issues = [e for e in slices if "source" in e["args"]]
            all_cycles = sum(kernel["total"]["group_cycles"] for kernel in kernels)
            check(sum(e["dur"] for e in waits) + len(issues) == all_cycles,
                  f"{workload} on {name}: {sum(e['dur'] for e in waits)} + {len(issues)} of {all_cycles} group-cycles")
            check(min(e["dur"] for e in waits) > 0, "an empty wait")
            if name == "stack":  # a row is a warp slot: nothing in it overlaps
                rows = defaultdict(list)
                for e in waits + issues:
                    rows[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"], e["name"]))
                for row, of in rows.items():
                    of.sort()
                    for (_, end, one), (begin, _, other) in zip(of, of[1:]):
                        check(end <= begin, f"{workload}, row {row}: {one} until {end} and {other} from {begin} overlap")
            check(any("for" in e["args"] for e in waits if e["name"].startswith("scoreboard")), "no wait says for which result")


@case
def waits_do_not_change_the_run(c):
    run = ["run", "reduction", "--size", "tiny", "--platform", "tiny"]
    c.run(*run, "--out", "plain")
    c.run(*run, "--profile", "--trace-timeline", "t.json", "--out", "watched")
    check((c.folder / "plain" / "stats.json").read_bytes() == (c.folder / "watched" / "stats.json").read_bytes(), "statistics differ")
