"""Transactional memory: Kilo TM, WarpTM and temporal conflict detection against fine-grained and coarse-grained locks, by the
limit of concurrent warps, with traffic, hit rates and the size of the last writer history."""

import kilotm_compared
from claims import Claims, mean, over
from kilotm_causes import Causes
from kilotm_compared import averaged, messages_share, text_of
from kilotm_runs import (BENCHMARKS, CHAPTER_4, CORE_MHZ, FACTORS, FX5800, FX5800_PLATFORM, GTX480, HISTORY, IDEAL, IDEAL_STORES, KILO, LEAKAGE_AND_CLOCK, LIMITS, PROTOCOLS,
                         PUBLISHED_41, PUBLISHED_64, READ_ONLY, STRUCTURES, TM, UNBUFFERED, WARP, limit_name, unit)
from tables import averages, chosen, count, number, percent, table, xy_chart

ENERGY_NOTE = (f"Dynamic: events counted times energy per event (section `energy`; good for ratios). All: with {LEAKAGE_AND_CLOCK:g} W of leakage and clock and "
               f"{', '.join(f'{label} {watts} W' for label, watts in STRUCTURES.items())} for the time of the run, the thesis' powers. GPUWattch's energies per event are not published; "
               "ours count less (no idle units, no pipeline registers), so that time weighs more in the sum than published. By halves: dynamic energy in such "
               "units that it is half of the energy of the locks, as published (leakage and clock are above 50 %).")
TITLE = "Kilo TM and WarpTM (thesis): transactions against locks, by protocol, limit of concurrency and size of tables"
PLATFORM = "gtx480"


class Study:
    """The runs, by benchmark and configuration."""

    def __init__(self, machine, names):
        self.machine = machine
        self.benchmarks = chosen(BENCHMARKS, names)
        self.names = [name for name, *_ in self.benchmarks]
        self.gtx480 = GTX480
        self.of = {name: rest for name, *rest in self.benchmarks}
        self.limits = LIMITS if machine.size != "tiny" else [2, 0]

    def there(self, names):
        return [name for name in names if name in self.of]

    def workload(self, name, form):
        """`form`: tx, fine or coarse. --size tiny is a check of the command."""
        tx, fine, coarse, common, small = self.of[name]
        which = {"tx": tx, "fine": fine, "coarse": coarse}[form]
        return which if self.machine.size != "small" else f"{which} {small if form == 'coarse' else common}"

    def case(self, name, form, more, old=False):
        base = FX5800 if old else GTX480
        settings = {**base, **(TM if form == "tx" else {}), **more}
        return (self.workload(name, form), settings, FX5800_PLATFORM if old else self.machine.platform)

    def run(self, name, form, more=None, old=False):
        return self.machine.run(*self.case(name, form, more or {}, old))

    def tx(self, name, protocol, limit, old=False):
        return self.run(name, "tx", {**protocol, "tm.concurrent_warps": limit}, old)

    def protocols(self, name):
        return [(label, keys) for label, keys in PROTOCOLS if name in READ_ONLY or "TCD" not in label]

    def factor(self, name, label, keys):
        """Times faster than the protocol without the change, limit 2."""
        protocol = dict(PROTOCOLS)[label]
        return over(self.tx(name, protocol, 2).cycles, self.tx(name, {**protocol, **keys}, 2).cycles)

    def best(self, name, protocol, old=False):
        """(limit, run) of the fastest."""
        runs = [(limit, self.tx(name, protocol, limit, old)) for limit in self.limits]
        runs = [(limit, run) for limit, run in runs if run.passed]
        return min(runs, key=lambda pair: pair[1].cycles) if runs else (None, None)

    commit_units = staticmethod(lambda run, *path: commit_units(run, *path))

    def of_fine(self, name, run, old=False):
        """Performance relative to fine-grained locks."""
        return over(self.run(name, "fine", None, old).cycles, run.cycles) if run is not None else None

    def dynamic_of_fine(self, name, run):
        """Counted dynamic energy relative to fine-grained locks."""
        return over(dynamic(run), dynamic(self.run(name, "fine")))

    def energy_of_fine(self, name, run, label):
        return over(energy(run, label), energy(self.run(name, "fine")))

    def energy_by_halves(self, name, run, label):
        """The same if half of the energy of the locks is dynamic."""
        counted, fine = self.dynamic_of_fine(name, run), self.run(name, "fine")
        if counted is None or not fine.passed:
            return None
        return (counted + (1 + STRUCTURES[label] / LEAKAGE_AND_CLOCK) * run.cycles / fine.cycles) / 2

    def work(self, name, form):
        """Transactions, or turns under the lock, of a run."""
        if self.machine.size != "small":
            return None
        common, small = self.of[name][3], self.of[name][4]
        of = dict(word.split("=") for word in (small if form == "coarse" else common).split())
        for key in ("keys", "transfers", "bodies", "records"):
            if key in of:
                return int(of[key])
        width, height = int(of["width"]), int(of["height"])
        if "sweeps" in of:
            return int(of["sweeps"]) * ((width - 1) * height + width * (height - 1) + 2 * (width - 1) * (height - 1))
        return width * height * int(of["rounds"])  # in proportion to them

    def of_coarse(self, name, run):
        """Performance relative to one lock, in work a cycle."""
        coarse = self.run(name, "coarse")
        if run is None or self.work(name, "tx") is None or not coarse.passed or not run.passed:
            return None
        return (self.work(name, "tx") / run.cycles) / (self.work(name, "coarse") / coarse.cycles)


