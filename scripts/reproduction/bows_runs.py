"""Machine, inputs and settings of the study of BOWS, and what is read from its runs."""

import synchronisation
from claims import over

# Where the thesis' machine for this study differs from the platform's GTX 480 ([DDOS/BOWS] §6.4).
MACHINE = {"clocks.core_mhz": 700, "core.shared_memory.size_kib": 48}
# Inputs at which warps contend as published, as far as it is published ([DDOS/BOWS] §6.4), and which run in seconds:
# HT and ATM have its threads, buckets and accounts, 3 of 80 insertions per thread and all transfers; TB and ST its bodies;
# TSP its climbers with 20 of 76 cities. Of DS, NW1 and NW2 no input is published: DS has a mesh at which locks contend, NW1 and
# NW2 as many rows and bands as the cores hold at once.
SCALE = {"hashtable": "keys=122880 ctas=160 threads=256 buckets=1024",
         "atm": "ctas=96 threads=256 accounts=1000 transfers=122880",
         "cloth": "width=30 height=25 sweeps=4 ctas=90 threads=256",
         "bh-build": "bodies=30000 ctas=30 threads=512",
         "bh-sort": "bodies=30000 ctas=60 threads=256",
         "nw-rows": "rows=1920 cols=64 threads=128",
         "nw-tiles": "bands=60 tiles=12",
         "tsp": "cities=20 climbers=3000 ctas=12 threads=256"}


def settings(policy, bows, **more):
    return {**MACHINE, **synchronisation.SETTING, "core.scheduler.policy": policy, **({"core.spin.source": "ddos"} if bows else {}), **more}


def scaled(machine, workload):
    """The workload with its parameters; --size tiny is a check of the command."""
    return workload if machine.size == "tiny" or workload not in SCALE else f"{workload} {SCALE[workload]}"


def table_size(machine, buckets, times=1):
    """The hash table with so many buckets, and `times` its keys."""
    keys, shape = (2000, "ctas=15 threads=128") if machine.size == "tiny" else (122880, "ctas=160 threads=256")
    return f"hashtable keys={keys * times} {shape} buckets={buckets}"


def false_settings(hashing):
    """What a false detection costs: back-off for long."""
    return settings("gto", True, **{"core.spin.ddos.hash": hashing, "core.spin.bows.delay": "fixed", "core.spin.bows.fixed_delay": 5000})


def transactions(run):
    """Lines that go through the load/store unit: L1D accesses, and what passes it by (atomics, volatile)."""
    return run.counter("core", "lsu", "line_accesses")


def energy(run):
    """Dynamic energy; None: these statistics have none."""
    return run.counter(r"energy", "dynamic") or None


def gains(base, bows):
    """Speed-up and savings of `bows`: cycles, instructions, transactions, energy; None where a run has none."""
    return {"speedup": over(base.cycles, bows.cycles), "instructions": over(base.instructions, bows.instructions),
            "transactions": over(transactions(base), transactions(bows)), "energy": over(energy(base), energy(bows)),
            "simd": over(bows.simd, base.simd)}
