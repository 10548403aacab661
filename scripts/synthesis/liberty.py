"""What the cells of a liberty file cost, and which of them hold state."""

import re

from tools import Failure

CELL = re.compile(r"^\s*cell\s*\(\s*\"?(\w+)\"?\s*\)\s*\{", re.MULTILINE)
EQUIVALENT = "NAND2X1"  # a gate equivalent


class Library:
    def __init__(self, file):
        text = file.read_text(errors="replace")
        starts = [(match.group(1), match.start()) for match in CELL.finditer(text)]
        self.area, self.state = {}, set()
        for (name, start), end in zip(starts, [start for _, start in starts[1:]] + [len(text)]):
            body = text[start:end]
            area = re.search(r"\barea\s*:\s*([0-9.]+)", body)
            self.area[name] = float(area.group(1)) if area else 0.0
            if re.search(r"\b(ff|latch)\s*\(", body):
                self.state.add(name)
        if self.area.get(EQUIVALENT, 0.0) <= 0.0:
            raise Failure(f"{file}: no cell {EQUIVALENT} with an area, which gate equivalents are counted in")

    def gate_equivalents(self, area):
        return area / self.area[EQUIVALENT]
