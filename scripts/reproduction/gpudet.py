"""Deterministic execution: GPUDet in its five configurations against the nondeterministic machine, where its time goes, why
quanta end, and its sensitivity to quantum, Bloom filter, Z-cache and barrier."""

import gpudet_causes
from claims import Claims, add_claim, mean, over
from tables import chosen, comparison, count, number, percent, table, xy_chart

TITLE = "GPUDet (thesis): deterministic execution against the machine without it, by mode, optimisation and parameter"
PLATFORM = "gtx480"

# Where the thesis' machine (gpudet §3.1, Table 5.2) differs from the platform's GTX 480.
MACHINE = {"core.scheduler.policy": "lrr", "clocks.dram_mhz": 900, "core.l1d.size_kib": 48, "core.l1d.ways": 6,
           "core.shared_memory.size_kib": 16, "memory.l2.latency_cycles": 90}
# The baseline of §3: requests of different cores are injected in random order.
NONDET = {**MACHINE, "memory.crossbar.perturb_seed": 1}

# Name in Table 5.1, workload.
BENCHMARKS = [("AES", "aes-columns"), ("BFSr", "bfs-racy"), ("BFSf", "bfs-flags"), ("CFD", "cfd"), ("CP", "coulomb"),
              ("HOTSP", "hotspot"), ("LIB", "libor"), ("LPS", "lps"), ("SRAD", "srad"), ("CLopt", "cloth-interleaved"),
              ("HT", "hashtable"), ("ATM", "atm"), ("CL", "cloth-blocked")]
NOT_IN_AVERAGES = {"CL"}
# Inputs are not published (but for BFSr's 65 536 nodes). These run in seconds to a minute each; --size paper has the sizes of
# the publications that the workloads come from.
SCALE = {"bfs-racy": "nodes=16384", "bfs-flags": "nodes=16384", "cfd": "width=192 height=144 steps=1",
         "coulomb": "ctas_x=8 ctas_y=32 atoms=240", "libor": "ctas=64 threads=64 rates=20 steps=8",
         "cloth-interleaved": "width=120 height=100 sweeps=1 ctas=23 threads=512",
         "cloth-blocked": "width=60 height=50 sweeps=1 ctas=6 threads=512",
         "hashtable": "keys=11520 buckets=8192 ctas=60 threads=192", "atm": "transfers=23040 accounts=1000000 ctas=120 threads=192"}

# Classes of kernels that claims are about.
BARRIERS = ["AES", "HOTSP", "LPS", "SRAD"]
SHORT = ["BFSr", "BFSf", "CFD"]
ATOMICS = ["CLopt", "HT", "ATM"]
COMPUTE = ["AES", "CP"]
LARGER_IS_BETTER = ["AES", "CP", "HOTSP", "LIB"]
BLOOM = ["BFSr", "BFSf", "CFD", "LPS", "SRAD", "HT", "ATM", "CLopt", "CL"]

QUANTA = [100, 200, 600, 1000]
LOG_QUANTA = [200, 1000]  # write-log overhead
BLOOM_BITS = ["128", "256", "512", "1024", "ideal"]
ZCACHE_KIB = [8, 16, 128]
BARRIER_CYCLES = [0, 10, 100, 1000]

# Reasons why a wavefront's quantum ends: counter, class of Fig 4.2.
REASONS = [("atomic", "atomic"), ("count", "instruction count"), ("exit", "execution complete"),
           ("barrier", "WG barrier"), ("fence", "fence"), ("log_full", "log full")]


# Those of the full GPUDet; left out of settings, so that each point is run once.
DEFAULTS = {"quantum_size": 200, "bta": True, "dwp": True, "commit_engine": "zbuffer", "serial_mode": "core",
            "barrier_cycles": 0, "log__bloom_bits": "1024", "zbuffer__cache_kib": 16, "log__cost": "memory"}


def gpudet(**more):
    """Settings of the full GPUDet; `more`: keys of `determinism` that differ."""
    keys = {"enabled": True, "bta_rule": "thesis", **more}
    keys = {key: value for key, value in keys.items() if DEFAULTS.get(key) != value}
    return {**NONDET, **{f"determinism.{key.replace('__', '.')}": value for key, value in keys.items()}}


