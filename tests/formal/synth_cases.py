#!/usr/bin/python3
"""scripts/synth on a small block: what it measures, that it compares netlist and RTL, and what it refuses.

synth_cases.py --list prints the names of the cases; synth_cases.py CASE runs one."""

import json
import pathlib
import re
import shutil
import sys
import tempfile

import rtl_fixture
from rtl_fixture import ROOT, SUMS, SYNTH, check

sys.path.insert(0, str(ROOT / "scripts" / "synthesis"))
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def changed(**keys):
    return {**SYNTH, **keys}


@case
def it_counts_the_bits_the_source_declares(rtl):
    rtl.run("synth", says=["proven equal"])
    points = {p["point"]: p for p in rtl.results()["points"]}
    check({n: p["memory_bits"] for n, p in points.items()} == {"two": 8, "four": 16, "wide": 16}, "memory bits")
    check({n: p["register_bits"] for n, p in points.items()} == {"two": 5, "four": 5, "wide": 9}, "register bits")
    for name, p in points.items():
        check(p["state_cells"] == p["memory_bits"] + p["register_bits"], f"{name}: flip-flops")
        check(abs(p["gate_equivalents"] - p["area_um2"] / 24) < 0.1, f"{name}: a NAND2X1 is 24 um2")
        check(abs(p["state_gate_equivalents"] + p["logic_gate_equivalents"] - p["gate_equivalents"]) < 0.2, "the split")
        check(sum(p["cells_by_type"].values()) == p["cells"], f"{name}: cells")
    check(points["two"]["area_um2"] < points["four"]["area_um2"], "area grows with warps")


@case
def timing_names_registers_and_periods(rtl):
    rtl.run("synth", "--quick")
    for point in rtl.results()["points"]:
        timing = point["timing"]
        check(abs(timing["clock_ns"] - timing["slack_ns"] - timing["shortest_period_ns"]) < 1e-6, "period and slack")
        check(max(timing["period_by_kind_ns"].values()) == timing["shortest_period_ns"], "the worst kind of path")
        path = timing["critical_path"]
        named = re.compile(r"(sum_mem\[\d\]\[\d\]|sum_o\[\d\]|valid_o|(warp|add)_i\[\d\]|(valid|clear)_i|rst_ni)$")
        check(named.match(path["start"]) and named.match(path["end"]), f"{path['start']} to {path['end']}")
        check(path["steps"][-1]["time_ns"] <= timing["shortest_period_ns"], "a path longer than the period")
        check(0 < timing["recovery_slack_ns"] < 1.2 * timing["clock_ns"], "recovery of the reset")


@case
def a_shorter_clock_leaves_less_slack(rtl):
    rtl.run("synth", "--quick")
    relaxed = rtl.results()["points"][0]["timing"]
    rtl.synth(changed(clock_ns=0.5))
    rtl.run("synth", "--quick")
    hurried = rtl.results()["points"][0]["timing"]
    check(hurried["slack_ns"] < 0 < relaxed["slack_ns"], f"{hurried['slack_ns']}, {relaxed['slack_ns']}")


@case
def the_sheet_has_its_sections_and_the_published_ratios(rtl):
    rtl.run("synth")
    text = (rtl.out / "sums.md").read_text()
    for heading in ("Area", "Timing", "State", "Published cost beside", "Netlist against RTL", "What is not included",
                    "Made with"):
        check(f"\n## {heading}\n" in text, f"no section {heading}")
    check("| bits | nowhere | bits per warp, four, in `sum_mem` | 8 | 4 | 0.50 |" in text, "bits per warp")
    check("| twice | nowhere | memory bits, four : two | 4 | 2.00 | 0.50 |" in text, "a ratio")
    check("| a sum | nowhere | words only | - | - | - |" in text, "words")
    check("| Width 4 | 2 to 4 |" in text, "what a warp more adds")
    page = (rtl.out / "sums.html").read_text()
    check(page.count("<svg") == 1 and page.count("<polyline") >= 2, "the chart")
    check(not re.search(r"(src|href)=\"?(https?:|//)", page), "the page needs other files")
    index = (rtl.out / "index.html").read_text()
    check('href="sums.html"' in index and "proven" in index, "the overview")


