#!/usr/bin/python3
"""scripts/pages: that it finds what is no longer true, and that nothing of the project's pages is.

pages_cases.py --list prints the names of the cases; pages_cases.py CASE --heddle PATH runs one."""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def check(condition, message):
    if not condition:
        raise AssertionError(message)


class Pages:
    """A copy of scripts beside the project's files, whose only page is of the case."""

    def __init__(self, heddle, folder):
        self.heddle, self.folder = heddle, folder

    def tree(self, page):
        for name in ("models", "platforms", "rtl", "tb", "tests"):
            (self.folder / name).symlink_to(ROOT / name)
        shutil.copytree(ROOT / "scripts", self.folder / "scripts", symlinks=True)
        (self.folder / "page.md").write_text(page)
        return self.folder / "page.md"

    def run(self, root, *arguments, code):
        words = [sys.executable, "-B", root / "scripts" / "pages", "--heddle", self.heddle, *arguments]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        check(done.returncode == code, f"exit code {done.returncode}, not {code}:\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr


def printed(pages, line):
    words = [pages.heddle, "run", "vecadd", "--size", "tiny", "--platform", "tiny"]
    text = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return next(other for other in text.splitlines() if other.startswith(line))


@case
def rtl_and_all_pages_are_up_to_date(pages):
    pages.run(ROOT, "--check", code=0)


@case
def stale_figures_are_found_and_written(pages):
    page = pages.tree("")
    cycles = printed(pages, "  cycles")
    wrong = "  cycles          12,345,678 core cycles, 9.9 us at 1 MHz"
    page.write_text(f"# A page\n```\n$ scripts/heddle run vecadd --size tiny --platform tiny\n...\n{wrong}\n...\n```\nEnd\n")
    said = pages.run(pages.folder, "--check", page, code=1)
    check(f"-{wrong}" in said and f"+{cycles}" in said, said)
    check(wrong in page.read_text(), "--check has written")
    check("brought up to date" in pages.run(pages.folder, page, code=0), "not said")
    check(page.read_text() == f"# A page\n```\n$ scripts/heddle run vecadd --size tiny --platform tiny\n...\n{cycles}\n...\n```\nEnd\n", page.read_text())
    pages.run(pages.folder, "--check", page, code=0)


@case
def lines_that_are_no_longer_printed_are_named(pages):
    page = pages.tree("```\n$ scripts/heddle run vecadd --size tiny --platform tiny\n...\n  wombats  3\n...\n```\n")
    check("page.md: no longer printed:   wombats  3" in pages.run(pages.folder, page, code=1), "not named")
    check("wombats" in page.read_text(), "the line is gone")
    page.write_text("```\n$ scripts/heddle list --ptx\n```\n")
    pages.run(pages.folder, page, code=0)  # a command alone shows nothing
    page.write_text(f"```\n$ scripts/heddle run vecadd --size tiny --platform tiny\n{printed(pages, '  cycles')}\n```\n")
    check("prints more:" in pages.run(pages.folder, "--check", page, code=1), "lines left out without '...'")


@case
def order_and_other_programs(pages):
    first, second = printed(pages, "  cycles"), printed(pages, "  instructions")
    page = pages.tree(f"```\n$ scripts/heddle run vecadd --size tiny --platform tiny\n...\n{second}\n{first}\n...\n```\n")
    check(f"no longer printed: {first}" in pages.run(pages.folder, "--check", page, code=1), "another order passes")
    page.write_text("```\n$ rm -rf everything\n$ scripts/heddle list\n```\n")
    pages.run(pages.folder, "--check", page, code=0)  # not ours: left alone
    page.write_text("<!-- scripts/pages spin_lock -->\n<!-- end -->\nEnd\n")
    pages.run(pages.folder, page, code=0)  # an empty table is filled
    check(page.read_text().count("<!-- end -->\nEnd") == 1 and page.read_text().count("compiler=ssde") == 1, page.read_text())
    page.write_text("<!-- scripts/pages wombats -->\n<!-- end -->\n")
    check("is no table of scripts/pages" in pages.run(pages.folder, page, code=2), "an unknown table")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("case", nargs="?")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--heddle", type=pathlib.Path)
    chosen = parser.parse_args()
    if chosen.list:
        print("\n".join(CASES))
        return
    with tempfile.TemporaryDirectory() as folder:
        CASES[chosen.case](Pages(chosen.heddle.resolve(), pathlib.Path(folder)))


main()
