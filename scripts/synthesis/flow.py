"""One parameter point from RTL to cells: yosys, ABC and the OSU 0.18 um library. Context memories become flip-flops,
for there is no memory macro in the library."""

import json
import re

import tools
from netlist import Netlist

DRIVER, LOAD_PF = "INVX4", 0.03  # driver of the inputs, load of the outputs; ABC needs them to size and buffer gates
TOP = "synthesised"  # name of a copy: yosys mangles the names of modules with parameters


def read(block, top, parameters, files=None):
    """Commands that elaborate a block, from its sources or from `files`. chparam -set after reading: the parameters of the top
    module."""
    lines = [f'read_verilog -sv "{source}"' for source in files or block.sources]
    lines += [f"chparam -set {name} {value} {top}" for name, value in sorted(parameters.items())]
    return [*lines, f"hierarchy -check -top {top}"]


def yosys(commands, what, folder, limit=None):
    script = folder / f"{what[1]}.ys"
    script.write_text("\n".join(commands) + "\n")
    code, text = tools.run(["yosys", "-q", "-l", f"{what[1]}.log", "-s", script.name], what[0], folder, limit,
                           check=False)
    if code != 0:
        said = "\n".join(dict.fromkeys(text.strip().splitlines()))  # every distinct warning once, and the error
        raise tools.Failure(f"{what[0]}: yosys refused it ({script.name}):\n{tools.last_words(said, 6)}")
    return (folder / f"{what[1]}.log").read_text(errors="replace")


def state(block, top, parameters, what, folder):
    """Bits the RTL asks for, before memories are mapped and logic is optimised across them: memories with their words
    and widths, registers by name; and the ports."""
    yosys([*read(block, top, parameters), "proc", "flatten", "check -assert", "opt", "write_json declared.json",
           "memory -nordff -nomap", "opt", "write_json state.json"], (what, "state"), folder)

    def top_of(file):
        modules = json.loads((folder / file).read_text())["modules"]
        return next(m for m in modules.values() if int(m["attributes"].get("top", "0"), 2))

    module, declared = top_of("state.json"), top_of("declared.json").get("memories", {})
    names = {}  # if a bit has several names, a register's name is preferred
    for name, net in sorted(module["netnames"].items(), key=lambda item: not item[0].endswith("_q")):
        for bit in net["bits"]:
            if not net["hide_name"]:
                names.setdefault(bit, name)
    memories, registers = [], {}
    for cell_name, cell in module["cells"].items():
        parameters_ = cell["parameters"]
        if cell["type"].startswith("$mem"):
            # yosys widens a memory to the words that its address can name.
            name = parameters_["MEMID"].lstrip("\\")
            memories.append({"name": name, "words": declared[name]["size"], "width": int(parameters_["WIDTH"], 2)})
        elif re.fullmatch(r"\$(a?l?dff|sdff|dffsr|adff|dlatch|sr|adlatch|dlatchsr)\w*", cell["type"]):
            for bit in cell["connections"]["Q"]:
                name = names.get(bit, cell_name)
                registers[name] = registers.get(name, 0) + 1
    ports = [{"name": name, "input": port["direction"] == "input", "bits": len(port["bits"])}
             for name, port in module["ports"].items()]
    return {"memories": sorted(memories, key=lambda m: m["name"]), "registers": dict(sorted(registers.items())),
            "ports": ports}


def synthesise(block, top, parameters, clock_ns, library_file, what, folder):
    """Leaves netlist.v in the folder; gives the netlist and the area that yosys counts, in um2.

    Of the canonical sources: yosys names cells by file and line, and what ABC makes of the logic depends on the order of names.
    Comments added to split_fifo have changed its area by 2 %."""
    sources = block.canonical()
    for name, text in sources.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "constraints").write_text(f"set_driving_cell {DRIVER}\nset_load {LOAD_PF}\n")
    log = yosys([f'read_liberty -lib "{library_file}"', *read(block, top, parameters, sources), f"synth -top {top} -flatten",
                 f'dfflibmap -liberty "{library_file}"',
                 f'abc -liberty "{library_file}" -constr constraints -D {round(clock_ns * 1000)}',
                 "opt_clean -purge", "check -assert", f'stat -liberty "{library_file}"', f"rename -top {TOP}",
                 "write_verilog -noattr -noexpr -nohex netlist.v"], (what, "synth"), folder)
    areas = re.findall(r"Chip area for (?:top )?module .*: ([0-9.]+)", log)
    if not areas:
        raise tools.Failure(f"{what}: yosys gave no area")
    unknown = re.search(r"Area for cell type (\S+) is unknown", log)
    if unknown:
        raise tools.Failure(f"{what}: the cell {unknown.group(1)} is not in the library: it was not mapped")
    return Netlist(folder / "netlist.v"), float(areas[-1])
