"""Listings on the GPU: the machine's convergence instructions, run by the hanoi mechanism and checked against the oracle."""

import pathlib

from cli_command import BAD_INPUT, HANG, KERNEL_FAULT, case, check

HANOI = ("--set", "core.control_flow.mechanism=hanoi")
PROFILE_P = (*HANOI, "--set", "core.control_flow.hanoi.profile=P")
CONTRACT = (*HANOI, "--set", "core.control_flow.hanoi.timing=contract")

# Fig 5 of the Hanoi paper ([Hanoi:G4]), Fig 3 (G1), Fig 4 (G3).
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "tb" / "examples" / "listings"
SPIN = (EXAMPLES / "spin_lock.sass").read_text()
NESTED = (EXAMPLES / "nested.sass").read_text()
EARLY = (EXAMPLES / "early.sass").read_text()
WITHOUT_BREAK = EARLY.replace("@!P1 BREAK B0;", "NOP;")
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
    for options in (HANOI, PROFILE_P, CONTRACT):
        run(c, "early", EARLY, ("out:32xu32:const=0",), *options)
    run(c, "early", WITHOUT_BREAK, ("out:32xu32:const=0",), *HANOI)  # X runs any code
    path = c.file("broken.sass", WITHOUT_BREAK)
    c.refused("run", "--ptx", path, "--entry", "early", "--grid", "1", "--block", "32", "--platform", "tiny", "--arg",
              "buf=out:32xu32:const=0", *PROFILE_P, code=KERNEL_FAULT, says=["broken.sass:2", "BSYNC", "profile=X"])


@case
def convergence_instructions_need_a_mechanism_that_serves_them(c):
    path = c.file("spin.sass", SPIN)
    c.refused("run", "--ptx", path, "--entry", "spin", "--grid", "1", "--block", "32", "--platform", "tiny", "--arg",
              "buf=lock:1xu32:const=0", "--arg", "buf=count:1xu32:const=0",
              says=["spin.sass:8", "BSSY B0, E;", "simt_stack has no barrier registers", "core.control_flow.mechanism=hanoi",
                    "core.control_flow.ignores_convergence_instructions=true"])


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
              says=["wrong.sass:20:5", "unknown instruction 'BSYN'", "Did you mean 'BSYNC'?"])


# ---- Comparisons on mechanisms without barrier registers

IGNORED = ("--set", "core.control_flow.ignores_convergence_instructions=true")
OTHERS = [(*IGNORED, "--set", f"core.control_flow.mechanism={name}") for name in ("simt_stack", "aware", "multi_path")]


@case
def convergence_instructions_may_be_ignored(c):
    for options in OTHERS:
        done = run(c, "nested", NESTED, ("out:32xu32:const=0",), *options, "--print", "out:32")
        check("out = " + " ".join(["11"] * 16 + ["12"] * 8 + ["13"] * 8) in done.stdout, f"other values:\n{done.stdout}")
        run(c, "early", EARLY, ("out:32xu32:const=0",), *options)
    done = run(c, "spin", SPIN, ("lock:1xu32:const=0", "count:1xu32:const=0"), *IGNORED, "--set",
               "core.control_flow.mechanism=multi_path", "--set", "core.compiler=delayed_reconvergence", "--print", "count")
    check("count = 64" in done.stdout, f"not all increments:\n{done.stdout}")
    done = run(c, "spin", SPIN, ("lock:1xu32:const=0", "count:1xu32:const=0"), *IGNORED, *HANOI, "--print", "count")
    check("count = 64" in done.stdout, "hanoi executes them all the same")


@case
def an_ignored_spin_lock_hangs_on_the_stack(c):
    path = c.file("spin.sass", SPIN)
    c.refused("run", "--ptx", path, "--entry", "spin", "--grid", "1", "--block", "32", "--platform", "tiny", "--arg",
              "buf=lock:1xu32:const=0", "--arg", "buf=count:1xu32:const=0", *IGNORED, code=HANG,
              says=["SIMT-induced deadlock", "spin.sass:10", "SIMT-safe form"])


@case
def a_barrier_register_that_is_looked_at_cannot_be_ignored(c):
    text = NESTED.replace("    BMOV.32 B0, R0;", "    BMOV.32 B0, R0;\n    POPC R5, R0;")
    path = c.file("looks.sass", text)
    arguments = ("run", "--ptx", path, "--entry", "nested", "--grid", "1", "--block", "32", "--platform", "tiny", "--arg",
                 "buf=out:32xu32:const=0")
    c.refused(*arguments, *IGNORED, says=["looks.sass:24", "POPC R5, R0;", "BMOV.32.CLEAR in line 12"])
    c.run(*arguments, *HANOI)


