"""SSDE: what the detection flags in every kernel of the suite, what the transformation costs against SIMT code written
by hand."""

import json
import pathlib
import re
import tempfile

import suite
from claims import Claims, over
from runner import Failure
from tables import WHERE, averages, chosen, count, geometric_mean, number, percent, ratio, table, where

TITLE = "SSDE (thesis ch. 3 and 4): detection over all kernels of the suite, cost against SIMT code written by hand"
PLATFORM = "gtx480"

PTX = pathlib.Path(__file__).resolve().parent.parent.parent / "platforms" / "workloads" / "ptx"
KNOWN = pathlib.Path(__file__).resolve().parent / "deadlocks.json"
FUNNEL = ["branches", "loops", "depend_on_shared_memory", "on_a_read_in_the_loop", "redefined", "may_deadlock"]


def known():
    """{"true": {kernel: {"loops": n, "why": ...}}, "false": {kernel: {"nvcc": n, "clang": n, "why": ...}}}: the loops
    that hang on a stack, and those that the detection flags and that do not."""
    return json.loads(KNOWN.read_text())


def documented(table_of, kernel, compiler):
    """True and false flags of a kernel, as documented."""
    return table_of["true"].get(kernel, {}).get("loops", 0), table_of["false"].get(kernel, {}).get(compiler, 0)