@case
def a_second_run_comes_from_the_cache_and_is_the_same(rtl):
    rtl.run("synth")
    first = {file.name: file.read_bytes() for file in rtl.out.iterdir() if file.is_file()}
    again = rtl.run("synth", says=["from the cache"])
    check(not re.search(r"\(\d+ s\)", again), "something was made again")
    check(first == {file.name: file.read_bytes() for file in rtl.out.iterdir() if file.is_file()}, "files differ")
    rtl.run("synth", "--fresh")
    check(first == {file.name: file.read_bytes() for file in rtl.out.iterdir() if file.is_file()},
          "a fresh run gives something else")
    rtl.source(SUMS.replace("+ add_i", "- add_i"))
    check("from the cache" not in rtl.run("synth"), "the source has changed")


@case
def a_wrong_netlist_is_found(rtl):
    """One gate of the netlist is exchanged: proof and simulation both see it."""
    import blocks
    import equivalence
    import flow
    import simulation
    import tools
    block, parameters = blocks.Block(rtl.block), {"Warps": 2, "Width": 4}
    library, cells = tools.cells("osu018_stdcells.lib"), tools.cells("osu018_stdcells.v")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        state = flow.state(block, "sums", parameters, "sums", folder)
        flow.synthesise(block, "sums", parameters, 5, library, "sums", folder)
        check(equivalence.prove(block, "sums", parameters, library, "sums", folder, 200)["proven"], "the right one")
        counts = simulation.simulate(block, "sums", parameters, state, cells, 500, "sums", folder)
        check(counts["compared_bits"] == 2500 and counts["values_seen"] == counts["values"] == 10, f"{counts}")
        netlist = (folder / "netlist.v").read_text()
        exchanged, number = re.subn(r"^  NAND2X1 ", "  NOR2X1 ", netlist, count=1, flags=re.MULTILINE)
        check(number == 1, "no NAND2X1 in the netlist")
        (folder / "netlist.v").write_text(exchanged)
        proof = equivalence.prove(block, "sums", parameters, library, "sums", folder, 200)
        check(not proof["proven"] and proof["unproven"], "the proof closes for a wrong netlist")
        try:
            simulation.simulate(block, "sums", parameters, state, cells, 500, "sums", folder)
        except tools.Failure as failure:
            check("in the RTL" in str(failure), f"{failure}")
        else:
            raise AssertionError("simulation saw no difference")


@case
def a_netlist_that_cannot_be_proven_is_said_to_be_simulated_only(rtl):
    # Three warps: the memory can be read beyond its end, where the RTL leaves the answer open.
    rtl.synth(changed(points=[{"name": "three", "parameters": {"Warps": 3, "Width": 4}}], published=[]))
    rtl.run("synth", says=["simulated, not proven equal"])
    result = rtl.results()["equivalence"]
    check(not result["proof"]["proven"] and result["simulation"]["undefined_in_rtl"] > 0, f"{result}")
    check(result["simulation"]["values_seen"] == result["simulation"]["values"], "all values of the outputs")
    check("**not proven, simulated only**" in (rtl.out / "sums.md").read_text(), "the sheet does not say so")


