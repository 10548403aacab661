"""What attempts to acquire locks and passes of waits come to (Fig 6.1, 6.11), and the share of instructions and memory
operations that synchronisation takes (Fig 1.2): parts of `scripts/reproduce bows`."""

from claims import over
from tables import count, number, percent, table

SETTING = {"core.sync_statistics": "true"}
OUTCOMES = ["lock_success", "lock_fail_inter_warp", "lock_fail_intra_warp", "wait_exit_success", "wait_exit_fail"]
COLUMNS = ["lock success", "inter-warp fail", "intra-warp fail", "wait-exit success", "wait-exit fail"]


def counter(run, name):
    return run.counter("core", "sync", name)


def share(run, what, whole):
    """Of lanes that hold no lock, so that critical sections are left out; None without a result."""
    waiting = counter(run, f"waiting_{what}")
    return waiting / whole if whole and waiting is not None else None


def instruction_share(run):
    return share(run, "warp_instructions", run.instructions)


def transaction_share(run):
    return share(run, "transactions", run.counter("core", "lsu", "line_accesses"))


def fails_per_success(run):
    outcomes = [counter(run, name) for name in OUTCOMES[:3]]
    return (outcomes[1] + outcomes[2]) / outcomes[0] if None not in outcomes and outcomes[0] else None


def shown(value):
    return percent(value) if value is not None else "-"


def status(pairs):
    """The table of outcomes; `pairs`: (name, run of GTO, run of GTO with BOWS)."""
    rows = []
    for name, base, bows in pairs:
        for label, run in (("GTO", base), ("GTO + BOWS", bows)):
            counts = [counter(run, outcome) for outcome in OUTCOMES]
            rows.append([name, label, *(count(run, one) for one in counts), number(fails_per_success(run)),
                         shown(instruction_share(run)), shown(transaction_share(run))])
    return ("Attempts of lanes, by outcome; failed attempts per successful one; the share of warp instructions and of "
            "line accesses in loops that wait, critical sections within them left out (`core.sync_statistics`).\n\n"
            + table(["benchmark", "scheduling", *COLUMNS, "fails per success", "instr.", "line accesses"], rows))


def add_claims(claims, pairs, sweep, ends):
    """`sweep`: runs of HT on GTO by its number of buckets, ascending; `ends`: its first and last values, by name."""
    for name, base, bows in pairs:
        if name == "HT":
            fewer = over(fails_per_success(base), fails_per_success(bows))
            claims.add("lock_failures", lambda: number(fewer), ratio=fewer)
    for claim, of in (("sync_instructions", instruction_share), ("sync_memory", transaction_share)):
        shares = [of(run) for run in sweep]
        if shares:
            claims.add(claim, lambda shares=shares: f"{percent(shares[0])} ... {percent(shares[-1])}", share=ends(shares))
