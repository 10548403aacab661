"""The mapped netlist as yosys writes it: instances of cells, and the registers they hold."""

import collections
import re

from tools import Failure

INSTANCE = re.compile(r"^  (\w+) (\S+) \(\n((?:    \.\w+\(.*\),?\n)+)  \);", re.MULTILINE)
DECLARED = re.compile(r"^\s*(?:input|output|inout|wire|reg) (?:\[(\d+):(\d+)\] )?(\\\S+|\w+)\s*;", re.MULTILINE)
CONCATENATED = re.compile(r"^  assign \{ (.*?) \} = (.*?);$", re.MULTILINE)
TERM = re.compile(r"(\d+)'b([01xz]+)|(\\\S+ |\w+)\s*(?:\[(\d+)(?::(\d+))?\])?")
DECIMAL = re.compile(r"(\d+)'d(\d+)")  # of 32 bits: so yosys writes them
PIN = re.compile(r"^    \.(\w+)\((.*?)\),?$", re.MULTILINE)


def bits_of(terms, ranges):
    """The bits of a concatenation, most significant first, each as it is written in Verilog."""
    bits = []
    terms = DECIMAL.sub(lambda number: f"{number[1]}'b{int(number[2]):b}", terms)
    for width, value, name, high, low in TERM.findall(terms):
        if value:
            bits += [f"1'b{bit}" for bit in value.rjust(int(width), "0")]
        elif high:
            bits += [f"{name}[{i}]" for i in range(int(high), int(low or high) - 1, -1)]
        elif ranges.get(name.strip()):
            first, last = ranges[name.strip()]
            bits += [f"{name}[{i}]" for i in range(first, last - 1, -1)]
        else:
            bits.append(name)
    return bits


def bit_by_bit(text):
    """Assignments to { several, nets } as assignments of bits: OpenSTA does not read the former."""
    ranges = {name: (int(high), int(low)) for high, low, name in DECLARED.findall(text) if high}

    def each(match):
        to, of = bits_of(match.group(1), ranges), bits_of(match.group(2), ranges)
        if len(to) != len(of):
            raise Failure(f"cannot divide the assignment '{match.group(0).strip()}' into bits")
        return "\n".join(f"  assign {left} = {right};" for left, right in zip(to, of))

    return CONCATENATED.sub(each, text)


class Netlist:
    def __init__(self, file):
        self.types, self.nets = {}, {}
        for kind, name, pins in INSTANCE.findall(file.read_text()):
            self.types[name] = kind
            self.nets[name] = dict(PIN.findall(pins))
        if not self.types:
            raise Failure(f"{file}: no cell in the netlist")

    def counts(self):
        return dict(sorted(collections.Counter(self.types.values()).items()))

    def register(self, instance):
        """What a flip-flop holds, by the name it has in the RTL; a cell of logic or a port keeps its own name."""
        net = self.nets.get(instance, {}).get("Q")
        if net is None:
            return instance
        name = re.sub(r"\s+", "", net.replace("\\", ""))
        return instance if re.fullmatch(r"_\d+_", name) else name
