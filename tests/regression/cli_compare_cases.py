"""Cases of cli_cases.py: heddle compare."""

import csv
import json

from cli_command import BAD_INPUT, case, check, stats

SMALL = ["--platform", "tiny", "--size", "tiny"]


def compared(c, *arguments):
    c.run("compare", *arguments, "--json", "c.json", "--csv", "c.csv")
    with (c.folder / "c.csv").open() as lines:
        return json.loads((c.folder / "c.json").read_text())["groups"], list(csv.DictReader(lines))


@case
def compare_explains_the_cycles_of_two_runs_exactly(c):
    c.run("run", "sgemm", *SMALL, "--profile", "--out", "a")
    c.run("run", "sgemm", *SMALL, "--profile", "--set", "core.scheduler.policy=lrr", "--set", "core.l1d.latency_cycles=60", "--out", "b")
    text = c.run("compare", "a", "b").stdout
    (group,), rows = compared(c, "a", "b")
    (pair,) = group["pairs"]
    check([(each["key"], each["a"], each["b"]) for each in pair["differs"]] ==
          [("core.scheduler.policy", "gto", "lrr"), ("core.l1d.latency_cycles", "18", "60")] or
          {each["key"] for each in pair["differs"]} == {"core.scheduler.policy", "core.l1d.latency_cycles"}, f"{pair['differs']}")
    first, second = stats(c.folder / "a"), stats(c.folder / "b")
    cycles = pair["cycles"]
    check((cycles["a"], cycles["b"]) == (first["total"]["cycles"], second["total"]["cycles"]) and cycles["a"] != cycles["b"], f"{cycles}")
    tenths = [round(10 * each["cycles"]) for each in cycles["by_cause"]]
    check(sum(tenths) == 10 * (cycles["b"] - cycles["a"]), "the causes do not sum to the difference")
    for each in cycles["by_cause"]:
        slots = [run["total"]["issue_slots"]["by_cause"][each["cause"]] for run in (first, second)]
        check([each["a_slots"], each["b_slots"]] == slots, f"{each}")
        share = slots[1] / cycles["b_slots_per_cycle"] - slots[0] / cycles["a_slots_per_cycle"]
        check(abs(share - each["cycles"]) <= 0.1, f"{each} is not {share}")
    for name in ("core.scheduler.policy", "lrr", "scoreboard_memory", "the lines sum to it", "total.ipc", "core.", "instructions, by"):
        check(name in text, f"the text does not have {name}")
    check(text.index("core.scheduler.policy") < text.index("cycles: ") < text.index("total.ipc"), "configuration is not first")
    # Instructions: the sum of their differences is that of the profiles.
    profiles = [json.loads((c.folder / run / "profile.json").read_text()) for run in ("a", "b")]
    group_cycles = [sum(kernel["total"]["group_cycles"] for kernel in profile["kernels"]) for profile in profiles]
    check(sum(each["b"] - each["a"] for each in pair["instructions"]) == group_cycles[1] - group_cycles[0], "instructions do not sum up")
    for each in pair["instructions"]:
        check(sum(each["by_cause"].values()) == each["b"] - each["a"], f"{each}")
    by_name = {row["statistic"]: row for row in rows}
    check(float(by_name["total.cycles"]["difference"]) == cycles["b"] - cycles["a"], "the CSV has other cycles")
    significances = [float(row["significance"]) for row in rows if not row["statistic"].startswith("total.")]
    check(significances == sorted(significances, reverse=True) and len(significances) > 20, "the significant ones are not first")
    same = c.run("compare", "a", "b", "--top", "1").stdout
    check(len(same.splitlines()) < len(text.splitlines()), "--top has no effect")


@case
def compare_of_a_run_with_itself_finds_nothing(c):
    for name in ("a", "b"):
        c.run("run", "vecadd", *SMALL, "--profile", "--out", name)
    text = c.run("compare", "a", "b").stdout
    check("configuration: the same" in text and "+0 (same)" in text and text.rstrip().endswith("the same"), f"{text}")
    (group,), rows = compared(c, "a", "b")
    check(rows == [] and group["pairs"][0]["differs"] == [] and group["pairs"][0]["instructions"] == [], "something differs")


