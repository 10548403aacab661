"""What attempts to acquire locks and passes of waits come to (Fig 6.1, 6.11), and the share of instructions and memory
operations that synchronisation takes (Fig 1.2): parts of `scripts/reproduce bows`."""

from tables import count, number, percent, table

SETTING = {"core.sync_statistics": "true"}
OUTCOMES = ["lock_success", "lock_fail_inter_warp", "lock_fail_intra_warp", "wait_exit_success", "wait_exit_fail"]
COLUMNS = ["lock success", "inter-warp fail", "intra-warp fail", "wait-exit success", "wait-exit fail"]


def counter(run, name):
    return run.counter(r"core\d+", "sync", name)


def share(run, what, whole):
    """Of lanes that hold no lock, so that critical sections are left out; None without a result."""
    waiting = counter(run, f"waiting_{what}")
    return waiting / whole if whole and waiting is not None else None


def instruction_share(run):
    return share(run, "warp_instructions", run.instructions)


def transaction_share(run):
    return share(run, "transactions", run.counter(r"core\d+", "lsu", "line_accesses"))


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


def claims(pairs, sweep):
    """Our values by id of the published claim; `sweep`: runs of HT on GTO by its number of buckets, ascending."""
    ours = {}
    for name, base, bows in pairs:
        if name == "HT" and fails_per_success(base) and fails_per_success(bows):
            ours["lock_failures"] = number(fails_per_success(base) / fails_per_success(bows))
    for claim, of in (("sync_instructions", instruction_share), ("sync_memory", transaction_share)):
        shares = [of(run) for run in sweep]
        if shares and None not in (shares[0], shares[-1]):
            ours[claim] = f"{100 * shares[0]:.1f} % ... {100 * shares[-1]:.1f} %"
    return ours
