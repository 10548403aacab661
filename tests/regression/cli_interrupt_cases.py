"""Cases of cli_cases.py: runs that end early by Ctrl-C, SIGTERM or --max-cycles keep what there is so far."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import cli_kernels as kernels
from cli_command import CYCLE_LIMIT, OK, case, check, stats

RESULTS = ["config.yaml", "host.json", "report.txt", "stats.json"]
LONGEST_S = 60  # a signal that is not acted on: the tests' machine may be busy


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def counting(c, n=4294967295):
    """Arguments of a run that lasts for hours."""
    return ["run", "--platform", "tiny", "--ptx", c.file("count.ptx", kernels.COUNT), "--entry", "count", "--grid", "1",
            "--block", "1", "--arg", "buf=x:4", "--arg", f"u32={n}"]


class Running:
    """The command while it runs."""

    def __init__(self, c, *arguments, before=None):
        self.process = subprocess.Popen([c.heddle, *map(str, arguments)], cwd=c.folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, preexec_fn=before)
        self.sent = time.monotonic()

    def until(self, condition):
        end = time.monotonic() + LONGEST_S
        while not condition():
            check(self.process.poll() is None, f"it has ended by itself: {self.process.returncode}")
            check(time.monotonic() < end, "it does not get there")
            time.sleep(0.01)

    def send(self, number):
        self.process.send_signal(number)
        self.sent = time.monotonic()

    def end(self, codes, within=LONGEST_S):
        try:
            out, err = self.process.communicate(timeout=LONGEST_S)
        finally:
            self.process.kill()
        took = time.monotonic() - self.sent
        print(f"{out}{err}[exit code {self.process.returncode} after {took:.2f} s]")
        check(self.process.returncode in (codes if isinstance(codes, tuple) else (codes,)),
              f"exit code {self.process.returncode}, expected {codes}")
        check(took < within, f"it took {took:.1f} s")
        return out, err


def simulates(c, running, trace):
    """Waits until the run's trace grows: it simulates."""
    folder = (c.folder / trace).parent
    running.until(lambda: any(p.stat().st_size > 0 for p in folder.glob(".heddle-*.tmp")))


def check_partial(folder, reason):
    json_ = stats(folder)
    host = json.loads((folder / "host.json").read_text())
    report = (folder / "report.txt").read_text()
    check(f"INCOMPLETE: {reason}" in report, "the report is not marked")
    for where in (json_, host):
        check(where["complete"] is False and reason in where["reason"], "not marked as incomplete")
    check(not json_["passed"] and reason in json_["verdict"], "the verdict does not say it")
    for parts in ("kernels", "launches") if "launches" in json_ else ("kernels",):
        for where in (json_, host):
            check(where[parts][-1]["complete"] is False, f"the last of {parts} is not marked")
            check(all("complete" not in part for part in where[parts][:-1]), f"one of {parts} that has ended is marked")
        check(0 < host[parts][-1]["simulation_seconds"] <= host[parts][-1]["seconds"], "no time of the last launch")
    total = json_["total"]
    check(total["launches"] == sum(kernel["launches"] for kernel in json_["kernels"]) > 0, "launches are missing")
    check(total["cycles"] > 0 and total["issue_slots"]["all"] == 2 * 2 * total["cycles"], "slots do not sum")
    check(total["issue_slots"]["by_cause"]["issued"] == total["warp_instructions"] > 0, "no statistics")


@case
def signals_end_with_partial_statistics(c):
    for number, name in ((signal.SIGINT, "SIGINT"), (signal.SIGTERM, "SIGTERM")):
        running = Running(c, *counting(c), "--out", name, "--per-launch", "--trace-tables", f"{name}.jsonl",
                          "--trace-timeline", f"{name}.json", "--dump", "x=x.bin", "--print", "x")
        simulates(c, running, f"{name}.jsonl")
        running.send(number)
        out, err = running.end(128 + number)
        check_partial(c.folder / name, f"interrupted ({name}) in launch 1 (count) after ")
        check((c.folder / name / "report.txt").read_text() in out, "the report was not printed")
        check(f"heddle: error: interrupted ({name})" in err, "wrong error")
        check("x =" not in out and not (c.folder / "x.bin").exists(), "memory of a run that has not ended")
        check(json.loads((c.folder / f"{name}.json").read_text())["traceEvents"], "no timeline")
        for line in (c.folder / f"{name}.jsonl").read_text().splitlines():
            json.loads(line)
    check(names(c.folder) == sorted(["count.ptx", *(f + e for f in ("SIGINT", "SIGTERM") for e in ("", ".json", ".jsonl"))]),
          f"something was left behind: {names(c.folder)}")


