"""Cases of cli_cases.py: mechanisms whose threads change warps."""

import json

from cli_command import case, check, stats

TBC = ("--size", "tiny", "--platform", "tiny", "--set", "core.control_flow.mechanism=tbc")


def counter(folder, name):
    return sum(group["branch_unit"][name] for kernel in stats(folder)["kernels"]
               for core, group in kernel["statistics"].items() if core.startswith("core"))


@case
def likely_convergence_takes_points_from_a_profile(c):
    c.run("run", "bvh-persistent", *TBC, "--profile", "--out", "first")
    check(counter(c.folder / "first", "likely_reconvergences") == 0, "points that nobody asked for")
    profiled = ("--set", "core.control_flow.likely_convergence=profile",
                "--set", "core.control_flow.likely_convergence_profile=first/profile.json")
    c.run("run", "bvh-persistent", *TBC, *profiled, "--check", "oracle", "--out", "second")
    check(counter(c.folder / "second", "likely_reconvergences") > 0, "no entry ended at a likely-convergence point")

    # No branch diverged: no point pays off.
    file = c.folder / "first" / "profile.json"
    profile = json.loads(file.read_text())
    for kernel in profile["kernels"]:
        for pc in kernel["pcs"]:
            pc["divergences"] = 0
    file.write_text(json.dumps(profile))
    c.run("run", "bvh-persistent", *TBC, *profiled, "--out", "third")
    check(counter(c.folder / "third", "likely_reconvergences") == 0, "points of branches that do not diverge")

    for text in (None, "{}", "no JSON"):
        file.unlink(missing_ok=True)
        if text is not None:
            file.write_text(text)
        done = c.run("run", "bvh-persistent", *TBC, *profiled, code=2)
        check("likely_convergence_profile" in done.stderr and "profile.json" in done.stderr, done.stderr)


@case
def likely_convergence_pays_where_a_loop_is_left_from_within_a_branch(c):
    """Of two equal machines the one with points issues a fraction: without them lanes that took the branch never meet again."""
    issued = {}
    for mechanism in ("simt_stack", "tbc"):
        for points in ("off", "loops"):
            name = f"{mechanism}-{points}"
            c.run("run", "unstructured", "--size", "tiny", "--platform", "tiny", "--param", "inner=1", "--check", "oracle", "--out", name,
                  "--set", f"core.control_flow.mechanism={mechanism}", "--set", f"core.control_flow.likely_convergence={points}")
            issued[name] = stats(c.folder / name)["total"]["warp_instructions"]
        check(4 * issued[f"{mechanism}-loops"] < issued[f"{mechanism}-off"], f"{issued}")


@case
def the_profile_says_what_compaction_saves(c):
    done = c.run("run", "mandelbrot", *TBC, "--profile", "--out", c.folder / "tbc")
    check("What compaction saves" in done.stdout, done.stdout)
    saved = counter(c.folder / "tbc", "path_issues_uncompacted") - counter(c.folder / "tbc", "path_issues")
    parted = 0
    profile = json.loads((c.folder / "tbc" / "profile.json").read_text())
    for kernel in profile["kernels"]:
        for at in kernel["pcs"]:
            if "parted" in at:
                check(at["parted"]["warps"] <= at["parted"]["static_warps"], f"{at}")
                check(any(word in at["ptx"] for word in ("bra", "ret", "exit", "call")), f"{at}")
                parted += at["parted"]["static_issues"] - at["parted"]["issues"]
    check(saved > 0 and parted == saved, f"{saved} saved, {parted} by instruction")
    done = c.run("run", "mandelbrot", "--size", "tiny", "--platform", "tiny", "--profile", "--out", c.folder / "stack")
    check("What compaction saves" not in done.stdout, done.stdout)
    check("parted" not in (c.folder / "stack" / "profile.json").read_text(), "the stack has it, too")


@case
def kernels_that_rely_on_lockstep_are_named(c):
    off = ("--set", "core.warp_synchrony=off")
    for mechanism in ("tbc", "dwf"):
        done = c.run("run", "histogram256", "--size", "tiny", "--platform", "tiny",
                     "--set", f"core.control_flow.mechanism={mechanism}", code=3)
        for word in ("histogram256.nvcc.ptx:", "of its warp accessed at", "relies on warps in lockstep", f"mechanism={mechanism}",
                     "core.warp_synchrony=off", "__syncwarp()"):
            check(word in done.stderr, f"'{word}' is not in {done.stderr}")
    # On the stack it is right, and named if somebody asks.
    c.run("run", "histogram256", "--size", "tiny", "--platform", "tiny")
    done = c.run("run", "histogram256", "--size", "tiny", "--platform", "tiny", "--set", "core.warp_synchrony=stop", code=3)
    check("relies on warps in lockstep" in done.stderr and "puts threads" not in done.stderr, done.stderr)
    # With static warps kept, what it relies on is there again.
    c.run("run", "histogram256", *TBC, "--set", "core.control_flow.tbc.compacts=false", *off)
