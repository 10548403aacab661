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
def wires_are_placed_and_cost_time(rtl):
    rtl.synth(changed(machine="four"))
    rtl.run("synth", "--wires", says=["with placed wires"])
    placed = json.loads((rtl.block / "wires.json").read_text())
    check(placed["point"] == "four" and placed["ideal_ns"] < placed["placed_ns"] < 2 * placed["ideal_ns"], f"{placed}")
    check(placed["wires_mm"] > 0.5 and re.match(r"(sum_mem|sum_o|valid_o|warp_i|n\d|valid_i|clear_i)", placed["start"]), f"{placed}")
    again = rtl.block / "wires.json"
    text = again.read_text()
    rtl.run("synth", "--wires")
    check(again.read_text() == text, "another placement of the same netlist")
    rtl.run("synth", "--quick")
    sheet = (rtl.out / "sums.md").read_text()
    check("With placed wires, at four: **" in sheet and "of earlier sources" not in sheet.partition("## Mutants")[0], "the sheet does not say so")
    rtl.source(SUMS.replace("sum_mem[warp_i] + add_i", "sum_mem[warp_i] - add_i"))
    rtl.run("synth", "--quick")
    check("at four, of earlier sources" in (rtl.out / "sums.md").read_text(), "wires of other sources")
    rtl.run("synth", "--wires", "--sheets", code=2, says=["leave out --sheets"])
    rtl.synth(changed(machine="five"))
    rtl.run("synth", "--quick", code=2, says=["'machine' is 'five'"])


@case
def requests_of_gpu_runs_are_on_the_sheet(rtl):
    rtl.run("synth", "--quick")
    check("Not counted (`scripts/requests`)" in (rtl.out / "sums.md").read_text(), "counted by nobody")
    regular = {"timing": "contract", "core_cycles": 4000, "clocks": 1000, "busy_clocks": 250, "most": 1, "operations": {"add": 150, "clear": 50}}
    requests = {"platform": "tiny", "size": "tiny", "classes": {"regular": ["vecadd"]}, "blocks": {"sums": {"regular": regular}}}
    (rtl.folder / "requests.json").write_text(json.dumps(requests))
    rtl.run("synth", "--quick")
    sheet, overview = ((rtl.out / name).read_text() for name in ("sums.md", "index.md"))
    check("| regular | 200 | 0.200 | 25.0 % | 1 | 75.0 % | 25.0 % |" in sheet, "a clocked block: of its clocks")
    check("| not recorded | 25.0 % |" in overview, "in use, in the overview")
    regular["timing"] = "ideal"
    (rtl.folder / "requests.json").write_text(json.dumps(requests))
    rtl.run("synth", "--quick")
    check("| regular | 200 | 0.050 | 0.250 | 1 | 75.0 % | 25.0 % |" in (rtl.out / "sums.md").read_text(), "in stopped time: of the core's cycles")


@case
def what_lies_beside_the_blocks_is_checked_before_the_work(rtl):
    rtl.source(SUMS.replace("sum_d = clear_i", "sum_d = no_such_signal"))  # exit code 1, should it be synthesised
    counts = {"timing": "contract", "core_cycles": 4, "clocks": 4, "busy_clocks": 2, "most": 1, "operations": {"add": 1}}

    def requests(**changes):
        return json.dumps({"platform": "p", "size": "tiny", "classes": {"regular": []}, "blocks": {"sums": {"regular": {**counts, **changes}}}})

    for file, remedy, wrong in (
            (rtl.folder / "requests.json", "scripts/requests writes it anew",
             {"{": "requests.json:1:2", "[]": "an object", "{}": "'platform' is missing", requests(clocks="4"): "'clocks' is", requests(timing="x"): "'ideal' is expected",
              requests(operations={"add": None}): "'add' is null", requests().replace('"classes": {"regular": []}', '"classes": {}'): "'regular' is not among"}),
            (rtl.block / "wires.json", "scripts/synth sums --wires writes it anew", {'{"point": }': "wires.json:1:11", "3": "an object", "{}": "'made_from' is missing"}),
            (rtl.block / "formal" / "mutants.json", "--mutants --record writes it anew",
             {"": "mutants.json:1:1", '{"made_from": "x"}': "'found' is missing", '{"made_from": "x", "found": {"sums.a": -1}}': "'sums.a' is -1"})):
        for text, says in wrong.items():
            file.write_text(text)
            rtl.run("synth", "--quick", code=2, says=[str(file), says, remedy])
        file.unlink()
    (rtl.block / "SYNTHESIS.md").mkdir()
    rtl.run("synth", "--sheets", code=2, says=["SYNTHESIS.md: cannot be written", "--rtl", "a folder of blocks that can be written"])
    (rtl.block / "wires.json").mkdir()
    rtl.run("synth", "--wires", code=2, says=["wires.json: cannot be written", "--rtl", "a folder of blocks that can be written"])
    with tempfile.TemporaryDirectory() as folder:
        import tools
        for name in ("osu018_stdcells.lib", "osu018_stdcells.v"):
            (pathlib.Path(folder) / name).symlink_to(tools.cells(name))
        rtl.run("synth", "--wires", code=2, environment={"HEDDLE_CELLS": folder}, says=["osu018_stdcells.lef' is not there", ".lef for scripts/synth --wires"])
        (pathlib.Path(folder) / "osu018_stdcells.lef").write_text("LAYER metal2\n  WIDTH wide ;\nEND metal2\n")
        rtl.run("synth", "--wires", code=2, environment={"HEDDLE_CELLS": folder}, says=["the layer metal2 does not state WIDTH", "scripts/setup"])