# ---- Hangs

def hangs(c, name, text, buffers, *options, says):
    path = c.file(f"{name}.sass", text)
    arguments = [word for buffer in buffers for word in ("--arg", f"buf={buffer}")]
    c.refused("run", "--ptx", path, "--entry", name, "--grid", "1", "--block", "32", "--platform", "tiny", *arguments, *options,
              code=HANG, says=says)


@case
def without_yield_the_spin_lock_hangs(c):
    text = SPIN.replace("    YIELD;\n", "")
    for options in (HANOI, PROFILE_P):
        hangs(c, "spin", text, ("lock:1xu32:const=0", "count:1xu32:const=0"), *options,
              says=["SIMT-induced deadlock", "'lock' + 0", "spin.sass:10", "Write YIELD into the loop"])


@case
def a_holder_that_waits_for_spinning_lanes_is_let_go_by_their_yields(c):
    # The BSYNC is where the sides meet again, before the release: as compilers of NVIDIA's write it ([Hanoi:A18]).
    text = SPIN.replace("E:\n    BSYNC B0;\n", "").replace("    LDG.STRONG R2", "E:\n    BSYNC B0;\n    LDG.STRONG R2")
    buffers = ("lock:1xu32:const=0", "count:1xu32:const=0")
    hangs(c, "spin", text, buffers, *HANOI, says=["SIMT-induced deadlock", "core.control_flow.hanoi.yield_releases=16"])
    hangs(c, "spin", text, buffers, *PROFILE_P, says=["SIMT-induced deadlock", "profile=X", "yield_releases=16"])
    run(c, "spin", text, buffers, *HANOI, "--set", "core.control_flow.hanoi.yield_releases=16")


# G7: all lanes of the inner region end.
EMPTY = """.listing

.kernel empty(out: 64)
    LDC.64 RD0, out;
    S2R R1, SR_LANEID;
    IMAD.WIDE RD2, R1, 4, RD0;
    ISETP.LT P0, R1, 16;
    ISETP.LT P1, R1, 24;
    BSSY B0, J;
    @P0 BRA J;
    BSSY B1, K;
    @P1 BRA L;
    EXIT;
L:
    @P1 EXIT;
K:
    BSYNC B1;
J:
    BSYNC B0;
    STG [RD2], R1;
    EXIT;
"""


@case
def an_empty_entry_that_stays_is_named(c):
    for options in (HANOI, PROFILE_P):
        run(c, "empty", EMPTY, ("out:32xu32:const=0",), *options)
    hangs(c, "empty", EMPTY, ("out:32xu32:const=0",), *PROFILE_P, "--set", "core.control_flow.hanoi.pops_empty=false",
          says=["lanes wait at a convergence barrier that never opens", "convergence barrier B0",
                "core.control_flow.hanoi.pops_empty=true"])


# The region's lanes may come to either BSYNC, and all come to the one that it does not name.
OTHER = """.listing

.kernel other(out: 64)
    LDC.64 RD0, out;
    S2R R1, SR_LANEID;
    IMAD.WIDE RD2, R1, 4, RD0;
    ISETP.GE P0, R1, 0;
T:
    BSSY B0, L;
    @P0 BRA M;
L:
    BSYNC B0;
    BRA T;
M:
    BSYNC B0;
    STG [RD2], R1;
    EXIT;
"""


@case
def lanes_that_meet_at_another_bsync_are_told(c):
    buffers = ("out:32xu32:const=0",)
    run(c, "other", OTHER, buffers, *HANOI)
    path = c.file("other.sass", OTHER)
    c.refused("run", "--ptx", path, "--entry", "other", "--grid", "1", "--block", "32", "--platform", "tiny", "--arg",
              f"buf={buffers[0]}", *PROFILE_P, code=KERNEL_FAULT,
              says=["other.sass:15", "BSYNC", "names another BSYNC", "profile=X"])
    # Unchecked they go on where the BSSY says: for ever.
    hangs(c, "other", OTHER, buffers, *PROFILE_P, "--set", "core.control_flow.hanoi.checks_contract=false",
          says=["infinite loop", "other.sass:9", "checks_contract=true"])


# ---- WARPSYNC