@case
def earlier_results_of_other_blocks_are_kept_while_they_hold(rtl):
    other = rtl.folder / "other"
    other.mkdir()
    (other / "other.sv").write_text(SUMS.replace("module sums", "module other"))
    (other / "synth.json").write_text(json.dumps(changed(top="other", published=[])))
    rtl.run("synth", "--quick")
    rtl.run("synth", "--quick", "sums")
    check("other.md" in (rtl.out / "index.md").read_text(), "the other block is still there")
    (other / "other.sv").write_text(SUMS.replace("module sums", "module other").replace("+ add_i", "- add_i"))
    rtl.run("synth", "--quick", "sums", says=["earlier result dropped"])
    check("other.md" not in (rtl.out / "index.md").read_text(), "a result that does not hold any more")
    check(not (rtl.out / "other.md").exists() and not (rtl.out / "other.html").exists(), "its sheet")


@case
def a_failing_run_leaves_what_was_there(rtl):
    rtl.run("synth", "--quick")
    before = {file.name: file.read_bytes() for file in rtl.out.iterdir() if file.is_file()}
    rtl.source(SUMS.replace("sum_d = clear_i", "sum_d = no_such_signal"))
    rtl.run("synth", "--quick", code=1, says=["sums, ", "no_such_signal"])
    check(before == {file.name: file.read_bytes() for file in rtl.out.iterdir() if file.is_file()}, "files changed")
    check(not list(rtl.out.glob(".*")), "a temporary folder was left")


@case
def what_was_asked_for_wrongly_is_refused(rtl):
    rtl.run("synth", "sum", code=2, says=["no block 'sum'", "did you mean 'sums'"])
    rtl.run("synth", "--jobs", "0", code=2, says=["0 is less than 1"])
    (rtl.folder / "bare").mkdir()
    (rtl.folder / "bare" / "bare.sv").write_text("module bare; endmodule\n")
    rtl.run("synth", "bare", code=2, says=["block 'bare' has no synth.json"])
    rtl.out.write_text("a file is in the way")
    rtl.run("synth", "sums", code=2, says=["cannot write to"])


@case
def a_malformed_specification_is_refused(rtl):
    def refuses(value, *words):
        rtl.synth(value)
        rtl.run("synth", code=2, says=["synth.json", *words])
    refuses('{"top": "sums",\n  "clock_ns": }', "synth.json:2:15")
    refuses(changed(clock=5), "unknown key 'clock'", "did you mean 'clock_ns'")
    refuses(changed(clock_ns=0), "'clock_ns' is 0")
    refuses(changed(points=[]), "'points' is empty")
    refuses(changed(points=[{"name": "a", "parameters": {"Warps": "two"}}], published=[]), "parameter Warps",
            "whole number")
    refuses(changed(points=[SYNTH["points"][0], {"name": "two", "parameters": {"Warps": 8}}], published=[]),
            "two points have the name two")
    refuses(changed(published=[{"text": "t", "source": "s", "bits_per_warp": {"published": 1, "point": "six"}}]),
            "the point 'six'")
    refuses(changed(published=[{"text": "t", "source": "s", "ratio": {
        "published": 1, "quantity": "colour", "of": {"point": "two"}, "to": {"point": "two"}}}]),
            "'quantity'", "state_bits")
    refuses("[]", "an object")


@case
def a_parameter_that_is_not_there_is_an_error(rtl):
    rtl.synth(changed(points=[{"name": "a", "parameters": {"Depth": 4}}], published=[]))
    rtl.run("synth", code=1, says=["sums, a", "Depth"])


@case
def missing_tools_are_named_with_their_packages(rtl):
    rtl.run("synth", code=2, environment={"PATH": "/nonexistent"},
            says=["yosys, sta, iverilog, vvp not found", "scripts/setup", "iverilog opensta yosys"])
    rtl.run("synth", code=2, environment={"HEDDLE_CELLS": "/nonexistent"}, says=["qflow-tech-osu018", "scripts/setup"])
    with tempfile.TemporaryDirectory() as folder:
        for tool in ("yosys", "iverilog", "vvp"):
            (pathlib.Path(folder) / tool).symlink_to(shutil.which(tool))
        rtl.run("synth", code=2, environment={"PATH": folder}, says=["sta not found", "package opensta"])


rtl_fixture.main(CASES)
