"""Cases of cli_cases.py: heddle analyze and core.compiler."""

import json
import pathlib
import shutil
import subprocess

from cli_command import BAD_INPUT, HANG, MISMATCH, case, check

# K0: a spin lock, then a counter; with lines of a CUDA source.
SPIN = """.version 7.0
.target sm_75
.address_size 64
.file 1 "src/spin.cu"
.visible .entry spin(.param .u64 lock, .param .u64 counter)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [lock];
  ld.param.u64 %rd2, [counter];
LOOP:
  .loc 1 7 3
  atom.global.cas.b32 %r1, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra LOOP;
  .loc 1 9 3
  ld.volatile.global.u32 %r2, [%rd2];
  add.u32 %r2, %r2, 1;
  st.volatile.global.u32 [%rd2], %r2;
  membar.gl;
  .loc 1 10 3
  atom.global.exch.b32 %r3, [%rd1], 0;
  ret;
}
"""
SPIN_ARGUMENTS = ("--arg", "buf=lock:1xu32", "--arg", "buf=counter:1xu32", "--print", "counter:1")


@case
def analysis_says_which_loop_waits_for_what(c):
    file = c.file("spin.ptx", SPIN)
    text = c.run("analyze", file, "--parameters", "distinct", code=MISMATCH).stdout
    for part in ("1 loop, 1 may deadlock on a SIMT stack", "loop of lines 14-16 (spin.cu:7)",
                 "the read at  line 14 (spin.cu:7): atom.global.cas.b32 %r1, [%rd1], 0, 1;",
                 "may wait for line 23 (spin.cu:10): atom.global.exch.b32 %r3, [%rd1], 0;",
                 "reachable behind the loop: lines 18", "threads meet at line 18", "SafePDOM is     line 24"):
        check(part in text, f"the report does not say '{part}'")
    check(text.count("may wait for") == 1, "other pointers are not distinct")
    report = json.loads(c.run("analyze", f"{file}:spin", "--json", code=MISMATCH).stdout)[0]
    check(report["kernel"] == "spin" and report["counts"]["may_deadlock"] == 1, "wrong counts")
    check([w["write"]["line"] for w in report["loops"][0]["writes"]] == [20, 23], "wrong writes")
    check(report["loops"][0]["safe_pdom"]["line"] == 24, "wrong SafePDOM")
    check(report["delayed_reconvergence"][0]["delayed"]["line"] == 24, "wrong delayed reconvergence")


@case
def analysis_of_workloads(c):
    check("1 may deadlock" in c.run("analyze", "spinlock", code=MISMATCH).stdout, "spinlock is not flagged")
    check("1 may deadlock" in c.run("analyze", "spinlock", "--compiler", "clang", code=MISMATCH).stdout, "nor clang's")
    check("none may deadlock" in c.run("analyze", "vecadd:vector_add").stdout, "vecadd is flagged")


# Line 5: good; line 6: nothing that a GPU without textures could run.
TEXTURED = """.version 7.0
.target sm_75
.address_size 64
.global .texref image;
.visible .entry plain(.param .u64 p) { .reg .b64 %rd1; ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], 7; ret; }
.visible .entry textured() { .reg .b32 %r<5>; tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [image, {%r0}]; ret; }
"""


