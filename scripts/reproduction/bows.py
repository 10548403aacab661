"""Spin-aware scheduling: BOWS with DDOS on LRR, GTO and CAWA over the eight synchronisation benchmarks, and HT over its
number of buckets."""

import bows_savings
import suite
import synchronisation
from bows_runs import MACHINE, energy, false_settings, gains, scaled, settings, table_size, transactions
from claims import Claims, over
from tables import WHERE, averages, chosen, count, gain, geometric_mean, number, percent, ratio, table, where, xy_chart

TITLE = "DDOS and BOWS (thesis ch. 6): busy-waiting kernels on LRR, GTO and CAWA, with and without the back-off"
PLATFORM = "gtx480"

POLICIES = ["lrr", "gto", "cawa"]
BENCHMARKS = [(name, source) for name, source, _ in suite.SYNCHRONISATION if name not in ("BH-SM", "BH-FC")]
BUCKETS = [128, 256, 512, 1024, 2048, 4096]
# Kernels without busy-waiting, for what false detections cost.
REGULAR = ["bfs", "btree", "gaussian", "hotspot", "kmeans", "lud", "nn", "pathfinder", "srad", "lps", "mandelbrot",
           "montecarlo", "sgemm", "reduction"]


def benchmarks_table(machine, benchmarks):
    """Table of all policies with and without BOWS, and gains by policy and benchmark."""
    rows, all_gains = [], {policy: {} for policy in POLICIES}
    for name, workload in benchmarks:
        for policy in POLICIES:
            base, bows = (machine.run(workload, settings(policy, on)) for on in (False, True))
            for label, run in ((policy.upper(), base), (f"{policy.upper()} + BOWS", bows)):
                rows.append([*where(name, run)[:4], label, count(run, run.cycles), count(run, run.instructions),
                             percent(run.simd), ratio(base.cycles, run.cycles),
                             ratio(base.instructions, run.instructions), ratio(transactions(base), transactions(run)),
                             ratio(energy(base), energy(run))])
            all_gains[policy][name] = gains(base, bows)
    return table([*WHERE[:4], "scheduling", "cycles", "warp instr.", "SIMD", "speed-up", "instr.", "transactions",
                  "energy"], rows), all_gains


def means_of(gained):
    return {what: geometric_mean(one[what] for one in gained) for what in ("speedup", "instructions", "transactions", "energy", "simd")}


def means_table(all_gains):
    """By policy, also without the benchmark that loses most: its kernel waits and works in one loop."""
    rows = []
    for policy, of in all_gains.items():
        for label, gained in ((policy.upper(), list(of.values())), (f"{policy.upper()}, without NW1", [one for name, one in of.items() if name != "NW1"])):
            means = means_of(gained)
            rows.append([label, *(number(means[what]) for what in ("speedup", "instructions", "transactions", "energy"))])
    return table(["policy", "speed-up", "instr.", "transactions", "energy"], rows)


def ends(values):
    """Of a sweep over BUCKETS: its first and last."""
    return {str(BUCKETS[0]): values[0], str(BUCKETS[-1]): values[-1]}


def sweep_cases(machine, names):
    return [(buckets, table_size(machine, buckets)) for buckets in BUCKETS if not names or names & {"HT", "hashtable"}]


def buckets_table(machine, sweep, claims):
    rows, speedups, savings = [], [], []
    for buckets, workload in sweep:
        base, bows = (machine.run(workload, settings("gto", on)) for on in (False, True))
        of = gains(base, bows)
        speedups.append(of["speedup"])
        savings.append(of["instructions"])
        rows.append([buckets, count(base, base.cycles), count(bows, bows.cycles), number(of["speedup"]),
                     number(of["instructions"]), number(of["transactions"]), percent(base.simd),
                     percent(bows.simd)])
    for claim, values in (("sweep_speedup", speedups), ("sweep_instructions", savings)):
        claims.add(claim, lambda values=values: f"{values[0]:.2f} ... {values[-1]:.2f}", ratio=ends(values))
    return ["## HT by its number of buckets, GTO against GTO + BOWS", f"`{sweep[0][1]}` and so on.",
            table(["buckets", "cycles", "with BOWS", "speed-up", "instr.", "transactions", "SIMD", "with BOWS"], rows),
            xy_chart("Speed-up by BOWS over GTO, HT", [buckets for buckets, _ in sweep], "speed-up", speedups)]


