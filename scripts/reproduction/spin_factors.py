"""What the numbers of the studies of BOWS and DDOS depend on, one factor at a time: the delay, what a retry costs, how much warps
contend, the widths of hashes, the length of histories and of runs."""

import bows
import ddos
import synchronisation
from bows_runs import MACHINE, false_settings, gains, scaled, settings, table_size
from claims import over
from tables import chosen, number, percent, ratio, table

TITLE = "DDOS and BOWS, one factor at a time: the delay, a retry's cost, contention, widths of hashes, lengths of histories"
PLATFORM = bows.PLATFORM
BENCHMARKS = bows.BENCHMARKS + [("-", "reduction")]
DELAYS = [0, 500, 1000, 3000, 5000]
CONTRACT = settings("gto", True, **{"core.spin.timing": "contract"})
# On the hash table: settings, and how many times its keys.
RETRIES = [("as studied", {}, 1), ("`memory.l2.latency_cycles=0`", {"memory.l2.latency_cycles": 0}, 1),
           ("`memory.l2.atomic_same_address_cycles=4`", {"memory.l2.atomic_same_address_cycles": 4}, 1),
           ("four times the keys per thread", {}, 4)]
CONTENDED = [128, 1024, 4096]  # buckets
SLOW_ATOMICS = {"memory.l2.atomic_same_address_cycles": 4}
MESHES = ["width=120 height=100", "width=60 height=50", "width=30 height=25"]
HASHED_BITS = [8, 12, 16]
LENGTHS = [8, 12, 16]  # of the history
THRESHOLDS = [2, 4, 8, 12]


def fixed(delay):
    return settings("gto", True, **{"core.spin.bows.delay": "fixed", "core.spin.bows.fixed_delay": delay})


def modulo(bits):
    return {**false_settings("modulo"), "core.spin.ddos.path_bits": bits, "core.spin.ddos.value_bits": bits}


def detector(threshold):
    return ddos.settings({**ddos.NARROW, "threshold": threshold})


class Factors:
    """`names` selects rows; all if it is empty."""

    def __init__(self, machine, names):
        self.machine = machine
        rows = chosen(BENCHMARKS, names)
        self.benchmarks = [(name, scaled(machine, workload)) for name, workload in rows if name != "-"]
        self.of = dict(self.benchmarks)
        self.regular = any(name == "-" for name, _ in rows)

    def retries(self):
        """Label, workload and settings: what the gains depend on."""
        if "HT" in self.of:
            yield from ((label, table_size(self.machine, buckets, keys), more) for label, more, keys in RETRIES for buckets in CONTENDED)
        if "ATM" in self.of:
            yield "as studied", self.of["ATM"], {}
            yield RETRIES[2][0], self.of["ATM"], SLOW_ATOMICS
        if "CP-DS" in self.of and self.machine.size != "tiny":
            yield from (("number of particles", self.of["CP-DS"].replace(MESHES[-1], mesh), {}) for mesh in MESHES)
        if "BH-TB" in self.of:
            yield from ((f"`core.spin.ddos.length={length}`", self.of["BH-TB"], {"core.spin.ddos.length": length}) for length in (8, 16))

    # ---- Tables

    def delays(self):
        """The delay alone. 0 is the back-off queue without any."""
        rows = []
        for name, workload in self.benchmarks:
            base = self.machine.run(workload, settings("gto", False))
            runs = [self.machine.run(workload, of) for of in (*map(fixed, DELAYS), settings("gto", True), CONTRACT)]
            rows.append([name, *(ratio(base.cycles, run.cycles) for run in runs)])
        return table(["name", *(f"fixed {delay}" for delay in DELAYS), "adaptive", "adaptive, `timing: contract`"], rows)

    def retry_rows(self):
        for label, workload, more in self.retries():
            base, run = (self.machine.run(workload, settings("gto", on, **more)) for on in (False, True))
            gained = gains(base, run)
            fails = [synchronisation.fails_per_success(one) for one in (base, run)]
            yield [label, f"`{workload}`", number(gained["speedup"]), number(gained["instructions"]), f"{number(fails[0], 1)} to {number(fails[1], 1)}",
                   number(over(*fails), 1), f"{percent(base.simd)} to {percent(run.simd)}", number(gained["simd"]),
                   synchronisation.shown(synchronisation.instruction_share(base)), synchronisation.shown(synchronisation.transaction_share(base))]

    def widths(self):
        """MODULO on the kernel that it takes for spinning, by the bits of a hash."""
        base, rows = self.machine.run("reduction", settings("gto", False)), []
        for bits in HASHED_BITS:
            run = self.machine.run("reduction", modulo(bits))
            rows.append([bits, run.counter("core", "spin", "detection", "false_detected"), percent(base.cycles / run.cycles - 1)])
        return table(["bits of paths and values", "branches flagged", "speed"], rows)

    def phases(self):
        """Rates of the detector with the inputs of the study of BOWS, which run longer than those of Tab 6.1's."""
        by_threshold = [[self.machine.run(workload, detector(threshold)) for _, workload in self.benchmarks] for threshold in THRESHOLDS]

        def row(label, runs_of):
            of = [ddos.rates(runs) for runs in runs_of]
            return [label, number(of[1][0], 3), *(number(rates[1], 3) for rates in of)]
        rows = [row(name, [[runs[i]] for runs in by_threshold]) for i, (name, _) in enumerate(self.benchmarks)]
        return table(["name", "TSDR, t = 4", *(f"DPR, t = {threshold}" for threshold in THRESHOLDS)], [*rows, row("**mean**", by_threshold)])

    def histories(self):
        rows = []
        for length in LENGTHS:
            rates = ddos.rates([self.machine.run(self.of["BH-TB"], ddos.settings({"length": length}))])
            rows.append([length, *(number(rate, 3) for rate in rates[:3])])
        return table(["l", "TSDR", "DPR", "FSDR"], rows)


def report(machine, names):
    factors = Factors(machine, names)
    parts = [f"# {TITLE}", "Settings of all: " + ", ".join(f"`{key}={value}`" for key, value in MACHINE.items())
             + "; benchmarks and inputs are those of `scripts/reproduce bows`. Gains are those of BOWS with DDOS over GTO."]
    if factors.benchmarks:
        parts += ["## The delay alone: speed-up over GTO by fixed and adaptive delay limits, and with the hardware's own time", factors.delays(),
                  "## What a retry costs, and how much warps contend",
                  table(["factor", "workload", "speed-up", "instr.", "failures per success", "times fewer", "SIMD", "times", "GTO: instr. in synchronisation",
                         "line accesses"], factors.retry_rows()),
                  "## Detection in longer runs, m = k = 4", factors.phases()]
    if "BH-TB" in factors.of:
        parts += ["## BH-TB by the length of the history, m = k = 8", factors.histories()]
    if factors.regular:
        parts += ["## `reduction` under MODULO, fixed delay of 5000, by the width of hashes", factors.widths()]
    return "\n\n".join(parts)
