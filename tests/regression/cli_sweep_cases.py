"""Cases of cli_cases.py: heddle sweep. Small runs on the platform tiny."""

import csv
import json
import os
import pathlib
import re
import signal
import sqlite3
import struct
import subprocess
import time

import cli_kernels as kernels
from cli_command import BAD_INPUT, CYCLE_LIMIT, HANG, KERNEL_FAULT, MISMATCH, OK, case, check

LONGEST_S = 100


def database(folder):
    return sqlite3.connect(folder / "results.sqlite")


def rows(folder):
    """The database without what may differ from time to time, and the dictionary."""
    with database(folder) as db:
        tables = {name: db.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall()
                  for name in ("parameters", "statistics", "layouts", "vectors")}
        tables["runs"] = db.execute("SELECT run, status, exit_code, verdict, diagnosis, cycles, configuration, folder FROM runs "
                                    "ORDER BY run").fetchall()
    return tables


def table(folder):
    with (folder / "table.csv").open() as lines:
        return list(csv.DictReader(lines))


@case
def sweep_multiplies_lists_and_pairs(c):
    spec = c.file("s.yaml", """# comment
name: all forms
platform: tiny
size: tiny
workload: [vecadd, reduction]
seed: 1..2
set:
  core.scheduler.policy: [lrr, gto]
zip:
  - {core.l1d.size_kib: [2, 4], core.l1d.ways: [4, 8]}
variants:
  - {name: base}
  - {name: slow, core.l1d.latency_cycles: 40}
exclude:
  - {workload: reduction, variant: slow}
options: {max_cycles: 10000000}
""")
    listed = c.run("sweep", spec, "--dry-run").stdout
    check("all forms: 24 runs" in listed, "not 2 x 2 x 2 x 2 x 2 runs without 8")
    check(sorted(p.name for p in c.folder.iterdir()) == ["s.yaml"], "a dry run has left something")
    lines = [line.split() for line in listed.splitlines()[1:]]
    check(lines[0] == ["run", "platform", "size", "workload", "seed", "core.scheduler.policy", "core.l1d.size_kib", "core.l1d.ways",
                       "variant", "compiler", "core.l1d.latency_cycles"], f"{lines[0]}")
    check(lines[1][1:] == ["tiny", "tiny", "vecadd", "1", "lrr", "2", "4", "base", "nvcc", "-"], f"{lines[1]}")
    check(lines[2][1:] == ["tiny", "tiny", "vecadd", "1", "lrr", "2", "4", "slow", "nvcc", "40"], f"{lines[2]}")
    check({(line[6], line[7]) for line in lines[1:]} == {("2", "4"), ("4", "8")}, "pairs were multiplied")


@case
def sweep_is_the_same_whatever_the_parallelism_and_as_single_runs(c):
    spec = c.file("s.yaml", "platform: tiny\nsize: tiny\nworkload: [vecadd, reduction, histogram]\nset: {core.scheduler.policy: [lrr, gto]}\n")
    one = c.run("sweep", spec, "--jobs", "1", "--out", "one").stdout
    four = c.run("sweep", spec, "--jobs", "4", "--out", "four").stdout
    check(rows(c.folder / "one") == rows(c.folder / "four"), "the databases differ")
    check((c.folder / "one" / "table.csv").read_bytes() == (c.folder / "four" / "table.csv").read_bytes(), "the tables differ")
    check([line for line in one.splitlines()[1:] if "files" not in line] == [line for line in four.splitlines()[1:] if "files" not in line],
          "the printed tables differ")
    check("vs first" in one and "0.0 %" in one, f"{one}")
    c.run("run", "histogram", "--platform", "tiny", "--size", "tiny", "--set", "core.scheduler.policy=gto", "--out", "single")
    same = c.folder / "four" / "runs" / "000005"
    for name in ("stats.json", "config.yaml", "report.txt"):
        check((c.folder / "single" / name).read_bytes() == (same / name).read_bytes(), f"{name} differs from that of a single run")
    stats = json.loads((same / "stats.json").read_text())
    row = table(c.folder / "four")[5]
    check((row["workload"], row["core.scheduler.policy"], row["status"]) == ("histogram", "gto", "passed"), f"{row}")
    check(float(row["total.cycles"]) == stats["total"]["cycles"] and float(row["total.ipc"]) == stats["total"]["ipc"], f"{row}")
    with database(c.folder / "four") as db:
        cycles, layout, data = db.execute("SELECT cycles, layout, data FROM runs JOIN vectors USING (run) WHERE run = 5").fetchone()
        names = db.execute("SELECT names FROM layouts WHERE layout = ?", [layout]).fetchone()[0].splitlines()
    check(cycles == stats["total"]["cycles"] and len(data) == 8 * len(names), "cycles or numbers are wrong")
    values = dict(zip(names, struct.unpack(f"<{len(names)}d", data)))
    slots = sum(kernel["statistics"][core]["issue"]["slots"]["issued"] for kernel in stats["kernels"]
                for core in kernel["statistics"] if core.startswith("core"))
    check(values["core.issue.slots.issued"] == slots, "a counter is not the sum over cores and kernels")