BASE = gpudet(bta=False, dwp=False)
CONFIGURATIONS = [
    ("NONDET", NONDET),
    ("base", BASE),
    ("WA(BTA)", gpudet(dwp=False)),
    ("GPUDet", gpudet()),
    ("Locking", gpudet(commit_engine="lock")),
    ("W-Ser", gpudet(serial_mode="wavefront")),
    ("GPUDet, `bta_rule=empty_logs`", gpudet(bta_rule="empty_logs")),
]
CONFIGURATION = dict(CONFIGURATIONS)


def scaled(machine, workload):
    """The workload with its parameters; --size tiny is a check of the command."""
    return workload if machine.size != "small" or workload not in SCALE else f"{workload} {SCALE[workload]}"


# ---- What a run tells

def modes(run):
    """Core cycles of the modes: parallel (with the distribution of CTAs), commit, serial."""
    if not run.passed:
        return None
    cycles = {mode: run.counter("determinism", "cycles", mode) for mode in ("parallel", "work_dist", "commit", "serial")}
    return {"parallel": cycles["parallel"] + cycles["work_dist"], "commit": cycles["commit"], "serial": cycles["serial"]}


def quanta(run):
    return run.counter("determinism", "quanta")


def reasons(run):
    """Ends of parallel modes, of all wavefronts and quanta."""
    if not run.passed:
        return None
    return {name: run.counter(r"core\d+", "determinism", "quantum_unit", "ends", name) for name, _ in REASONS}


def text_of(values):
    return ", ".join(f"{name} {number(value)}" for name, value in values.items())


class Study:
    """The runs, by benchmark and configuration."""

    def __init__(self, machine, names):
        self.machine = machine
        self.benchmarks = [(name, scaled(machine, workload)) for name, workload in chosen(BENCHMARKS, names)]
        self.workload = dict(self.benchmarks)
        self.averaged = [name for name, _ in self.benchmarks if name not in NOT_IN_AVERAGES]

    def run(self, name, settings):
        return self.machine.run(self.workload[name], settings)

    def cycles(self, name, settings):
        return self.run(name, settings).cycles

    def normalised(self, name, settings):
        return over(self.cycles(name, settings), self.cycles(name, NONDET))

    def there(self, names):
        return [name for name in names if name in self.workload]

    def gain(self, names, before, after):
        """By benchmark: how many times faster `after` is than `before`."""
        return {name: over(self.cycles(name, before), self.cycles(name, after)) for name in self.there(names)}

    def cases(self):
        for _, workload in self.benchmarks:
            for _, settings in CONFIGURATIONS:
                yield workload, settings
            for size in QUANTA:
                yield workload, gpudet(quantum_size=size)
            for kib in ZCACHE_KIB:
                yield workload, gpudet(zbuffer__cache_kib=kib)
            for cycles in BARRIER_CYCLES:
                yield workload, gpudet(barrier_cycles=cycles)
        for name in self.there(BLOOM):
            for bits in BLOOM_BITS:
                yield self.workload[name], gpudet(log__bloom_bits=bits)
        if {"CL", "CLopt"} <= set(self.workload):
            yield self.workload["CLopt"].replace("cloth-interleaved", "cloth-blocked"), NONDET
        if "AES" in self.workload:
            yield self.workload["AES"], gpudet(bta=False, dwp=False, quantum_size=1000)
        for _, workload in self.benchmarks:
            for size in LOG_QUANTA:
                yield workload, gpudet(quantum_size=size, **gpudet_causes.FREE_LOG)


# ---- Tables

def configurations_table(study):
    rows = []
    for name, workload in study.benchmarks:
        runs = [study.run(name, settings) for _, settings in CONFIGURATIONS]
        rows.append([name, f"`{workload}`", count(runs[0], runs[0].cycles),
                     *(number(over(run.cycles, runs[0].cycles)) if run.passed else count(run, 0) for run in runs[1:])])
    rows.append(["**average without CL**", "", "",
                 *(number(mean(study.normalised(name, settings) for name in study.averaged))
                   for _, settings in CONFIGURATIONS[1:])])
    return table(["name", "workload", "NONDET cycles", *(label for label, _ in CONFIGURATIONS[1:])], rows)


