"""heddle run --cubin: machine code executed."""

import json
import pathlib
import re
import struct

from cli_command import BAD_INPUT, CYCLE_LIMIT, HANG, KERNEL_FAULT, case, check, stats

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "sass"
KERNEL = ["--cubin", DATA / "vecadd.cubin", "--entry", "vector_add", "--grid", "4", "--block", "32"]
ARGUMENTS = ["--arg", "buf=x:100xf32:iota", "--arg", "buf=y:100xf32:const=2", "--arg", "buf=z:100xf32", "--arg", "u32=100"]


@case
def a_cubins_kernel_runs_as_ptx_does(c):
    done = c.run("run", "--platform", "tiny", *KERNEL, *ARGUMENTS, "--print", "z:4")
    check("z = 2 3 4 5 ..." in done.stdout, "z is not x + y")


@case
def a_workload_runs_with_a_cubins_kernels(c):
    done = c.run("run", "vecadd", "--platform", "tiny", "--size", "tiny", "--cubin", DATA / "vecadd.cubin", "--out", "out")
    check("machine code of" in done.stdout and "passed" in done.stdout, "the report does not say what ran")
    config = (c.folder / "out" / "config.yaml").read_text()
    check("hanoi" in config, "the mechanism is not that of machine code")
    stats = json.loads((c.folder / "out" / "stats.json").read_text())
    check(stats["machine_code"] == "vecadd.cubin" and "compiler" not in stats, "stats.json does not say what ran")


@case
def a_folder_has_a_cubin_for_each_module(c):
    c.run("run", "reduction", "--platform", "tiny", "--size", "tiny", "--cubin", DATA)
    c.refused("run", "spinlock", "--platform", "tiny", "--size", "tiny", "--cubin", DATA,
              says=["there is no machine code of spinlock in this folder", "platforms/workloads/assemble.sh sm_90"])


@case
def the_profile_has_the_machine_instructions(c):
    done = c.run("run", "--platform", "tiny", *KERNEL, *ARGUMENTS, "--profile", "--out", "out")
    profile = json.loads((c.folder / "out" / "profile.json").read_text())
    kernel, = profile["kernels"]
    exit_ = next(at for at in kernel["pcs"] if "EXIT" in at["sass"] and "@P0" in at["sass"])
    # 4 warps; the guard is true for the last 28 threads, and all are active.
    check(exit_["issues"] == 4 and exit_["lanes"] == 128, f"{exit_}")
    check("LDG.E" in done.stdout, "no text of machine instructions")


@case
def loads_of_16_bytes_take_a_pass_for_each_half_of_a_warp_on_an_h100(c):
    """As the card's wavefronts of shared memory have it: an LDS.128 of sgemm reads two addresses, and takes two."""
    stats = {}
    for name, more in (("halves", []), ("banks", ["--set", "core.shared_memory.wide_lanes=0"])):
        c.run("run", "sgemm", "--platform", "h100", "--size", "tiny", "--cubin", DATA / "sgemm.cubin", "--profile", "--out", name, *more)
        stats[name] = json.loads((c.folder / name / "stats.json").read_text())
    shared = {name: [core["shared_memory"] for key, core in of["kernels"][0]["statistics"].items() if key.startswith("core")]
              for name, of in stats.items()}
    total = {name: {key: sum(core[key] for core in cores) for key in ("accesses", "conflict_passes", "wide_passes")}
             for name, cores in shared.items()}
    kernel, = json.loads((c.folder / "halves" / "profile.json").read_text())["kernels"]
    wide = sum(at["issues"] for at in kernel["pcs"] if "LDS.128" in at["sass"])
    check(wide > 0 and total["halves"]["wide_passes"] == wide, f"{wide} LDS.128, {total}")
    check(total["banks"] == {**total["halves"], "wide_passes": 0}, f"{total}")


@case
def settings_may_be_changed(c):
    c.run("run", "--platform", "tiny", *KERNEL, *ARGUMENTS, "--set", "core.control_flow.mechanism=simt_stack", "--set",
          "core.control_flow.ignores_convergence_instructions=true")
    c.refused("run", "--platform", "tiny", *KERNEL, *ARGUMENTS, "--set", "core.compiler=ssde",
              says=["core.compiler=ssde transforms PTX text, and this is machine code"])


