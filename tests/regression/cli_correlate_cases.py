"""Cases of cli_cases.py: heddle correlate. Truth files of a few numbers, the small platform."""

import csv
import json
import pathlib

from cli_command import case, check

ROOT = pathlib.Path(__file__).resolve().parents[2]
MACHINE_CODE = ROOT / "tests" / "data" / "sass"
COUNTERS = ["smsp__inst_executed.sum", "gpc__cycles_elapsed.max"]


def truth(launches, workload="vecadd", size="tiny"):
    rows = [{"kernel": kernel, "launch_of_kernel": number, "values": values} for kernel, number, values in launches]
    return json.dumps({"device": "a card", "counters": COUNTERS, "workloads": {workload: {size: rows}}})


def correlate(c, file, *arguments, **expected):
    return c.run("correlate", file, "--platform", "tiny", *arguments, **expected)


@case
def correlate_compares_launch_by_launch(c):
    c.run("run", "vecadd", "--platform", "tiny", "--size", "tiny", "--cold-caches", "--per-launch", "--out", "run")
    launches = json.loads((c.folder / "run" / "stats.json").read_text())["launches"]
    first, second = ({"kernel": at["kernel"], "cycles": at["summary"]["cycles"], "instructions": at["summary"]["warp_instructions"]} for at in launches[:2])
    file = c.file("t.json", truth([(first["kernel"], 1, [first["instructions"], first["cycles"]]),
                                   (second["kernel"], 1, [second["instructions"] + 1, second["cycles"] * 2])]))
    done = correlate(c, file, "--out", "out")
    check("against a card" in done.stdout, "the report does not name the card")
    result = json.loads((c.folder / "out" / "correlation.json").read_text())
    counters = [launch["counters"] for launch in result["launches"]]
    check(counters[0]["cycles"]["error"] == 0 and counters[0]["warp_instructions"]["error"] == 0, "the same counts differ")
    check(counters[1]["cycles"]["error"] == -0.5, "half of the cycles is no error of -50 %")
    check(result["launches"][1]["first_difference"] == "warp_instructions", "the first difference is another one")
    check(result["cycles"]["all"]["mean_absolute_error"] == 0.25 and result["cycles"]["all"]["bias"] == -0.25, "wrong means")
    with (c.folder / "out" / "correlation.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    check([row["model"] for row in rows if row["counter"] == "cycles"] == [str(first["cycles"]), str(second["cycles"])], f"{rows}")
    check((c.folder / "out" / "report.txt").read_text() in done.stdout, "report.txt is not what was printed")
    correlate(c, file, "--out", "again", "--jobs", "1")
    check((c.folder / "again" / "correlation.json").read_bytes() == (c.folder / "out" / "correlation.json").read_bytes(), "two runs differ")
    more = correlate(c, file, "--add-cycles", "100", "--large-cycles", "1").stdout
    check(f"{first['cycles'] + 100:,}" in more and "100 cycles are added" in more, "the constant is not added")


@case
def correlate_says_what_the_model_does_not_have(c):
    file = c.file("t.json", truth([("vector_add", 1, [1, 1]), ("vector_add", 9, [1, 1]), ("unknown", 1, [1, 1])]))
    text = correlate(c, file).stdout
    check("the model's run launches the kernel 1 time only" in text, "a missing launch is not explained")
    check("the model's run launches no kernel of this name" in text, "a missing kernel is not explained")
    check("the truth has nothing of kernel vector_add4" in text, "a kernel without truth is not named")
    late = c.file("late.json", truth([("sgemm_tiled", 1, [1, 1])], "sgemm", "small"))
    late = c.run("correlate", late, "--platform", "tiny", "--max-seconds", "0.01", code=2)
    check("not finished after 0 s" in late.stdout and "no launch could be compared" in late.stderr, "a time limit is no row")


@case
def correlate_counts_instructions_of_machine_code(c):
    rows = [[0, "first", 1, 32]]
    content = {"vecadd": {"tiny": [{"kernel": "vector_add", "launch_of_kernel": 1, "counters": {}, "instructions": rows}]}}
    file = c.file("i.json", json.dumps(content))
    done = correlate(c, file, "--cubin", MACHINE_CODE, "--out", "out")
    launch, = json.loads((c.folder / "out" / "correlation.json").read_text())["launches"]
    there = {at["offset"]: at for at in launch["instruction_differences"]}
    check(there[0]["card_warps"] == 1 and there[0]["model_warps"] > 1 and there[0]["text"] == "first", f"{there[0]}")
    check(there[16]["card_warps"] == 0 and "0 of 1 launches execute every instruction" in done.stdout, "other instructions are not compared")


@case
def to_the_end_checks_results(c):
    file = c.file("t.json", truth([("vector_add", 1, [1, 1])]))
    check("wrong results" not in correlate(c, file, "--to-the-end").stdout, "right results are wrong")


@case
def bad_correlate(c):
    file = c.file("t.json", truth([("vector_add", 1, [1, 1])]))
    c.refused("correlate", "no.json", says=["no.json: the file cannot be read"])
    c.refused("correlate", c.file("broken.json", "{"), says=["broken.json: parse error at line 1", "README.md"])
    c.refused("correlate", c.file("other.json", '{"vecadd": {"tiny": [{}]}}'), says=["other.json: vecadd.tiny[0]: 'kernel' is missing"])
    c.refused("correlate", c.file("size.json", truth([("k", 1, [1, 1])], size="huge")), says=["'huge' is no size"])
    c.refused("correlate", c.file("name.json", truth([("k", 1, [1, 1])], workload="vecad")), says=["vecad", "did you mean 'vecadd'?"])
    c.refused("correlate", file, "--workloads", "sgem", says=["--workloads", "sgem"])
    c.refused("correlate", file, "--size", "paper", says=["has nothing of size paper"])
    c.refused("correlate", file, "--platform", "h10", says=["h10"])
    c.refused("correlate", file, "--jobs", "0", says=["--jobs"])
    c.refused("correlate", file, "--cubin", MACHINE_CODE, "--compiler", "clang", says=["--compiler"])
    c.refused("correlate", file, file, "--platform", "tiny", says=["is in a file before as well"])


@case
def cold_caches_empty_l2_between_launches(c):
    """gaussian's second kernels find in L2 what the first have written, unless caches are cold; results are right in both."""
    reads = {}
    for name, flags in (("warm", []), ("cold", ["--cold-caches"])):
        c.run("run", "gaussian", "--platform", "tiny", "--size", "tiny", *flags, "--out", name)
        report = json.loads((c.folder / name / "stats.json").read_text())
        check(report.get("cold_caches", False) == (name == "cold"), "stats.json does not say whether caches were cold")
        reads[name] = report["total"]["dram"]["read_bytes"]
    check(reads["cold"] > 2 * reads["warm"], f"{reads}")
    c.refused("run", "vecadd", "--device", "oracle", "--cold-caches", says=["--cold-caches"])


@case
def replayed_launches_find_their_code_and_constants(c):
    """vecadd's launches read their parameters and their code once in each core: from L2, unless they have run before."""
    fills = {}
    for name, flags in (("first", []), ("replayed", ["--replayed"])):
        c.run("run", "vecadd", "--platform", "h100", "--size", "tiny", "--cold-caches", *flags, "--out", name)
        report = json.loads((c.folder / name / "stats.json").read_text())
        check(report.get("replayed", False) == (name == "replayed"), "stats.json does not say whether launches have run before")
        cores = [core for kernel in report["kernels"] for key, core in kernel["statistics"].items() if key.startswith("core")]
        fills[name] = sum(core["constant_cache"]["fills"] + core["l1i"]["fills"] for core in cores)
    check(fills["replayed"] == 0 < fills["first"], f"{fills}")
    c.refused("run", "vecadd", "--device", "oracle", "--replayed", says=["--replayed"])