@case
def max_cycles_leaves_partial_statistics(c):
    done = c.run(*counting(c), "--max-cycles", "20000", "--out", "result", code=CYCLE_LIMIT)
    check_partial(c.folder / "result", "--max-cycles reached in launch 1 (count) after 20")
    check("INCOMPLETE" in done.stdout and "not finished after 20000 cycles" in done.stderr, "wrong output")
    check("its warps" in stats(c.folder / "result")["diagnosis"], "no diagnosis")
    check(names(c.folder / "result") == RESULTS, "wrong files")


@case
def launches_before_the_last_one_are_complete(c):
    for workload, last in (("bfs", 4), ("srad", 3)):  # one kernel again and again, and a kernel after others
        command = ["run", workload, "--platform", "tiny", "--size", "tiny", "--per-launch", "--profile"]
        c.run(*command, "--out", "whole")
        whole = stats(c.folder / "whole")["launches"]
        limit = max(launch["summary"]["cycles"] for launch in whole[:last]) + 1
        check(whole[last]["summary"]["cycles"] > limit, f"launch {last + 1} is no longer than those before")
        c.run(*command, "--max-cycles", limit, "--out", "part", code=CYCLE_LIMIT)
        part = stats(c.folder / "part")
        check_partial(c.folder / "part", f"--max-cycles reached in launch {last + 1} ({whole[last]['kernel']})")
        check(part["launches"][:-1] == whole[:last], "launches that have ended differ")
        check(part["launches"][-1]["summary"]["cycles"] == limit, "not the cycles until then")
        profile = json.loads((c.folder / "part" / "profile.json").read_text())
        for where in (part, profile):
            marked = [kernel["kernel"] for kernel in where["kernels"] if not kernel.get("complete", True)]
            check(marked == [whole[last]["kernel"]], f"marked are {marked}")
        for kernel in part["kernels"]:
            own = [launch for launch in part["launches"] if launch["kernel"] == kernel["kernel"]]
            check(kernel["launches"] == len(own), "a kernel lacks launches")
            check(kernel["summary"]["cycles"] == sum(launch["summary"]["cycles"] for launch in own), "cycles do not add up")


@case
def second_signal_ends_at_once(c):
    # The first one takes effect at the next check of the watchdog, which is far away here.
    running = Running(c, *counting(c), "--set", "watchdog.check_cycles=1000000000", "--out", "new/result",
                      "--trace-tables", "t.jsonl")
    simulates(c, running, "t.jsonl")
    running.send(signal.SIGINT)
    time.sleep(0.3)
    check(running.process.poll() is None, "the first one has ended it")
    running.send(signal.SIGINT)
    running.end(130)
    check(names(c.folder) == ["count.ptx"], f"something was left behind: {names(c.folder)}")


@case
def signal_before_anything_runs_leaves_nothing(c):
    os.mkfifo(c.folder / "pipe.ptx")
    running = Running(c, "run", "--platform", "tiny", "--ptx", "pipe.ptx", "--grid", "1", "--block", "1", "--out",
                      "new/result", "--trace-timeline", "t.json")
    running.until(lambda: (c.folder / "new/result").is_dir() and list(c.folder.glob(".heddle-*")))
    time.sleep(0.2)
    running.send(signal.SIGTERM)
    _, err = running.end(143)
    check("interrupted (SIGTERM)" in err, "nothing was said")
    check(names(c.folder) == ["pipe.ptx"], f"something was left behind: {names(c.folder)}")