@case
def a_record_of_no_mutant_is_none(rtl):
    (rtl.block / "formal" / "mutants.json").write_text(json.dumps({"made_from": "x", "found": {}}))
    rtl.run("synth", "--quick")
    check("not been asked" in (rtl.out / "sums.md").read_text() and "| not recorded |" in (rtl.out / "index.md").read_text(), "0 of 0 found")


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
    (rtl.block / "README.md").write_text("# sums\n\n## Contract\n| | |\n|---|---|\n| Latency | one clock ([why](other.md)) |\n\n## State\n| bits | 4 |\n")
    rtl.run("synth")
    text = (rtl.out / "sums.md").read_text()
    for heading in ("Contract", "Area", "Timing", "FPGA", "State", "Published cost beside", "Netlist against RTL", "What is not included",
                    "Made with"):
        check(f"\n## {heading}\n" in text, f"no section {heading}")
    check("| bits | nowhere | bits per warp, four, in `sum_mem` | 8 | 4 | 0.50 |" in text, "bits per warp")
    check("| once | nowhere | bits, two, in `sum_o`, `valid_o` | 10 | 5 | 0.50 |" in text, "bits of what is there once")
    check("| twice | nowhere | memory bits, four : two | 4 | 2.00 | 0.50 |" in text, "a ratio")
    check("| a sum | nowhere | words only | - | - | - |" in text, "words")
    check("| Latency | one clock (why) |" in text and "| bits | 4 |" not in text, "the contract, without links that lead from the README only")
    ecp5 = rtl.results()["fpga"]
    check(ecp5["parameters"] == {"Warps": 2, "Width": 8} and ecp5["cells"]["LUT4"] > 0 and ecp5["levels"] > 0, f"the machine's point on an ECP5: {ecp5}")
    check("at Warps 2, Width 8." in text, "its parameters")
    check("| `sums` | wide |" in (rtl.out / "index.md").read_text(), "the overview for a review")
    check("| Width 4 | 2 to 4 |" in text, "what a warp more adds")
    page = (rtl.out / "sums.html").read_text()
    check(page.count("<svg") == 1 and page.count("<polyline") >= 2, "the chart")
    check(not re.search(r"(src|href)=\"?(https?:|//)", page), "the page needs other files")
    index = (rtl.out / "index.html").read_text()
    check('href="sums.html"' in index and "proven" in index, "the overview")


@case
def a_machine_of_one_context_has_those_of_a_core_on_the_fpga(rtl):
    rtl.synth(changed(points=[{"name": "one", "parameters": {"Warps": 1, "Width": 4}}], equivalence=[{"Warps": 2, "Width": 4}], published=[]))
    rtl.run("synth")
    check(rtl.results()["fpga"]["parameters"] == {"Warps": 48, "Width": 4}, f"{rtl.results()['fpga']}")


