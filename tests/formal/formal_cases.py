#!/usr/bin/python3
"""scripts/formal on a small block: that failures, vacuous proofs and missed bugs are told, and what it refuses.

formal_cases.py --list prints the names of the cases; formal_cases.py CASE runs one."""

import json
import shutil
import sys

import rtl_fixture
from rtl_fixture import FORMAL, PROOF, SUMS

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def changed(**keys):
    return {**PROOF, **keys}


def with_bug(**keys):
    return {**PROOF, "seeded_bug": {**PROOF["seeded_bug"], **keys}}


@case
def a_right_block_passes(rtl):
    text = rtl.run("formal", says=["sums"])
    lines = {tuple(line.split()[1:4]): line for line in text.splitlines() if line.startswith("sums")}
    for kind, steps in (("bounded", "5"), ("induction", "2")):
        rtl_fixture.check(lines.get((kind, "2", steps), "").endswith("passed"), f"{kind}, 2 properties, {steps} steps")
    text = rtl.run("formal", "--short")
    rtl_fixture.check("induction" not in text and "  3  " in text, "short: 3 steps, no induction")


@case
def a_wrong_block_fails_with_a_trace(rtl):
    rtl.source(SUMS.replace("clear_i ? '0 :", "clear_i ? Width'(8) :"))
    rtl.run("formal", code=1, says=["FAILED in step", "sums_formal.sv:15", "sums.vcd"])
    trace = (rtl.out / "sums.vcd").read_text()
    rtl_fixture.check("$var" in trace and "add_i" in trace, "the trace does not show the pins")
    rtl.source(SUMS)
    rtl.run("formal", "--short")
    rtl_fixture.check(not (rtl.out / "sums.vcd").exists(), "the trace of an earlier failure is still there")


@case
def induction_that_does_not_close_is_a_failure(rtl):
    # From some state the sum is 15; no reset state leads there, which bounded checking knows and induction does not.
    never = "    if (past_q && rst_ni) assert (counter_q != 4'd15);\n  end\n"
    rtl.checker(FORMAL.replace("  logic past_q = 1'b0;", "  logic past_q = 1'b0;\n  logic [3:0] counter_q = 4'd0;\n"
                               "  always_ff @(posedge clk_i) counter_q <= counter_q == 4'd9 ? 4'd0 : counter_q + 4'd1;")
                .replace("    end\n  end\n", "    end\n" + never))
    text = rtl.run("formal", code=1, says=["FAILED", "sums_induction.vcd"])
    kinds = {line.split()[1]: line for line in text.splitlines() if line.startswith("sums")}
    rtl_fixture.check(kinds["bounded"].endswith("passed"), "bounded checking passes")


# Codes of the block under the names that the property uses.
CODES = "  typedef enum logic [1:0] { OpHold = 2'd0, /* not 2'd1 */ OpClear = 2'd%d } op_e;  // on a pin\n"
CODED = (FORMAL.replace("  logic valid;\n", '`include "sums_codes.svh"\n  logic valid;\n', 1)
         .replace("$past(clear_i)) assert", "$past({1'b1, clear_i}) == OpClear) assert"))


@case
def properties_have_the_codes_of_the_block(rtl):
    def block(text):
        rtl.source(SUMS.replace(");\n", ");\n" + text, 1))

    rtl.checker(CODED)
    block(CODES % 3)
    rtl.run("formal", "--short", says=["passed"])
    block(CODES % 2)  # {1, 0}: not cleared
    rtl.run("formal", code=1, says=["FAILED"])  # in the fourth step
    for wrong, says in (("OpClear", "'OpClear' of op_e is no NAME = WIDTH'dVALUE"), ("Clear = 2'd3", "call it Op...")):
        block(f"  typedef enum logic [1:0] {{ OpHold = 2'd0, {wrong} }} op_e;\n")
        rtl.run("formal", "--short", code=2, says=["sums.sv", says])


