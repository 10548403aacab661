"""An installed heddle command: it needs neither the source tree nor the build folder, and its prefix can be moved."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from cli_command import BAD_INPUT, OK, case, check

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # what ctest is told to take as skipped
HIDDEN = 'for folder in "$1" "$2"; do mount -t tmpfs none "$folder" || exit 99; done; shift 2; exec "$@"'


class Installed:
    def __init__(self, c):
        self.build = c.heddle.parent.parent
        self.away = c.folder / "some where"
        first = c.folder / "first"
        done = subprocess.run(["cmake", "--install", self.build, "--prefix", first], capture_output=True, text=True,
                              check=False)
        check(done.returncode == 0, f"cmake --install: {done.stdout}{done.stderr}")
        first.rename(self.away)
        self.data = self.away / "share" / "heddle"
        self.folder = c.folder / "elsewhere"
        self.folder.mkdir()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("HEDDLE_")}

    def run(self, *arguments, code=OK, before=()):
        done = subprocess.run([*before, self.away / "bin" / "heddle", *arguments], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True, check=False)
        print(f"$ heddle {' '.join(arguments)}\n{done.stdout}{done.stderr}[exit code {done.returncode}]")
        check(done.returncode == code, f"exit code {done.returncode}, expected {code}")
        return done


@case
def install_before_a_build_says_so(c):
    build = c.heddle.parent.parent
    script = (build / "platforms" / "cmake_install.cmake").read_text()
    check(str(c.heddle) in script, "the command is not looked for")
    missing = c.folder / "bin" / "heddle"
    path = c.file("cmake_install.cmake", script.replace(str(c.heddle), str(missing)))
    prefix = c.folder / "prefix"
    done = subprocess.run(["cmake", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-P", path], capture_output=True, text=True, check=False)
    said = " ".join(done.stderr.split())
    check(done.returncode != 0 and f"{missing} has not been built. Build it, then install: cmake --build {build}" in said, said)
    check(not prefix.exists(), "something was installed")


@case
def installed_command_reads_what_was_installed(c):
    heddle = Installed(c)
    heddle.run("run", "vecadd", "--size", "tiny", "--platform", "tiny")
    # The source tree has no platform of this name, and it has this kernel: neither is looked for there.
    (heddle.data / "platforms" / "tiny.yaml").rename(heddle.data / "platforms" / "installed.yaml")
    (heddle.data / "workloads" / "ptx" / "sgemm.nvcc.ptx").unlink()
    listed = heddle.run("list").stdout
    check(re.search(r"^  installed ", listed, re.MULTILINE), "its platforms are not listed")
    check(not re.search(r"^  tiny ", listed, re.MULTILINE), "the source tree's platforms are listed")
    check("cores = 2" in heddle.run("describe", "cores", "--platform", "installed").stdout, "not its platform")
    (heddle.folder / "mine.yaml").write_text("include: installed.yaml\ncores: 1\n")
    check("passed" in heddle.run("run", "vecadd", "--size", "tiny", "--platform", "mine.yaml").stdout, "no result")
    lost = heddle.run("run", "sgemm", "--size", "tiny", code=BAD_INPUT)
    check(str(heddle.data / "workloads" / "ptx" / "sgemm.nvcc.ptx") in lost.stderr, "not its kernels")
    (heddle.folder / "link").symlink_to(heddle.away / "bin" / "heddle")
    linked = subprocess.run([heddle.folder / "link", "list"], env=heddle.environment, capture_output=True, text=True,
                            check=False)
    check(linked.stdout == listed, "a link to the command finds something else")


@case
def installed_command_runs_without_source_and_build(c):
    heddle = Installed(c)
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    hide = ["unshare", *user, "--mount", "sh", "-c", HIDDEN, "sh", heddle.build, SOURCE]  # the build folder may lie in the tree
    if not shutil.which("unshare") or subprocess.run([*hide, "true"], capture_output=True, check=False).returncode != 0:
        print("skipped: no mount namespaces here")
        sys.exit(SKIPPED)
    for workload in ("vecadd", "bfs"):
        check("passed" in heddle.run("run", workload, "--size", "tiny", "--platform", "tiny", before=hide).stdout, "wrong")
    heddle.run("run", "vecadd", "--size", "tiny", "--compiler", "clang", "--check", "oracle", before=hide)
    check(re.search(r"^  gtx480 ", heddle.run("list", before=hide).stdout, re.MULTILINE), "no platforms")
    heddle.run("describe", before=hide)
    check("may deadlock" in heddle.run("analyze", "spinlock", code=1, before=hide).stdout, "no analysis")
    heddle.run("microbench", "l1-chase", "--platform", "tiny", before=hide)
