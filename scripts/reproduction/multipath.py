"""Multi-Path execution against the stack: speed-up with more paths, opportunistic reconvergence, SIMD utilisation."""

import pathlib
import shlex

import suite
from claims import Claims, mean as arithmetic
from tables import WHERE, averages, chosen, count, gain, harmonic_mean, number, percent, ratio, table, where

TITLE = "Multi-Path (thesis ch. 7): the divergent set under 1, 2, 4, 6, 8 and any number of paths, with and without OREC"
PLATFORM = "gtx480"

PATHS = [2, 4, 6, 8, 32]
ANY = 32  # the maximum of any warp
# Where the thesis' machine for this study (Tab 7.1) differs from the platform's GTX 480. Both scoreboards, with and
# without masks, are arrays with 6 read and 3 write ports (section 7.5.6), so the stack has those as well.
MACHINE = {"core.l1d.size_kib": 32, "core.l1d.ways": 8, "core.l1i.size_kib": 16, "core.l1i.ways": 4,
           "core.shared_memory.size_kib": 16, "core.scoreboard.read_ports": 6, "core.scoreboard.write_ports": 3}
VARIANTS = [(label, {**settings, **MACHINE}) for label, settings in (
    ("SPS", suite.STACK), *((f"MP {k}" if k < ANY else "MP any", suite.multi_path(k, False)) for k in PATHS),
    ("MP any + OREC", suite.multi_path(ANY, True)))]
# Not in the published set: its pattern for opportunistic reconvergence, and kernels that hardly diverge.
OTHERS = [("K13", "unstructured"), ("-", "sgemm"), ("-", "hotspot"), ("-", "kmeans"), ("-", "bfs"), ("-", "nqueens")]


def rows_of(machine, benchmarks, speedups, utilisation):
    rows = []
    for name, workload in benchmarks:
        stack = machine.run(workload, VARIANTS[0][1])
        for label, settings in VARIANTS:
            run = machine.run(workload, settings)
            rows.append([*where(name, run), label, count(run, run.cycles), count(run, run.instructions),
                         percent(run.simd), ratio(stack.cycles, run.cycles), ratio(run.simd, stack.simd)])
            if run.passed and stack.passed:
                speedups.setdefault(label, {})[name] = stack.cycles / run.cycles
                utilisation.setdefault(label, {})[name] = run.simd / stack.simd
    return table([*WHERE, "variant", "cycles", "warp instr.", "SIMD utilisation", "speed-up", "SIMD / SPS"], rows)


# What the compiler makes of control flow, against what the program is: two kernels in the character of REND and MC (a path tracer with inlined
# shading, photons in tissue), as three compilations leave them. Kernel, launch and arguments.
KERNELS = pathlib.Path(__file__).resolve().parent / "kernels"
FORMS = [("nvcc", "nvcc"), ("clang, structured", "structured"), ("clang, as written", "unstructured")]
PROGRAMS = {"renderer": "--entry render --grid 64 --block 64 --arg buf=colour:4096xf32 --arg s32=64 --arg u32=7",
            "photon": "--entry transport --grid 15 --block 64 --arg buf=absorbed:960xf32 --arg buf=escaped:960xf32 --arg s32=1 --arg u32=7"}


def forms_table(machine):
    """Speed-up over the stack that runs the same code, and cycles of that."""
    def program(stem, form):
        return f"--ptx {shlex.quote(str(KERNELS / f'{stem}.{form}.ptx'))} {PROGRAMS[stem]}"
    labels = ["SPS", "MP any", "MP any + OREC"]
    settings = dict(VARIANTS)
    rows = []
    for stem in PROGRAMS:
        for what, form in FORMS:
            runs = [machine.run(program(stem, form), settings[label]) for label in labels]
            rows.append([stem, what, count(runs[0], runs[0].cycles), *(ratio(runs[0].cycles, run.cycles) for run in runs[1:]),
                         *(percent(run.simd) for run in (runs[0], runs[2])), ratio(runs[1].cycles, runs[2].cycles)])
    return table(["kernel", "code", "cycles, SPS", "MP any", "MP any + OREC", "SIMD utilisation, SPS", "with OREC", "OREC / MP any"], rows)


BENCHMARKS = suite.DIVERGENT + OTHERS


def report(machine, names):
    benchmarks, others = chosen(suite.DIVERGENT, names), chosen(OTHERS, names)
    speedups, utilisation = {}, {}
    parts = [
        f"# {TITLE}",
        "SPS: the SIMT stack, one path. MP k: up to k splits of a warp in flight; MP 2 stands for dual-path execution. "
        "OREC: opportunistic early reconvergence.",
        "## The divergent set", rows_of(machine, benchmarks, speedups, utilisation),
    ]
    if others:
        parts += ["## Outside of it", rows_of(machine, others, {}, {})]
    if not names:
        parts += ["## The compiler's control flow and the program's: speed-up over the stack", forms_table(machine)]
    means = {label: harmonic_mean(values.values()) for label, values in speedups.items()}
    parts += ["## Means of the divergent set",
              table(["variant", "speed-up", "SIMD utilisation against SPS, mean"],
                    [[label, averages(values.values()), number(sum(utilisation[label].values()) / len(utilisation[label]))]
                     for label, values in speedups.items()])]
    claims = Claims("multipath")
    for claim, label in (("dps", "MP 2"), ("mp", "MP any"), ("orec", "MP any + OREC")):
        claims.add(claim, lambda label=label: f"{gain(means[label])}, arithmetic {gain(arithmetic(speedups[label].values()))}", ratio=means.get(label))
    apart, merged = utilisation.get("MP any", {}), utilisation.get("MP any + OREC", {})
    claims.add("mp_simd", lambda: ", ".join(f"{name} {value:.2f}" for name, value in apart.items()), same=apart)
    if merged:
        top = max(merged, key=merged.get)
        average = arithmetic(merged.values())
        claims.add("orec_simd", lambda: f"{gain(average)} on average, up to {gain(merged[top])} ({top})", ratio={"average": average, "most": merged[top]})
    claims.add("rend", lambda: number(speedups["MP any + OREC"]["REND"]), ratio=speedups.get("MP any + OREC", {}).get("REND"))
    return "\n\n".join([*parts, claims.comparison()])
