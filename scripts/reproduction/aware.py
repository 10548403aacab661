"""AWARE against the transformation on a stack; its time-out, its tables' sizes, the warp scheduler."""

import suite
from claims import Claims, over
from tables import WHERE, averages, chosen, count, geometric_mean, number, ratio, table, where

TITLE = "AWARE (thesis ch. 5): the synchronisation set in MIMD form against SSDE, time-outs, table sizes, scheduling"
PLATFORM = "tesla_c2050"

SIZES = [(32, 32), (1, 1), (4, 2), (6, 4)]  # physical entries of ST and RT; 32/32 is not virtualised
TIMEOUTS = [1000, 5000, 10000]
BASIC = suite.aware()


def sized(st, rt):
    return suite.aware(st_entries=st, rt_entries=rt)


def timed(cycles):
    return suite.aware(compiler="none", timeout=cycles)


def scheduled(policy):
    return {**BASIC, "core.scheduler.policy": policy}


def both_means(values):
    return f"{number(geometric_mean(values))}; {averages(values)}"


def against_ssde(machine, benchmarks, claims):
    rows, times, instructions = [], {}, {}
    for name, simt, mimd in benchmarks:
        stack, ssde, aware = (machine.run(simt, suite.STACK), machine.run(mimd, suite.SSDE),
                              machine.run(mimd, BASIC))
        for variant, run in (("S2", stack), ("M2S", ssde), ("M2D", aware)):
            rows.append([*where(name, run), variant, count(run, run.cycles), count(run, run.instructions),
                         ratio(run.cycles, stack.cycles), ratio(run.instructions, ssde.instructions)])
        if ssde.passed and aware.passed:
            times[name] = aware.cycles / ssde.cycles
            instructions[name] = aware.instructions / ssde.instructions
    claims.add("tree_build", lambda: number(times["BH-TB"]), at_most=times.get("BH-TB"))
    claims.add("time", lambda: both_means(times.values()), same=geometric_mean(times.values()))
    more = [name for name, value in instructions.items() if value > 1]
    claims.add("instructions", lambda: f"{both_means(instructions.values())}; above 1: {', '.join(more) or 'none'}", instructions.values(),
               lambda: more in ([], ["BH-ST"]))
    return table([*WHERE, "variant", "cycles", "warp instr.", "cycles / S2", "instr. / M2S"], rows)


def relative_to_basic(machine, benchmarks, variants):
    """Rows of every benchmark under the variants (label, settings), relative to the first of them; and the ratios of
    cycles by label and benchmark."""
    rows, ratios = [], {label: {} for label, _ in variants}
    for name, _, mimd in benchmarks:
        runs = [(label, machine.run(mimd, settings)) for label, settings in variants]
        basic = runs[0][1]
        for label, run in runs:
            requests = run.counter("core", "memory_port", "requests")
            rows.append([*where(name, run), label, count(run, run.cycles), ratio(run.cycles, basic.cycles),
                         ratio(run.instructions, basic.instructions),
                         ratio(requests, basic.counter("core", "memory_port", "requests"))])
            if run.passed and basic.passed:
                ratios[label][name] = run.cycles / basic.cycles
    columns = [*WHERE, "variant", "cycles", "cycles, relative", "instr., relative", "memory requests, relative"]
    return table(columns, rows), ratios


def virtualisation(machine, benchmarks, claims):
    variants = [(f"s{st}r{rt}", sized(st, rt)) for st, rt in SIZES]
    text, ratios = relative_to_basic(machine, benchmarks, variants)
    small = ratios["s4r2"]
    claims.add("virtual_mean", lambda: both_means(small.values()), ratio=geometric_mean(small.values()))
    worst = max(small, key=small.get, default=None)
    claims.add("virtual_worst", lambda: f"{small[worst]:.2f} ({worst})", at_most=small.get(worst))
    for name, _, mimd in benchmarks:
        if name != "CP-DS":
            continue
        least, basic = (machine.run(mimd, sized(*sizes)).counter("core", "memory_port", "requests") for sizes in ((1, 1), (32, 32)))
        claims.add("virtual_requests", lambda: ratio(least, basic), ratio=over(least, basic))
    return text


def timeouts(machine, benchmarks, claims):
    variants = [("inf+DR", BASIC)] + [(f"TO {t}", timed(t)) for t in TIMEOUTS]
    text, ratios = relative_to_basic(machine, benchmarks, variants)
    means = {label: geometric_mean(values.values()) for label, values in ratios.items()}

    def add(claim, by_timeout, holds):
        claims.add(claim, lambda: ", ".join(f"{label} {value:.2f}" for label, value in by_timeout.items()), by_timeout.values(), lambda: holds(by_timeout))
    add("timeout_best", means, lambda of: min(of, key=of.get) == "inf+DR")
    least, most = (f"TO {t}" for t in (TIMEOUTS[0], TIMEOUTS[-1]))
    for claim, name, holds in (("timeout_sort", "BH-ST", lambda of: of[least] < min(of["inf+DR"], of[most])),
                               ("timeout_summarise", "BH-SM", lambda of: of[least] > of["inf+DR"])):
        if name in (name for name, *_ in benchmarks):
            add(claim, {label: values.get(name) for label, values in ratios.items()}, holds)
    return text


def scheduling(machine, benchmarks, claims):
    rows, missed = [], {}
    for name, _, mimd in benchmarks:
        runs = {policy: machine.run(mimd, scheduled(policy)) for policy in ("gto", "glrr")}

        def misses(run):
            return run.counter("core", "l1d", "load_misses")

        for policy, run in runs.items():
            rows.append([*where(name, run), policy, count(run, run.cycles), count(run, misses(run)),
                         ratio(run.cycles, runs["gto"].cycles), ratio(misses(run), misses(runs["gto"]))])
        if all(run.passed for run in runs.values()) and misses(runs["gto"]):
            missed[name] = misses(runs["glrr"]) / misses(runs["gto"])
    claims.add("scheduler_misses", lambda: ", ".join(f"{name} {value:.2f}" for name, value in missed.items()),
               ratio={"BH-ST": missed.get("BH-ST")}, same={name: value for name, value in missed.items() if name != "BH-ST"})
    return table([*WHERE, "policy", "cycles", "L1D load misses", "cycles / GTO", "misses / GTO"], rows)


def patterns(machine):
    """The hand-written patterns: who finishes?"""
    rows = []
    for name, workload in suite.MIMD_PATTERNS:
        for settings in (suite.STACK, suite.aware(compiler="none"), suite.SSDE, BASIC, timed(TIMEOUTS[0])):
            run = machine.run(workload, settings)
            rows.append([*where(name, run), count(run, run.cycles), count(run, run.instructions)])
    return table([*WHERE, "cycles", "warp instr."], rows)


BENCHMARKS = suite.SYNCHRONISATION


def report(machine, names):
    benchmarks = chosen(BENCHMARKS, names)
    claims = Claims("aware")
    parts = [
        f"# {TITLE}",
        "S2: hand-made SIMT form on a stack. M2S: MIMD form, transformed by SSDE, on a stack. M2D: MIMD form on AWARE "
        "with delayed reconvergence.",
        "## AWARE against SSDE", against_ssde(machine, benchmarks, claims),
        "## Virtualised tables", virtualisation(machine, benchmarks, claims),
        "## Time-out instead of delayed reconvergence", timeouts(machine, benchmarks, claims),
        "## Warp scheduler", scheduling(machine, benchmarks, claims),
    ]
    if not names:
        parts += ["## Patterns in MIMD form", patterns(machine)]
    return "\n\n".join([*parts, claims.comparison()])