@case
def wrong_files_and_options(c):
    text = c.file("k.ptx", ".version 7.5\n")
    c.refused("run", "--cubin", text, "--entry", "k", "--grid", "1", "--block", "32",
              says=["k.ptx: this is no cubin, fat binary or program", "--ptx"])
    c.refused("run", *KERNEL[:2], "--ptx", text, "--entry", "k", "--grid", "1", "--block", "32",
              says=["--ptx and --cubin both name a kernel's file"])
    c.refused("run", *KERNEL, "--size", "tiny", says=["--size does not go with --cubin", "--cubin FILE"])
    c.refused("run", "vecadd", "--compiler", "clang", *KERNEL[:2], says=["--compiler is about PTX"])
    c.refused("run", "--platform", "tiny", *KERNEL, "--arg", "u32=1", says=["1 argument given, but it has 4 parameters"])
    c.refused("run", "--platform", "tiny", "--cubin", DATA / "vecadd.cubin", "--entry", "nothing", "--grid", "1", "--block", "32",
              says=["there is no kernel 'nothing'", "vector_add"], code=BAD_INPUT)


def workload(name, cubin, *settings):
    return ["run", name, "--platform", "tiny", "--size", "tiny", "--cubin", DATA / f"{cubin}.cubin",
            *(word for setting in settings for word in ("--set", setting))]


def core0(folder):
    return stats(folder)["kernels"][0]["statistics"]["core0"]


# What an H100 takes for an operation of each warp, by warps of the core (tests/data/sass/chains.cu; platforms/correlation/H100.md has
# the readings as rates). Of chain_loads: for 16 loads that hit L1, and 16 that no lane makes.
CARD = {"chain_ffma": ("f32", {1: 4.0, 16: 4.0, 32: 7.4}),
        "chain_imad": ("s32", {1: 4.0, 32: 15.1}),
        "chain_add": ("s32", {1: 2.49, 16: 2.53, 32: 4.11}),
        "chain_dfma": ("f64", {1: 8.0, 32: 15.7}),
        "chain_shuffle": ("s32", {1: 23.9, 16: 23.9, 32: 31.9}),
        "chain_redux": ("s32", {1: 44.0, 32: 64.1}),
        "chain_barrier": ("s32", {1: 14.0, 8: 27.9, 32: 75.8}),
        "chain_convert": ("f64", {1: 35.9, 32: 132}),
        "chain_special": ("f32", {1: 16.9, 32: 61.8}),
        "chain_loads": (None, {1: 175, 4: 176})}


@case
def chains_take_an_h100s_cycles(c):
    for kernel, (kind, readings) in CARD.items():
        for warps, card in readings.items():
            given = ["--arg", f"{kind}=1", "--arg", f"{kind}=3"] if kind else ["--arg", "buf=words:16384xu32", "--arg", "s32=1"]
            done = c.run("run", "--platform", "h100", "--set", "cores=12", "--set", "dispatch.gpc.tpcs=3 3", "--set",
                         "dispatch.gpc.order=0 1", "--cubin", DATA / "chains.cubin", "--entry", kernel, "--grid", "1", "--block",
                         str(32 * warps), "--arg", "buf=cycles:1xu32", "--arg", "buf=sink:1024xf64", *given, "--print", "cycles")
            cycles = int(re.search(r"cycles = (\d+)", done.stdout)[1]) / (128 if kind else 1)
            check(0.88 * card < cycles < 1.12 * card, f"{kernel}, {warps} warps: card {card}, model {cycles:.2f}")


@case
def memory_instructions_without_lanes_take_an_h100s_address_units(c):
    def resident(warps):  # cycles of the core
        c.run("run", "--platform", "h100", "--set", "cores=12", "--set", "dispatch.gpc.tpcs=3 3", "--set", "dispatch.gpc.order=0 1",
              "--cubin", DATA / "chains.cubin", "--entry", "chain_loads", "--grid", "1", "--block", str(32 * warps), "--arg",
              "buf=cycles:1xu32", "--arg", "buf=sink:1024xf64", "--arg", "buf=words:16384xu32", "--arg", "s32=1", "--out", f"w{warps}")
        cores = stats(c.folder / f"w{warps}")["kernels"][0]["statistics"]
        return sum(of["issue"]["resident_cycles"] for name, of in cores.items() if re.fullmatch(r"core\d+", name))

    # Eight warps of a sub-core with three rounds of 16 loads and 16 that no lane makes: four cycles each. 2,408 if these
    # cost nothing.
    taken = resident(32) - resident(1)
    check(2700 < taken < 3600, f"{taken} cycles more than one warp of a sub-core")


@case
def the_reuse_cache_spares_reads(c):
    def rows(*settings):
        c.run("run", "sgemm", "--size", "tiny", "--platform", "h100", "--set", "cores=12", "--set", "dispatch.gpc.tpcs=3 3", "--set",
              "dispatch.gpc.order=0 1", *settings, "--cubin", DATA / "sgemm.cubin", "--out", "rows")
        cores = [of["register_file"] for name, of in stats(c.folder / "rows")["kernels"][0]["statistics"].items()
                 if re.fullmatch(r"core\d+", name)]
        return [sum(core.get(what, 0) for core in cores) for what in ("reads", "reused")]

    reads, reused = rows()
    all_reads, none = rows("--set", "core.register_file.reuse_cache=false")
    check(0 < reused < reads and none == 0 and reads + reused == all_reads, f"{reads} read, {reused} reused, {all_reads} without")