# ---- What a run tells

def aborts(run):
    """Of 1000 commits, those within a warp included."""
    if run is None or not run.passed:
        return None
    failed = unit(run, "aborted") + unit(run, "intra_warp_aborted")
    return over(1000 * failed, unit(run, "committed"))


def commit_units(run, *path):
    return run.counter("partition", "unit", *path)


def hit_rate(run):
    """Of L2, with what commit units read to validate."""
    if run is None or not run.passed:
        return None
    reads = commit_units(run, "speculative_reads") + commit_units(run, "second_reads")
    missed = over(commit_units(run, "validation_misses"), reads)
    return None if missed is None else 1 - missed


def ipc(run):
    """Of threads; None if the statistics do not have it."""
    return over(run.counter("total", "thread_instructions") or None, run.cycles) if run is not None and run.passed else None


def average_of(values):
    """`0.59 (harmonic 0.33)`, "-" if one has no number."""
    values = list(values)
    return "-" if not values or any(value is None for value in values) else averages(values)


def dynamic(run):
    """Counted dynamic energy, in joules; None if the statistics do not have it."""
    return 1e-15 * run.counter("energy", "dynamic") or None if run is not None and run.passed else None


def energy(run, label=None):
    """With leakage, clock and the structures of a protocol by the thesis' powers, in joules."""
    counted = dynamic(run)
    power = LEAKAGE_AND_CLOCK + (STRUCTURES[label] if label else 0)
    return None if counted is None else counted + power * run.cycles / (1e6 * CORE_MHZ)


# ---- Tables

def characteristics_table(study):
    rows = []
    for name in study.names:
        run = study.tx(name, KILO, 2)
        commits = unit(run, "committed")
        rows.append([name, f"`{study.workload(name, 'tx')}`", count(run, commits),
                     number(over(commit_units(run, "read_words"), (unit(run, "committed") or 0) + (unit(run, "aborted") or 0)) if run.passed else None),
                     number(over(commit_units(run, "write_words"), (unit(run, "committed") or 0) + (unit(run, "aborted") or 0)) if run.passed else None),
                     percent(over(unit(run, "read_only"), commits))])
    return table(["name", "workload", "commits", "reads", "writes", "read-only"], rows)