@case
def sweep_keeps_failures_with_their_diagnosis(c):
    spec = c.file("s.yaml", f"""platform: tiny
kernels:
  - {{name: right, ptx: {c.file("store.ptx", kernels.STORE)}, entry: store, grid: 1, block: 1, arg: ["buf=c:64", "u64=0"]}}
  - {{name: fault, ptx: store.ptx, entry: store, grid: 1, block: 1, arg: ["buf=c:64", "u64=99999996"]}}
  - {{name: wrong, ptx: store.ptx, entry: store, grid: 1, block: 1, arg: ["buf=c:64", "u64=0"], compare: ["c={c.file("want", bytes([1] * 64))}"]}}
  - {{name: long, ptx: {c.file("count.ptx", kernels.COUNT)}, entry: count, grid: 1, block: 1, arg: ["buf=x:4", "u32=4000000000"]}}
options: {{max_cycles: 20000}}
""")
    done = c.run("sweep", spec, "--out", "out")
    statuses = [(row["kernel"], row["status"], int(row["exit_code"])) for row in table(c.folder / "out")]
    check(statuses == [("right", "passed", OK), ("fault", "fault", KERNEL_FAULT), ("wrong", "wrong", MISMATCH),
                       ("long", "limit", CYCLE_LIMIT)], f"{statuses}")
    with database(c.folder / "out") as db:
        diagnosis, cycles = db.execute("SELECT diagnosis, cycles FROM runs WHERE run = 1").fetchone()
    check("out-of-bounds" in diagnosis and "thread (0,0,0)" in diagnosis and cycles > 0, f"the diagnosis says: {diagnosis}")
    check("not passed: 3 of 4 runs" in done.stdout and "run 3: --max-cycles reached" in done.stdout, "failures are not told")
    hang = c.run("sweep", "spinlock", "--size", "tiny", "--vary", "core.compiler=none,ssde", "--out", "hang").stdout
    (first, second) = table(c.folder / "hang")
    check((first["status"], first["exit_code"], second["status"]) == ("hang", str(HANG), "passed"), f"{hang}")
    check("SIMT-induced deadlock" in first["verdict"], f"{first}")


@case
def sweep_has_combinations_that_do_not_go_together_as_refused_runs(c):
    c.run("sweep", "vecadd", "--size", "tiny", "--platform", "tiny", "--vary", "core.l1d.ways=4,3", "--out", "out")
    first, second = table(c.folder / "out")
    check((first["status"], second["status"], second["total.cycles"]) == ("passed", "refused", ""), f"{second}")
    check(not (c.folder / "out" / "runs" / "000001").exists(), "a refused run has left a folder")
    only = c.run("sweep", "vecadd", "--size", "tiny", "--platform", "tiny", "--vary", "core.l1d.ways=3", "--out", "none", code=BAD_INPUT)
    check("no run could be simulated; the first one says: " in only.stderr, "it does not say that nothing ran")


def peak_kib(process):
    """Most memory that the process has had at a time; it runs still, or is not waited for yet."""
    return int(next(line for line in (pathlib.Path("/proc") / str(process.pid) / "status").read_text().splitlines() if line.startswith("VmHWM:")).split()[1])


