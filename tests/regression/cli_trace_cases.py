"""Cases of cli_cases.py: traces of control-flow tables and timelines."""

import json
import pathlib
import subprocess

from cli_command import HANG, MISMATCH, OK, case, check

# A loop of as many laps as the lane's number, in a kernel of one warp.
DIVERGE = """.version 6.0
.target sm_60
.address_size 64
.visible .entry laps(.param .u64 out)
{
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
LOOP:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra LOOP;
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
}
"""


def laps(c, *options, **expected):
    return c.ptx(DIVERGE, "laps", "--arg", "buf=out:32xu32", *options, block="4", **expected)


@case
def table_trace_has_every_event(c):
    laps(c, "--trace-tables", "tables.jsonl")
    records = [json.loads(line) for line in (c.folder / "tables.jsonl").read_text().splitlines()]
    head, events = records[0], records[1:]
    check(head["kernel"] == "laps" and head["lines"][:3] == [9, 10, 12], "the first line does not name the kernel")
    branches = [e for e in events if e["event"] == "branch"]
    check([e["taken"][-4:] for e in branches if "taken" in e] == ["1100", "1000"], "wrong lanes branch back")
    check([[(s["rpc"], s["mask"][-4:]) for s in e["stack"]] for e in branches] ==
          [[("-", "1111"), (5, "1100")], [("-", "1111"), (5, "1000")], [("-", "1111")]], "wrong stacks")
    check({e["event"] for e in events} == {"launch", "issue", "write_back", "branch", "exit"}, "wrong events")
    check(all(e["scoreboard"] == sorted(e["scoreboard"], key=lambda r: r["reg"]) for e in events), "no scoreboard")
    check(events[-1]["event"] == "exit" and events[-1]["stack"] == [] and events[-1]["scoreboard"] == [],
          "the warp has not ended")
    done = c.run("tables", "tables.jsonl", "--lanes", "4", "--event", "branch")
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]
    check(rows[1] == "cycle warp event stack scoreboard", "wrong head")
    check(rows[2].endswith("branch L14 1111 to 1100 L15 - 1111 | L12 L15 1100"), f"wrong row '{rows[2]}'")
    check(rows[4].endswith("branch L14 1000 L15 - 1111"), f"wrong row '{rows[4]}'")


@case
def table_trace_shows_the_state_after_each_event(c):
    # Also where the mechanism does not hear of sequential flow and the core knows the PC: a BSSY leaves its lanes behind it.
    text = ".listing\n.kernel k\n    S2R R0, SR_LANEID;\n    ISETP.LT P0, R0, 2;\n    BSSY B1, J;\n    @P0 BRA J;\n    NOP;\nJ:\n    BSYNC B1;\n    EXIT;\n"
    c.run("run", "--ptx", c.file("region.sass", text), "--entry", "k", "--grid", "1", "--block", "4", "--platform", "tiny", "--set",
          "core.control_flow.mechanism=hanoi", "--trace-tables", "t.jsonl")
    rows = [" ".join(line.split()) for line in c.run("tables", "t.jsonl", "--lanes", "4").stdout.splitlines()]
    rows = [row.split(" ", 2)[2] for row in rows if "convergence" in row or "branch" in row]
    want = ["convergence L5 1111 L6 1111 L10 barrier=1 1111 barrier=1", "branch L6 1111 to 0011 L7 1100 | L9 0011 L10 barrier=1",
            "convergence L9 0011 L7 1100 L10 barrier=1", "convergence L9 1100 L10 1111"]
    check(len(rows) == len(want) and all(row.startswith(part) for row, part in zip(rows, want)), f"rows {rows}")


@case
def tables_of_every_mechanism_are_printed(c):
    for mechanism in ("simt_stack", "aware", "multi_path", "hanoi", "resync", "tbc", "dwf"):
        laps(c, "--set", f"core.control_flow.mechanism={mechanism}", "--trace-tables", "t.jsonl")
        done = c.run("tables", "t.jsonl", "--lanes", "4", "--event", "branch")
        check("branch L14 1111 to 1100" in done.stdout, f"{mechanism}:\n{done.stdout}")
    laps(c, "--set", "core.control_flow.mechanism=resync", "--trace-tables", "t.jsonl")
    row = c.run("tables", "t.jsonl", "--lanes", "4", "--event", "branch").stdout.splitlines()[2]
    check(" ".join(row.split()).endswith("branch L14 1111 to 1100 L15 0011 level=1 state=waits | L12 1100 level=1 state=runs"), row)


