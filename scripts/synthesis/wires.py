"""Wires of a netlist that is placed: cells are put where their nets are short, and OpenSTA takes the resistance and capacitance of the distances.

Placement: the die is halved again and again; before each cut cells are where the springs of their nets, and one to the middle of the part that they are in, are at
rest, and then each half takes the cells on its side. Swaps of neighbours that shorten nets follow. Ports stand around the die. ABC's buffers, which it has put one behind another without
knowing of places, are taken out before; then a net that is too much for one gate is divided among buffers, each in the middle of the pins that it drives. The wires of a net are the shortest tree from pin to pin. Clock and reset are ideal. There is no routing, and
gates keep their size: what comes out is no sign-off, but shows what wires cost, and which path suffers."""

import json
import re

import flow
import timing
import tools
from blocks import Json
from netlist import DECLARED, Netlist, bit_by_bit, bits_of

OUTPUTS = ("Y", "Q", "YS", "YC")
FILLED = 0.8       # of the die
MOST_PF = 0.25     # load of a gate, beyond which buffers share it
BUFFERS = ("BUFX2", "BUFX4")
BUFFER, BUFFER_PF, PIN_PF = "BUFX4", 0.014, 0.012
SWAPS = 4          # rounds of them
PASSES = 5         # buffers anew, with what the best one before says of times
URGENT = 0.03      # of the period: who has so little more than the worst path, in the second
DIRECTION = re.compile(r"^  (input|output) (?:\[(\d+):(\d+)\] )?(\\\S+|\w+)\s*;", re.MULTILINE)
ASSIGN = re.compile(r"^  assign (.*?) = (.*?);$", re.MULTILINE)


def per_um():
    """(ohm, pF) of a um of wire, as the library's .lef has it: the mean of metal 2 and metal 3."""
    lef = tools.cells("osu018_stdcells.lef")
    text, ohm, picofarad = lef.read_text(errors="replace"), [], []
    for layer in ("metal2", "metal3"):
        body = re.search(rf"^LAYER {layer}\n(.*?)^END {layer}", text, re.MULTILINE | re.DOTALL)
        value = {key: float(number) for key, number in re.findall(r"(WIDTH|RPERSQ|CPERSQDIST|EDGECAPACITANCE)\s+(\d[0-9.e+-]*)", body.group(1) if body else "")}
        if len(value) < 4:
            raise tools.InputError(f"{lef}: the layer {layer} does not state WIDTH, RPERSQ, CPERSQDIST and EDGECAPACITANCE; {tools.LIBRARY_REMEDY}")
        ohm.append(value["RPERSQ"] / value["WIDTH"])
        picofarad.append(value["CPERSQDIST"] * value["WIDTH"] + 2 * value["EDGECAPACITANCE"])
    return sum(ohm) / 2, sum(picofarad) / 2


def plain(name):
    return re.sub(r"[\s\\]", "", name)


class Flat:
    """The netlist with numbers for names: cells (type, {pin: net}), nets (driver, sinks), ports."""

    def __init__(self, folder):
        text = bit_by_bit((folder / "netlist.v").read_text())
        self.netlist = Netlist(folder / "netlist.v")
        ranges = {plain(name): (int(high), int(low)) for high, low, name in DECLARED.findall(text) if high}
        self.root = {}
        for left, right in ASSIGN.findall(text):
            for to, of in zip(self.bits(left, ranges), self.bits(right, ranges), strict=True):
                self.root[self.find(to)] = self.find(of)
        for name, kind in self.netlist.types.items():
            if kind in BUFFERS:
                self.root[self.find(plain(self.netlist.nets[name]["Y"]))] = self.find(plain(self.netlist.nets[name]["A"]))
        self.names = [name for name, kind in self.netlist.types.items() if kind not in BUFFERS]
        self.kinds = [self.netlist.types[name] for name in self.names]
        self.pins = [{pin: self.find(plain(net)) for pin, net in self.netlist.nets[name].items()} for name in self.names]
        self.inputs, self.outputs = [], []
        for direction, high, low, name in DIRECTION.findall(text):
            bits = [f"{plain(name)}[{i}]" for i in range(int(low), int(high) + 1)] if high else [plain(name)]
            (self.inputs if direction == "input" else self.outputs).extend(self.find(bit) for bit in bits)
        self.outputs = [net for net in dict.fromkeys(self.outputs) if net not in self.inputs and "'b" not in net]
        self.driver, self.sinks = {}, {}
        for cell, pins in enumerate(self.pins):
            for pin, net in pins.items():
                if pin in OUTPUTS:
                    self.driver[net] = (cell, pin)
                else:
                    self.sinks.setdefault(net, []).append((cell, pin))

    @staticmethod
    def bits(terms, ranges):
        return [plain(bit) for bit in bits_of(terms, {**ranges, **{f"\\{name}": value for name, value in ranges.items()}})]

    def find(self, name):
        while name in self.root and self.root[name] != name:
            name = self.root[name]
        return name


