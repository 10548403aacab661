"""Cases of cli_cases.py: what a run writes, and that nothing is lost by it."""

import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

import cli_kernels as kernels
from cli_command import BAD_INPUT, HANG, case, check, stats

RESULTS = ["config.yaml", "host.json", "report.txt", "stats.json"]
VECADD = ("run", "vecadd", "--platform", "tiny", "--size", "tiny")


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def refuses(c, *arguments, says, code=BAD_INPUT):
    """The command fails with one error that contains all of `says`, and every file is as it was."""
    def everything():
        return {str(p): (p.lstat().st_mode, p.read_bytes() if p.is_file() else os.readlink(p) if p.is_symlink() else None)
                for p in c.folder.rglob("*")}
    before = everything()
    done = c.run(*arguments, code=code)
    check(done.stderr.count("heddle: error: ") == 1 and done.stdout == "", "not one error and nothing else")
    for text in says:
        check(text in done.stderr, f"the error does not say '{text}'")
    check(everything() == before, "files were changed")


@case
def out_touches_only_its_files(c):
    out = c.folder / "result"
    c.run(*VECADD, "--seed", "1", "--out", out)
    (out / "notes.md").write_text("years of work")
    (out / "traces").mkdir()
    (out / "traces" / "t.json").write_text("{}")
    (out / "report.txt").chmod(0o640)
    (out / "stats.json").rename(c.folder / "elsewhere.json")
    (out / "stats.json").symlink_to("../elsewhere.json")
    c.run(*VECADD, "--seed", "2", "--out", out)
    check(names(out) == sorted([*RESULTS, "notes.md", "traces"]), f"wrong files: {names(out)}")
    check((out / "notes.md").read_text() == "years of work" and (out / "traces" / "t.json").read_text() == "{}",
          "files of somebody else were changed")
    check(stat.S_IMODE((out / "report.txt").stat().st_mode) == 0o640, "the mode of a file was changed")
    check((out / "stats.json").is_symlink(), "a link was replaced")
    check(json.loads((c.folder / "elsewhere.json").read_text())["seed"] == 2, "the link's target has the old results")
    check(names(c.folder) == ["elsewhere.json", "result"], "something was left behind")


@case
def out_goes_into_any_folder(c):
    thesis = c.folder / "thesis"
    thesis.mkdir()
    (thesis / "thesis.tex").write_text("years of work")
    c.run(*VECADD, "--out", "thesis")
    check(names(thesis) == sorted([*RESULTS, "thesis.tex"]), f"wrong files: {names(thesis)}")
    check((thesis / "thesis.tex").read_text() == "years of work", "a file of somebody else was changed")
    c.run(*VECADD, "--out", "deep/er/out/")
    check(names(c.folder / "deep/er/out") == RESULTS, "wrong files")
    (c.folder / "link").symlink_to("thesis")
    c.run(*VECADD, "--seed", "7", "--out", "link")
    check((c.folder / "link").is_symlink() and stats(thesis)["seed"] == 7, "a link to a folder was replaced")
    here = c.folder / "here"
    here.mkdir()
    done = subprocess.run([c.heddle, *VECADD, "--out", "."], cwd=here, capture_output=True, text=True, check=False)
    check(done.returncode == 0 and names(here) == RESULTS, f"--out . gives {names(here)}: {done.stderr}")


@case
def results_of_two_runs_are_not_mixed(c):
    out = c.folder / "result"
    c.run(*VECADD, "--profile", "--out", out)
    check(names(out) == sorted([*RESULTS, "profile.json", "profile.txt"]), "no profile")
    with (out / "profile.txt").open("a") as file:
        file.write("my remarks\n")
    done = c.run(*VECADD, "--out", out)
    check(names(out) == sorted([*RESULTS, "profile.txt"]), f"wrong files: {names(out)}")
    check("my remarks" in (out / "profile.txt").read_text(), "a file that somebody has changed was removed")
    check("not of this run" in done.stdout and "profile.txt" in done.stdout, "it is not said which file is older")