def limits_table(study, protocol, old=False):
    names = study.there(CHAPTER_4) if old else study.names
    rows = []
    for name in names:
        fine = study.run(name, "fine", None, old)
        runs = [study.tx(name, protocol, limit, old) for limit in study.limits]
        rows.append([name, count(fine, fine.cycles),
                     *(number(study.of_fine(name, run, old)) if run.passed else count(run, 0) for run in runs),
                     *(number(aborts(run), 0) for run in runs)])
    columns = [study.limits.index(limit) for limit in study.limits]
    rows.append(["**mean**", "", *(average_of(study.of_fine(name, study.tx(name, protocol, study.limits[i], old), old)
                                                         for name in names) for i in columns), *("" for _ in columns)])
    labels = [limit_name(limit) for limit in study.limits]
    return table(["name", "locks, cycles", *(f"limit {label}" for label in labels), *(f"aborts {label}" for label in labels)], rows)


def best_table(study):
    rows = []
    for name in study.names:
        limits, failed = PUBLISHED_64[name]
        for i, (label, protocol) in enumerate(PROTOCOLS):
            if (label, protocol) not in study.protocols(name):
                continue
            limit, run = study.best(name, protocol)
            published = "-" if limits[i] is None else limit_name(limits[i])
            rows.append([name, label, "-" if limit is None else limit_name(limit), published, number(aborts(run), 0),
                         "-" if failed[i] is None else failed[i], number(study.of_fine(name, run)),
                         number(study.of_coarse(name, run), 0), percent(messages_share(run))])
    return table(["name", "protocol", "best limit", "published", "aborts of 1000", "published", "over fine locks",
                  "over one lock", "TxMsg in flits"], rows)


def energy_table(study):
    """At the best limits, relative to fine-grained locks: counted dynamic energy, all energy, and that if half of the locks' is dynamic."""
    rows, labels = [], [label for label, _ in PROTOCOLS]
    for name in study.names:
        runs = [study.best(name, protocol)[1] if (label, protocol) in study.protocols(name) else None for label, protocol in PROTOCOLS]
        tm, base = (over(run.counter("energy", "tm", "dynamic"), run.counter("energy", "dynamic")) if run is not None else None
                    for run in (runs[3] or runs[2], runs[0]))
        rows.append([name, *(number(study.dynamic_of_fine(name, run)) for run in runs),
                     *(number(study.energy_of_fine(name, run, label)) for label, run in zip(labels, runs)),
                     *(number(study.energy_by_halves(name, run, label)) for label, run in zip(labels, runs)), percent(base), percent(tm)])
    return table(["name", *(f"dynamic, {label}" for label in labels), *(f"all, {label}" for label in labels), *(f"by halves, {label}" for label in labels),
                  "structures of TM in dynamic, KiloTM", "of the last protocol"], rows)


def old_table(study):
    rows = []
    for name in study.there(CHAPTER_4):
        fine = study.run(name, "fine", None, True)
        limited, unlimited = study.tx(name, KILO, 2, True), study.tx(name, KILO, 0, True)
        limit, _ = study.best(name, KILO, True)
        of_ideal, stores = study.tx(name, IDEAL, 0, True), study.tx(name, IDEAL_STORES, 0, True)
        ideal, locks = PUBLISHED_41[name]
        rows.append([name, number(ipc(fine)), locks, number(ipc(of_ideal)), number(ipc(stores)), ideal, number(study.of_fine(name, of_ideal, True)),
                     number(study.of_fine(name, stores, True)), number(over(aborts(stores), 1000)), number(study.of_fine(name, limited, True)),
                     number(over(stores.cycles, limited.cycles)),
                     number(over(unlimited.cycles, limited.cycles)), "-" if limit is None else limit_name(limit),
                     number(over(aborts(limited), 1000)), number(over(aborts(unlimited), 1000)),
                     percent(hit_rate(limited)), percent(hit_rate(unlimited))])
    return table(["name", "IPC, fine locks", "published", "IPC, ideal TM", "with stores", "published", "ideal over fine locks", "with stores",
                  "aborts a commit, ideal with stores", "KiloTM at 2 over fine locks", "over ideal with stores", "over NL", "best limit", "aborts a commit at 2", "at NL", "L2 hits at 2", "at NL"], rows)


