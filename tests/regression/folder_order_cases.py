#!/usr/bin/python3
"""Allowed dependencies: the includes of every source against the order of the folders (models/ARCHITECTURE.md).

* models: in the order of models/CMakeLists.txt. A library includes itself and those above it; it links no other.
  Within models/core folders and files have an order as well (CORE).
* rtl: models.
* platforms: in the order of platforms/CMakeLists.txt, and of these only what PLATFORMS says; rtl is for the command.
* tb: models, rtl, platforms.  tests: everything.

And how long a file may be.

folder_order_cases.py --list prints the names of the cases; folder_order_cases.py CASE runs one."""

import argparse
import os
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {".h", ".hpp", ".cpp", ".cc"}
# Where the compiler looks (scripts/cmake/HeddleTargets.cmake), and what some test programs add.
INCLUDE_FOLDERS = ("models", "platforms", "rtl", "tb", "tests", "tests/unit")
# Which other libraries a library of platforms includes, and whether it includes the RTL.
PLATFORMS = {
    "platforms/gpu": (),
    "platforms/heddle": ("platforms/gpu",),
    "platforms/workloads": (),
    "platforms/microbench": ("platforms/gpu",),
    "platforms/native": (),
    "platforms/correlation": (),
    "platforms/results": (),
    "platforms/report": ("platforms/results",),
    "platforms/runtime": (),
    "platforms/cli": ("platforms/gpu", "platforms/workloads", "platforms/microbench", "platforms/native", "platforms/correlation", "platforms/results",
                      "platforms/report", "platforms/runtime", "rtl/cosim"),
}
# All that a library may include besides itself: a front end decodes and decides nothing, energy knows names of statistics only.
ONLY = {"models/frontend/ptx": ("models/base", "models/isa"), "models/frontend/sass": ("models/base", "models/isa"),
        "models/energy": ("models/base",)}
# Libraries above it that a library may not include: memory serves any client.
APART = {"models/memory": ("models/core",)}
# Parts of the core, those first that may include the least: what the paths of their files begin with.
CORE = ("memory_counters.h", "async_copies.h", "warp_context.h", "protocols/", "schedule/", "config", "core_extension.h", "state/", "fetch/", "memory/",
        "observe/", "issue/", "cta/", "execute/", "core")
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')
GENERATED = re.compile(r"V[A-Z]\w*\.h|cosim/\w+_codes\.h")  # by Verilator, by scripts/proofs/codes.py
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def subfolders(root, folder):
    """The libraries of a folder, in the order of its CMakeLists.txt."""
    text = (root / folder / "CMakeLists.txt").read_text(encoding="utf-8")
    return [f"{folder}/{name}" for name in re.findall(r"^\s*add_subdirectory\((\S+)\)", text, re.MULTILINE)]


def core_part(file):
    """Its number in CORE: the longest beginning counts."""
    name = file.removeprefix("models/core/")
    parts = [part for part in CORE if name.startswith(part)]
    check(parts, f"{file}: is in no part of the core")
    return CORE.index(max(parts, key=len))


