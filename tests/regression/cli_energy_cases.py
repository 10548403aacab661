"""Cases of cli_cases.py: the dynamic energy of a run (section energy)."""

import re

from cli_command import case, check, stats

WORKLOAD = ("run", "bfs", "--platform", "tiny", "--size", "tiny")


def without_energy(results):
    """The statistics of a run without those of energy."""
    for entry in (results["total"], *(kernel["summary"] for kernel in results["kernels"]),
                  *(kernel["statistics"] for kernel in results["kernels"])):
        entry.pop("energy", None)
    results["dictionary"] = {name: text for name, text in results["dictionary"].items()
                             if name.split(".")[0] != "energy"}
    return results


@case
def energy_is_reported(c):
    done = c.run(*WORKLOAD, "--out", "result")
    results = stats(c.folder / "result")
    total = results["total"]["energy"]
    dynamic = total["dynamic_femtojoules"]
    check(dynamic > 0 and dynamic == sum(total["by_class"].values()), "the classes are not the total")
    check(dynamic == sum(kernel["statistics"]["energy"]["dynamic"] for kernel in results["kernels"]),
          "the kernels are not the total")
    largest = max(total["by_class"].values())
    name = [name for name, value in total["by_class"].items() if value == largest][0]
    line = re.search(r"^  energy +([\d.]+) uJ dynamic \(for ratios only\): (\w+) ([\d.]+) %,", done.stdout, re.MULTILINE)
    check(line, "the report has no line of energy")
    check(line[1] == f"{dynamic / 1e9:.3f}" and line[2] == name and line[3] == f"{100 * largest / dynamic:.1f}",
          "report and stats.json disagree")
    check(line[0] in (c.folder / "result" / "report.txt").read_text(), "report.txt has no line of energy")


@case
def energy_switched_off_changes_nothing_else(c):
    c.run(*WORKLOAD, "--out", "with")
    done = c.run(*WORKLOAD, "--set", "energy.enabled=false", "--out", "without")
    check("energy" not in done.stdout, "the report has a line of energy")
    both, off = stats(c.folder / "with"), stats(c.folder / "without")
    check("energy" not in off["kernels"][0]["statistics"] and "energy" not in off["total"], "statistics of energy")
    check(without_energy(both) == off, "other statistics differ")


@case
def energy_is_proportional_to_each_key(c):
    def energy(out, *settings):
        c.run(*WORKLOAD, *settings, "--out", out)
        return stats(c.folder / out)["total"]["energy"]["by_class"]

    once, twice = energy("once", "--set", "energy.crossbar.byte=10"), energy("twice", "--set", "energy.crossbar.byte=20")
    flits = energy("flits", "--set", "energy.crossbar.byte=0")["crossbar"]
    check(twice["crossbar"] - flits == 2 * (once["crossbar"] - flits) > 0, "not twice the energy")
    check({**twice, "crossbar": 0} == {**once, "crossbar": 0}, "other classes changed")


@case
def energies_that_make_no_sense_are_refused(c):
    c.refused(*WORKLOAD, "--set", "energy.dram.read_byte=-1", says=["energy.dram.read_byte", "between 0 and"])
    c.refused(*WORKLOAD, "--set", "energy.dram.read_bite=1", says=["did you mean 'energy.dram.read_byte'?"])
    c.refused(*WORKLOAD, "--set", "energy.dram.read_byte=0.0001",
              says=["energy.dram.read_byte", "whole number of femtojoules", "at most three decimals"])
    check("pJ" in c.run("describe", "energy.dram.read_byte").stdout, "no unit")