# Even and odd lanes come apart; each reads what its neighbour has written before the WARPSYNC.
MEET = """.listing

.kernel meet(slots: 64, out: 64)
    LDC.64 RD0, slots;
    LDC.64 RD1, out;
    S2R R1, SR_LANEID;
    IMAD.WIDE RD2, R1, 4, RD0;
    LOP.XOR R3, R1, 1;
    IMAD.WIDE RD4, R3, 4, RD0;
    IMAD.WIDE RD6, R1, 4, RD1;
    LOP.AND R9, R1, 1;
    ISETP.EQ P0, R9, 0;
    ISETP.LT P1, R1, 16;
    {mask}
    @P0 BRA EVEN;
    {odd}
    IADD R5, R1, 100;
    STG.STRONG [RD2], R5;
    MEMBAR.GPU;
    {sync}
    BRA W;
EVEN:
    IADD R5, R1, 200;
    STG.STRONG [RD2], R5;
    MEMBAR.GPU;
    {sync}
W:
    {meet}
    LDG.STRONG R7, [RD4];
    STG [RD6], R7;
    EXIT;
"""


def meet(c, options, want, *, mask="MOV R8, 0xffffffff;", odd="NOP;", sync="NOP;", there="WARPSYNC R8;"):
    text = MEET.format(mask=mask, odd=odd, sync=sync, meet=there)
    done = c.run("run", "--ptx", c.file("meet.sass", text), "--entry", "meet", "--grid", "1", "--block", "32", "--platform", "tiny",
                 "--arg", "buf=slots:32xu32:const=0", "--arg", "buf=out:32xu32:const=0", *options, "--print", "out:32")
    check("out = " + " ".join(str(value) for value in want) in done.stdout, f"other values:\n{done.stdout}")


def neighbours(lanes=range(32)):
    return [(200 if lane & 1 else 100) + (lane ^ 1) if lane in lanes else 0 for lane in range(32)]


@case
def subsets_of_a_warp_meet_at_warpsync(c):
    for options in (HANOI, PROFILE_P, CONTRACT):
        meet(c, options, neighbours())
        meet(c, options, neighbours(), there="WARPSYNC 0xffffffff;")
    # Without it, and without a region placed around the branch, the lanes that run first find nothing.
    meet(c, (*HANOI, "--set", "core.convergence.placement=off"), [0 if lane % 2 == 0 else 200 + lane - 1 for lane in range(32)], there="NOP;")


@case
def lanes_with_masks_of_their_own_meet_at_warpsync(c):
    halves = "SEL R8, 0x0000ffff, 0xffff0000, P1;"
    for options in (HANOI, (*PROFILE_P, "--set", "core.control_flow.hanoi.private_registers=2")):
        meet(c, options, neighbours(), mask=halves)
    pairs = "LOP.AND R10, R1, 30;\n    SHL R8, 3, R10;"
    meet(c, (*HANOI, "--set", "core.control_flow.hanoi.barrier_registers=24", "--set",
             "core.control_flow.hanoi.private_registers=16"), neighbours(), mask=pairs)
    text = MEET.format(mask=pairs, odd="NOP;", sync="NOP;", meet="WARPSYNC R8;")
    c.refused("run", "--ptx", c.file("pairs.sass", text), "--entry", "meet", "--grid", "1", "--block", "32", "--platform",
              "tiny", "--arg", "buf=slots:32xu32:const=0", "--arg", "buf=out:32xu32:const=0", *HANOI, code=KERNEL_FAULT,
              says=["WARPSYNC", "private_registers"])


@case
def a_mask_is_met_at_several_places_in_profile_x(c):
    meet(c, HANOI, neighbours(), sync="WARPSYNC R8;", there="NOP;")


@case
def lanes_that_end_are_not_waited_for_at_warpsync(c):
    for options in (HANOI, PROFILE_P):
        stay = [lane for lane in range(32) if lane % 2 == 0 or lane < 16]
        want = [value if lane in stay and (lane ^ 1) in stay else 0 for lane, value in enumerate(neighbours())]
        meet(c, options, want, odd="@!P1 EXIT;")
        meet(c, options, [0] * 32, odd="EXIT;")


@case
def a_lane_that_never_comes_to_warpsync_is_named(c):
    text = MEET.format(mask="MOV R8, 0xffffffff;", odd="WARPSYNC 0xaaaaaaaa;\nL: BRA L;", sync="NOP;",
                       meet="WARPSYNC R8;")
    hangs(c, "meet", text, ("slots:32xu32:const=0", "out:32xu32:const=0"), *HANOI,
          says=["wait for lanes 0xaaaaaaaa of the convergence barrier", "WARPSYNC R8;"])