@case
def traces_change_no_statistic(c):
    c.run("run", "bfs", "--platform", "tiny", "--size", "tiny", "--out", "a")
    c.run("run", "bfs", "--platform", "tiny", "--size", "tiny", "--out", "b", "--trace-tables", "t.jsonl",
          "--trace-timeline", "t.json", "--trace-control-flow", "t.cft")
    check((c.folder / "a/stats.json").read_text() == (c.folder / "b/stats.json").read_text(), "the runs differ")


@case
def timeline_has_a_row_per_split(c):
    laps(c, "--trace-timeline", "timeline.json")
    events = json.loads((c.folder / "timeline.json").read_text())["traceEvents"]
    rows = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    check(rows == {"warp 0", "warp 0 split at lane 2", "warp 0 split at lane 3"}, f"rows {rows}")
    slices = [e for e in events if e["ph"] == "X"]
    issues = [e for e in slices if "source" in e["args"]]
    check(sum(e["name"] == "setp.lt.u32" for e in issues) == 3, "wrong number of instructions")
    check(sum(e["args"]["lanes"] for e in issues if e["name"] == "setp.lt.u32") == 4 + 2 + 1, "wrong lanes")
    for row in {(e["pid"], e["tid"]) for e in slices}:
        stretches = sorted((e["ts"], e["ts"] + e["dur"]) for e in slices
                           if (e["pid"], e["tid"]) == row and "from" in e["args"])
        check(all(a[1] <= b[0] for a, b in zip(stretches, stretches[1:])), "stretches of a row overlap")


@case
def timeline_counts_backed_off_warps(c):
    run = ("run", "hashtable", "--platform", "gtx480", "--size", "tiny", "--trace-timeline", "t.json", "--set", "cores=2")
    bows = ("--set", "core.spin.source=annotations", "--set", "core.spin.bows.minimum_delay=200")

    def counts():
        events = json.loads((c.folder / "t.json").read_text())["traceEvents"]
        return [(e["pid"], e["ts"], e["args"]["warps"]) for e in events if e["name"] == "backed-off warps"]

    c.run(*run)
    check(not counts(), "warps back off without BOWS")
    c.run(*run, *bows, "--out", "result", "--per-launch")
    spin = json.loads((c.folder / "result/stats.json").read_text())["kernels"][0]["statistics"]
    found = counts()
    check({core for core, _, _ in found} == {0, 1}, "a core has no counter")
    for core in (0, 1):
        steps = sorted((cycle, number) for number, (of, cycle, _) in enumerate(found) if of == core)
        warps = [found[number][2] for _, number in steps]
        check(warps[-1] == 0, "warps are backed off at the end")
        check(max(warps) == spin[f"core{core}"]["spin"]["backoff_unit"]["most_backed_off"], f"most are {max(warps)}")
        area = sum(a * (end - begin) for (begin, _), (end, _), a in zip(steps, steps[1:], warps))
        check(area == spin[f"core{core}"]["spin"]["backoff_unit"]["backed_off_cycles"], "another number of warp-cycles")


@case
def timeline_has_the_modes_of_quanta(c):
    run = ("run", "hashtable", "--platform", "tiny", "--size", "tiny", "--trace-timeline", "t.json")

    def modes():
        events = json.loads((c.folder / "t.json").read_text())["traceEvents"]
        return [(e["name"], e["args"]["quantum"], e["ts"], e["dur"]) for e in events if "quantum" in e.get("args", {})]

    c.run(*run)
    check(not modes(), "modes without determinism")
    c.run(*run, "--set", "determinism.enabled=true", "--out", "result", "--per-launch")
    of = json.loads((c.folder / "result/stats.json").read_text())["kernels"][0]["statistics"]["determinism"]
    for mode, cycles in of["cycles"].items():
        check(sum(dur for name, _, _, dur in modes() if name == mode) == cycles, f"another time in {mode}")
    check(of["cycles"]["serial"] > 0 and len({quantum for _, quantum, _, _ in modes()}) == of["quanta"], "quanta")
    ends = [(ts, ts + dur) for _, _, ts, dur in modes()]
    check(all(a[1] <= b[0] for a, b in zip(ends, ends[1:])), "modes overlap")


