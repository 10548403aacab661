"""Parts of the study of BOWS that tell why numbers differ from published ones: what a retry costs, how much warps contend, what
LRR waits for, which lines and which energy are saved, and what MODULO takes for spinning."""

import synchronisation
from bows_runs import energy, false_settings, gains, scaled, settings, table_size, transactions
from claims import over
from tables import count, geometric_mean, number, percent, ratio, table

# One factor at a time, on the hash table: settings, and how many times its keys.
FACTORS = [("as studied", {}, 1), ("`memory.l2.latency_cycles=0`", {"memory.l2.latency_cycles": 0}, 1),
           ("`memory.l2.atomic_same_address_cycles=4`", {"memory.l2.atomic_same_address_cycles": 4}, 1),
           ("four times the keys per thread", {}, 4)]
CONTENDED = [128, 1024, 4096]  # buckets
SLOW_ATOMICS = {"memory.l2.atomic_same_address_cycles": 4}
MESHES = ["width=120 height=100", "width=60 height=50", "width=30 height=25"]
HASHED_BITS = [8, 12, 16]
SLOTS = ["issued", "memory_back_pressure", "replay", "scoreboard_memory", "scoreboard_alu", "fence", "ibuffer_empty", "control_flow", "no_warp"]
OTHER_SLOTS = ["held_back", "scoreboard_ports", "pipe_busy", "operand_collector", "control_flow_tables", "barrier", "backed_off"]
PARTS = ["fetch", "issue", "register_file", "operations", "lsu", "crossbar", "l2", "atomics", "dram"]
FEMTOJOULE = 1e-9  # in microjoules


