"""Cases of cli_cases.py: what a newcomer mistypes and an attacker tries. One error each, with its place and what to do instead."""

import os
import subprocess

import cli_kernels as kernels
from cli_command import BAD_INPUT, OK, case, check

COMMANDS = "commands: run, list, describe, analyze, microbench, tables, compare-traces, disasm, trace-blocks, threads, resync, correlate, sweep, compare, report, cuda"


def scale(c, *arguments):
    """Arguments of a run that works."""
    return ["run", "--platform", "tiny", "--ptx", c.file("kernel.ptx", kernels.STORE), "--entry", "store", "--grid", "1",
            "--block", "1", "--arg", "buf=c:64", "--arg", "u64=0", *arguments]


@case
def mistakes_in_the_command_name_the_nearest(c):
    c.file("k.ptx", kernels.SCALE)
    for words, says in {("foo",): ["heddle: there is no command 'foo'", COMMANDS],
                        (): ["heddle: no command given", COMMANDS],
                        ("ruun",): ["there is no command 'ruun'; did you mean 'run'?", COMMANDS],
                        ("comparetraces", "a", "b"): ["did you mean 'compare-traces'?"],
                        ("sgemm",): ["there is no command 'sgemm'", "to run the workload: heddle run sgemm", COMMANDS],
                        ("k.ptx",): ["there is no command 'k.ptx'", "heddle run --ptx k.ptx --entry KERNEL"],
                        ("--versoin",): ["--versoin", "did you mean '--version'?", "heddle --help"],
                        ("list", "--plx"): ["heddle list: ", "--plx", "heddle list --help"],
                        ("tables", "--lane", "3", "x"): ["did you mean '--lanes'?", "heddle tables --help"]}.items():
        done = c.run(*words, code=BAD_INPUT)
        check(done.stderr.startswith("heddle: error: ") and done.stdout == "", "not one error")
        for text in says:
            check(text in done.stderr, f"it does not say '{text}'")


@case
def mistakes_a_file_in_the_place_of_a_workload(c):
    c.file("k.ptx", kernels.SCALE)
    c.file("plain", kernels.SCALE)
    for name, what in {"k.ptx": "a file", "plain": "a file", "./k.ptx": "a file", "none.ptx": "the name of a file"}.items():
        c.refused("run", name, says=[f"heddle run: '{name}' is {what}, not a workload", f"heddle run --ptx {name} --entry"])
    c.refused("threads", "k.ptx", "--out", "t", says=["heddle threads: 'k.ptx' is a file, not a workload"])
    c.refused("run", "sgem", says=["there is no workload 'sgem'; did you mean 'sgemm'?"])
    c.refused("threads", "sgem", "--out", "t", says=["heddle threads: there is no workload 'sgem'"])
    c.refused(*scale(c), "k.ptx", says=["WORKLOAD 'k.ptx' does not go with --ptx"])


@case
def mistakes_in_numbers(c):
    largest = 2 ** 64 - 1
    for option, wrong in {
            "--grid": {"4294967296": "too large for a dimension", "99999999999999999999": "2147483647 x 65535 x 65535",
                       "1,4294967296": "too large", "-1": "whole number", "1.5": "whole number", "": "whole number",
                       "2147483648": "exceeds the limit", "1,,1": "X,Y,Z"},
            "--block": {"4294967296": "1024 x 1024 x 64", "+1": "whole number", "1 1": "whole number"},
            "--shared": {"4294967296": "'4294967296' is not a whole number from 0 to 4294967295", "-1": "whole number from 0",
                         "abc": "'abc' is not a whole number", "1.5": "whole number", "": "whole number"},
            "--max-cycles": {str(largest + 1): f"larger than {largest}", "-1": "whole number of at least 0", "1e3": "'1e3'",
                             "0x": "'0x'"},
            "--profile-top": {"0": "whole number of at least 1", "x": "whole number"},
            "--deterministic-check": {"1": "from 2 to 100000", "100001": "from 2 to 100000", "-2": "from 2"},
            "--print": {"c:-1": "NAME:COUNT", "c:18446744073709551616": "NAME:COUNT", "c:": "NAME:COUNT"},
            "--trace-warp": {"2:0": "there is no warp slot 2:0", "0:32": "cores are 0 to 1, their warp slots 0 to 31",
                             "4294967296:0": "there is no warp slot", "-1:0": "CORE:WARP", "0": "CORE:WARP"},
            "--trace-cycles": {"9:1": "FROM:TO", "-1:5": "FROM:TO", "18446744073709551616:": "FROM:TO"}}.items():
        before = [word for word in scale(c, *(["--trace-tables", "t"] if option.startswith("--trace") else []))]
        if option in before:
            at = before.index(option)
            del before[at:at + 2]
        for value, says in wrong.items():
            c.refused(*before, option, value, says=[option.strip("-"), says])
    for command, option in ((["threads", "bfs", "--size", "tiny", "--out", "t"], "--seed"), (["run", "bfs"], "--seed"),
                            (["threads", "bfs", "--size", "tiny", "--out", "t"], "--records"),
                            (["threads", "bfs", "--size", "tiny", "--out", "t"], "--sets"),
                            (["tables", "none"], "--limit"), (["tables", "none"], "--lanes"),
                            (["compare-traces", "a", "b"], "--top"), (["resync", "none"], "--fetch-units"),
                            (["analyze", "spinlock"], "--barrier-registers")):
        for value in ("-1", "x", str(largest + 1)):
            c.refused(*command, option, value, says=[f"heddle {command[0]}: {option}: '{value}'", "heddle " + command[0] + " --help"])