@case
def sweep_keeps_traces_and_says_which_program_made_them(c):
    spec = c.file("s.yaml", "platform: tiny\nsize: tiny\nworkload: bfs\nset: {core.scheduler.policy: [lrr, gto]}\noptions: {trace_timeline: true, trace_control_flow: true}\n")
    c.run("sweep", spec, "--jobs", "1", "--out", "out")
    for run in ("000000", "000001"):
        folder = c.folder / "out" / "runs" / run
        check(json.loads((folder / "timeline.json").read_text())["traceEvents"], "no timeline")
        host = json.loads((folder / "host.json").read_text())
        check(re.fullmatch(r"([0-9a-f]{12}\+?)?", host["commit"]), f"commit {host['commit']}")
        c.run("compare-traces", f"out/runs/{run}/control_flow.cft", f"out/runs/{run}/control_flow.cft")
    with database(c.folder / "out") as db:
        made = [row[0] for row in db.execute("SELECT heddle FROM runs UNION ALL SELECT value FROM about WHERE name = 'heddle'")]
    version = c.run("--version").stdout.split()[1]
    check(made == [" ".join(filter(None, (version, host["commit"])))] * 3, f"made by {made}")
    refused = c.file("t.yaml", "platform: tiny\nworkload: bfs\noptions: {trace_tables: true}\n")
    check("t.yaml:3" in c.run("sweep", refused, "--out", "no", code=BAD_INPUT).stderr, "an option that there is not")


