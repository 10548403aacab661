"""Cases of cli_cases.py: --deterministic-check, runs with perturbed timing compared launch by launch."""

import json
import re

from cli_command import BAD_INPUT, CYCLE_LIMIT, HANG, KERNEL_FAULT, MISMATCH, case, check

NONDETERMINISTIC = 8

# All threads of eight CTAs store their number to one word, and one thread of CTA 0 stores its number to the next.
RACE = """.version 6.4
.target sm_70
.address_size 64
.visible .entry race(.param .u64 words) {
  .reg .u32 %t, %c, %n;
  .reg .u64 %a;
  .reg .pred %p;
  ld.param.u64 %a, [words];
  mov.u32 %c, %ctaid.x;
  mov.u32 %t, %tid.x;
  mov.u32 %n, %ntid.x;
  mad.lo.u32 %n, %c, %n, %t;
  add.u32 %n, %n, 1;
  setp.eq.u32 %p, %n, 7;
  @%p st.global.u32 [%a+4], %n;
  st.global.u32 [%a+8], %n;
  ret;
}
"""
ATOMIC = RACE.replace("@%p st.global.u32 [%a+4], %n;", "").replace("st.global.u32 [%a+8], %n;",
                                                                   "atom.global.exch.b32 %t, [%a+8], %n;")


def kernel(c, text, *arguments, **expected):
    return c.run("run", "--platform", "tiny", "--ptx", c.file("race.ptx", text), "--entry", "race", "--grid", "8",
                 "--block", "64", "--arg", "buf=words:4xu32", *arguments, **expected)


def result(c, folder):
    return json.loads((c.folder / folder / "determinism.json").read_text())


@case
def deterministic_check_passes_what_does_not_race(c):
    done = c.run("run", "bfs-flags", "--platform", "tiny", "--size", "tiny", "--deterministic-check", "3", "--out", "out")
    found = result(c, "out")
    check(found["deterministic"] and found["memories"] == 1 and len(found["runs"]) == 3, "the result")
    check("first_difference" not in found, "a difference")
    check("memory is the same in all runs" in done.stdout, "the report")
    cycles = {tuple(launch["cycles"] for launch in run["launches"]) for run in found["runs"]}
    check(len(cycles) == 3, "timing was not perturbed")
    check((c.folder / "out" / "config.yaml").exists(), "no config.yaml")


@case
def deterministic_check_names_the_first_difference(c):
    done = kernel(c, RACE, "--deterministic-check", "4", "--out", "out", code=NONDETERMINISTIC)
    found = result(c, "out")
    first = found["first_difference"]
    check(not found["deterministic"] and found["memories"] > 1, "the result")
    check((first["launch"], first["kernel"], first["allocation"], first["offset"]) == (1, "race", "words", 8), "where")
    check(first["words"] == 1 and first["allocations"] == 1, "how many words differ")
    values = first["values"]
    check(values[0]["value"] != values[1]["value"], "the values")
    for value in values:
        writer = value["writer"]
        check(writer["cta"][0] * 64 + writer["thread"][0] + 1 == value["value"] == writer["value"], "not the writer")
        check(re.search(r"race\.ptx:16 \(pc 0x", writer["at"]), "the line")
        check(value["stores"] == 16, "stores of sixteen warps")
        check(f"0x{value['value']:08x}, by thread ({writer['thread'][0]},0,0) of CTA ({writer['cta'][0]},0,0)" in done.stdout,
              "the report")
    check("'words' + 8 (0x" in done.stdout, "the address")


@case
def deterministic_check_names_atomics(c):
    kernel(c, ATOMIC, "--deterministic-check", "4", "--out", "out", code=NONDETERMINISTIC)
    for value in result(c, "out")["first_difference"]["values"]:
        writer = value["writer"]
        check(writer["atomic"] and writer["cta"][0] * 64 + writer["thread"][0] + 1 == value["value"], "not the writer")


@case
def deterministic_check_finds_the_first_launch_of_many(c):
    c.run("run", "bfs-racy", "--platform", "tiny", "--param", "nodes=3000", "--deterministic-check", "5", "--out", "out",
          code=NONDETERMINISTIC)
    found = result(c, "out")
    launch = found["first_difference"]["launch"]
    digests = [{run["launches"][i]["memory"] for run in found["runs"]} for i in range(launch)]
    check(all(len(of) == 1 for of in digests[:-1]) and len(digests[-1]) > 1, "an earlier launch differs")
    check(found["first_difference"]["kernel"] == "bfs_race", "the kernel")


@case
def deterministic_check_is_reproducible(c):
    for folder in ("a", "b"):
        kernel(c, RACE, "--deterministic-check", "3", "--out", folder, code=NONDETERMINISTIC)
    check(result(c, "a") == result(c, "b"), "another result")


