"""Citations: every tag and row that code, keys and pages cite is in models/REFERENCES.md, and every section has a tag."""

import json
import pathlib
import re

from cli_command import case, check, stats

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "models" / "REFERENCES.md"
TOPS = ("models", "platforms", "rtl", "tb", "tests", "scripts")
SUFFIXES = {".h", ".cpp", ".cu", ".cuh", ".py", ".sv", ".svh", ".md", ".yaml", ".json", ".cmake", ".txt", ".sass", ""}

GAP = r"(?:\s|\"\s*\n\s*\"|\n\s*(?://+[!<]?|#)\s)+"  # a citation may go on in the next line
PLACE = r"(?:§[\dIVX]+(?:[.-][\dA-Z]+)*|(?:ch\.|Fig|Tab|Alg|App\.|Claims?)" + GAP + r"[\dA-Z][\w.]*|abstract)"
CITATION = re.compile(rf"\[([A-Za-z][\w./-]*)(?::([A-Z]\d+[a-z]?))?\](?:{GAP}({PLACE}(?:(?:,|{GAP}and|{GAP}to|-)(?:{GAP})?{PLACE})*))?")
# What only insiders can look up: a row or a numbered correction without its publication.
BARE_ROW = re.compile(r"\b[Cc]orrections? \d|\((?:[ACDEGHKLMRSZ]\d{1,2}[a-d]?)(?:,|\)|:)")


def known(page):
    """{tag: rows} of the page of references."""
    tags = {tag: set() for tag in re.findall(r"^\| \[([^\]]+)\] \|", page, re.MULTILINE)}
    section = None
    for line in page.splitlines():
        heading = re.match(r"## \[([^\]]+)\]$", line)
        section = heading[1] if heading else (None if line.startswith("## ") else section)
        row = re.match(r"\| ([A-Z]\d+[a-z]?) \|", line)
        if row and section:
            check(section in tags, f"{section} has rows and is no publication")
            check(row[1] not in tags[section], f"{section}:{row[1]} stands twice")
            tags[section].add(row[1])
    return tags


def wrong(text, tags):
    """What the text cites that there is not, and sections without a publication."""
    found = []
    rest = text
    for m in CITATION.finditer(text):
        tag, row, place = m.groups()
        if (row or place) and tag not in tags and len(tag) > 2:  # shorter ones are explained at the head of their file
            found.append(f"no such publication: {m[0]}")
        elif row and row not in tags.get(tag, ()):
            found.append(f"no such row: {m[0]}")
        if row or place:
            rest = rest.replace(m[0], "", 1)
    found += [f"a section of what? ...{m[0]}" for m in re.finditer(r"[^\n]{0,40}§[\dIVX][^\n]{0,20}", rest)]
    return found


def texts():
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*")):
            if path.is_file() and path.suffix in SUFFIXES and "data" not in path.relative_to(ROOT).parts and path != pathlib.Path(__file__).resolve():
                try:
                    yield path, path.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    continue
    for name in ("README.md",):
        yield ROOT / name, (ROOT / name).read_text(encoding="utf-8")


@case
def citations_are_in_the_page_of_references(c):
    del c
    tags = known(PAGE.read_text(encoding="utf-8"))
    check(len(tags) > 12 and sum(map(len, tags.values())) > 200, "the page has rows")
    problems, cited = [], set()
    for path, text in texts():
        if path == PAGE:  # its rows name sections of their own publication
            continue
        problems += [f"{path.relative_to(ROOT)}: {problem}" for problem in wrong(text, tags)]
        cited |= {m[1] for m in CITATION.finditer(text)}
    check(not problems, "\n".join(problems[:40]))
    check(set(tags) <= cited, f"nobody cites {sorted(set(tags) - cited)}")


@case
def rows_that_the_page_itself_names_are_there(c):
    del c
    page = PAGE.read_text(encoding="utf-8")
    tags = known(page)
    section = None
    for line in page.splitlines():
        heading = re.match(r"## \[([^\]]+)\]$", line)
        section = heading[1] if heading else section
        for name in re.findall(r"\brows? ([A-Z]\d+[a-z]?)\b|\(([DZ]\d+)\)", line):
            row = name[0] or name[1]
            check(section is None or row in tags[section] or row == "A7", f"{section}: row {row}")
        for m in CITATION.finditer(line):
            check(m[1] in tags or m[1] == "E1" or m[1] == "E6", f"[{m[1]}]")


@case
def wrong_citations_are_found(c):
    del c
    tags = {"AWARE": {"A1"}, "DDOS/BOWS": set()}
    for text in ("as in [AWARE] §5.2", "[AWARE] §5.1, §5.2 and Tab 5.2", "[AWARE:A1]", "([AWARE]\n// §5.1)", '"([AWARE] "\n    "§5.1)"',
                 "[DDOS/BOWS] §6.2 to §6.3", "a list [L1,L2], an index [E2]"):
        check(not wrong(text, tags), f"{text}: {wrong(text, tags)}")
    for text in ("aware §3.2", "§5.1", "[MultiPath] §7.2", "[AWARE:A2]", "[Hanoi:A1]", "[AWARE] §5.1; §5.2"):
        check(len(wrong(text, tags)) == 1, f"{text}: {wrong(text, tags)}")
    for text in ("(A14)", "correction 17", "(M4d, see there)", "rows of entries (E6)"):
        check(BARE_ROW.search(text), text)
    for text in ("[AWARE:A14]", "(H100)", "G80", "an L2 slice (L2 MHz)", "corrections of speed"):
        check(not BARE_ROW.search(text), text)


@case
def shown_texts_cite_publications_only(c):
    """What `describe`, `list`, `--help` and statistics print."""
    tags = known(PAGE.read_text(encoding="utf-8"))
    c.run("run", "vecadd", "--platform", "tiny", "--size", "tiny", "--out", "result")
    shown = {"describe": "\n".join(key["meaning"] for key in json.loads(c.run("describe", "gtx480", "--json").stdout)),
             "list": c.run("list").stdout, "statistics": json.dumps(stats(c.folder / "result"), ensure_ascii=False)}
    for command in ("run", "analyze", "describe", "resync", "threads", "microbench", "correlate"):
        shown[f"{command} --help"] = c.run(command, "--help").stdout
    for name, text in shown.items():
        check(len(text) > 200, f"{name} prints nothing")
        check(not wrong(text, tags), f"{name}: {wrong(text, tags)}")
        bare = BARE_ROW.search(text)
        check(not bare, f"{name}: what is '{bare and text[max(0, bare.start() - 60):bare.end() + 20]}'?")
