#!/usr/bin/python3
"""No asynchronous read is wider than a word: an array with a row for each warp is read whole, and so is either a memory of rtl/common, whose
read is synchronous, or flip-flops, which the block's synth.json says (`searched`) and its sheet counts as registers. An array of single
words is no row, so its sheet may count it as a macro's."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "synthesis"))

import blocks  # noqa: E402
import specification  # noqa: E402

ARRAY = re.compile(r"^\s*(?:logic|reg|bit)\s*\[[^;=]*?\]\s*(\w+)\s*\[([^\]:]+)\]\s*;", re.MULTILINE)


def rows(text):
    """Arrays with a row for each warp, and all arrays."""
    arrays = {name: words.strip() for name, words in ARRAY.findall(re.sub(r"//[^\n]*", "", text))}
    return {name for name, words in arrays.items() if words == "Warps"}, set(arrays)


def wrong(block, text, searched):
    whole, arrays = rows(text)
    return [f"{block}: '{name}' has a row for each warp, which is read within the clock: rtl/common/ram_1r1w.sv, or 'searched' of synth.json" for name in
            sorted(whole - searched)] + [f"{block}: 'searched' names '{name}', which is no array" for name in sorted(searched - arrays)]


def main():
    # The check finds what it is for.
    bad = "logic [Entries*8-1:0] row_mem [Warps];  // logic [7:0] no_mem [Warps];\nlogic [7:0] word_mem [Warps*Entries];\nlogic [1:0] port [3:0];\n"
    if rows(bad) != ({"row_mem"}, {"row_mem", "word_mem"}) or len(wrong("bad", bad, set())) != 1 or wrong("bad", bad, {"row_mem"}) or \
            len(wrong("bad", bad, {"row_mem", "other"})) != 1:
        sys.exit("the check does not find a row that is read within the clock")
    found, arrays = [], 0
    for block in blocks.find(ROOT / "rtl", [], "synth.json")[0]:
        text = "\n".join(file.read_text(encoding="utf-8") for file in block.sources if file.parent == block.folder)
        arrays += len(rows(text)[1])
        found += wrong(block.name, text, {name.split(".")[-1] for name in specification.Specification(block).searched})
    if found or arrays == 0:
        sys.exit("\n".join(found) or "no block has an array: the check reads none")


main()