# A mechanism without convergence instructions: their places are post-dominators.
STACK = ("core.control_flow.mechanism=simt_stack", "core.control_flow.ignores_convergence_instructions=true")
CODES = "core.scoreboard.kind=control_codes"
H100 = ("core.pipes.int_min_max_latency_cycles=4", "core.pipes.int_mad_latency_cycles=4",
        "core.pipes.fp_min_max_latency_cycles=4", "core.pipes.fp_mad_latency_cycles=4")


@case
def control_codes_in_the_scoreboards_place(c):
    done = c.run(*workload("reduction", "reduction", CODES, *H100), "--profile", "--out", "codes")
    check("passed" in done.stdout, "wrong results")
    core = core0(c.folder / "codes")
    check(core["issue"]["slots"]["stall_count"] > 0, "no slot waits for a stall count")
    waits = core["scoreboard"]["barrier_wait_cycles"]
    check(list(waits) == ["sb0", "sb1", "sb2", "sb3", "sb4", "sb5"] and sum(waits.values()) > 0, f"{waits}")
    check(core["scoreboard"]["hazards"] == 0, "hazards without a check")
    kernel = json.loads((c.folder / "codes" / "profile.json").read_text())["kernels"][0]
    stalled = [at for at in kernel["pcs"] if at["waiting"]["stall_count"] > 0]
    check(stalled, "no instruction waits for a stall count")
    c.run(*workload("reduction", "reduction"), "--out", "registers")
    check("stall_count" not in core0(c.folder / "registers")["issue"]["slots"], "a cause that this machine has not")


@case
def control_codes_checked(c):
    c.run(*workload("reduction", "reduction", CODES, "core.scoreboard.check_hazards=true"))
    # IMAD.WIDE R4, R9, 0x4, R4 of vector_add, with a stall count of 1 instead of 6.
    low, high = 0x0000000409047825, 0x002FCC00078E0204
    code, word = (DATA / "vecadd.cubin").read_bytes(), struct.pack("<QQ", low, high)
    check(code.count(word) == 1, "the word is not there once")
    weak = c.folder / "weak.cubin"
    weak.write_bytes(code.replace(word, struct.pack("<QQ", low, high & ~(15 << 41) | 1 << 41 | 1 << 45)))
    checked = ("run", "vecadd", "--size", "tiny", "--platform", "h100", "--set", "core.scoreboard.check_hazards=true", "--cubin", weak)
    c.refused(*checked, code=KERNEL_FAULT,
              says=["core.scoreboard.check_hazards: the control codes let instructions issue before values are there",
                    "kernel vector_add, 0x", "reads the old value of", "cycles before; it takes 5", "models/frontend/sass/README.md"])
    # A run that ends otherwise has its own exit code, and the list.
    limited = c.run(*checked, "--max-cycles", "5000", "--out", "limited", code=CYCLE_LIMIT)
    for text in (limited.stderr, (c.folder / "limited" / "report.txt").read_text()):
        check("5000" in text and "core.scoreboard.check_hazards: " in text and "it takes 5" in text, "not both are said")


@case
def control_codes_are_machine_codes(c):
    c.refused("run", "vecadd", "--platform", "tiny", "--size", "tiny", "--set", CODES,
              says=["core.scoreboard.kind=control_codes: kernel vector_add is PTX, which has no control codes", "--cubin FILE"])
    c.refused(*workload("vecadd", "vecadd", "core.scoreboard.check_hazards=true"),
              says=["core.scoreboard.check_hazards: a scoreboard of registers lets no hazard through", CODES])
    c.refused(*workload("vecadd", "vecadd", CODES, "core.scoreboard.impl=both"),
              says=["core.scoreboard.impl: the dependence counters of control codes have no RTL"])
    c.refused(*workload("vecadd", "vecadd", CODES, "core.scoreboard.write_ports=3"),
              says=["core.scoreboard.write_ports: control codes have no array of registers"])
    c.refused(*workload("vecadd", "vecadd", "core.scoreboard.operand_read_cycles=11"),
              says=["core.scoreboard.operand_read_cycles: a scoreboard of registers does not use it", CODES])
    c.refused(*workload("vecadd", "vecadd", CODES, "core.scoreboard.check_hazards=true"), "--deterministic-check", "2",
              says=["core.scoreboard.check_hazards: --deterministic-check reports no hazards"])


LINES = ["--cubin", DATA / "lines.cubin"]
SQUARES = [*LINES, "--entry", "sum_of_squares", "--grid", "2", "--block", "64", "--arg", "buf=x:1000xf32:const=2", "--arg",
           "buf=y:128xf32", "--arg", "u32=1000"]