@case
def refused_kernels_are_named_and_the_others_analysed(c):
    reason = "textured.ptx:6:47: instruction 'tex.1d.v4.s32.s32' is not supported"
    file = c.file("textured.ptx", TEXTURED)
    text = c.run("analyze", "textured.ptx", code=BAD_INPUT).stdout  # nothing is known of `textured`
    check("plain in textured.ptx" in text and "textured in textured.ptx: refused, not analysed" in text, "who is what?")
    check(f"  {reason}" in text and "not modelled" in text, "no reason")
    both = json.loads(c.run("analyze", "textured.ptx", "--json", code=BAD_INPUT).stdout)
    check([k["kernel"] for k in both] == ["plain", "textured"], "not both kernels")
    check("refused" not in both[0] and both[1]["refused"].startswith(reason), "no reason in the JSON")
    c.run("analyze", "textured.ptx:plain")
    c.refused("analyze", "textured.ptx:textured", says=[reason, "not modelled"])
    c.refused("analyze", "textured.ptx:nobody", says=["nobody"])
    # A loop that may deadlock is found whatever else is refused.
    c.file("both.ptx", SPIN + TEXTURED[TEXTURED.index(".global"):])
    c.run("analyze", "both.ptx", code=MISMATCH)
    done = c.run("analyze", "both.ptx", "--transform", "ssde", "-o", "out.ptx")
    check("textured in both.ptx: refused" in done.stderr, "the transformation does not say what it has not seen")
    check("tex.1d.v4.s32.s32" in (c.folder / "out.ptx").read_text(), "the refused kernel is lost")
    # Nothing left to analyse.
    c.file("only.ptx", TEXTURED.replace(".visible .entry plain", ".visible .func plain"))
    c.refused("analyze", "only.ptx", says=["only.ptx:6:47: instruction 'tex.1d.v4.s32.s32' is not supported"])
    run = ["run", "--platform", "tiny", "--ptx", file, "--grid", "1", "--block", "32"]
    for more in ([], ["--check", "oracle"], ["--set", "core.compiler=ssde"]):
        c.run(*run, "--entry", "plain", "--arg", "buf=x:4xu32", *more)
        c.refused(*run, "--entry", "textured", *more, says=["textured.ptx:6:47", "not modelled"])
    c.refused(*run, says=["plain", "textured (refused)"])


@case
def graph_of_a_kernel(c):
    file = c.file("spin.ptx", SPIN)
    c.run("analyze", file, "--dot", "spin.dot", code=MISMATCH)
    graph = (c.folder / "spin.dot").read_text()
    check(graph.startswith('digraph "spin" {') and graph.count("->") == 4, "wrong edges")
    check("b1 -> b1 [color=red" in graph and "SafePDOM" in graph, "nothing is marked")
    check("24: ret;" in graph, "no source lines")
    if shutil.which("dot"):
        c.run("analyze", file, "--svg", "spin.svg", code=MISMATCH)
        check("<svg" in (c.folder / "spin.svg").read_text(), "no SVG")
    else:
        c.refused("analyze", file, "--svg", "spin.svg", says=["'dot'", "not installed", "--dot FILE"])
    c.refused("analyze", "vecadd", "--dot", "x.dot", says=["several kernels", "vecadd:vector_add"])


@case
def transformed_kernel_runs_on_the_stack(c):
    file = c.file("spin.ptx", SPIN)
    run = ["run", "--platform", "tiny", "--entry", "spin", "--grid", "2", "--block", "48", *SPIN_ARGUMENTS]
    c.run(*run, "--ptx", file, code=HANG)
    done = c.run("analyze", file, "--transform", "ssde", "-o", "out.ptx")
    check("spin: the loop of line 14 goes through a switch in front of line 24" in done.stdout, "no word about it")
    check("counter = 96" in c.run(*run, "--ptx", "out.ptx").stdout, "wrong sum")
    check("none may deadlock" in c.run("analyze", "out.ptx").stdout, "still flagged")
    check(c.run("analyze", file, "--transform", "ssde", "-o", "-").stdout == (c.folder / "out.ptx").read_text(),
          "standard output differs")
    check("nothing to transform" in c.run("analyze", "out.ptx", "--transform", "ssde", "-o", "again.ptx").stdout,
          "transformed twice")
    check((c.folder / "again.ptx").read_text() == (c.folder / "out.ptx").read_text(), "the text has changed")


