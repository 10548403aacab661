"""Why numbers of the study gpudet differ from the published ones: experiments that change one factor each."""

import re

from tables import number, percent, table

# What the log costs: with the same contents and no accesses ([GPUDet] §6.3.1).
FREE_LOG = {"log__cost": "none"}
MESH = "width=120 height=100 sweeps=1 threads=512"  # of CLopt
SPRINGS = 119 * 100 + 120 * 99 + 2 * 119 * 99  # to the right, down, along both diagonals
# One factor each: name, settings of the machine, keys of determinism.
FACTORS = [
    ("as above", {}, {}),
    ("logs without a cost", {}, FREE_LOG),
    ("constant caches keep their lines over commits", {}, {"constant_flush": False}),
    ("Z-caches of 128 KiB", {}, {"zbuffer__cache_kib": 128}),
    ("L2 slices of 512 KiB", {"memory.l2.size_kib": 512}, {}),
    ("L2 answers in 30 cycles instead of 90", {"memory.l2.latency_cycles": 30}, {}),
    ("quanta of 1000 instructions", {}, {"quantum_size": 1000}),
]
CHUNKS = 32  # of a log of ATM when it is searched: those of one store
TOGETHER = ({"memory.l2.size_kib": 512}, {**FREE_LOG, "zbuffer__cache_kib": 128})


