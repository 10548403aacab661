"""The review sheet of one block, and the overview of all."""

import re

import asked
import chart
import contract
import forms
import fpga
import mutants  # of scripts/proofs
import published
import totals
import wires
from document import Document

LIBRARY = "OSU standard cells, 0.18 um, 1.8 V, 25 °C, typical (qflow-tech-osu018)"
MACRO_UM2 = (0.41, 0.62)  # a bit of a memory macro at 40 nm, as CACTI and published register files have it
FLIP_FLOP_GE = 4.0        # DFFPOSX1, 96 um2: a bit of a memory in these netlists
WARPS = fpga.WARPS        # of a core
FO4_NS = 0.10             # of this library
FO4_AIM = 42              # of a core block
LIMITS = [
    "**Wires are ideal**: no placement, no wire load. Real nets are slower, and large fan-outs most of all.",
    "**No clock tree**, no clock skew, no scan chain, no power. The reset net is not buffered either: the recovery "
    "slack is that of one driver on all reset pins.",
    "**Context memories are flip-flops**, with multiplexers to read them: the library has no memory macro. A register "
    "file or SRAM takes a fraction of that area, so the area of a point with few warps is no prediction for a core "
    "with 48. Bits are exact for any number of warps; area divides into state (flip-flops) and logic (all else, which "
    "includes the multiplexers of the memories).",
    "**One gate equivalent** is a NAND2X1. The library says that a LATCH has area 0: a design with latches would look "
    "too small, so a sheet names cells without area.",
    "**Blocks of the first edition** (`split_table`, `reconvergence_table`, `split_fifo`) serve one request at a time. Further ports are not in their "
    "areas. Those of the second edition have the arbiter between their requesters in them.",
    "**The shortest clock period** is that of this netlist, made for the clock aimed at, with nothing around the "
    "block: inputs arrive and outputs are due at the clock edge. Another aim gives another netlist.",
    "**Technologies are not comparable in um2**: published costs stand beside as ratios and as bits only.",
]


def number(value, digits=0):
    return "-" if value is None else f"{value:,.{digits}f}"


def relative(value, first):
    return f"x {value / first:.2f}" if first else "-"


def share_of_state(point):
    return f"{100 * point['state_gate_equivalents'] / point['gate_equivalents']:.0f} %"


def parameter_names(points):
    return sorted({name for point in points for name in point["parameters"]},
                  key=lambda name: (name != "Warps", name))


def bits_of_a_warp(specification, point):
    if not point["memories"] and not specification.per_warp:
        return None
    return sum(published.state_per_warp(point, specification.per_warp).values())


def points_table(page, specification, points):
    names = parameter_names(points)
    first = points[0]
    page.table(["Point", *[f"`{name}`" for name in names], "um2", "Gate equiv.", "to first", "in state", "in logic",
                "Cells", "Register bits", "Memory bits", "Bits per warp"],
               [[p["point"], *[p["parameters"].get(name, "default") for name in names], number(p["area_um2"]),
                 number(p["gate_equivalents"]), relative(p["area_um2"], first["area_um2"]),
                 f"{number(p['state_gate_equivalents'])} ({share_of_state(p)})",
                 number(p["logic_gate_equivalents"]), number(p["cells"]), number(p["register_bits"]),
                 number(p["memory_bits"]), number(bits_of_a_warp(specification, p))] for p in points])


def array_bits(specification, point):
    """Of memories that a macro may hold: those of which a word is read, not a row that is searched."""
    return sum(m["words"] * m["width"] for m in point["memories"] if m["name"] not in specification.searched)


def parts_table(page, specification, points):
    """Registers, logic, and what stands in memories, which a macro would hold."""
    page.text(f"Apart: registers, logic (with the multiplexers of the memories, which a macro has inside), and arrays at published densities of "
              f"memories, {MACRO_UM2[0]:.2f} to {MACRO_UM2[1]:.2f} um2 a bit at 40 nm, for the point and for {WARPS} warps of it:")
    rows = []
    for p in points:
        bits, warps = array_bits(specification, p), p["parameters"].get("Warps")
        registers = max(0.0, p["state_gate_equivalents"] - bits * FLIP_FLOP_GE)
        core = bits * WARPS // warps if bits and warps else None
        rows.append([p["point"], number(registers), number(p["logic_gate_equivalents"]), number(bits), macro(bits), number(core), macro(core)])
    page.table(["Point", "Registers, gate equiv.", "Logic, gate equiv.", "Array bits", "um2 at 40 nm", f"Array bits, {WARPS} warps", "um2 at 40 nm, all"],
               rows)
    there = [name for name in specification.searched if any(m["name"] == name for p in points for m in p["memories"])]
    if there:
        page.text(f"Among the registers, and there for every warp: {', '.join(f'`{name}`' for name in there)}. Of these a warp's row is searched within the clock, which no macro does.")