@case
def traces_can_be_narrowed(c):
    c.run("run", "bfs", "--platform", "tiny", "--size", "tiny", "--trace-tables", "t.jsonl", "--trace-warp", "1:0",
          "--trace-cycles", "100:600")
    events = [json.loads(line) for line in (c.folder / "t.jsonl").read_text().splitlines()]
    events = [e for e in events if "event" in e]
    check(events and {(e["core"], e["warp"]) for e in events} == {(1, 0)}, "other warps are in the trace")
    check(all(100 <= e["cycle"] <= 600 for e in events), "other cycles are in the trace")


@case
def a_hang_leaves_its_traces(c):
    c.run("run", "spinlock", "--platform", "tiny", "--size", "tiny", "--trace-tables", "t.jsonl", "--trace-timeline",
          "t.json", "--trace-cycles", ":2000", code=HANG)
    check(json.loads((c.folder / "t.json").read_text())["traceEvents"], "no timeline")
    check((c.folder / "t.jsonl").read_text().count('"event"') > 100, "no tables")


def compared(c, reference, other, *options, code=MISMATCH):
    return json.loads(c.run("compare-traces", reference, other, "--json", *options, code=code).stdout)


@case
def control_flow_trace_has_every_instruction(c):
    laps(c, "--trace-control-flow", "laps.cft")
    lines = (c.folder / "laps.cft").read_text().splitlines()
    check(lines[:2] == ["heddle-control-flow-trace 1", "launch 0 8 laps"], "wrong head")
    # Lane 0 and 1 leave after one lap, 2 after two, 3 after three; they wait behind the loop.
    check(lines[2:] == ["0:0 0+4/f 10+2/c 10+2/8 28+4/f"], f"wrong trace {lines[2:]}")


@case
def control_flow_traces_are_compared(c):
    laps(c, "--trace-control-flow", "a.cft")
    laps(c, "--trace-control-flow", "b.cft", "--set", "core.control_flow.mechanism=hanoi")
    # Instructions that the placement inserted are not in the trace.
    same = compared(c, "a.cft", "b.cft", code=OK)
    size = 16
    check(same["total"]["instructions"] == size and same["total"]["distance"] == 0, "Hanoi's trace is another one")
    check(same["total"]["simd"] == same["total"]["other_simd"] == (10 * 4 + 3 * 2 + 3) / size / 32, "wrong utilisation")
    text = (c.folder / "a.cft").read_text()
    for change, to, distance in (("10+2/8", "10+1/8 20/4", 1), ("10+2/8", "10+1/8", 1), ("10+2/8", "10+2/8*2", 3)):
        changed = compared(c, "a.cft", c.file("c.cft", text.replace(change, to)))
        check(changed["total"]["distance"] == distance, f"distance {changed['total']['distance']} for {to}")
        check(changed["total"]["difference"] == distance / size, "not by the size of the reference")
        check(changed["launches"][0]["by_warp"][0]["exact"], "not exact")
    turned = compared(c, "a.cft", c.file("d.cft", text.replace("10+2/c 10+2/8", "10+2/8 10+2/c")))["total"]
    check(turned["distance"] == 6 and turned["difference_in_any_order"] == 0, "order alone")
    check(changed["total"]["difference_in_any_order"] == 3 / size, "what only one of them has")
    text = c.run("compare-traces", "a.cft", "c.cft", code=MISMATCH).stdout
    check("18.7500 %" in text and "laps" in text, "no table")
    cut = compared(c, "a.cft", "c.cft", "--max-distance", "2")
    check(cut["total"]["distance"] == 3 and cut["total"]["exact"] is False, "the limit is not said")
    check("> 3" in c.run("compare-traces", "a.cft", "c.cft", "--max-distance", "2", code=MISMATCH).stdout, "not said")
    both = compared(c, c.file("none.cft", "heddle-control-flow-trace 1\n"), "a.cft")
    check(both["total"]["missing_warps"] == 1 and both["total"]["distance"] == size, "a missing warp does not count")


