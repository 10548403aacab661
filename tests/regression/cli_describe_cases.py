"""Platforms and keys: heddle describe, files that include the shipped platforms, and the table of exit codes."""

import json
import pathlib
import re

from cli_command import case, check

CONFIGS = pathlib.Path(__file__).resolve().parents[2] / "platforms" / "configs"


@case
def describe_one_key(c):
    text = c.run("describe", "core.scheduler.policy", "--platform", "rtx2060", "--set", "core.scheduler.policy=lrr").stdout
    check(text.startswith("core.scheduler.policy = lrr\n"), "no value")
    for line in ("platform +rtx2060", "default +gto", r"range +lrr \| gto", r"meaning +\w+"):
        check(re.search(rf"^  {line}", text, re.MULTILINE), f"no '{line}'")
    for line in ("  meaning +lrr: ", " {12}gto: ", " {12}glrr: "):
        check(re.search(rf"^{line}", text, re.MULTILINE), f"the choices are not explained one a line: '{line}'")
    text = c.run("describe", "core.l1d.latency_cycles").stdout
    check(re.search(r"^  platform +gtx480$", text, re.MULTILINE), "not the default platform")
    check(re.search(r"^  unit +core cycles$", text, re.MULTILINE), "no unit")
    check("true | false" in c.run("describe", "watchdog.enabled").stdout, "no values of a flag")


@case
def describe_sections_and_platforms(c):
    everything = c.run("describe", "tiny").stdout.splitlines()
    section = c.run("describe", "core.scheduler", "tiny").stdout.splitlines()
    check([line.split()[0] for line in section] ==
          [line.split()[0] for line in everything if line.startswith("core.scheduler.")], "not the section's keys")
    check(re.search(r"^cores +2 .*\(default 15\)$", "\n".join(everything), re.MULTILINE), "no default beside the value")
    two = c.run("describe", "tiny", "cores", "watchdog.enabled").stdout.splitlines()
    check([line.split()[0] for line in two] == ["cores", "watchdog.enabled"], "not the two keys")
    keys = json.loads(c.run("describe", "cores", "--platform", "tiny", "--json").stdout)
    check([(key["path"], key["value"], key["default"]) for key in keys] == [("cores", "2", "15")], "wrong JSON")
    c.file("mine.yaml", "cores: 5\n")
    check(c.run("describe", "mine.yaml", "cores").stdout.startswith("cores = 5\n"), "a file is no platform")


@case
def describe_suggests_names(c):
    c.refused("describe", "core.scheduler.polcy", says=["did you mean 'core.scheduler.policy'?"])
    c.refused("describe", "core.schedular", says=["did you mean 'core.scheduler'?"])
    c.refused("describe", "gtx408", says=["did you mean 'gtx480'?"])
    c.refused("describe", "policy", says=["keys named 'policy': ", "core.scheduler.policy"])
    c.refused("describe", "polcy", says=["keys named 'policy': ", "core.scheduler.policy"])
    c.refused("describe", "xyzzy", says=["no platform, key or section of that name", "gtx480", "tiny"])
    c.refused("describe", "tiny", "gtx480", says=["the platform is 'tiny' already"])
    c.refused("describe", "tiny", "cores", "--platform", "gtx480", says=["the platform is 'gtx480' already"])
    c.refused("describe", "cores", "--platform", "gtx408", says=["did you mean 'gtx480'?"])
    c.refused("describe", "absent.yaml", "cores", says=["absent.yaml", "No such file"])


def has_in_order(found, names, where):
    """All of `names` once and in this order, and whatever a further mechanism or policy adds."""
    check([name for name in found if name in names] == names, f"{where}: {found} has not {names} in this order")
    check(len(set(found)) == len(found), f"{where}: twice the same in {found}")


@case
def mechanisms_and_policies_have_names(c):
    for key, first, names in (("core.control_flow.mechanism", "simt_stack", ["simt_stack", "aware", "multi_path"]),
                              ("core.scheduler.policy", "gto", ["lrr", "gto", "two_level", "cawa", "glrr"]),
                              ("dispatch.policy", "round_robin", ["round_robin"]),
                              *((f"{cache}.replacement", "lru", ["lru", "tree_plru", "srrip"])
                                for cache in ("core.l1d", "core.l1i", "core.constant_cache", "memory.l2")),
                              ("memory.dram.scheduler", "fr_fcfs", ["fr_fcfs", "fcfs", "fr_fcfs_cap"]),
                              ("memory.dram.page_policy", "open", ["open", "closed"]),
                              ("memory.address_map", "interleaved", ["interleaved", "xor", "ipoly"])):
        text = c.run("describe", key).stdout
        check(text.startswith(f"{key} = {first}\n"), "not the default")
        found = re.search(r"^  range +(\w+(?: \| \w+)*)$", text, re.MULTILINE)
        check(found, f"no names of {key}:\n{text}")
        has_in_order(found[1].split(" | "), names, key)
        check(json.loads(c.run("describe", key, "--json").stdout)[0]["choices"] == found[1].split(" | "), "others in JSON")
        c.refused("describe", "cores", "--set", f"{key}={first}x", says=[f"did you mean '{first}'?"])
    keys = [key["path"] for key in json.loads(c.run("describe", "core.control_flow", "--json").stdout)]
    below = [key.split(".")[2] for key in keys]
    has_in_order(list(dict.fromkeys(below)), ["mechanism", "first_side", "timeout", "aware", "multi_path", "simt_stack",
                                              "split_table", "reconvergence_table", "split_fifo"], "core.control_flow")
    scheduler = [key["path"] for key in json.loads(c.run("describe", "core.scheduler", "--json").stdout)]
    has_in_order(list(dict.fromkeys(key.split(".")[2] for key in scheduler)),
                 ["count", "sub_cores", "policy", "active_warps", "gto_rotation_cycles", "impl"], "core.scheduler")


