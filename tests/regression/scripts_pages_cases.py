"""scripts/pages: that it finds what is no longer true, and that the project's pages are."""

import shutil
import subprocess

from scripts_command import ROOT, case, check


def tree(scripts, page):
    """A tree with the project's scripts and files, whose only page this is."""
    root = scripts.folder / "tree"
    root.mkdir()
    for name in ("models", "platforms", "rtl", "tb", "tests"):
        (root / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "scripts", root / "scripts", symlinks=True)
    (root / "page.md").write_text(page)
    return root / "page.md"


def pages(scripts, root, *arguments, code):
    return scripts.run(root / "scripts" / "pages", "--heddle", scripts.heddle, *arguments, code=code).stdout


def printed(scripts, line):
    words = [scripts.heddle, "run", "vecadd", "--size", "tiny", "--platform", "tiny"]
    text = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return next(other for other in text.splitlines() if other.startswith(line))


@case
def rtl_and_all_pages_are_up_to_date(scripts):
    pages(scripts, ROOT, "--check", code=0)


@case
def stale_figures_are_found_and_written(scripts):
    page = tree(scripts, "")
    cycles = printed(scripts, "  cycles")
    wrong = "  cycles          12,345,678 core cycles, 9.9 us at 1 MHz"
    page.write_text(f"# A page\n```\n$ scripts/heddle run vecadd --size tiny --platform tiny\n...\n{wrong}\n...\n```\nEnd\n")
    said = pages(scripts, page.parent, "--check", page, code=1)
    check(f"-{wrong}" in said and f"+{cycles}" in said, said)
    check(wrong in page.read_text(), "--check has written")
    check("brought up to date" in pages(scripts, page.parent, page, code=0), "not said")
    check(page.read_text() == f"# A page\n```\n$ scripts/heddle run vecadd --size tiny --platform tiny\n...\n{cycles}\n...\n```\nEnd\n", page.read_text())
    pages(scripts, page.parent, "--check", page, code=0)


@case
def lines_that_are_no_longer_printed_are_named(scripts):
    page = tree(scripts, "```\n$ scripts/heddle run vecadd --size tiny --platform tiny\n...\n  wombats  3\n...\n```\n")
    check("page.md: no longer printed:   wombats  3" in pages(scripts, page.parent, page, code=1), "not named")
    check("wombats" in page.read_text(), "the line is gone")
    page.write_text("```\n$ scripts/heddle list --ptx\n```\n")
    pages(scripts, page.parent, page, code=0)  # a command alone shows nothing
    page.write_text(f"```\n$ scripts/heddle run vecadd --size tiny --platform tiny\n{printed(scripts, '  cycles')}\n```\n")
    check("prints more:" in pages(scripts, page.parent, "--check", page, code=1), "lines left out without '...'")


@case
def order_and_other_programs(scripts):
    first, second = printed(scripts, "  cycles"), printed(scripts, "  instructions")
    page = tree(scripts, f"```\n$ scripts/heddle run vecadd --size tiny --platform tiny\n...\n{second}\n{first}\n...\n```\n")
    check(f"no longer printed: {first}" in pages(scripts, page.parent, "--check", page, code=1), "another order passes")
    page.write_text("```\n$ rm -rf everything\n$ scripts/heddle list\n```\n")
    pages(scripts, page.parent, "--check", page, code=0)  # not ours: left alone
    page.write_text("<!-- scripts/pages spin_lock -->\n<!-- end -->\nEnd\n")
    pages(scripts, page.parent, page, code=0)  # an empty table is filled
    check(page.read_text().count("<!-- end -->\nEnd") == 1 and page.read_text().count("compiler=ssde") == 1, page.read_text())
    page.write_text("<!-- scripts/pages wombats -->\n<!-- end -->\n")
    scripts.refused(page.parent / "scripts" / "pages", "--heddle", scripts.heddle, page, says=["wombats: is no table of scripts/pages"])


@case
def runs_that_fail_do_not_become_text(scripts):
    page = tree(scripts, "```\n$ scripts/run\n...\nAll 10 workloads give the right results. Reports and statistics: out/run/<workload>/\n```\n")
    scripts.refused(page.parent / "scripts" / "pages", "--heddle", "/bin/false", page, says=["/bin/false run vecadd", "exit code 1"])
    page.write_text("<!-- scripts/pages spin_lock -->\n<!-- end -->\n")
    scripts.refused(page.parent / "scripts" / "pages", "--heddle", "/bin/false", page, says=["heddle run spinlock", "exit code 1"])
