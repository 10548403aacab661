"""Cases of cli_cases.py: convergence instructions placed into PTX kernels (core.convergence, heddle analyze --convergence)."""

import json

from cli_analyze_cases import SPIN, SPIN_ARGUMENTS
from cli_command import BAD_INPUT, HANG, case, check
from cli_listing_cases import HANOI, PROFILE_P
from cli_listing_cases import SPIN as SPIN_LISTING

# All lanes of the inner branch exit, while the others wait at JOIN ([Hanoi:G8]).
LEAVE = """.version 7.0
.target sm_75
.address_size 64
.visible .entry leave(.param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r2, 1;
  setp.lt.u32 %p1, %r1, 16;
  @!%p1 bra JOIN;
  setp.lt.u32 %p2, %r1, 8;
  setp.lt.u32 %p3, %r1, 100;
  @%p2 bra LEFT;
  mov.u32 %r2, 2;
  @%p3 exit;
  bra INNER;
LEFT:
  mov.u32 %r2, 3;
  @%p3 exit;
INNER:
  add.u32 %r2, %r2, 4;
JOIN:
  st.global.u32 [%rd3], %r2;
  add.u32 %r2, %r2, 10;
  st.global.u32 [%rd3], %r2;
  ret;
}
"""
# A loop left by `break`, and a join that is nobody's post-dominator: if (a || b).
EITHER = """.version 7.0
.target sm_75
.address_size 64
.visible .entry either(.param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  mov.u32 %r2, 0;
  setp.lt.u32 %p1, %r1, 8;
  @%p1 bra BODY;
  setp.gt.u32 %p2, %r1, 24;
  @!%p2 bra JOIN;
BODY:
  mov.u32 %r2, 1;
JOIN:
  add.u32 %r2, %r2, 4;
  st.global.u32 [%rd3], %r2;
  ret;
}
"""


def regions(c, text, *more):
    return json.loads(c.run("analyze", text, "--convergence", "--json", *more).stdout)[0]


def placed(kernel):
    return [line["placed"] for line in kernel["code"] if "placed" in line]


@case
def analyze_prints_the_placed_convergence_instructions(c):
    file = c.file("either.ptx", EITHER)
    check(placed(regions(c, file)) == ["BSSY B1, 0x078", "BSSY B0, 0x068", "@!%p2 BREAK B0", "BSYNC B0", "BSYNC B1"],
          str(placed(regions(c, file))))
    check(placed(regions(c, file, "--no-early")) == ["BSSY B0, 0x060", "BSYNC B0"], "without early regions")
    text = c.run("analyze", file, "--convergence").stdout
    for line in ("either in ", ": 2 regions", "B0: 0x038 to 0x060, early, left on 1 edge",
                 "0x048     16 setp.gt.u32 %p2, %r1, 24;", "0x050        @!%p2 BREAK B0"):
        check(line in text, f"'{line}' is not in\n{text}")


@case
def analyze_places_with_few_barrier_registers(c):
    kernel = regions(c, c.file("either.ptx", EITHER), "--barrier-registers", "1")
    check([region["early"] for region in kernel["regions"]] == [False] and kernel["dropped"] == 1, str(kernel["regions"]))
    c.refused("analyze", c.file("either.ptx", EITHER), "--convergence", "--barrier-registers", "0",
              says=["--barrier-registers"])
    c.refused("analyze", c.file("either.ptx", EITHER), "--convergence", "--dot", "x.dot",
              says=["--convergence prints a listing and nothing else"])


RECURSION = """.version 7.0
.target sm_75
.address_size 64
.func (.reg .b32 %out) sum(.reg .b32 %n)
{
  .reg .b32 %m;
  .reg .pred %p;
  mov.u32 %out, 0;
  setp.eq.u32 %p, %n, 0;
  @%p bra DONE;
  sub.u32 %m, %n, 1;
  call (%out), sum, (%m);
  add.u32 %out, %out, %n;
DONE:
  ret;
}
.visible .entry sums(.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  call (%r2), sum, (%r1);
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd2, %rd1, %rd2;
  st.global.u32 [%rd2], %r2;
  ret;
}
"""


