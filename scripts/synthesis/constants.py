"""Constants that yosys 0.23 reads wrongly."""

import re

from tools import InputError

WRONG = re.compile(r"\b(localparam|parameter)\b[^;=]*=\s*'1(?![\w'])")


def check(files):
    """Refuses `localparam logic [W-1:0] X = '1`: yosys takes it for the number 1, Verilator for all ones."""
    for file in files:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if WRONG.search(line):
                raise InputError(f"{file}:{number}: yosys takes '1 of a parameter for the number 1; write {{W{{1'b1}}}}")