@case
def warpsync_is_a_meeting_point_on_other_mechanisms(c):
    # The stack goes on without waiting, as it does at bar.warp.sync; where lanes run apart they meet.
    meet(c, OTHERS[2], neighbours())
    meet(c, OTHERS[2], neighbours(), sync="WARPSYNC R8;", there="NOP;")
    meet(c, OTHERS[1], neighbours())
    meet(c, OTHERS[0], neighbours(), there="WARPSYNC 0xffffffff;")


# ---- Every instruction of Tab I ([Hanoi] Tab I)

OPCODES = """.listing

.kernel ops(out: 64)
    LDC.64 RD0, out;
    S2R R1, SR_LANEID;
    IMAD.WIDE RD2, R1, 4, RD0;
    LOP.AND R2, R1, 3;
    ISETP.GE P0, R1, 16;
    ISETP.EQ P1, R1, 31;
    ISETP.GE P2, R1, 8;
    MOV R5, 0;
    BSSY B0, J;
    BRX R2, [T0,T1,T2,J];
T0:
    IADD R5, R5, 1;
    JMP J;
T1:
    IADD R5, R5, 2;
    BRA J;
T2:
    IADD R5, R5, 3;
J:
    BSYNC B0;
    BSSY B1, K;
    JMX R2, [K,U1,U2,U2];
U1:
    IADD R5, R5, 10;
    BRA.U K;
U2:
    IADD R5, R5, 20;
K:
    BSYNC B1;
    BRXU 1, [V0,V1];
V0:
    IADD R5, R5, 1000;
V1:
    JMXU 0, [W1,W0];
W0:
    IADD R5, R5, 2000;
W1:
    BSSY B2, M;
    @P2 BRA !P0, M;
    IADD R5, R5, 100;
M:
    BSYNC B2;
    RPCMOV RPC, RD2;
    MOV.64 RD2, 0;
    NANOSLEEP 40;
    YIELD;
    @P0 CALL f;
    RPCMOV RD2, RPC;
    STG [RD2], R5;
    @P1 KILL;
    IADD R5, R5, 5000;
    STG [RD2], R5;
    EXIT;

.func f
    S2R R1, SR_LANEID;
    ISETP.GE P0, R1, 20;
    BSSY B3, X;
    @P0 BRA X;
    NOP;
X:
    BSYNC B3;
    RET;
"""


@case
def every_control_instruction_does_what_table_one_says(c):
    want = []
    for lane in range(32):
        value = (1, 2, 3, 0)[lane & 3] + (0, 10, 20, 20)[lane & 3] + (0 if 8 <= lane < 16 else 100)
        want.append(value + (0 if lane == 31 else 5000))
    for options in (HANOI, PROFILE_P, CONTRACT, *OTHERS):
        done = run(c, "ops", OPCODES, ("out:32xu32:const=0",), *options, "--print", "out:32")
        check("out = " + " ".join(str(value) for value in want) in done.stdout, f"other values:\n{done.stdout}")


@case
def traps_of_table_one_stop_the_run(c):
    for opcode, says in (("BPT", "executed brkpt"), ("RTT", "executed trap")):
        text = f".listing\n.kernel k\n    NOP;\n    {opcode};\n    EXIT;\n"
        c.refused("run", "--ptx", c.file("stop.sass", text), "--entry", "k", "--grid", "1", "--block", "32", "--platform", "tiny",
                  *HANOI, code=KERNEL_FAULT, says=["stop.sass:4", says])


# ---- Texts that are none

@case
def what_is_no_text_is_named(c):
    c.run("run", "--ptx", c.file("bom.sass", b"\xef\xbb\xbf.listing\n.kernel k\nEXIT;\n"), "--entry", "k", "--grid", "1", "--block", "32",
          "--platform", "tiny")
    for name, content, says in (("wide.sass", ".listing\n".encode("utf-16"), "UTF-16"),
                                ("empty.sass", b"", "the file is empty"), ("blank.sass", b" \n\n", "the file is empty"),
                                ("open.sass", b"/* .listing\n", "'*/' at the end of the comment"),
                                ("open2.sass", b".listing\n.kernel k\nEXIT; /* \n", "open2.sass:3:7: expected '*/'")):
        c.refused("run", "--ptx", c.file(name, content), "--entry", "k", "--grid", "1", "--block", "32", says=[name, says])