@case
def analyze_shows_how_recursive_functions_keep_barrier_registers(c):
    file = c.file("sums.ptx", RECURSION)
    kernel = regions(c, file)
    check([(region["barrier"], region["saved"]) for region in kernel["regions"]] == [("B0", True)], str(kernel["regions"]))
    check(kernel["nested_calls"] == 31, str(kernel["nested_calls"]))
    code = placed(kernel)
    # What saves the function's own registers is among it.
    for line in ("mov.b32 %recursion_depth, 0x00000000", "setp.le.u32 %armed, %recursion_depth, 0x0000001f",
                 "@%armed BMOV.32.CLEAR %barrier, B0", "@%armed BMOV.32 B0, %barrier", "@%armed BSYNC B0",
                 "sub.u32 %recursion_depth, %recursion_depth, 0x00000001"):
        check(line in code, f"'{line}' is not in\n{code}")
    check(not any("BRA" in line or "(operation)" in line for line in code), str(code))
    stored = [line for line in code if line.startswith("@%armed st.local.b32 [") and line.endswith(", %barrier")]
    loaded = [line for line in code if line.startswith("@%armed ld.local.b32 %barrier, [")]
    check(len(stored) == 1 and len(loaded) == 1, str(code))
    check("B0: " in c.run("analyze", file, "--convergence").stdout and
          "saved in the frame\n  recursive calls: regions in the first 31" in c.run("analyze", file, "--convergence").stdout, "listing")


@case
def analyze_leaves_listings_as_they_are(c):
    file = c.file("spin.sass", SPIN_LISTING)
    text = c.run("analyze", file, "--convergence").stdout
    check("has convergence instructions of its own; none are placed" in text and "BSYNC B0" in text, text)
    c.refused("analyze", file, "--transform", "ssde", "-o", "x.ptx", says=["this is a listing"])


def spin(c, *more, code=0):
    return c.run("run", "--ptx", c.file("spin.ptx", SPIN), "--entry", "spin", "--grid", "1", "--block", "32",
                 "--platform", "tiny", "--max-cycles", "200000", *SPIN_ARGUMENTS, *more, code=code)


@case
def a_spin_lock_from_ptx_completes_on_hanoi(c):
    for profile in (HANOI, PROFILE_P):
        check("counter = 32" in spin(c, *profile).stdout, "the counter")


@case
def without_yield_or_placement_a_spin_lock_hangs_on_hanoi_and_is_diagnosed(c):
    for key in ("yields=off", "placement=off", "delay=off"):
        text = spin(c, *PROFILE_P, "--set", f"core.convergence.{key}", code=HANG).stderr
        check("hangs: " in text, f"{key}: {text}")


def leave(c, profile, pins, code=0):
    return c.run("run", "--ptx", c.file("leave.ptx", LEAVE), "--entry", "leave", "--grid", "1", "--block", "32",
                 "--platform", "tiny", "--arg", "buf=out:32xu32", "--print", "out:32", *HANOI, "--set",
                 f"core.control_flow.hanoi.profile={profile}", "--set", "core.convergence.barrier_registers=1", "--set",
                 f"core.convergence.pins={pins}", code=code)


@case
def a_spilled_region_whose_lanes_exit_elsewhere_hangs_in_p_only(c):
    right = leave(c, "P", "true").stdout
    check("out = 0 0" in right and right.rstrip().endswith("11 11"), right)
    check("convergence barrier B0" in leave(c, "P", "false", code=HANG).stderr, "G8 hangs")
    stored = [line for line in right.splitlines() if line.startswith("  out = ")]
    check(stored and stored == [line for line in leave(c, "X", "false").stdout.splitlines() if line.startswith("  out = ")],
          "profile X lets the waiting lanes go on")


@case
def more_barrier_registers_than_the_mechanism_has_are_refused(c):
    text = spin(c, *PROFILE_P, "--set", "core.convergence.barrier_registers=8", code=BAD_INPUT).stderr
    check("core.control_flow.mechanism=hanoi leaves 7 to programs" in text, text)
    check("counter = 32" in spin(c, *PROFILE_P, "--set", "core.convergence.barrier_registers=7").stdout, "7 are there")
