"""Published costs beside ours, ratio to ratio: areas of different technologies are never compared, bits are."""

import re

from specification import QUANTITIES
from tools import InputError


def quantity_of(results, of, quantity):
    """A number of one point; None where that block or point was not synthesised."""
    result = results.get(of.block)
    point = next((p for p in result["points"] if p["point"] == of.point), None) if result else None
    if point is None:
        return None
    return {"area": point["area_um2"], "state_bits": point["memory_bits"] + point["register_bits"],
            "memory_bits": point["memory_bits"], "memory_bits_per_warp": point["memory_bits_per_warp"],
            "shortest_period_ns": point["timing"]["shortest_period_ns"]}[quantity]


def registers_named(point, name):
    """{register: bits} of those of the name, in which [*] stands for any number."""
    return {register: bits for register, bits in point["registers"].items()
            if name in (register, re.sub(r"\[\d+\]", "[*]", register))}


def state_per_warp(point, per_warp):
    """{memory, or register of those named that are there for every warp: bits of one warp}"""
    bits = {m["name"]: m["words"] * m["width"] for m in point["memories"]}
    for name in per_warp:
        if registers := registers_named(point, name):
            bits[name] = sum(registers.values())
    return {name: total / point["parameters"].get("Warps", 1) for name, total in bits.items()}


def bits_of(result, bits):
    """Memory bits of a warp at a point, of the named memories or of all."""
    point = next((p for p in result["points"] if p["point"] == bits["point"]), None)
    if point is None:
        return None
    memories = state_per_warp(point, [])
    for name in bits["memories"] or []:
        if name not in memories:
            raise InputError(f"{result['block']}, {bits['point']}: no memory '{name}', which a published cost is "
                             f"compared with; there are: {', '.join(memories)}")
    return sum(size for name, size in memories.items() if bits["memories"] is None or name in bits["memories"])


def bits_once(result, once):
    """Bits at a point of the named registers and memories."""
    point = next((p for p in result["points"] if p["point"] == once["point"]), None)
    if point is None:
        return None
    state = {**{m["name"]: m["words"] * m["width"] for m in point["memories"]}, **point["registers"]}
    for name in once["state"]:
        if name not in state:
            raise InputError(f"{result['block']}, {once['point']}: no register or memory '{name}', which a published "
                             f"cost is compared with; there are: {', '.join(state)}")
    return sum(state[name] for name in once["state"])


def rows(specification, results):
    """[published, source, what is compared, published value, ours, ours / published]"""
    found = []
    for published in specification.published:
        words = f"{published.compare}: " if published.compare else ""
        common = [published.text, published.source]
        if not published.ratio and not published.bits and not published.once:
            found.append([*common, published.compare or "-", "-", "-", "-"])
        if published.ratio:
            ratio = published.ratio
            of, to = (quantity_of(results, ratio[part], ratio["quantity"]) for part in ("of", "to"))
            names = [f"`{ratio[part].block}` at {ratio[part].point}" if ratio[part].block != specification.block.name
                     else ratio[part].point for part in ("of", "to")]
            what = f"{QUANTITIES[ratio['quantity']]}, {names[0]} : {names[1]}"
            if of is None or not to:
                found.append([*common, words + what, f"{ratio['published']:g}", "not in this run", "-"])
            else:
                found.append([*common, words + what, f"{ratio['published']:g}", f"{of / to:.2f}",
                              f"{of / to / ratio['published']:.2f}"])
        result = results[specification.block.name]
        for bits, unit, ours_of, state in ((published.bits, "bits per warp", bits_of, "memories"),
                                           (published.once, "bits", bits_once, "state")):
            if not bits:
                continue
            ours, named, wanted = ours_of(result, bits), bits[state], bits["published"]
            what = f"{unit}, {bits['point']}" + (
                ", in " + ", ".join(f"`{name}`" for name in named) if named is not None else "")
            found.append([*common, words + what, f"{wanted:,}", "not in this run" if ours is None else f"{ours:,.0f}",
                          "-" if ours is None else f"{ours / wanted:.2f}"])
    return found


HEADER = ["Published", "Source", "Compared", "There", "Here", "Here : there"]
