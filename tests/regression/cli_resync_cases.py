"""heddle threads and heddle resync; the mechanism resync on spin loops."""

import json

from cli_command import BAD_INPUT, HANG, case, check


def record(c, workload="bfs", *options):
    c.run("threads", workload, "--size", "tiny", "--out", "traces", *options)
    return c.folder / "traces"


@case
def resync_replays_recorded_threads(c):
    traces = record(c, "bfs", "--threads", "8", "--sets", "2", "--launches", "3")
    sets = sorted(path for path in traces.iterdir())
    check(len(sets) == 6 and all(len(list(folder.iterdir())) == 8 for folder in sets), f"other sets: {sets}")
    done = c.run("resync", "traces", "--policy", "MinPC", "--policy", "RoundRobin", "--policy", "PDomMinSP+aging=50", "--details",
                 "--json", "out.json")
    check("execute" not in done.stderr and "identical %" in done.stdout, "no details")
    result = json.loads((c.folder / "out.json").read_text())
    rows = {row["policy"]: row for row in result["policies"]}
    check(result["sets"] == 6 and len(rows) == 3, f"{result['sets']} sets, {list(rows)}")
    instructions = {row["instructions"] for row in rows.values()}
    check(len(instructions) == 1, f"policies replay different instructions: {instructions}")
    check(rows["RoundRobin"]["dlp"] == 1 and rows["MinPC"]["dlp"] > 1.5, "no sharing, or where there is none")
    for row in rows.values():
        check(sum(k["fetches"] for k in row["active"]) == row["fetches"], "the histogram leaves fetches out")
        check(sum(k["threads"] * k["fetches"] for k in row["active"]) == row["instructions"], "or instructions")
    again = c.run("resync", "traces", "--policy", "MinPC", "--json", "again.json")
    check(json.loads((c.folder / "again.json").read_text())["policies"][0] == rows["MinPC"], f"not the same twice: {again.stdout}")


@case
def threads_replace_an_earlier_recording(c):
    traces = record(c, "bfs", "--threads", "8", "--sets", "4")
    more = {p.relative_to(traces) for p in traces.rglob("*.trace")}
    kept = traces / "00_bfs_level_cta0_0" / "notes.txt"
    kept.write_text("mine")
    (traces / "mine").mkdir()
    (traces / "mine" / "a.trace").write_bytes(b"")
    done = c.run("threads", "bfs", "--size", "tiny", "--out", "traces", "--threads", "2", "--sets", "1", "--launches", "1")
    fewer = {p.relative_to(traces) for p in traces.rglob("thread*.trace")}
    check(len(fewer) == 2 and len(more) > 10, f"traces of the larger recording are left: {sorted(map(str, fewer))}")
    check(kept.read_text() == "mine" and (traces / "mine" / "a.trace").exists(), "files of somebody else are gone")
    check("not of this recording: mine/a.trace" in done.stdout, "and not mentioned")
    check(sorted(p.name for p in traces.iterdir()) == ["00_bfs_level_cta0_0", "mine"], "other folders are left")
    clean = c.folder / "clean"
    c.run("threads", "bfs", "--size", "tiny", "--out", "clean", "--threads", "2", "--sets", "1", "--launches", "1")
    for trace in fewer:
        check((traces / trace).read_bytes() == (clean / trace).read_bytes(), "not what is recorded into an empty folder")
    c.run("threads", "vecadd", "--size", "tiny", "--out", "clean", "--sets", "1")
    check(all("bfs" not in p.name for p in clean.iterdir()), "sets of another workload are left")


@case
def threads_that_fail_leave_the_earlier_recording(c):
    traces = record(c, "bfs", "--threads", "2", "--sets", "1", "--launches", "1")
    before = {p: p.read_bytes() for p in traces.rglob("*") if p.is_file()}
    c.refused("threads", "bfs", "--size", "tiny", "--out", "traces", "--param", "nodes=0", says=["--param"])
    c.refused("threads", "--native", "/bin/true", "--out", "traces", says=["/bin/true"])
    check(before == {p: p.read_bytes() for p in traces.rglob("*") if p.is_file()}, "it was changed")


@case
def resync_does_not_write_to_its_traces(c):
    traces = record(c, "bfs", "--threads", "2", "--sets", "1", "--launches", "1")
    first = sorted(traces.rglob("*.trace"))[0].relative_to(c.folder)
    before = (c.folder / first).read_bytes()
    (c.folder / "link").symlink_to(first)
    for name in (first, f"./{first}", "link"):
        c.refused("resync", "traces", "--json", name, says=[f"--json {name}: is the same file as that of the trace", "is read"])
    check((c.folder / first).read_bytes() == before, "a trace was changed")
    hidden = traces / ".heddle-1.tmp" / "00_x_cta0_0"
    hidden.mkdir(parents=True)
    (hidden / "thread00.trace").write_bytes(b"cut short")
    c.run("resync", "traces")


@case
def resync_finds_the_optimum_of_small_traces(c):
    record(c, "bfs", "--threads", "2", "--sets", "1", "--launches", "1")
    c.run("resync", "traces", "--policy", "published", "--optimum", "--json", "out.json")
    result = json.loads((c.folder / "out.json").read_text())
    check(len(result["policies"]) == 56, f"{len(result['policies'])} published configurations")
    least = min(row["fetches"] for row in result["policies"])
    check(0 < result["optimum"] <= least, f"optimum {result['optimum']}, best policy {least}")


@case
def resync_refuses_what_it_cannot_replay(c):
    record(c, "bfs", "--threads", "2", "--sets", "1", "--launches", "1")
    check("Did you mean 'MinPC'?" in c.run("resync", "traces", "--policy", "MinPV", code=BAD_INPUT).stderr, "no nearest name")
    c.run("resync", "nowhere", code=BAD_INPUT)
    first = sorted((c.folder / "traces").rglob("*.trace"))[0]
    first.write_bytes(first.read_bytes()[:-3])
    check("byte" in c.run("resync", "traces", code=BAD_INPUT).stderr, "not where the file ends")
    c.run("threads", "--out", "nothing", code=BAD_INPUT)


@case
def resync_starves_spinning_lanes_unless_it_ages(c):
    keys = ["--size", "tiny", "--platform", "tiny", "--set", "core.control_flow.mechanism=resync"]
    for policy in ("MinPC", "MinSP_MinPC", "MaxFunMinPC1", "PDomMinPC", "PDomMinSP", "LongestPath1"):
        choice = ["--set", f"core.control_flow.resync.policy={policy}"]
        done = c.run("run", "spinlock", *keys, *choice, code=HANG)
        check("SIMT-induced deadlock" in done.stderr and "aging_selections" in done.stderr, f"{policy}: {done.stderr}")
        c.run("run", "spinlock", *keys, *choice, "--set", "core.control_flow.resync.aging_selections=100", "--check", "oracle")
    for policy in ("Lee", "RoundRobinEq"):
        c.run("run", "spinlock", *keys, "--set", f"core.control_flow.resync.policy={policy}")
    bad = c.run("run", "vecadd", *keys, "--set", "core.control_flow.resync.policy=Oracle(1k 0)", code=BAD_INPUT)
    check("for the replay of traces only" in bad.stderr, bad.stderr)