def history_table(study):
    rows = []
    for name in study.there(CHAPTER_4):
        runs = [study.run(name, "tx", {**keys, "tm.concurrent_warps": 2}, True) for _, keys in HISTORY]
        rows.append([name, *(number(over(run.cycles, runs[0].cycles), 3) for run in runs),
                     *(count(run, commit_units(run, "hazards")) for run in runs)])
    return table(["name", *(f"time, {label}" for label, _ in HISTORY), *(f"hazards, {label}" for label, _ in HISTORY)], rows)


def factors_table(study):
    rows = [[name, *(number(study.factor(name, label, keys)) for label, _, keys in FACTORS)] for name in study.names]
    rows.append(["**mean**", *(number(mean(study.factor(name, label, keys) for name in study.names)) for label, _, keys in FACTORS)])
    return table(["name", *(f"{label}: {what}" for label, what, _ in FACTORS)], rows)


# ---- Claims

def claims_of_chapter_4(study, claims):
    names = study.there(CHAPTER_4)
    at_2 = {name: study.of_fine(name, study.tx(name, KILO, 2, True), True) for name in names}
    claims.add("kilo_fine", lambda: averaged(at_2), at_2.values(), ratio=mean(at_2.values()))
    for claim, protocol in (("ideal_fine", IDEAL), ("ideal_stores", IDEAL_STORES)):
        ideal = {name: study.of_fine(name, study.tx(name, protocol, 0, True), True) for name in names}
        claims.add(claim, lambda ideal=ideal: averaged(ideal), ideal.values(), ratio=mean(ideal.values()))
    # As it is, and as the evaluation seems to be: with writes that cost and a set buffer for everybody.
    for suffix, ideal, kilo in (("", IDEAL, KILO), ("_stores", IDEAL_STORES, UNBUFFERED)):
        def slower_than(limit, ideal=ideal, kilo=kilo):
            return {name: over(study.tx(name, kilo, limit, True).cycles, study.tx(name, ideal, 0, True).cycles) for name in names}
        unlimited = slower_than(0)
        claims.add("ideal_nl" + suffix, lambda unlimited=unlimited: averaged(unlimited), ratio=mean(unlimited.values()))
        part = {name: over(1, slower) for name, slower in slower_than(2).items()}
        claims.add("ideal_2" + suffix, lambda part=part: averaged(part), ratio=mean(part.values()))
    gains = {name: over(study.tx(name, KILO, 0, True).cycles, study.tx(name, KILO, 2, True).cycles) for name in names}
    crowded = {name: gains[name] for name in ("HT-H", "CL", "BH-H", "ATM", "HT-M") if name in gains}
    claims.add("limit_2", lambda: text_of(crowded), ratio=crowded)
    if "CC" in gains:
        claims.add("limit_cc", lambda: number(gains["CC"]), ratio=gains["CC"])
    if "AP" in gains:
        claims.add("limit_ap", lambda: number(gains["AP"]), same=gains["AP"])
    best = {name: study.best(name, KILO, True)[0] for name in names}
    wanted = {"HT-H": (1,), "HT-M": (2,), "ATM": (2,), "CL": (2,), "BH-H": (2,), "CC": (0,), "AP": tuple(LIMITS)}
    claims.add("best_limit", lambda: ", ".join(f"{name} {limit_name(best[name])}" for name in names), best.values(),
               lambda: all(best[name] in wanted[name] for name in names))
    rates = {name: over(aborts(study.tx(name, KILO, 0, True)), 1000) for name in study.there(["HT-H", "CL"])}
    claims.add("aborts_nl", lambda: text_of(rates), share=rates)
    more = {name: over(aborts(study.tx(name, KILO, 0, True)), aborts(study.tx(name, KILO, 2, True))) for name in rates}
    claims.add("aborts_fall", lambda: text_of(more), more.values(), lambda: all(value > 1 for value in more.values()))
    hits = {name: hit_rate(study.tx(name, KILO, 2, True)) for name in names}
    claims.add("hits_2", lambda: text_of(hits), at_least=hits)
    unlimited = {name: hit_rate(study.tx(name, KILO, 0, True)) for name in study.there(["HT-M", "ATM", "CL"])}
    claims.add("hits_nl", lambda: text_of(unlimited), share=unlimited)

    def slower(i):
        return {name: over(study.run(name, "tx", {**HISTORY[i][1], "tm.concurrent_warps": 2}, True).cycles,
                           study.run(name, "tx", {**HISTORY[0][1], "tm.concurrent_warps": 2}, True).cycles) for name in names}
    claims.add("history_5", lambda: averaged(slower(1)), same=mean(slower(1).values()))
    claims.add("history_small", lambda: averaged(slower(2)), ratio=mean(slower(2).values()))