@case
def out_that_cannot_be_written_is_found_before_the_run(c):
    # A run of an unknown length must not come before the error: this one has no end.
    spin = ("run", "--platform", "tiny", "--ptx", c.file("count.ptx", kernels.COUNT), "--entry", "count", "--grid", "1",
            "--block", "1", "--arg", "buf=x:4", "--arg", "u32=4294967295")
    c.file("file", "x")
    refuses(c, *spin, "--out", "file", says=["--out file", "not a folder"])
    refuses(c, *spin, "--out", "file/out", says=["--out file/out", "not a folder"])
    refuses(c, *spin, "--out", "", says=["--out", "no name"])
    (c.folder / "dangling").symlink_to("nowhere")
    refuses(c, *spin, "--out", "dangling", says=["--out dangling", "'nowhere'"])
    (c.folder / "result" / "stats.json").mkdir(parents=True)
    refuses(c, *spin, "--out", "result", says=["--out result", "stats.json", "directory"])
    (c.folder / "linked").mkdir()
    (c.folder / "linked" / "host.json").symlink_to("../none/host.json")
    refuses(c, *spin, "--out", "linked", says=["--out linked", "host.json", "no folder"])
    for option in ("--trace-tables", "--trace-timeline"):
        refuses(c, *spin, option, "result", says=[option, "directory"])
        refuses(c, *spin, option, "none/t.json", says=[option, "no folder 'none'"])
        refuses(c, *spin, option, "file/t.json", says=[option, "Not a directory"])
        refuses(c, *spin, option, "x" * 300, says=[option, "too long"])
        refuses(c, *spin, option, "", says=[option, "no name"])
    refuses(c, *spin, "--out", "new/er", "--dump", "x=none/x.bin", says=["--dump x=none/x.bin", "no folder 'none'"])
    if os.geteuid() != 0:
        (c.folder / "locked").mkdir(mode=0o500)
        refuses(c, *spin, "--out", "locked", says=["--out locked", "Permission denied"])
        refuses(c, *spin, "--out", "locked/new", says=["--out locked/new", "Permission denied"])


@case
def outputs_may_lie_in_the_out_folder(c):
    c.scale("--out", "result", "--trace-tables", "result/t.jsonl", "--trace-timeline", "result/t.json", "--dump",
            "y=result/y.bin")
    check(names(c.folder / "result") == sorted([*RESULTS, "t.json", "t.jsonl", "y.bin"]), "wrong files")
    check(json.loads((c.folder / "result/t.json").read_text())["traceEvents"], "no timeline")
    check(len((c.folder / "result/y.bin").read_bytes()) == 400, "no dump")