def macro(bits):
    return f"{bits * MACRO_UM2[0]:,.0f} to {bits * MACRO_UM2[1]:,.0f}" if bits else "-"


def branch_words(rows):
    """Of the generate branches: how many there are, and how many of these are proven, benched, and in the netlist compared."""
    return [str(len(rows)), *[f"{sum(row[i] == 'yes' for row in rows)}" for i in (3, 4, 5)]] if rows else ["0", "-", "-", "-"]


def mutant_words(block):
    found = mutants.recorded(block)
    if found is None:
        return "not recorded"
    caught = sum(step is not None for step in found[0].values())
    return f"{caught} of {len(found[0])} ({caught / len(found[0]):.0%}){not_asked(block, found[0])}" + ("" if found[1] else ", earlier sources")


def not_asked(block, steps):
    rest = len(set(mutants.listed(block)) - set(steps))
    return f", {rest} not asked" if rest else ""


def review(page, specifications, results):
    """What a review asks first, a row a block."""
    page.heading("For a review")
    page.text(f"At the machine's shape, with one context of a warp. Registers without memories; arrays are those of {WARPS} warps at published densities (40 nm) where the block has contexts of warps. "
              f"A FO4 of this library is {FO4_NS:.2f} ns; a core block may have {FO4_AIM}, with placed wires. ECP5: with all contexts of a core. Generate branches: those that a sheet has, and how many of these "
              "the proof elaborates, a verilated point has, and a netlist that is compared with the RTL. Mutants: found by the proof alone. "
              "In use: of the clocks in which a core is awake, over all classes of workloads (first edition: clocks of the RTL a core cycle).")
    rows = []
    for name, result in results.items():
        specification = specifications[name]
        placed = wires.kept(specification)
        p = next((each for each in result["points"] if each["point"] == specification.machine), result["points"][-1])
        bits, warps, period = array_bits(specification, p), p["parameters"].get("Warps"), p["timing"]["shortest_period_ns"]
        core = bits * WARPS // warps if bits and warps else bits
        path = p["timing"]["critical_path"]
        classes = asked.of(specification.block)
        counts = list(classes.values()) if classes else []
        clocked = bool(counts) and counts[0]["timing"] == "contract"
        whole = {what: sum(each[what] for each in counts) for what in ("clocks", "busy_clocks", "core_cycles")}
        used = "-" if not counts else f"{100 * asked.use({**whole, 'timing': 'contract'}):.1f} %" if clocked else f"{asked.use({**whole, 'timing': 'ideal'}):.3f} clocks"
        rows.append([f"`{name}`", p["point"], number(max(0.0, p["state_gate_equivalents"] - bits * FLIP_FLOP_GE)), number(p["logic_gate_equivalents"]),
                     number(core or None), macro(core), number(period, 2), number(period / FO4_NS, 1), number(placed[0]["placed_ns"] / FO4_NS, 1) if placed else "-", f"`{path['start']}` to `{path['end']}`",
                     *fpga.words(result.get("fpga")), *branch_words(forms.rows(specification)), mutant_words(specification.block), used])
    page.table(["Block", "Point", "Registers, gate equiv.", "Logic, gate equiv.", "Array bits of a core", "um2 at 40 nm", "Path, ns", "FO4", "FO4, placed wires", "From, to",
                "ECP5: LUT4", "Flip-flops", "Block RAMs", "Branches", "Proven", "Benched", "Netlist", "Mutants", "In use"], rows)


def checks(page, specification):
    """What checks the block's forms, and whether its proof bites."""
    rows = forms.rows(specification)
    page.heading("Generate branches")
    if rows:
        page.text("Those that points of this sheet have, and whether the proof, a bench and the comparison of netlist and RTL have each:")
        page.table(forms.HEADER, rows)
    else:
        page.text("None that depends on parameters.")
    page.heading("Mutants")
    found = mutants.recorded(specification.block)
    if found is None:
        page.text("The proof has not been asked since results are kept (`scripts/formal --mutants --record`).")
        return
    steps, current = found
    caught = sum(step is not None for step in steps.values())
    missed = [name.partition(".")[2] for name, step in steps.items() if step is None]
    page.text(f"{len(steps)} defects put in by hand, of which the proof alone finds {caught} ({caught / len(steps):.0%})"
              + not_asked(specification.block, steps) + ("" if current else "; asked of earlier sources") + "."
              + (f" Left to the bench: {', '.join(f'`{name}`' for name in missed)}." if missed else ""))


