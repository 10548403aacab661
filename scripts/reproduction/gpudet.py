"""Deterministic execution: GPUDet in its five configurations against the nondeterministic machine, where its time goes, why
quanta end, and its sensitivity to quantum, Bloom filter, Z-cache and barrier."""

import gpudet_causes
from claims import Claims, mean, over
from tables import averages, chosen, count, gain, number, percent, table, xy_chart

TITLE = "GPUDet (thesis): deterministic execution against the machine without it, by mode, optimisation and parameter"
PLATFORM = "gtx480"

# Where the thesis' machine ([GPUDet] Tab 5.2) differs from the platform's GTX 480.
MACHINE = {"core.scheduler.policy": "lrr", "clocks.dram_mhz": 900, "core.l1d.size_kib": 48, "core.l1d.ways": 6,
           "core.shared_memory.size_kib": 16, "memory.l2.latency_cycles": 90}
# The baseline of [GPUDet] §5.2: requests of different cores are injected in random order.
NONDET = {**MACHINE, "test.memory.crossbar.perturb_seed": 1}

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
    return {name: run.counter("core", "determinism", "quantum_unit", "ends", name) for name, _ in REASONS}


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

def averaged(values):
    """Of ratios by name: what they gain or lose on average, and each."""
    return f"{averages(values.values(), text=gain)}: {text_of(values)}"


def claims_of_time(study, claims):
    full = CONFIGURATION["GPUDet"]
    normalised = {name: study.normalised(name, full) for name in study.averaged}
    values = list(normalised.values())
    claims.add("slowdown", lambda: averages(values), values, ratio=mean(values))
    claims.add("highest", lambda: f"{number(max(values))} ({max(normalised, key=normalised.get)})", at_most=normalised)
    claims.add("lowest", lambda: f"{gain(min(values))} ({min(normalised, key=normalised.get)})", values, ratio=min(values) if None not in values else None)
    compute = {name: normalised[name] for name in study.there(COMPUTE)}
    claims.add("faster", lambda: text_of(compute), at_most=compute)
    serial = {name: over(modes(run)["serial"], run.cycles) for name, _ in study.benchmarks
              if (run := study.run(name, full)).passed}
    claims.add("serial", lambda: ", ".join(f"{name} {percent(share)}" for name, share in serial.items() if share), serial.values(),
               lambda: all((share > 0) == (name in ATOMICS + ["CL"]) for name, share in serial.items()))


def claims_of_optimisations(study, claims):
    base, bta, full = BASE, CONFIGURATION["WA(BTA)"], CONFIGURATION["GPUDet"]
    shrinks = [over(study.cycles(name, bta), study.cycles(name, base)) for name in study.averaged]
    claims.add("bta", lambda: averages(shrinks, text=gain), shrinks, ratio=mean(shrinks))
    # Locking without those whose locks take more than the limit of cycles.
    units = {name: value for name, value in study.gain(study.averaged, CONFIGURATION["Locking"], full).items()
             if value is not None}
    for claim, values in (("bta_barriers", study.gain(BARRIERS, base, bta)), ("dwp", study.gain(SHORT, bta, full)), ("zbuffer", units)):
        claims.add(claim, lambda values=values: averaged(values), ratio=mean(values.values()))
    fewer = {name: over(quanta(study.run(name, base)), quanta(study.run(name, bta))) for name in study.there(BARRIERS)}
    serial = {name: over(modes(slow)["serial"], modes(fast)["serial"]) for name in study.there(ATOMICS)
              if (slow := study.run(name, CONFIGURATION["W-Ser"])).passed and (fast := study.run(name, full)).passed}
    for claim, values in (("bta_quanta", fewer), ("serialisation", serial)):
        claims.add(claim, lambda values=values: f"{averages(values.values())}: {text_of(values)}", ratio=mean(values.values()))
    if "HT" in study.workload:
        commits = [modes(study.run("HT", settings)) for settings in (CONFIGURATION["Locking"], full)]
        less = over(commits[0]["commit"], commits[1]["commit"]) if None not in commits else None
        claims.add("zbuffer_ht", lambda: number(less), ratio=less)
    if {"CL", "CLopt"} <= set(study.workload):
        blocked = study.workload["CLopt"].replace("cloth-interleaved", "cloth-blocked")  # of the same size
        faster = over(study.machine.run(blocked, NONDET).cycles, study.cycles("CLopt", NONDET))
        claims.add("coalescing", lambda: gain(faster), ratio=faster)