@case
def deterministic_check_can_leave_sources_out(c):
    off = [word for key in ("memory.crossbar", "memory.dram", "core.scheduler", "core.start_jitter")
           for word in ("--set", f"test.{key}.perturb_seed=0")]
    kernel(c, RACE, "--deterministic-check", "3", *off)


def undecided(c, done, folder, launches_before=0):
    found = result(c, folder)
    check(found["deterministic"] is None and found["memories"] == 1 and "first_difference" not in found, "a verdict")
    check("  undecided         all runs end early" in done.stdout, "the report does not say it")
    check("memory is the same" not in done.stdout if launches_before == 0 else
          f"memory is the same in all runs after each of the {launches_before} launches before" in done.stdout, "of launches before")
    check("heddle: error: all 3 runs end early" in done.stderr, "the error does not say it")


@case
def deterministic_check_has_no_verdict_where_all_runs_end_early(c):
    """Whatever memory holds when a launch is given up: here all threads have stored, in an order that depends on timing."""
    fault = RACE.replace("ret;", "bar.sync 0;\n  ld.global.u32 %n, [%a+4096];\n  ret;")
    done = kernel(c, fault, "--deterministic-check", "3", "--out", "fault", code=KERNEL_FAULT)
    undecided(c, done, "fault")
    check("past the end of 'words'" in done.stderr, "the fault")
    hang = RACE.replace("ret;", "AGAIN:\n  ld.volatile.global.u32 %n, [%a+12];\n  setp.eq.u32 %p, %n, 0;\n  @%p bra AGAIN;\n  ret;")
    done = kernel(c, hang, "--deterministic-check", "3", "--out", "hang", code=HANG)
    undecided(c, done, "hang")
    done = kernel(c, RACE, "--deterministic-check", "3", "--out", "limit", "--max-cycles", "300", code=CYCLE_LIMIT)
    undecided(c, done, "limit")


@case
def deterministic_check_tells_runs_that_end_from_runs_that_do_not(c):
    """Who of eight CTAs stores last decides whether one of them faults."""
    some = RACE.replace("st.global.u32 [%a+8], %n;", """atom.global.add.u32 %t, [%a+8], 1;
  setp.eq.u32 %p, %t, 0;
  and.b32 %c, %n, 64;
  @!%p mov.u32 %c, 0;
  mul.wide.u32 %b, %c, 64;
  add.u64 %a, %a, %b;
  st.global.u32 [%a+12], %n;""").replace(".reg .u64 %a;", ".reg .u64 %a, %b;")
    done = kernel(c, some, "--deterministic-check", "8", "--out", "out", code=NONDETERMINISTIC)
    found = result(c, "out")
    check(found["deterministic"] is False and {"ended" in run for run in found["runs"]} == {False, True}, "no such runs")
    what = found["first_difference"]["what"]
    check("race ends early (exit code 3)" in what and "race completes" in what and what in done.stdout, f"the difference: {what}")


@case
def deterministic_check_passes_on_how_all_runs_end(c):
    wrong = c.file("wrong.bin", bytes([1]) * 16)
    kernel(c, RACE.replace("st.global.u32 [%a+8], %n;", ""), "--deterministic-check", "2", "--compare", f"words={wrong}",
           code=MISMATCH)
    fault = kernel(c, RACE.replace("[%a+4]", "[%a+4096]"), "--deterministic-check", "2", code=KERNEL_FAULT)
    check("all 2 runs end early" in fault.stderr and "past the end of 'words'" in fault.stderr, "the fault")
    c.run("run", "spinlock", "--platform", "tiny", "--size", "tiny", "--deterministic-check", "2", code=HANG)
    c.run("run", "spinlock", "--platform", "tiny", "--size", "tiny", "--set", "determinism.enabled=true", code=HANG)


@case
def deterministic_check_refuses_what_is_of_one_run(c):
    for option in (("--check", "oracle"), ("--profile",), ("--trace-tables", "t.jsonl"),
                   ("--trace-control-flow", "t.cft"), ("--trace-timeline", "t.json", "--trace-warp", "0:0")):
        c.refused("run", "bfs", "--platform", "tiny", "--size", "tiny", "--deterministic-check", "2", *option,
                  says=[option[0], "--deterministic-check"])
    for number in ("0", "1", "-2", "x", "100001", "99999999999999999999"):
        done = c.run("run", "bfs", "--size", "tiny", "--deterministic-check", number, code=BAD_INPUT)
        check("--deterministic-check" in done.stderr, "which option")
    c.refused("run", "bfs", "--platform", "tiny", "--size", "tiny", "--deterministic-check", "2", "--set",
              "test.memory.crossbar.perturb_sed=1", says=["perturb_seed"])