def modes_table(study):
    rows = []
    for name, _ in study.benchmarks:
        run = study.run(name, CONFIGURATION["GPUDet"])
        nondet, of = study.cycles(name, NONDET), modes(run)
        if of is None or not nondet:
            rows.append([name, count(run, 0), "-", "-", "-", "-", "-"])
            continue
        rows.append([name, number(run.cycles / nondet), *(number(of[mode] / nondet) for mode in ("parallel", "commit", "serial")),
                     f"{quanta(run):,}", number(over(run.instructions, study.run(name, NONDET).instructions))])
    return table(["name", "time", "parallel", "commit", "serial", "quanta", "instructions / NONDET"], rows)


def reasons_table(study):
    rows = []
    for name, _ in study.benchmarks:
        of = reasons(study.run(name, BASE))
        total = sum(of.values()) if of else 0
        rows.append([name, *(percent(over(of[reason], total)) if total else "-" for reason, _ in REASONS)])
    return table(["name", *(label for _, label in REASONS)], rows)


def sweep_table(study, names, label, points, settings, value, digits=2):
    rows = [[name, *(number(value(name, settings(point)), digits) for point in points)] for name in study.there(names)]
    averages = [mean(value(name, settings(point)) for name in study.there(names) if name not in NOT_IN_AVERAGES)
                for point in points]
    rows.append(["**average without CL**", *(number(average, digits) for average in averages)])
    return table(["name", *(f"{label} {point}" for point in points)], rows), averages


# ---- Claims

def claims_of_time(study, claims):
    full = CONFIGURATION["GPUDet"]
    normalised = {name: study.normalised(name, full) for name in study.averaged}
    average = mean(normalised.values())
    add_claim(claims, "slowdown", [average], lambda: number(average), lambda: 1 < average <= 1.3 * 2.05)
    values = list(normalised.values())
    add_claim(claims, "highest", values, lambda: number(max(values)), lambda: max(values) <= 5)
    add_claim(claims, "lowest", values, lambda: f"{percent(min(values) - 1)} ({min(normalised, key=normalised.get)})",
              lambda: min(normalised, key=normalised.get) in ("AES", "CP", "LIB", "HOTSP"))
    compute = {name: normalised[name] for name in study.there(COMPUTE)}
    add_claim(claims, "faster", list(compute.values()), lambda: text_of(compute),
              lambda: all(value <= 1 for value in compute.values()))
    serial = {name: over(modes(run)["serial"], run.cycles) for name, _ in study.benchmarks
              if (run := study.run(name, full)).passed}
    add_claim(claims, "serial", list(serial.values()),
              lambda: ", ".join(f"{name} {percent(share)}" for name, share in serial.items() if share),
              lambda: all((share > 0) == (name in ATOMICS + ["CL"]) for name, share in serial.items()))


def claims_of_optimisations(study, claims):
    base, bta, full = BASE, CONFIGURATION["WA(BTA)"], CONFIGURATION["GPUDet"]
    shrinks = [over(study.cycles(name, bta), study.cycles(name, base)) for name in study.averaged]
    add_claim(claims, "bta", shrinks, lambda: percent(mean(shrinks) - 1), lambda: mean(shrinks) < 1)
    with_barriers = study.gain(BARRIERS, base, bta)
    add_claim(claims, "bta_barriers", list(with_barriers.values()),
              lambda: f"{percent(mean(with_barriers.values()) - 1)}: {text_of(with_barriers)}",
              lambda: all(value > 1 for value in with_barriers.values()))
    fewer = {name: over(quanta(study.run(name, base)), quanta(study.run(name, bta))) for name in study.there(BARRIERS)}
    add_claim(claims, "bta_quanta", list(fewer.values()), lambda: f"{number(mean(fewer.values()))}: {text_of(fewer)}",
              lambda: all(value > 1 for value in fewer.values()))
    short = study.gain(SHORT, bta, full)
    add_claim(claims, "dwp", list(short.values()), lambda: f"{percent(mean(short.values()) - 1)}: {text_of(short)}",
              lambda: all(value > 1 for value in short.values()))
    # Without those whose locks take more than the limit of cycles.
    units = {name: value for name, value in study.gain(study.averaged, CONFIGURATION["Locking"], full).items()
             if value is not None}
    add_claim(claims, "zbuffer", list(units.values()), lambda: f"{percent(mean(units.values()) - 1)}: {text_of(units)}",
              lambda: mean(units.values()) > 1)
    if "HT" in study.workload:
        commits = [modes(study.run("HT", settings)) for settings in (CONFIGURATION["Locking"], full)]
        add_claim(claims, "zbuffer_ht", commits, lambda: number(over(commits[0]["commit"], commits[1]["commit"])),
                  lambda: commits[0]["commit"] > commits[1]["commit"])
    serial = {name: over(modes(slow)["serial"], modes(fast)["serial"]) for name in study.there(ATOMICS)
              if (slow := study.run(name, CONFIGURATION["W-Ser"])).passed and (fast := study.run(name, full)).passed}
    add_claim(claims, "serialisation", list(serial.values()),
              lambda: f"{number(mean(serial.values()))}: {text_of(serial)}",
              lambda: all(value > 1 for value in serial.values()))
    if {"CL", "CLopt"} <= set(study.workload):
        blocked = study.workload["CLopt"].replace("cloth-interleaved", "cloth-blocked")  # of the same size
        faster = over(study.machine.run(blocked, NONDET).cycles, study.cycles("CLopt", NONDET))
        add_claim(claims, "coalescing", [faster], lambda: percent(faster - 1), lambda: faster > 1)


