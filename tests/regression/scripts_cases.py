#!/usr/bin/python3
"""The commands of scripts/ as a newcomer meets them: --help, options they do not know, inputs that are not what they should
be. Nothing of this may install or build.

scripts_cases.py --list prints the names of the cases; scripts_cases.py CASE [--heddle PATH] runs one."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import scripts_lock_cases  # noqa: F401  (registers its cases)
import scripts_pages_cases  # noqa: F401
import scripts_test_cases  # noqa: F401
from scripts_command import CASES, ROOT, SCRIPTS, Scripts, case, check, mutants_tree, tree_of


@case
def every_script_is_known_here(scripts):
    del scripts
    there = {path.name for path in (ROOT / "scripts").iterdir() if path.is_file() and path.suffix != ".md"}
    check(there == set(SCRIPTS), f"not the scripts of this test: {sorted(there ^ set(SCRIPTS))}")


def add_cases_of(name):
    @case
    def helps(scripts):
        for option in ("--help", "-h"):
            done = scripts.run(name, option)
            check(done.stderr == "", "something on stderr")
            text = done.stdout.lower()
            check(re.search(rf"^usage: .*\b{name}\b", text), "it does not begin with the usage")
            for part in ("options:", "examples:", "exit codes:", "--help", f"scripts/{name}"):
                check(part in text, f"'{part}' is missing")
    CASES[f"{name}_helps"] = CASES.pop("helps")

    @case
    def refuses(scripts):
        scripts.refused(name, "--no-such-option", says=["--no-such-option", "unknown option", f"scripts/{name} --help"])
    CASES[f"{name}_refuses_unknown_options"] = CASES.pop("refuses")


for script_name in SCRIPTS:
    add_cases_of(script_name)


@case
def shell_scripts_refuse_wrong_arguments(scripts):
    for name in ("run", "setup"):
        scripts.refused(name, "everything", says=["everything", "takes no arguments"])
    scripts.refused("build", "relaese", says=["relaese", "no such preset", "release, debug, edit, asan, tsan, fuzz"])
    scripts.refused("build", "release", "--fast", says=["--fast", "unknown option"])
    scripts.refused("tidy", "no/such.cpp", says=["no/such.cpp", "no such file"])
    scripts.refused("test", "-R", "config", "--paralel", "2", says=["--paralel", "unknown option"])
    scripts.refused("test", "--asan", "--no-such-option", says=["--no-such-option"])
    scripts.refused("test", "--all", "--no-such-option", says=["--no-such-option"])


@case
def a_quiet_build_tells_of_itself_only_if_it_takes_long(scripts):
    tree = tree_of(scripts, "build")
    scripts.stub("cmake", "exit 0")
    for action, code, says in (("exit 0", 0, ""), ("sleep 3; exit 0", 0, "building heddle (release), once ..."),
                               ("echo words; exit 1", 1, "words")):
        scripts.stub("ninja", action)
        done = subprocess.run([tree / "scripts" / "build", "--quiet", "release", "heddle"], env=scripts.environment,
                              capture_output=True, text=True, check=False)
        check(done.returncode == code, f"exit code {done.returncode}, expected {code}")
        check(done.stdout == "" and done.stderr.strip().split("\n")[0] == says, f"'{done.stderr}' on stderr")


@case
def a_build_configures_again_if_points_of_the_rtl_have_changed(scripts):
    tree = tree_of(scripts, "build")
    points = scripts.file("tree/rtl/block/block.cmake", "heddle_rtl(block VBlock Warps=64)\n")
    scripts.file("tree/build/release/build.ninja", "")
    scripts.file("tree/build/release/CMakeCache.txt", f"CMAKE_HOME_DIRECTORY:INTERNAL={tree}\n")
    log = scripts.folder / "log"
    for tool in ("cmake", "ninja"):
        scripts.stub(tool, f'echo {tool} >> "{log}"')
    for age, called in ((-60, ["ninja"]), (60, ["cmake", "ninja"])):
        now = (tree / "build/release/build.ninja").stat().st_mtime
        for path in (points, points.parent, points.parent.parent):
            os.utime(path, (now + age, now + age))
        log.unlink(missing_ok=True)
        done = subprocess.run([tree / "scripts" / "build", "release", "heddle"], env=scripts.environment, capture_output=True,
                              text=True, check=False)
        check(done.returncode == 0, done.stderr)
        check(log.read_text().split() == called, f"points {age} s from the build: called {log.read_text().split()}")


# ---- files that are not what they should be

STATS = {"workload": "vecadd", "passed": True, "total": {
    "launches": 1, "cycles": 1000, "warp_instructions": 500, "ipc": 0.5, "simd_efficiency": 1.0, "l1d": {"load_accesses": 0, "rate": 0},
    "l2": {"accesses": 4, "rate": 0.25}, "dram": {"gigabytes_per_second": 1.5}}}
HOST = {"seconds": 0.5, "warp_instructions_per_second": 1000}


def results(scripts, name, stats, host):
    scripts.file(f"{name}/stats.json", stats)
    scripts.file(f"{name}/host.json", host)
    return name


@case
def summary_of_results(scripts):
    done = scripts.run("summary", results(scripts, "good", STATS, HOST))
    check(re.search(r"^vecadd +passed +1 +1,000 +500 +0\.50 +100\.0 % +- +25\.0 %", done.stdout, re.MULTILINE), "no row")


@case
def summary_of_incomplete_results(scripts):
    end = {"complete": False, "passed": False, "reason": "interrupted (SIGINT) in launch 3 (k) after 700 cycles"}
    done = scripts.run("summary", results(scripts, "good", STATS, HOST), results(scripts, "cut", {**STATS, **end}, HOST))
    lines = done.stdout.splitlines()
    check(re.search(r"^vecadd +passed", lines[1]) and re.search(r"^vecadd +INCOMPLETE +1 +1,000", lines[2]), "no rows")
    check(lines[3:] == [f"cut is incomplete: {end['reason']}"], "it is not said why")


@case
def summary_of_other_things(scripts):
    good = results(scripts, "good", STATS, HOST)
    remedy = "give folders that heddle run --out FOLDER has written"
    scripts.refused("summary", says=["FOLDER"])
    scripts.refused("summary", good, "absent", says=["absent: there is no such folder", remedy])
    scripts.refused("summary", "good/stats.json", says=["good/stats.json: is not a folder", remedy])
    scripts.refused("summary", ".", says=["stats.json: cannot be read: No such file", remedy])
    scripts.refused("summary", results(scripts, "empty", "", HOST), says=["empty/stats.json: is empty", remedy])
    scripts.refused("summary", results(scripts, "cut", '{"total": {\n "cyc', HOST),
                    says=["cut/stats.json:2:", "malformed JSON", remedy])
    scripts.refused("summary", results(scripts, "deep", "[" * 100_000, HOST), says=["deep/stats.json", "malformed"])
    without = {**STATS, "total": {k: v for k, v in STATS["total"].items() if k != "ipc"}}
    scripts.refused("summary", results(scripts, "without", without, HOST), says=["has no 'ipc'", remedy])
    for i, other in enumerate(([], 7, {**STATS, "total": 3}, {**STATS, "kernels": 3, "total": {}},
                               {**STATS, "total": {**STATS["total"], "cycles": "many"}})):
        scripts.refused("summary", results(scripts, f"other{i}", other, HOST), says=[f"other{i}", remedy])
    (scripts.folder / "binary").mkdir()
    (scripts.folder / "binary" / "stats.json").write_bytes(b"\xff\xfe\x00")
    scripts.refused("summary", "binary", says=["binary/stats.json: is not text"])
    (scripts.folder / "endless").mkdir()
    (scripts.folder / "endless" / "stats.json").symlink_to("/dev/zero")
    scripts.refused("summary", "endless", says=["endless/stats.json: is not text"])
    (scripts.folder / "folder" / "stats.json").mkdir(parents=True)
    scripts.refused("summary", "folder", says=["folder/stats.json: cannot be read: Is a directory"])


def slices(**changes):
    event = {"ph": "X", "name": "line 7", "pid": 0, "tid": 1, "ts": 10, "dur": 5,
             "args": {"from": "pc 0x0", "lanes": 32}, **changes}
    return {"traceEvents": [{"ph": "M", "name": "thread_name", "pid": 0, "tid": 1, "args": {"name": "warp 0"}},
                            {key: value for key, value in event.items() if value is not None}]}


@case
def timeline_draws(scripts):
    trace = scripts.file("t.json", slices())
    scripts.run("timeline", trace, "-o", "t.svg", "--cycles", "0:100")
    check("line 7" in (scripts.folder / "t.svg").read_text(), "no bar")
    check(sorted(path.name for path in scripts.folder.iterdir()) == ["t.json", "t.svg"], "something was left behind")


@case
def timeline_draws_several_below_each_other(scripts):
    one = scripts.file("one.json", slices())
    other = scripts.file("other.json", slices(ts=30, name="line 9"))
    scripts.run("timeline", one, f"AWARE & co={other}", "-o", "t.svg")
    picture = (scripts.folder / "t.svg").read_text()
    check(re.search(r">one<.*>AWARE &amp; co<", picture, re.DOTALL), "no titles, or in another order")
    bars = [(float(x), float(y)) for x, y in re.findall(r'<rect x="([\d.]+)" y="([\d.]+)"[^>]*><title>line', picture)]
    check(len(bars) == 2 and bars[0][0] < bars[1][0] and bars[0][1] < bars[1][1], f"not on one axis, or not below: {bars}")
    scripts.refused("timeline", one, other, "-o", "t.svg", "--cycles", "20:", says=["one.json", "nothing ran in these cycles"])


@case
def timeline_draws_backed_off_warps(scripts):
    trace = slices()
    trace["traceEvents"] += [{"ph": "C", "name": "backed-off warps", "pid": 0, "ts": ts, "args": {"warps": warps}}
                             for ts, warps in ((8, 1), (11, 3), (13, 0))]
    scripts.run("timeline", scripts.file("t.json", trace), "-o", "t.svg")
    picture = (scripts.folder / "t.svg").read_text()
    check("backed off (of 3)" in picture, "no row")
    check("1 warps, cycles 10-11" in picture and "3 warps, cycles 11-13" in picture, "wrong stretches")
    trace["traceEvents"][-1]["args"] = {}
    scripts.refused("timeline", scripts.file("bad.json", trace), "-o", "t.svg", says=["does not say how many warps"])


@case
def timeline_draws_modes_of_quanta(scripts):
    trace = slices()
    trace["traceEvents"] += [{"ph": "X", "name": name, "pid": 1000000, "tid": 0, "ts": ts, "dur": 2, "args": {"quantum": 4}}
                             for ts, name in ((8, "parallel"), (10, "commit"), (12, "serial"))]
    scripts.run("timeline", scripts.file("t.json", trace), "-o", "t.svg")
    picture = (scripts.folder / "t.svg").read_text()
    check("modes of quanta" in picture, "no row")
    check("quantum 4: commit, cycles 10-12" in picture and "quantum 4: serial, cycles 12-14" in picture, "wrong stretches")
    trace["traceEvents"][-1]["name"] = "elsewhere"
    scripts.refused("timeline", scripts.file("bad.json", trace), "-o", "t.svg", says=["'elsewhere'", "no mode"])


@case
def timeline_of_other_things(scripts):
    remedy = "give a file that heddle run --trace-timeline FILE has written"
    good = scripts.file("t.json", slices())

    def refused(content, *says):
        scripts.refused("timeline", scripts.file("bad.json", content), "-o", "t.svg", says=["bad.json", *says, remedy])

    refused("", "is empty")
    refused("not JSON", ":1:1", "malformed JSON")
    refused([], "no list traceEvents")
    refused({"traceEvents": {}}, "no list traceEvents")
    refused({"traceEvents": [3]}, "event 1 is not an event")
    for key in ("ts", "dur", "pid", "tid"):
        refused(slices(**{key: None}), f"event 2 has no '{key}'")
        refused(slices(**{key: "x"}), f"event 2 has no '{key}'")
    refused(slices(name="elsewhere"), "'elsewhere'")
    refused(slices(args={"from": "pc 0x0"}), "event 2 does not say how many lanes")
    scripts.refused("timeline", "absent.json", "-o", "t.svg", says=["absent.json: cannot be read: No such file", remedy])
    scripts.refused("timeline", ".", "-o", "t.svg", says=["cannot be read: Is a directory", remedy])
    scripts.refused("timeline", good, says=["-o/--output"])
    scripts.refused("timeline", good, "-o", "no/such/t.svg", says=["--output no/such/t.svg: cannot be written", "give a file"])
    scripts.refused("timeline", good, "-o", ".", says=["--output .: cannot be written: Is a directory"])
    for bad in ("5", "a:b", "-1:5", "1:2:3"):
        scripts.refused("timeline", good, "-o", "t.svg", f"--cycles={bad}", says=["--cycles", "FROM:TO"])
    scripts.refused("timeline", good, "-o", "t.svg", "--cycles", "900:", says=["nothing ran in these cycles"])
    scripts.refused("timeline", good, "-o", "t.svg", "--width", "4", says=["--width 4", "at least 400"])
    scripts.refused("timeline", good, "-o", "t.svg", "--width", "wide", says=["--width", "wide"])


ENTRY = {"commit": "abc", "platform": "tiny", "kernel": "bench-vecadd", "cores": 1, "seconds_median": 0.5, "cycles": 9}


@case
def bench_refuses_other_things(scripts):
    history = scripts.file("h.jsonl", ENTRY)

    def refused(content, *says):
        scripts.refused("bench", "--baseline", scripts.file("bad.jsonl", content), says=["bad.jsonl", *says])

    good = json.dumps(ENTRY) + "\n"
    refused("", "is empty")
    refused(good + "{cut", ":2:2: malformed JSON")
    refused(good + "7", ":2: is not an entry")
    refused(good + "{}", ":2: is not an entry")
    refused(good + json.dumps({**ENTRY, "seconds_median": 0}), ":2: is not an entry")
    scripts.refused("bench", "--baseline", "absent.jsonl", says=["absent.jsonl: cannot be read: No such file"])
    scripts.refused("bench", "--baseline", ".", says=["cannot be read: Is a directory"])
    scripts.refused("bench", "--baseline", history, "--compare", "def", says=["--compare def", "no entry of that commit"])
    scripts.refused("bench", "--history", "no/such/h.jsonl", says=["--history no/such/h.jsonl", "cannot be written"])
    scripts.refused("bench", "-n", "0", says=["less than 1"])
    scripts.refused("bench", "--cores", "many", says=["'many' is not a whole number"])


@case
def bench_passes_on_what_heddle_refuses(scripts):
    common = ["--heddle", scripts.heddle, "--cores", "1", "--history", scripts.folder / "h.jsonl", "-n", "1"]
    for arguments, says in ((["vecad"], "did you mean 'vecadd'?"), (["vecadd", "--platform", "tinny"], "tinny")):
        done = scripts.run("bench", *common, *arguments, code=2)
        check(len(done.stderr.splitlines()) == 1 and says in done.stderr, "not heddle's words in one line")
    done = scripts.run("bench", "bench-vecadd", "--heddle", "no/such/heddle", "--history", scripts.folder / "h.jsonl", code=2)
    check("no/such/heddle: cannot be run" in done.stderr and len(done.stderr.splitlines()) == 1, "not one line")
    for names in (["bench-vecadd"], ["microbench"]):
        done = scripts.run("bench", *names, "--heddle", "/bin/true", "--history", scripts.folder / "h.jsonl", code=2)
        check("/bin/true: left no " in done.stderr and len(done.stderr.splitlines()) == 1, "not one line")
    check(not (scripts.folder / "h.jsonl").exists(), "an entry without a run")


@case
def bench_measures_and_compares(scripts):
    history = scripts.folder / "h.jsonl"
    common = ["bench-vecadd", "--heddle", scripts.heddle, "--history", history, "-n", "1", "--cores", "1", "--threads", "1",
              "--platform", "tiny"]
    scripts.run("bench", *common)
    done = scripts.run("bench", *common, "--baseline", history)
    check(len(history.read_text().splitlines()) == 2, "not an entry each")
    check("x 1.00" in done.stdout, "the cycles of two runs are not compared")
    done = scripts.run("bench", "cache", *common[1:], "--against", scripts.heddle)
    check(re.search(r"^cache +1 +1 --against .* x 1.00", done.stdout, re.MULTILINE), "two commands are not compared")
    scripts.refused("bench", "--record", says=["--record", "--instructions"])
    scripts.refused("bench", *common, "--against", "no/such/heddle", says=["no/such/heddle: cannot be run"])


@case
def reproduce_refuses_other_things(scripts):
    scripts.refused("reproduce", "awar", says=["awar", "aware"])
    scripts.refused("reproduce", "aware", "--workloads", "NOPE", says=["--workloads: aware has no rows of NOPE", "HT"])
    for out in ("no/such/file.md", "."):
        scripts.refused("reproduce", "aware", "--out", out, says=[f"--out {out}: cannot be written"])
    scripts.refused("reproduce", "aware", "--size", "huge", says=["--size", "huge"])
    scripts.refused("reproduce", "aware", "--quick", "--heddle", "no/such/heddle", says=["no/such/heddle: cannot run it"])
    scripts.refused("reproduce", "aware", "--quick", "--heddle", "/bin/true", says=["/bin/true: left no results"])
    scripts.refused("reproduce", "aware", "--quick", "--heddle", scripts.heddle, "--platform", "tinny", "--jobs", "1",
                    "--workloads", "HT", says=["--platform tinny"])


@case
def a_tree_says_its_commit(scripts):
    tree, header = scripts.folder / "tree", scripts.folder / "commit.h"

    def said():
        subprocess.run(["cmake", f"-DSOURCE={tree}", f"-DHEADER={header}", "-P", ROOT / "scripts" / "cmake" / "WriteCommit.cmake"], check=True)
        return re.fullmatch(r'#define HEDDLE_COMMIT "(.*)"\n', header.read_text())[1]

    def git(*words):
        return subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", "-C", tree, *words], check=True, capture_output=True, text=True).stdout
    tree.mkdir()
    (tree / "file").write_text("1")
    check(said() == "", "a tarball has a commit")
    git("init", "--quiet")
    git("add", "file")
    git("commit", "--quiet", "-m", "first")
    commit = git("rev-parse", "--short=12", "HEAD").strip()
    check(said() == commit, "another commit")
    written = header.stat().st_mtime_ns
    check(said() == commit and header.stat().st_mtime_ns == written, "written without need: all is linked again")
    (tree / "other").write_text("untracked")
    check(said() == commit, "a file that is no part of it counts")
    (tree / "file").write_text("2")
    check(said() == commit + "+", "a change is not said")
    inside = tree / "inside"
    inside.mkdir()
    tree = inside
    check(said() == "", "the commit of another tree around it")


@case
def mutants_fit_the_sources(scripts):
    listed = scripts.run("mutants", "--list").stdout
    check(listed.count("\n") >= 40, "fewer than 20 mutants")
    scripts.refused("mutants", "no.such", says=["no.such", "--list"])


@case
def mutants_ask_programs_that_there_are(scripts):
    check("sum.minus" in scripts.run(mutants_tree(scripts, ["gpu_test.Isa", "cli_files_test"]), "--list").stdout, "it is not listed")
    for asked, says in (("gpu_tests", "no such test program"), ("gpu_test.", "ends behind the dot"), ("gpu_test.(Isa", "no regular expression"),
                        (".Isa", "no such test program"), (7, "no such test program")):
        scripts.refused(mutants_tree(scripts, [asked]), "--list", says=["all.json: sum.minus", f"'{asked}'", says])


@case
def mutants_ask_the_tests_that_they_name(scripts):
    asked = scripts.folder / "asked"
    for tool, answer in (("git", "printf 'sum.cpp\\0'"), ("cmake", ""), ("ninja", ""), ("ctest", 'case "$*" in *Isa*) exit 8;; esac')):
        scripts.stub(tool, f'echo {tool} "$@" >> "{asked}"\n{answer}')
    done = scripts.run(mutants_tree(scripts, ["cli_files_test", "gpu_test.(.*/)?Isa"]))
    check("killed by gpu_test.(.*/)?Isa" in done.stdout and "1 of 1 mutants killed" in done.stdout, "it is not killed by what fails")
    calls = asked.read_text().splitlines()
    builds = [call.split(" build ")[0].split()[3:] for call in calls if call.startswith("ninja")]
    check(builds == [["cli_files_test", "gpu_test"], ["cli_files_test"], ["gpu_test"]], f"it builds {builds}")
    tests = [re.search(r" -R (\S+) -j", call)[1] for call in calls if call.startswith("ctest")]
    check(tests == [r"^cli_files_test\.()", r"^gpu_test\.((.*/)?Isa)"], f"it asks {tests}")
    check((scripts.folder / "tree" / "sum.cpp").read_text() == "return a + b;\n", "the source is changed")
    asked.unlink()
    scripts.run(mutants_tree(scripts, ["gpu_test.Isa", "cli_files_test"]))
    builds = [call.split(" build ")[0].split()[3:] for call in asked.read_text().splitlines() if call.startswith("ninja")]
    check(builds[1:] == [["gpu_test"]], f"for a mutant that is killed it builds {builds[1:]}")


@case
def mutants_may_change_several_places(scripts):
    scripts.file(scripts.folder / "tree" / "difference.cpp", "return a - b;\n")
    seen, tree = scripts.folder / "seen", scripts.folder / "tree" / "build" / "mutants" / "tree"
    for tool, answer in (("git", "printf 'sum.cpp\\0difference.cpp\\0'"), ("cmake", ""), ("ctest", "exit 8"),
                         ("ninja", f'cat {tree}/difference.cpp {tree}/sum.cpp >> "{seen}"')):
        scripts.stub(tool, answer)
    also = [{"replace": "a", "with": "c"}, {"file": "difference.cpp", "replace": "b", "with": "d"}]
    scripts.run(mutants_tree(scripts, ["gpu_test"], also=also))
    clean = ["return a - b;", "return a + b;"]
    check(seen.read_text().splitlines() == [*clean, "return a - d;", "return c - b;"], f"it builds {seen.read_text()}")
    check([(tree / name).read_text().strip() for name in ("difference.cpp", "sum.cpp")] == clean, "a source stays changed")
    for change, says in (({"replace": "+", "with": "*"}, "also: the text to replace occurs 0 times in sum.cpp"),
                         ({"replace": "b"}, "also: 'with' is missing"), ({"replace": "b", "with": "c", "why": "x"}, "unknown key 'why'"),
                         ("b", "'also' is no list of changes")):
        scripts.refused(mutants_tree(scripts, ["gpu_test"], also=[change]), "--list", says=["all.json: sum.minus", says])


@case
def rtl_scripts_refuse_other_things(scripts):
    scripts.environment["PATH"] = os.environ["PATH"]  # they ask for their tools first
    for name in ("formal", "synth"):
        scripts.refused(name, "no_such_block", says=["no block 'no_such_block'"])
        scripts.refused(name, "--rtl", "no/such", says=["no/such"])
        scripts.refused(name, "--jobs", "0", says=["less than 1"])
        out = scripts.file("file", "x") / "out"
        scripts.refused(name, "split_fifo", "--out", out, says=[f"{out}", "Not a directory"])


@case
def requests_refuse_other_things(scripts):
    there, heddle = scripts.file("requests.json", "{}"), scripts.file("heddle", f"#!/bin/bash\ntouch {scripts.used}\n")
    heddle.chmod(0o755)  # it is not run
    scripts.refused("requests", "--check", "--out", "no.json", "--heddle", heddle, says=["no.json: cannot be read: No such file", "without --check it is written"])
    scripts.refused("requests", "--out", "no/such.json", "--heddle", heddle, says=["--out no/such.json: cannot be written", "a folder that exists"])
    for program in ("nosuch", scripts.folder, there):
        scripts.refused("requests", "--check", "--out", there, "--heddle", program, says=[f"--heddle {program}: is no program", "without --heddle it is built"])


@case
def output_that_cannot_be_written_is_an_error(scripts):
    folder = results(scripts, "good", STATS, HOST)
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([ROOT / "scripts" / "summary", folder], cwd=scripts.folder, stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)
    check(done.returncode == 2 and done.stderr.startswith("summary: error: standard output: "), f"{done}")
    check(len(done.stderr.splitlines()) == 1, "not one line")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--heddle", type=pathlib.Path)
    parser.add_argument("case", nargs="?", choices=CASES)
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(CASES))
        return
    if not arguments.case:
        parser.error("give a case")
    with tempfile.TemporaryDirectory() as folder:
        heddle = arguments.heddle.resolve() if arguments.heddle else None
        try:
            CASES[arguments.case](Scripts(pathlib.Path(folder), heddle))
        except AssertionError as error:
            sys.exit(f"FAILED: {error}")


main()