@case
def two_options_that_name_one_file_are_refused(c):
    c.file("kernel.ptx", kernels.SCALE)
    (c.folder / "result").mkdir()
    (c.folder / "link").symlink_to("result")
    (c.folder / "t.json").symlink_to("real.json")
    c.file("x.bin", bytes(400))
    run = ("run", "--platform", "tiny", "--ptx", "kernel.ptx", "--entry", "scale", "--grid", "4", "--block", "32", "--arg",
           "buf=x:100xf32:file=x.bin", "--arg", "buf=y:100xf32", "--arg", "f32=2", "--arg", "u32=100")
    same = "is the same file as that of"
    refuses(c, *run, "--trace-tables", "t", "--trace-timeline", "t", says=["--trace-timeline t", same, "--trace-tables t"])
    refuses(c, *run, "--trace-tables", "real.json", "--trace-timeline", "./link/../t.json", says=[same])
    refuses(c, *run, "--out", "result", "--trace-tables", "link/stats.json", says=["--trace-tables", same, "--out"])
    refuses(c, *run, "--dump", "x=b.bin", "--dump", f"y={c.folder}/b.bin", says=["--dump y=", same, "--dump x=b.bin"])
    refuses(c, *run, "--dump", "y=kernel.ptx", says=["--dump y=kernel.ptx", same, "--ptx", "which is read"])
    c.file("mine.yaml", "cores: 2\n")
    mine = ("run", "vecadd", "--size", "tiny", "--platform")
    refuses(c, *mine, "mine.yaml", "--trace-tables", "mine.yaml", says=[same, "--platform mine.yaml", "which is read"])
    c.run(*mine, "mine.yaml", "--out", "again")
    c.run(*mine, "again/config.yaml", "--out", "again")
    refuses(c, *run, "--dump", "y=./x.bin", says=["--dump", same, "--arg buf=x", "which is read"])
    c.file("base.yaml", "cores: 2\n")
    c.file("over.yaml", "include: base.yaml\n")
    refuses(c, *mine, "over.yaml", "--trace-tables", "base.yaml",
            says=[same, "--platform over.yaml (include: base.yaml)", "which is read"])
    refuses(c, "microbench", "--platform", "over.yaml", "--json", "base.yaml", says=["--json base.yaml", same, "include"])
    more = (*run, "--buffer", "z:100xf32:file=x.bin", "--arg", "file=kernel.ptx", "--dump")
    refuses(c, *more, "z=./x.bin", says=["--dump z=./x.bin", same, "which is read"])
    c.file("p.bin", bytes(16))
    refuses(c, *run, "--arg", "file=p.bin", "--dump", "y=p.bin", says=["--dump y=p.bin", same, "--arg file=p.bin"])
    c.file("want.bin", bytes(400))
    refuses(c, *run, "--compare", "y=want.bin,rel=1e-5", "--dump", "y=want.bin",
            says=["--dump y=want.bin", same, "--compare y=want.bin,rel=1e-5", "which is read"])
    refuses(c, "analyze", "spinlock", "--dot", "g", "--svg", "./g", says=["--svg", same, "--dot g"])
    c.run(*run, "--trace-tables", "/dev/null", "--trace-timeline", "/dev/null")


@case
def failed_run_leaves_earlier_results(c):
    c.run(*VECADD, "--out", "result")
    refuses(c, *VECADD, "--out", "result", "--set", "core.l1d.ways=5", says=["core.l1d"])
    refuses(c, "run", "--ptx", c.file("bad.ptx", kernels.MALFORMED), "--grid", "1", "--block", "1", "--out", "new/er",
            says=["bad.ptx:8"])


@case
def hang_and_fault_leave_what_there_is(c):
    done = c.run("run", "spinlock", "--platform", "tiny", "--size", "tiny", "--out", "result", code=HANG)
    report = (c.folder / "result/report.txt").read_text()
    json_ = stats(c.folder / "result")
    host = json.loads((c.folder / "result/host.json").read_text())
    check("INCOMPLETE: kernel spin_increment hangs" in report and "INCOMPLETE" in done.stdout, "not marked")
    check("lanes 0x" in report, "the diagnosis is not in the report")
    for where in (json_, host):
        check(where["complete"] is False and "hangs" in where["reason"], "not marked")
    check(not json_["passed"] and "hangs" in json_["verdict"] and "lanes 0x" in json_["diagnosis"], "wrong verdict")
    check(json_["kernels"][-1]["complete"] is False, "the launch is not marked")
    check(names(c.folder) == ["result"] and names(c.folder / "result") == RESULTS, "wrong files")
    # Every slot of every core up to then is accounted for.
    total = json_["total"]
    check(total["cycles"] > 0 and total["issue_slots"]["all"] == 2 * 2 * total["cycles"], "slots do not sum")
    summary = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "summary"
    table = subprocess.run([sys.executable, summary, c.folder / "result"], capture_output=True, text=True, check=True)
    check("INCOMPLETE" in table.stdout and json_["reason"] in table.stdout, "the summary is not marked")
    c.run(*VECADD, "--out", "result")
    check("complete" not in stats(c.folder / "result"), "a complete run is marked")


