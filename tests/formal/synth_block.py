#!/usr/bin/python3
"""scripts/synth --quick on one block of rtl/: that its results are complete and plausible. synth_block.py BLOCK"""

import json
import pathlib
import subprocess
import sys
import tempfile

from rtl_fixture import ROOT, check


def plausible(point):
    name, timing = point["point"], point["timing"]
    check(point["cells"] > 0 and point["area_um2"] > 0, f"{name}: no cells")
    check(point["memory_bits"] + point["register_bits"] > 0, f"{name}: a block without state")
    # Flip-flops are the bits that the source asks for, but for what is constant, never read, or there twice.
    bits = point["memory_bits"] + point["register_bits"]
    check(0.5 * bits <= point["state_cells"] <= 1.05 * bits, f"{name}: {point['state_cells']} flip-flops for {bits} bits")
    parts = point["state_gate_equivalents"] + point["logic_gate_equivalents"]
    check(abs(parts - point["gate_equivalents"]) < 0.2, f"{name}: state and logic are not all")
    check(0.2 < timing["shortest_period_ns"] < 100, f"{name}: a period of {timing['shortest_period_ns']} ns")
    check(abs(timing["clock_ns"] - timing["slack_ns"] - timing["shortest_period_ns"]) < 1e-6, f"{name}: slack")
    path = timing["critical_path"]
    check(path["start"] and path["end"] and path["stages"] == 0 or len(path["steps"]) >= 2, f"{name}: critical path")
    check(timing["recovery_slack_ns"] is not None, f"{name}: no register is reset")


def area_grows(points):
    """Of two points, the one with no parameter smaller and one larger has more area and more bits."""
    for small in points:
        for large in points:
            a, b = small["parameters"], large["parameters"]
            if a.keys() == b.keys() and a != b and all(a[k] <= b[k] for k in a):
                what = f"{small['point']} and {large['point']}"
                check(small["area_um2"] < large["area_um2"], f"{what}: area")
                check(small["memory_bits"] + small["register_bits"] < large["memory_bits"] + large["register_bits"],
                      f"{what}: bits")


def main():
    block = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name)
        done = subprocess.run([sys.executable, "-B", ROOT / "scripts" / "synth", block, "--quick", "--jobs", "2", "--out",
                               out], check=False)
        check(done.returncode == 0, f"exit code {done.returncode}")
        result = json.loads((out / "results.json").read_text())["blocks"][block]
        specified = json.loads((ROOT / "rtl" / block / "synth.json").read_text())["points"]
        wanted = [p["name"] for p in specified if p.get("quick")] or [specified[0]["name"]]
        check([p["point"] for p in result["points"]] == wanted, "the quick points")
        for point in result["points"]:
            plausible(point)
        area_grows(result["points"])
        for simulation in [compared["simulation"] for compared in result["equivalence"]]:
            check(simulation["compared_bits"] > 0 and simulation["values_seen"] > simulation["values"] / 2,
                  f"gate-level simulation saw little: {simulation}")
        sheet = (out / f"{block}.md").read_text()
        proven = [compared["proof"]["proven"] for compared in result["equivalence"]]
        said = [sheet.count(words) for words in ("**proven equal**", "**not proven, simulated only**")]
        check(said == [proven.count(True), proven.count(False)], f"the sheet's words: {said}")
        page = (out / f"{block}.html").read_text()
        for words in ("Area", "Timing", "State", "Netlist against RTL", "What is not included", "No clock tree"):
            check(words.lower() in page.lower(), f"the sheet does not say '{words}'")
        check((out / "index.html").is_file(), "no overview")


main()
