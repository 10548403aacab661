"""The netlist against the RTL it came from.

prove(): every register, memory bit and output of the RTL is paired with the net of the same name in the netlist
(equiv_make), and yosys shows by induction that pairs which agree in one clock agree in the next, for all inputs and all
states (equiv_induct; asynchronous resets are sampled at the clock). It cannot close where the RTL leaves something
undefined, for example what is read beyond the end of a memory. Then the gate-level simulation (simulation.py), which
is run in any case, is the check that remains, and the sheet says so."""

import re

import flow
import tools

SEQUENCES = (1, 4)  # clocks of agreement that the induction assumes: one is fast and nearly always enough


def commands(block, top, parameters, library_file, clocks):
    prepare = ["opt_clean", "async2sync", "opt_clean"]
    return [*flow.read(block, top, parameters), "proc", "flatten", "memory_map", *prepare, "rename -top gold",
            "design -stash gold",
            f'read_liberty "{library_file}"', "read_verilog netlist.v", f"hierarchy -check -top {flow.TOP}", "proc",
            # Inner wires of the cells (_12_.Q) must not hide the names of the registers connected to them. Names of
            # registers in generate blocks and helpers (gen_masks.lanes_mem) are kept.
            "flatten", "rename -hide w:_[0-9]*_.* c:_[0-9]*_.*", *prepare, "rename -top gate", "design -stash gate",
            "design -copy-from gold -as gold gold", "design -copy-from gate -as gate gate",
            # No opt_clean after this: it would remove pairs with two names if nothing reads the first name.
            "equiv_make gold gate equiv", "hierarchy -top equiv", "equiv_simple",
            f"equiv_induct -seq {clocks}", "equiv_status"]


def prove(block, top, parameters, library_file, what, folder, limit):
    """netlist.v is in the folder. Gives {"proven", "pairs", "unproven": some names, "clocks", "ended"}."""
    result = None
    for clocks in SEQUENCES:
        try:
            log = flow.yosys(commands(block, top, parameters, library_file, clocks), (what, f"equivalence{clocks}"),
                             folder, limit)
        except tools.Failure as failure:
            if "did not end within" not in str(failure):
                raise
            return result or {"proven": False, "pairs": 0, "unproven": [], "clocks": clocks, "ended": False}
        pairs = int(re.search(r"Found (\d+) \$equiv cells in equiv", log).group(1))
        unproven = re.findall(r"Unproven \$equiv \S+: \\(\S+?)_gold\b( \[\d+\])?", log)
        left = re.search(r"are proven and (\d+) are unproven", log)
        result = {"proven": pairs > 0 and left is not None and int(left.group(1)) == 0, "pairs": pairs,
                  "unproven": [name + bit.strip() for name, bit in unproven][:8], "clocks": clocks, "ended": True}
        if result["proven"]:
            break
    return result
