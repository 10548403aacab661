"""The mapped netlist as yosys writes it: instances of cells, and the registers they hold."""

import collections
import re

from tools import Failure

INSTANCE = re.compile(r"^  (\w+) (\S+) \(\n((?:    \.\w+\(.*\),?\n)+)  \);", re.MULTILINE)
PIN = re.compile(r"^    \.(\w+)\((.*?)\),?$", re.MULTILINE)


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
