"""Cases of cli_cases.py: heddle run --estimate and --detail, which simulate a part."""

import sqlite3

import cli_kernels as kernels
from cli_command import CYCLE_LIMIT, HANG, case, check, stats

# Thread i adds i to sum[i % 64], i % 7 + 1 times, and stores its number in x.
IRREGULAR = kernels.HEADER + """
.visible .entry irregular(.param .u64 sum, .param .u64 x)
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<7>;
  ld.param.u64 %rd1, [sum];
  ld.param.u64 %rd2, [x];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  and.b32 %r5, %r4, 63;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd3;
  mul.wide.u32 %rd5, %r4, 4;
  add.s64 %rd6, %rd2, %rd5;
  rem.u32 %r6, %r1, 7;
AGAIN:
  red.global.add.u32 [%rd4], %r4;
  sub.u32 %r6, %r6, 1;
  setp.ge.s32 %p1, %r6, 0;
  @%p1 bra AGAIN;
  st.global.u32 [%rd6], %r4;
  ret;
}
"""

# CTA i waits until the one `next` behind it has stored, then stores itself; the last ones wait for none.
CHAIN = kernels.HEADER + """
.visible .entry chain(.param .u64 x, .param .u32 next)
{
  .reg .pred %p<3>;
  .reg .b32 %r<7>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [x];
  ld.param.u32 %r1, [next];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %nctaid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  add.u32 %r4, %r2, %r1;
  setp.ge.u32 %p1, %r4, %r3;
  @%p1 bra STORE;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd4, %rd1, %rd2;
AGAIN:
  ld.volatile.global.u32 %r5, [%rd4];
  setp.eq.u32 %p2, %r5, 0;
  @%p2 bra AGAIN;
STORE:
  st.volatile.global.u32 [%rd3], 1;
  ret;
}
"""


def irregular(c, *arguments, **expected):
    return c.ptx(IRREGULAR, "irregular", "--arg", "buf=sum:64xu32", "--arg", "buf=x:96000xu32", *arguments,
                 grid=3000, block=32, **expected)


@case
def estimate_has_the_whole_result_and_says_what_it_is(c):
    irregular(c, "--out", "whole", "--dump", "sum=whole.bin")
    done = irregular(c, "--out", "part", "--dump", "sum=part.bin", "--estimate", "6:2:8", "--check", "oracle")
    check((c.folder / "whole.bin").read_bytes() == (c.folder / "part.bin").read_bytes(), "another result")
    check(0 < done.stdout.find("all numbers below") < done.stdout.find("  kernel "), "numbers of a part stand above the line that says so")
    check("ESTIMATE" in done.stdout and "of 3,000 CTAs, in 6 windows" in done.stdout, "the report does not say so")
    whole, part = (stats(c.folder / name)["total"] for name in ("whole", "part"))
    estimate = part["estimate"]
    check("estimate" not in whole and estimate["ctas"] == 3000 and estimate["windows"] == 6, "wrong estimate in stats.json")
    check(estimate["simulated_ctas"] < 1500 and part["cycles"] < whole["cycles"] / 2, "too much was simulated")
    off = abs(estimate["cycles"] - whole["cycles"])
    check(off <= estimate["margin_cycles"], f"{estimate} is {off} cycles off")
    check(estimate["margin_cycles"] < whole["cycles"] / 10, f"a margin of {estimate['margin_cycles']} in {whole['cycles']} cycles")
    irregular(c, "--out", "shared", "--estimate", "6:2:8", "--set", "host.threads=2")
    check(stats(c.folder / "shared")["total"] == part, "another estimate on two threads")
    c.refused("compare", "whole", "part", says=["part", "is an estimate", "--estimate"])


@case
def estimate_of_a_small_launch_is_exact(c):
    c.ptx(IRREGULAR, "irregular", "--arg", "buf=sum:64xu32", "--arg", "buf=x:3200xu32", "--out", "all",
          "--estimate", "2", grid=100, block=32)
    check("estimate" not in stats(c.folder / "all")["total"], "an estimate")


