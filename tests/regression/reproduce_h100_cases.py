"""Cases of reproduce_cases.py: scripts/reproduce h100."""

import xml.etree.ElementTree

from reproduce_command import case, check, row


def launch(workload, number, card, model=None, **more):
    counter = {"card": card, **({"model": model, "error": (model - card) / card} if model is not None else {})}
    return {"workload": workload, "size": "small", "kernel": "k", "launch_of_kernel": number, "counters": {"cycles": counter}, **more}


def answer(launches):
    means = {"launches": 2, "workloads": 2, "mean_absolute_error": 0.25, "mean_absolute_error_over_workloads": 0.3, "bias": -0.05}
    return {"device": "card", "platform": "h100", "code": "machine code", "settings": ["a.key=1"], "large_cycles": 10000,
            "cycles": {"all": {**means, "pearson_of_logs": 0.9}, "large": means, "small": {"launches": 0}},
            "counters": {"cycles": {"launches": 2, "equal": 0, "within_tolerance": 1, "mean_absolute_error": 0.25, "bias": -0.05, "comparable": True}},
            "launches": launches, "notes": ["lud, size small: late"]}


@case
def h100_makes_tables_and_pictures(reproduce):
    out = reproduce.heddle.parent / "page.md"
    done = reproduce.run("h100", "--workloads", "lud", "sgemm", "--cubin", "code", "--out", out, correlate=answer(
        [launch("lud", 1, 1000, 800, first_difference="dram_read_bytes"), launch("sgemm", 1, 20000, 26000), launch("lud", 2, 500, problem="late")]))
    check(row(done.stdout, "all launches")[3:] == ["25.0 %", "30.0 %", "-5.0 %", "0.9000"], "means")
    check(row(done.stdout, "of 10,000 cycles and more")[-1] == "-", "a coefficient that is not there")
    check("of fewer" not in done.stdout, "a row without launches")
    check("machine code, `a.key=1`, against one card" in done.stdout, "what ran")
    check("late" in done.stdout and "* lud, size small: late" in done.stdout, "a launch that the model does not have")
    check(done.stdout.index("| sgemm |") < done.stdout.index("## All launches"), "the worst launches")
    call, = reproduce.calls()
    check(call[0] == "correlate" and call[call.index("--cubin") + 1] == "code" and "lud,sgemm" in call, f"{call}")
    check(call[call.index("--size") + 1] == "small", f"{call}")
    for name, marks in (("h100-cycles.svg", 2), ("h100-errors.svg", 3)):  # dots; two bars and the background
        tree = xml.etree.ElementTree.fromstring((out.parent / name).read_text())
        shapes = [at for at in tree.iter() if at.tag.endswith("circle" if marks == 2 else "rect")]
        check(len(shapes) == marks, f"{name}: {len(shapes)}")
        check(name in out.read_text(), f"{name} is not on the page")


@case
def h100_takes_all_sizes_or_a_few_workloads(reproduce):
    launches = answer([launch("lud", 1, 1000)])
    done = reproduce.run("h100", "--size", "paper", correlate=launches)
    check(".svg" not in done.stdout, "pictures without a file for the page")
    reproduce.run("h100", "--quick", correlate=launches)
    for name in ("all launches, size small", "all launches, size paper"):
        check(row(done.stdout, name)[3:] == ["25.0 %", "30.0 %", "-5.0 %", "0.9000"], f"the means of {name}")
    check(all(f"## Counters, size {size}" in done.stdout for size in ("small", "paper")), "the counters of each size")
    small, paper, quick = reproduce.calls()
    for size, call in (("small", small), ("paper", paper)):
        check(call[call.index("--size") + 1] == size and "hashtable" in call[call.index("--workloads") + 1], f"{call}")
    check("spinlock" in small[small.index("--workloads") + 1] and "spinlock" not in paper[paper.index("--workloads") + 1], "not recorded")
    check(len(quick[quick.index("--workloads") + 1].split(",")) == 12, f"{quick}")


@case
def h100_mistakes(reproduce):
    done = reproduce.run("aware", "--cubin", "code", code=2)
    check("--cubin: aware runs PTX" in done.stderr, "a study of PTX takes machine code")
    done = reproduce.run("h100", "--workloads", "no-such", code=2)
    check("h100 has no rows of no-such" in done.stderr, "an unknown workload")