class Placement:
    """x and y of all cells; those behind the last one are ports, which stay."""

    def __init__(self, flat, library, ideal):
        self.flat, self.area = flat, [library.area[kind] for kind in flat.kinds]
        self.side = (sum(self.area) / FILLED) ** 0.5
        cells, ports = len(flat.kinds), [net for net in [*flat.inputs, *flat.outputs] if net not in ideal]
        self.port = {net: cells + i for i, net in enumerate(ports)}
        self.x, self.y = [self.side / 2] * cells, [self.side / 2] * cells
        for i in range(len(ports)):  # around the die, in their order
            at = 4 * self.side * i / len(ports)
            edge, along = int(at // self.side), at % self.side
            self.x.append([along, self.side, self.side - along, 0.0][edge])
            self.y.append([0.0, along, self.side, self.side - along][edge])
        self.nets = {}
        for net in sorted({*flat.driver, *flat.sinks} - ideal):
            ends = [cell for cell, _ in flat.sinks.get(net, [])]
            ends += [flat.driver[net][0]] if net in flat.driver else []
            ends = list(dict.fromkeys(ends + ([self.port[net]] if net in self.port else [])))
            if len(ends) > 1 and "'b" not in net:
                self.nets[net] = ends
        self.of = [[] for _ in range(cells)]
        for net, ends in self.nets.items():
            for end in ends:
                if end < cells:
                    self.of[end].append(net)
        self.springs = [(len(ends) / (len(ends) - 1), ends) for ends in self.nets.values()]
        self.stiff = [float(len(nets)) for nets in self.of]

    def times(self, values, pull):
        """The springs of all nets and of the boxes' middles, at `values`: a net draws each of its ends to the mean of all."""
        out = [pull * value for value in values[:len(self.of)]] + [0.0] * (len(self.x) - len(self.of))
        for weight, ends in self.springs:
            mean = sum([values[e] for e in ends]) / len(ends)
            for e in ends:
                out[e] += weight * (values[e] - mean)
        return out[:len(self.of)]

    def relax(self, at, to, pull, rounds):
        """Conjugate gradients: positions `at` to where the springs are at rest, with those to `to`."""
        cells, still = len(self.of), [0.0] * (len(self.x) - len(self.of))
        rest = [pull * t - force for t, force in zip(to, self.times(at, pull))]
        scale = [1 / (pull + stiff) if pull + stiff else 1.0 for stiff in self.stiff]
        step = [s * r for s, r in zip(scale, rest)]
        along = sum(r * s for r, s in zip(rest, step))
        for _ in range(rounds):
            force = self.times(step + still, pull)
            against = sum(s * f for s, f in zip(step, force))
            if along <= 1e-9 or against <= 0.0:
                return
            part = along / against
            for i in range(cells):
                at[i] += part * step[i]
                rest[i] -= part * force[i]
            lead = [s * r for s, r in zip(scale, rest)]
            before, along = along, sum(r * s for r, s in zip(rest, lead))
            step = [a + along / before * b for a, b in zip(lead, step)]

    def middle(self, boxes, level):
        """Cells to where their nets draw them, and, the more the smaller the boxes are, to the middle of their box."""
        pull, rounds = (0.03 * 1.5 ** level, 15) if level else (1e-6, 80)
        self.relax(self.x, [(box[0] + box[2]) / 2 for box in boxes], pull, rounds)
        self.relax(self.y, [(box[1] + box[3]) / 2 for box in boxes], pull, rounds)

    def place(self):
        cells = len(self.of)
        regions, boxes = [(list(range(cells)), (0.0, 0.0, self.side, self.side))], [(0.0, 0.0, self.side, self.side)] * cells
        level = 0
        while max(len(inside) for inside, _ in regions) > 3:
            self.middle(boxes, level)
            halves, level = [], level + 1
            for inside, (x0, y0, x1, y1) in regions:
                if len(inside) < 2:
                    halves.append((inside, (x0, y0, x1, y1)))
                    continue
                wide = x1 - x0 >= y1 - y0
                inside.sort(key=(lambda c: (self.x[c], c)) if wide else (lambda c: (self.y[c], c)))
                half, total, n = sum(self.area[c] for c in inside) / 2, 0.0, 0
                while n < len(inside) - 1 and total < half:
                    total, n = total + self.area[inside[n]], n + 1
                cut = total / (2 * half)
                cuts = ((x0, y0, x0 + (x1 - x0) * cut, y1), (x0 + (x1 - x0) * cut, y0, x1, y1)) if wide else \
                       ((x0, y0, x1, y0 + (y1 - y0) * cut), (x0, y0 + (y1 - y0) * cut, x1, y1))
                halves += [(inside[:n], cuts[0]), (inside[n:], cuts[1])]
            regions = halves
            for inside, box in regions:
                for cell in inside:
                    boxes[cell] = box
        for inside, box in regions:
            for cell in inside:
                self.x[cell], self.y[cell] = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        self.swap()

    def length(self, nets):
        total = 0.0
        for net in nets:
            xs, ys = [self.x[e] for e in self.nets[net]], [self.y[e] for e in self.nets[net]]
            total += max(xs) - min(xs) + max(ys) - min(ys)
        return total

    def swap(self):
        """Each cell with one near to where its nets want it, if that shortens them."""
        size, grid = 4 * (self.side ** 2 / len(self.of)) ** 0.5, {}
        for cell in range(len(self.of)):
            grid.setdefault((int(self.x[cell] / size), int(self.y[cell] / size)), []).append(cell)
        for _ in range(SWAPS):
            for cell in range(len(self.of)):
                ends = [e for net in self.of[cell] if len(self.nets[net]) < 20 for e in self.nets[net] if e != cell]
                if not ends:
                    continue
                xs, ys = sorted(self.x[e] for e in ends), sorted(self.y[e] for e in ends)
                at = (int(xs[len(xs) // 2] / size), int(ys[len(ys) // 2] / size))
                here = (int(self.x[cell] / size), int(self.y[cell] / size))
                for other in grid.get(at, [])[:8]:
                    if other == cell:
                        continue
                    nets = [net for net in dict.fromkeys(self.of[cell] + self.of[other]) if len(self.nets[net]) < 60]
                    before = self.length(nets)
                    self.exchange(cell, other)
                    if self.length(nets) < before:
                        if at != here:
                            grid[here].remove(cell), grid[at].remove(other)
                            grid[at].append(cell), grid[here].append(other)
                        break
                    self.exchange(cell, other)

    def exchange(self, a, b):
        self.x[a], self.x[b], self.y[a], self.y[b] = self.x[b], self.x[a], self.y[b], self.y[a]


class Wired:
    """What OpenSTA reads: the netlist with buffers, all names numbers, and the wires of its nets; `urgent`: (cell, pin) that have no time for a buffer."""

    def __init__(self, placement, ohm, picofarad, urgent):
        self.placement, self.ohm, self.picofarad, self.urgent = placement, ohm, picofarad, urgent
        flat = placement.flat
        number = {net: i for i, net in enumerate(sorted({*flat.driver, *flat.sinks, *flat.inputs, *flat.outputs}))}
        self.name = lambda net: net if "'b" in net else f"n{number[net]}"
        self.pins, self.buffers, self.wires, self.um = [dict(pins) for pins in flat.pins], [], [], 0.0
        for cell, pins in enumerate(self.pins):
            self.pins[cell] = {pin: self.name(net) for pin, net in pins.items()}
        for net in placement.nets:
            sinks = [(placement.x[c], placement.y[c], PIN_PF, f"c{c}/{pin}", (c, pin)) for c, pin in flat.sinks.get(net, [])]
            driver = (flat.driver[net][0], f"c{flat.driver[net][0]}/{flat.driver[net][1]}") if net in flat.driver else (placement.port[net], self.name(net))
            if net in flat.outputs:
                port = placement.port[net]
                sinks.append((placement.x[port], placement.y[port], flow.LOAD_PF, self.name(net), None))
            self.drive(self.name(net), placement.x[driver[0]], placement.y[driver[0]], driver[1], sinks)

    def load(self, x, y, sinks):
        return sum((abs(sx - x) + abs(sy - y)) * self.picofarad + pf for sx, sy, pf, _, _ in sinks)

    def groups(self, sinks):
        """Parts of which one buffer drives each, by halves of their load."""
        middle = [sum(sink[i] for sink in sinks) / len(sinks) for i in (0, 1)]
        if len(sinks) < 2 or self.load(*middle, sinks) <= MOST_PF:
            return [sinks]
        spread = [max(sink[i] for sink in sinks) - min(sink[i] for sink in sinks) for i in (0, 1)]
        ordered = sorted(sinks, key=lambda sink: sink[0 if spread[0] >= spread[1] else 1])
        return self.groups(ordered[:len(ordered) // 2]) + self.groups(ordered[len(ordered) // 2:])

    def behind(self, net, sinks):
        """The pins behind a level of buffers: their inputs."""
        inputs = []
        for group in self.groups(sinks):
            mx, my = (sum(sink[i] for sink in group) / len(group) for i in (0, 1))
            index = len(self.buffers)
            for sink in group:
                if isinstance(sink[4][0], int):
                    self.pins[sink[4][0]][sink[4][1]] = f"b{index}"
                else:
                    self.buffers[sink[4][1]][0] = f"b{index}"
            self.buffers.append([net, mx, my])
            self.tree(f"b{index}", mx, my, f"u{index}/Y", group)
            inputs.append((mx, my, BUFFER_PF, f"u{index}/A", ("buffer", index)))
        return inputs

    def drive(self, net, x, y, driver, sinks):
        """As many levels of buffers as the load needs; pins that have time first, so that those that have none are behind fewer."""
        ports = [sink for sink in sinks if sink[4] is None]
        parts = [[sink for sink in sinks if sink[4] is not None and (sink[4] in self.urgent) == urgent] for urgent in (False, True)]
        for i in (0, 1):
            while parts[i] and self.load(x, y, ports + parts[0] + parts[1]) > MOST_PF:
                before, parts[i] = len(parts[i]), self.behind(net, parts[i])
                if len(parts[i]) in (1, before):
                    break
        self.tree(net, x, y, driver, ports + parts[0] + parts[1])

    def tree(self, net, x, y, driver, sinks):
        """From the driver on, always to the nearest pin that is not there yet (Prim)."""
        if not sinks:
            return
        near = [(abs(sx - x) + abs(sy - y), driver) for sx, sy, _, _, _ in sinks]
        rest, edges = set(range(len(sinks))), []
        while rest:
            at = min(rest, key=lambda i: (near[i][0], i))
            rest.remove(at)
            edges.append((near[at][1], sinks[at][3], near[at][0]))
            for i in rest:
                length = abs(sinks[i][0] - sinks[at][0]) + abs(sinks[i][1] - sinks[at][1])
                if length < near[i][0]:
                    near[i] = (length, sinks[at][3])
        self.wires.append((net, driver, edges))
        self.um += sum(length for _, _, length in edges)

    def verilog(self):
        flat = self.placement.flat
        ports = [f"input {self.name(net)}" for net in flat.inputs] + [f"output {self.name(net)}" for net in flat.outputs]
        lines = [f"module {flow.TOP} ({', '.join(ports)});"]
        lines += [f"  {kind} c{i} ({', '.join(f'.{pin}({net})' for pin, net in self.pins[i].items())});" for i, kind in enumerate(flat.kinds)]
        lines += [f"  {BUFFER} u{i} (.A({net}), .Y(b{i}));" for i, (net, _, _) in enumerate(self.buffers)]
        return "\n".join([*lines, "endmodule"]) + "\n"

    def spef(self):
        lines = ['*SPEF "IEEE 1481-1998"', f'*DESIGN "{flow.TOP}"', '*DATE ""', '*VENDOR ""', '*PROGRAM ""', '*VERSION ""', '*DESIGN_FLOW ""', "*DIVIDER /",
                 "*DELIMITER :", "*BUS_DELIMITER []", "*T_UNIT 1 NS", "*C_UNIT 1 PF", "*R_UNIT 1 OHM", "*L_UNIT 1 HENRY", ""]
        for net, driver, edges in self.wires:
            def node(name):
                return name.replace("/", ":")

            total = sum(length for _, _, length in edges) * self.picofarad
            caps = dict.fromkeys([driver, *(to for _, to, _ in edges)], 0.0)
            for of, to, length in edges:
                caps[of], caps[to] = caps[of] + length * self.picofarad / 2, caps[to] + length * self.picofarad / 2
            lines += [f"*D_NET {net} {total:.6f}", "*CONN", *(f"*{'I' if '/' in name else 'P'} {node(name)} {way}" for name, way in
                                                            [(driver, "O" if "/" in driver else "I"), *((to, "I" if "/" in to else "O") for _, to, _ in edges)])]
            lines += ["*CAP", *(f"{i + 1} {node(name)} {pf:.6f}" for i, (name, pf) in enumerate(caps.items()))]
            lines += ["*RES", *(f"{i + 1} {node(of)} {node(to)} {max(length * self.ohm, 0.01):.4f}" for i, (of, to, length) in enumerate(edges)), "*END"]
        return "\n".join(lines) + "\n"


def timed(wired, clock_ns, library_file, what, folder):
    """(OpenSTA's reports, {(cell, pin): slack in ns} of the inputs of gates)"""
    (folder / "timed.v").write_text(wired.verilog())
    (folder / "placed.spef").write_text(wired.spef())
    script = timing.script(clock_ns, library_file).replace("clk_i", wired.name(wired.placement.flat.find("clk_i")))
    link, last = f"link_design {flow.TOP}\n", 'puts "@@ end"\n'
    pins = ('puts "@@ pins"\nforeach pin [get_pins c*/*] { if {[get_property $pin direction] == "input"} { '
            'puts "[get_property $pin full_name] [get_property $pin max_rise_slack] [get_property $pin max_fall_slack]" } }\n')
    (folder / "placed.tcl").write_text(script.replace(link, f"{link}read_spef placed.spef\n").replace(last, pins + last))
    _, text = tools.run(["sta", "-no_splash", "-exit", "placed.tcl"], what, folder)
    if "@@ end" not in text or re.search(r"^Error", text, re.MULTILINE):
        raise tools.Failure(f"{what}: OpenSTA failed: {tools.last_words(text)}")
    parts = dict(re.findall(r"^@@ (.*)\n((?:(?!@@ ).*\n)*)", text, re.MULTILINE))
    slack = {(int(cell), pin): min(float(rise), float(fall)) for cell, pin, rise, fall in re.findall(r"^c(\d+)/(\w+) (\S+) (\S+)$", parts["pins"], re.MULTILINE)
             if pin != "CLK"}
    return parts, slack


def measure(block, top, parameters, clock_ns, library, library_file, what, folder):
    """{period with ideal wires and with placed ones, buffers, length of the wires, the worst path}"""
    flow.synthesise(block, top, parameters, clock_ns, library_file, what, folder)
    ideal = timing.analyse(Netlist(folder / "netlist.v"), clock_ns, library_file, what, folder)
    flat = Flat(folder)
    not_placed = {flat.find("clk_i"), flat.find("rst_ni")}
    placement = Placement(flat, library, not_placed)
    placement.place()
    ohm, picofarad = per_um()
    best, margin = None, URGENT
    for _ in range(PASSES):
        urgent = best[3] | {pin for pin, ns in best[2].items() if ns < best[0] + margin * (clock_ns - best[0])} if best else set()
        wired = Wired(placement, ohm, picofarad, urgent)
        parts, slack = timed(wired, clock_ns, library_file, what, folder)
        if best is None or min(slack.values()) > best[0]:
            best = min(slack.values()), wired, slack, urgent, parts
        else:
            margin *= 2
    _, wired, *_, parts = best

    class Names:
        """Registers by their names in the RTL; a buffer or port keeps its number."""
        @staticmethod
        def register(instance):
            return flat.netlist.register(flat.names[int(instance[1:])]) if re.fullmatch(r"c\d+", instance) else instance

    paths = [path for path in (timing.path_of(parts.get(kind, ""), Names) for kind in timing.KINDS) if path]
    worst = min(paths, key=lambda path: path["slack_ns"])
    return {"ideal_ns": ideal["shortest_period_ns"], "placed_ns": round(clock_ns - worst["slack_ns"], 4), "start": worst["start"], "end": worst["end"],
            "stages": worst["stages"], "buffers": len(wired.buffers), "wires_mm": round(wired.um / 1000, 1), "side_um": round(placement.side, 1),
            "ohm_per_um": round(ohm, 4), "pf_per_um": round(picofarad, 6)}


def file_of(block):
    """Beside the block, for its sheet."""
    return block.folder / "wires.json"


def keep(specification, found):
    entry = {"made_from": specification.fingerprint(), "point": specification.machine, "clock_ns": specification.clock_ns, **found}
    file_of(specification.block).write_text(json.dumps(entry, indent=1) + "\n", encoding="utf-8")


def kept(specification):
    """(What --wires has found, whether of the sources as they are); None: nothing."""
    file = file_of(specification.block)
    if not file.is_file():
        return None
    there = Json.load(file, f"scripts/synth {specification.block.name} --wires writes it anew")
    found = {key: there.get(key, str) for key in ("made_from", "point", "start", "end")}
    found |= {key: there.get(key, (float, int), check=lambda value: value > 0, words="a number above 0")
              for key in ("clock_ns", "ideal_ns", "placed_ns", "wires_mm", "side_um", "ohm_per_um", "pf_per_um")}
    found |= {key: there.get(key, int, check=lambda value: value >= 0, words="a count") for key in ("stages", "buffers")}
    there.done()
    return found, found["made_from"] == specification.fingerprint()
