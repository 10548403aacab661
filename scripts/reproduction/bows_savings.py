"""Parts of the study of BOWS from the runs of its evaluation: what the policies wait for, and which lines and which energy BOWS saves."""

import synchronisation
from bows_runs import energy, settings, transactions
from claims import over
from tables import count, geometric_mean, number, percent, ratio, table

SLOTS = ["issued", "memory_back_pressure", "replay", "scoreboard_memory", "scoreboard_alu", "fence", "ibuffer_empty", "control_flow", "no_warp"]
OTHER_SLOTS = ["held_back", "scoreboard_ports", "pipe_busy", "operand_collector", "control_flow_tables", "barrier", "backed_off"]
PARTS = ["fetch", "issue", "register_file", "operations", "lsu", "crossbar", "l2", "atomics", "dram"]
FEMTOJOULE = 1e-9  # in microjoules


def slots(machine, benchmarks, policies):
    """What keeps warps from issuing under each policy alone, and how long it takes relative to GTO."""
    rows = []
    for policy in policies:
        times = [over(machine.run(workload, settings(policy, False)).cycles, machine.run(workload, settings("gto", False)).cycles)
                 for _, workload in benchmarks]
        for name, workload in benchmarks:
            run = machine.run(workload, settings(policy, False))
            counts = [run.counter("core", "issue", "slots", cause) for cause in SLOTS + OTHER_SLOTS] if run.passed else [0]
            rows.append([policy.upper(), name, *(percent(over(one, sum(counts))) for one in counts[:len(SLOTS)]),
                         ratio(run.cycles, machine.run(workload, settings("gto", False)).cycles)])
        rows.append([f"**{policy.upper()}**", "**geometric mean**", *([""] * len(SLOTS)), number(geometric_mean(times))])
    return table(["policy", "name", *SLOTS, "cycles, relative to GTO"], rows)


def saved_lines(pairs):
    """Of the lines that BOWS saves: those of waiting code in which no lock is held."""
    rows = []
    for name, base, bows in pairs:
        lines = [transactions(run) for run in (base, bows)]
        waiting = [synchronisation.counter(run, "waiting_transactions") for run in (base, bows)]
        critical = [synchronisation.counter(run, "critical_transactions") for run in (base, bows)]
        saved = lines[0] - lines[1] if None not in lines else None
        shares = [percent(over(two[0] - two[1], saved)) if saved else "-" for two in (waiting, critical)]
        rows.append([name, count(base, lines[0]), count(bows, lines[1]), *shares])
    return table(["name", "lines, GTO", "with BOWS", "of those saved: in waiting code", "in critical sections"], rows)


def energy_parts(pairs):
    rows = []
    for name, base, bows in pairs:
        if not (energy(base) and energy(bows)):
            continue
        cells = []
        for part in PARTS:
            before, after = (run.counter("energy", part, "dynamic") * FEMTOJOULE for run in (base, bows))
            cells.append(f"{before:.0f} to {after:.0f}")
        rows.append([name, *cells, number(over(energy(base), energy(bows)))])
    return table(["name", *PARTS, "all, GTO / with BOWS"], rows)


def parts(machine, benchmarks, policies, pairs):
    """`pairs`: (name, run of GTO, run of GTO with BOWS)."""
    return ["## Issue slots of the policies alone, by what comes of them, and their cycles", slots(machine, benchmarks, policies),
            "## Lines that BOWS saves", saved_lines(pairs), "## Dynamic energy by part, microjoules, GTO to GTO + BOWS", energy_parts(pairs)]