@case
def control_flow_traces_of_mechanisms_name_the_same_instructions(c):
    """Functions, spilled registers and joined returns included: every instruction of the oracle's kind is in all of them."""
    sets = {"stack": [], "aware": ["core.control_flow.mechanism=aware"],
            "hanoi": ["core.control_flow.mechanism=hanoi", "core.control_flow.hanoi.profile=P",
                      "core.convergence.barrier_registers=1"]}
    for workload in ("nqueens-recursive", "mandelbrot", "bvh"):
        lanes = {}
        for name, keys in sets.items():
            c.run("run", workload, "--platform", "tiny", "--size", "tiny", "--trace-control-flow", f"{name}.cft",
                  *(word for key in keys for word in ("--set", key)))
        for name in sets:
            total = json.loads(subprocess.run([c.heddle, "compare-traces", "stack.cft", f"{name}.cft", "--json"], cwd=c.folder,
                                              capture_output=True, text=True, check=False).stdout)["total"]
            lanes[name] = round(total["other_simd"] * total["other_instructions"] * 32)
            check(total["missing_warps"] == 0, f"{workload}, {name}: other warps")
        # A thread executes the same instructions whatever it executes them with.
        check(len(set(lanes.values())) == 1, f"{workload}: lanes {lanes}")


@case
def bad_control_flow_traces(c):
    head = "heddle-control-flow-trace 1\nlaunch 0 8 k\n"
    good = c.file("good.cft", head + "0:0 0/1\n")
    for text, says in (("", "is empty"), ("x\n", "bad.cft:1: not a control-flow trace"), (head + "0:0 zz/1\n", "bad.cft:3"),
                       (head + "0:0 0/1*99999999999\n", "behind *"), (b"\x7fELF\x00\xff\n", "not a control-flow trace")):
        c.refused("compare-traces", good, c.file("bad.cft", text), says=["bad.cft", says, "--trace-control-flow"])
        c.refused("compare-traces", "bad.cft", good, says=["bad.cft", says])
    c.refused("compare-traces", good, "absent.cft", says=["absent.cft", "cannot be read"])
    c.refused("compare-traces", good, ".", says=["cannot be read"])
    other = c.file("other.cft", head.replace(" k", " other") + "0:0 0/1\n")
    c.refused("compare-traces", good, other, says=["other.cft", "kernel other", "of k", "the same program"])
    c.refused("compare-traces", good, says=["OTHER"])
    c.refused("compare-traces", good, good, "--max-distance", "-1", says=["whole number of at least 0"])
    c.refused("run", "vecadd", "--trace-control-flow", "x", "--trace-tables", "x", says=["x"])
    c.refused("run", "vecadd", "--trace-control-flow", "no/such/x", says=["no/such/x"])


@case
def bad_trace_options(c):
    c.refused("run", "vecadd", "--trace-warp", "0:0", says=["--trace-tables FILE"])
    for bad in ("0", "0:x", "-1:0"):
        c.refused("run", "vecadd", "--trace-tables", "t.jsonl", "--trace-warp", bad, says=["CORE:WARP"])
    for bad in ("5", "7:5", "a:b"):
        c.refused("run", "vecadd", "--trace-tables", "t.jsonl", "--trace-cycles", bad, says=["FROM:TO"])
    c.refused("run", "vecadd", "--trace-tables", "no/such/folder/t.jsonl", says=["no/such/folder/t.jsonl"])
    c.refused("tables", "absent.jsonl", says=["absent.jsonl", "cannot be read"])
    c.refused("tables", c.file("text.jsonl", "no json\n"), says=["text.jsonl:1", "--trace-tables"])
    c.refused("tables", ".", says=["cannot be read"])
    c.refused("tables", c.file("empty.jsonl", ""), says=["empty.jsonl", "is empty"])