def claims_of_chapter_6(study, claims):
    names = study.names
    bests = {(name, label): study.best(name, protocol) for name in names for label, protocol in study.protocols(name)}

    def run_of(name, label):
        return bests.get((name, label), bests[name, label.removesuffix(" + TCD")])[1]

    def against(label, value):
        """The average of what `value` makes of a benchmark and its run."""
        return {name: value(name, run_of(name, label)) for name in names}

    def gain(label, above, of):
        return {name: over(run_of(name, above).cycles, run_of(name, label).cycles) for name in of
                if run_of(name, label) is not None and run_of(name, above) is not None}
    of_all = [("base_fine", against("KiloTM", study.of_fine), 2), ("full_fine", against("WarpTM + TCD", study.of_fine), 2),
              ("tcd", gain("KiloTM + TCD", "KiloTM", study.there(READ_ONLY)), 2), ("warp", gain("WarpTM", "KiloTM", names), 2),
              ("full", gain("WarpTM + TCD", "KiloTM", names), 2),
              ("coarse_base", against("KiloTM", study.of_coarse), 0), ("coarse_full", against("WarpTM + TCD", study.of_coarse), 0),
              ("coarse_fine", {name: study.of_coarse(name, study.run(name, "fine")) for name in names}, 0)]
    for which, label in (("base", "KiloTM"), ("full", "WarpTM + TCD")):
        of_all.append((f"dynamic_{which}", against(label, study.dynamic_of_fine), 2))
        of_all.append((f"energy_{which}", against(label, lambda name, run, label=label: study.energy_of_fine(name, run, label)), 2))
        of_all.append((f"energy_{which}_halves", against(label, lambda name, run, label=label: study.energy_by_halves(name, run, label)), 2))
    for claim, label, of in (("energy_tcd", "KiloTM + TCD", study.there(READ_ONLY)), ("energy_warp", "WarpTM", names)):
        of_all.append((claim, {name: over(energy(run_of(name, label), label), energy(run_of(name, "KiloTM"), "KiloTM")) for name in of}, 2))

    def accesses(name, label, kind):
        run = study.tx(name, dict(PROTOCOLS)[label], 2)
        return over(commit_units(run, "l2_requests", kind), unit(run, "committed")) if run.passed else None
    for claim, kind in (("coalesced_reads", "read"), ("coalesced_writes", "write")):
        of_all.append((claim, {name: over(accesses(name, "WarpTM", kind), accesses(name, "KiloTM", kind)) for name in names}, 2))
    for claim, factor in (("steps", FACTORS[6]), ("aggregated", FACTORS[5])):
        of_all.append((claim, {name: over(study.tx(name, KILO, 2).cycles, study.tx(name, {**WARP, **factor[2]}, 2).cycles) for name in names}, 2))
    of_all.append(("scr", {name: over(1, study.factor(name, *FACTORS[7][::2])) for name in names}, 2))
    for claim, values, digits in of_all:
        claims.add(claim, lambda values=values, digits=digits: averaged(values, digits), values.values(), ratio=mean(values.values()))
    if "CLto" in names:
        value = study.of_fine("CLto", run_of("CLto", "WarpTM + TCD"))
        claims.add("clto", lambda: number(value), at_least=value)
    if {"CL", "CLto"} <= set(names):
        faster = over(run_of("CL", "KiloTM").cycles, run_of("CLto", "KiloTM").cycles)
        claims.add("clto_cl", lambda: number(faster), [faster], lambda: faster > 1)
    failed = {label: {name: aborts(run_of(name, label)) for name in names} for label in ("KiloTM", "WarpTM")}
    ratio = {name: over(failed["WarpTM"][name], failed["KiloTM"][name]) for name in names}
    claims.add("aborts_warp", lambda: text_of(ratio), ratio.values(), lambda: all(value >= 0.99 for value in ratio.values()))
    share = {name: messages_share(run_of(name, "KiloTM")) for name in names}
    claims.add("messages", lambda: averaged(share), share.values(), share=mean(share.values()))