@case
def profile_of_a_hang_is_complete(c):
    c.run("run", "spinlock", "--platform", "tiny", "--size", "tiny", "--profile", "--out", "result", code=HANG)
    profile = json.loads((c.folder / "result/profile.json").read_text())
    launch = stats(c.folder / "result")["kernels"][0]["statistics"]
    present = sum(core["issue"]["group_cycles"] for name, core in launch.items() if name.startswith("core"))
    charged = sum(kernel["total"]["group_cycles"] for kernel in profile["kernels"])
    check(profile["complete"] is False and "INCOMPLETE" in (c.folder / "result/profile.txt").read_text(), "not marked")
    check(charged == present, f"{charged} group-cycles are charged to instructions, there were {present}")


@case
def output_to_a_full_device_is_an_error(c):
    if not pathlib.Path("/dev/full").is_char_device():
        print("skipped: there is no /dev/full")
        return
    c.file("t.jsonl", "")
    want = "No space left on device"
    for option in ("--trace-tables", "--trace-timeline"):
        done = c.scale(option, "/dev/full", "--out", "result", code=BAD_INPUT)
        check(f"{option} /dev/full: cannot write" in done.stderr and want in done.stderr, "wrong error")
        check(names(c.folder / "result") == RESULTS and stats(c.folder / "result")["passed"], "results were lost")
    done = c.scale("--dump", "x=/dev/full", "--dump", "y=y.bin", "--out", "result", code=BAD_INPUT)
    check("--dump x=/dev/full: cannot write" in done.stderr and want in done.stderr, "wrong error")
    check(len((c.folder / "y.bin").read_bytes()) == 400, "the other dump was lost")
    for arguments in (("analyze", "spinlock", "--transform", "ssde", "-o", "/dev/full"),
                      ("analyze", "spinlock", "--dot", "/dev/full"),
                      ("microbench", "l1-chase", "--platform", "tiny", "--json", "/dev/full")):
        done = c.run(*arguments, code=BAD_INPUT)
        check(want in done.stderr, "wrong error")
    if shutil.which("dot"):
        check(want in c.run("analyze", "spinlock", "--svg", "/dev/full", code=BAD_INPUT).stderr, "wrong error")
    shutil.rmtree(c.folder / "result")
    for arguments in ((*VECADD, "--out", "result"), ("describe",), ("describe", "--json"), ("list",), ("list", "--ptx"),
                      ("--help",), ("--version",), ("analyze", "spinlock"), ("analyze", "spinlock", "--json"),
                      ("run", "sgemm", "--platform", "tiny", "--size", "tiny", "--profile", "--profile-top", "1000")):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([c.heddle, *arguments], cwd=c.folder, stdout=full, stderr=subprocess.PIPE, text=True,
                                  check=False)
        check(done.returncode == BAD_INPUT and "standard output: not all could be written" in done.stderr,
              f"heddle {' '.join(arguments)}: {done.returncode} {done.stderr}")
    check(names(c.folder / "result") == RESULTS, "results were lost with the report")


@case
def output_nobody_reads_costs_no_results(c):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([c.heddle, *VECADD, "--out", "result"], cwd=c.folder, stdout=write, stderr=subprocess.PIPE,
                          text=True, check=False)
    os.close(write)
    check(done.returncode == 141 and done.stderr == "", f"{done.returncode}: {done.stderr}")
    check(names(c.folder / "result") == RESULTS, "results were lost")


