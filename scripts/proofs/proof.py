"""rtl/<block>/formal/proof.json: what is proven of a block, and a bug that the proof must find."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "synthesis"))

import blocks  # noqa: E402
import constants  # noqa: E402
from blocks import Json  # noqa: E402
from tools import InputError  # noqa: E402


class SeededBug:
    def __init__(self, entry, block):
        name = entry.get("file", str)
        self.replace, self.by = entry.get("replace", str, check=bool, words="text"), entry.get("with", str)
        self.within = entry.get("found_within", int, check=lambda v: v > 0, words="a number of steps")
        self.why = entry.get("why", str)
        entry.done()
        self.source = next((source for source in block.sources if source.name == name), None)
        if self.source is None:
            raise InputError(f"{entry.where}: file '{name}' is not one of the block's: "
                             f"{', '.join(source.name for source in block.sources)}")
        if self.replace == self.by:
            raise InputError(f"{entry.where}: 'with' is the text that is there already")
        self.where, self.text = entry.where, None

    def seed(self):
        """`text`: the source with the bug."""
        text = self.source.read_text(encoding="utf-8")
        if text.count(self.replace) != 1:
            raise InputError(f"{self.where}: the text to replace occurs {text.count(self.replace)} times in "
                             f"{self.source.name}; it must occur once")
        self.text = text.replace(self.replace, self.by)


class Proof:
    def __init__(self, block):
        self.block = block
        self.folder = block.folder / "formal"
        self.file = file = self.folder / "proof.json"
        top = Json.load(file)
        self.top = top.get("top", str)
        self.short_top = top.get("short_top", str, self.top, required=False)
        steps = {"check": lambda v: v > 0, "words": "a number of steps"}
        self.bmc_steps = top.get("bmc_steps", int, **steps)
        self.short_steps = top.get("short_steps", int, **steps)
        self.induction_steps = top.get("induction_steps", int, 0, required=False, check=lambda v: v >= 0,
                                       words="a number of steps, 0 for none")
        self.deep_top = top.get("deep_top", str, None, required=False)
        self.deep_steps = top.get("deep_steps", int, 0, required=self.deep_top is not None, **steps)
        self.exact_top = top.get("exact_top", str, None, required=False)
        self.exact_steps = top.get("exact_steps", int, 0, required=self.exact_top is not None, **steps)
        if self.deep_top and self.deep_steps <= self.bmc_steps:
            raise InputError(f"{file}: 'deep_steps' is {self.deep_steps}, but must be more than 'bmc_steps', {self.bmc_steps}: "
                             "what 'deep_top' is for")
        if self.induction_steps >= self.bmc_steps:
            raise InputError(f"{file}: 'induction_steps' is {self.induction_steps}, but must be "
                             f"fewer than 'bmc_steps', {self.bmc_steps}: induction goes on from there")
        bug = top.get("seeded_bug", dict, required=False, words="an object")
        self.bug = SeededBug(Json(bug, f"{file}: seeded_bug"), block) if bug is not None else None
        top.done()
        self.sources = [*block.sources, *sorted(self.folder.glob("*.sv"))]
        constants.check(self.sources)
        for key, name in (("top", self.top), ("short_top", self.short_top), ("deep_top", self.deep_top), ("exact_top", self.exact_top)):
            if name and not (self.folder / f"{name}.sv").is_file():
                raise InputError(f"{file}: '{key}' is '{name}', but there is no {self.folder / name}.sv")

    def wrapper_of(self, mutant):
        """The wrapper that a mutant is put to: the smallest with as many steps."""
        if 0 < mutant.within <= self.short_steps:
            return self.short_top
        return self.deep_top if self.deep_top and mutant.within > self.bmc_steps else self.top

    def instances(self, top):
        """Names of the instances in a wrapper that has several beside each other, and states nothing itself; else [None]: it is one model."""
        wrapper = re.search(rf"\bmodule {re.escape(top)}\b.*?\bendmodule\b", blocks.logic((self.folder / f"{top}.sv").read_text(encoding="utf-8")), re.DOTALL)
        names = re.findall(r"\bu_\w+(?= \()", wrapper[0]) if wrapper else []
        stated = wrapper and re.search(r"\b(assert|assume|cover|restrict)\b", wrapper[0])
        return names if len(names) > 1 and not stated else [None]

    def check_instance(self, mutant):
        top = self.wrapper_of(mutant)
        if mutant.instance and mutant.instance not in self.instances(top):
            raise InputError(f"{mutant.name}: '{mutant.instance}' is none of the instances that {self.folder / top}.sv has beside each other")

    def seed(self):
        if self.bug is None:
            raise InputError(f"{self.file}: there is no 'seeded_bug'; a proof that finds no bug proves little")
        self.bug.seed()