def report(machine, names):
    study = Study(machine, names)
    causes = Causes(study, CHAPTER_4, aborts, hit_rate)
    claims = Claims("kilotm")
    for part in (claims_of_chapter_4, claims_of_chapter_6):
        part(study, claims)
    kilotm_compared.add_claims(study, claims, CHAPTER_4)
    causes.add_claims(claims)

    def performance(protocol):
        return [study.of_fine(name, study.best(name, protocol)[1]) for name in study.names]
    parts = [
        f"# {TITLE}",
        "GTX480-like: " + ", ".join(f"`{key}={value}`" for key, value in GTX480.items()) + f" on `{machine.platform}`; "
        f"FX5800-like: `{FX5800_PLATFORM}`; transactions: " + ", ".join(f"`{key}={value}`" for key, value in TM.items())
        + ". Limits: `tm.concurrent_warps`, NL none. Performance is that of fine-grained locks divided into ours. Aborts are of "
        "1000 commits, those within a warp included. Work under one lock is measured on a part of the input and compared by "
        "transactions a cycle. L2 hits are those of what commit units read to validate.",
        "## Transactions: words a commit unit sees, by attempt (KiloTM, limit 2)", characteristics_table(study),
        "## FX5800-like (chapter 4, Table 4.1)", old_table(study),
        "## FX5800-like: KiloTM by limit", limits_table(study, KILO, True),
        "## Last writer history, limit 2: time over perfect hazard detection", history_table(study),
        "## A history of 512 B, set buffers without limit, limit 2: time over perfect hazard detection, one thing changed", causes.history_table(),
        "## BF array instead of the last writer history", kilotm_compared.bf_array_table(study, CHAPTER_4),
        "## Ideal TM with conflicts by signatures: failures that are false", kilotm_compared.signature_table(study),
        "## FX5800-like: what validation finds in L2", causes.hits_table(),
        "## FX5800-like: what resident threads do (Fig 4.9)", kilotm_compared.thread_cycles_table(study, CHAPTER_4),
        "## FX5800-like, set buffers without limit: KiloTM by limit", kilotm_compared.unbuffered_table(study, CHAPTER_4, limit_name),
        "## GTX480-like: KiloTM by limit", limits_table(study, KILO),
        "## GTX480-like: WarpTM by limit", limits_table(study, WARP),
        "## GTX480-like, limit 2: times faster with one thing changed", factors_table(study),
        "## GTX480-like, WarpTM, limit 2: what a step of SCR costs", causes.scr_table(),
        "## GTX480-like: aborts of CudaCuts by the share of nodes with flow", causes.cuts_table(),
        "## GTX480-like, limit 2: what the network carries (Fig 6.4)", kilotm_compared.traffic_table(study),
        "## GTX480-like, limit 2: flits of 64 B", kilotm_compared.flits_table(study),
        "## GTX480-like: one lock (HT-H) by contention", kilotm_compared.crowd_table(study),
        "## GTX480-like: best limits (Table 6.4)", best_table(study),
        "## GTX480-like: gains over KiloTM, each protocol at the limit that is published as its best one (Table 6.4)", causes.published_limits_table(),
        "## GTX480-like: energy at the best limits, relative to fine-grained locks", ENERGY_NOTE, energy_table(study),
        xy_chart("KiloTM at its best limit over fine-grained locks", study.names, "performance", performance(KILO)),
        xy_chart("WarpTM at its best limit over fine-grained locks", study.names, "performance", performance(WARP)),
        claims.comparison(),
    ]
    return "\n\n".join(parts)
