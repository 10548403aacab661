"""What checks each branch of a block's generate statements: which of them its sheet's points have, its proof, its bench, and the points at
which its netlist is compared with the RTL."""

import pathlib
import re
import tempfile

import blocks
import codes  # of scripts/proofs
import tools

PARAMETER = re.compile(r"^\s*parameter int unsigned (\w+)\s*=\s*([^,\n]+?)\s*,?\s*$", re.MULTILINE)
HEADER = ["Branch", "Where", "Points", "Proven", "Benched", "Netlist against RTL"]


def value(expression, parameters):
    """Of a SystemVerilog expression of numbers and parameters; None: there is something else in it."""
    python = re.sub(r"!(?!=)", " not ", expression.replace("&&", " and ").replace("||", " or ")).replace("/", "//")
    if not set(re.findall(r"[A-Za-z_]\w*", python)) <= {*parameters, "and", "or", "not"} or not re.fullmatch(r"[\w\s()<>=!+*/%-]+", python):
        return None
    return eval(python, {"__builtins__": {}}, dict(parameters))  # pylint: disable=eval-used


def defaults(file):
    """Of a module's parameters."""
    found = {}
    for name, expression in PARAMETER.findall(blocks.logic(file.read_text(encoding="utf-8"))):
        found[name] = value(expression, found)
    return found


class Branch:
    def __init__(self, module, label, conditions):
        self.module, self.label, self.conditions = module, label, conditions

    def taken(self, parameters):
        """None: it depends on more than the parameters."""
        values = [value(condition, parameters) for condition in self.conditions]
        return None if None in values else all(values)


def branches(file):
    """Of the module's generate statements, in the order in which they stand there."""
    found, around = [], []  # around: (indent, conditions before this branch of the statement, its own) of what a line is in
    for line in blocks.logic(file.read_text(encoding="utf-8")).splitlines():
        indent = len(line) - len(line.lstrip())
        begun = re.match(r"\s*(end else )?(?:if \((.*)\) )?begin : (gen_\w+)\s*$", line)
        if begun and (begun[1] or begun[2]):
            before = next((earlier + own[-1:] for at, earlier, own in around if at == indent), []) if begun[1] else []
            around = [entry for entry in around if entry[0] < indent]
            outer = around[-1][2] if around else []
            own = [*outer, *[f"!({condition})" for condition in before], *([begun[2]] if begun[2] else [])]
            found.append(Branch(file.stem, begun[3], own))
            around.append((indent, before, own))
        elif re.match(r"\s*end\s*$", line):
            around = [entry for entry in around if entry[0] < indent]
    return found


def proven(block):
    """[(module, parameters)] of all that the proof elaborates."""
    if not (block.folder / "formal" / "proof.json").is_file():
        return []
    checkers = sorted((block.folder / "formal").glob("*.sv"))
    top = blocks.Json.load(block.folder / "formal" / "proof.json").get("top", str)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, f"{block.name}_codes.svh").write_text(codes.include(block.sources[-1]), encoding="utf-8")
        reads = [f'read_verilog -sv -formal "{file}"' for file in [*block.sources, *checkers]]
        pathlib.Path(folder, "forms.ys").write_text("\n".join([*reads, f"hierarchy -top {top}", "dump -o forms.il"]) + "\n")
        code, text = tools.run(["yosys", "-q", "-s", "forms.ys"], block.name, pathlib.Path(folder), None, check=False)
        if code != 0:
            raise tools.Failure(f"{block.name}: yosys refused its proof:\n{tools.last_words(text)}")
        found = []
        for line in pathlib.Path(folder, "forms.il").read_text(errors="replace").splitlines():
            if line.startswith("module "):
                found.append((line.split("\\")[1], {}))
            elif line.startswith("  parameter \\"):
                words = line.split()
                number = words[2] if len(words) > 2 else "0"
                found[-1][1][words[1][1:]] = int(number.partition("'")[2], 2) if "'" in number else int(number)
    return found


def benched(block):
    """[parameters] of the points that are verilated."""
    found, loops, made_by = [], [], block.folder / f"{block.name}.cmake"
    for line in made_by.read_text(encoding="utf-8").splitlines() if made_by.is_file() else []:
        loop, made = re.match(r"\s*foreach\((\w+) (.*)\)", line), re.match(rf"\s*heddle_rtl\({block.name} \S+ ?(.*)\)", line)
        if loop:
            loops.append((loop[1], loop[2].split()))
        elif re.match(r"\s*endforeach", line):
            loops.pop()
        elif made:
            lines = [made[1]]
            for name, values in loops:
                lines = [each.replace(f"${{{name}}}", v) for each in lines for v in values]
            found += [{k: int(v) for k, v in (word.split("=") for word in each.split())} for each in lines]
    return found


def rows(specification):
    """Of the branches that a point of the sheet has."""
    block = specification.block
    own = defaults(block.sources[-1])
    points = [{**own, **point.parameters} for point in specification.points]
    benches = [{**own, **point} for point in benched(block)]
    netlists = [{**own, **parameters} for parameters in specification.equivalence_points()]
    proofs = proven(block)
    found = []
    for file in block.sources:
        for branch in branches(file):
            taken = [branch.taken({**defaults(file), **point}) for point in points]
            if not any(taken):
                continue
            yes = [any(branch.taken({**defaults(file), **parameters}) for module, parameters in proofs if module == branch.module),
                   any(branch.taken({**defaults(file), **parameters}) for parameters in benches),
                   any(branch.taken({**defaults(file), **parameters}) for parameters in netlists)]
            where = " and ".join(f"`{condition}`" for condition in branch.conditions)
            found.append([f"`{branch.module}.{branch.label}`", where, f"{sum(map(bool, taken))} of {len(taken)}",
                          *["yes" if each else "no" for each in yes]])
    return found