@case
def a_seeded_bug_is_found(rtl):
    rtl.run("formal", "--seeded-bugs", says=["found in step 3", "sums_formal.sv:15"])
    rtl_fixture.check((rtl.block / "sums.sv").read_text() == SUMS, "the source was changed")


@case
def a_seeded_bug_that_is_not_found_is_a_failure(rtl):
    rtl.proof(with_bug(replace="sum_mem[warp_i] + add_i", **{"with": "sum_mem[warp_i] - add_i"}, why="nobody looks"))
    rtl.run("formal", "--seeded-bugs", code=1, says=["NOT FOUND: nobody looks"])
    rtl.proof(with_bug(found_within=1))
    rtl.run("formal", "--seeded-bugs", code=1, says=["NOT FOUND"])


@case
def a_seeded_bug_that_does_not_compile_is_a_failure(rtl):
    rtl.proof(with_bug(**{"with": "clear_i ? ) :"}))
    rtl.run("formal", "--seeded-bugs", code=1, says=["sums.sv:18", "syntax error"])
    rtl.proof(with_bug(**{"with": "clear_i ? nothing :"}))
    rtl.run("formal", "--seeded-bugs", code=1, says=["yosys refused the model", "nothing"])


@case
def proofs_of_nothing_are_failures(rtl):
    rtl.checker(FORMAL.replace("assert", "assume"))
    rtl.run("formal", "--short", code=1, says=["sums_formal asserts nothing"])
    rtl.checker(FORMAL.replace("if (!past_q) assume (!rst_ni);", "assume (rst_ni); assume (!rst_ni);"))
    rtl.run("formal", "--short", code=1, says=["the assumptions contradict each other"])


@case
def what_is_to_be_reached_has_to_be(rtl):
    def covers(*conditions):
        statements = "".join(f"    if (past_q && rst_ni) cover ({condition});\n" for condition in conditions)
        rtl.checker(FORMAL.replace("    end\n  end\n", f"    end\n{statements}  end\n"))
    covers("valid", "valid && sum == 4'd2")
    text = rtl.run("formal", says=["reached, the last in step 3"])
    line = next(line for line in text.splitlines() if " cover " in line)
    rtl_fixture.check("  2      5  " in line, "2 cover statements, 5 steps")
    covers("valid", "valid && $past(clear_i) && sum == 4'd1")
    rtl.run("formal", code=1, says=["NOT REACHED: sums_formal.sv:18"])
    covers("valid && $past(valid)")
    rtl.run("formal", "--short", code=1, says=["NOT REACHED: sums_formal.sv:17"])


@case
def a_deep_top_is_checked_in_more_steps(rtl):
    # It counts to the seventh clock, which the other wrapper's five do not see.
    deep = (FORMAL.replace("sums_formal", "sums_deep").replace("  logic past_q = 1'b0;", "  logic past_q = 1'b0;\n  logic [3:0] clock_q = 4'd0;\n"
            "  always_ff @(posedge clk_i) begin clock_q <= clock_q + 4'd1; assert (clock_q < 4'dLAST); end"))
    rtl.proof(changed(deep_top="sums_deep", deep_steps=7))
    (rtl.block / "formal" / "sums_deep.sv").write_text(deep.replace("LAST", "6"))
    text = rtl.run("formal", says=["bounded deep"])
    rtl_fixture.check(text.count("passed") == 3, "bounded, induction, bounded deep")
    (rtl.block / "formal" / "sums_deep.sv").write_text(deep.replace("LAST", "5"))
    rtl.run("formal", code=1, says=["FAILED in step 6: sums_deep.sv", "sums_deep.vcd"])
    rtl.run("formal", "--short", says=["passed"])


