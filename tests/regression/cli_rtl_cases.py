"""Cases of cli_cases.py: blocks that run as RTL (key impl)."""

import json
import os
import re
import subprocess

from cli_command import BAD_INPUT, case, check, stats

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
        check(sum(ours["split_table"]["operations"].values()) == ours["split_table"]["requests"] and ours["split_table"]["operations"]["insert"] > 0,
              f"host.json says {ours['split_table']}")
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
        check(ours["operations"]["issue"] == ours["requests"] <= ours["busy_clocks"] <= ours["clocks"], f"host.json says {ours}")
        model, twin = stats(c.folder / "model"), stats(c.folder / value)
        check(model["kernels"] == twin["kernels"] and model["total"] == twin["total"], f"other statistics with {value}")
    c.run(*WORKLOAD, *impl("core.scoreboard", "rtl"), "--out", "stopped")
    (ours,) = json.loads((c.folder / "stopped" / "host.json").read_text())["rtl"]
    check(ours["timing"] == "ideal" and ours["answers_beyond_ports"] > 0, "in stopped time a scoreboard answers more than one port could")


@case
def rtl_in_the_tables_of_a_clocked_branch_unit_changes_no_cycle(c):
    contract = ("--set", "core.control_flow.split_unit.timing=contract")
    for mechanism in ("aware", "multi_path"):
        chosen = ("run", "bench-diverge", "--platform", "tiny", "--size", "tiny", "--set", f"core.control_flow.mechanism={mechanism}")
        c.run(*chosen, "--out", "ideal")
        c.run(*chosen, *contract, "--out", "contract")
        c.run(*chosen, *contract, *impl("core.control_flow.split_table", "both"), *impl("core.control_flow.reconvergence_table", "rtl"), "--out", "rtl")
        ideal, model, twin = (stats(c.folder / run) for run in ("ideal", "contract", "rtl"))
        check(model["kernels"] == twin["kernels"] and model["total"] == twin["total"], f"other statistics of {mechanism} with RTL")
        check("block_busy" not in ideal["total"]["issue_slots"]["by_cause"], "in stopped time nobody waits")
        check(model["total"]["issue_slots"]["by_cause"]["block_busy"] > 0, f"nobody waits for the unit of {mechanism}")
        check(model["total"]["cycles"] != ideal["total"]["cycles"], "its time is not charged")


@case
def rtl_of_clocked_tables_takes_the_time_that_their_cost_says(c):
    def timing(*blocks):
        return [word for block in blocks for word in ("--set", f"core.control_flow.{block}.timing=contract")]

    every = ("split_table", "reconvergence_table", "split_fifo")
    for mechanism, tables in (("aware", every), ("multi_path", every[:2])):
        chosen = ("run", "bench-diverge", "--platform", "tiny", "--size", "tiny", "--set", f"core.control_flow.mechanism={mechanism}", *timing("split_unit"))
        c.run(*chosen, "--out", "unit")
        cycles = [stats(c.folder / "unit")["total"]["cycles"]]
        for clocked in (tables[:1], tables):
            c.run(*chosen, *timing(*clocked), "--out", "model")
            model = stats(c.folder / "model")
            cycles.append(model["total"]["cycles"])
            for value in ("rtl", "both"):
                c.run(*chosen, *timing(*clocked), *(word for table in clocked for word in impl(f"core.control_flow.{table}", value)), "--out", value)
                check(stats(c.folder / value)["total"] == model["total"], f"other statistics of {mechanism} with {value}")
                ours = json.loads((c.folder / value / "host.json").read_text())["rtl"]
                check(all(each["timing"] == "contract" and each["answers_beyond_ports"] == 0 and each["busy_clocks"] == each["clocks"] > 0 for each in ours),
                      f"host.json says {ours}")
        check(len(set(cycles)) == 3, f"a table's time is not charged: {cycles}")
    c.refused(*WORKLOAD, *AWARE, *timing("split_fifo"), says=["core.control_flow.split_fifo.timing: a table is clocked by the branch unit", "split_unit.timing=contract"])
    c.refused(*WORKLOAD, *AWARE, *timing("split_unit", "split_table"), *impl("core.control_flow.split_unit", "rtl"), says=["has tables of its own", "impl=model"])
    c.refused(*WORKLOAD, *AWARE, "--set", "test.core.control_flow.split_table.stall_seed=1", says=["with timing ideal nothing waits"])