@case
def compiler_step_transforms_while_loading(c):
    file = c.file("spin.ptx", SPIN)
    run = ["run", "--platform", "tiny", "--ptx", file, "--entry", "spin", "--grid", "2", "--block", "48",
           *SPIN_ARGUMENTS]
    check("counter = 96" in c.run(*run, "--set", "core.compiler=ssde", "--check", "oracle").stdout, "wrong sum")
    c.run(*run, "--set", "core.compiler=ssde", "--set", "core.compiler_except=spin", code=HANG)
    delayed = [*run, "--set", "core.control_flow.mechanism=aware"]
    c.run(*delayed, code=HANG)
    check("counter = 96" in c.run(*delayed, "--set", "core.compiler=delayed_reconvergence").stdout, "wrong sum")


@case
def bad_analysis(c):
    file = c.file("spin.ptx", SPIN)
    c.refused("analyze", "spinlok", says=["spinlok", "did you mean 'spinlock'?"])
    c.refused("analyze", "missing.ptx", says=["missing.ptx"])
    c.refused("analyze", f"{file}:spun", says=["spun", "did you mean 'spin'?"])
    c.refused("analyze", f"{file}:", says=["no name behind the ':'"])
    c.refused("analyze", file, "--transform", "ssde", says=["-o"])
    c.refused("analyze", file, "-o", "out.ptx", says=["--transform"])
    c.refused("analyze", file, "--transform", "sade", "-o", "out.ptx", says=["ssde"])
    c.refused("analyze", c.file("none.ptx", ".version 7.0\n.target sm_75\n.address_size 64\n"),
              says=["no kernels"])
    braces = SPIN.replace("LOOP:", "{ .reg .b32 %x;\nLOOP:").replace("bra LOOP;", "bra LOOP; }")
    c.refused("analyze", c.file("braces.ptx", braces), "--transform", "ssde", "-o", "out.ptx",
              says=["cannot be transformed", "{ }"])


@case
def analysis_writes_through_links_and_to_devices(c):
    (c.folder / "link.dot").symlink_to("real.dot")
    c.run("analyze", "spinlock", "--dot", "link.dot", code=MISMATCH)
    check((c.folder / "link.dot").is_symlink() and "digraph" in (c.folder / "real.dot").read_text(), "link replaced")
    c.run("analyze", "spinlock", "--transform", "ssde", "-o", "/dev/null")
    check(pathlib.Path("/dev/null").is_char_device(), "the device was replaced")
    with open("/dev/full", "w") as full:
        done = subprocess.run([c.heddle, "analyze", "spinlock", "--transform", "ssde", "-o", "-"], stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)
    check(done.returncode == 2 and "standard output" in done.stderr, "a full device was not noticed")


@case
def analysis_options_that_do_not_go_together(c):
    c.refused("analyze", "spinlock", "--json", "--transform", "ssde", "-o", "x.ptx", says=["--json"])
    c.refused("analyze", "spinlock", "--dot", "-", says=["--dot", "'-' is no file"])
    c.refused("analyze", "spinlock", "--dot", "", says=["no file name"])
    c.refused("analyze", "spinlock", "--dot", "no/such/x.dot", says=["--dot", "no/such/x.dot", "permissions"])


# The lock in a function: a kernel's exception does not reach it, its own does.
IN_FUNCTION = SPIN.replace(".visible .entry spin(", ".func spin(", 1) + """
.visible .entry outer(.param .u64 lock, .param .u64 counter)
{
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [lock];
  ld.param.u64 %rd2, [counter];
  { .param .b64 a; .param .b64 b; st.param.b64 [a], %rd1; st.param.b64 [b], %rd2; call.uni spin, (a, b); }
  ret;
}
"""


@case
def functions_can_be_left_to_the_hardware(c):
    aware = ("--set", "core.control_flow.mechanism=aware", "--set", "core.compiler=delayed_reconvergence")
    done = c.ptx(IN_FUNCTION, "outer", *SPIN_ARGUMENTS, *aware)
    check("counter = 32\n" in done.stdout, "wrong count")
    c.ptx(IN_FUNCTION, "outer", *SPIN_ARGUMENTS, *aware, "--set", "core.compiler_except=spin", code=HANG)
    kept = IN_FUNCTION.replace("LOOP:", '.pragma "heddle nossde";\nLOOP:', 1)
    c.ptx(kept, "outer", *SPIN_ARGUMENTS, *aware, code=HANG)