@case
def an_exact_top_is_checked_with_short_too(rtl):
    rtl.proof(changed(exact_top="sums_exact", exact_steps=4))
    exact = rtl.block / "formal" / "sums_exact.sv"
    exact.write_text(FORMAL.replace("sums_formal", "sums_exact"))
    rtl.run("formal", "--short", says=["bounded exact"])
    exact.write_text(FORMAL.replace("sums_formal", "sums_exact").replace("valid == $past(valid_i)", "valid != $past(valid_i)"))
    rtl.run("formal", "--short", code=1, says=["FAILED", "sums_exact.sv", "sums_exact.vcd"])
    rtl.proof(changed(exact_top="sums_exact"))
    rtl.run("formal", "--short", code=2, says=["'exact_steps' is missing"])


@case
def instances_beside_each_other_are_proven_one_by_one(rtl):
    sys.path[:0] = [str(rtl_fixture.ROOT / "scripts" / name) for name in ("proofs", "synthesis")]
    import blocks
    import mutants
    import proof
    import tools
    two = """
module sums_two (input logic clk_i, input logic rst_ni, input logic valid_i, input logic clear_i, input logic warp_i, input logic [3:0] add_i);
  sums_formal u_right (.*);  // u_comment (is none
  sums_formal u_cleared (.clk_i, .rst_ni, .valid_i, .clear_i(1'b1), .warp_i('0), .add_i);
endmodule
"""
    (rtl.block / "formal" / "sums_two.sv").write_text(two)
    rtl.proof(changed(top="sums_two"))
    text = rtl.run("formal", says=["u_right: passed", "u_cleared: passed"])
    rtl_fixture.check(text.count("  2      5  ") == 2 and text.count("passed") == 4, "bounded and induction of each, with its own two properties")
    # Only sums that are not cleared are wrong: one of the instances sees none.
    rtl.checker(FORMAL.replace("if (valid && $past(clear_i)) assert (sum == 4'd0);", "if (valid) assert (sum == 4'd0);"))
    rtl.run("formal", code=1, says=["u_right: FAILED in step", "u_cleared: passed", "sums_u_right.vcd"])
    rtl.checker(FORMAL)
    rtl.run("formal", "--seeded-bugs", says=["found in step 3"])
    # A wrapper that states something itself may relate them, and is one model.
    (rtl.block / "formal" / "sums_two.sv").write_text(two.replace("endmodule", "  always_ff @(posedge clk_i) assert (1'b1);\nendmodule"))
    text = rtl.run("formal", "--short", says=["passed"])
    rtl_fixture.check("u_right:" not in text, "one model")
    (rtl.block / "formal" / "sums_two.sv").write_text(two)
    mutant = mutants.Mutant({"name": "sums.first", "why": "", "file": "sums.sv", "replace": "'0 :", "with": "1 :", "proof": 3, "instance": "u_right"}, blocks.Block(rtl.block), "")
    asked = proof.Proof(blocks.Block(rtl.block))
    asked.check_instance(mutant)
    mutant.instance = "u_comment"
    try:
        asked.check_instance(mutant)
    except tools.InputError as error:
        rtl_fixture.check("'u_comment' is none of the instances" in str(error) and "sums_two.sv" in str(error), str(error))
    else:
        raise AssertionError("an instance that is not there is taken")


@case
def every_output_has_to_be_asserted(rtl):
    rtl.proof(changed(short_steps=5))
    rtl.run("formal", "--outputs", says=["4 of 4 found"])
    rtl.checker(FORMAL.replace("if (valid && $past(clear_i)) assert (sum == 4'd0);", ""))
    rtl.run("formal", "--outputs", code=1, says=["2 of 4 found", "NOT FOUND: sum_o flipped, sum_o late"])
    # A sum that is seen in one state only: its value is asserted, its clock is not.
    rtl.checker(FORMAL.replace("if (valid && $past(clear_i)) assert (sum == 4'd0);", "if (valid && $past(clear_i) && $past(valid_i && clear_i, 2)) assert (sum == 4'd0);"))
    rtl.run("formal", "--outputs", code=1, says=["3 of 4 found", "NOT FOUND: sum_o late"])