@case
def rtl_timing_without_a_contract_is_refused(c):
    contract = ("--set", "core.scheduler.timing=contract")
    c.refused(*WORKLOAD, *contract, "--set", "core.scheduler.policy=cawa",
              says=["core.scheduler.timing: lrr, gto have a clocked block, cawa has not"])
    c.refused(*WORKLOAD, "--set", "test.core.scheduler.stall_seed=1", says=["stall_seed: with timing ideal every choice is taken"])
    c.refused(*WORKLOAD, *contract, "--set", "test.core.scheduler.perturb_seed=1", says=["the clocked block knows no random turns"])
    stack = ("--set", "core.control_flow.simt_stack.timing=contract")
    c.refused(*WORKLOAD, "--set", "test.core.control_flow.simt_stack.stall_seed=1", says=["simt_stack.stall_seed: with timing ideal nothing waits"])
    c.refused(*WORKLOAD, *AWARE, *stack, says=["simt_stack.timing: is contract, but mechanism aware has no such block", "set it to ideal"])
    c.refused(*WORKLOAD, *stack, "--set", "core.control_flow.likely_convergence=loops", says=["the clocked stack has no likely-convergence points"])
    c.refused("run", "hashtable-tx", "--platform", "tiny", "--set", "tm.enabled=true", *stack,
              says=["a transaction, and the control-flow mechanism is a clocked block"])


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
    c.refused(*WORKLOAD, "--set", "core.control_flow.split_unit.timing=contract",
              says=["core.control_flow.split_unit.timing: is contract, but mechanism simt_stack has no such block", "aware, multi_path"])
    c.refused(*WORKLOAD, "--set", "core.control_flow.mechanism=multi_path", "--set", "core.control_flow.split_unit.timing=contract",
              "--set", "core.control_flow.multi_path.opportunistic_reconvergence=true", says=["the clocked branch unit has no opportunistic reconvergence"])
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


def changes(c, file):
    """Of a waveform: [(time, value)] by the path of a signal; values are numbers, None where they are not known."""
    text = subprocess.run([os.environ["HEDDLE_TEST_FST_TO_VCD"], c.folder / file], capture_output=True, text=True, check=True).stdout
    head, _, body = text.partition("$enddefinitions $end")
    scope, names = [], {}
    for line in head.splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scope.append(words[2])
        elif words[:1] == ["$upscope"]:
            scope.pop()
        elif words[:1] == ["$var"]:
            names.setdefault(words[3], []).append(".".join([*scope, words[4]]))
    check(re.search(r"\$timescale\s+1ps\s+\$end", head), "times are not ps")
    time, signals = 0, {name: [] for of in names.values() for name in of}
    for line in body.splitlines():
        if line.startswith("#"):
            time = int(line[1:])
            continue
        value, key = line[1:].split() if line.startswith("b") else (line[:1], line[1:]) if line and line[0] in "01xz" else (None, None)
        for name in names.get(key, []):
            signals[name].append((time, int(value, 2) if set(value) <= {"0", "1"} else None))
    return signals


def of_rtl(c, out):
    return json.loads((c.folder / out / "host.json").read_text())["rtl"][0]


ONE_CORE = (*WORKLOAD, "--set", "cores=1")