@case
def full_disk_keeps_what_fits(c):
    """A limit on the size of files stands for the full disk: stats.json does not fit, the others do."""
    c.run(*VECADD, "--seed", "1", "--out", "result")
    before = (c.folder / "result/stats.json").read_text()
    sizes = {name: (c.folder / "result" / name).stat().st_size for name in RESULTS}
    limit = max(size for name, size in sizes.items() if name != "stats.json") + 600
    check(sizes["stats.json"] > limit, "stats.json is too small for this test")
    limited = subprocess.run(
        ["/bin/sh", "-c", f'ulimit -f {(limit + 511) // 512} && exec "$0" "$@"', c.heddle, *VECADD, "--seed", "2",
         "--trace-tables", "t.jsonl", "--out", "result"], cwd=c.folder, capture_output=True, text=True, check=False)
    print(limited.stdout + limited.stderr)
    check(limited.returncode == BAD_INPUT, f"exit code {limited.returncode}")
    for text in ("stats.json': File too large", "--trace-tables t.jsonl: cannot write", "written are: config.yaml",
                 "of an earlier run are still: stats.json"):
        check(text in limited.stderr, f"the error does not say '{text}'")
    check("seed 2" in (c.folder / "result/report.txt").read_text(), "the report was lost")
    check((c.folder / "result/stats.json").read_text() == before, "stats.json is not the old one")
    check(names(c.folder) == ["result"] and names(c.folder / "result") == RESULTS, "something was left behind")


def in_own_mounts(c, script):
    """Runs a shell script as root of a mount namespace; None where that is not allowed."""
    for unshare in (["unshare", "-m"], ["unshare", "-rm"]):
        if not shutil.which("unshare"):
            break
        if subprocess.run([*unshare, "mount", "-t", "tmpfs", "tmpfs", str(c.folder)], capture_output=True,
                          check=False).returncode == 0:
            return subprocess.run([*unshare, "/bin/sh", "-ec", script, c.heddle, *VECADD], cwd=c.folder,
                                  capture_output=True, text=True, check=False)
    print("skipped: a process may not mount anything here")
    return None


@case
def full_file_system_keeps_what_fits(c):
    (c.folder / "small").mkdir()
    done = in_own_mounts(c, 'mount -t tmpfs -o size=32k tmpfs small; "$0" "$@" --out small && code=0 || code=$?; '
                            'echo "code $code"; ls -A small')
    if done is None:
        return
    print(done.stdout + done.stderr)
    check("code 2" in done.stdout and "No space left on device" in done.stderr, "wrong error")
    check("report.txt" in done.stdout.split("code 2")[1] and ".tmp" not in done.stdout, "wrong files")


@case
def mount_points_and_read_only_folders_are_found_before_the_run(c):
    for name in ("mounted", "readonly"):
        (c.folder / name).mkdir()
    (c.folder / "mounted" / "stats.json").write_text("old")
    c.file("other", "other")
    done = in_own_mounts(c, 'mount --bind other mounted/stats.json; mount -t tmpfs -o ro tmpfs readonly; '
                            'mkdir there; mount -t tmpfs tmpfs there; '
                            '"$0" "$@" --out mounted && exit 9; "$0" "$@" --out readonly && exit 9; '
                            '"$0" "$@" --out readonly/new && exit 9; "$0" "$@" --out there >/dev/null; ls -A there mounted')
    if done is None:
        return
    print(done.stdout + done.stderr)
    check(done.returncode == 0, f"exit code {done.returncode}")
    check("stats.json': it is a mount point" in done.stderr, "a mount point was not found")
    check(done.stderr.count("Read-only file system") == 2, "a read-only folder was not found")
    check(done.stdout.split() == ["mounted:", "stats.json", "there:", *RESULTS], "wrong files")