@case
def estimate_refuses_ctas_that_wait_for_later_ones(c):
    c.ptx(CHAIN, "chain", "--arg", "buf=x:3000xu32", "--arg", "u32=1", "--estimate", "2", grid=3000,
          block=1, code=HANG, says=["chain", "only CTAs 0 to", "runs without an estimate only"])


@case
def estimate_has_the_limits_and_samples_of_the_launch(c):
    """Not of a window: each takes some thousand cycles."""
    irregular(c, "--out", "part", "--estimate", "6:2:8", "--sample", "1000")
    cycles = stats(c.folder / "part")["total"]["cycles"]
    with sqlite3.connect(c.folder / "part" / "samples.sqlite") as samples:
        count = samples.execute("SELECT samples FROM launches").fetchone()[0]
    check(count == -(-cycles // 1000), f"{count} samples of {cycles} cycles")
    limit = cycles - 100
    done = irregular(c, "--out", "limited", "--estimate", "6:2:8", "--max-cycles", str(limit), code=CYCLE_LIMIT)
    check(f"not finished after {limit} cycles" in done.stderr, "another error")
    total = stats(c.folder / "limited")["total"]
    check(limit <= total["cycles"] < cycles and "estimate" not in total, f"{total['cycles']} cycles of at most {limit}")


@case
def estimate_does_not_go_with_everything(c):
    c.refused("run", "vecadd", "--estimate", "1", says=["--estimate 1", "at least 2"])
    c.refused("run", "vecadd", "--estimate", "4:1:1:1", says=["--estimate 4:1:1:1", "more than three numbers"])
    c.refused("run", "vecadd", "--estimate", "4:", says=["--estimate 4:", "'' is not a whole number from 1 to 10000"])
    c.refused("run", "vecadd", "--estimate", "4", "--estimate", "5", says=["--estimate"])
    c.refused("run", "vecadd", "--estimate", "4", "--deterministic-check", "2", says=["--estimate", "--deterministic-check"])
    c.refused("run", "vecadd", "--estimate", "4", "--trace-blocks", "blocks.json", says=["--estimate", "--trace-blocks"])
    c.refused("run", "vecadd", "--estimate", "4", "--device", "oracle", says=["--estimate", "--device oracle"])
    c.refused("run", "vecadd", "--estimate", "4", "--set", "determinism.enabled=true", says=["determinism.enabled"])
    c.refused("run", "vecadd", "--detail", "vector_add", says=["--detail vector_add", "KERNEL:FROM-TO"])


@case
def detail_of_a_workload_simulates_some_of_its_launches(c):
    done = c.run("run", "bfs", "--size", "tiny", "--platform", "tiny", "--detail", "*:2", "--check", "oracle", "--out", "some")
    total = stats(c.folder / "some")["total"]["launches"]
    check(f"{total} launches simulated in detail" in done.stdout and total == len(stats(c.folder / "some")["kernels"]), "other launches")


@case
def detail_none_runs_the_program_without_time(c):
    done = c.run("run", "sgemm", "--size", "tiny", "--platform", "tiny", "--detail", "none", "--check", "oracle", "--out", "none")
    check("0 launches simulated in detail, 1 run without time" in done.stdout, "something was simulated")
    check(stats(c.folder / "none")["kernels"] == [], "a kernel has statistics")
    misspelt = c.run("run", "vecadd", "--size", "tiny", "--platform", "tiny", "--detail", "vecad:1-2", "--detail", "none")
    check("no launch was --detail vecad:1-2" in misspelt.stdout, "the name is wrong, and nothing says so")


@case
def a_fault_without_time_is_the_same_as_with_it(c):
    """The same place, thread and remedy."""
    arguments = ("--arg", "buf=sum:4xu32", "--arg", "buf=x:3200xu32")
    simulated = c.ptx(IRREGULAR, "irregular", *arguments, grid=100, block=32, code=3)
    without = c.ptx(IRREGULAR, "irregular", *arguments, "--detail", "none", grid=100, block=32, code=3)
    check(simulated.stderr == without.stderr and "out-of-bounds" in without.stderr, "another message")
