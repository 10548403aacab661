"""Results by what they depend on: sources, parameters, recipe, tool versions, cell library."""

import hashlib
import json
import os
import pathlib
import tempfile

import tools

# A change in one of these invalidates earlier results of that kind.
BOTH = ["blocks.py", "cache.py", "flow.py", "netlist.py"]
RECIPES = {"point": [*BOTH, "liberty.py", "measure.py", "timing.py"],
           "compare": [*BOTH, "equivalence.py", "simulation.py"],
           "fpga": [*BOTH, "fpga.py"]}


def hashed(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:24]


class Cache:
    def __init__(self, folder, versions, library_files, fresh):
        self.folder, self.fresh = folder, fresh
        here = pathlib.Path(__file__).parent
        self.common = [versions, tools.file_hash(*library_files)]
        self.recipes = {kind: tools.file_hash(*(here / name for name in names)) for kind, names in RECIPES.items()}

    def made_with(self):
        """All that results depend on beside a block's own files."""
        return hashed([self.common, self.recipes])

    def file(self, kind, sources, **depends):
        return self.folder / (hashed([self.common, self.recipes[kind], kind, tools.file_hash(*sources), depends]) +
                              ".json")

    def result(self, kind, sources, make, **depends):
        """(result, True if it was there already)."""
        file = self.file(kind, sources, **depends)
        if not self.fresh:
            try:
                return json.loads(file.read_text()), True
            except (OSError, json.JSONDecodeError):
                pass  # missing or unreadable: computed again
        result = json.loads(json.dumps(make()))
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(file, json.dumps(result, indent=1) + "\n")
        return result, False


def write_whole(file, text):
    """Writes a file so that it is there as a whole or not at all."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        os.chmod(name, 0o644)
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise
