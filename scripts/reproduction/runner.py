"""The runs of a study: `heddle sweep` makes them, and its database has their numbers.

A study asks for runs while it writes its report. A run that has not been made answers with ones; make_missing() then writes the specs of a
sweep with all runs that were asked for, and the report is written again. So the report itself says which runs it is made of. Where it
chooses by a number (the best of several), the choice among ones makes a few runs more, which stay in the sweep and are not shown."""

import concurrent.futures
import json
import pathlib
import shlex
import sqlite3
import struct
import subprocess
import sys

MAX_CYCLES = {"tiny": 5_000_000, "small": 20_000_000, "paper": 1_000_000_000}
ENDINGS = {"passed", "wrong", "hang", "limit"}  # ways a kernel can end
TRACE = "control_flow.cft"  # of a run's folder


class Failure(Exception):
    """A run without a result: no such workload, key, or command."""


class Planned:
    """Stands for a run's numbers until it has been made."""
    outcome, trace = "passed", None

    @staticmethod
    def statistic(_):
        return 1

    @staticmethod
    def kernels():
        return []


class Made:
    """A run of a sweep. `layouts`: the positions of statistics in its vector, by name."""

    def __init__(self, folder, row, layouts):
        _, self.outcome, self.verdict, inside, layout, self.data = row
        self.folder, self.positions = folder / inside, layouts.get(layout, {})
        self.trace = self.folder / TRACE

    def statistic(self, name):
        """0 where the machine has none."""
        if name not in self.positions:
            return 0
        value, = struct.unpack_from("<d", self.data, 8 * self.positions[name])
        return int(value) if value.is_integer() and not name.endswith(("ipc", "rate", "efficiency")) else value

    def kernels(self):
        return json.loads((self.folder / "stats.json").read_text())["kernels"]


class Run:
    """A workload's run. Numbers are those of all its launches together; None unless it passed. Names of statistics are those of heddle's
    results (platforms/results/README.md)."""

    def __init__(self, workload, size, platform, settings):
        self.workload, self.size, self.platform, self.settings, self.result = workload, size, platform, settings, Planned

    @property
    def planned(self):
        return self.result is Planned

    @property
    def outcome(self):
        return self.result.outcome

    @property
    def passed(self):
        return self.outcome == "passed"

    @property
    def trace(self):
        return self.result.trace

    def counter(self, *path):
        """Of all cores (partitions ...) and kernels: the sum, of a maximum the largest; 0 where the machine lacks it."""
        return self.result.statistic(".".join(path)) if self.passed else None

    def kernels(self):
        """stats.json's, of a run that passed."""
        return self.result.kernels()

    cycles = property(lambda self: self.counter("total", "cycles"))
    instructions = property(lambda self: self.counter("total", "warp_instructions"))
    simd = property(lambda self: self.counter("total", "simd_efficiency"))