def further_warps(points):
    """Between points that differ in Warps alone: what one warp more adds."""
    groups = {}
    for point in points:
        if "Warps" in point["parameters"]:
            key = tuple((k, v) for k, v in point["parameters"].items() if k != "Warps")
            groups.setdefault(key, []).append(point)
    rows = []
    for key, group in groups.items():
        group = sorted(group, key=lambda p: p["parameters"]["Warps"])
        for low, high in zip(group, group[1:]):
            warps = high["parameters"]["Warps"] - low["parameters"]["Warps"]

            def each(quantity):
                return number((high[quantity] - low[quantity]) / warps)

            rows.append([", ".join(f"{k} {v}" for k, v in key) or "-",
                         f"{low['parameters']['Warps']} to {high['parameters']['Warps']}", each("gate_equivalents"),
                         each("state_gate_equivalents"), each("memory_bits"), each("register_bits")])
    return rows


def timing_table(page, points, clock_ns):
    kinds = list(points[0]["timing"]["period_by_kind_ns"])
    page.table(["Point", "Shortest period, ns", "FO4", f"Slack at {clock_ns:g} ns", *[f"{kind}, ns" for kind in kinds],
                "Recovery slack", "Hold slack"],
               [[p["point"], number(p["timing"]["shortest_period_ns"], 2), number(p["timing"]["shortest_period_ns"] / FO4_NS, 1), number(p["timing"]["slack_ns"], 2),
                 *[number(p["timing"]["period_by_kind_ns"].get(kind), 2) for kind in kinds],
                 number(p["timing"]["recovery_slack_ns"], 2), number(p["timing"]["hold_slack_ns"], 2)] for p in points])
    page.table(["Point", "Critical path from", "to", "Kind", "Stages"],
               [[p["point"], f"`{p['timing']['critical_path']['start']}`", f"`{p['timing']['critical_path']['end']}`",
                 p["timing"]["critical_kind"], p["timing"]["critical_path"]["stages"]] for p in points])
    for p in points:
        page.table(["Pin", "Cell", "Delay, ns", "Time, ns"],
                   [[f"`{s['pin']}`", s["cell"], number(s["delay_ns"], 3), number(s["time_ns"], 3)]
                    for s in p["timing"]["critical_path"]["steps"]], 
                   only_html=f"Critical path of {p['point']}, step by step")


def placed_wires(page, specification):
    found = wires.kept(specification)
    if found is None:
        return
    placed, current = found
    page.text(f"With placed wires, at {placed['point']}{'' if current else ', of earlier sources'}: **{placed['placed_ns']:.2f} ns** "
              f"({placed['placed_ns'] / FO4_NS:.1f} FO4; {placed['ideal_ns']:.2f} ns with ideal ones, {placed['placed_ns'] / placed['ideal_ns'] - 1:+.0%}), from `{placed['start']}` to "
              f"`{placed['end']}` through {placed['stages']} gates. {placed['wires_mm']:,.0f} mm of wire on {placed['side_um'] / 1000:.2f} mm squared, {placed['ohm_per_um']:.2f} ohm and "
              f"{1000 * placed['pf_per_um']:.2f} fF a um (the library's metal 2 and 3); {placed['buffers']:,} buffers share loads. ABC's own are taken out first. No routing, no other sizes of gates, ideal clock.")


def equivalence_words(compared):
    proof, simulation = compared["proof"], compared["simulation"]
    at = ", ".join(f"{k} {v}" for k, v in sorted(compared["parameters"].items()))
    if proof["proven"]:
        words = (f"At {at}: **proven equal** by induction over {proof['clocks']} clock"
                 f"{'s' if proof['clocks'] > 1 else ''}, {proof['pairs']} pairs of registers and outputs, for all "
                 "inputs and states.")
    else:
        why = ("did not end in time" if not proof["ended"] else
               f"did not close: {len(proof['unproven'])} or more pairs are left, among them "
               + ", ".join(f"`{name}`" for name in proof["unproven"][:4]))
        words = f"At {at}: **not proven, simulated only**. The proof by induction {why}."
    return (f"{words} Gate-level simulation with the library's Verilog cells: {simulation['vectors']:,} random "
            f"vectors, {simulation['compared_bits']:,} output bits equal, {simulation['undefined_in_rtl']:,} undefined "
            f"in the RTL, {simulation['unknown_in_netlist']:,} in the netlist; {simulation['values_seen']} of "
            f"{simulation['values']} values of output bits were seen.")


def registers_words(registers):
    """Registers of the instances of a generate loop in one: `gen_row[*].older_q` 8 x 8."""
    alike = {}
    for name, bits in registers.items():
        alike.setdefault((re.sub(r"\[\d+\]", "[*]", name), bits), []).append(name)
    return ", ".join(f"`{names[0]}` {bits}" if len(names) == 1 else f"`{name}` {len(names)} x {bits}"
                     for (name, bits), names in alike.items())


