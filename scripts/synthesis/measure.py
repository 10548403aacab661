"""All that is measured of one parameter point, as it goes into results.json."""

import flow
import timing
from tools import Failure


def measure(block, top, parameters, clock_ns, library, library_file, what, folder):
    state = flow.state(block, top, parameters, what, folder)
    netlist, area = flow.synthesise(block, top, parameters, clock_ns, library_file, what, folder)
    counts = netlist.counts()
    of_cells = {cell: count * library.area[cell] for cell, count in counts.items()}
    if abs(sum(of_cells.values()) - area) > 0.5:
        raise Failure(f"{what}: the areas of the cells sum to {sum(of_cells.values()):.0f} um2, but yosys counts "
                      f"{area:.0f}")
    in_state = sum(size for cell, size in of_cells.items() if cell in library.state)
    memory_bits = sum(memory["words"] * memory["width"] for memory in state["memories"])
    register_bits = sum(state["registers"].values())
    warps = parameters.get("Warps")
    free = sorted(cell for cell in counts if library.area[cell] == 0.0)
    return {
        "parameters": dict(sorted(parameters.items())),
        "area_um2": area,
        "gate_equivalents": round(library.gate_equivalents(area), 1),
        "state_gate_equivalents": round(library.gate_equivalents(in_state), 1),
        "logic_gate_equivalents": round(library.gate_equivalents(area - in_state), 1),
        "cells": sum(counts.values()),
        "state_cells": sum(count for cell, count in counts.items() if cell in library.state),
        "cells_by_type": counts,
        "register_bits": register_bits,
        "memory_bits": memory_bits,
        "memory_bits_per_warp": memory_bits / warps if warps else None,
        "registers": state["registers"],
        "memories": state["memories"],
        "cells_without_area": {cell: counts[cell] for cell in free},
        "timing": timing.analyse(netlist, clock_ns, library_file, what, folder),
    }