def analyze(machine, file, *arguments):
    """The output of `heddle analyze` for each kernel of a file; None if it rejects the request."""
    done = machine.command("analyze", file, *arguments)
    if done.returncode == 2 and arguments[:1] == ("--transform",):
        return None
    if done.returncode not in (0, 1):
        raise Failure(f"heddle analyze {file}: ended with exit code {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout) if "--json" in arguments else []


def instructions(text):
    """Static instructions of each kernel of a PTX text."""
    counts, kernel = {}, None
    for line in text.splitlines():
        entry = re.match(r"\s*(?:\.visible\s+|\.weak\s+)*\.(?:entry|func)\s.*?([\w$]+)\s*\(", line)
        if entry:
            kernel = entry.group(1)
            counts[kernel] = 0
        line = re.sub(r"//.*", "", line).strip()
        line = re.sub(r"^\{\s*|^[\w$]+:\s*", "", line)
        if kernel and line.endswith(";") and not line.startswith("."):
            # Statements on one line (inline assembly of compilers), without declarations.
            counts[kernel] += sum(1 for s in line.split(";") if s.strip(" {}\t") and not s.strip().startswith("."))
    return counts


class Module:
    """A PTX file of the suite before and after the transformation."""

    def __init__(self, machine, file):
        self.file = file
        self.kernels = analyze(machine, file, "--json")
        self.static = instructions(file.read_text())
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / file.name
            self.transformed = analyze(machine, file, "--transform", "ssde", "-o", out) is not None
            again = analyze(machine, out, "--json") if self.transformed else []
            self.static_after = instructions(out.read_text()) if self.transformed else {}
        # A kernel that opts out of the transformation is unchanged.
        self.again = {kernel["kernel"]: kernel["counts"]["may_deadlock"] for kernel in again
                      if not kernel.get("pragma_nossde")}


def detection(modules, compiler, claims):
    deadlocks = known()
    rows, sums = [], dict.fromkeys([*FUNNEL, "true", "false", "missed", "again"], 0)
    for module in modules:
        for kernel in module.kernels:
            name, counts = kernel["kernel"], kernel["counts"]
            loops, expected = documented(deadlocks, name, compiler)
            true = min(counts["may_deadlock"], loops)
            false = counts["may_deadlock"] - true
            missed = loops - true
            again = module.again.get(name)
            untouched = "pragma" if kernel.get("pragma_nossde") else "refused"
            for part in FUNNEL:
                sums[part] += counts[part]
            for part, value in (("true", true), ("false", false), ("missed", missed), ("again", again or 0)):
                sums[part] += value
            why = [deadlocks[kind][name]["why"] for kind, flags in (("true", true), ("false", false))
                   if flags and name in deadlocks[kind]]
            if false != expected:
                why.append(f"**{expected} false flags are documented**")
            rows.append([name, module.file.name, *(counts[part] for part in FUNNEL), true, false,
                         f"**{missed}**" if missed else 0, untouched if again is None else again, "; ".join(why)])
    rows.append(["**all**", compiler, *(sums[part] for part in FUNNEL), sums["true"], sums["false"], sums["missed"],
                 sums["again"], ""])
    rate = over(sums["false"], sums["loops"])
    claims.add("flag_rate", lambda: percent(rate, 2), share=rate)
    for claim in ("missed", "again"):
        claims.add(claim, lambda claim=claim: str(sums[claim] or "none"), at_most=sums[claim])
    return table(["kernel", "file", "branches", "loops", "depend on shared memory", "on a read in the loop", "redefined",
                  "flagged", "true", "false", "missed", "flagged again", "why"], rows)


def cost(machine, benchmarks, modules, claims):
    before, after = {}, {}
    for module in modules:
        before.update(module.static)
        after.update(module.static_after)
    rows, times, static = [], {}, {}
    for name, simt, mimd in benchmarks:
        by_hand, made = machine.run(simt, suite.STACK), machine.run(mimd, suite.SSDE)
        size = {}
        for variant, run in (("S2", by_hand), ("M2S", made)):
            kernels = {kernel["kernel"] for kernel in run.kernels()} if run.passed else set()
            counts = before if run is by_hand else after
            size[variant] = sum(counts.get(kernel, 0) for kernel in kernels) or None
            rows.append([*where(name, run), variant, size[variant] or "-", count(run, run.cycles),
                         count(run, run.instructions), ratio(size[variant], size["S2"]),
                         ratio(run.cycles, by_hand.cycles), ratio(run.instructions, by_hand.instructions)])
        if by_hand.passed and made.passed:
            times[name] = made.cycles / by_hand.cycles
        if size["S2"] and size["M2S"]:
            static[name] = size["M2S"] / size["S2"]
    claims.add("overhead", lambda: f"{number(geometric_mean(times.values()))}; {averages(times.values())}", ratio=geometric_mean(times.values()))
    faster = [name for name, value in times.items() if value < 1]
    claims.add("faster", lambda: ", ".join(faster) or "none", times.values(), lambda: {"HT", "ATM"} & set(times) <= set(faster))
    claims.add("cloth", lambda: number(times["CP-DS"]), [times.get("CP-DS")], lambda: times["CP-DS"] > 1)
    named = {name: value for name, value in static.items() if name in claims.of["static"]["effect"]["ratio"]}
    claims.add("static", lambda: ", ".join(f"{name} {value:.2f}" for name, value in static.items()) + " (PTX)", ratio=named)
    return table([*WHERE, "variant", "static instr.", "cycles", "warp instr.", "static / S2", "cycles / S2",
                  "instr. / S2"], rows)


def openmp(machine, claims):
    rows, outcomes = [], []
    programs = [("TL-FG", "omp-lock-fine"), ("TL-CG", "omp-lock-coarse"), ("AM-FG", "omp-max-fine"),
                ("AM-CG", "omp-max-coarse")]
    for name, workload in programs:
        plain, made = machine.run(workload, suite.STACK), machine.run(workload, suite.SSDE)
        for variant, run in (("M2", plain), ("M2S", made)):
            rows.append([*where(name, run), variant, count(run, run.cycles), count(run, run.instructions)])
        outcomes.append(f"{name} {'finishes' if plain.passed else 'deadlock'} / "
                        f"{'finishes' if made.passed else 'deadlock'}")
    claims.add("openmp", lambda: ", ".join(outcomes), outcomes, lambda: all(outcome.endswith("deadlock / finishes") for outcome in outcomes))
    return table([*WHERE, "variant", "cycles", "warp instr."], rows)


BENCHMARKS = suite.SYNCHRONISATION


def report(machine, names):
    benchmarks = chosen(BENCHMARKS, names)
    modules = machine.once("modules", lambda: [Module(machine, file) for file in sorted(PTX.glob(f"*.{machine.compiler}.ptx"))])
    claims = Claims("ssde")
    parts = [
        f"# {TITLE}",
        "S2: hand-made SIMT form. M2: MIMD form. M2S: MIMD form, transformed by SSDE. All on a stack.",
        f"## Detection, {machine.compiler}'s PTX",
        "Loops are retreating edges. True: the kernel hangs on a stack at as many loops (scripts/reproduction/"
        "deadlocks.json). Flagged again: after the "
        "transformation; \"pragma\": the kernel asks not to be transformed.",
        detection(modules, machine.compiler, claims),
        "## Cost", cost(machine, benchmarks, modules, claims),
    ]
    if not names:
        parts += ["## OpenMP locks", openmp(machine, claims)]
    return "\n\n".join([*parts, claims.comparison()])