@case
def names_that_are_not_utf8(c):
    folder = os.fsencode(c.folder)
    ptx, out, platform = (folder + name for name in (b"/k\xe9.ptx", b"/o\xe9", b"/p\xe9.yaml"))
    for path, content in ((ptx, kernels.SCALE.encode().replace(b"mul.f32", b"/* \xe9 */ mul.f32")),
                          (platform, b"include: " + str(pathlib.Path(__file__).resolve().parents[2]).encode() +
                           b"/platforms/configs/tiny.yaml\n")):
        with open(path, "wb") as file:
            file.write(content)
    command = [os.fsencode(c.heddle), b"run", b"--ptx", ptx, b"--entry", b"scale", b"--grid", b"1", b"--block", b"32",
               b"--platform", platform, b"--arg", b"buf=x:32xf32", b"--arg", b"buf=y:32xf32", b"--arg", b"f32=1", b"--arg",
               b"u32=32", b"--profile", b"--trace-tables", out + b"/t\xe9.jsonl", b"--trace-timeline", out + b"/t.json",
               b"--dump", b"y=" + out + b"/y\xe9", b"--out", out]
    done = subprocess.run(command, cwd=c.folder, capture_output=True, check=False)
    print(done.stdout, done.stderr)
    check(done.returncode == 0, f"exit code {done.returncode}")
    found = sorted(os.listdir(out))
    check(found == sorted([os.fsencode(n) for n in [*RESULTS, "profile.json", "profile.txt", "t.json"]] +
                          [b"t\xe9.jsonl", b"y\xe9"]), f"wrong files: {found}")
    with open(out + b"/stats.json", encoding="utf-8") as file:
        check(json.load(file)["ptx"] == "k\ufffd.ptx", "the name is not in stats.json")
    with open(out + b"/t.json", encoding="utf-8") as file:
        json.load(file)
    check(subprocess.run([os.fsencode(c.heddle), b"tables", out + b"/t\xe9.jsonl"], capture_output=True,
                         check=False).returncode == 0, "the trace cannot be read")
    check(subprocess.run([*command[:10], b"--platform", out + b"/config.yaml", *command[12:20]], cwd=c.folder,
                         capture_output=True, check=False).returncode == 0, "config.yaml cannot be read")
    analyzed = subprocess.run([os.fsencode(c.heddle), b"analyze", ptx, b"--json"], capture_output=True, check=False)
    check(analyzed.returncode == 0 and json.loads(analyzed.stdout.decode()), "no analysis")
    bad = c.file("name.yaml", b"name: caf\xe9\n")
    c.refused("run", "vecadd", "--platform", bad, says=["name.yaml:1", "'name' is not UTF-8"])


@case
def input_without_end_is_refused(c):
    limit = "ulimit -v 2000000 && ulimit -t 60 && "
    with tempfile.TemporaryDirectory() as platforms:
        os.symlink("/dev/zero", f"{platforms}/zero.yaml")
        os.mkfifo(f"{platforms}/pipe.yaml")
        pathlib.Path(platforms, "long.yaml").write_bytes(b"# " + b"x" * 100000)
        pathlib.Path(platforms, "mine.yaml").write_text("# My machine\n")
        listed = subprocess.run([c.heddle, "list"], capture_output=True, text=True, check=False, timeout=60,
                                env={**os.environ, "HEDDLE_PLATFORMS_DIR": platforms})
        check(listed.returncode == 0 and "My machine" in listed.stdout and "pipe" not in listed.stdout,
              f"{listed.returncode}: {listed.stderr}")
    file = c.file("kernel.ptx", kernels.STORE)
    c.file("zero.yaml", "include: /dev/zero\n")
    store = f"run --platform tiny --ptx {file} --entry store --grid 1 --block 32 --arg u64=0"
    for arguments, says in (
            (f"{store} --arg buf=x:4096:file=/dev/zero", "'/dev/zero' has more bytes than that, the buffer has 4096"),
            (f"{store} --arg buf=x:4096 --compare x=/dev/zero", "'/dev/zero' has more bytes than that"),
            (f"{store} --buffer x:4096:file=/dev/zero", "'/dev/zero' has more bytes than that, the buffer has 4096"),
            (f"{store} --arg file=/dev/zero", "'/dev/zero' is too large"),
            ("run vecadd --platform zero.yaml", "larger than 16 MiB"),
            ("tables /dev/zero", "longer than 64 MiB"), ("run vecadd --platform /dev/zero", "larger than 16 MiB"),
            ("analyze /dev/zero", "larger than 256 MiB")):
        done = subprocess.run(["/bin/sh", "-c", f'{limit} exec "$0" {arguments}', c.heddle], cwd=c.folder,
                              capture_output=True, text=True, check=False, timeout=100)
        check(done.returncode == BAD_INPUT and says in done.stderr, f"{arguments}: {done.returncode} {done.stderr}")