@case
def the_default_tests_have_three_mutants_of_every_block(rtl):
    del rtl
    listed = json.loads((rtl_fixture.ROOT / "tests" / "mutants" / "rtl.json").read_text())
    tests = (rtl_fixture.ROOT / "tests" / "formal" / "CMakeLists.txt").read_text()
    rtl_fixture.check("--mutants --first 3)" in tests, "the test formal.mutant.<block> asks the first three")
    for proof in sorted((rtl_fixture.ROOT / "rtl").glob("*/formal/proof.json")):
        block = proof.parents[1].name
        first = [entry for entry in listed if entry["name"].startswith(f"{block}.")][:3]
        found = [entry["name"] for entry in first if entry.get("proof", 0) > 0 and not entry.get("survives")]
        rtl_fixture.check(len(found) == 3, f"{block}: {found}")


@case
def what_is_found_of_mutants_adds_up_while_the_sources_stay(rtl):
    sys.path[:0] = [str(rtl_fixture.ROOT / "scripts" / name) for name in ("proofs", "synthesis")]
    import blocks
    import mutants
    listed = ["sums.first", "sums.second", "sums.third"]
    mutants.record(blocks.Block(rtl.block), {"sums.second": None}, listed)
    mutants.record(blocks.Block(rtl.block), {"sums.first": 3, "sums.gone": 2}, listed)
    rtl_fixture.check(mutants.recorded(blocks.Block(rtl.block)) == ({"sums.first": 3, "sums.second": None}, True), "two runs of the same sources")
    rtl.source(SUMS.replace("sum_mem[warp_i] + add_i", "add_i + sum_mem[warp_i]"))
    rtl_fixture.check(not mutants.recorded(blocks.Block(rtl.block))[1], "of other sources")
    made_from = mutants.made_from(blocks.Block(rtl.block))
    (rtl.block / "formal" / "sums_exact.sv").write_text("module sums_exact; endmodule\n")
    rtl_fixture.check(mutants.made_from(blocks.Block(rtl.block)) == made_from, "a wrapper that mutants are not put to decides nothing")
    rtl.checker(FORMAL + "\n")
    rtl_fixture.check(mutants.made_from(blocks.Block(rtl.block)) != made_from, "their wrapper does")
    mutants.record(blocks.Block(rtl.block), {"sums.third": 4}, listed)
    rtl_fixture.check(mutants.recorded(blocks.Block(rtl.block)) == ({"sums.third": 4}, True), "earlier runs of other sources are dropped")


@case
def what_was_not_asked_stays_recorded(rtl):
    for name in ("common", "split_fifo"):
        shutil.copytree(rtl_fixture.ROOT / "rtl" / name, rtl.folder / name)
    fifo, ours = (folder / "formal" / "mutants.json" for folder in (rtl.folder / "split_fifo", rtl.block))
    listed = json.loads((rtl_fixture.ROOT / "tests" / "mutants" / "rtl.json").read_text())
    first, second = [entry["name"] for entry in listed if entry["name"].startswith("split_fifo.")][:2]

    def only(name, **options):
        return rtl.run("formal", "--mutants", "--only", name.partition(".")[2], "--record", **options)

    fifo.unlink()
    ours.write_text(json.dumps({"made_from": "", "found": {"sums.first": 3}}))
    before = ours.read_text()
    rtl_fixture.check("begun anew" not in only(first), "there was nothing to drop")
    rtl_fixture.check(ours.read_text() == before, "of the other block nothing was asked")
    rtl_fixture.check(list(json.loads(fifo.read_text())["found"]) == [first], "what was asked")
    checker = next((rtl.folder / "split_fifo" / "formal").glob("*.sv"))
    checker.write_text(checker.read_text() + "// other sources\n")
    only(second, says=["begun anew: the 1 results"])
    rtl_fixture.check(list(json.loads(fifo.read_text())["found"]) == [second], "results of two sources in one record")
    for text, words in (('{"made_from":', "mutants.json:1:14"), ('{"made_from": "", "found": {"split_fifo.x": "3"}}', "a step, or null"), ("[]", "an object")):
        fifo.write_text(text)
        only(first, code=2, says=["mutants.json", words, "--mutants --record writes it anew"])
    fifo.unlink()
    fifo.mkdir()
    only(first, code=2, says=["--record", "Is a directory", "can be written"])


