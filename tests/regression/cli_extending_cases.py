"""models/EXTENDING.md and the recipes that it links: what they print as files, as diffs and as classes is compiled, linted and proven, in a copy of what it touches."""

import pathlib
import re
import shutil
import subprocess
import sys

from cli_command import case, check

ROOT = pathlib.Path(__file__).resolve().parents[2]
INDEX = (ROOT / "models" / "EXTENDING.md").read_text()
RECIPES = list(dict.fromkeys(re.findall(r"\]\((extending/\S+?\.md)[#)]", INDEX)))  # in the order of the table, in which their diffs apply
PAGE = "\n".join([INDEX, *((ROOT / "models" / name).read_text() for name in RECIPES)])
TO_COMPILE = ("models/core/schedule/burst.cpp", "models/core/schedule/glrr.cpp", "models/core/cta/most_room.cpp", "models/throttle/throttle_unit.cpp", "platforms/gpu/registries.cpp",
              "platforms/workloads/saxpy.cpp", "platforms/workloads/registry.cpp", "tests/unit/core/scheduler_test.cpp", "tests/unit/core/policies_test.cpp")

# Classes that the pages print without a file: the headers that they need, and a namespace that they could be in.
CLASSES = {"CompareCounter": (("core/protocols/issue_tap_protocol.h", "base/stats.h", "sim/block_socket.h"), "heddle::core"),
           "TokenGate": (("core/issue/issue_stage.h",), "heddle::core"),
           "SumUnit": (("memory/partition_unit.h",), "heddle::mine"),
           "NoOperations": (("compiler/pipeline.h", "compiler/kernel_editor.h"), "heddle::mine")}


def classes():
    """The text of CLASSES as the pages have them."""
    for name, (headers, namespace) in CLASSES.items():
        printed = [text for text in re.findall(r"^```cpp\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL) if re.search(rf"^class {name}\b", text, re.MULTILINE)]
        check(len(printed) == 1, f"class {name} is printed {len(printed)} times")
        yield "".join(f'#include "{header}"\n' for header in headers) + f"namespace {namespace} {{\n{printed[0]}}}\n"


def done(*command):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, timeout=100)
    check(result.returncode == 0, f"{' '.join(map(str, command))}\n{result.stdout}{result.stderr}")


def extended(folder):
    """The files that the pages print, and copies of those that their diffs change, changed."""
    files = re.findall(r"^```cpp\n// ((?:models|platforms)/\S+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    diffs = re.findall(r"^```diff\n(--- a/(\S+)\n.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    there = sorted(f"extending/{file.name}" for file in (ROOT / "models" / "extending").iterdir())
    check(there == sorted(RECIPES), f"recipes {there}, linked are {sorted(RECIPES)}")
    check(len(files) >= 6 and len(diffs) >= 10, f"{len(files)} files and {len(diffs)} diffs on the pages")
    for name, text in files:
        check(not (ROOT / name).exists(), f"{name} is an example of a recipe and in the tree")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for text, name in diffs:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if not (folder / name).exists():
            shutil.copy(ROOT / name, folder / name)
        (folder / "one.diff").write_text(text)
        done("patch", "--fuzz=0", "-p1", "-d", folder, "-i", "one.diff")


@case
def extending_compiles_as_printed(c):
    extended(c.folder)
    one = c.folder / "all.cpp"
    one.write_text("".join(f'#include "{c.folder / name}"\n' for name in TO_COMPILE) + "".join(classes()))
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    includes = [f"-I{top / folder}" for top in (c.folder, ROOT) for folder in ("models", "platforms", "tests")]
    done(compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-DSC_CPLUSPLUS=201703L",
         '-DHEDDLE_WORKLOADS_SOURCE_DIR=""', *includes, one)


@case
def rtl_extending_lints_as_printed(c):
    extended(c.folder)
    block = c.folder / "rtl" / "warp_scheduler" / "warp_scheduler.sv"
    for gto, greedy in ((0, 1), (0, 0), (1, 0)):
        done("verilator", "--lint-only", "-Wall", f"-GGto={gto}", f"-GGreedy={greedy}", block)


@case
def rtl_extending_proves_as_printed(c):
    extended(c.folder)
    shutil.copytree(ROOT / "rtl", c.folder / "whole" / "rtl")
    shutil.copytree(c.folder / "rtl", c.folder / "whole" / "rtl", dirs_exist_ok=True)
    done(sys.executable, "-B", ROOT / "scripts" / "formal", "warp_scheduler", "--short", "--rtl", c.folder / "whole" / "rtl", "--out", c.folder / "out")