def claims_of_ends(study, claims):
    if "AES" in study.workload:
        run = study.run("AES", gpudet(bta=False, dwp=False, quantum_size=1000))
        ended = reasons(run)
        length = over(run.instructions, sum(ended.values()) if ended else None)
        claims.add("aes_quantum", lambda: number(length, 0), share=length)
    expected = {**{name: "barrier" for name in BARRIERS}, **{name: "exit" for name in SHORT},
                **{name: "atomic" for name in ATOMICS}}
    shares = {}
    for name in study.there(expected):
        of = reasons(study.run(name, BASE))
        if of and sum(of.values()):
            shares[name] = (max(of, key=of.get), of[expected[name]] / sum(of.values()))
    claims.add("reasons", lambda: ", ".join(f"{name} {percent(share)} {expected[name]}" for name, (_, share) in shares.items()), shares,
               lambda: all(most == expected[name] and (name not in SHORT or share > 0.5) for name, (most, share) in shares.items()))


def claims_of_parameters(study, claims):
    def times(name):
        return [study.normalised(name, gpudet(quantum_size=size)) for size in QUANTA]

    def series(names):
        return "; ".join(f"{name} {', '.join(number(value) for value in times(name))}" for name in study.there(names))

    def known(names):
        return [value for name in study.there(names) for value in times(name)]

    def by_quantum(claim, names, holds):
        claims.add(claim, lambda: series(names), known(names), lambda: all(holds(times(name)) for name in study.there(names)))
    by_quantum("quantum_better", LARGER_IS_BETTER, lambda of: of[-1] < of[0])
    by_quantum("quantum_worse", ["BFSr", "BFSf"], lambda of: of[-1] > of[1])
    by_quantum("quantum_flat", ["ATM", "HT"], lambda of: max(of) < 1.05 * min(of))
    by_quantum("quantum_cl", ["CL"], lambda of: of[-1] > of[0])
    if "BFSr" in study.workload:
        more = over(study.run("BFSr", gpudet(quantum_size=1000)).instructions,
                    study.run("BFSr", gpudet(quantum_size=200)).instructions)
        claims.add("bfs_instructions", lambda: gain(more), ratio=more)

    def parallel(name, bits):
        of = modes(study.run(name, gpudet(log__bloom_bits=bits)))
        return of and of["parallel"]

    def against_ideal(names, bits):
        return {name: over(parallel(name, bits), parallel(name, "ideal")) for name in study.there(names)}
    others = against_ideal([name for name in BLOOM if name not in ("BFSr", "CL")], "256")
    claims.add("bloom_256", lambda: text_of(others), same=others)
    if "BFSr" in study.workload:
        of = [against_ideal(["BFSr"], bits)["BFSr"] for bits in BLOOM_BITS]
        claims.add("bloom_bfsr", lambda: ", ".join(number(value, 3) for value in of), of, lambda: of[0] > of[1] > of[3])

    def mean_time(settings):
        return mean(study.normalised(name, settings) for name in study.averaged)
    caches = over(mean_time(gpudet(zbuffer__cache_kib=128)), mean_time(gpudet(zbuffer__cache_kib=8)))
    claims.add("zcache", lambda: gain(caches), at_least=caches, at_most=caches)
    barriers = [mean_time(gpudet(barrier_cycles=cycles)) for cycles in (0, 100, 1000)]
    short, long = over(barriers[1], barriers[0]), over(barriers[0], barriers[2])
    claims.add("barrier_100", lambda: gain(short), same=short)
    claims.add("barrier_1000", lambda: f"time {gain(1 / long)}, performance {gain(long)}", ratio=long)


def report(machine, names):
    study = Study(machine, names)
    causes = gpudet_causes.Causes(study, NONDET, gpudet)
    claims = Claims("gpudet")
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
        claims.comparison(),
    ]
    return "\n\n".join(parts)
