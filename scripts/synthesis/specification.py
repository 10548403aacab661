"""rtl/<block>/synth.json: the parameter points to synthesise, the clock that is aimed at, and published costs."""

import json
import re

import constants
import tools
from blocks import Json, logic
from tools import InputError

QUANTITIES = {"area": "area", "state_bits": "bits of state", "memory_bits": "memory bits",
              "memory_bits_per_warp": "memory bits per warp", "shortest_period_ns": "shortest clock period"}


class Point:
    def __init__(self, entry):
        self.name = entry.get("name", str, check=str.strip, words="a name")
        self.parameters = entry.parameters("parameters")
        self.quick = entry.get("quick", bool, False, required=False)
        entry.done()


class Of:
    """A quantity of one point, of this block or another one."""

    def __init__(self, entry, block):
        self.block = entry.get("block", str, block, required=False)
        self.point = entry.get("point", str)
        entry.done()


class Published:
    """A published cost. Only ratios are compared: `ratio` names two points whose ratio stands beside the published one,
    `bits_per_warp`, and `bits` of a table that is there once, compare bits, which no technology changes."""

    def __init__(self, entry, block):
        self.text = entry.get("text", str)
        self.source = entry.get("source", str)
        self.compare = entry.get("compare", str, "", required=False)
        self.ratio = self.bits = self.once = None
        for ratio in [Json(entry.get("ratio", dict, required=False, words="an object") or {}, f"{entry.where}: ratio")]:
            if ratio.value:
                self.ratio = {"quantity": ratio.get("quantity", str, check=QUANTITIES.__contains__,
                                                    words=f"one of {', '.join(QUANTITIES)}"),
                              "published": ratio.get("published", (float, int), check=lambda v: v > 0,
                                                     words="a number above 0"),
                              "of": Of(Json(ratio.get("of", dict), f"{ratio.where}: of"), block),
                              "to": Of(Json(ratio.get("to", dict), f"{ratio.where}: to"), block)}
                ratio.done()
        for bits in [Json(entry.get("bits_per_warp", dict, required=False, words="an object") or {},
                          f"{entry.where}: bits_per_warp")]:
            if bits.value:
                self.bits = {"published": bits.get("published", int, check=lambda v: v > 0, words="a number above 0"),
                             "point": bits.get("point", str),
                             "memories": bits.get("memories", list, None, required=False, words="a list of memories")}
                bits.done()
        for once in [Json(entry.get("bits", dict, required=False, words="an object") or {}, f"{entry.where}: bits")]:
            if once.value:
                self.once = {"published": once.get("published", int, check=lambda v: v > 0, words="a number above 0"),
                             "point": once.get("point", str),
                             "state": once.get("state", list, words="a list of registers and memories")}
                once.done()
        entry.done()


class Specification:
    def __init__(self, block):
        file = block.folder / "synth.json"
        constants.check(block.sources)
        top = Json.load(file)
        self.block, self.file = block, file
        self.top = top.get("top", str, block.name, required=False)
        self.clock_ns = top.get("clock_ns", (float, int), check=lambda v: v > 0, words="a period in ns above 0")
        self.points = [Point(entry) for entry in top.items("points")]
        self.machine = top.get("machine", str, self.points[-1].name if self.points else "", required=False)
        self.published = [Published(entry, block.name) for entry in top.items("published", required=False)]
        self.equivalence = [Json({"at": at}, f"{file}: equivalence[{i}]").parameters("at")
                            for i, at in enumerate(top.get("equivalence", list, [], required=False, words="a list of parameters"))]
        self.per_warp = top.get("per_warp", list, [], required=False, words="a list of registers",
                                check=lambda names: all(isinstance(name, str) for name in names))
        self.searched = top.get("searched", list, [], required=False, words="a list of memories",
                                check=lambda names: all(isinstance(name, str) for name in names))
        top.done()
        if not self.points:
            raise InputError(f"{file}: 'points' is empty; at least one point is to be synthesised")
        for what in ("name", "parameters"):
            values = [getattr(p, what) for p in self.points]
            twice = next((value for i, value in enumerate(values) if value in values[:i]), None)
            if twice is not None:
                raise InputError(f"{file}: two points have the {what} {twice}")
        names = [p.name for p in self.points]
        if self.machine not in names:
            raise InputError(f"{file}: 'machine' is '{self.machine}', which is not among 'points'")
        for published in self.published:
            named = [bits["point"] for bits in (published.bits, published.once) if bits]
            if published.ratio:
                named += [of.point for of in (published.ratio["of"], published.ratio["to"]) if of.block == block.name]
            for name in named:
                if name not in names:
                    raise InputError(f"{file}: published '{published.text}' names the point '{name}', which is not "
                                     "among 'points'")

    def fingerprint(self):
        """Of what the results of the block come from: the logic of its sources, the points, the clock and where the netlist is
        compared."""
        sources = [re.sub(r"\s+", " ", logic(file.read_text())) for file in self.block.sources]
        points = [[p.name, p.parameters] for p in self.points]
        compared = self.equivalence_points()
        return tools.text_hash(json.dumps([sources, self.top, self.clock_ns, points, compared if len(compared) > 1 else compared[0]],
                                          sort_keys=True))[:12]

    def selected(self, quick):
        """All points; quick: those marked so, or else the first."""
        return [p for p in self.points if p.quick] or self.points[:1] if quick else self.points

    def equivalence_points(self):
        """Where the netlist is compared with the RTL: by default the point with the smallest product of parameters, but with two
        warps at least. With one warp the index has a bit more than there are contexts, and what the RTL leaves
        undefined for the context that is not there, the netlist decides."""
        if self.equivalence:
            return self.equivalence
        def size(point):
            product = 1
            for value in point.parameters.values():
                product *= max(value, 1)
            return product
        parameters = dict(min(self.points, key=size).parameters)
        if parameters.get("Warps") == 1:
            parameters["Warps"] = 2
        return [parameters]
