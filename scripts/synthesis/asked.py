"""rtl/requests.json (scripts/requests): what GPU runs ask the blocks, and how busy they are."""

from blocks import Json

REMEDY = "scripts/requests writes it anew"


def load(block):
    """All of the file, checked; None: no run has been counted."""
    file = block.folder.parent / "requests.json"
    if not file.is_file():
        return None
    top = Json.load(file, REMEDY)
    found = {key: top.get(key, kind) for key, kind in (("platform", str), ("size", str), ("classes", dict), ("blocks", dict))}
    top.done()
    classes = Json(found["classes"], f"{file}: classes", REMEDY)
    for name in found["classes"]:
        classes.get(name, list, check=lambda names: all(isinstance(each, str) for each in names), words="a list of workloads")
    for name, counted in found["blocks"].items():
        of_block = Json(counted, f"{file}: blocks: {name}", REMEDY)
        for each in of_block.value:
            if each not in found["classes"]:
                raise of_block.wrong(f"'{each}' is not among 'classes'")
            counts = Json(of_block.get(each, dict), f"{of_block.where}: {each}", REMEDY)
            counts.get("timing", str, check=("contract", "ideal").__contains__, words="'contract' or 'ideal'")
            for key in ("core_cycles", "clocks", "busy_clocks", "most"):
                counts.get(key, int, check=lambda value: value >= 0, words="a count")
            operations = Json(counts.get("operations", dict), f"{counts.where}: operations", REMEDY)
            for operation in operations.value:
                operations.get(operation, int, check=lambda value: value >= 0, words="a count")
            counts.done()
    return found


def of(block):
    """{class: counts} of a block; None: no run has been counted."""
    there = load(block)
    return there and there["blocks"].get(block.name)


def requests(counts):
    return sum(counts["operations"].values())


def a_cycle(counts):
    """Requests a core cycle of one instance; of a block that is clocked, of the cycles in which its core is awake."""
    return requests(counts) / max(1, counts["clocks"] if counts["timing"] == "contract" else counts["core_cycles"])


def use(counts):
    """Of a clocked block the share of clocks with a request under way; of one in stopped time clocks of its RTL a core cycle."""
    return (counts["busy_clocks"] / max(1, counts["clocks"]) if counts["timing"] == "contract" else
            counts["clocks"] / max(1, counts["core_cycles"]))


def write(page, block):
    page.heading("Requests of GPU runs")
    there = load(block)
    classes = there and there["blocks"].get(block.name)
    if not classes:
        page.text("Not counted (`scripts/requests`).")
        return
    clocked = next(iter(classes.values()))["timing"] == "contract"
    page.text(f"Counted by `scripts/requests` on `{there['platform']}`, size {there['size']}, by class of workload ("
              + "; ".join(f"{name}: {', '.join(there['classes'][name])}" for name in classes) + "). "
              + ("Of the clocks in which the core is awake." if clocked else
                 "In stopped time: the block's clocks stand against all core cycles, and the most in one of them says how much faster than the core it would have to run."))
    operations = sorted({name for counts in classes.values() for name in counts["operations"]},
                        key=lambda name: (-sum(counts["operations"].get(name, 0) for counts in classes.values()), name))
    page.table(["Class", "Requests", "Requests a core cycle", "In use" if clocked else "Clocks a core cycle", "Most clocks in a core cycle",
                *[f"`{name}`" for name in operations]],
               [[name, f"{requests(counts):,}", f"{a_cycle(counts):.3f}", f"{100 * use(counts):.1f} %" if clocked else f"{use(counts):.3f}", counts["most"],
                 *[f"{100 * counts['operations'].get(each, 0) / max(1, requests(counts)):.1f} %" for each in operations]]
                for name, counts in classes.items()])
