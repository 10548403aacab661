"""Static timing of a netlist with OpenSTA: ideal wires and an ideal clock, inputs from a driver and outputs into a load
as in synthesis, no time taken outside of the block."""

import re

import flow
import tools
from netlist import bit_by_bit

KINDS = {"register to register": ("[all_registers -clock_pins]", "[all_registers -data_pins]"),
         "input to register": ("$inputs", "[all_registers -data_pins]"),
         "register to output": ("[all_registers -clock_pins]", "[all_outputs]"),
         "input to output": ("$inputs", "[all_outputs]")}
STEP = re.compile(r"^\s*(-?\d+\.\d+)\s+(-?\d+\.\d+) [v^] (\S+) \((\w+)\)$", re.MULTILINE)


def script(clock_ns, library_file):
    lines = [f'read_liberty "{library_file}"', "read_verilog timed.v", f"link_design {flow.TOP}",
             f"create_clock -name clk -period {clock_ns} [get_ports clk_i]", "set inputs {}",
             'foreach port [all_inputs] { if {[get_property $port full_name] != "clk_i"} { lappend inputs $port } }',
             "set_input_delay 0 -clock clk $inputs", "set_output_delay 0 -clock clk [all_outputs]",
             f"set_driving_cell -lib_cell {flow.DRIVER} $inputs", f"set_load {flow.LOAD_PF} [all_outputs]"]
    for kind, (start, end) in KINDS.items():
        lines += [f'puts "@@ {kind}"', f"report_checks -path_delay max -from {start} -to {end} -digits 4"]
    lines += ['puts "@@ recovery"', "report_checks -path_delay max -to [all_registers -async_pins] -digits 4",
              'puts "@@ hold"', "report_checks -path_delay min -to [all_registers -data_pins] -digits 4",
              'puts "@@ end"', "exit"]
    return "\n".join(lines) + "\n"


def path_of(text, netlist):
    """The path of one report; None where there is none."""
    slack = re.search(r"^\s+(-?\d+\.\d+)\s+slack", text, re.MULTILINE)
    start = re.search(r"^Startpoint: (\S+)", text, re.MULTILINE)
    end = re.search(r"^Endpoint: (\S+)", text, re.MULTILINE)
    if not (slack and start and end):
        return None
    steps = [{"pin": pin, "cell": cell, "delay_ns": float(delay), "time_ns": float(time)}
             for delay, time, pin, cell in STEP.findall(text.split("data arrival time")[0])]
    stages = [s for s in steps if s["cell"] not in ("in", "out") and not s["pin"].endswith(("/CLK", "/D", "/R", "/S"))]
    return {"start": netlist.register(start.group(1)), "end": netlist.register(end.group(1)),
            "slack_ns": float(slack.group(1)), "stages": len(stages), "steps": steps}


def analyse(netlist, clock_ns, library_file, what, folder):
    (folder / "timed.v").write_text(bit_by_bit((folder / "netlist.v").read_text()))
    (folder / "timing.tcl").write_text(script(clock_ns, library_file))
    _, text = tools.run(["sta", "-no_splash", "-exit", "timing.tcl"], what, folder)
    error = re.search(r"^Error.*", text, re.MULTILINE)
    if error or "@@ end" not in text:
        raise tools.Failure(f"{what}: OpenSTA failed: {error.group(0) if error else tools.last_words(text)}")
    parts = dict(re.findall(r"^@@ (.*)\n((?:(?!@@ ).*\n)*)", text, re.MULTILINE))
    paths = {name: path_of(part, netlist) for name, part in parts.items()}
    kinds = {kind: paths[kind] for kind in KINDS if paths.get(kind)}
    if not kinds:
        raise tools.Failure(f"{what}: OpenSTA found no path that ends at a register or an output")
    worst = min(kinds, key=lambda kind: kinds[kind]["slack_ns"])
    return {"clock_ns": clock_ns, "slack_ns": kinds[worst]["slack_ns"],
            "shortest_period_ns": round(clock_ns - kinds[worst]["slack_ns"], 4),
            "critical_kind": worst, "critical_path": kinds[worst],
            "period_by_kind_ns": {kind: round(clock_ns - path["slack_ns"], 4) for kind, path in kinds.items()},
            "recovery_slack_ns": paths["recovery"]["slack_ns"] if paths.get("recovery") else None,
            "hold_slack_ns": paths["hold"]["slack_ns"] if paths.get("hold") else None}