class Causes:
    """`study`: of gpudet.py; `nondet`, `gpudet`: its settings."""

    def __init__(self, study, nondet, gpudet):
        self.study, self.nondet, self.gpudet = study, nondet, gpudet
        self.whole = len(study.averaged) == 12

    def pairs(self):
        """Settings without determinism and with it, by factor."""
        rows = [(name, {**self.nondet, **machine}, {**self.gpudet(**keys), **machine}) for name, machine, keys in FACTORS]
        machine, keys = TOGETHER
        return [*rows, ("logs without a cost, Z-caches of 128 KiB, L2 slices of 512 KiB", {**self.nondet, **machine},
                        {**self.gpudet(**keys), **machine})]

    ctas, nodes, few, sizes = (23, 46, 93), (4096, 16384, 65536), (1024, 2048), (50, 100, 200, 600)
    bits = ("128", "256", "512", "1024", "ideal")

    @property
    def graphs(self):
        return [(name, workload) for name, workload in (("BFSr", "bfs-racy"), ("BFSf", "bfs-flags"))
                if name in self.study.workload]

    @property
    def small(self):
        """Tiny inputs are a check of the command."""
        return self.study.machine.size == "small"

    # ---- Tables

    def factors(self):
        if not self.whole:
            return "Of all benchmarks only."
        names, rows, first = self.study.averaged, [], None
        for name, without, with_it in self.pairs():
            times = [self.time(self.study.workload[one], without, with_it) for one in names]
            average = sum(times) / len(times) if all(times) else None
            first = first or average
            rows.append([name, *map(number, times), number(average), number(average - first) if average and first else "-"])
        return table(["factor", *names, "average", "difference"], rows)

    def time(self, workload, without, with_it):
        runs = [self.study.machine.run(workload, settings).cycles for settings in (with_it, without)]
        return runs[0] / runs[1] if all(runs) else None

    def springs(self):
        rows = []
        for ctas in self.ctas:
            cycles = [self.study.machine.run(f"cloth-{order} {MESH} ctas={ctas}", self.nondet).cycles
                      for order in ("blocked", "interleaved")]
            rows.append([f"{SPRINGS / (512 * ctas):.1f}", *(f"{of:,}" if of else "-" for of in cycles),
                         percent(cycles[0] / cycles[1] - 1) if all(cycles) else "-"])
        return table(["springs a thread", "CL, cycles", "CLopt, cycles", "CLopt is faster by"], rows)

    def locks(self):
        """Locking takes more than the limit of cycles on the graphs of the study."""
        rows = []
        for name, workload in self.graphs:
            for nodes in self.few:
                runs = [self.study.machine.run(f"{workload} nodes={nodes}", settings)
                        for settings in (self.nondet, self.gpudet(), self.gpudet(commit_engine="lock"))]
                if not all(run.passed for run in runs):
                    continue
                attempts = [runs[2].counter("core", "determinism", "commit_engine", counter)
                            for counter in ("lock_attempts", "entries")]
                rows.append([name, f"{nodes:,}", *(number(run.cycles / runs[0].cycles) for run in runs[1:]),
                             number(runs[2].cycles / runs[1].cycles), number(attempts[0] / attempts[1], 1)])
        return table(["name", "nodes", "GPUDet", "Locking", "times slower", "attempts a log entry"], rows)

    def instructions(self):
        rows = []
        for nodes in self.nodes:
            short, long = (self.study.machine.run(f"bfs-racy nodes={nodes}", self.gpudet(quantum_size=size)).instructions
                           for size in (200, 1000))
            rows.append([f"{nodes:,}", f"{short:,}", f"{long:,}", percent(long / short - 1)] if short and long
                        else [f"{nodes:,}", "-", "-", "-"])
        return table(["nodes", "Q = 200", "Q = 1000", "more"], rows)

    def filters(self):
        rows = []
        for size in self.sizes:
            runs = [self.study.run("BFSf", self.gpudet(quantum_size=size, log__bloom_bits=bits)) for bits in ("256", "ideal")]
            if not all(run.passed for run in runs):
                continue
            parallel = [run.counter("determinism", "cycles", "parallel") for run in runs]
            found = [runs[0].counter("core", "determinism", "store_buffer", name) for name in ("searches", "false_positives")]
            longest = runs[0].counter("core", "determinism", "store_buffer", "most_entries")
            rows.append([size, longest, percent(found[1] / found[0] if found[0] else 0), number(parallel[0] / parallel[1], 3)])
        return table(["Q", "longest log, entries", "searches for nothing", "parallel mode, 256 bits over ideal"], rows)

    def transfers(self):
        """ATM: searches for nothing, by bits, and what they cost."""
        def runs(bits):
            return [self.study.run("ATM", self.gpudet(log__bloom_bits=bits, **more)) for more in ({}, FREE_LOG)]

        ideal, rows = runs("ideal"), []
        for bits in self.bits:
            real, free = runs(bits)
            if not all(run.passed for run in (real, free, *ideal)):
                continue
            looks, searches, nothing, compared = (real.counter("core", "determinism", "store_buffer", name) for name in
                                                  ("bloom_look_ups", "searches", "false_positives", "compared"))
            parallel = [run.counter("determinism", "cycles", "parallel") for run in (real, free, *ideal)]
            expected = (1 - (1 - 4 / int(bits)) ** CHUNKS) ** 4 if bits != "ideal" else 0
            rows.append([bits, f"{looks:,}", f"{nothing:,}", f"{100 * nothing / looks:.2f} %", f"{100 * expected:.2f} %",
                         number(compared / searches if searches else 0, 1), number(parallel[0] / parallel[2], 3),
                         number(parallel[1] / parallel[3], 3), number(real.cycles / ideal[0].cycles, 3)])
        return table(["bits", "chunks looked up", "searches for nothing", "of look-ups", f"[GPUDet:H1], {CHUNKS} chunks", "entries compared a search",
                      "parallel mode over ideal", "the same, logs without a cost", "time over ideal"], rows)

    def barriers(self, names, base, bta, modes):
        """What BTA saves, by mode, and where barriers are."""
        def cycles(run):
            """By kernel."""
            return [sum(kernel["statistics"]["determinism"]["cycles"][mode] for mode in ("parallel", "work_dist", "commit", "serial")) for kernel in run.kernels()]

        def barriers(kernel):
            return sum(group["determinism"]["quantum_unit"]["ends"].get("barrier", 0) for name, group in kernel["statistics"].items()
                       if re.fullmatch(r"core\d+", name) and "determinism" in group)
        rows = []
        for name in names:
            before, after = (self.study.run(name, settings) for settings in (base, bta))
            if not (before.passed and after.passed):
                continue
            there = [i for i, kernel in enumerate(before.kernels()) if barriers(kernel)]
            saved = before.counter("determinism", "quanta") - after.counter("determinism", "quanta")
            less = {mode: modes(before)[mode] - modes(after)[mode] for mode in ("parallel", "commit")}
            times = [sum(cycles(run)[i] for i in there) for run in (before, after)]
            if not saved or not all(times):
                continue
            rows.append([name, saved, f"{less['parallel']:,}", f"{less['commit']:,}", percent(times[0] / sum(cycles(before))),
                         percent(times[0] / times[1] - 1), number((times[0] - times[1]) / saved, 0),
                         percent(before.cycles / after.cycles - 1)])
        return table(["name", "quanta saved", "cycles saved, parallel", "cycles saved, commit", "kernels with barriers, of base's time",
                      "their gain", "cycles a quantum saved there", "gain of all"], rows)

    def logs(self, sizes, modes):
        """The part of the parallel mode that logs take."""
        rows = []
        for name, _ in self.study.benchmarks:
            nondet, cells = self.study.cycles(name, self.nondet), []
            for size in sizes:
                real, free = (modes(self.study.run(name, self.gpudet(quantum_size=size, **more))) for more in ({}, FREE_LOG))
                cells.append(number((real["parallel"] - free["parallel"]) / nondet) if real and free and nondet else "-")
            rows.append([name, *cells])
        return table(["name", *(f"Q = {size}" for size in sizes)], rows)

    def caches(self, sizes, modes):
        """How much shorter commits get, and how large a part they are."""
        rows = []
        for name, _ in self.study.benchmarks:
            runs = [self.study.run(name, self.gpudet(zbuffer__cache_kib=kib)) for kib in (sizes[0], sizes[-1])]
            if not all(run.passed for run in runs) or not modes(runs[0])["commit"]:
                continue
            misses = [run.counter("partition", "unit", "z_cache", "misses") for run in runs]
            commits = [modes(run)["commit"] for run in runs]
            rows.append([name, *(f"{of:,}" for of in misses), percent(commits[1] / commits[0] - 1),
                         percent(commits[0] / runs[0].cycles), percent(runs[1].cycles / runs[0].cycles - 1)])
        return table(["name", *(f"misses, {kib} KiB" for kib in (sizes[0], sizes[-1])), "commits", "their part of the time", "time"],
                     rows)

    def sections(self):
        parts = ["## What the average is made of: one factor at a time, time over NONDET with the same change", self.factors()]
        if not self.small:
            return parts
        if {"CL", "CLopt"} <= set(self.study.workload):
            parts += ["## CL against CLopt by springs a thread, NONDET", self.springs()]
        if self.graphs:
            parts += ["## Locking on small graphs", self.locks()]
        if "BFSr" in self.study.workload:
            parts += ["## BFSr: instructions by nodes", self.instructions()]
        if "BFSf" in self.study.workload:
            parts += ["## BFSf: a Bloom filter of 256 bits by quantum", self.filters()]
        if "ATM" in self.study.workload:
            parts += ["## ATM: Bloom filters by bits", self.transfers()]
        return parts