@case
def mistakes_numbers_are_decimal_or_hexadecimal(c):
    """010 is ten, not the eight of C."""
    c.run(*scale(c), "--max-cycles", "0x100000")
    done = c.run("run", "bfs", "--size", "tiny", "--platform", "tiny", "--seed", "010")
    check("seed 10)" in done.stdout, "another seed")


@case
def mistakes_of_options_given_twice_or_without_a_value(c):
    for option in ("--grid", "--block", "--entry", "--platform", "--max-cycles"):
        given = ["--platform", "tiny"] if option == "--platform" else ["--max-cycles", "9", "--max-cycles", "9"] \
            if option == "--max-cycles" else [option, "1"]
        c.refused(*scale(c), *given, says=[f"heddle run: {option} is given more than once"])
    for option in ("--dump", "--set", "--trace-tables", "--arg"):
        c.refused("run", "vecadd", option, says=[f"heddle run: {option} is given without a value: --out follows",
                                                 f"write {option}=--out"])
        done = c.run("run", "vecadd", option, code=BAD_INPUT)
        check(f"heddle run: {option} is given without a value\n" in done.stderr, "at the end")
    c.refused("threads", "bfs", says=["heddle threads: --out is required"])


@case
def mistakes_files_that_are_no_modules(c):
    c.file("empty.ptx", "")
    c.file("noise.ptx", bytes(range(256)) * 8)
    c.file("text.ptx", "hello\n")
    c.file("kernels.ptx", kernels.SCALE)
    (c.folder / "folder.ptx").mkdir()
    for name, says in {"empty.ptx": ["empty.ptx: the file is empty", ".version"],
                       "noise.ptx": ["noise.ptx: this is no text: byte 0 is 0", ".version", ".listing"],
                       "text.ptx": ["text.ptx:1:1", ".version"], "folder.ptx": ["is a directory, not a PTX file"],
                       "none.ptx": ["none.ptx: cannot read the PTX file", "exists"], "": ["no file name given"]}.items():
        c.refused("run", "--ptx", name, "--entry", "k", "--grid", "1", "--block", "1", says=says)
        if name:
            c.refused("analyze", name if "/" in name else f"./{name}", says=says)
    for entry in ("scal", "scale1"):
        c.refused("run", "--ptx", "kernels.ptx", "--entry", entry, "--grid", "1", "--block", "1",
                  says=[f"there is no kernel '{entry}'; did you mean 'scale'?", "kernels in this module: scale"])