# [AWARE:A9]: lanes wait for one that goes around their loop and releases them behind it.
RELEASED_BEHIND = """.version 7.0
.target sm_75
.address_size 64
.visible .entry wait_for_one(.param .u64 flag)
{
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [flag];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 3;
  @%p1 bra BEHIND;
LOOP:
  ld.volatile.global.u32 %r2, [%rd1];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra LOOP;
BEHIND:
  atom.global.add.u32 %r3, [%rd1], 1;
  ret;
}
"""


@case
def delayed_paths_decide_who_waits_in_front_of_a_release(c):
    run = ("--arg", "buf=flag:1xu32", "--print", "flag:1", "--set", "core.control_flow.mechanism=aware", "--set",
           "core.compiler=delayed_reconvergence", "--set")
    done = c.ptx(RELEASED_BEHIND, "wait_for_one", *run, "core.delayed_paths=successors")
    check("flag = 32\n" in done.stdout, "not all lanes were released")
    c.ptx(RELEASED_BEHIND, "wait_for_one", *run, "core.delayed_paths=loop_exits", code=HANG,
          says=["lanes 0x00000008 wait to reconverge with them at"])


@case
def spin_branches_are_those_that_the_workloads_name(c):
    # What the analysis does not find, and what it finds though nobody waits there (analysis/spin_branches.h).
    missed = {("bh_build", "clang"): 1, ("bh_build", "nvcc"): 1, ("bh_summarize", "nvcc"): 1}
    false = {("bh_build_tx", "clang"): 1, ("bh_force", "clang"): 1, ("bh_force", "nvcc"): 1, ("btree_range", "clang"): 1, ("bvh_render", "clang"): 9,
             ("bvh_render", "nvcc"): 1, ("bvh_persistent", "clang"): 8, ("bvh_persistent", "nvcc"): 3, ("kv_get", "clang"): 1}
    named = 0
    workloads = pathlib.Path(__file__).resolve().parents[2] / "platforms/workloads/ptx"
    for ptx in sorted(workloads.glob("*.ptx")):
        # The exit code says whether a loop may deadlock.
        done = subprocess.run([c.heddle, "analyze", ptx, "--json"], capture_output=True, text=True, check=False)
        check(done.returncode in (0, MISMATCH), done.stderr)
        for kernel in json.loads(done.stdout):
            one = (kernel["kernel"], ptx.name.split(".")[1])
            found = [branch["line"] for branch in kernel["spin_branches"]]
            said = [branch["line"] for branch in kernel["named_spin_branches"]]
            differ = (len(set(said) - set(found)), len(set(found) - set(said)))
            check(differ == (missed.get(one, 0), false.get(one, 0)),
                  f"{ptx.name}, {kernel['kernel']}: found {found}, the text says {said}")
            named += len(said)
    check(named > 40, f"{named} spin-inducing branches in all")


@case
def pragmas_of_spin_loops_are_checked(c):
    text = SPIN.replace("LOOP:\n", 'LOOP:\n  .pragma "heddle spin lock";\n')
    shown = c.run("analyze", c.file("spin.ptx", text), code=MISMATCH).stdout
    check("of loops that the kernel names" in shown, "the pragma's loop is not shown")
    for bad, message in (('.pragma "heddle spin locks";', "unknown pragma 'heddle spin locks'"),
                         ('.pragma "heddle spin wait";', "but there is none")):
        outside = c.file("bad.ptx", SPIN.replace("  membar.gl;\n", f"  membar.gl;\n  {bad}\n"))
        c.refused("analyze", outside, says=[message, "bad.ptx:"])
