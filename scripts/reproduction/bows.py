"""Spin-aware scheduling: BOWS with DDOS on LRR, GTO and CAWA over the eight synchronisation benchmarks, and HT over its
number of buckets."""

import suite
from tables import WHERE, chosen, comparison, count, geometric_mean, number, percent, ratio, table, where, xy_chart

TITLE = "DDOS and BOWS (thesis ch. 6): busy-waiting kernels on LRR, GTO and CAWA, with and without the back-off"
PLATFORM = "gtx480"

# Where the thesis' machine for this study differs from the platform's GTX 480 (mimd-simt-and-bows §9.1).
MACHINE = {"clocks.core_mhz": 700, "core.shared_memory.size_kib": 48}
POLICIES = ["lrr", "gto", "cawa"]
BENCHMARKS = [(name, source) for name, source, _ in suite.SYNCHRONISATION if name not in ("BH-SM", "BH-FC")]
BUCKETS = [128, 256, 512, 1024, 2048, 4096]
# Threads, buckets and accounts as published; fewer insertions per thread (3 of 80, all transfers).
SCALE = {"hashtable": "ctas=160 threads=256 buckets=1024 keys=122880",
         "atm": "ctas=96 threads=256 accounts=1000 transfers=122880"}


def settings(policy, bows, **more):
    return {**MACHINE, "core.scheduler.policy": policy, **({"core.spin.source": "ddos"} if bows else {}), **more}


def scaled(machine, workload):
    """The workload with its parameters; --size tiny is a check of the command."""
    return workload if machine.size == "tiny" or workload not in SCALE else f"{workload} {SCALE[workload]}"


def table_size(machine, buckets):
    threads = "keys=2000 ctas=15 threads=128" if machine.size == "tiny" else "keys=122880 ctas=160 threads=256"
    return f"hashtable {threads} buckets={buckets}"


def transactions(run):
    """Lines that go through the load/store unit: L1D accesses, and what passes it by (atomics, volatile)."""
    return run.counter(r"core\d+", "lsu", "line_accesses")


def energy(run):
    """None: these statistics have no energy."""
    return run.counter(r"energy", "dynamic") or None


def gains(base, bows):
    """Speed-up and savings of `bows`: cycles, instructions, transactions, energy; None where a run has none."""
    def over(above, below):
        return above / below if above and below else None
    return {"speedup": over(base.cycles, bows.cycles), "instructions": over(base.instructions, bows.instructions),
            "transactions": over(transactions(base), transactions(bows)), "energy": over(energy(base), energy(bows)),
            "simd": over(bows.simd, base.simd)}


def report(machine, names):
    benchmarks = [(name, scaled(machine, workload)) for name, workload in chosen(BENCHMARKS, names)]
    sweep = [(buckets, table_size(machine, buckets)) for buckets in BUCKETS if not names or names & {"HT", "hashtable"}]
    machine.prepare([(workload, settings(policy, bows)) for _, workload in benchmarks for policy in POLICIES
                     for bows in (False, True)]
                    + [(workload, settings("gto", bows)) for _, workload in sweep for bows in (False, True)])
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
    means = {policy: {what: geometric_mean(one[what] for one in of.values())
                      for what in ("speedup", "instructions", "transactions", "energy", "simd")}
             for policy, of in all_gains.items()}
    ours = {}
    for policy in POLICIES:
        if means[policy]["speedup"]:
            ours[f"{policy}_speedup"] = number(means[policy]["speedup"])
            ours[f"{policy}_energy"] = number(means[policy]["energy"])
    gto = means["gto"]
    if gto["instructions"]:
        ours["instructions"] = number(gto["instructions"])
        ours["transactions"] = f"{100 * (1 / gto['transactions'] - 1):+.0f} %"
    for name, claim in (("HT", "simd_ht"), ("ATM", "simd_atm")):
        if all_gains["gto"].get(name, {}).get("simd"):
            ours[claim] = number(all_gains["gto"][name]["simd"])
    parts = [
        f"# {TITLE}",
        "Settings of all: " + ", ".join(f"`{key}={value}`" for key, value in MACHINE.items())
        + "; BOWS: `core.spin.source=ddos` with the platform's values of `core.spin`. Speed-up, instructions, "
        "transactions and energy: the policy alone divided by the same with BOWS, so more than 1 is a gain.",
        "## The eight benchmarks",
        table([*WHERE[:4], "scheduling", "cycles", "warp instr.", "SIMD", "speed-up", "instr.", "transactions", "energy"],
              rows),
        "## Geometric means",
        table(["policy", "speed-up", "instr.", "transactions", "energy"],
              [[policy.upper(), *(number(means[policy][what]) for what in
                                  ("speedup", "instructions", "transactions", "energy"))] for policy in POLICIES]),
        xy_chart("Speed-up by BOWS over GTO", [name for name, _ in benchmarks], "speed-up",
                 [all_gains["gto"][name]["speedup"] for name, _ in benchmarks]),
    ]
    if sweep:
        rows, speedups, savings = [], [], []
        for buckets, workload in sweep:
            base, bows = (machine.run(workload, settings("gto", on)) for on in (False, True))
            gain = gains(base, bows)
            speedups.append(gain["speedup"])
            savings.append(gain["instructions"])
            rows.append([buckets, count(base, base.cycles), count(bows, bows.cycles), number(gain["speedup"]),
                         number(gain["instructions"]), number(gain["transactions"]), percent(base.simd),
                         percent(bows.simd)])
        if speedups[0] and speedups[-1]:
            ours["sweep_speedup"] = f"{speedups[0]:.2f} ... {speedups[-1]:.2f}"
            ours["sweep_instructions"] = f"{savings[0]:.2f} ... {savings[-1]:.2f}"
        parts += ["## HT by its number of buckets, GTO against GTO + BOWS", f"`{sweep[0][1]}` and so on.",
                  table(["buckets", "cycles", "with BOWS", "speed-up", "instr.", "transactions", "SIMD", "with BOWS"], rows),
                  xy_chart("Speed-up by BOWS over GTO, HT", [buckets for buckets, _ in sweep], "speed-up", speedups)]
    parts += ["## Published and ours", comparison("bows", ours)]
    return "\n\n".join(parts)
