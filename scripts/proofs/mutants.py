"""tests/mutants/rtl.json: defects that are put into a copy of an RTL block one at a time, and what its proof says of each."""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "synthesis"))

import tools  # noqa: E402
from blocks import Json  # noqa: E402
from tools import InputError  # noqa: E402

LISTED = pathlib.Path(__file__).resolve().parents[2] / "tests" / "mutants" / "rtl.json"


class Mutant:
    """As proof.SeededBug: `source`, `text` with the defect, `within`, `why`; `instance`: the one in the wrapper that it is put to."""

    def __init__(self, entry, block, where):
        self.name, self.why, self.within = entry["name"], entry["why"], entry.get("proof", 0)
        self.survives, self.instance = entry.get("survives"), entry.get("instance")
        name = pathlib.PurePosixPath(entry["file"]).name
        self.source = next((source for source in block.sources if source.name == name), None)
        if self.source is None:
            raise InputError(f"{where}: {self.name}: '{entry['file']}' is not one of the block's files")
        text = self.source.read_text(encoding="utf-8")
        if text.count(entry["replace"]) != 1:
            raise InputError(f"{where}: {self.name}: the text to replace occurs {text.count(entry['replace'])} times in "
                             f"{name}; it must occur once")
        self.text = text.replace(entry["replace"], entry["with"])


def entries(block, file):
    """The list's entries of a block; scripts/mutants checks what a proof does not ask for."""
    every = Json.read(file)
    if not isinstance(every, list):
        raise InputError(f"{file}: a list [...] of mutants is expected")
    for i, entry in enumerate(every):
        there = Json(entry, f"{file}: [{i}]")
        for key in ("name", "file", "replace", "with", "why"):
            there.get(key, str, words="text")
        there.get("proof", int, 0, required=False, check=lambda steps: steps >= 0, words="a number of steps, 0 for none")
        there.get("instance", str, "", required=False, words="the name of an instance in the proof's wrapper")
    return [entry for entry in every if entry["name"].partition(".")[0] == block.name]


def of(block, file):
    """The mutants of a block, in the order of the list; some are in a module that it shares with others."""
    return [Mutant(entry, block, file) for entry in entries(block, file)]


def made_from(block):
    """All that decides whether the proof finds a mutant: the block, and what the wrappers are made of that mutants are put to."""
    proof, formal = block.folder / "formal" / "proof.json", {file.stem: file for file in (block.folder / "formal").glob("*.sv")}
    asked = json.loads(proof.read_text(encoding="utf-8")) if proof.is_file() else {}
    names = [asked[key] for key in ("top", "short_top", "deep_top") if key in asked] if asked else list(formal)
    texts, used = [source.read_text(encoding="utf-8") for source in block.sources], set()
    names += [name for name in formal for text in texts if re.search(rf"\b{name}\b", text)]
    while names:
        name = names.pop()
        if name not in formal or name in used:
            continue
        used.add(name)
        text = formal[name].read_text(encoding="utf-8")
        names += [other for other in formal if re.search(rf"\b{other}\b", text)]
    return tools.file_hash(*block.sources, *(formal[name] for name in sorted(used)))


def record(block, found, listed):
    """Keeps {name: step in which the proof finds it, None: it does not} beside the proof, with what earlier runs have found in the same sources of
    mutants that are still listed. Nothing asked, nothing kept. Gives how many results of other sources this replaces."""
    if not found:
        return 0
    earlier, current = recorded(block) or ({}, True)
    every = {**(earlier if current else {}), **found}
    found = {name: every[name] for name in listed if name in every}
    text = json.dumps({"made_from": made_from(block), "found": found}, indent=1) + "\n"
    kept_in(block).write_text(text, encoding="utf-8")
    return 0 if current else len(earlier)


def kept_in(block):
    return block.folder / "formal" / "mutants.json"


def listed(block, file=LISTED):
    """Names of the block's mutants that are to be found."""
    return [entry["name"] for entry in (entries(block, file) if file.is_file() else []) if not entry.get("survives")]


def recorded(block):
    """({name: step or None}, whether of the sources as they are); None: nothing has been recorded."""
    file = kept_in(block)
    if not file.is_file():
        return None
    remedy = f"delete it, and scripts/formal {block.name} --mutants --record writes it anew"
    there = Json.load(file, remedy)
    sources, found = there.get("made_from", str), Json(there.get("found", dict), f"{file}: found", remedy)
    there.done()
    for name, step in found.value.items():
        if step is not None:
            found.get(name, int, check=lambda value: value >= 0, words="a step, or null")
    return (found.value, sources == made_from(block)) if found.value else None
