"""Listings on the GPU: the machine's convergence instructions, run by the hanoi mechanism and checked against the oracle."""

from cli_command import BAD_INPUT, HANG, KERNEL_FAULT, case, check

HANOI = ("--set", "core.control_flow.mechanism=hanoi")
PROFILE_P = (*HANOI, "--set", "core.control_flow.hanoi.profile=P")
CONTRACT = (*HANOI, "--set", "core.control_flow.hanoi.timing=contract")

# Fig 5 of the Hanoi paper (hanoi G4).
SPIN = """.listing

.kernel spin(lock: 64, count: 64)
    LDC.64 RD0, lock;
    LDC.64 RD1, count;
    BSSY B0, E;
B:
    YIELD;
    ATOMG.CAS R1, [RD0], 0, 1;
    ISETP.NE P0, R1, 0;
    @P0 BRA B;
    LDG.STRONG R2, [RD1];
    IADD R2, R2, 1;
    STG.STRONG [RD1], R2;
    MEMBAR.GPU;
    ATOMG.EXCH R3, [RD0], 0;
E:
    BSYNC B0;
    EXIT;
"""
# Fig 3 (G1), its register spilled: each lane stores 1, 2 or 3 by its path, in the outer region's end 10 more.
NESTED = """.listing

.kernel nested(out: 64)
    LDC.64 RD0, out;
    S2R R1, SR_LANEID;
    IMAD.WIDE RD2, R1, 4, RD0;
    ISETP.GE P0, R1, 16;
    ISETP.GE P1, R1, 24;
    MOV R5, 1;
    BSSY B0, FS;
    BMOV.32.CLEAR R0, B0;
    @!P0 BRA F;
    BSSY B0, E;
    @P1 BRA C;
    MOV R5, 2;
    BRA E;
C:
    MOV R5, 3;
E:
    BSYNC B0;
F:
    BMOV.32 B0, R0;
FS:
    BSYNC B0;
    IADD R5, R5, 10;
    STG [RD2], R5;
    EXIT;
"""
# Fig 4 (G3): early reconvergence; `%s` stands for the BREAK.
EARLY = """.listing

.kernel early(out: 64)
    LDC.64 RD0, out;
    S2R R1, SR_LANEID;
    IMAD.WIDE RD2, R1, 4, RD0;
    ISETP.GE P0, R1, 20;
    ISETP.NE P1, R1, 0;
    MOV R5, 0;
    BSSY B1, D;
    BSSY B0, B;
    @P0 BRA B;
%s
    @P0 BRA P1, B;
    @P1 BRA B;
    BRA D;
B:
    BSYNC B0;
    IADD R5, R5, 1;
D:
    BSYNC B1;
    STG [RD2], R5;
    EXIT;
"""
# Lanes 0 to 15 wait at the BSYNC for the others, which never come.
STUCK = """.listing

.kernel stuck(flag: 64)
    LDC.64 RD0, flag;
    S2R R1, SR_LANEID;
    ISETP.LT P0, R1, 16;
    BSSY B2, J;
    @P0 BRA J;
L:
    LDG.STRONG R2, [RD0];
    ISETP.EQ P1, R2, 0;
    @P1 BRA L;
J:
    BSYNC B2;
    MOV R3, 1;
    STG.STRONG [RD0], R3;
    EXIT;
"""


def run(c, name, text, buffers, *more):
    path = c.file(f"{name}.sass", text)
    arguments = [word for buffer in buffers for word in ("--arg", f"buf={buffer}")]
    return c.run("run", "--ptx", path, "--entry", name, "--grid", "2", "--block", "32", "--platform", "tiny", *arguments,
                 "--check", "oracle", *more)


@case
def a_spin_lock_in_a_listing_ends_under_hanoi(c):
    for options in (HANOI, PROFILE_P, CONTRACT):
        done = run(c, "spin", SPIN, ("lock:1xu32:const=0", "count:1xu32:const=0"), *options, "--print", "count")
        check("count = 64" in done.stdout, f"not all increments:\n{done.stdout}")


@case
def nested_regions_meet_at_their_ends(c):
    for options in (HANOI, PROFILE_P, CONTRACT):
        done = run(c, "nested", NESTED, ("out:32xu32:const=0",), *options, "--print", "out:32")
        check("out = " + " ".join(["11"] * 16 + ["12"] * 8 + ["13"] * 8) in done.stdout, f"other values:\n{done.stdout}")


@case
def a_break_takes_lanes_out_of_a_region(c):
    whole = EARLY % "    @!P1 BREAK B0;"
    for options in (HANOI, PROFILE_P, CONTRACT):
        run(c, "early", whole, ("out:32xu32:const=0",), *options)
    run(c, "early", EARLY % "    NOP;", ("out:32xu32:const=0",), *HANOI)  # X runs any code
    path = c.file("broken.sass", EARLY % "    NOP;")
    c.refused("run", "--ptx", path, "--entry", "early", "--grid", "1", "--block", "32", "--platform", "tiny", "--arg",
              "buf=out:32xu32:const=0", *PROFILE_P, code=KERNEL_FAULT, says=["broken.sass:2", "BSYNC", "profile=X"])


@case
def convergence_instructions_need_a_mechanism_that_serves_them(c):
    path = c.file("spin.sass", SPIN)
    c.refused("run", "--ptx", path, "--entry", "spin", "--grid", "1", "--block", "32", "--platform", "tiny", "--arg",
              "buf=lock:1xu32:const=0", "--arg", "buf=count:1xu32:const=0",
              says=["core.control_flow.mechanism", "simt_stack has no barrier registers"])


@case
def a_hang_names_the_barrier_register_and_its_lanes(c):
    path = c.file("stuck.sass", STUCK)
    c.refused("run", "--ptx", path, "--entry", "stuck", "--grid", "1", "--block", "32", "--platform", "tiny", "--arg",
              "buf=flag:1xu32:const=0", *PROFILE_P, code=HANG,
              says=["wait for lanes 0xffff0000 of the convergence barrier B2", "stuck.sass:14", "BSYNC B2;"])


@case
def a_wrong_listing_says_where_and_what(c):
    path = c.file("wrong.sass", SPIN.replace("BSYNC B0", "BSYN B0"))
    c.refused("run", "--ptx", path, "--entry", "spin", "--grid", "1", "--block", "32", code=BAD_INPUT,
              says=["wrong.sass:18:5", "unknown instruction 'BSYN'", "Did you mean 'BSYNC'?"])