@case
def rows_that_are_searched_are_no_arrays(rtl):
    def parts(**keys):
        rtl.synth(changed(**keys))
        rtl.run("synth")
        line = next(line for line in (rtl.out / "sums.md").read_text().split("Apart: ")[1].splitlines() if line.startswith("| wide "))
        return [cell.strip() for cell in line.strip("|").split("|")]
    array, searched = parts(), parts(searched=["sum_mem"])
    check(array[3] == "16" and searched[3] == "0" and searched[4] == "-", f"array bits {array} {searched}")
    check(int(searched[1].replace(",", "")) == int(array[1].replace(",", "")) + 64, "16 flip-flops of 4 gate equivalents are registers")
    rtl.synth(changed(searched=["sum_men"]))
    rtl.run("synth", code=2, says=["'searched' names 'sum_men', which is a memory at no point; did you mean 'sum_mem'?"])


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


# The memory in a generate block of a helper, whose output is the same register by a second name.
KEPT = """module kept #(parameter int unsigned Warps = 2, parameter int unsigned Width = 4) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  logic             warp_i,
  input  logic [Width-1:0] sum_i,
  output logic             busy_o,
  output logic [Width-1:0] sum_o
);
  logic busy_q;
  assign busy_o = busy_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) busy_q <= 1'b0;
    else busy_q <= valid_i && !busy_q;
  end
  if (Width > 1) begin : gen_wide
    logic [Width-1:0] sum_mem [Warps];
    assign sum_o = sum_mem[warp_i];
    always_ff @(posedge clk_i) if (busy_q) sum_mem[warp_i] <= sum_i;
  end
endmodule
"""
KEEPER = """module sums #(parameter int unsigned Warps = 2, parameter int unsigned Width = 4) (
  input  logic               clk_i, rst_ni, valid_i, warp_i,
  input  logic [Width-1:0]   add_i,
  output logic               ready_o,
  output logic [2*Width-1:0] both_o
);
  logic busy;
  logic [Width-1:0] sum;
  kept #(.Warps(Warps), .Width(Width)) u_kept (
    .clk_i, .rst_ni, .valid_i, .warp_i, .sum_i(sum + add_i), .busy_o(busy), .sum_o(sum));
  assign ready_o = !busy;
  assign {both_o[Width +: Width], both_o[Width-1:0]} = {sum, sum};
endmodule
"""


@case
def registers_of_helpers_and_generate_blocks_are_in_the_proof(rtl):
    (rtl.block / "kept.sv").write_text(KEPT)
    rtl.source(KEEPER)
    rtl.synth(changed(per_warp=["u_kept.busy"], points=SYNTH["points"][:1], published=[]))
    rtl.run("synth", code=2, says=["'per_warp' names 'u_kept.busy'", "did you mean 'u_kept.busy_q'"])
    rtl.synth(changed(per_warp=["u_kept.busy_q"], points=SYNTH["points"][:1], published=[]))
    rtl.run("synth", says=["proven equal"])
    result = rtl.results()
    check([m["name"] for m in result["points"][0]["memories"]] == ["u_kept.gen_wide.sum_mem"], "the memory's name")
    check(result["equivalence"][0]["proof"]["pairs"] >= 1 + 8 + 9, f"{result['equivalence']}")
    # Per warp: four bits of memory, and half of the one bit that two warps have
    check(re.search(r"^\| two .*\| 8 \| 4 \|$", (rtl.out / "sums.md").read_text(), re.M), "bits per warp")


@case
def assignments_to_several_nets_are_divided_for_timing(rtl):
    del rtl
    import netlist
    text = ("  output [3:0] a_o;\n  wire [3:0] a_o;\n  wire b_o;\n  wire [1:0] \\u_x.c ;\n"
            "  assign { a_o[3:2], b_o, a_o[0] } = { \\u_x.c , 2'b01 };\n  assign a_o[1] = b_o;\n")
    divided = netlist.bit_by_bit(text).splitlines()[4:]
    check(divided == ["  assign a_o[3] = \\u_x.c [1];", "  assign a_o[2] = \\u_x.c [0];", "  assign b_o = 1'b0;",
                      "  assign a_o[0] = 1'b1;", "  assign a_o[1] = b_o;"], f"{divided}")