@case
def signal_while_the_oracle_runs(c):
    path = c.file("count.ptx", kernels.COUNT)
    command = ["run", "--platform", "tiny", "--ptx", path, "--entry", "count", "--grid", "1", "--block", "1024", "--arg",
               "buf=x:4", "--arg", "u32=15000"]
    began = time.monotonic()
    c.run(*command)
    alone = time.monotonic() - began
    # The oracle begins about when a run without it would end, and takes about as long: a busy machine may need a
    # second try.
    for times in (1.2, 1.0, 1.5, 0.8, 2.0, 1.1):
        running = Running(c, *command, "--check", "oracle", "--out", "result", "--trace-tables", "t.jsonl",
                          "--trace-cycles", "0:10")
        time.sleep(times * alone)
        running.send(signal.SIGINT)
        out, _ = running.end((OK, 130))
        if "INCOMPLETE: --check oracle" in out:
            break
    json_ = stats(c.folder / "result")
    check(json_["complete"] is False and json_["reason"] == "--check oracle: interrupted (SIGINT)", "not marked")
    check("the GPU's result: ran to completion" in json_["verdict"], "the GPU's result was lost")
    check("complete" not in json_["kernels"][0] and (c.folder / "t.jsonl").is_file(), "results were lost")


@case
def signal_during_microbench(c):
    running = Running(c, "microbench", "--platform", "tiny", "--json", "r.json")
    time.sleep(0.5)
    if running.process.poll() is None:
        running.send(signal.SIGINT)
    out, _ = running.end(130)
    # Before its first launch there is nothing to keep.
    if not (c.folder / "r.json").exists():
        print("it was ended before its first launch")
        return
    result = json.loads((c.folder / "r.json").read_text())
    check(result["complete"] is False and not result["ok"] and "SIGINT" in result["reason"], "not marked")
    check("INCOMPLETE on tiny" in out and names(c.folder) == ["r.json"], "wrong output")


@case
def ignored_signals_stay_ignored(c):
    running = Running(c, *counting(c, 400000), "--trace-tables", "t.jsonl", "--trace-cycles", "0:100",
                      before=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    running.until(lambda: list(c.folder.glob(".heddle-*.tmp")))
    running.send(signal.SIGINT)
    running.end(OK)


@case
def runs_that_write_one_trace_do_not_share_a_temporary_file(c):
    both = [Running(c, *counting(c, 3000 + 1000 * i), "--trace-timeline", "t.json") for i in range(2)]
    for running in both:
        running.end(OK)
    check(json.loads((c.folder / "t.json").read_text())["traceEvents"], "the trace is not valid")
    check(names(c.folder) == ["count.ptx", "t.json"], f"something was left behind: {names(c.folder)}")


def children(process):
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == str(process.pid) and fields[0] != "Z":
            found.add(int(path.parent.name))
    return found


@case
def a_signal_ends_the_runs_of_a_deterministic_check(c):
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -9)):
        running = Running(c, *counting(c), "--deterministic-check", "3", "--out", "result")
        running.until(lambda process=running.process: len(children(process)) >= min(3, os.cpu_count()))
        runs = children(running.process)
        running.send(number)
        _, err = running.end(code)
        check(number == signal.SIGKILL or err.count("heddle: error: ") == 1, "not one error")
        end = time.monotonic() + LONGEST_S
        while any(Path(f"/proc/{run}").exists() and Path(f"/proc/{run}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
                  for run in runs):
            check(time.monotonic() < end, f"after {number.name} runs go on")
            time.sleep(0.01)
        check(number == signal.SIGKILL or not (c.folder / "result").exists(), "an empty folder is left")


@case
def a_signal_of_the_terminal_ends_a_deterministic_check_with_one_error(c):
    running = Running(c, *counting(c), "--deterministic-check", "3", before=os.setpgrp)
    running.until(lambda: len(children(running.process)) >= min(3, os.cpu_count()))
    os.killpg(running.process.pid, signal.SIGINT)
    _, err = running.end(130)
    check(err.count("heddle: error: ") == 1 and "interrupted (SIGINT)" in err, "not one error")


@case
def a_signal_while_threads_are_recorded_leaves_the_earlier_recording(c):
    c.run("threads", "bfs", "--size", "tiny", "--out", "traces", "--threads", "2", "--sets", "1", "--launches", "1")
    before = {p: p.read_bytes() for p in (c.folder / "traces").rglob("*") if p.is_file()}
    running = Running(c, "threads", "mandelbrot", "--size", "paper", "--out", "traces")
    running.until(lambda: any((c.folder / "traces").glob(".heddle-*.tmp/*")))
    running.send(signal.SIGTERM)
    running.end(143)
    check(before == {p: p.read_bytes() for p in (c.folder / "traces").rglob("*") if p.is_file()}, "it was changed")
    check(not list((c.folder / "traces").glob(".heddle-*")), "a part of the new one is left")
