"""Numbers and lists of the README and of the pages that it links, against what there is."""

import fnmatch
import json
import os
import pathlib
import re

from cli_command import case, check

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
USING = (ROOT / "platforms" / "USING.md").read_text()
SCRIPTS = (ROOT / "scripts" / "README.md").read_text()
WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}


def said(pattern, text=README):
    """The number, in figures or in words, that `pattern` finds."""
    found = re.findall(pattern, text)
    check(len(found) == 1, f"{len(found)} matches of '{pattern}'")
    return int(found[0]) if found[0].isdigit() else WORDS[found[0].lower()]


def listed(c, heading):
    text = c.run("list").stdout
    section = text[text.index(heading):]
    return re.findall(r"^  (\S+) +(?!stresses|--param)\S", section[:section.index("\n\n")], re.MULTILINE)


def number(text):
    return int(text.replace(",", ""))


@case
def readme_counts_workloads(c):
    names = listed(c, "workloads (")
    check(said(r"(\d+) of them, from vector addition", USING) == len(names), f"there are {len(names)} workloads")
    tables = (ROOT / "platforms" / "workloads" / "README.md").read_text().split("are the speed benchmarks")[0]
    cells = re.findall(r"^\| ((?:`[a-z0-9-]+`(?:, )?)+) \|", tables, re.MULTILINE)
    rows = [name for cell in cells for name in re.findall(r"`(.*?)`", cell)]
    check(sorted(rows) == sorted(name for name in names if not name.startswith("bench-")), f"platforms/workloads/README.md: {sorted(set(rows) ^ set(names))}, or a row twice")


@case
def readme_counts_platforms(c):
    names = listed(c, "platforms (")
    table = USING[USING.index("| | cores | schedulers |"):]
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", table[:table.index("\n\n")], re.MULTILINE))
    check(sorted(rows) == sorted(names), f"platforms without a row, or rows without one: {set(rows) ^ set(names)}")
    for name, cores in rows.items():
        keys = {key["path"]: key for key in json.loads(c.run("describe", name, "--json").stdout)}
        figures = [number(figure) for figure in re.findall(r"[\d,]+", cores)]
        there = [int(keys["cores"]["value"]), int(float(keys["clocks.core_mhz"]["value"]))]
        check(figures == there[:len(figures)] and figures, f"{name}: {cores}, but {there}")
    check(re.search(r"\b(\d+) to (\d+) cores", USING).groups() ==
          tuple(str(int(end)) for end in keys["cores"]["range"]), "the range of cores")
    workloads = (ROOT / "platforms" / "workloads" / "README.md").read_text()
    check(said(r"oracle's memory on \w+ of (\w+) platforms", workloads) == len(names), f"there are {len(names)} platforms")
    for page in (README, USING):
        mechanisms = page[page.index("| `core.control_flow.mechanism` |"):]
        check(re.findall(r"^\| `(\w+)` \|", mechanisms[:mechanisms.index("\n\n")], re.MULTILINE) ==
              keys["core.control_flow.mechanism"]["choices"], "other mechanisms than there are")


@case
def readme_counts_blocks_and_scripts(c):
    del c
    blocks = sorted(path.parent.name for path in ROOT.glob("rtl/*/*.sv") if path.stem == path.parent.name)
    start = USING.index("blocks exist as SystemVerilog too:")
    check(said(r"(\w+) blocks exist as SystemVerilog too", USING) == len(blocks), f"there are {len(blocks)} blocks")
    check(said(r"SystemVerilog twins of (\w+) blocks") == len(blocks), f"there are {len(blocks)} blocks")
    for block in blocks:
        check(f"`{block}`" in USING[start:start + 400], f"{block} is not named")
    row = re.search(r"^\| `scripts` \| (.*) \|$", README, re.MULTILINE)[1]
    scripts = sorted(path.name for path in (ROOT / "scripts").iterdir() if path.is_file() and path.suffix != ".md")
    check(sorted(row.split(", ")) == scripts, f"the row of scripts is not {', '.join(scripts)}")
    rows = re.findall(r"^\| `(\w+)\b[^|]*` \|", SCRIPTS[:SCRIPTS.index("| Folder |")], re.MULTILINE)
    check(sorted(rows) == scripts, f"scripts/README.md: {sorted(set(rows) ^ set(scripts))}")
    bench = (ROOT / "scripts" / "bench").read_text()
    kernels = re.search(r"^KERNELS = \[(.*)\]$", bench, re.MULTILINE)[1].split(", ")
    check(said(r"`scripts/bench` times (\w+) kernels", SCRIPTS) == len(kernels), f"scripts/bench has {len(kernels)}")