@case
def what_was_asked_for_wrongly_is_refused(rtl):
    rtl.run("formal", "--only", "first", code=2, says=["--only names mutants"])
    rtl.run("formal", "--mutants", "--only", "first", code=2, says=["no mutant 'first'"])
    rtl.run("formal", "sum", code=2, says=["no block 'sum'", "did you mean 'sums'"])
    rtl.run("formal", "--limit", "0", code=2, says=["0 is less than 1"])
    (rtl.folder / "bare").mkdir()
    (rtl.folder / "bare" / "bare.sv").write_text("module bare; endmodule\n")
    rtl.run("formal", "bare", code=2, says=["block 'bare' has no formal/proof.json"])
    rtl.run("formal", "--short", says=["bare", "nothing proven"])
    rtl.run("formal", code=2, environment={"PATH": "/nonexistent"},
            says=["yosys, yosys-abc, yosys-smtbmc, z3 not found", "scripts/setup", "yosys z3"])


@case
def a_malformed_proof_is_refused(rtl):
    def refuses(value, *words):
        rtl.proof(value)
        rtl.run("formal", "--seeded-bugs", code=2, says=["proof.json", *words])
    refuses('{"top": \n}', "proof.json:2:1")
    refuses(changed(steps=4), "unknown key 'steps'", "did you mean 'bmc_steps'")
    refuses(changed(bmc_steps=0), "'bmc_steps' is 0", "a number of steps")
    refuses(changed(induction_steps=5), "'induction_steps' is 5", "fewer than 'bmc_steps'")
    refuses(changed(top="sums_check"), "sums_check")
    refuses(changed(deep_top="sums_formal", deep_steps=5), "'deep_steps' is 5", "more than 'bmc_steps'")
    refuses(changed(deep_top="sums_formal"), "'deep_steps' is missing")
    refuses({key: value for key, value in PROOF.items() if key != "short_steps"}, "'short_steps' is missing")
    refuses({key: value for key, value in PROOF.items() if key != "seeded_bug"}, "there is no 'seeded_bug'")
    refuses(with_bug(replace="no such text"), "occurs 0 times")
    refuses(with_bug(replace="sum_o"), "it must occur once")
    refuses(with_bug(file="other.sv"), "file 'other.sv'")
    refuses(with_bug(**{"with": PROOF["seeded_bug"]["replace"]}), "the text that is there already")


@case
def a_constant_that_yosys_reads_wrongly_is_refused(rtl):
    rtl.checker(FORMAL.replace("  logic valid;\n", "  localparam logic [3:0] All = '1;\n  logic valid;\n", 1))
    rtl.run("formal", "--short", code=2, says=["sums_formal.sv:", "takes '1 of a parameter for the number 1"])


@case
def a_check_that_takes_too_long_is_a_failure(rtl):
    product = "    assert (!(past_q && a_q > 32'd1 && b_q > 32'd1 && a_q * b_q == 64'd18446744073709551557));\n  end\n"
    rtl.checker(FORMAL.replace("  logic past_q = 1'b0;", "  logic past_q = 1'b0;\n  (* anyconst *) logic [31:0] a, b;\n"
                               "  logic [63:0] a_q, b_q;\n  always_ff @(posedge clk_i) begin a_q <= a; b_q <= b; end")
                .replace("    end\n  end\n", "    end\n" + product))
    rtl.run("formal", "--limit", "2", code=1, says=["did not end within 2 s"])


rtl_fixture.main(CASES)
