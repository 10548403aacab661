#!/usr/bin/python3
"""Parameters beyond the bounds that a block documents fail its elaboration: illegal_parameters.py VERILATOR."""

import pathlib
import subprocess
import sys

RTL = pathlib.Path(__file__).resolve().parents[2] / "rtl"
ILLEGAL = {
    "reconvergence_table": ["Entries=3", "Entries=64", "Physical=33", "PcW=3"],
    "scoreboard": ["Entries=0", "Masks=2", "ReadPorts=0", "WritePorts=0", "Groups=3", "Sources=0"],
    "sib_table": ["Entries=0", "Threshold=0", "Requesters=0", "Debug=2"],
    "simt_stack": ["Depth=1", "Frames=0", "FirstSide=4"],
    "split_fifo": ["Entries=3", "Entries=1"],
    "split_table": ["Entries=24", "Entries=64", "Physical=33", "Physical=0"],
    "split_unit": ["Warps=0", "Lanes=1", "Frames=0", "Requesters=0", "Debug=2"],
    "warp_scheduler": ["Warps=0", "Gto=2"],
}


def main():
    wrong = [f"{block.name}: no illegal parameters listed" for block in RTL.iterdir()
             if (block / f"{block.name}.sv").is_file() and block.name not in ILLEGAL]
    for block, parameters in ILLEGAL.items():
        folder = RTL / block
        shared = sorted((RTL / "common").glob("*.sv"))
        sources = [*shared, *sorted(file for file in folder.glob("*.sv") if file.stem != block), folder / f"{block}.sv"]
        for parameter in parameters:
            done = subprocess.run([sys.argv[1], "--lint-only", "-Wno-lint", f"-G{parameter}", "--top-module", block, *map(str, sources)],
                                  capture_output=True, text=True)
            if done.returncode == 0 or f"{block}: " not in done.stderr or "USERERROR" not in done.stderr:
                wrong.append(f"{block} with {parameter}: not refused by its own check\n{done.stderr[:400]}")
    if wrong:
        sys.exit("\n".join(wrong))


main()
