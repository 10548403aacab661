#!/usr/bin/python3
"""The codes on a block's pins, from the one place that has them: enumerations with explicit values in <block>.sv.

    typedef enum logic [1:0] { OpPush = 2'd0, OpPop = 2'd1 } op_e;

Properties get them as localparams of the same names (`include "<block>_codes.svh"), C++ as
heddle::cosim::rtl::<block>::Op {kPush, kPop}, kOpCount, and kOpNames {"push", "pop"} where the values are 0, 1, 2 ...
(cosim/<block>_codes.h). An enumeration without values is the block's own, no pin carries it.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "synthesis"))

from tools import InputError  # noqa: E402

ENUM = re.compile(r"\btypedef\s+enum\s+logic\s*(\[[^\]]*\])\s*\{([^}]*)\}\s*(\w+)\s*;")
MEMBER = re.compile(r"(\w+)\s*=\s*(\d+)'d(\d+)")


class Enumeration:
    def __init__(self, width, body, name, where):
        self.width, self.name = width, name
        self.type = "".join(part.capitalize() for part in name.removesuffix("_e").split("_"))
        self.members = []  # (name, literal, value)
        for member in filter(None, (part.strip() for part in body.split(","))):
            found = MEMBER.fullmatch(member)
            if not found:
                raise InputError(f"{where}: '{member}' of {name} is no NAME = WIDTH'dVALUE; give all members a value, "
                                 "or none")
            if not found[1].startswith(self.type) or found[1] == self.type:
                raise InputError(f"{where}: '{found[1]}' is a member of {name}; call it {self.type}...")
            self.members.append((found[1], f"{found[2]}'d{found[3]}", int(found[3])))


def read(file):
    """The enumerations with values of a block's top module."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from None
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    return [Enumeration(width, body, name, file) for width, body, name in ENUM.findall(text) if "=" in body]


def include(file):
    """SystemVerilog, for the inside of a module."""
    lines = [f"// Codes of {file.name}, generated."]
    for each in read(file):
        lines += [f"localparam logic {each.width} {name} = {literal};" for name, literal, _ in each.members]
    return "\n".join(lines) + "\n"


def snake_case(name):
    return re.sub(r"(?<=.)(?=[A-Z])", "_", name).lower()


def header(file):
    """C++."""
    lines = [f"// Codes on the pins of {file.name}, generated.", "#pragma once", "", "#include <cstdint>", "",
             f"namespace heddle::cosim::rtl::{file.stem} {{", ""]
    for each in read(file):
        lines += [f"enum class {each.type} : std::uint8_t {{"]
        lines += [f"  k{name.removeprefix(each.type)} = {value}," for name, _, value in each.members]
        lines += ["};", f"inline constexpr unsigned k{each.type}Count = {len(each.members)};"]
        if [value for _, _, value in each.members] == list(range(len(each.members))):
            names = ", ".join(f'"{snake_case(name.removeprefix(each.type))}"' for name, _, _ in each.members)
            lines += [f"inline constexpr const char* k{each.type}Names[] = {{{names}}};"]
        lines += [""]
    return "\n".join([*lines, f"}}  // namespace heddle::cosim::rtl::{file.stem}"]) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: codes.py BLOCK.sv HEADER")
    try:
        text = header(pathlib.Path(sys.argv[1]))
    except InputError as error:
        sys.exit(f"error: {error}")
    pathlib.Path(sys.argv[2]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