class Causes:
    """`benchmarks`: (name, workload) of this run; `whole`: all rows of the study are asked for."""

    def __init__(self, machine, benchmarks, policies, whole):
        self.machine, self.benchmarks, self.policies, self.whole = machine, benchmarks, policies, whole
        self.names = {name for name, _ in benchmarks}

    # ---- Runs

    def cases(self):
        for workload, more in [*((one[1:]) for one in self.hash_tables()), *self.others()]:
            yield from ((workload, settings("gto", bows, **more)) for bows in (False, True))
        if self.whole:
            yield from (("reduction", self.modulo(bits)) for bits in HASHED_BITS)

    def hash_tables(self):
        """Factor, workload and settings."""
        if "HT" not in self.names:
            return []
        return [(label, table_size(self.machine, buckets, keys), more) for label, more, keys in FACTORS for buckets in CONTENDED]

    def others(self):
        """Workload and settings: what the mean of the eight is made of."""
        rows = []
        if "ATM" in self.names:
            atm = scaled(self.machine, "atm")
            rows += [(atm, {}), (atm, SLOW_ATOMICS)]
        if "CP-DS" in self.names and self.machine.size != "tiny":
            cloth = scaled(self.machine, "cloth")
            rows += [(cloth.replace(MESHES[-1], mesh), {}) for mesh in MESHES]
        if "BH-TB" in self.names:
            tree = scaled(self.machine, "bh-build")
            rows += [(tree, {}), (tree, {"core.spin.ddos.length": 16})]
        return rows

    def pair(self, workload, more):
        return [self.machine.run(workload, settings("gto", bows, **more)) for bows in (False, True)]

    @staticmethod
    def modulo(bits):
        return {**false_settings("modulo"), "core.spin.ddos.path_bits": bits, "core.spin.ddos.value_bits": bits}

    # ---- Tables

    def factor_row(self, label, workload, more):
        base, bows = self.pair(workload, more)
        of = gains(base, bows)
        fails = [synchronisation.fails_per_success(run) for run in (base, bows)]
        return [label, f"`{workload}`", number(of["speedup"]), number(of["instructions"]),
                f"{number(fails[0], 1)} to {number(fails[1], 1)}", number(over(*fails), 1), f"{percent(base.simd)} to {percent(bows.simd)}",
                number(of["simd"]), synchronisation.shown(synchronisation.instruction_share(base)),
                synchronisation.shown(synchronisation.transaction_share(base))]

    def factors(self):
        rows = [self.factor_row(*one) for one in self.hash_tables()]
        rows += [self.factor_row(", ".join(f"`{key}={value}`" for key, value in more.items()) or "as studied", workload, more)
                 for workload, more in self.others()]
        return table(["factor", "workload", "speed-up over GTO", "instr.", "failures per success", "times fewer", "SIMD", "times",
                      "GTO: instr. in synchronisation", "line accesses"], rows)

    def slots(self):
        """What keeps warps from issuing under each policy alone, and how long it takes relative to GTO."""
        rows = []
        for policy in self.policies:
            times = [over(self.machine.run(workload, settings(policy, False)).cycles, self.machine.run(workload, settings("gto", False)).cycles)
                     for _, workload in self.benchmarks]
            for name, workload in self.benchmarks:
                run = self.machine.run(workload, settings(policy, False))
                counts = [run.counter(r"core\d+", "issue", "slots", cause) for cause in SLOTS + OTHER_SLOTS] if run.passed else [0]
                rows.append([policy.upper(), name, *(percent(over(one, sum(counts))) for one in counts[:len(SLOTS)]),
                             ratio(run.cycles, self.of_gto(workload))])
            rows.append([f"**{policy.upper()}**", "**geometric mean**", *([""] * len(SLOTS)), number(geometric_mean(times))])
        return table(["policy", "name", *SLOTS, "cycles, relative to GTO"], rows)

    def of_gto(self, workload):
        return self.machine.run(workload, settings("gto", False)).cycles

    def saved_lines(self):
        """Of the lines that BOWS saves: those of waiting code in which no lock is held."""
        rows = []
        for name, workload in self.benchmarks:
            base, bows = self.pair(workload, {})
            lines = [transactions(run) for run in (base, bows)]
            waiting = [synchronisation.counter(run, "waiting_transactions") for run in (base, bows)]
            critical = [synchronisation.counter(run, "critical_transactions") for run in (base, bows)]
            saved = lines[0] - lines[1] if None not in lines else None
            shares = [percent(over(two[0] - two[1], saved)) if saved else "-" for two in (waiting, critical)]
            rows.append([name, count(base, lines[0]), count(bows, lines[1]), *shares])
        return table(["name", "lines, GTO", "with BOWS", "of those saved: in waiting code", "in critical sections"], rows)

    def energy_parts(self):
        rows = []
        for name, workload in self.benchmarks:
            base, bows = self.pair(workload, {})
            if not (energy(base) and energy(bows)):
                continue
            cells = []
            for part in PARTS:
                before, after = (run.counter("energy", part, "dynamic") * FEMTOJOULE for run in (base, bows))
                cells.append(f"{before:.0f} to {after:.0f}")
            rows.append([name, *cells, number(over(energy(base), energy(bows)))])
        return table(["name", *PARTS, "all, GTO / with BOWS"], rows)

    def widths(self):
        """MODULO on the kernel that it takes for spinning, by the bits of a hash."""
        base, rows = self.machine.run("reduction", settings("gto", False)), []
        for bits in HASHED_BITS:
            run = self.machine.run("reduction", self.modulo(bits))
            rows.append([bits, run.counter(r"core\d+", "spin", "detection", "false_detected"), percent(base.cycles / run.cycles - 1)])
        return table(["bits of paths and values", "branches flagged", "speed"], rows)

    def parts(self):
        parts = ["## One factor at a time, GTO against GTO + BOWS", self.factors(),
                 "## Issue slots of the policies alone, by what comes of them, and their cycles", self.slots(),
                 "## Lines that BOWS saves", self.saved_lines(), "## Dynamic energy by part, microjoules, GTO to GTO + BOWS", self.energy_parts()]
        if self.whole:
            parts += ["## `reduction` under MODULO, fixed delay of 5000, by the width of hashes", self.widths()]
        return parts