def stated(file):
    """{key: value} of one of our files. Each value of a real machine has a source: in its line, or in a comment in front of several
    of a section."""
    found, path, sourced, flow = {}, [], False, None
    invented = file.name == "tiny.yaml"
    for number, line in enumerate(file.read_text().splitlines(), 1):
        content, _, comment = line.partition("#")
        if not content.strip():
            sourced = bool(comment)
            continue
        if flow is None:
            indent, key, value = re.fullmatch(r"( *)([\w.]+): *(.*?) *", content).groups()
            path = [*path[:len(indent) // 2], key]
            flow = value[1:] if value.startswith("{") else None
        else:
            flow += content.strip()
        if flow is None and value and key not in ("include", "name"):
            check(invented or comment or (indent and sourced), f"{file.name}:{number}: no source for {'.'.join(path)}")
            found[".".join(path)] = value.strip('"')
        elif flow is not None and flow.rstrip().endswith("}"):
            check(comment or sourced, f"{file.name}:{number}: no source for {'.'.join(path)}")
            for item in flow.rstrip(" }").split(","):
                key, value = item.split(":")
                found[".".join([*path, key.strip()])] = value.strip()
            flow = None
        if flow is None and (not indent or not value):
            sourced = False
    return found


@case
def the_defaults_are_stated_once_with_their_sources(c):
    """A new key is one line in base/defaults.yaml."""
    c.file("bare.yaml", "name: bare\n")
    keys = {}
    for words in ((), ("test",)):
        for key in json.loads(c.run("describe", "--platform", "bare.yaml", *words, "--json").stdout):
            keys[key["path"]] = key["default"]
    del keys["name"]
    there = stated(CONFIGS / "base" / "defaults.yaml")
    check(keys.keys() == there.keys(), f"lacks {sorted(keys.keys() - there.keys())}, has {sorted(there.keys() - keys.keys())} too many")
    wrong = [f"{key}: {value}, not {keys[key]}" for key, value in there.items() if value != keys[key]]
    check(not wrong, f"other values than the program's: {wrong}")


@case
def platforms_state_what_differs(c):
    files = sorted(CONFIGS.glob("*.yaml"))
    check(len(files) >= 5, "where are they?")
    for file in [*files, *(path for path in (CONFIGS / "base").glob("*.yaml") if path.name != "defaults.yaml")]:
        text = file.read_text()
        check(len(text.splitlines()) < 120, f"{file.name} has {len(text.splitlines())} lines")
        included = re.search(r"^include: (\S+)$", text, re.MULTILINE)
        check(included, f"{file.name} includes nothing")
        keys = stated(file)
        known = json.loads(c.run("describe", "--platform", file.parent / included[1], *keys, "--json").stdout)
        before = {key["path"]: key["value"] for key in known}
        same = [key for key, value in keys.items() if before[key] == value]
        check(not same, f"{file.name} repeats what {included[1]} has: {same}")


@case
def keys_for_tests_are_shown_on_request(c):
    for words in ((), ("tiny",), ("core",), ("memory", "tm")):
        check("test." not in c.run("describe", *words).stdout, f"{words}: keys for tests")
    shown = c.run("describe", "test").stdout
    for key in ("core.scheduler.perturb_seed", "core.start_jitter.perturb_cycles", "memory.crossbar.perturb_cycles", "memory.dram.perturb_seed",
                "tm.checks"):
        check(re.search(rf"^test\.{key} ", shown, re.MULTILINE), f"no {key}")
        c.refused("describe", "--set", f"{key}=1", says=[f"--set {key}: unknown key", f"test.{key}"])
    check(c.run("describe", "test.tm.checks", "--set", "test.tm.checks=true").stdout.startswith("test.tm.checks = true\n"), "not set")
    c.run("run", "vecadd", "--size", "tiny", "--platform", "tiny", "--set", "test.core.start_jitter.perturb_seed=3", "--out", "out")
    written = (c.folder / "out" / "config.yaml").read_text()
    check(re.search(r"^test:.*\n(?:  .*\n)*    start_jitter:.*\n      perturb_seed: 3\n", written, re.MULTILINE), "not in the resolved configuration")
    check(written.count("perturb_seed") == 4, "more than once")
    again = c.run("describe", "test.core.start_jitter.perturb_seed", "--platform", "out/config.yaml").stdout
    check(again.startswith("test.core.start_jitter.perturb_seed = 3\n"), "not read back")


@case
def platform_files_include_the_shipped_ones(c):
    c.file("mine.yaml", "include: tiny.yaml\ncores: 3\n")
    check("cores = 3" in c.run("describe", "cores", "--platform", "mine.yaml").stdout, "not mine")
    shipped, mine = (json.loads(c.run("describe", "--json", platform).stdout) for platform in ("tiny", "mine.yaml"))
    check([key["path"] for key, other in zip(shipped, mine) if key["value"] != other["value"]] == ["cores"],
          "more differs than the file says")
    c.run("run", "vecadd", "--size", "tiny", "--platform", "mine.yaml")
    # What lies beside the file goes first, but a file is not its own base.
    c.file("tiny.yaml", "include: tiny.yaml\ncore:\n  l1d:\n    latency_cycles: 77\n")
    check("= 77" in c.run("describe", "core.l1d.latency_cycles", "--platform", "mine.yaml").stdout, "not the one beside")
    check("cores = 2" in c.run("describe", "cores", "--platform", "./tiny.yaml").stdout, "not based on the shipped one")
    c.file("lost.yaml", "cores: 3\ninclude: gtx408.yaml\n")
    c.refused("run", "vecadd", "--platform", "lost.yaml",
              says=["lost.yaml:2: there is no file 'gtx408.yaml' to include", "looked for gtx408.yaml and ",
                    f"{CONFIGS.relative_to(CONFIGS.parents[1])}/gtx408.yaml"])
    c.file("by_name.yaml", "include: rtx2060\ncores: 4\n")
    check("= hanoi" in c.run("describe", "core.control_flow.mechanism", "--platform", "by_name.yaml").stdout, "not by name")
    c.file("far.yaml", f"include: {CONFIGS}/rtx2060.yaml\ncores: 4\n")
    check(c.run("describe", "--platform", "far.yaml").stdout == c.run("describe", "--platform", "by_name.yaml").stdout.replace("by_name", "far"),
          "a path and a name differ")
    c.file("wrong.yaml", "# one\ninclude: tiny\ncores: none\n")
    c.file("over.yaml", "include: wrong.yaml\n")
    c.refused("describe", "--platform", "over.yaml", says=["wrong.yaml:3: 'cores' must be a whole number"])
    c.file("unknown.yaml", "include: tiny\ncore.l1d: {ways: 4,\n  way: 4}\n")
    c.file("over.yaml", "include: unknown.yaml\n")
    c.refused("describe", "--platform", "over.yaml", says=["unknown.yaml:3: unknown key 'core.l1d.way'"])
    c.file("a.yaml", "include: b.yaml\n")
    c.file("b.yaml", "\ninclude: a.yaml\n")
    c.refused("describe", "--platform", "a.yaml", says=["b.yaml:2: ", "'a.yaml' includes itself, directly or through another file"])
    c.file("lost.yaml", "include: gtx408\n")
    c.refused("run", "vecadd", "--platform", "lost.yaml", says=["lost.yaml:1: there is no file 'gtx408' to include", "looked for gtx408 and ", "/gtx408.yaml"])
    c.file("self.yaml", "include: self.yaml\n")
    c.refused("run", "vecadd", "--platform", "self.yaml", says=["'self.yaml' includes itself"])


@case
def help_lists_every_exit_code(c):
    codes = {}
    for text in (c.run("--help").stdout, c.run("run", "--help").stdout):
        table = text[text.index("Exit codes:\n"):].splitlines()[1:]
        rows = [re.fullmatch(r" +(\d+)  (\S.*)", line) for line in table if line.strip()]
        check(all(rows), "not a table")
        found = {int(row[1]): row[2] for row in rows}
        check(not codes or codes == found, "two lists")
        codes = found
    check("RTL twin" in codes[6], "6 is not explained")
    check(set(codes) >= {7, 130, 141, 143}, "of a device that failed, and of signals")
    header = (pathlib.Path(__file__).resolve().parents[2] / "models" / "base" / "error.h").read_text()
    declared = {int(number) for number in re.findall(r"^ *k\w+ = (\d+),", header, re.MULTILINE)}
    check(declared == set(codes), f"not the codes of base::ExitCode: {sorted(declared ^ set(codes))}")
    manual = (pathlib.Path(__file__).resolve().parents[2] / "platforms" / "USING.md").read_text()
    table = manual[manual.index("| Exit code | |"):]
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", table[:table.index("\n\n")], re.MULTILINE)
    listed = {int(code): text.replace("`", "").replace("\\|", "|") for code, text in rows}
    check(listed == codes, f"platforms/USING.md has another list: {sorted(set(listed.items()) ^ set(codes.items()))}")