@case
def compare_matches_the_runs_of_sweeps(c):
    spec = "platform: tiny\nsize: tiny\nworkload: [vecadd, reduction, histogram]\nseed: [1, 2]\n"
    c.run("sweep", c.file("a.yaml", spec), "--out", "a")
    c.run("sweep", c.file("b.yaml", spec.replace("seed: [1, 2]", "seed: [1]") + "set: {core.l1d.latency_cycles: 60}\n"), "--out", "b")
    groups, _ = compared(c, "a", "b")
    (group,) = groups
    check([pair["pair"] for pair in group["pairs"]] == [f"workload={name} seed=1" for name in ("vecadd", "reduction", "histogram")] and
          group["unmatched"] == 3, f"{[pair['pair'] for pair in group['pairs']]}, {group['unmatched']}")
    ratio, cycles = 1.0, 0
    for pair in group["pairs"]:
        ratio *= pair["b"]["cycles"] / pair["a"]["cycles"]
        cycles += pair["b"]["cycles"] - pair["a"]["cycles"]
    means = group["means"]
    mean = {each["name"]: each for each in means["geometric"]}["total.cycles"]
    check(abs(mean["ratio"] - ratio ** (1 / 3)) < 1e-12 and mean["pairs"] == 3, f"{mean} is not {ratio ** (1 / 3)}")
    check(means["cycles"] == cycles and sum(round(10 * each["cycles"]) for each in means["by_cause"]) == 10 * cycles,
          "the causes of all pairs do not sum to the difference")
    check(means["faster"] + means["slower"] + means["equal"] == 3, f"{means}")
    text = c.run("compare", "a", "b").stdout
    check("3 runs have no partner" in text and "geometric mean of B / A" in text, f"{text}")


@case
def compare_by_a_parameter_of_a_sweep(c):
    c.run("sweep", "vecadd", "reduction", *SMALL, "--vary", "core.l1d.latency_cycles=18,40,60", "--out", "s")
    groups, _ = compared(c, "s", "--by", "core.l1d.latency_cycles")
    check([(group["a"], group["b"]) for group in groups] ==
          [("core.l1d.latency_cycles=18", f"core.l1d.latency_cycles={value}") for value in (40, 60)], "not each value with the first")
    check([[pair["pair"] for pair in group["pairs"]] for group in groups] == 2 * [["workload=vecadd", "workload=reduction"]], "wrong pairs")
    check(groups[1]["pairs"][0]["differs"] == [{"key": "core.l1d.latency_cycles", "a": "18", "b": "60"}], f"{groups[1]['pairs'][0]}")
    c.refused("compare", "s", "--by", "core.l1d.latency_cycle", says=["--by core.l1d.latency_cycle: there is no varied parameter",
                                                               "did you mean 'core.l1d.latency_cycles'?"])


@case
def compare_names_runs_that_did_not_end(c):
    c.run("run", "spinlock", "--size", "tiny", "--out", "hang", code=4)
    c.run("run", "spinlock", "--size", "tiny", "--set", "core.compiler=ssde", "--out", "ssde")
    text = c.run("compare", "ssde", "hang").stdout
    check("INCOMPLETE (hang): kernel spin_increment hangs" in text and "cycles are not compared" in text, f"{text}")
    (group,), _ = compared(c, "ssde", "hang")
    check("cycles" not in group["pairs"][0] and group["means"]["incomplete"] == 1, "cycles of a hang are compared")


@case
def compare_refuses_what_it_cannot_compare(c):
    c.run("run", "vecadd", *SMALL, "--out", "a")
    (c.folder / "empty").mkdir()
    c.refused("compare", "a", says=["one result, and nothing to compare it with", "--by PARAMETER"])
    c.refused("compare", "a", "a", says=["a result is given twice"])
    c.refused("compare", "a", "none", says=["none: there is no such folder"])
    c.refused("compare", "a", "empty", says=["empty: has no stats.json", "heddle run --out"])
    c.refused("compare", "a", "--by", "seed", says=["--by seed: the runs differ in no parameter"])
    c.file("text", "no results, but a text that is longer than the header of a database, which has a hundred bytes, as everybody knows")
    c.refused("compare", "a", "text", says=["text: SQLite: "])
    done = c.run("compare", "a", "empty", code=BAD_INPUT)
    check(done.stdout == "", "something was printed")