def text_of(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def parameters_of(workload):
    """What a spec says of "hashtable buckets=128"; of "--ptx FILE --entry K ..." only its kernel's name."""
    name, *words = shlex.split(workload)
    if name == "--ptx":
        return {"kernel": pathlib.Path(words[0]).stem}
    return {"workload": name, **{f"param.{key}": value for key, _, value in (word.partition("=") for word in words)}}


def kernel_of(workload):
    """Of "--ptx FILE --entry K ...", as a spec has it."""
    words, kernel = shlex.split(workload), {**parameters_of(workload), "arg": []}
    for option, value in zip(words[::2], words[1::2], strict=True):
        if option == "--arg":
            kernel["arg"].append(value)
        else:
            kernel[option.removeprefix("--")] = value
    kernel["name"] = kernel.pop("kernel")
    return kernel


class Spec:
    """Of a sweep with these runs, either all of workloads or all of kernels."""

    def __init__(self, machine, name, runs):
        self.runs = runs
        every = [{"platform": run.platform, **{key: text_of(value) for key, value in run.settings.items()}} for run in runs]
        common = {key: value for key, value in every[0].items() if all(one.get(key) == value for one in every)}
        programs = [parameters_of(run.workload) for run in runs]
        own = "kernel" in programs[0]
        variants = []
        for program, settings in zip(programs, every):
            rest = {key: value for key, value in settings.items() if key not in common}
            variants.append(rest if own else {**program, **rest})
        names = {}
        for variant in variants:
            names.setdefault(json.dumps(variant), f"{len(names) + 1}: {self.label(variant)}")
        self.keys = [(program.get("kernel"), names[json.dumps(variant)]) for program, variant in zip(programs, variants)]
        self.options = ["--platform", common.pop("platform")] if "platform" in common else []
        lines = [f"# heddle sweep {' '.join([f'{name}.yaml', *self.options])} --out {name}"]
        lines += ["set:", *(f"  {key}: {json.dumps(value)}" for key, value in common.items())] if common else []
        options = {"max_cycles": machine.max_cycles, **({"check": "oracle"} if own else {}), **({"trace_control_flow": True} if machine.traced else {})}
        lines += [f"options: {json.dumps(options)}"]
        if own:
            kernels = {run.workload: kernel_of(run.workload) for run in runs}.values()
            lines += ["kernels:", *(f"  - {json.dumps(kernel)}" for kernel in kernels)]
            unwanted = [{"kernel": kernel["name"], "variant": variant} for kernel in kernels for variant in names.values()
                        if (kernel["name"], variant) not in self.keys]
            lines += ["exclude:", *(f"  - {json.dumps(one)}" for one in unwanted)] if unwanted else []
        else:
            lines += [f"size: {machine.size}", f"compiler: {machine.compiler}"]
        self.text = "\n".join([*lines, "variants:", *(f"  - {json.dumps({'name': name, **json.loads(variant)})}" for variant, name in names.items())]) + "\n"

    @staticmethod
    def label(variant):
        words = [value if key in ("workload", "platform") else f"{key.rpartition('.')[2]}={value}" for key, value in variant.items()]
        return " ".join(words) or "as set"


class Runner:
    def __init__(self, heddle, size, platform, compiler, jobs, max_cycles, folder=None):
        """`folder`: where the sweeps are, or go on."""
        self.heddle, self.size, self.platform, self.compiler = pathlib.Path(heddle), size, platform, compiler
        self.jobs, self.max_cycles, self.folder, self.traced = jobs, max_cycles, folder, False
        self.runs, self.results, self.sweeps = {}, {}, 0

    def keep_traces(self):
        """Runs write a trace of their control flow, for compare()."""
        self.traced = True

    def run(self, workload, settings, platform=None):
        key = workload, tuple(sorted((name, text_of(value)) for name, value in settings.items())), platform or self.platform
        if key not in self.runs:
            self.runs[key] = Run(workload, self.size, platform or self.platform, settings)
        return self.runs[key]

    def once(self, key, function):
        """What the function gives the first time."""
        if key not in self.results:
            self.results[key] = function()
        return self.results[key]

    def make_missing(self):
        """Makes the runs that have been asked for; whether there were any."""
        missing = [run for run in self.runs.values() if run.planned]
        for own in (False, True):
            these = [run for run in missing if run.workload.startswith("--ptx ") == own]
            if these:
                self._sweep(these)
        return bool(missing)

    def _sweep(self, runs):
        self.sweeps += 1
        name = f"sweep-{self.sweeps}"
        spec, out = Spec(self, name, runs), self.folder / name
        (self.folder / f"{name}.yaml").write_text(spec.text)
        done = self.command("sweep", self.folder / f"{name}.yaml", *spec.options, "--out", out, "--jobs", self.jobs, "--resume",
                            stderr=None if sys.stderr.isatty() else subprocess.PIPE)
        rows = rows_of(out) if (out / "results.sqlite").exists() else {}
        if not rows and done.returncode == 0:
            raise Failure(f"{self.heddle}: left no results; give the heddle command")
        if not rows or (done.returncode != 0 and not (done.returncode == 2 and set(rows) >= set(spec.keys))):
            raise Failure(f"heddle sweep {name}.yaml: ended with exit code {done.returncode}: {(done.stderr or '').strip() or done.stdout.strip()}")
        for key, run in zip(spec.keys, runs):
            made = rows[key]
            by_ssde = made.outcome == "refused" and "cannot transform it" in made.verdict
            if made.outcome not in ENDINGS and not by_ssde:
                raise Failure(f"heddle run {run.workload}: {made.outcome}: {made.verdict}")
            run.result = made

    def compare(self, pairs):
        """Of pairs (reference, other) of runs with traces: totals of heddle compare-traces, None where one has not passed."""
        def one(pair):
            reference, other = pair
            if reference.planned or other.planned or not (reference.passed and other.passed):
                return None
            done = self.command("compare-traces", reference.trace, other.trace, "--json")
            if done.returncode not in (0, 1):
                raise Failure(f"heddle compare-traces: {done.stderr.strip()}")
            return json.loads(done.stdout)["total"]

        keys = [(id(reference.result), id(other.result), id(reference), id(other)) for reference, other in pairs]
        wanted = {key: pair for key, pair in zip(keys, pairs) if key not in self.results}
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            self.results.update(zip(wanted, pool.map(one, wanted.values())))
        return [self.results[key] for key in keys]

    def command(self, *arguments, stderr=subprocess.PIPE):
        try:
            return subprocess.run([self.heddle, *map(str, arguments)], stdout=subprocess.PIPE, stderr=stderr, text=True, check=False)
        except OSError as error:
            raise Failure(f"{self.heddle}: cannot run it: {error.strerror}") from error


def rows_of(folder):
    """The runs of a sweep, by (kernel, variant)."""
    database = sqlite3.connect(f"{(folder / 'results.sqlite').resolve().as_uri()}?mode=ro", uri=True)
    try:
        layouts = {layout: {name: i for i, name in enumerate(names.split("\n"))} for layout, names in database.execute("SELECT layout, names FROM layouts")}
        named = {}
        for run, name, value in database.execute("SELECT run, name, value FROM parameters WHERE name IN ('kernel', 'variant')"):
            named.setdefault(run, {})[name] = value
        rows = database.execute("SELECT r.run, status, verdict || char(10) || diagnosis, folder, layout, data FROM runs r LEFT JOIN vectors v ON v.run = r.run")
        return {(named[row[0]].get("kernel"), named[row[0]]["variant"]): Made(folder, row, layouts) for row in rows}
    finally:
        database.close()
