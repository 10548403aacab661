"""Cases of cli_cases.py: blocks that run as RTL (key impl)."""

import json

from cli_command import case, check, stats

WORKLOAD = ("run", "bfs", "--platform", "tiny", "--size", "tiny")
AWARE = ("--set", "core.control_flow.mechanism=aware")


def impl(block, value):
    return "--set", f"{block}.impl={value}"


def without_impl(yaml):
    return [line for line in yaml.splitlines() if "impl:" not in line]


@case
def rtl_in_the_place_of_a_model_changes_nothing_but_host_json(c):
    c.run(*WORKLOAD, *AWARE, "--out", "model")
    for value in ("rtl", "both"):
        done = c.run(*WORKLOAD, *AWARE, *impl("core.control_flow.split_table", value), *impl("core.scheduler", "rtl"),
                     "--out", value)
        ours = {each["block"]: each for each in json.loads((c.folder / value / "host.json").read_text())["rtl"]}
        check(sorted(ours) == ["split_table", "warp_scheduler"], f"host.json lists {sorted(ours)}")
        check(ours["split_table"]["impl"] == value, "host.json says another impl")
        check(all(each["requests"] > 0 and each["clocks"] >= each["requests"] for each in ours.values()), "no requests")
        check(ours["split_table"]["instances"] == 2 and ours["warp_scheduler"]["instances"] == 4,
              "not one per core and one per scheduler")
        said = "both, no difference" if value == "both" else "rtl"
        check(f"split_table ({said}): " in done.stdout, "the report does not say what ran as RTL")
        check((c.folder / value / "report.txt").read_text() == (c.folder / "model" / "report.txt").read_text(),
              "report.txt differs from the model's")
        # The configuration is part of stats.json; impl is all that differs.
        model, twin = stats(c.folder / "model"), stats(c.folder / value)
        check(model["kernels"] == twin["kernels"] and model["total"] == twin["total"], "other statistics")
        yaml = [(c.folder / run / "config.yaml").read_text() for run in ("model", value)]
        check(without_impl(yaml[0]) == without_impl(yaml[1]), "config.yaml differs beyond impl")


@case
def rtl_clocked_once_per_cycle_answers_nothing_beyond_its_ports(c):
    contract = ("--set", "core.scheduler.timing=contract")
    for value in ("model", "rtl", "both"):
        done = c.run(*WORKLOAD, *contract, *impl("core.scheduler", value), "--out", value)
        check(("beyond its ports 0;" in done.stdout) == (value != "model"), "the report does not say what is beyond the ports")
    for value in ("rtl", "both"):
        (ours,) = json.loads((c.folder / value / "host.json").read_text())["rtl"]
        check(ours["timing"] == "contract" and ours["answers_beyond_ports"] == 0, f"host.json says {ours}")
        check(ours["most_clocks_in_a_core_cycle"] == 1 and ours["requests"] > 0, f"host.json says {ours}")
        model, twin = stats(c.folder / "model"), stats(c.folder / value)
        check(model["kernels"] == twin["kernels"] and model["total"] == twin["total"], f"other statistics with {value}")
    c.run(*WORKLOAD, *impl("core.scoreboard", "rtl"), "--out", "stopped")
    (ours,) = json.loads((c.folder / "stopped" / "host.json").read_text())["rtl"]
    check(ours["timing"] == "ideal" and ours["answers_beyond_ports"] > 0, "in stopped time a scoreboard answers more than one port could")


@case
def rtl_timing_without_a_contract_is_refused(c):
    contract = ("--set", "core.scheduler.timing=contract")
    c.refused(*WORKLOAD, *contract, "--set", "core.scheduler.policy=cawa",
              says=["core.scheduler.timing: lrr, gto have a clocked block, cawa has not"])
    c.refused(*WORKLOAD, "--set", "test.core.scheduler.stall_seed=1", says=["stall_seed: with timing ideal every choice is taken"])
    c.refused(*WORKLOAD, *contract, "--set", "test.core.scheduler.perturb_seed=1", says=["the clocked block knows no random turns"])


@case
def rtl_scoreboard_with_warps_of_several_homes_changes_nothing(c):
    """How often it is asked, too: what the core knows of entries must not come from the model alone."""
    formed = ("run", "hotspot", "--platform", "tiny", "--size", "tiny", "--set", "core.control_flow.mechanism=dwf",
              "--set", "core.scoreboard.kind=per_thread_mask")
    for ports in ((), ("--set", "core.scoreboard.read_ports=0", "--set", "core.scoreboard.write_ports=0")):
        for value in ("model", "rtl"):
            c.run(*formed, *ports, *impl("core.scoreboard", value), "--out", value)
        model, twin = stats(c.folder / "model"), stats(c.folder / "rtl")
        check(model["kernels"] == twin["kernels"] and model["total"] == twin["total"], f"other statistics {ports}")


@case
def rtl_of_a_block_that_the_machine_lacks_is_refused(c):
    c.refused(*WORKLOAD, *impl("core.control_flow.split_fifo", "rtl"),
              says=["core.control_flow.split_fifo.impl: is rtl, but mechanism simt_stack has no such block", "to model",
                    "core.control_flow.mechanism to one that has the block: aware\n"])
    c.refused(*WORKLOAD, *AWARE, *impl("core.control_flow.simt_stack", "both"),
              says=["core.control_flow.simt_stack.impl: is both, but mechanism aware has no such block", "simt_stack\n"])
    for block, having in (("split_table", "aware, multi_path"), ("reconvergence_table", "aware, multi_path")):
        c.refused(*WORKLOAD, *impl(f"core.control_flow.{block}", "rtl"), says=[f"{block}.impl", f"the block: {having}"])
    for source in ((), ("--set", "core.spin.source=analysis")):
        c.refused(*WORKLOAD, *source, *impl("core.spin.sib_table", "both"),
                  says=["core.spin.sib_table.impl: is both", "core.spin.source to ddos"])


@case
def rtl_of_another_shape_is_refused(c):
    entries = "core.control_flow.aware.st_entries=3"
    c.refused(*WORKLOAD, *AWARE, "--set", entries, *impl("core.control_flow.split_table", "rtl"),
              says=["split_table is built with 1, 2, 4, 6 and 32 entries", "has 3 (st_entries)", "impl: model"])
    c.refused(*WORKLOAD, "--set", "core.scoreboard.entries_per_warp=12", *impl("core.scoreboard", "both"),
              says=["scoreboard is built for 8 entries of a warp", "has 12", "impl: model"])
    c.refused(*WORKLOAD, "--set", "core.spin.source=ddos", "--set", "core.spin.ddos.threshold=3",
              *impl("core.spin.sib_table", "rtl"),
              says=["sib_table is built with 16 entries for threshold 4", "has 16 for threshold 3", "impl: model"])
    c.refused(*WORKLOAD, "--set", "core.scheduler.policy=cawa", *impl("core.scheduler", "rtl"),
              says=["lrr and gto have RTL, cawa has not", "impl: model"])


@case
def rtl_is_model_or_rtl_or_both(c):
    c.refused(*WORKLOAD, *impl("core.scoreboard", "verilog"), says=["verilog", "choices: model, rtl, both"])
