"""Every output of a block broken by itself, in a copy: its lowest bit flipped, or all of it a clock late. What no proof finds is an output, or the
clock of one, that no property is about. All share the gates of one model: which output is broken is a free input until then."""

import pathlib
import re

import model_check
import tools
from tools import InputError

OUTPUT = re.compile(r"^\s*,?\s*output\s+logic\s*(\[[^\n]*?\])?\s*(\w+_o)\b", re.MULTILINE)
FORMAL = re.compile(r"(^`ifdef FORMAL\n.*?^`endif\n)", re.MULTILINE | re.DOTALL)
WAYS = ("flipped", "late")


class Broken:
    """As proof.SeededBug: `source`, `text` with a switch for each output, `outputs`. The block's own properties see the pins, its logic does not."""

    def __init__(self, block):
        self.source = block.sources[-1]
        text = self.source.read_text(encoding="utf-8")
        head, end, body = text.partition("\n);\n")
        if not end:
            raise InputError(f"{self.source}: the end of its ports, ');' in a line, is not there")
        ports = [(width or "", name) for width, name in OUTPUT.findall(head) if not name.startswith("formal_")]
        self.outputs = [name for _, name in ports]
        names = re.compile(rf"(\.?)\b({'|'.join(self.outputs)})\b(\s*\()?")  # a port of another module may have the same name
        parts = FORMAL.split(body)
        parts[::2] = [names.sub(lambda m: f"{m[2]}_whole{m[3] or ''}" if not m[1] else m[0] if m[3] else f".{m[2]}({m[2]}_whole)", part)
                      for part in parts[::2]]
        switches = [f"  (* anyseq *) logic [{len(ports) - 1}:0] field_{way};" for way in WAYS]
        made = [f"  logic {width} {name}_whole, {name}_late;\n  always_ff @(posedge clk_i) {name}_late <= {name}_whole;\n"
                f"  assign {name} = field_late[{k}] ? {name}_late : {name}_whole ^ field_flipped[{k}];" for k, (width, name) in enumerate(ports)]
        self.text = "\n".join([head + end, *switches, *made, "".join(parts)])


class Model(model_check.Model):
    """The gates of the block with switches; `broken` gives those with one of them on."""

    def __init__(self, proof, folder, bug, limit, top, instance):
        super().__init__(proof, folder, bug, limit, top, instance, keep="gates.il")
        self.yosys(["read_rtlil gates.il", *(f"tee -q -o {way}.txt select -list w:*.field_{way}" for way in WAYS)])
        self.switches = {way: [line.partition("/")[2] for line in (folder / f"{way}.txt").read_text().splitlines()] for way in WAYS}
        self.count = len(bug.outputs)

    def yosys(self, script):
        (self.folder / "fields.ys").write_text("\n".join(script) + "\n")
        code, text = tools.run(["yosys", "-q", "-s", "fields.ys"], self.proof.block.name, self.folder, self.limit, check=False)
        if code != 0:
            raise tools.Failure(f"{self.proof.block.name}: yosys refused the model:\n{tools.last_words(text)}")

    def write(self, asked):
        """The gates for all of [(way, output's number)], in one run."""
        script = ["read_rtlil gates.il", "chformal -cover -remove"]
        for way, number in asked:
            script += ["design -push-copy"]
            for other in WAYS:
                bits = format(1 << number if other == way else 0, f"0{self.count}b")
                script += [f"connect -set {name} {self.count}'b{bits}" for name in self.switches[other]]
            script += ["opt_clean", f"write_aiger -zinit -no-startoffset {way}_{number}.aig", "design -pop"]
        self.yosys(script)

    def found(self, way, number, steps):
        """Step in which a property fails, or None."""
        text = self.abc(f"{way}_{number}", f"bmc3 -F {steps}")
        failed = re.search(r"was asserted in frame (\d+)\.", text)
        if failed is None and f"No output asserted in {steps} frames" not in text:
            raise self.no_verdict("yosys-abc", text)
        return failed and int(failed[1])


def steps_of(proof, top, folder, limit, steps):
    """{(way, output): step in which the proof finds it, or None}; instances of the wrapper are asked one after another about what is left."""
    bug = Broken(proof.block)
    found = {(way, name): None for name in bug.outputs for way in WAYS}
    for instance in proof.instances(top):
        left = [(way, bug.outputs.index(name)) for (way, name), step in found.items() if step is None]
        if not left:
            break
        place = pathlib.Path(folder) / str(instance)
        place.mkdir()
        model = Model(proof, place, bug, limit, top, instance)
        model.write(left)
        for way, number in left:
            found[way, bug.outputs[number]] = model.found(way, number, steps)
    return found