class Tree:
    """The libraries of a source tree, what each may include, and what is wrong with it."""

    def __init__(self, root):
        self.root = root
        models, platforms = subfolders(root, "models"), subfolders(root, "platforms")
        self.allowed, known = {}, set()
        for library in models:
            known.add(library)
            self.allowed[library] = {library, *ONLY[library]} if library in ONLY else known - set(APART.get(library, ()))
        self.allowed["rtl/cosim"] = known | {"rtl/cosim"}
        above = set()
        for library in platforms:
            above.add(library)
            self.allowed[library] = known | {library} | set(PLATFORMS.get(library, above))
        everything = known | {"rtl/cosim"} | set(platforms)
        for library in ("tb/blocks", "tb/examples"):
            everything.add(library)
            self.allowed[library] = set(everything)
        self.platforms = platforms
        self.files = sorted(file.relative_to(root).as_posix() for top in ("models", "platforms", "rtl", "tb")
                            for file in (root / top).rglob("*") if file.suffix in SOURCES)
        self.problems = []
        self.includes = {}  # by file: (line, file included)
        for file in self.files:
            self.read(file)
        self.find_cycles()
        self.read_links(models)

    def library(self, file):
        """The library that a file belongs to; tests have none."""
        for library in self.allowed:
            if file.startswith(library + "/"):
                return library
        return "tests" if file.startswith("tests/") else None

    def resolve(self, file, name):
        for folder in (os.path.dirname(file), *INCLUDE_FOLDERS):
            path = os.path.normpath(os.path.join(folder, name)).replace(os.sep, "/")
            if (self.root / path).is_file():
                return path
        return None

    def read(self, file):
        library = self.library(file)
        if library is None:
            self.problems.append(f"{file}: is in no folder of the order")
            return
        self.includes[file] = []
        for number, text in enumerate((self.root / file).read_text(encoding="utf-8").splitlines(), 1):
            found = INCLUDE.match(text)
            if not found:
                continue
            name = found[1] or found[2]
            target = self.resolve(file, name)
            if target is None:
                if name == "cli/commit_text.h" and library == "platforms/cli":  # by scripts/cmake/WriteCommit.cmake
                    continue
                if found[1] and not GENERATED.fullmatch(name):
                    self.problems.append(f"{file}:{number}: includes {name}, which is no file")
                elif GENERATED.fullmatch(name) and not library.startswith(("rtl/", "tb/")):
                    self.problems.append(f"{file}:{number}: {library} includes {name}, which is made of RTL")
                continue
            self.includes[file].append((number, target))
            self.judge(file, number, library, target)

    def judge(self, file, number, library, target):
        known = self.library(target)
        if library == known == "models/core" and core_part(file) < core_part(target):
            self.problems.append(f"{file}:{number}: includes {target}, which is above it in the core")
        if known not in self.allowed[library]:
            self.problems.append(f"{file}:{number}: {library} includes {target}, which it may not include")

    def find_cycles(self):
        """Headers that include each other."""
        state = {}

        def visit(file, path):
            state[file] = "open"
            for number, target in self.includes.get(file, ()):
                if state.get(target) == "open":
                    self.problems.append(f"{file}:{number}: closes a cycle of includes: "
                                         + " -> ".join([*path[path.index(target):], target]))
                elif target not in state and target in self.includes:
                    visit(target, [*path, target])
            state[file] = "done"

        for file in self.files:
            if file not in state:
                visit(file, [file])

    def read_links(self, models):
        """heddle_library(... LINK ...) of the models, against the same order."""
        libraries, links = {}, []
        for library in models:
            cmake = f"{library}/CMakeLists.txt"
            if not (self.root / cmake).is_file():
                continue
            text = re.sub(r"#.*", "", (self.root / cmake).read_text(encoding="utf-8"))
            for name, arguments in re.findall(r"heddle_library\((\w+)([^)]*)\)", text):
                libraries[name] = library
                if "LINK" in arguments.split():
                    links += [(library, cmake, other) for other in arguments.split("LINK")[1].split()]
        for library, cmake, other in links:
            if other in libraries and libraries[other] not in self.allowed[library]:
                self.problems.append(f"{cmake}: links {other}, which {library} may not")


@case
def folders_include_only_what_is_above_them():
    tree = Tree(ROOT)
    check(not tree.problems, "\n" + "\n".join(tree.problems))
    check(len(tree.files) > 500, f"only {len(tree.files)} sources")


@case
def the_table_of_platforms_follows_their_order():
    order = subfolders(ROOT, "platforms")
    check(order == list(PLATFORMS), f"platforms/CMakeLists.txt: {order}, the table here: {list(PLATFORMS)}")
    for library, knows in PLATFORMS.items():
        for other in knows:
            check(other == "rtl/cosim" or order.index(other) < order.index(library), f"{library} knows {other}")


