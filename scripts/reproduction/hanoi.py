"""Hanoi against the stack, AWARE and Multi-Path: distance of the control-flow traces, IPC, SIMD utilisation; what the order
of paths and what time contribute; skipped BSYNCs; the cost of not reconverging."""

import suite
from claims import Claims
from tables import WHERE, chosen, count, number, percent, ratio, table, where, xy_chart

TITLE = "Hanoi (Turing's convergence instructions): traces of PCs and masks, IPC and SIMD utilisation beside other mechanisms"
PLATFORM = "rtx2060"

# Published name, where our workload is after the same source or algorithm (platforms/workloads/README.md).
REGULAR = [("BTR", "btree"), ("RBFS", "bfs"), ("GAUS", "gaussian"), ("HOTS", "hotspot"), ("KMNS", "kmeans"), ("LUD", "lud"),
              ("NN", "nn"), ("PFN", "pathfinder"), ("SRAD", "srad"), ("AES", "aes"), ("LPS", "lps"), ("NQU", "nqueens"),
              *(("-", name) for name in ("sgemm", "reduction", "histogram", "nn-packed", "mandelbrot", "montecarlo",
                                         "nqueens-recursive", "dispatch", "ray", "strmatch", "keyvalue", "suffixtree", "bvh",
                                         "unstructured", "bh-force", "barrier-arms"))]
# Their lanes go where other warps' timing sends them.
RACING = [("-", name) for name in ("hashtable", "atm", "cloth", "bh-build", "bh-summarize", "bh-sort", "nw-rows", "nw-tiles", "tsp")]
BENCHMARKS = REGULAR + RACING

# As many registers for programs in both profiles, so that the code is the same.
FOUR = {"convergence.barrier_registers": 4}
P, X = suite.hanoi("P", **FOUR), suite.hanoi("X", **FOUR)
OTHERS = [("Hanoi X", X), ("stack", suite.STACK), ("AWARE", suite.aware("none")),
          ("MP any", suite.multi_path(32, False)), ("MP any + OREC", suite.multi_path(32, True))]
# One factor at a time.
TAKEN_FIRST = suite.hanoi("P", **FOUR, **{"control_flow.first_side": "taken"})
STACK_LRR = {**suite.STACK, "core.scheduler.policy": "lrr"}
# The stack with the same instructions in the code, which do nothing: what their slots cost.
STACK_NOPS = {**suite.STACK, "core.convergence.placement": "on", "core.convergence.barrier_registers": 4,
              "core.control_flow.ignores_convergence_instructions": True}
NO_REGIONS = suite.hanoi("X", **{"convergence.placement": "off"})
NO_EARLY = suite.hanoi("P", **FOUR, **{"convergence.early": False})
SKIPS = [2, 4, 8, 16]
# What makes racing kernels differ: time, which random delays in the crossbar change, or where and in which order lanes run.
SEEDS = [1, 2]
AS_STACK = {**TAKEN_FIRST, "core.convergence.delay": "off"}
AS_STACK_NOPS = {**STACK_NOPS, "core.convergence.delay": "off"}
ONE_WARP = {name: f"{name} ctas=1 threads=32" for name in ("hashtable", "atm", "cloth", "bh-build", "bh-sort", "tsp")}


def perturbed(settings, seed):
    return {**settings, "test.memory.crossbar.perturb_seed": seed, "test.memory.crossbar.perturb_cycles": 8}


def skip(every):
    return suite.hanoi("X", **FOUR, bsync_skip=every)


def ipc(run, total):
    """Thread instructions of the program per cycle: what is inserted counts as time only."""
    return 32 * total["simd"] * total["instructions"] / run.cycles if total and run.cycles else None


def gain(above, below):
    return above / below - 1 if above is not None and below else None


def signed(part):
    return "-" if part is None else f"{100 * part:+.1f} %"


