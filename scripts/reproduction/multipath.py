"""Multi-Path execution against the stack: speed-up with more paths, opportunistic reconvergence, SIMD utilisation."""

import suite
from tables import WHERE, chosen, comparison, count, harmonic_mean, number, percent, ratio, table, where

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


def gain(value):
    return "-" if value is None else f"{100 * (value - 1):+.1f} %"


BENCHMARKS = suite.DIVERGENT + OTHERS


def report(machine, names):
    benchmarks, others = chosen(suite.DIVERGENT, names), chosen(OTHERS, names)
    machine.prepare([(workload, settings) for _, workload in benchmarks + others for _, settings in VARIANTS])
    speedups, utilisation = {}, {}
    parts = [
        f"# {TITLE}",
        "SPS: the SIMT stack, one path. MP k: up to k splits of a warp in flight; MP 2 stands for dual-path execution. "
        "OREC: opportunistic early reconvergence.",
        "## The divergent set", rows_of(machine, benchmarks, speedups, utilisation),
    ]
    if others:
        parts += ["## Outside of it", rows_of(machine, others, {}, {})]
    means = {label: harmonic_mean(values.values()) for label, values in speedups.items()}
    parts += ["## Harmonic means of the divergent set",
              table(["variant", "speed-up", "SIMD utilisation against SPS, mean"],
                    [[label, number(value), number(sum(utilisation[label].values()) / len(utilisation[label]))]
                     for label, value in means.items()])]
    ours = {"dps": gain(means.get("MP 2")), "mp": gain(means.get("MP any")), "orec": gain(means.get("MP any + OREC"))}
    merged = utilisation.get("MP any + OREC", {})
    if merged:
        top = max(merged, key=merged.get)
        ours["orec_simd"] = (f"{gain(sum(merged.values()) / len(merged))} on average, up to {gain(merged[top])} ({top})")
        ours["mp_simd"] = ", ".join(f"{name} {value:.2f}" for name, value in utilisation["MP any"].items())
        fastest = speedups["MP any + OREC"]
        ours["rend"] = number(fastest.get("REND"))
    parts += ["## Published and ours", comparison("multipath", ours)]
    return "\n\n".join(parts)