def false_detections_table(machine, claims):
    rows, costs = [], {"xor": [], "modulo": []}
    for workload in REGULAR:
        base = machine.run(workload, settings("gto", False))
        row = [workload, count(base, base.cycles)]
        for hashing in costs:
            run = machine.run(workload, false_settings(hashing))
            costs[hashing].append(base.cycles / run.cycles)
            flagged = run.counter("core", "spin", "detection", "false_detected")
            row += [flagged, percent(base.cycles / run.cycles - 1)]
        rows.append(row)
    cost = {hashing: geometric_mean(of) for hashing, of in costs.items()}
    claims.add("false_xor", lambda: gain(cost["xor"]), same=cost["xor"])
    claims.add("false_modulo", lambda: gain(cost["modulo"]), ratio=cost["modulo"])
    return ["## What false detections cost: kernels without busy-waiting, fixed delay of 5000",
            table(["workload", "cycles, GTO", "branches flagged, XOR", "speed", "branches flagged, MODULO", "speed"], rows)]


def report(machine, names):
    benchmarks = [(name, scaled(machine, workload)) for name, workload in chosen(BENCHMARKS, names)]
    sweep = sweep_cases(machine, names)
    eight, all_gains = benchmarks_table(machine, benchmarks)
    means = {policy: means_of(of.values()) for policy, of in all_gains.items()}
    claims = Claims("bows")

    def add(claim, policy, what):
        values = [one[what] for one in all_gains[policy].values()]
        claims.add(claim, lambda: f"{number(means[policy][what])}; {averages(values)}", values, ratio=means[policy][what])
    for policy in POLICIES:
        add(f"{policy}_speedup", policy, "speedup")
        add(f"{policy}_energy", policy, "energy")
    add("instructions", "gto", "instructions")
    fewer = over(1, means["gto"]["transactions"])
    claims.add("transactions", lambda: gain(fewer), ratio=fewer)
    for name, claim in (("HT", "simd_ht"), ("ATM", "simd_atm")):
        if name in all_gains["gto"]:
            of = all_gains["gto"][name]["simd"]
            claims.add(claim, lambda of=of: number(of), ratio=of)
    by_lock = [(name, *(machine.run(workload, settings("gto", on)) for on in (False, True)))
               for name, workload in benchmarks]
    synchronisation.add_claims(claims, by_lock, [machine.run(workload, settings("gto", False)) for _, workload in sweep], ends)
    parts = [
        f"# {TITLE}",
        "Settings of all: " + ", ".join(f"`{key}={value}`" for key, value in MACHINE.items())
        + "; BOWS: `core.spin.source=ddos` with the platform's values of `core.spin`. Speed-up, instructions, "
        "transactions and energy: the policy alone divided by the same with BOWS, so more than 1 is a gain.",
        "## The eight benchmarks",
        eight,
        "## Geometric means",
        means_table(all_gains),
        *(xy_chart(f"Speed-up by BOWS over {policy.upper()}", [name for name, _ in benchmarks], "speed-up",
                   [all_gains[policy][name]["speedup"] for name, _ in benchmarks]) for policy in POLICIES),
    ]
    parts += ["## Synchronisation, GTO against GTO + BOWS", synchronisation.status(by_lock),
              *bows_savings.parts(machine, benchmarks, POLICIES, by_lock)]
    if sweep:
        parts += buckets_table(machine, sweep, claims)
    if not names:
        parts += false_detections_table(machine, claims)
    return "\n\n".join([*parts, claims.comparison()])