def claims_of_ends(study, claims):
    if "AES" in study.workload:
        run = study.run("AES", gpudet(bta=False, dwp=False, quantum_size=1000))
        ended = reasons(run)
        length = over(run.instructions, sum(ended.values()) if ended else None)
        add_claim(claims, "aes_quantum", [length], lambda: number(length, 0), lambda: length < 200)
    expected = {**{name: "barrier" for name in BARRIERS}, **{name: "exit" for name in SHORT},
                **{name: "atomic" for name in ATOMICS}}
    shares = {}
    for name in study.there(expected):
        of = reasons(study.run(name, BASE))
        if of and sum(of.values()):
            shares[name] = (max(of, key=of.get), of[expected[name]] / sum(of.values()))
    add_claim(claims, "reasons", list(shares.values()),
              lambda: ", ".join(f"{name} {percent(share)} {expected[name]}" for name, (_, share) in shares.items()),
              lambda: all(most == expected[name] for name, (most, _) in shares.items()))


def claims_of_parameters(study, claims):
    def times(name):
        return [study.normalised(name, gpudet(quantum_size=size)) for size in QUANTA]

    def series(names):
        return "; ".join(f"{name} {', '.join(number(value) for value in times(name))}" for name in study.there(names))

    def known(names):
        return [value for name in study.there(names) for value in times(name)]
    add_claim(claims, "quantum_better", known(LARGER_IS_BETTER), lambda: series(LARGER_IS_BETTER),
              lambda: all(times(name)[-1] < times(name)[0] for name in study.there(LARGER_IS_BETTER)))
    add_claim(claims, "quantum_worse", known(["BFSr", "BFSf"]), lambda: series(["BFSr", "BFSf"]),
              lambda: all(times(name)[-1] > times(name)[1] for name in study.there(["BFSr", "BFSf"])))
    add_claim(claims, "quantum_flat", known(["ATM", "HT"]), lambda: series(["ATM", "HT"]),
              lambda: all(max(times(name)) < 1.1 * min(times(name)) for name in study.there(["ATM", "HT"])))
    add_claim(claims, "quantum_cl", known(["CL"]), lambda: series(["CL"]),
              lambda: times("CL")[-1] > times("CL")[0])
    if "BFSr" in study.workload:
        more = over(study.run("BFSr", gpudet(quantum_size=1000)).instructions,
                    study.run("BFSr", gpudet(quantum_size=200)).instructions)
        add_claim(claims, "bfs_instructions", [more], lambda: percent(more - 1), lambda: more > 1)

    def parallel(name, bits):
        of = modes(study.run(name, gpudet(log__bloom_bits=bits)))
        return of and of["parallel"]

    def against_ideal(names, bits):
        return {name: over(parallel(name, bits), parallel(name, "ideal")) for name in study.there(names)}
    others = against_ideal([name for name in BLOOM if name not in ("BFSr", "CL")], "256")
    add_claim(claims, "bloom_256", list(others.values()), lambda: text_of(others),
              lambda: all(value < 1.05 for value in others.values()))
    if "BFSr" in study.workload:
        of = [against_ideal(["BFSr"], bits)["BFSr"] for bits in BLOOM_BITS]
        add_claim(claims, "bloom_bfsr", of, lambda: ", ".join(number(value, 3) for value in of),
                  lambda: of[0] > of[1] > of[3])

    def mean_time(settings):
        return mean(study.normalised(name, settings) for name in study.averaged)
    caches = [mean_time(gpudet(zbuffer__cache_kib=kib)) for kib in (8, 128)]
    add_claim(claims, "zcache", caches, lambda: percent(caches[1] / caches[0] - 1),
              lambda: -0.03 < caches[1] / caches[0] - 1 <= 0.005)
    barriers = [mean_time(gpudet(barrier_cycles=cycles)) for cycles in (0, 100, 1000)]
    add_claim(claims, "barrier_100", barriers, lambda: percent(barriers[1] / barriers[0] - 1),
              lambda: barriers[1] < 1.05 * barriers[0])
    add_claim(claims, "barrier_1000", barriers,
              lambda: f"time {percent(barriers[2] / barriers[0] - 1)}, performance {percent(barriers[0] / barriers[2] - 1)}",
              lambda: barriers[2] > 1.05 * barriers[0])