def bits_table(page, specification, point):
    there = [name for name in specification.per_warp if published.registers_named(point, name)]
    if point["memories"]:
        page.table(["Memory", "Words", "Width", "Bits"],
                   [[f"`{m['name']}`", m["words"], m["width"], number(m["words"] * m["width"])]
                    for m in point["memories"]])
    page.text("Registers" + (f" (for every warp: {', '.join(f'`{name}`' for name in there)})" if there else "") + ": "
              + registers_words(point["registers"]) + ".")


def block_page(specification, results):
    result = results[specification.block.name]
    points = result["points"]
    page = Document(f"{specification.block.name}: synthesis")
    page.text(f"`rtl/{specification.block.name}`, {len(points)} parameter point{'s' if len(points) > 1 else ''}"
              + (" (a quick run: not all there are)" if result["quick"] else "") +
              f". {LIBRARY}; clock aimed at: {specification.clock_ns:g} ns.")
    contract.write(page, specification.block)
    page.heading("Area")
    points_table(page, specification, points)
    without = sorted({cell for p in points for cell in p["cells_without_area"]})
    if without:
        page.text(f"**Too small**: the library gives no area for {', '.join(without)}, which this block uses "
                  f"({', '.join(f'{p_}: {n}' for p in points for p_, n in p['cells_without_area'].items())}).")
    svg = chart.area_chart(points)
    if svg:
        page.figure(svg)
    parts_table(page, specification, points)
    more = further_warps(points)
    if more:
        page.text("What one warp more adds:")
        page.table(["Other parameters", "Warps", "Gate equiv.", "of these in state", "Memory bits", "Register bits"],
                   more)
    page.heading("Timing")
    timing_table(page, points, specification.clock_ns)
    placed_wires(page, specification)
    fpga.write(page, result.get("fpga"))
    page.heading("State")
    largest = max(points, key=lambda p: p["memory_bits"] + p["register_bits"])
    page.text(f"As the RTL asks for it, at {largest['point']}:")
    bits_table(page, specification, largest)
    rows = published.rows(specification, results)
    if rows:
        page.heading("Published cost beside")
        page.table(published.HEADER, rows)
    page.heading("Netlist against RTL")
    for compared in result["equivalence"]:
        page.text(equivalence_words(compared))
    asked.write(page, specification.block)
    checks(page, specification)
    page.heading("What is not included")
    page.list(LIMITS)
    page.heading("Made with")
    page.text(", ".join(f"{name} {version}" for name, version in result["tools"].items())
              + f"; sources {specification.fingerprint()}.")
    return page


def overview(specifications, results, left_out, sums, link="{}.md"):
    """link: where the sheet of a block is."""
    page = Document("RTL blocks: synthesis")
    page.text(f"{LIBRARY}. Each block's sheet has its points, its critical path and what is not included. Blocks with "
              "memories are synthesised for one to four warps: gate equivalents are not those of a core.")
    rows = []
    for name, result in results.items():
        points = result["points"]
        areas = [p["gate_equivalents"] for p in points]
        periods = [p["timing"]["shortest_period_ns"] for p in points]
        largest = points[areas.index(max(areas))]
        rows.append([f"`{name}`", len(points), f"{min(areas):,.0f} to {max(areas):,.0f}",
                     share_of_state(largest),
                     number(bits_of_a_warp(specifications[name], largest)), f"{min(periods):.2f} to {max(periods):.2f}",
                     f"{result['clock_ns']:g}", largest["timing"]["critical_path"]["start"],
                     "proven" if all(compared["proof"]["proven"] for compared in result["equivalence"]) else "simulated",
                     f"[{name}]({link.format(name)})"])
    page.table(["Block", "Points", "Gate equiv.", "in state, largest", "Bits per warp, largest", "Shortest period, ns",
                "Clock aimed at, ns", "Critical path from", "Netlist", "Sheet"], rows)
    review(page, specifications, results)
    if left_out:
        page.text(f"Without `synth.json`, so not synthesised: {', '.join(f'`{name}`' for name in left_out)}.")
    totals.write(page, sums, specifications, results)
    rows = [[f"`{name}`", *row] for name in results if name in specifications
            for row in published.rows(specifications[name], results)]
    if rows:
        page.heading("Published costs beside")
        page.table(["Block", *published.HEADER], rows)
    page.heading("What is not included")
    page.list(LIMITS)
    page.heading("Made with")
    tools = next(iter(results.values()))["tools"]
    page.text(", ".join(f"{name} {version}" for name, version in tools.items()) + "; sources "
              + ", ".join(f"`{name}` {specifications[name].fingerprint()}" for name in results) + ".")
    return page
