"""heddle run --cubin: machine code executed."""

import json
import pathlib

from cli_command import BAD_INPUT, case, check

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "sass"
KERNEL = ["--cubin", DATA / "vecadd.cubin", "--entry", "vector_add", "--grid", "4", "--block", "32"]
ARGUMENTS = ["--arg", "buf=x:100xf32:iota", "--arg", "buf=y:100xf32:const=2", "--arg", "buf=z:100xf32", "--arg", "u32=100"]


@case
def a_cubins_kernel_runs_as_ptx_does(c):
    done = c.run("run", "--platform", "tiny", *KERNEL, *ARGUMENTS, "--print", "z:4")
    check("z = 2 3 4 5 ..." in done.stdout, "z is not x + y")


@case
def a_workload_runs_with_a_cubins_kernels(c):
    done = c.run("run", "vecadd", "--platform", "tiny", "--size", "tiny", "--cubin", DATA / "vecadd.cubin", "--out", "out")
    check("machine code of" in done.stdout and "passed" in done.stdout, "the report does not say what ran")
    config = (c.folder / "out" / "config.yaml").read_text()
    check("hanoi" in config, "the mechanism is not that of machine code")
    stats = json.loads((c.folder / "out" / "stats.json").read_text())
    check(stats["machine_code"] == "vecadd.cubin" and "compiler" not in stats, "stats.json does not say what ran")


@case
def a_folder_has_a_cubin_for_each_module(c):
    c.run("run", "reduction", "--platform", "tiny", "--size", "tiny", "--cubin", DATA)
    c.refused("run", "spinlock", "--platform", "tiny", "--size", "tiny", "--cubin", DATA,
              says=["there is no machine code of spinlock in this folder", "platforms/workloads/assemble.sh sm_90"])


@case
def the_profile_has_the_machine_instructions(c):
    done = c.run("run", "--platform", "tiny", *KERNEL, *ARGUMENTS, "--profile", "--out", "out")
    profile = json.loads((c.folder / "out" / "profile.json").read_text())
    kernel, = profile["kernels"]
    exit_ = next(at for at in kernel["pcs"] if "EXIT" in at["ptx"] and "@P0" in at["ptx"])
    # 4 warps; the guard is true for the last 28 threads, and all are active.
    check(exit_["issues"] == 4 and exit_["lanes"] == 128, f"{exit_}")
    check("LDG.E" in done.stdout, "no text of machine instructions")


@case
def settings_may_be_changed(c):
    c.run("run", "--platform", "tiny", *KERNEL, *ARGUMENTS, "--set", "core.control_flow.mechanism=simt_stack", "--set",
          "core.control_flow.ignores_convergence_instructions=true")
    c.refused("run", "--platform", "tiny", *KERNEL, *ARGUMENTS, "--set", "core.compiler=ssde",
              says=["core.compiler=ssde transforms PTX text, and this is machine code"])


@case
def wrong_files_and_options(c):
    text = c.file("k.ptx", ".version 7.5\n")
    c.refused("run", "--cubin", text, "--entry", "k", "--grid", "1", "--block", "32",
              says=["k.ptx: this is no cubin, fat binary or program", "--ptx"])
    c.refused("run", *KERNEL[:2], "--ptx", text, "--entry", "k", "--grid", "1", "--block", "32",
              says=["--ptx and --cubin both name a kernel's file"])
    c.refused("run", *KERNEL, "--size", "tiny", says=["--size does not go with --cubin", "--cubin FILE"])
    c.refused("run", "vecadd", "--compiler", "clang", *KERNEL[:2], says=["--compiler is about PTX"])
    c.refused("run", "--platform", "tiny", *KERNEL, "--arg", "u32=1", says=["1 argument given, but it has 4 parameters"])
    c.refused("run", "--platform", "tiny", "--cubin", DATA / "vecadd.cubin", "--entry", "nothing", "--grid", "1", "--block", "32",
              says=["there is no kernel 'nothing'", "vector_add"], code=BAD_INPUT)