@case
def sweep_that_was_killed_goes_on_without_loss(c):
    """HEDDLE_TEST_DEPTH=63: of a thousand runs."""
    half = 8 * max(1, round(float(os.environ.get("HEDDLE_TEST_DEPTH", "1"))))
    spec = c.file("s.yaml", f"platform: tiny\nsize: tiny\nworkload: [vecadd, reduction]\nseed: 1..{half}\n")
    c.run("sweep", spec, "--jobs", "1", "--out", "whole")
    for signal_number in (signal.SIGKILL, signal.SIGINT):
        out = f"killed-{signal_number}"
        process = subprocess.Popen([c.heddle, "sweep", spec, "--jobs", "2", "--out", out], cwd=c.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + LONGEST_S
        peaks = []
        for run in (2, half - 4):
            while not (c.folder / out / "runs" / f"{run:06}" / "host.json").exists():
                check(process.poll() is None and time.monotonic() < end, "it does not get half way")
                time.sleep(0.005)
            peaks.append(peak_kib(process))
        check(peaks[1] - peaks[0] < 6_000 + 20 * half, f"{peaks[1] - peaks[0]} KiB more after {half} runs than after three")
        process.send_signal(signal_number)
        _, err = process.communicate(timeout=LONGEST_S)
        with database(c.folder / out) as db:
            had = db.execute("SELECT count(*) FROM runs").fetchone()[0]
        check(0 < had < 2 * half, f"{had} of {2 * half} runs had ended: nothing is tried")
        if signal_number == signal.SIGINT:
            check(process.returncode == 130 and f"{had} of {2 * half} runs have been made" in err and "--resume goes on" in err, f"{err}")
        again = c.run("sweep", spec, "--jobs", "2", "--out", out, code=BAD_INPUT)
        check("has the results of a sweep already" in again.stderr and "--resume" in again.stderr, "it is overwritten")
        done = c.run("sweep", spec, "--jobs", "2", "--out", out, "--resume").stdout
        check(f"{2 * half} runs, {2 * half - had} made now" in done, f"runs were lost, or made twice: {had} before; {done}")
        check(rows(c.folder / out) == rows(c.folder / "whole"), "the resumed database differs")
        check((c.folder / out / "table.csv").read_bytes() == (c.folder / "whole" / "table.csv").read_bytes(), "the tables differ")
    other = c.file("other.yaml", f"platform: tiny\nsize: tiny\nworkload: [vecadd, reduction]\nseed: 1..{half + 1}\n")
    refused = c.run("sweep", other, "--out", "whole", "--resume", code=BAD_INPUT)
    check("has the results of another spec (s)" in refused.stderr, "another spec goes on")
    nothing = c.run("sweep", spec, "--out", "whole", "--resume").stdout
    check(f"{2 * half} runs, 0 made now" in nothing, "a complete sweep makes runs again")


@case
def sweep_of_several_machines_is_that_of_one(c):
    spec = c.file("s.yaml", "platform: tiny\nsize: tiny\nworkload: [vecadd, reduction]\nseed: 1..3\n")
    c.run("sweep", spec, "--out", "whole")
    for part in ("1/2", "2/2"):
        c.run("sweep", spec, "--out", "parts", "--part", part)
    done = c.run("sweep", spec, "--out", "parts", "--resume").stdout
    check("6 runs, 0 made now" in done, f"the parts are not taken: {done}")
    check(rows(c.folder / "parts") == rows(c.folder / "whole"), "the parts are not the whole")
    for wrong in ("0/2", "3/2", "1", "a/b"):
        c.refused("sweep", spec, "--out", "x", "--part", wrong, says=["--part " + wrong])


@case
def sweep_refuses_wrong_specs_with_line_and_remedy(c):
    head = "workload: vecadd\n"
    for text, says in {
            "": ["s.yaml: holds no 'name: value' lines"],
            "- a\n": ["s.yaml: holds no"],
            "seed: 1\n": ["nothing to run: neither workload, kernels nor programs"],
            "workload: [vecadd\n": ["s.yaml:2:", "malformed YAML"],
            "workload: [vecad]\n": ["s.yaml:1: ", "there is no workload 'vecad'; did you mean 'vecadd'?"],
            "workload: []\n": ["s.yaml:1: the list of 'workload' is empty"],
            "workload: [vecadd, vecadd]\n": ["s.yaml:1: 'workload' has the value vecadd twice"],
            "workload:\n": ["s.yaml:1: 'workload' has no value"],
            head + "workload: sgemm\n": ["s.yaml:2: 'workload' is given twice"],
            head + "\nseeds: 1\n": ["s.yaml:3: a sweep has no 'seeds'; did you mean 'seed'?"],
            head + "seed: 5..1\n": ["s.yaml:2: '5..1' is no range"],
            head + "seed: [1, x]\n": ["s.yaml:2: 'seed' is a whole number of at least 0, not 'x'"],
            head + "size:\n  - tiny\n  - huge\n": ["s.yaml:4: there is no size 'huge'", "sizes: tiny, small, paper"],
            head + "platform: gtx48\n": ["s.yaml:2: ", "gtx48"],
            head + "core.l1d.ways: 4\n": ["s.yaml:2: a sweep has no 'core.l1d.ways'", "configuration keys are below 'set:'"],
            head + "set:\n  core.l1d.way: 4\n": ["s.yaml:3: ", "did you mean 'core.l1d.ways'?"],
            head + "set:\n  core.scheduler.policy: [lrr, gtoo]\n": ["s.yaml:3: 'gtoo' is not a choice", "did you mean 'gto'?"],
            head + "set: {core.l1d.ways: 4}\nvariants: [{name: a, core.l1d.ways: 8}]\n": ["'core.l1d.ways' is set twice, first at s.yaml:2"],
            head + "zip:\n  - core.l1d.ways: [4, 8]\n    core.l1d.size_kib: [2]\n": ["s.yaml:4: 'core.l1d.size_kib' has 1 values, but 'core.l1d.ways' has 2"],
            head + "variants: [{core.l1d.ways: 8}]\n": ["s.yaml:2: a variant has no name"],
            head + "param: {nodes: 5}\n": ["s.yaml:2: ", "nodes"],
            head + "exclude: [{sed: 1}]\n": ["s.yaml:2: there is no setting 'sed'"],
            head + "exclude: [{workload: vecadd}]\n": ["'exclude' leaves no run"],
            head + "options: {profil: true}\n": ["s.yaml:2: there is no option 'profil'; did you mean 'profile'?"],
            head + "options: {profile: yes}\n": ["s.yaml:2: 'profile' is true or false, not 'yes'"],
            head + "options: {max_cycles: -1}\n": ["s.yaml:2: 'max_cycles' is a whole number"],
            head + "seed: 1..1000\nset: {core.l1d.latency_cycles: 1..1001}\n": ["more than 1000000 runs"],
            "kernels: [{ptx: none.ptx, entry: k, grid: 1, block: 1}]\n": ["s.yaml:1: ", "none.ptx"],
            "kernels: [{ptx: k.ptx, entri: k}]\n": ["s.yaml:1: there is no setting of a kernel 'entri'; did you mean 'entry'?"],
            "kernels: [{ptx: k.ptx}]\n": ["s.yaml:1: a kernel has 'ptx' or 'cubin', 'entry', 'grid' and 'block'"],
    }.items():
        c.file("s.yaml", text)
        c.refused("sweep", "s.yaml", "--out", "out", says=says)
    c.file("s.yaml", head)
    c.refused("sweep", "s.yaml", says=["no folder for the results", "--out DIR"])
    c.refused("sweep", "none.yaml", "--out", "out", says=["none.yaml"])
    c.refused("sweep", "vecad", "--out", "out", says=["heddle sweep: ", "did you mean 'vecadd'?"])
    c.refused("sweep", "vecadd", "--vary", "core.l1d.ways", "--out", "out", says=["--vary core.l1d.ways: is not NAME=VALUE,VALUE"])
    c.refused("sweep", "vecadd", "--vary", "core.l1d.ways=4,,8", "--out", "out", says=["has an empty value"])
    c.refused("sweep", "vecadd", "--set", "core.l1d.way=4", "--out", "out", says=["--set core.l1d.way=4: ", "did you mean 'core.l1d.ways'?"])


@case
def sweep_tells_how_far_it_is(c):
    spec = c.file("s.yaml", "platform: tiny\nsize: tiny\nworkload: [vecadd, reduction]\n")
    lines = c.run("sweep", spec, "--progress", "json", "--jobs", "1", "--out", "out").stderr.splitlines()
    told = [json.loads(line) for line in lines]
    check([each["runs_ended"] for each in told] == [1, 2] and told[0]["runs"] == 2, f"{told}")
    check(told[0]["seconds_left"] > 0 and told[1]["seconds_left"] == 0, f"{told}")
    text = c.run("sweep", spec, "--progress", "--out", "text").stderr
    check("heddle: 2 of 2 runs, " in text, f"{text}")
    check(c.run("sweep", spec, "--out", "quiet").stderr == "", "it tells without being asked")


@case
def sweep_gives_up_a_run_that_takes_too_long(c):
    spec = c.file("s.yaml", f"""platform: tiny
kernels: [{{name: long, ptx: {c.file("count.ptx", kernels.COUNT)}, entry: count, grid: 1, block: 1, arg: ["buf=x:4", "u32=4000000000"]}}]
options: {{max_seconds: 1}}
""")
    c.run("sweep", spec, "--out", "out")
    (row,) = table(c.folder / "out")
    check(row["status"] == "limit" and "max_seconds reached" in row["verdict"] and float(row["total.cycles"]) > 0, f"{row}")


@case
def run_tells_how_far_it_is(c):
    arguments = ["run", "--platform", "tiny", "--ptx", c.file("count.ptx", kernels.COUNT), "--entry", "count", "--grid", "1", "--block", "1",
                 "--arg", "buf=x:4", "--arg", "u32=4294967295", "--max-cycles", "40000000"]
    process = subprocess.Popen([c.heddle, *arguments, "--progress", "json"], cwd=c.folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               text=True)
    line = json.loads(process.stderr.readline())
    process.kill()
    process.communicate(timeout=LONGEST_S)
    check(line["kernel"] == "count" and line["ctas_total"] == 1 and line["cycles"] > 0 and line["seconds_left"] is None, f"{line}")
    short = c.run("run", "vecadd", "--progress", "--size", "tiny", "--platform", "tiny")
    check("passed" in short.stdout, "--progress has taken another option for its value")
    c.refused("run", "vecadd", "--progress=xml", says=["--progress"])
