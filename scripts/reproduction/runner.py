"""Runs the heddle command for scripts/reproduce: each configuration once, several in parallel."""

import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

MAX_CYCLES = {"tiny": 5_000_000, "small": 20_000_000, "paper": 1_000_000_000}
OUTCOMES = {0: "passed", 1: "wrong", 4: "hang", 5: "limit"}  # exit codes of heddle for the ways a kernel can end


class Failure(Exception):
    """A run without a result: no such workload, key, or command."""


class Run:
    """A workload's run. Numbers are those of all its launches together; None unless it passed."""

    def __init__(self, workload, size, platform, settings, outcome, stats, trace=None):
        self.workload, self.size, self.platform, self.settings = workload, size, platform, settings
        self.outcome, self.stats, self.trace = outcome, stats, trace

    @property
    def passed(self):
        return self.outcome == "passed"

    def total(self, name):
        return self.stats["total"][name] if self.passed else None

    @property
    def cycles(self):
        return self.total("cycles")

    @property
    def instructions(self):
        return self.total("warp_instructions")

    @property
    def simd(self):
        return self.total("simd_efficiency")

    def counter(self, module, *path):
        """Sum of a counter over launches and over modules whose name matches, 0 where a module lacks it."""
        return sum(self.counter_by_kernel(module, *path)) if self.passed else None

    def counter_by_kernel(self, module, *path):
        """The same for each kernel of a run that passed."""
        totals = []
        for kernel in self.stats["kernels"]:
            totals.append(0)
            for name, group in kernel["statistics"].items():
                if not re.fullmatch(module, name):
                    continue
                for step in path:
                    group = group.get(step, {}) if isinstance(group, dict) else {}
                totals[-1] += group if isinstance(group, (int, float)) else 0
        return totals


class Runner:
    def __init__(self, heddle, size, platform, compiler, jobs, max_cycles):
        self.heddle, self.size, self.platform, self.compiler = pathlib.Path(heddle), size, platform, compiler
        self.jobs, self.max_cycles = jobs, max_cycles
        self.runs, self.comparisons, self.traces = {}, {}, None

    def keep_traces(self):
        """From now on, runs write a trace of their control flow, for compare()."""
        self.traces = tempfile.TemporaryDirectory()

    @staticmethod
    def key(workload, settings, platform):
        return workload, tuple(sorted(settings.items())), platform

    def prepare(self, cases):
        """Runs (workload, settings) or (workload, settings, platform) that have not run yet, in parallel."""
        wanted = {}
        for workload, settings, *platform in cases:
            key = self.key(workload, settings, *(platform or [self.platform]))
            if key not in self.runs:
                wanted[key] = (workload, settings, *(platform or [self.platform]))
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            futures = {key: pool.submit(self._run, *case) for key, case in wanted.items()}
            for done, future in enumerate(concurrent.futures.as_completed(futures.values()), 1):
                if future.exception():
                    for other in futures.values():
                        other.cancel()
                    raise future.exception()
                if sys.stderr.isatty():
                    print(f"\r{done} of {len(wanted)} runs", end="" if done < len(wanted) else "\n", file=sys.stderr)
            self.runs.update({key: future.result() for key, future in futures.items()})

    def run(self, workload, settings, platform=None):
        self.prepare([(workload, settings, platform or self.platform)])
        return self.runs[self.key(workload, settings, platform or self.platform)]

    def compare(self, pairs):
        """Of pairs (reference, other) of runs with traces: totals of heddle compare-traces, None where one has not passed."""
        def one(pair):
            reference, other = pair
            if not (reference.passed and other.passed):
                return None
            done = self.command("compare-traces", reference.trace, other.trace, "--json")
            if done.returncode not in (0, 1):
                raise Failure(f"heddle compare-traces: {done.stderr.strip()}")
            return json.loads(done.stdout)["total"]

        wanted = [pair for pair in pairs if tuple(map(id, pair)) not in self.comparisons]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for pair, total in zip(wanted, pool.map(one, wanted)):
                self.comparisons[tuple(map(id, pair))] = total
        return [self.comparisons[tuple(map(id, pair))] for pair in pairs]

    def command(self, *arguments):
        try:
            return subprocess.run([self.heddle, *map(str, arguments)], capture_output=True, text=True, check=False)
        except OSError as error:
            raise Failure(f"{self.heddle}: cannot run it: {error.strerror}") from error

    def _run(self, workload, settings, platform):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "result"
            name, *words = shlex.split(workload)  # "hashtable buckets=128", or "--ptx FILE --entry K ...", whose result the oracle checks
            program = [name, *words, "--check", "oracle"] if name == "--ptx" else [
                name, *(word for one in words for word in ("--param", one)), "--size", self.size, "--compiler", self.compiler]
            arguments = ["run", *program, "--platform", platform, "--max-cycles", self.max_cycles, "--out", out]
            trace = None
            if self.traces is not None:
                trace = tempfile.mktemp(".cft", dir=self.traces.name)
                arguments += ["--trace-control-flow", trace]
            for name, value in settings.items():
                arguments += ["--set", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
            done = self.command(*arguments)
            outcome = OUTCOMES.get(done.returncode)
            if done.returncode == 2 and "cannot transform it" in done.stderr:  # SSDE, by name
                outcome = "refused"
            if outcome is None:
                raise Failure(f"heddle {' '.join(map(str, arguments))}: ended with exit code {done.returncode}: "
                              f"{done.stderr.strip() or done.stdout.strip()}")
            try:
                stats = json.loads((out / "stats.json").read_text()) if outcome == "passed" else None
            except (OSError, ValueError):
                raise Failure(f"{self.heddle}: left no stats.json; give the heddle command") from None
            return Run(workload, self.size, platform, settings, outcome, stats, trace)
