"""The RTL blocks of rtl/, a folder each, and the JSON files that say what is to be done with them."""

import difflib
import json
import pathlib
import re

from tools import InputError

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Block:
    def __init__(self, folder):
        self.folder = folder
        self.name = folder.name
        own = [*sorted(file for file in folder.glob("*.sv") if file.stem != self.name), folder / f"{self.name}.sv"]
        text = "".join(file.read_text(encoding="utf-8") for file in own)
        # Modules that several blocks share, of which this one uses these; the top module last.
        shared = [file for file in sorted((folder.parent / "common").glob("*.sv")) if re.search(rf"^\s*{file.stem} ", text, re.MULTILINE)]
        self.sources = [*shared, *own]

    def canonical(self):
        """{file name: its text without comments, line breaks and what is there for proofs alone}"""
        return {file.name: canonical(file.read_text(encoding="utf-8")) for file in self.sources}


def logic(text):
    """Without `ifdef FORMAL ... `endif (there is none within another, and none with an `else), what refuses parameters, and comments."""
    no_logic = r"^`ifdef FORMAL\n.*?^`endif\n|^  if \([^\n]*\) begin : gen_illegal\n.*?^  end\n"
    return re.sub(r"//.*|/\*.*?\*/", "", re.sub(no_logic, "", text, flags=re.MULTILINE | re.DOTALL))


def canonical(text):
    """Its logic, each directive in a line and all between two of them in one."""
    lines = []
    for line in (" ".join(line.split()) for line in logic(text).splitlines()):
        if not line:
            continue
        if lines and not line.startswith("`") and not lines[-1].startswith("`"):
            lines[-1] += " " + line
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def nearest(name, names):
    close = difflib.get_close_matches(name, list(names), 1, 0.5)
    return f"; did you mean '{close[0]}'?" if close else f"; there are: {', '.join(sorted(names))}"


def find(rtl, names, needed):
    """The named blocks, or all that have the file `needed`; of these the ones without it are given as well."""
    if not rtl.is_dir():
        raise InputError(f"there is no folder '{rtl}'")
    there = {folder.name: Block(folder) for folder in sorted(rtl.iterdir()) if (folder / f"{folder.name}.sv").is_file()}
    if not there:
        raise InputError(f"no block in '{rtl}': a block is a folder with a file of its name, <block>/<block>.sv")
    for name in names:
        if name not in there:
            raise InputError(f"no block '{name}' in {rtl}{nearest(name, there)}")
        if not (there[name].folder / needed).is_file():
            raise InputError(f"block '{name}' has no {needed} (rtl/README.md says what belongs into it)")
    wanted = [there[name] for name in (dict.fromkeys(names) if names else there)]
    return ([block for block in wanted if (block.folder / needed).is_file()],
            [block.name for block in wanted if not (block.folder / needed).is_file()])


class Json:
    """An object of a JSON file, read key by key: wrong kinds, missing and unknown keys are errors with their place."""

    def __init__(self, value, where, remedy=""):
        self.value, self.where, self.remedy, self.asked = value, where, remedy and f"; {remedy}", set()
        if not isinstance(value, dict):
            raise self.wrong("an object {...} is expected")

    @staticmethod
    def read(file, remedy=""):
        """The value in a file, of any kind."""
        after = remedy and f"; {remedy}"
        try:
            return json.loads(file.read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise InputError(f"{file}:{error.lineno}:{error.colno}: {error.msg}{after}") from None
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"{file}: {error}{after}") from None

    @staticmethod
    def load(file, remedy=""):
        return Json(Json.read(file, remedy), str(file), remedy)

    def wrong(self, what):
        return InputError(f"{self.where}: {what}{self.remedy}")

    def get(self, key, kind, default=None, required=True, check=None, words=""):
        self.asked.add(key)
        if key not in self.value:
            if required:
                raise self.wrong(f"'{key}' is missing")
            return default
        value = self.value[key]
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds) or \
                (check is not None and not check(value)):
            raise self.wrong(f"'{key}' is {json.dumps(value)}; {words or kinds[0].__name__} is expected")
        return value

    def items(self, key, required=True):
        values = self.get(key, list, [], required, words="a list")
        return [Json(value, f"{self.where}: {key}[{i}]", self.remedy.removeprefix("; ")) for i, value in enumerate(values)]

    def parameters(self, key, required=True):
        """Module parameters: names with whole numbers."""
        values = self.get(key, dict, {}, required, words="an object")
        for name, value in values.items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise self.wrong(f"parameter {name} is {json.dumps(value)}; a whole number is expected")
        return values

    def done(self):
        for key in self.value:
            if key not in self.asked:
                raise self.wrong(f"unknown key '{key}'{nearest(key, self.asked)}")