def mean(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


class Set:
    """Runs and comparisons of some workloads."""

    def __init__(self, machine, benchmarks):
        self.machine, self.benchmarks = machine, benchmarks
        pairs = {}
        for name, workload in benchmarks:
            run = lambda settings: machine.run(workload, settings)  # noqa: E731
            reference = run(P)
            for label, settings in OTHERS:
                pairs[workload, label] = (reference, run(settings))
            pairs[workload, "same order"] = (run(TAKEN_FIRST), run(suite.STACK))
            pairs[workload, "time only"] = (run(suite.STACK), run(STACK_LRR))
            pairs[workload, "NOPs"] = (reference, run(STACK_NOPS))
            pairs[workload, "none"] = (reference, run(NO_REGIONS))
            pairs[workload, "no early"] = (reference, run(NO_EARLY))
        self.pairs = pairs
        self.totals = dict(zip(pairs, machine.compare(list(pairs.values()))))

    def difference(self, workload, label, which="difference"):
        total = self.totals[workload, label]
        return total[which] if total else None

    def ipc_difference(self, workload, label):
        """Threads execute the same instructions on all of them: IPC differs as cycles do."""
        reference, other = self.pairs[workload, label]
        return gain(reference.cycles, other.cycles)

    def distances(self):
        labels = [label for label, _ in OTHERS] + ["same order", "time only"]
        rows = []
        for name, workload in self.benchmarks:
            reference = self.machine.run(workload, P)
            total = self.totals[workload, "Hanoi X"]
            rows.append([*where(name, reference)[:4], f"{total['instructions']:,}" if total else count(reference, 0),
                         *(percent(self.difference(workload, label), 2) for label in labels),
                         *(percent(self.difference(workload, label, "difference_in_any_order"), 2) for label in ("stack", "AWARE"))])
        means = [mean(self.difference(workload, label) for _, workload in self.benchmarks) for label in labels]
        unordered = [mean(self.difference(workload, label, "difference_in_any_order") for _, workload in self.benchmarks)
                     for label in ("stack", "AWARE")]
        rows.append(["**mean**", "", "", "", "", *(percent(value, 2) for value in means + unordered)])
        return table([*WHERE[:4], "program's instructions", *(label for label, _ in OTHERS),
                      "stack against Hanoi, both taken side first", "stack: LRR against GTO", "stack, any order",
                      "AWARE, any order"], rows)

    def performance(self):
        labels, rows = [*(label for label, _ in OTHERS), "NOPs"], []
        for name, workload in self.benchmarks:
            reference, total = self.machine.run(workload, P), self.totals[workload, "stack"]
            rows.append([name, workload, count(reference, reference.cycles),
                         ratio(reference.instructions, total["instructions"] if total else None),
                         number(ipc(reference, total)),
                         *(signed(self.ipc_difference(workload, label)) for label in labels),
                         percent(total["simd"] if total else None),
                         *(percent(self.totals[workload, label]["other_simd"] if self.totals[workload, label] else None)
                           for label, _ in OTHERS[1:])])
        means = [signed(mean(self.ipc_difference(workload, label) for _, workload in self.benchmarks)) for label in labels]
        sizes = [percent(mean(abs(value) for _, workload in self.benchmarks
                              if (value := self.ipc_difference(workload, label)) is not None)) for label in labels]
        rows.append(["**mean**", "", "", "", "", *means, "", "", "", "", ""])
        rows.append(["**mean of sizes**", "", "", "", "", *sizes, "", "", "", "", ""])
        return table(["name", "workload", "cycles, Hanoi P", "issued / program's", "IPC, Hanoi P",
                      *(f"IPC, {label}" for label, _ in OTHERS), "IPC, stack with Hanoi's instructions as NOPs", "SIMD, Hanoi", *(f"SIMD, {label}" for label, _ in OTHERS[1:])],
                     rows)

    def costs(self):
        rows, shares = [], {"P": [], "no early": []}
        for name, workload in self.benchmarks:
            none, early = self.totals[workload, "none"], self.totals[workload, "no early"]
            if not none or not early or none["instructions"] == none["other_instructions"]:
                continue
            apart = none["other_instructions"]
            share = {"P": early["instructions"] / apart, "no early": early["other_instructions"] / apart}
            for which, value in share.items():
                shares[which].append(value)
            off, on = (self.machine.run(workload, settings) for settings in (NO_REGIONS, P))
            rows.append([name, workload, f"{apart:,}", percent(share["no early"]), percent(share["P"]),
                         percent(none["other_simd"]), percent(none["simd"]), ratio(on.cycles, off.cycles)])
        means = {which: mean(values) for which, values in shares.items()}
        rows.append(["**mean**", "", "", percent(means["no early"]), percent(means["P"]), "", "", ""])
        return table(["name", "workload", "program's instructions, no regions", "regions at post-dominators", "+ early",
                      "SIMD, no regions", "SIMD", "cycles with / without"], rows), means


def skips(machine, benchmarks, claims):
    rows = []
    for name, workload in benchmarks:
        base = machine.run(workload, X)
        runs = [machine.run(workload, skip(every)) for every in SKIPS]
        totals = machine.compare([(run, base) for run in runs])
        for every, run, total in zip(SKIPS, runs, totals):
            more = gain(run.cycles, base.cycles)
            simd = gain(total["other_simd"], total["simd"]) if total else None
            rows.append([name, workload, f"every {every}.", run.outcome, percent(total["difference"] if total else None),
                         signed(more), signed(simd)])
            if workload == "bfs" and every == SKIPS[0] and total:
                claims.add("bfsd", lambda total=total: percent(total["difference"]), share=total["difference"])
                for claim, value in (("bfsd_ipc", more), ("bfsd_simd", simd)):
                    claims.add(claim, lambda value=value: signed(value), ratio=None if value is None else 1 + value)
    return table(["name", "workload", "BSYNC that is passed", "result", "distance", "IPC, never passing", "SIMD, never passing"], rows)


def causes(machine, racing):
    """Of racing kernels: distances between runs that differ in one thing, with many warps and with one."""
    labels = {"P: disturbed": (P, lambda seed: perturbed(P, seed)), "stack: disturbed": (suite.STACK, lambda seed: perturbed(suite.STACK, seed)),
              "P, stack": (P, lambda _: suite.STACK), "P as the stack, stack": (AS_STACK, lambda _: AS_STACK_NOPS)}
    rows, columns = [], {}
    for _, workload in racing:
        row = [workload]
        for many, which in ((True, workload), (False, ONE_WARP.get(workload))):
            for label, (settings, other) in labels.items():
                value = None
                if which is not None:
                    totals = machine.compare([(machine.run(which, settings), machine.run(which, other(seed))) for seed in SEEDS])
                    value = mean(total["difference"] if total else None for total in totals)
                columns.setdefault((many, label), []).append(value)
                row.append(percent(value, 2))
        rows.append(row)
    rows.append(["**mean**", *(percent(mean(values), 2) for values in columns.values())])
    heads = ["Hanoi P, disturbed", "stack, disturbed", "P against stack", "the same, with the stack's order and meeting places"]
    text = table(["workload", *heads, *(f"one warp: {head}" for head in heads)], rows)
    return text, {label: mean(columns[key]) for key, label in zip(columns, (
        "disturbed", "stack_disturbed", "stack", "as_stack", "one_disturbed", "one_stack_disturbed", "one_stack", "one_as_stack"))}


def report(machine, names):
    machine.keep_traces()
    benchmarks, racing = chosen(REGULAR, names), chosen(RACING, names)
    skipping = [one for one in benchmarks if one[1] in ("bfs", "mandelbrot", "ray", "keyvalue")]
    parts = [
        f"# {TITLE}",
        "Reference: Hanoi, profile P, with the instructions that our placement inserts into PTX; the traces compared are of the "
        "program's own instructions, with the active mask before the guard, per warp. Distance: Levenshtein's by the "
        "instructions of the reference. No hardware is part of this: the publication compared Hanoi's traces with those of a "
        "Turing GPU, both of SASS. Here each other mechanism takes the place of the hardware.",
    ]
    claims = Claims("hanoi")
    if benchmarks:
        regular = Set(machine, benchmarks)
        costs, means = regular.costs()
        differences = {label: [regular.difference(workload, label) for _, workload in benchmarks] for label, _ in OTHERS}
        parts += ["## Distance of the traces", regular.distances(),
                  xy_chart("Distance of the stack's traces from Hanoi's, %", [workload for _, workload in benchmarks], "%",
                           [100 * (value or 0) for value in differences["stack"]]),
                  "## Thread IPC of the program's instructions, and SIMD utilisation", regular.performance(),
                  "## What not to reconverge costs", costs]
        with_ipc = {label: mean(abs(value) for _, workload in benchmarks
                                if (value := regular.ipc_difference(workload, label)) is not None) for label, _ in OTHERS}
        with_ipc["stack with NOPs"] = mean(abs(value) for _, workload in benchmarks
                                           if (value := regular.ipc_difference(workload, "NOPs")) is not None)
        labels = [label for label, _ in OTHERS]
        def by_label(text):
            return lambda: ", ".join(f"{label} {text(label)}" for label in labels)
        claims.add("distance", by_label(lambda label: percent(mean(differences[label]), 2)))
        claims.add("same", by_label(lambda label: f"{sum(value == 0 for value in differences[label])} of {len(benchmarks)}"))
        claims.add("largest", by_label(lambda label: percent(max((v for v in differences[label] if v is not None), default=None), 2)))
        claims.add("ipc", lambda: ", ".join(f"{label} {percent(value, 2)}" for label, value in with_ipc.items()))
        claims.add("apart", lambda: f"100 / {number(100 * means['no early'], 0)} / {number(100 * means['P'], 0)}",
                   ratio={"regions": means["no early"], "early regions": means["P"]})
        claims.add("order", lambda: percent(mean(regular.difference(workload, "same order") for _, workload in benchmarks), 2))
        claims.add("any_order", by_label(lambda label: percent(mean(regular.difference(
            workload, label, "difference_in_any_order") for _, workload in benchmarks), 2)))
    if racing:
        text, values = causes(machine, racing)
        claims.add("racing", lambda: (f"stack {percent(values['stack'])}; P against itself, other delays {percent(values['disturbed'])}; "
                          f"one warp: stack {percent(values['one_stack'])}, with its order and meeting places "
                          f"{percent(values['one_as_stack'])}, other delays {percent(values['one_disturbed'])}"))
        parts += ["## Kernels that race", "Locks and polling: where lanes go depends on when others run.", Set(machine, racing).distances(),
                  "### What makes them differ",
                  "Distances between two runs that differ in one thing. Disturbed: the same machine, whose crossbar delays packets by up to 8 "
                  f"cycles at random (mean of {len(SEEDS)} seeds). The stack's order and meeting places: Hanoi runs the taken side first and lanes "
                  "meet right behind loops that wait (`convergence.delay=off`); the stack has the placed instructions as NOPs, so that "
                  "both take as long. One warp: the launch is a single one, so that nothing but its own lanes competes.", text]
    if skipping:
        text = skips(machine, skipping, claims)
        parts += ["## BSYNCs that are passed", "`bsync_skip=N`: in profile X every N-th BSYNC of a warp lets its lanes go on without "
                  "waiting. Reference: the run that passes them; the other one never does.", text]
    return "\n\n".join([*parts, claims.comparison()])

