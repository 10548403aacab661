"""What Hanoi's tables let run next, on the GPU: checks before every issue, YIELDs, misrouted lanes, hangs."""

import json

from cli_command import HANG, KERNEL_FAULT, case, check
from cli_listing_cases import CONTRACT, HANOI, PROFILE_P

# Lane 0 meets lane 1 and then lane 2, whose mask names lane 0 while it waits for lane 1 ([Hanoi:G9], case b).
OVERLAPPING = """.listing

.kernel overlap(out: 64)
    LDC.64 RD0, out;
    S2R R1, SR_LANEID;
    IMAD.WIDE RD2, R1, 4, RD0;
    ISETP.EQ P0, R1, 2;
    ISETP.EQ P1, R1, 1;
    @P0 BRA SECOND;
    @P1 BRA LATE;
    WARPSYNC 3;
    MOV R5, 1;
    WARPSYNC 5;
    STG [RD2], R5;
    EXIT;
SECOND:
    YIELD;
    WARPSYNC 5;
    EXIT;
LATE:
    YIELD;
    YIELD;
    YIELD;
    WARPSYNC 3;
    EXIT;
"""


@case
def lanes_that_a_warpsync_would_send_astray_are_an_error_in_profile_p(c):
    command = ("run", "--ptx", c.file("overlap.sass", OVERLAPPING), "--entry", "overlap", "--grid", "1", "--block", "3",
               "--platform", "tiny", "--arg", "buf=out:3xu32:const=0", "--print", "out:3")
    private = "core.control_flow.hanoi.private_registers=2"
    c.refused(*command, *PROFILE_P, "--set", private, code=KERNEL_FAULT,
              says=["overlap.sass:18", "WARPSYNC", "lanes that wait elsewhere", "profile=X"])
    check("out = 1 0 0" in c.run(*command, *HANOI).stdout, "in X lane 0 meets both")


# ---- CHECK and YIELD: which instructions run one after the other

def order(c, name, text, options):
    """Lines of the issued MOVs."""
    c.run("run", "--ptx", c.file(f"{name}.sass", text), "--entry", "k", "--grid", "1", "--block", "4", "--platform", "tiny",
          *options, "--trace-tables", "t.jsonl")
    records = [json.loads(line) for line in (c.folder / "t.jsonl").read_text().splitlines()]
    lines = records[0]["lines"]
    return [lines[e["pc"]] for e in records[1:] if e["event"] == "issue" and "MOV" in text.splitlines()[lines[e["pc"]] - 1]]


LEAVER = """.listing
.kernel k
    S2R R0, SR_LANEID;
    ISETP.LT P0, R0, 2;
    BSSY B1, J;
    @P0 BRA L;
    MOV R1, 9;
    BRA J;
L:
    BREAK B1;
    YIELD;
    MOV R1, 1;
    EXIT;
J:
    BSYNC B1;
    EXIT;
"""

# Lanes 2 and 3 leave B1, for which 0 and 1 wait, inside of B2.
COMPLETE = """.listing
.kernel k
    S2R R0, SR_LANEID;
    ISETP.LT P0, R0, 2;
    BSSY B1, J;
    @P0 BRA J;
    BSSY B2, K;
    BREAK B1;
K:
    BSYNC B2;
    MOV R1, 1;
    MOV R1, 2;
    MOV R1, 3;
    EXIT;
J:
    BSYNC B1;
    MOV R1, 9;
    EXIT;
"""


@case
def a_yield_outside_of_the_region_is_a_nop(c):
    for options in (HANOI, PROFILE_P, CONTRACT):
        check(order(c, "leaver", LEAVER, options) == [12, 7], "the region's lanes had a turn")


@case
def a_second_complete_entry_is_released_before_the_next_issue(c):
    for options in (HANOI, PROFILE_P):
        check(order(c, "complete", COMPLETE, options) == [11, 17, 12, 13], "other order")


# ---- Hangs of lanes that have no turn