@case
def readme_lists_commands(c):
    commands = re.findall(r"^  (\w+) +[A-Z]", c.run("--help").stdout.split("Subcommands:")[1], re.MULTILINE)
    check("describe" in commands and "run" in commands, "no subcommands in --help")
    for command in commands:
        check(re.search(rf"^\| .*`heddle {command}\b", README, re.MULTILINE), f"heddle {command} has no row")


@case
def readme_is_short(c):
    del c
    check(len(README.splitlines()) <= 160, "it is the first page; more belongs to the pages that it links")


def pages():
    return [page for page in sorted(ROOT.rglob("*.md")) if page.relative_to(ROOT).parts[0] not in ("build", "out")]


@case
def pages_link_to_what_is_there(c):
    del c
    wrong = []
    for page in pages():
        text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if not re.match(r"https?:|#", target) and not (page.parent / target.split("#")[0]).exists():
                wrong.append(f"{page.relative_to(ROOT)}: ({target})")
    check(not wrong, f"links to nowhere: {wrong}")
    check(len(pages()) > 30, "there are pages")


@case
def pages_name_files_that_are_there(c):
    """`core/fetch/fetch.h`, `lsu_issue.cpp`, `table_traffic.*`: beside the page, from where includes look, or anywhere if it is
    a name only."""
    del c
    tops = ("models", "platforms", "rtl", "tb", "tests", "scripts")
    files = [path.relative_to(ROOT).as_posix() for top in tops for path in (ROOT / top).rglob("*") if path.is_file()]
    files += [path.name for path in ROOT.iterdir() if path.is_file()]
    names = {pathlib.PurePosixPath(file).name for file in files}
    placeholders = {"name.cu", "name.cpp"}  # of a workload to come
    wrong = []

    def exists(page, name):
        if "/" not in name:
            return any(fnmatch.fnmatchcase(known, name) for known in names)
        folders = [page.relative_to(ROOT).parent.as_posix(), "", "models", "platforms", "rtl", "tb"]
        return any(fnmatch.filter(files, os.path.normpath(os.path.join(folder, name))) for folder in folders)

    for page in pages():
        text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for name in re.findall(r"`([\w*./-]+\.(?:h|cpp|py|sv|cmake|cu|md|\*))`", text):
            key = name.endswith(".*") and "." in name[:-2] and "/" not in name  # core.fetch.*
            if not key and name not in placeholders and not exists(page, name):
                wrong.append(f"{page.relative_to(ROOT)}: {name}")
    check(not wrong, f"no such files: {wrong}")


def anchors(page):
    """As GitHub makes them of headings."""
    seen, found, fence = {}, set(), False
    for line in page.splitlines():
        fence ^= line.lstrip().startswith("```")
        heading = re.match(r"#+ +(.*)", line)
        if fence or not heading:
            continue
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).strip().lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        seen[name] = seen.get(name, -1) + 1
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
    return found


def dead_links(pages, root):
    dead = []
    for page in pages:
        fence = False
        for number, line in enumerate(page.read_text().splitlines(), 1):
            fence ^= line.lstrip().startswith("```")
            for target in [] if fence else re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
                path, _, anchor = target.partition("#")
                there = page.parent / path if path else page
                if not re.match(r"\w+:", target) and (not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there.read_text()))):
                    dead.append(f"{page.relative_to(root)}:{number}: {target}")
    return dead


@case
def links_between_pages_lead_somewhere(c):
    folders = ("models", "rtl", "tb", "platforms", "tests", "scripts")
    pages = [ROOT / "README.md", *(page for folder in folders for page in sorted((ROOT / folder).rglob("*.md")))]
    check(len(pages) > 50, f"{len(pages)} pages")
    dead = dead_links(pages, ROOT)
    check(not dead, "\n".join(dead))


@case
def dead_links_are_found(c):
    (c.folder / "a.md").write_text("# A b\n## A b\n[x](a.md#a-b-1) [y](#a-b) `[no](no.md)`\n```\n[no](no.md)\n```\n[z](b.md)\n[u](#c) [v](https://x.y)\n")
    check(dead_links([c.folder / "a.md"], c.folder) == ["a.md:7: b.md", "a.md:8: #c"], dead_links([c.folder / "a.md"], c.folder))