@case
def rtl_wave_has_the_pins_of_a_twin_and_the_transactions_of_sockets(c):
    c.run(*ONE_CORE, "--out", "plain")
    c.run(*ONE_CORE, *impl("core.scoreboard", "rtl"), "--wave", "core0.scoreboard", "--out", "pins")
    c.run(*ONE_CORE, "--wave", "core0.scoreboard", "--wave", "crossbar", "--out", "sockets")
    for out in ("pins", "sockets"):
        check(stats(c.folder / out)["total"] == stats(c.folder / "plain")["total"], f"{out}: a waveform changes the run")
    total, twin = stats(c.folder / "plain")["total"], of_rtl(c, "pins")

    pins = changes(c, "pins/wave-core0.scoreboard.fst")
    clock = pins["top.clk_i"]
    edges = [time for time, value in clock if value == 1]
    check(len(edges) == twin["clocks"] + 2, f"{len(edges)} edges, {twin['clocks']} clocks and two of the reset")
    check(edges[-1] < 1000 * (total["cycles"] + 1000), f"the last edge is at {edges[-1]} ps of {total['cycles']} core cycles")
    warps = {value for _, value in pins["top.reserve_warp_i"]}
    check({0, 1, 2, 3} <= warps, f"warps {warps}")

    # The model answers the same requests.
    sockets = changes(c, "sockets/wave-core0.scoreboard.fst")
    calls = sum(values[-1][1] for name, values in sockets.items() if name.endswith(".calls") and values)
    check(calls == twin["requests"], f"{calls} calls, {twin['requests']} requests of the twin")
    check({value for name, values in sockets.items() if name.endswith("scoreboard_isock.warp") for _, value in values} >= {0, 1, 2, 3}, "warps of the sockets")

    # BEGIN_REQ of reads and writes on their way to the partitions.
    network = changes(c, "sockets/wave-crossbar.fst")
    phases = next(values for name, values in network.items() if "core_tsock" in name and name.endswith(".phase"))
    times = next(values for name, values in network.items() if "core_tsock" in name and name.endswith(".calls"))
    phase, begun, at = 0, 0, dict(phases)
    for time, _ in times:
        phase = at.get(time, phase)
        begun += phase == 1
    requests = sum(kernel["statistics"]["core0"]["memory_port"]["requests"] for kernel in stats(c.folder / "plain")["kernels"])
    check(begun == requests, f"{begun} requests in the waveform, {requests} counted")


@case
def rtl_wave_is_of_the_cycles_that_are_wanted(c):
    for out, more in (("pins", impl("core.scoreboard", "both")), ("sockets", ())):
        c.run(*ONE_CORE, *more, "--wave", "core0.scoreboard:2000:2999", "--out", out)
        signals = changes(c, f"{out}/wave-core0.scoreboard.fst")
        times = [time for values in signals.values() for time, value in values if value is not None]
        check(times and 2_000_000 <= min(times) and max(times) < 3_000_000, f"{out}: from {min(times, default=None)} to {max(times, default=None)}")
        check(max(times) > 2_900_000 and min(times) < 2_200_000, f"{out}: hardly any")


@case
def rtl_wave_tells_blocks_apart_and_refuses_others(c):
    check("--wave is about files of --out" in c.run(*WORKLOAD, "--wave", "crossbar", code=BAD_INPUT).stderr, "files without a folder")
    c.refused(*WORKLOAD, "--wave", "core0.scorebord", says=["--wave core0.scorebord: there is no block", "did you mean 'core0.scoreboard'?"])
    c.refused(*WORKLOAD, "--wave", "scoreboard", says=["'scoreboard' stands for 2 blocks", "gpu.core0.scoreboard, gpu.core1.scoreboard"])
    c.refused(*WORKLOAD, *impl("core.scoreboard", "rtl"), "--wave", "scoreboard", says=["'scoreboard' stands for 2 blocks"])
    for more in ([], impl("core.scoreboard", "rtl")):
        c.refused(*ONE_CORE, *more, "--wave", "core0.scoreboard", "--wave", "gpu.core0.scoreboard",
                  says=["is the same block as --wave core0.scoreboard"])
    c.refused(*WORKLOAD, "--wave", "core0", "--wave", "core0.scoreboard", says=["--wave core0.scoreboard", "has sockets that --wave core0 has, too"])
    c.refused(*WORKLOAD, "--wave", "crossbar:5", says=["has one cycle"])
    c.refused(*WORKLOAD, "--wave", "crossbar:9:5", says=["ends before it begins"])
    c.refused(*WORKLOAD, "--wave", "crossbar:a:5", says=["'a' is no core cycle"])
    c.refused(*WORKLOAD, "--wave", "crossbar", "--wave", "crossbar:1:2", says=["is wanted twice"])
    c.refused(*WORKLOAD, "--wave", "crossbar", "--deterministic-check", "2", says=["--wave does not go with --deterministic-check"])
    # A mechanism's tables stand behind one module.
    c.run(*ONE_CORE, *AWARE, *impl("core.control_flow.split_table", "rtl"), *impl("core.control_flow.split_fifo", "rtl"),
          "--wave", "core0.branch_unit.split_fifo", "--out", "out")
    check("top.req_keep_front_i" in changes(c, "out/wave-core0.branch_unit.split_fifo.fst"), "of another block")
