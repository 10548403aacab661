"""Thread re-synchronisation heuristics: the published tables of DLP and throughput beside ours for programs of the same
character, the orderings that the study claims, its memory and execute-identical figures, and the heuristics in the core."""

import json
import pathlib
import re
import subprocess
import tempfile

import resync_claims
from runner import Failure
from tables import NOTES, harmonic_mean, number, percent, ratio, table, xy_chart

TITLE = "Thread re-synchronisation heuristics (Tab. 5.3, 5.4): 55 policies on traces of 16 threads, and in the core"
PLATFORM = "gtx480"
TARGETS = ["native_kernels_marked", "native_kernels_placed", "native_kernels_main_last", "native_kernels_gcc"]
TABLES = json.loads((pathlib.Path(__file__).resolve().parent / "resync_tables.json").read_text())
BENCHMARKS = [(name, f"native {name}") for name in TABLES["benchmarks"]]
THREADS = 16
SCALE = {"tiny": 3, "small": 3, "paper": 8}  # of the native kernels

# [Resync:R2]: the thesis' LongIRB rows have wrong labels. By the right name: row of Tab. 5.3, of Tab. 5.4.
LABELS = {"Long(64)": ("LongIRB(4)", None), "LongIRB(4)": ("LongIRB(8)", "LongIRB(4)"),
          "LongIRB(8)": ("LongIRB(128)", "LongIRB(8)"), "LongIRB(16)": ("LongIRB(16)", "LongIRB(128)"),
          "LongIRB(32)": ("LongIRB(32)", "LongIRB(16)"), "LongIRB(64)": ("LongIRB(64)", "LongIRB(32)"),
          "LongIRB(128)": (None, "LongIRB(64)")}
# [Resync] Tab 5.1: the heuristic of [Resync] §5.2 to §5.4, by benchmark.
CHOSEN = {"barn": "LongMinSP(2)", "blacks": "MinSP_MinPC", "body": "MinSP_MinPC", "fft": "MinSP_MinPC", "fluid": "Lee",
          "fmm": "LongMinSP(8)", "ocean": "MinSP_MinPC", "radix": "MinSP_MinPC", "swapt": "LongMinSP(4)",
          "tach": "MinSP_MinPC", "volr": "Long(16)", "water": "Dist(0 0 10k)"}
# In the core: what divergent kernels do on the mechanisms and on the policies that hardware could have.
KERNELS = ["bfs", "btree", "mandelbrot", "ray", "bvh", "nqueens", "nqueens-recursive", "unstructured", "bench-diverge"]
POLICIES = ["MinPC", "MinSP_MinPC", "MaxFunMinPC1", "Long(8)", "LongMinSP(4)", "Lee", "PDomMinSP", "PDomRB", "LongestPath1",
            "LongestPathP", "RoundRobinEq"]
SELECTOR = {"core.control_flow.resync.selection_latency_cycles": 2, "core.control_flow.resync.selection_interval_cycles": 1}


def published(kind, policy):
    """Row of a published table by the policy's right name; None: it has none."""
    label = LABELS.get(policy, (policy, policy))[0 if kind == "dlp" else 1]
    row = TABLES[kind].get(label) if label else None
    return dict(zip(TABLES["benchmarks"], row)) if row else None