@case
def the_programs_lines_are_in_the_profile(c):
    done = c.run("run", "--platform", "tiny", *SQUARES, "--print", "y:1", "--profile", "--out", "out")
    check("y = 32" in done.stdout, "1000 squares of 2 among 128 threads: 8 each for the first")
    check("By line of the program" in done.stdout and "lines.cu:6" in done.stdout, "no table by line of the program")
    kernel, = json.loads((c.folder / "out" / "profile.json").read_text())["kernels"]
    lines = {at["sass"].split()[1]: at.get("program_line") for at in kernel["pcs"]}
    check(lines["LDG.E"] == "lines.cu:6" and lines["STG.E"] == "lines.cu:7", f"{lines}")
    # Without a table the lines are the listing's.
    done = c.run("run", "--platform", "tiny", *KERNEL, *ARGUMENTS, "--profile")
    check("By line of" not in done.stdout and "SASS" in done.stdout, "a line of a listing is one instruction")


@case
def the_programs_lines_are_in_a_hangs_diagnosis(c):
    c.refused("run", "--platform", "tiny", *LINES, "--entry", "await", "--grid", "1", "--block", "32", "--arg",
              "buf=flag:1xu32", code=HANG, says=["lines.cubin:", "(lines.cu:11, pc 0x0", "in kernel await"])
    # A listing's line otherwise.
    c.refused(*workload("hashtable-mimd", "hashtable", *STACK), code=HANG,
              says=["SIMT-induced deadlock", "hashtable.cubin:", "in kernel hash_insert_mimd", "BSYNC B0"])


@case
def tables_and_traces_of_machine_code(c):
    done = c.run(*workload("reduction", "reduction", CODES), "--trace-tables", "t", "--trace-timeline", "l",
                 "--trace-control-flow", "f")
    check(done.stdout.count("trace  ") == 3, "not three traces")
    check("sb0=1" in c.run("tables", "t").stdout, "no dependence counter in the tables")
    check(" R" not in (c.folder / "f").read_text()[:100] and json.loads((c.folder / "l").read_text()), "no traces")


@case
def rtl_runs_machine_code(c):
    twins = ("core.scoreboard.impl=both", "core.scheduler.impl=both")
    done = c.run(*workload("reduction", "reduction", *twins))
    check("scoreboard (both, no difference)" in done.stdout and "warp_scheduler (both, no difference)" in done.stdout, "no twins")
    done = c.run(*workload("hashtable", "hashtable", *STACK, "core.control_flow.simt_stack.impl=both", "core.scoreboard.impl=rtl"))
    check("simt_stack (both, no difference)" in done.stdout and "scoreboard (rtl)" in done.stdout, "no twins of the stack")
    done = c.run(*workload("hashtable-mimd", "hashtable", "core.spin.source=ddos", "core.spin.sib_table.impl=both"))
    check("sib_table (both, no difference)" in done.stdout, "no twin of the SIB table")


@case
def energy_of_machine_code(c):
    c.run(*workload("reduction", "reduction"), "--out", "out")
    energy = stats(c.folder / "out")["total"]["energy"]
    check(energy["dynamic_femtojoules"] == sum(energy["by_class"].values()), f"{energy}")
    check(energy["by_class"]["operations"] > 0 and energy["by_class"]["dram"] > 0, f"{energy}")


@case
def spin_detection_finds_loops_of_machine_code(c):
    c.run(*workload("hashtable-mimd", "hashtable", "core.spin.source=ddos"), "--out", "out")
    kernel, = (k for k in stats(c.folder / "out")["kernels"] if k["kernel"] == "hash_insert_mimd")
    confirmed = sum(core["spin"]["sib_table"]["confirmed"] for name, core in kernel["statistics"].items()
                    if name.startswith("core"))
    check(confirmed > 0, "no branch was confirmed")


@case
def determinism_of_machine_code(c):
    c.run(*workload("hashtable-coarse", "hashtable", *STACK, "determinism.enabled=true"))
    c.refused(*workload("vecadd", "vecadd", "determinism.enabled=true"),
              says=["determinism.enabled: core.control_flow: hanoi does not say that the order in which it runs lanes"])


@case
def transactions_are_ptx(c):
    c.refused(*workload("atm-tx", "atm"), says=["atm-tx is made of transactions, which exist in PTX only", "--cubin"])
    c.refused(*workload("vecadd", "vecadd", *STACK, "tm.enabled=true"),
              says=["tm.enabled: transactions exist in PTX only, and kernel vector_add is machine code", "tm.enabled=false"])
    c.refused(*workload("vecadd", "vecadd", "tm.enabled=true"), says=["tm.enabled: ", "machine code has none"])