@case
def published_totals_stand_beside_the_sums_of_blocks(rtl):
    part = {"what": "sums", "published": 3, "block": "sums", "point": "two", "counted": ["sum_mem"], "why": "rounder"}
    totals = {"totals": [{"name": "both", "published": 5, "source": "nowhere", "parts": [
        part, {"what": "clerk", "published": 2, "why": "not in a block"}]},
        {"name": "half", "published": 4, "source": "nowhere", "against": "both", "parts": [
            {**part, "published": 4, "counted": []}]}]}
    (rtl.folder / "tables.json").write_text(json.dumps(totals))
    rtl.run("synth", "--quick")
    text = (rtl.out / "index.md").read_text()
    check("| both | nowhere | 5 | 3 | 4 | 1.33 | 0 | 6 |" in text, "the total, and what is no block as published")
    check("| half | nowhere | 4 | 4 | 0 | 0.00 | 4 | 4 |" in text, "what is not counted stands besides")
    check("| half | both | 1.25 | 0.75 | - | 1.50 |" in text, "how many times smaller")
    check("| clerk | no block | 2 | - | - | not in a block | both |" in text, "a part that is no block")
    totals["totals"][0]["published"] = 6
    (rtl.folder / "tables.json").write_text(json.dumps(totals))
    rtl.run("synth", "--quick", code=2, says=["the parts of 'both' are not 6 bits together"])


@case
def sheets_are_written_beside_the_sources(rtl):
    rtl.run("synth", "--sheets", "--quick", code=2, says=["leave out --quick"])
    rtl.run("synth", "--sheets")
    text = (rtl.block / "SYNTHESIS.md").read_text()
    check(text == (rtl.out / "sums.md").read_text(), "another sheet")
    check("(sums/SYNTHESIS.md)" in (rtl.folder / "SYNTHESIS-OVERVIEW.md").read_text(), "the overview")
    import blocks
    import specification

    def fingerprint():
        return specification.Specification(blocks.Block(rtl.block)).fingerprint()
    check(f"sources {fingerprint()}." in text, "the sources it is made from")
    rtl.source(SUMS.replace("module sums", "// one sum a warp\nmodule  sums").replace(
        "endmodule", "`ifdef FORMAL\n  assert property (1);\n`endif\nendmodule"))
    check(fingerprint() in text, "comments, spaces and proofs are no difference")
    check(blocks.Block(rtl.block).canonical() == {"sums.sv": blocks.canonical(SUMS)}, "the same goes into the netlist")
    rtl.run("synth", "--sheets")
    check((rtl.block / "SYNTHESIS.md").read_text() == text, "the sheet depends on comments, spaces or proofs")
    rtl.source(SUMS.replace("+ add_i", "- add_i"))
    check(fingerprint() not in text, "the sheet is of other sources")


@case
def a_netlist_that_cannot_be_proven_is_said_to_be_simulated_only(rtl):
    # Three warps: the memory can be read beyond its end, where the RTL leaves the answer open.
    three = {"Warps": 3, "Width": 4}
    rtl.synth(changed(points=[{"name": "three", "parameters": three}], equivalence=[{"Warps": 2, "Width": 4}, three], published=[]))
    rtl.run("synth", says=["netlist proven equal to the RTL", "simulated, not proven equal"])
    proven, result = rtl.results()["equivalence"]
    check(proven["proof"]["proven"] and "Width 4: **proven equal**" in (rtl.out / "sums.md").read_text(), "the other point")
    check("| simulated |" in (rtl.out / "index.md").read_text(), "proven at one of two points is not proven")
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
    before = {file.name: file.read_bytes() for file in rtl.out.iterdir() if file.is_file() and file.name != ".lock"}
    rtl.source(SUMS.replace("sum_d = clear_i", "sum_d = no_such_signal"))
    rtl.run("synth", "--quick", code=1, says=["sums, ", "no_such_signal"])
    check(before == {file.name: file.read_bytes() for file in rtl.out.iterdir() if file.is_file() and file.name != ".lock"}, "files changed")
    check({file.name for file in rtl.out.glob(".*")} <= {".lock"}, "a temporary folder was left")


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
    refuses(changed(published=[{"text": "t", "source": "s", "bits": {"published": 1, "point": "six", "state": []}}]),
            "the point 'six'")
    refuses(changed(published=[{"text": "t", "source": "s", "ratio": {
        "published": 1, "quantity": "colour", "of": {"point": "two"}, "to": {"point": "two"}}}]),
            "'quantity'", "state_bits")
    refuses("[]", "an object")


@case
def state_that_is_not_there_is_not_compared(rtl):
    for key, names in (("bits_per_warp", "memories"), ("bits", "state")):
        rtl.synth(changed(published=[{"text": "t", "source": "s", key: {"published": 1, "point": "two", names: ["sum_q"]}}]))
        rtl.run("synth", "--quick", code=2, says=["sums, two: no ", "'sum_q'", "there are: sum_mem"])


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
