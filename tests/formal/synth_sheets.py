#!/usr/bin/python3
"""The sheets beside the blocks (rtl/<block>/SYNTHESIS.md, rtl/SYNTHESIS-OVERVIEW.md) are of the sources and the contracts as they are."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "synthesis"))

import blocks  # noqa: E402
import contract  # noqa: E402
import specification  # noqa: E402
import totals  # noqa: E402


def main():
    rtl = ROOT / "rtl"
    totals.load(rtl)  # is well-formed
    found, stale = blocks.find(rtl, [], "synth.json")[0], []
    overview = rtl / "SYNTHESIS-OVERVIEW.md"
    for block in found:
        fingerprint = specification.Specification(block).fingerprint()
        for sheet in (block.folder / "SYNTHESIS.md", overview):
            if not sheet.is_file() or fingerprint not in sheet.read_text(encoding="utf-8"):
                stale.append(f"{sheet.relative_to(ROOT)} is not of {block.name} {fingerprint}")
        sheet = block.folder / "SYNTHESIS.md"
        rows = contract.of(block)
        if not rows:
            stale.append(f"{block.name}/README.md states no contract")
        for what, words in rows:
            if f"| {what} | {words} |" not in sheet.read_text(encoding="utf-8"):
                stale.append(f"{sheet.relative_to(ROOT)}: the README's contract has another row '{what}'")
    if stale:
        sys.exit("\n".join(stale) + "\nThe RTL, the points or the contract have changed: scripts/synth --sheets writes them anew "
                 "(points that are the same come from out/synth/cache).")


main()