# The lanes below 16 spin; what they wait for is another path's to write. {before}, {arm}, {loop} make the difference.
SPINNING = """.listing
.kernel spin(flag: 64)
    LDC.64 RD0, flag;
    S2R R1, SR_LANEID;
    ISETP.LT P0, R1, 16;
    ISETP.LT P2, R1, 8;
    MOV R3, 1;
    {before}
    @P0 BRA L;
    YIELD;
    {arm}
    STG.STRONG [RD0], R3;
    EXIT;
L:
    {region}
    @P2 BRA M;
M:
    {loop}
    LDG.STRONG R2, [RD0];
    ISETP.EQ P1, R2, 0;
    @P1 BRA M;
    {closed}
    EXIT;
"""


def spinning(c, code, options, *, before="NOP;", arm="NOP;", region="NOP;", loop="NOP;", closed="NOP;", says=()):
    text = SPINNING.format(before=before, arm=arm, region=region, loop=loop, closed=closed)
    done = c.run("run", "--ptx", c.file("spin.sass", text), "--entry", "spin", "--grid", "1", "--block", "32", "--platform", "tiny",
                 "--arg", "buf=flag:1xu32:const=0", "--max-cycles", "300000", *options, code=code)
    for part in says:
        check(part in done.stderr, f"'{part}' is not in\n{done.stderr}")


@case
def siblings_that_a_running_path_never_yields_to_are_no_way_out(c):
    for options in (HANOI, PROFILE_P):
        # The first side to run is the one that waits: lanes of a majority, or those that jump.
        first = (*options, "--set", "core.control_flow.first_side=taken")
        spinning(c, 0, first, loop="YIELD;")
        # A YIELD elsewhere in the program, none in the loop.
        spinning(c, HANG, first, says=["SIMT-induced deadlock", "have their turn when these come to a YIELD", "0xffff0000"])
        # A YIELD in the loop, which gives turns to the region's lanes only.
        spinning(c, HANG, first, region="BSSY B1, N;", loop="YIELD;", closed="N: BSYNC B1;",
                 says=["SIMT-induced deadlock", "have no turn until these meet others or end", "0xffff0000"])


@case
def lanes_at_a_bsync_are_not_freed_by_a_yield(c):
    # The counter keeps the lanes that spin from repeating a state, so that it takes a proof.
    for options in (HANOI, PROFILE_P):
        spinning(c, HANG, options, before="BSSY B0, J;", arm="J: BSYNC B0;", loop="YIELD;\n    IADD R3, R3, 1;",
                 closed="STG.STRONG [RD0], R3;", says=["SIMT-induced deadlock", "the convergence barrier B0"])


# A function returns in the loop: that frees nobody either.
CALLING = """
.version 7.0
.target sm_75
.address_size 64
.func (.reg .b32 %out) look(.reg .b64 %at)
{
    ld.volatile.global.u32 %out, [%at];
    ret;
}
.visible .entry wait(.param .u64 p)
{
    .reg .pred %q<3>; .reg .b32 %r<4>; .reg .b64 %d<2>;
    ld.param.u64 %d1, [p];
    mov.u32 %r1, %laneid;
    setp.eq.u32 %q1, %r1, 5;
    @%q1 bra SET;
L:
    call (%r2), look, (%d1);
    setp.eq.u32 %q2, %r2, 0;
    @%q2 bra L;
    bra E;
SET:
    mov.u32 %r3, 1;
    st.volatile.global.u32 [%d1], %r3;
E:
    ret;
}
"""


@case
def lanes_wait_for_another_arm_in_a_function(c):
    for options in (HANOI, PROFILE_P):
        for placement, code in (("auto", 0), ("off", HANG)):
            c.run("run", "--ptx", c.file("calling.ptx", CALLING), "--entry", "wait", "--grid", "1", "--block", "32", "--platform",
                  "tiny", "--arg", "buf=flag:1xu32:const=0", "--max-cycles", "300000", *options, "--set",
                  f"core.convergence.placement={placement}", code=code)