def report(machine, names):
    study = Study(machine, names)
    causes = gpudet_causes.Causes(study, NONDET, gpudet)
    machine.prepare([*study.cases(), *causes.cases()])
    claims = Claims()
    for part in (claims_of_time, claims_of_optimisations, claims_of_ends, claims_of_parameters):
        part(study, claims)
    all_names = [name for name, _ in study.benchmarks]
    by_quantum, _ = sweep_table(study, all_names, "Q =", QUANTA, lambda size: gpudet(quantum_size=size), study.normalised)

    def parallel(name, settings):
        of, ideal = modes(study.run(name, settings)), modes(study.run(name, gpudet(log__bloom_bits="ideal")))
        return over(of and of["parallel"], ideal and ideal["parallel"])
    by_bloom, _ = sweep_table(study, BLOOM, "bits:", BLOOM_BITS, lambda bits: gpudet(log__bloom_bits=bits), parallel, 3)
    by_cache, _ = sweep_table(study, all_names, "KiB:", ZCACHE_KIB, lambda kib: gpudet(zbuffer__cache_kib=kib),
                              study.normalised, 3)
    by_barrier, slower = sweep_table(study, all_names, "cycles:", BARRIER_CYCLES,
                                     lambda cycles: gpudet(barrier_cycles=cycles), study.normalised)
    held = sum(claims.held.values())
    parts = [
        f"# {TITLE}",
        "Machine of all: " + ", ".join(f"`{key}={value}`" for key, value in NONDET.items())
        + "; GPUDet: `determinism.enabled`, quantum size 200, `bta_rule=thesis` unless said otherwise. Times are divided "
        "by those of NONDET.",
        "## Configurations", configurations_table(study),
        xy_chart("Time of GPUDet over NONDET", all_names, "time",
                 [study.normalised(name, CONFIGURATION["GPUDet"]) for name in all_names]),
        "## Where the time goes: GPUDet, parts of its time over NONDET's", modes_table(study),
        "## Why quanta end: base, wavefronts and quanta", reasons_table(study),
        "### What BTA saves: base against WA(BTA)",
        causes.barriers(study.there(BARRIERS), BASE, CONFIGURATION["WA(BTA)"], modes),
        "## Quantum size", by_quantum,
        "### Write-log overhead: what logs add to the parallel mode, over NONDET's time", causes.logs(LOG_QUANTA, modes),
        "## Bloom filter: cycles of the parallel mode over those with an ideal filter", by_bloom,
        "## Z-cache", by_cache,
        f"### Commits with {ZCACHE_KIB[-1]} KiB instead of {ZCACHE_KIB[0]}", causes.caches(ZCACHE_KIB, modes),
        "## Global barrier", by_barrier,
        xy_chart("Average time by cycles of a global barrier", BARRIER_CYCLES, "time", slower),
        *causes.sections(),
        f"## Published and ours: {held} of {len(claims.held)} signs and orders hold",
        comparison("gpudet", claims.ours),
    ]
    return "\n\n".join(parts)
