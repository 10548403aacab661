"""tests/mutants/rtl.json: defects that are put into a copy of an RTL block one at a time, and what its proof says of each."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "synthesis"))

import tools  # noqa: E402
from tools import InputError  # noqa: E402

LISTED = pathlib.Path(__file__).resolve().parents[2] / "tests" / "mutants" / "rtl.json"


class Mutant:
    """As proof.SeededBug: `source`, `text` with the defect, `within`, `why`."""

    def __init__(self, entry, block, where):
        self.name, self.why, self.within = entry["name"], entry["why"], entry.get("proof", 0)
        self.survives = entry.get("survives")
        name = pathlib.PurePosixPath(entry["file"]).name
        self.source = next((source for source in block.sources if source.name == name), None)
        if self.source is None:
            raise InputError(f"{where}: {self.name}: '{entry['file']}' is not one of the block's files")
        text = self.source.read_text(encoding="utf-8")
        if text.count(entry["replace"]) != 1:
            raise InputError(f"{where}: {self.name}: the text to replace occurs {text.count(entry['replace'])} times in "
                             f"{name}; it must occur once")
        self.text = text.replace(entry["replace"], entry["with"])


def of(block, file):
    """The mutants of a block, in the order of the list; some are in a module that it shares with others."""
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{file}: {error}") from None
    return [Mutant(entry, block, file) for entry in entries if entry["name"].partition(".")[0] == block.name]


def made_from(block):
    """All that decides whether the proof finds a mutant."""
    return tools.file_hash(*block.sources, *sorted((block.folder / "formal").glob("*.sv")))


def record(block, found, listed):
    """Keeps {name: step in which the proof finds it, None: it does not} beside the proof, with what earlier runs have found in the same sources of
    mutants that are still listed."""
    earlier, current = recorded(block) or ({}, False)
    every = {**(earlier if current else {}), **found}
    found = {name: every[name] for name in listed if name in every}
    text = json.dumps({"made_from": made_from(block), "found": found}, indent=1) + "\n"
    (block.folder / "formal" / "mutants.json").write_text(text, encoding="utf-8")


def listed(block, file=LISTED):
    """Names of the block's mutants that are to be found."""
    entries = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    return [entry["name"] for entry in entries if entry["name"].partition(".")[0] == block.name and not entry.get("survives")]


def recorded(block):
    """({name: step or None}, whether of the sources as they are); None: nothing has been recorded."""
    file = block.folder / "formal" / "mutants.json"
    if not file.is_file():
        return None
    there = json.loads(file.read_text(encoding="utf-8"))
    return there["found"], there["made_from"] == made_from(block)