@case
def bad_table_traces(c):
    laps(c, "--trace-tables", "t.jsonl")
    lines = (c.folder / "t.jsonl").read_text().splitlines()
    last = json.loads(lines[-1])
    for change, says in (({"lanes": "xyz"}, "'xyz' is no mask"), ({"lanes": "1" * 80}, "is no mask"),
                         ({"lanes": ""}, "'' is no mask"), ({"cycle": -1}, "'cycle' is -1"),
                         ({"warp": 1.5}, "'warp' is 1.5"), ({"pc": -3}, "-3 is no PC"),
                         ({"scoreboard": [{"reg": 1, "lanes": "q"}]}, "'q' is no mask"), ({"event": 7}, "type")):
        bad = c.file("bad.jsonl", "\n".join([*lines[:-1], json.dumps({**last, **change})]))
        c.refused("tables", bad, says=[f"bad.jsonl:{len(lines)}", says, "--trace-tables"])
    c.refused("tables", "t.jsonl", "--event", "brunch", says=["no event 'brunch'", "did you mean 'branch'"])
    c.refused("tables", "t.jsonl", "--warp", "0", says=["CORE:WARP"])
    c.refused("tables", "t.jsonl", "--limit", "-1", says=["whole number of at least 0"])
    # Records with other tables get headings of their own.
    mixed = c.file("mixed.jsonl", "\n".join([*lines, json.dumps({k: v for k, v in last.items() if k != "stack"})]))
    check(c.run("tables", mixed).stdout.count("event") == 2, "cells under the wrong headings")


@case
def traces_go_to_devices_and_through_links(c):
    (c.folder / "link.jsonl").symlink_to("real.jsonl")
    laps(c, "--trace-tables", "link.jsonl", "--trace-timeline", "/dev/null")
    check((c.folder / "link.jsonl").is_symlink() and (c.folder / "real.jsonl").is_file(), "the link was replaced")
    check(pathlib.Path("/dev/null").is_char_device(), "the device was replaced")


@case
def kernels_log_their_blocks(c):
    text = DIVERGE.replace(".version 6.0", ".version 6.2")
    command = ["--set", "core.control_flow.mechanism=hanoi", "--trace-blocks", "blocks.trace", "--print", "out:4"]
    done = c.ptx(text, "laps", "--arg", "buf=out:32xu32", *command, block="4")
    check("1 1 2 3" in " ".join(done.stdout.split()), "the log changes what the kernel computes")
    lines = (c.folder / "blocks.trace").read_text().splitlines()
    check(lines[1:4] == ["# block 0: kernel.ptx:9 laps", "# block 1: kernel.ptx:11 laps LOOP", "# block 2: kernel.ptx:15 laps"], lines)
    check(lines[4:] == ["launch 0 1 laps", "0:0 0+1/f 1/c 1/8 2/f"], lines)
    # What does not fit is counted; warps behind the last one are not logged.
    short = ["--block-warps", "1", "--block-entries", "3", *command]
    c.ptx(text, "laps", "--arg", "buf=out:32xu32", *short, block="4", grid="2")
    lines = (c.folder / "blocks.trace").read_text().splitlines()
    check(lines[5:] == ["# warp 0:0 came to 5 blocks, of which 3 are here", "0:0 0+1/f 1/c"], lines)


@case
def a_log_of_blocks_is_refused_where_there_is_none(c):
    def refused(*options, says, text=DIVERGE):
        c.ptx(text, "laps", "--arg", "buf=out:32xu32", *options, says=says)

    refused("--trace-blocks", "t", says=["kernel.ptx", "PTX 6.0 has no activemask", ".version of 6.2"])
    refused("--trace-blocks", "t", "--check", "oracle", says=["--trace-blocks changes the kernels"])
    refused("--block-warps", "3", says=["--block-warps is about kernels that --trace-blocks instruments"])
    refused("--trace-blocks", "t", "--deterministic-check", "2", says=["--trace-blocks does not go with --deterministic-check"])
    c.refused("run", "vecadd", "--device", "oracle", "--trace-blocks", "t", says=["the oracle has none"])
    c.refused("trace-blocks", "nothing.ptx", "-o", "t", says=["nothing.ptx"])
    text = c.file("k.ptx", DIVERGE.replace(".version 6.0", ".version 6.2"))
    c.refused("trace-blocks", text, "-o", text, says=["-o"])
    done = c.run("trace-blocks", text, "-o", "logged.ptx")
    check(done.stdout.splitlines()[1] == "block 1: line 11, laps LOOP", done.stdout)
    c.refused("run", "--platform", "tiny", "--ptx", "logged.ptx", "--entry", "laps", "--grid", "1", "--block", "4", "--arg",
              "buf=out:32xu32", "--trace-blocks", "t", says=["has a variable 'hwlog_cnt' already"])
