"""The block on an FPGA, at the machine's shape with the contexts of a whole core: cells of a Lattice ECP5, as yosys maps it. No placement."""

import re

import flow
from tools import Failure

DEVICE = "LFE5U-85"
HAS = {"LUT4": 83640, "TRELLIS_FF": 83640, "DP16KD": 208}
LOGIC = ["LUT4", "CCU2C", "PFUMX", "L6MUX21"]
CELLS = ["LUT4", "CCU2C", "TRELLIS_FF", "TRELLIS_DPR16X4", "DP16KD"]
WARPS = 48


def parameters(specification):
    """Of the point with the machine's shape; where that has one context of a warp, with those of a core."""
    point = next(p for p in specification.points if p.name == specification.machine)
    return {**point.parameters, "Warps": WARPS} if point.parameters.get("Warps") == 1 else point.parameters


def measure(block, top, at, what, folder):
    """{cell: how many} and the longest path between flip-flops and memories, in LUTs, carries and multiplexers."""
    sources = block.canonical()
    for name, text in sources.items():
        (folder / name).write_text(text, encoding="utf-8")
    flow.yosys([*flow.read(block, top, at, sources), f"synth_ecp5 -nodsp -top {top}", "check -assert", "tee -q -o cells.txt stat",
                f"tee -q -o depth.txt ltp w:* {' '.join(f't:{name}' for name in LOGIC)}"], (what, "ecp5"), folder)
    cells = {name: int(count) for name, count in re.findall(r"^ +([A-Z]\w*) +(\d+)$", (folder / "cells.txt").read_text(), re.MULTILINE)}
    unknown = sorted(set(cells) - {*CELLS, *LOGIC})
    if unknown or not cells:
        raise Failure(f"{what}: synth_ecp5 left cells that are none of an ECP5: {', '.join(unknown) or 'none at all'}")
    depth = re.search(r"\(length=(\d+)\)", (folder / "depth.txt").read_text())
    return {"parameters": dict(sorted(at.items())), "cells": cells, "levels": int(depth.group(1)) if depth else 0}


def words(found):
    """For the overview: LUTs, flip-flops, block RAMs."""
    return [f"{found['cells'].get(name, 0):,}" for name in ("LUT4", "TRELLIS_FF", "DP16KD")] if found else ["-", "-", "-"]


def write(page, found):
    if found is None:
        return
    page.heading("FPGA")
    at = ", ".join(f"{name} {value}" for name, value in found["parameters"].items())
    page.text(f"Lattice ECP5 (yosys `synth_ecp5`), at {at}. Beside it what an {DEVICE} has. Levels: LUTs, carries and multiplexers one behind another on the longest path between flip-flops and memories. "
              "Not placed: no period. A memory that is read in the clock that asks, or written in parts, becomes distributed RAM (16 x 4 bits) or flip-flops.")
    page.table(["LUT4", "Carries (two LUTs each)", "Flip-flops", "Distributed RAM, 16 x 4", "Block RAM, 18 kbit", "Levels", f"LUTs of {DEVICE}", "Flip-flops of it", "Block RAMs of it"],
               [[*[f"{found['cells'].get(name, 0):,}" for name in CELLS], found["levels"],
                 *[f"{found['cells'].get(name, 0) / HAS[name]:.1%}" for name in ("LUT4", "TRELLIS_FF", "DP16KD")]]])