@case
def mistakes_outputs_that_are_inputs(c):
    """In any spelling, through symbolic links; a hard link is another name, and only that is replaced."""
    os.symlink("kernel.ptx", c.folder / "link.ptx")
    c.file("kernel.ptx", kernels.SCALE)
    os.link(c.folder / "kernel.ptx", c.folder / "hard.ptx")
    (c.folder / "sub").mkdir()
    for name in ("kernel.ptx", "./kernel.ptx", "sub/../kernel.ptx", "link.ptx", str(c.folder / "kernel.ptx")):
        for option in (("--transform", "ssde", "-o", name), ("--dot", name), ("--svg", name)):
            c.refused("analyze", "./kernel.ptx", *option, says=[f"{option[-2]} {name}: is the same file as that of", "is read"])
        c.refused("analyze", "link.ptx", "--dot", name, says=["is the same file"])
        for option in (("--dump", f"c={name}"), ("--trace-tables", name), ("--trace-timeline", name), ("--trace-control-flow", name)):
            c.refused("run", "--platform", "tiny", "--ptx", "kernel.ptx", "--entry", "scale", "--grid", "1", "--block", "1",
                      "--arg", "buf=c:64", *option, says=["is the same file as that of --ptx kernel.ptx, which is read"])
    c.run("analyze", "./kernel.ptx", "--dot", "hard.ptx")
    check((c.folder / "kernel.ptx").read_text() == kernels.SCALE, "the input was changed")
    check("digraph" in (c.folder / "hard.ptx").read_text(), "the output was not written")


@case
def mistakes_a_profile_that_the_run_would_replace(c):
    keys = ["run", "bfs", "--platform", "tiny", "--size", "tiny", "--out", "out"]
    c.run(*keys, "--profile")
    before = (c.folder / "out" / "profile.json").read_bytes()
    likely = ["--set", "core.control_flow.likely_convergence=profile", "--set",
              "core.control_flow.likely_convergence_profile=out/profile.json"]
    for profile in ([], ["--profile"]):  # without it, a stale profile is removed
        done = c.run(*keys, *profile, *likely, code=BAD_INPUT)
        check("likely_convergence_profile out/profile.json: is the same file as that of --out out" in done.stderr, "no error")
        check((c.folder / "out" / "profile.json").read_bytes() == before, "the input was changed")
    c.run(*keys[:-1], "other", *likely)


@case
def mistakes_full_outputs_are_errors(c):
    for command in (["list"], ["describe"], ["--help"], ["run", "vecadd", "--platform", "tiny", "--size", "tiny"],
                    ["analyze", "spinlock", "--json"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([c.heddle, *command], cwd=c.folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        check(done.returncode == BAD_INPUT and "standard output: not all could be written" in done.stderr, f"{command}: {done}")
    for option in (("--dump", "c=/dev/full"), ("--trace-tables", "/dev/full"), ("--trace-timeline", "/dev/full"),
                   ("--trace-control-flow", "/dev/full")):
        done = c.run(*scale(c, *option), code=BAD_INPUT)
        check(f"{option[0]} {option[1]}: cannot write '/dev/full': No space left on device" in done.stderr, "not why")


@case
def mistakes_files_that_are_no_traces(c):
    for name, content in {"empty": "", "noise": bytes(range(1, 256)) * 9, "text": "hello\n", "json": "{}\n", "list": "[]\n"}.items():
        path = c.file(name, content)
        for command in (["tables", path], ["compare-traces", path, path]):
            done = c.refused(*command, says=[path, "give a file that heddle run --trace-"])
            check("json.exception" not in done.stderr, "an error of a library")
            check(not content or f"{path}:1: " in done.stderr, "no line")
        done = c.refused("resync", path, says=[path, "heddle threads", "published record format"])
        check(f"{path}: has no records" in done.stderr if not content else f"{path}: byte " in done.stderr, "not where")
    (c.folder / "folder").mkdir()
    c.refused("tables", "folder", says=["folder: cannot be read", "--trace-tables"])
    c.refused("compare-traces", "folder", "folder", says=["folder: cannot be read", "--trace-control-flow"])
    c.refused("resync", "folder", says=["has no files *.trace", "heddle threads"])
    for name in ("none", "/dev/zero"):
        c.refused("compare-traces", name, name, says=[name])
        c.refused("tables", name, says=[name])
        c.refused("resync", name, says=[name, "neither a file nor a folder"])


@case
def mistakes_folders_for_threads(c):
    c.file("file", "")
    for out, says in {"file": "'file' exists and is not a folder", "file/below": "is not a folder", "/dev/full": "not a folder",
                      "/proc/none": "cannot create '/proc/none'", "": "no folder given"}.items():
        c.refused("threads", "bfs", "--size", "tiny", "--out", out, says=["--out", says])
    check(OK == c.run("threads", "bfs", "--size", "tiny", "--out", "new/below").returncode, "parents are not made")
