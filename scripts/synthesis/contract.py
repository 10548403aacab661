"""The contract of a block, as its README states it, for its sheet."""

import re


def of(block):
    """[(what, words)] of the table in the section Contract; empty: there is none."""
    readme = block.folder / "README.md"
    section = re.search(r"^## Contract\n(.*?)(?=^## |\Z)", readme.read_text(encoding="utf-8") if readme.is_file() else "", re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| ([^|]+?) \| (.+?) \|$", section.group(1) if section else "", re.MULTILINE)
    # Links lead from the README's place only.
    return [(what, re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", words)) for what, words in rows]


def write(page, block):
    rows = of(block)
    if rows:
        page.heading("Contract")
        page.table(["What", "As the block's README has it"], rows)
