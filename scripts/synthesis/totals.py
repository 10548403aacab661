"""rtl/tables.json: published sizes of tables that several blocks hold together, and what is here for each part of
them: bits of the same contents, and bits of a warp that the publication does not count."""

import published
from blocks import Json
from tools import InputError


class Part:
    def __init__(self, entry):
        self.what = entry.get("what", str)
        self.published = entry.get("published", int, check=lambda v: v >= 0, words="a number of bits")
        self.why = entry.get("why", str)
        self.block = entry.get("block", str, None, required=False)
        self.point = entry.get("point", str, None, required=self.block is not None)
        self.counted = entry.get("counted", list, [], required=self.block is not None, words="a list of memories")
        entry.done()


class Total:
    def __init__(self, entry):
        self.name = entry.get("name", str)
        self.published = entry.get("published", int, check=lambda v: v > 0, words="a number of bits")
        self.source = entry.get("source", str)
        self.against = entry.get("against", str, None, required=False)
        self.parts = [Part(part) for part in entry.items("parts")]
        entry.done()
        if sum(part.published for part in self.parts) != self.published:
            raise InputError(f"{entry.where}: the parts of '{self.name}' are not {self.published} bits together")


def load(rtl):
    """All totals; none where the folder of blocks has no tables.json."""
    file = rtl / "tables.json"
    if not file.is_file():
        return []
    top = Json.load(file)
    totals = [Total(entry) for entry in top.items("totals")]
    top.done()
    names = [total.name for total in totals]
    for total in totals:
        if total.against is not None and total.against not in names:
            raise InputError(f"{file}: '{total.name}' is to be compared with '{total.against}', which is not there")
    return totals


class Here:
    """A part of a total as it is here: bits of a warp that are the same contents, and those besides."""

    def __init__(self, part, specifications, results):
        result = results.get(part.block)
        point = next((p for p in result["points"] if p["point"] == part.point), None) if result else None
        self.there = point is not None
        if not self.there:
            return
        bits = published.state_per_warp(point, specifications[part.block].per_warp)
        for name in part.counted:
            if name not in bits:
                raise InputError(f"rtl/tables.json: {part.block}, {part.point}: no '{name}' for every warp; there are: "
                                 f"{', '.join(bits)}")
        self.same = sum(bits[name] for name in part.counted)
        self.besides = {name: size for name, size in bits.items() if name not in part.counted}
        self.area = point["gate_equivalents"] / point["parameters"].get("Warps", 1)


class Sum:
    """A total as it is here, of the parts that are blocks."""

    def __init__(self, total, specifications, results):
        self.total = total
        self.parts = [(part, Here(part, specifications, results) if part.block else None) for part in total.parts]
        here = [(part, found) for part, found in self.parts if found]
        self.complete = all(found.there for _, found in here)
        if self.complete:
            self.published = sum(part.published for part, _ in here)
            self.same = sum(found.same for _, found in here)
            self.besides = sum(sum(found.besides.values()) for _, found in here)
            self.area = sum(found.area for _, found in here)
            # Parts that are not blocks belong to a comparison of all bits: taken from the publication.
            self.all = self.same + self.besides + total.published - self.published


def times(value, of):
    return f"{value / of:.2f}" if of else "-"


def write(page, totals, specifications, results):
    sums = {total.name: Sum(total, specifications, results) for total in totals}
    shown = [each for each in sums.values() if each.complete]
    if not shown:
        return
    page.heading("Tables of a mechanism, bits per warp")
    page.text("**Same contents**: what the publication counts, in the memories of the blocks. **Besides**: what else the "
              "blocks hold for every warp. Registers that a block has once for all warps (the request being served, the "
              "response) are not in this table. **All**: both, and what is no block here with its published bits. Gate "
              "equivalents are those of the blocks with one warp, with all their logic.")
    page.table(["Tables", "Source", "Published", "of these, in blocks", "Same contents here", "Here : there", "Besides",
                "All, no blocks as published", "Gate equiv."],
               [[each.total.name, each.total.source, f"{each.total.published:,}", f"{each.published:,}",
                 f"{each.same:,.0f}", times(each.same, each.published), f"{each.besides:,.0f}",
                 f"{each.all:,.0f}", f"{each.area:,.0f}"] for each in shown])
    ratios = [(sums[each.total.against], each) for each in shown
              if each.total.against and sums[each.total.against].complete]
    if ratios:
        page.text("How many times smaller, in the publication and here:")
        page.table(["Tables", "than", "Published", "the parts in blocks, published", "Same contents here",
                    "All, no blocks as published", "Gate equiv., blocks alone"],
                   [[small.total.name, large.total.name, times(large.total.published, small.total.published),
                     times(large.published, small.published), times(large.same, small.same),
                     times(large.all, small.all), times(large.area, small.area)]
                    for large, small in ratios])
    page.text("Part by part:")
    rows = {}  # a row may hold parts of several totals
    for each in shown:
        for part, found in each.parts:
            row = (part.what, f"`{part.block}`, {part.point}" if part.block else "no block", f"{part.published:,}",
                   *here_of(found), part.why)
            rows.setdefault(row, []).append(each.total.name)
    page.table(["Part", "Block", "Published", "Here", "Besides", "Why they differ", "Part of"],
               [[*row, "; ".join(names)] for row, names in rows.items()])


def here_of(found):
    if not found:
        return "-", "-"
    besides = ", ".join(f"`{name}` {bits:,.0f}" for name, bits in found.besides.items())
    return f"{found.same:,.0f}", besides or "nothing"