@case
def the_order_is_that_of_the_page():
    """models/ARCHITECTURE.md names the libraries in the order of CMakeLists.txt."""
    page = (ROOT / "models" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = page[page.index("## Allowed dependencies"):]
    section = section[:section.index("\n## ")]
    rows = re.findall(r"^\| `((?:models|platforms|rtl|tb)/[\w/]+)` \|", section, re.MULTILINE)
    order = [*subfolders(ROOT, "models"), "rtl/cosim", *PLATFORMS, "tb/blocks", "tb/examples"]
    check(rows == order, f"{rows} instead of {order}")


@case
def exceptions_are_those_of_the_page():
    """Its table names all that a library of ONLY may include, and what a library of APART may not."""
    page = (ROOT / "models" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = page[page.index("## Allowed dependencies"):]
    may = dict(re.findall(r"^\| `(models/[\w/]+)` \| ([^|]*) \|", section[:section.index("\n## ")], re.MULTILINE))
    names = {library: tuple("models/" + name for name in re.findall(r"`(?:models/)?(\w+)`", text)) for library, text in may.items()}
    only = {library: named for library, named in names.items() if named and "but" not in may[library]}
    check(only == ONLY, f"{only} instead of {ONLY}")
    apart = {library: named for library, named in names.items() if "but" in may[library]}
    check(apart == APART, f"{apart} instead of {APART}")


@case
def the_order_of_the_core_is_that_of_the_page():
    page = (ROOT / "models" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    line = next(line for line in page.splitlines() if line.startswith("Within `models/core`"))
    parts = tuple(re.findall(r"`([\w/.*]+)`", line[line.index(":"):]))
    names = tuple(part + "*" if part in ("config", "core") else part for part in CORE)
    check(parts == names, f"{parts} instead of {names}")


MOST_LINES = 470  # one concept a file, around 400 lines at most (models/ARCHITECTURE.md); some tables and benches are longer
LONGER = {"tests/unit/tm/explorer.h": 540}  # one class: the units under test, the network between them and the history


@case
def files_can_be_held_in_the_head():
    folders = ("models", "platforms", "rtl", "tb", "tests", "scripts")
    long = {}
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*")):
        if path.is_file() and path.suffix in SOURCES | {".py", ".sv", ".cu"}:
            name = path.relative_to(ROOT).as_posix()
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > LONGER.get(name, MOST_LINES):
                long[name] = lines
    check(not long, f"longer than {MOST_LINES} lines: {long}")
    for name in LONGER:
        check(len((ROOT / name).read_text(encoding="utf-8").splitlines()) > MOST_LINES, f"{name} is no exception any more")


# ---- The checks find what they are for

def seeded(folder, files):
    """A small tree in order, with `files` written over it."""
    tree = {
        "models/CMakeLists.txt": "add_subdirectory(base)\nadd_subdirectory(isa)\nadd_subdirectory(analysis)\n"
                                 "add_subdirectory(frontend/ptx)\nadd_subdirectory(frontend/sass)\nadd_subdirectory(core)\n",
        "models/base/CMakeLists.txt": "heddle_library(heddle_base SOURCES a.cpp)\n",
        "models/isa/CMakeLists.txt": "heddle_library(heddle_isa SOURCES a.cpp LINK heddle_base)\n",
        "models/base/ids.h": "#include <vector>\n",
        "models/isa/kernel.h": '#include "base/ids.h"\n',
        "models/analysis/cfg.h": '#include "isa/kernel.h"\n',
        "models/frontend/ptx/decode.cpp": '#include "isa/kernel.h"\n',
        "models/frontend/sass/decode.cpp": '#include "frontend/sass/words.h"\n#include "base/ids.h"\n',
        "models/frontend/sass/words.h": '#include "isa/kernel.h"\n',
        "models/core/core.cpp": '#include "core/issue/stage.h"\n',
        "models/core/issue/stage.h": '#include "core/protocols/unit.h"\n',
        "models/core/protocols/unit.h": "",
        "models/core/core_extension.h": "",
        "rtl/cosim/twin.cpp": '#include "VBlock.h"\n#include "isa/kernel.h"\n',
        "platforms/CMakeLists.txt": "add_subdirectory(gpu)\nadd_subdirectory(cli)\n",
        "platforms/gpu/gpu.h": '#include "isa/kernel.h"\n',
        "platforms/cli/main.cpp": '#include "cosim/../cosim/twins.h"\n#include "gpu/gpu.h"\n',
        "rtl/cosim/twins.h": "",
        "tb/blocks/bench.cpp": '#include "gpu/gpu.h"\n#include "cosim/twins.h"\n',
        "tb/examples/own/own.cpp": '#include "local.h"\n',
        "tb/examples/own/local.h": '#include "gpu/gpu.h"\n',
        "tests/unit/rig.h": "",
    }
    tree.update(files)
    for name, text in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Tree(folder).problems


@case
def seeded_violations_are_found():
    includes = {
        "models/base/ids.h": 'first\n#include "isa/kernel.h"\n',                     # upwards, and a cycle
        "models/isa/names.h": '#include <analysis/cfg.h>\n',                          # in angle brackets
        "models/analysis/rtl.cpp": '\n\n#include "cosim/twins.h"\n',                  # models know no RTL
        "models/frontend/ptx/builder.cpp": '#  include "analysis/cfg.h"\n',           # above it, and apart
        "models/frontend/sass/text.cpp": '#include "frontend/ptx/tree.h"\n',           # above it, and apart
        "models/frontend/ptx/tree.h": "",
        "models/frontend/sass/CMakeLists.txt": "heddle_library(heddle_sass SOURCES a.cpp LINK heddle_isa heddle_analysis)\n",
        "models/analysis/CMakeLists.txt": "heddle_library(heddle_analysis SOURCES a.cpp LINK heddle_isa)\n",
        "models/frontend/ptx/late.cpp": '#include "gpu/gpu.h"\n',                     # models know no platform
        "models/core/protocols/other.h": '#include "core/issue/stage.h"\n',               # a stage
        "models/core/core_extension.h": '#include "core/issue/stage.h"\n',
        "rtl/cosim/other.cpp": '#include "gpu/gpu.h"\n',
        "platforms/gpu/device.cpp": '#include "blocks/checker.h"\n',
        "tb/blocks/checker.h": "",
        "platforms/gpu/block.cpp": '#include "VBlock.h"\n',
        "tb/blocks/other.cpp": '#include "unit/rig.h"\n',
        "models/isa/lost.cpp": '#include "isa/nowhere.h"\n',
        "models/base/CMakeLists.txt": "heddle_library(heddle_base SOURCES a.cpp\n  LINK heddle_isa)\n",
        "models/new/thing.h": "",                                                     # not in CMakeLists.txt
    }
    expected = ["models/base/ids.h:2: models/base includes models/isa/kernel.h", "closes a cycle of includes",
                "models/isa/names.h:1: models/isa includes models/analysis/cfg.h",
                "models/analysis/rtl.cpp:3: models/analysis includes rtl/cosim/twins.h",
                "models/frontend/ptx/builder.cpp:1: models/frontend/ptx includes models/analysis/cfg.h",
                "models/frontend/sass/text.cpp:1: models/frontend/sass includes models/frontend/ptx/tree.h",
                "models/frontend/sass/CMakeLists.txt: links heddle_analysis",
                "models/frontend/ptx/late.cpp:1: models/frontend/ptx includes platforms/gpu/gpu.h",
                "models/core/protocols/other.h:1: includes models/core/issue/stage.h, which is above it in the core",
                "models/core/core_extension.h:1: includes models/core/issue/stage.h, which is above it in the core",
                "rtl/cosim/other.cpp:1: rtl/cosim includes platforms/gpu/gpu.h",
                "platforms/gpu/device.cpp:1: platforms/gpu includes tb/blocks/checker.h",
                "platforms/gpu/block.cpp:1: platforms/gpu includes VBlock.h, which is made of RTL",
                "tb/blocks/other.cpp:1: tb/blocks includes tests/unit/rig.h",
                "models/isa/lost.cpp:1: includes isa/nowhere.h, which is no file",
                "models/base/CMakeLists.txt: links heddle_isa",
                "models/new/thing.h: is in no folder of the order"]
    with tempfile.TemporaryDirectory() as folder:
        check(seeded(pathlib.Path(folder), {}) == [], "a tree in order is refused")
    with tempfile.TemporaryDirectory() as folder:
        problems = seeded(pathlib.Path(folder), includes)
    for text in expected:
        check(sum(text in problem for problem in problems) == 1, f"'{text}' is not found once in {problems}")
    check(len(problems) == len(expected), f"more than that: {problems}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("case", nargs="?", choices=CASES)
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(CASES))
        return
    if not arguments.case:
        parser.error("give a case")
    try:
        CASES[arguments.case]()
    except AssertionError as error:
        sys.exit(f"FAILED: {error}")


main()