def call(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


class Traces:
    """Of the kernels' builds, each recorded once."""

    def __init__(self, machine, folder):
        self.heddle, self.folder, self.scale = machine.heddle, pathlib.Path(folder), SCALE[machine.size]

    def of(self, name, program, threads, scale):
        kernels = self.heddle.resolve().parent / program
        if not kernels.exists():
            raise Failure(f"{kernels}: is not there; scripts/build release {program} builds it (x86-64 Linux, clang++)")
        traces = self.folder / f"{program}-{threads}-{scale}" / name
        if not traces.exists():
            call(self.heddle, "threads", "--out", traces, "--threads", threads, "--native", kernels, name, threads, scale)
        return traces


class Replays:
    """What policies make of our traces, by benchmark. `program`: which build of the kernels."""

    def __init__(self, traces, names, program="native_kernels_marked", threads=THREADS, scale=None, policies=("published",),
                 options=("--function-marks",)):
        self.by_name = {}
        for name in names:
            recorded, out = traces.of(name, program, threads, scale or traces.scale), traces.folder / f"{name}.json"
            chosen = [part for policy in policies for part in ("--policy", policy)]
            call(traces.heddle, "resync", recorded, *chosen, *options, "--json", out)
            rows = json.loads(out.read_text())["policies"]
            self.by_name[name] = {row["policy"].removesuffix("+block"): row for row in rows}

    @property
    def names(self):
        return list(self.by_name)

    @property
    def policies(self):
        return list(next(iter(self.by_name.values())))

    def value(self, kind, policy, name):
        return self.by_name[name][policy][kind]

    def mean(self, kind, policy):
        return sum(self.value(kind, policy, name) for name in self.names) / len(self.names)


def both(replays, kind):
    """The published table and ours in one: `published / ours`."""
    rows = []
    for policy in replays.policies:
        theirs = published(kind, policy)
        cells = [f"{number(theirs and theirs[name])} / {number(replays.value(kind, policy, name))}" for name in replays.names]
        average = sum(theirs[name] for name in replays.names) / len(replays.names) if theirs else None
        rows.append([policy, *cells, f"{number(average)} / {number(replays.mean(kind, policy))}"])
    return table(["published / ours", *replays.names, "mean"], rows)


def aggregates(replays):
    rows = []
    for policy in sorted(replays.policies, key=lambda p: -replays.mean("dlp", p)):
        values = {name: replays.by_name[name][policy] for name in replays.names}
        theirs = published("dlp", policy)
        fetches = sum(row["fetches"] for row in values.values())
        rows.append([policy, number(theirs and sum(theirs[n] for n in replays.names) / len(replays.names)),
                     number(replays.mean("dlp", policy)), number(replays.mean("throughput", policy)),
                     number(harmonic_mean([row["dlp"] for row in values.values()])),
                     number(sum(row["instructions"] for row in values.values()) / fetches)])
    return table(["policy", "published mean DLP", "mean DLP", "mean throughput", "harmonic mean DLP", "sum of I / sum of F"], rows)


def memory(replays):
    """[Resync] §5.2 to §5.4: execute-identical fetches, memory patterns and distances of each benchmark's chosen heuristic."""
    rows, identical, active = [], [], []
    patterns = {"16": [], "all": []}
    classes = {"affine_strides": [0] * 5, "scattered_intervals": [0] * 5}
    for name in replays.names:
        row = replays.by_name[name][CHOSEN[name]]
        whole = {key: sum(k[key] for k in row["active"]) for key in ("uniform", "affine", "scattered")}
        full = next((k for k in row["active"] if k["threads"] == THREADS), None)
        share = full and full["execute_identical"] / full["fetches"]
        if full:
            identical.append(share)
            total = sum(full[key] for key in whole)
            if total:
                patterns["16"].append([full[key] / total for key in whole])
        patterns["all"].append([value / sum(whole.values()) for value in whole.values()])
        active.append(row["instructions"] / row["fetches"] / THREADS)
        for kind, counts in classes.items():
            for k in row["active"]:
                for i, count in enumerate(k[kind]):
                    counts[i] += count
        rows.append([name, CHOSEN[name], percent(active[-1]), percent(share),
                     *(percent(value) for value in patterns["all"][-1])])
    text = table(["benchmark", "heuristic (Tab. 5.1)", "threads active", "execute-identical with 16 active", "uniform", "affine",
                  "scattered"], rows)

    def means(lists):
        return [sum(column) / len(column) for column in zip(*lists)] if lists else [None] * 3
    text += "\n\n" + table(["mean", "published", "ours"], [
        ["execute-identical with 16 active", "33.7 %", percent(sum(identical) / len(identical) if identical else None)],
        ["uniform, affine, scattered with 16 active", "14.5, 24.9, 60.6 %", ", ".join(percent(v) for v in means(patterns["16"]))],
        ["uniform, affine, scattered", "25.4, 35.0, 39.5 %", ", ".join(percent(v) for v in means(patterns["all"]))],
        ["affine strides of 2^16 to 2^31", "most: 2^23, the distance of stacks",
         percent(classes["affine_strides"][3] / max(1, sum(classes["affine_strides"])))],
        ["scattered intervals of 2^16 to 2^31", "most",
         percent(classes["scattered_intervals"][3] / max(1, sum(classes["scattered_intervals"])))]])
    return text


def charts(replays):
    order = ["MinPC", "MinSP_MinPC", "MaxFunMinPC1", "MaxFunMinPC2", "Long(8)", "LongMinSP(4)", "LongIRB(32)", "Lee", "PDomMinSP",
             "LongestPath1", "LongestPathP", "Dist(0 0 10k)", "Oracle(1k 0)", "RoundRobinEq"]
    parts = [xy_chart("Mean DLP, ours", order, "active threads per fetch", [replays.mean("dlp", p) for p in order]),
             xy_chart("Mean throughput, ours", order, "active threads per cycle", [replays.mean("throughput", p) for p in order])]
    for family, sizes in (("Long", (2, 4, 8, 16, 32, 64)), ("LongMinSP", (2, 4, 8, 16, 32)), ("LongIRB", (4, 8, 16, 32, 64, 128))):
        parts.append(xy_chart(f"{family}: mean DLP by history entries, ours", sizes, "active threads per fetch",
                              [replays.mean("dlp", f"{family}({s})") for s in sizes]))
    return "\n\n".join(parts)


def core(machine):
    """Divergent kernels on the mechanisms, in cycles relative to the stack."""
    apart = {"core.scoreboard.kind": "per_thread_mask"}
    columns = [("simt_stack", {}), ("aware", {"core.control_flow.mechanism": "aware"}),
               ("multi_path", {"core.control_flow.mechanism": "multi_path", **apart}),
               ("hanoi", {"core.control_flow.mechanism": "hanoi"})]
    resync = {"core.control_flow.mechanism": "resync"}
    columns += [(policy, {**resync, "core.control_flow.resync.policy": policy}) for policy in POLICIES]
    columns.append(("MinSP_MinPC, selector of 2 cycles", {**resync, **SELECTOR}))
    text = []
    for title, value in (("Cycles, relative to the stack", lambda run, base: ratio(run.cycles, base.cycles)),
                         ("SIMD efficiency", lambda run, base: percent(run.simd))):
        rows = []
        for name, settings in columns:
            cells = []
            for kernel in KERNELS:
                run, base = machine.run(kernel, settings), machine.run(kernel, {})
                cells.append(value(run, base) if run.passed else NOTES[run.outcome])
            rows.append([name, *cells])
        text.append(f"**{title}**\n\n" + table(["mechanism or policy", *KERNELS], rows))
    return "\n\n".join(text)


def recursion(machine):
    """The recursive kernel with the L1 of the platform and with one that holds all frames: what its cycles come from."""
    columns = [("simt_stack", {}), ("hanoi", {"core.control_flow.mechanism": "hanoi"}),
               *((policy, {"core.control_flow.mechanism": "resync", "core.control_flow.resync.policy": policy})
                 for policy in ("MinSP_MinPC", "LongestPath1", "RoundRobinEq"))]
    sizes = [(kib, {"core.l1d.unified_kib": 0, "core.l1d.size_kib": kib}) for kib in (16, 1024)]
    rows = []
    for kib, size in sizes:
        runs = [machine.run("nqueens-recursive", {**settings, **size}) for _, settings in columns]
        rows.append([f"{kib} KiB", *(f"{run.cycles:,} ({ratio(run.cycles, runs[0].cycles)})" for run in runs)])
    return table(["L1", *(name for name, _ in columns)], rows)


def spin(machine):
    """The spin lock with and without the rule against starvation."""
    resync = {"core.control_flow.mechanism": "resync"}
    cases = [(policy, aging) for policy in POLICIES for aging in (0, 16)]
    settings = {case: {**resync, "core.control_flow.resync.policy": case[0], "core.control_flow.resync.aging_selections": case[1]}
                for case in cases}

    def outcome(case):
        run = machine.run("spinlock", settings[case])
        return f"{run.cycles:,} cycles" if run.passed else NOTES[run.outcome]
    return table(["policy", "as published", "aging after 16 selections"],
                 [[policy, outcome((policy, 0)), outcome((policy, 16))] for policy in POLICIES])


# One factor at a time: what it is, and what is different.
FACTORS = [
    ("as studied, inputs of scale 1", {}),
    ("activations counted by calls and returns, not by function marks", {"options": ()}),
    ("decisions at block ends", {"block": True}),
    ("no waiting at recorded barriers", {"options": ("--function-marks", "--no-barriers")}),
    ("what thread 0 alone calls lies behind its callers", {"program": "native_kernels_main_last"}),
    ("blocks placed by LLVM's guesses", {"program": "native_kernels_placed"}),
    ("blocks and calls as GCC has them", {"program": "native_kernels_gcc"}),
    ("4 threads", {"threads": 4}),
    ("32 threads", {"threads": 32}),
    ("larger inputs: scale 3", {"scale": 3}),
]
FACTOR_POLICIES = ["MinPC", "MinSP_MinPC", "MaxFunMinPC1", "MaxFunMinPC2", "MaxFunMinPC3", "Lee", "Long(2)", "Long(8)",
                   "LongMinSP(2)", "LongMinSP(4)", "LongMinSP(8)", "PDomMinSP", "LongestPath1", "LongestPathP", "Dist(0 0 10k)",
                   "Dist(1 1 -1)", "Oracle(1k 0)", "Oracle(100 0)", "Oracle(30 0)"]
FACTOR_CLAIMS = {"max_fun_2_worse": "MaxFun 2", "frontiers_poor": "frontiers", "min_pc_behind": "MinPC", "min_pc_calls": "calls",
                 "min_pc_body": "body", "lee_fluid": "Lee, fluid", "max_fun_fmm": "fmm", "distance_barnes": "Dist, barn",
                 "distance_tachyon": "Dist, tach"}


# fluidanimate alone: what is different, the kernel, and how it is replayed.
FLUID = [
    ("as studied", "fluid", {}),
    ("particles everywhere instead of in a column", "fluid-still", {}),
    ("input of scale 1", "fluid", {"scale": 1}),
    ("4 threads", "fluid", {"threads": 4}),
    ("32 threads", "fluid", {"threads": 32}),
    ("no waiting at recorded barriers", "fluid", {"options": ("--function-marks", "--no-barriers")}),
    ("activations counted by calls and returns, not by function marks", "fluid", {"options": ()}),
    ("blocks placed by LLVM's guesses", "fluid", {"program": "native_kernels_placed"}),
    ("blocks and calls as GCC has them", "fluid", {"program": "native_kernels_gcc"}),
]
FLUID_REASONS = """Lee stays best whatever the particles, the size of the input, barriers and marks are. It is not with blocks in another order, where it loses by itself (it lets a thread that has branched backwards wait for the others,
and which branches go backwards is the order's doing) while MinSP-MinPC gains, up to twice its value in GCC's order; nor with another number of threads."""


# What the rows above showed, beside the structure that the programs were given for it (platforms/workloads/native).
REASONS = """* **MinPC** falls behind where one thread calls what lies behind all code of the program: SPLASH-2's thread 0 takes the time between phases. It waits there until all others have ended, so
  DLP comes to half the number of threads, which is what micro-kernel 25 is for (`native_test`). bodytrack has no such call: there MinPC is MinSP-MinPC. Barriers do not bring the threads together again,
  because SPLASH-2 makes them of a mutex, and critical sections are cut out.
* **The layout of blocks** decides as much for MinSP-MinPC: a call that few threads make is behind the function in GCC's code, and LLVM's block placement moves loops' rare sides; a thread there
  has the highest PC at its depth.
* **Function marks**, as the study's compiler pass sets them, are what MaxFun 2 and thread frontiers are poor by: a call counts only behind the prologue. Until then the thread is at its caller's level with a larger
  record, so MaxFun 2 lets all others go first: it has MinPC's values on fft, ocean, radix and water, and MinSP-MinPC's on bodytrack and tachyon, as published. Counted by calls and returns instead, both are good.
* **Lee** is best on fluidanimate by the order of blocks and the number of threads, not by where the particles are (below).
* **Distance** is good for barnes only on the larger input: the lengths of paths have to be learned.
* **The oracle** looks at most 1,000 instructions ahead, which covers the loops of our inputs. With 100 and 30 it falls below MinSP-MinPC."""


def factors(traces, names):
    """Which orderings depend on what: means of DLP and verdicts among these policies."""
    shown = ["MinPC", "MinSP_MinPC", "MaxFunMinPC1", "MaxFunMinPC2", "MaxFunMinPC3", "Lee", "Long(8)", "LongMinSP(4)", "PDomMinSP",
             "LongestPath1", "LongestPathP", "Dist(0 0 10k)", "Oracle(1k 0)", "Oracle(100 0)", "Oracle(30 0)"]
    rows, verdicts = [], []
    for label, factor in FACTORS:
        factor = dict(factor)
        suffix = "+block" if factor.pop("block", False) else ""
        # The oracle looks at single instructions.
        policies = [policy if policy.startswith("Oracle") else f"{policy}{suffix}" for policy in FACTOR_POLICIES]
        factor = {"scale": 1, "policies": policies, **factor}
        replays = Replays(traces, names, **factor)
        rows.append([label, *(number(replays.mean("dlp", policy)) for policy in shown)])
        claims = resync_claims.orders(replays)
        verdicts.append([label, *("yes" if claims[claim] else "no" for claim in FACTOR_CLAIMS)])
    return (f"**Mean DLP**\n\n{table(['factor', *shown], rows)}\n\n**Does the ordering hold** (among these policies)\n\n{resync_claims.ORDERS}\n\n"
            f"{table(['factor', *FACTOR_CLAIMS.values()], verdicts)}\n\n{REASONS}\n\n**fluidanimate: DLP**\n\n{fluid(traces)}\n\n{FLUID_REASONS}")


def fluid(traces):
    """Why Lee wins on fluidanimate: what becomes of it when one factor is another one."""
    policies = ["MinPC", "MinSP_MinPC", "MaxFunMinPC1", "Lee", "Long(8)", "LongMinSP(4)", "PDomMinSP", "PDomRB", "LongestPathP",
                "Dist(0 0 10k)", "Oracle(1k 0)"]
    rows = []
    for label, name, factor in FLUID:
        replays = Replays(traces, [name], **{"policies": policies, **factor})
        values = {policy: replays.value("dlp", policy, name) for policy in policies}
        rows.append([label, *(number(value) for value in values.values()), max(values, key=values.get)])
    return table(["factor", *policies, "best"], rows)


def speed(traces, names):
    """Thread instructions replayed in a second of processor time."""
    policies = ["MinPC", "MinSP_MinPC", "MaxFunMinPC1", "RoundRobinEq", "Lee", "Long(8)", "PDomMinSP", "LongestPath1", "Oracle(1k 0)"]
    recorded = [traces.of(name, "native_kernels_marked", THREADS, traces.scale) for name in names]
    chosen = [part for policy in policies for part in ("--policy", policy)]
    text = call(traces.heddle, "resync", *recorded, *chosen, "--function-marks")
    rates = dict(re.findall(r"^(\S+(?: \S+\))?) .* (\S+)$", text, re.MULTILINE))
    return table(["policy", "million thread instructions per second"], [[policy, rates.get(policy, "-")] for policy in policies])


def replayed(machine, names):
    """The replays, and the texts of factors and speed."""
    with tempfile.TemporaryDirectory() as folder:
        traces = Traces(machine, folder)
        return (Replays(traces, names), factors(traces, names) if len(names) == len(BENCHMARKS) else "Only for all benchmarks.", speed(traces, names))


def report(machine, names):
    chosen = [name for name, workload in BENCHMARKS if not names or names & {name, workload}]
    replays, changed, rates = machine.once("replays", lambda: replayed(machine, chosen))
    claims = resync_claims.check(replays)
    return f"""# {TITLE}

Traces of {THREADS} threads of `native_kernels_marked` at scale {SCALE[machine.size]} (`heddle threads --native`), replayed by `heddle resync --function-marks`. Our programs
have the character of the published ones, not their code or inputs, so orderings and gross levels compare, not values. They are compiled as the study does it: by
LLVM, blocks in the order of the source, with function marks behind prologues and before epilogues, and of libraries none ([Resync] §4.2). Rows have their right names (the
thesis' LongIRB rows are labelled wrongly).

## DLP: Tab. 5.3

{both(replays, "dlp")}

## Throughput: Tab. 5.4

{both(replays, "throughput")}

## Means, by mean DLP

{aggregates(replays)}

{charts(replays)}

{claims.comparison() if len(chosen) == len(BENCHMARKS) else "## Published and ours: only for all benchmarks."}

## One factor at a time

{changed}

## Execute-identical fetches, memory

{memory(replays)}

## Speed of the replay

All benchmarks, one core, statistics of registers and addresses included. Processor time, not time on the wall.

{rates}

## In the core

Workloads of size {machine.size} on {machine.platform}; `resync` with decisions at block ends.

{core(machine)}

**Recursion** (`nqueens-recursive`, cycles, relative to the stack). Policies that let lanes of different depths run together issue fewer instructions for it, but their frames are different lines of local memory:
where L1 does not hold all frames, DRAM decides.

{recursion(machine)}

**The spin lock** (`spinlock`)

{spin(machine)}
"""
