"""Parts of the study of transactions that tell why numbers differ from published ones: what a step of sequential resolution
costs, how large the input is for L2, how many nodes of CudaCuts have flow, and what a small history costs."""

from claims import mean, over
from kilotm_compared import averaged, text_of
from kilotm_runs import HISTORY, KILO, PROTOCOLS, PUBLISHED_64, SCR_STEPS, UNBUFFERED, WARP, sequential, unit
from tables import count, number, percent, table

# The input is a quarter of the thesis': so is this L2.
QUARTER_L2 = {"memory.l2.size_kib": 16}
# CudaCuts by the share of nodes that flow comes in at, and by size.
CUTS = ["width=100 height=75 rounds=6 threads=256", *(f"width=100 height=75 rounds=6 threads=256 sources={share}" for share in (50, 25, 10, 5)),
        "width=200 height=150 rounds=12 threads=256"]
# A small history: parameters of whole inputs, and what else may make its false hazards dear.
WHOLE = {"HT-H": "keys=23040 buckets=8192 ctas=120 threads=192", "HT-M": "keys=23040 buckets=65536 ctas=120 threads=192",
         "ATM": "transfers=30720 accounts=1000000 ctas=120 threads=192"}
HISTORY_FACTORS = [("network of 100 cycles", {"memory.crossbar.latency_cycles": 100}), ("L2 latency 360", {"memory.l2.latency_cycles": 360})]
CUTS_RUNS = [(KILO, 1), (KILO, 0), (WARP, 0)]


class Causes:
    """`study`: of kilotm.py; `aborts`, `hit_rate`: of a run."""

    def __init__(self, study, chapter_4, aborts, hit_rate):
        self.study, self.aborts, self.hit_rate = study, aborts, hit_rate
        self.old = study.there(chapter_4)
        self.small = study.machine.size == "small"

    def history_names(self):
        return [name for name in WHOLE if name in self.old] if self.small else []

    def history_variants(self):
        """Settings, and whether the input is whole."""
        return [({}, False), *((keys, False) for _, keys in HISTORY_FACTORS), ({}, True)]

    def history_case(self, name, history, keys, whole):
        workload, settings, platform = self.study.case(name, "tx", {**UNBUFFERED, **history, **keys, "tm.concurrent_warps": 2}, True)
        return (f"{self.study.of[name][0]} {WHOLE[name]}" if whole else workload, settings, platform)

    def cuts_case(self, parameters, protocol, limit):
        _, settings, platform = self.study.case("CC", "tx", {**protocol, "tm.concurrent_warps": limit})
        return (f"{self.study.of['CC'][0]} {parameters}", settings, platform)

    # ---- Tables

    def steps(self, name):
        """Times of SCR over that of 2PCR, by cycles of a step."""
        base = self.study.tx(name, WARP, 2)
        return [over(self.study.run(name, "tx", {**WARP, **sequential(step), "tm.concurrent_warps": 2}).cycles, base.cycles) for step in SCR_STEPS]

    def steps_of(self, name, more):
        """Of a commit that is tried."""
        run = self.study.run(name, "tx", {**WARP, **more, "tm.concurrent_warps": 2})
        return over(unit(run, "resolution_cycles"), unit(run, "warps") + unit(run, "retries")) if run.passed else None

    def scr_table(self):
        rows = [[name, number(self.steps_of(name, {}), 0), number(self.steps_of(name, sequential(1)), 0), *map(number, self.steps(name))]
                for name in self.study.names]
        means = [mean(times) for times in zip(*(self.steps(name) for name in self.study.names))]
        rows.append(["**mean**", "", "", *map(number, means)])
        return table(["name", "steps of 2PCR", "of SCR", *(f"SCR over 2PCR, {step} cycles a step" for step in SCR_STEPS)], rows)

    def hits_table(self):
        rows = []
        for name in self.old:
            runs = [self.study.run(name, "tx", {**keys, "tm.concurrent_warps": limit}, True) for keys in ({}, QUARTER_L2) for limit in (2, 0)]
            rows.append([name, *(percent(self.hit_rate(run)) for run in runs)])
        return table(["name", "L2 of 512 KB, limit 2", "NL", "128 KB, limit 2", "NL"], rows)

    def history_table(self):
        rows = []
        for name in self.history_names():
            pairs = [[self.study.machine.run(*self.history_case(name, history, keys, whole)) for _, history in (HISTORY[0], HISTORY[2])]
                     for keys, whole in self.history_variants()]
            small = pairs[0][1]
            hazards = over(self.study.commit_units(small, "hazards"), (unit(small, "committed") or 0) + (unit(small, "aborted") or 0))
            rows.append([name, number(hazards), *(number(over(run.cycles, perfect.cycles)) for perfect, run in pairs)])
        return table(["name", "hazards an attempt", "as above", *(what for what, _ in HISTORY_FACTORS), "whole input"], rows)

    def cuts_table(self):
        rows = []
        for parameters in CUTS if self.small and "CC" in self.study.of else []:
            runs = [self.study.machine.run(*self.cuts_case(parameters, protocol, limit)) for protocol, limit in CUTS_RUNS]
            rows.append([f"`{parameters}`", count(runs[0], unit(runs[0], "committed")), *(number(self.aborts(run), 0) for run in runs)])
        return table(["input", "commits", "aborts of 1000, KiloTM, limit 1", "NL", "WarpTM, NL"], rows)

    def gains_at_published_limits(self, name):
        """Times faster than KiloTM, of the other protocols; None where a benchmark has no read-only transactions."""
        runs = [None if limit is None or limit not in self.study.limits else self.study.tx(name, protocol, limit)
                for limit, (_, protocol) in zip(PUBLISHED_64[name][0], PROTOCOLS)]
        return [over(runs[0].cycles, run.cycles) if runs[0] and run else None for run in runs[1:]]

    def published_limits_table(self):
        """Are gains other ones because best limits are?"""
        gains = {name: self.gains_at_published_limits(name) for name in self.study.names}
        rows = [[name, *map(number, of)] for name, of in gains.items()]
        of_tcd = [of[0] for of in gains.values() if of[0]]
        both = [of[2] or of[1] for of in gains.values()]
        rows.append(["**mean**", *(number(mean(values) if values else None) for values in (of_tcd, [of[1] for of in gains.values()])), f"{number(mean(both))} (of all)"])
        return table(["name", *(label for label, _ in PROTOCOLS[1:])], rows)

    # ---- Claims

    def add_claims(self, claims):
        names = self.study.names
        slow = {name: self.steps(name)[SCR_STEPS.index(8)] for name in names}
        claims.add("scr_8", lambda: averaged(slow), ratio=mean(slow.values()))
        if self.small and "CC" in names:
            sparse = {"KiloTM": self.aborts(self.study.machine.run(*self.cuts_case(CUTS[4], KILO, 0))),
                      "WarpTM": self.aborts(self.study.machine.run(*self.cuts_case(CUTS[4], WARP, 0)))}
            claims.add("aborts_cc", lambda: text_of(sparse, 0), share=sparse)
