"""Cases of cli_cases.py: the profile by instruction."""

import itertools
import json
import re

from cli_command import case, check, stats


@case
def profile_prints_the_hottest_instructions(c):
    done = c.run("run", "sgemm", "--platform", "tiny", "--size", "tiny", "--profile")
    check([p.name for p in c.folder.iterdir()] == [], "files without --out")
    table = itertools.takewhile(lambda line: "Waits at" not in line, done.stdout[done.stdout.index("share  group-cycles"):].splitlines()[1:])
    rows = [line.split() for line in table if re.match(r" +[0-9.]+ %", line)]
    check(len(rows) == 20, f"{len(rows)} rows, not 20")
    heat = [int(row[2].replace(",", "")) for row in rows]
    check(heat == sorted(heat, reverse=True), "not hottest first")
    for word in ("A group-cycle is", "waits for", "more\n", "ld.shared"):
        check(word in done.stdout, f"'{word}' is not in the profile")
    done = c.run("run", "sgemm", "--platform", "tiny", "--size", "tiny", "--profile", "--profile-top", "3")
    check(len(re.findall(r"^ +[0-9.]+ % +[0-9,]+ +0x", done.stdout, re.MULTILINE)) == 3, "not three rows")
    done = c.run("run", "sgemm", "--platform", "tiny", "--size", "tiny")
    check("group-cycle" not in done.stdout, "a profile that nobody asked for")


@case
def profile_has_the_causes_of_extensions(c):
    done = c.run("run", "spinlock", "--size", "tiny", "--platform", "tiny", "--profile", "--out", "result",
                 "--set", "core.compiler=ssde", "--set", "core.spin.source=ddos")
    waiting = json.loads((c.folder / "result/profile.json").read_text())["kernels"][0]["total"]["waiting"]
    check(waiting["backed_off"] > 0, f"no instruction has backed off: {waiting}")
    check(re.search(rf"^ +backed_off +{waiting['backed_off']:,} ", done.stdout, re.MULTILINE), "not printed")


@case
def profile_files_are_complete_and_repeat(c):
    files = []
    for folder in ("a", "b"):
        c.run("run", "bfs", "--platform", "tiny", "--size", "tiny", "--profile", "--out", folder)
        files.append({p.name: p.read_text() for p in (c.folder / folder).iterdir() if p.name != "host.json"})
    check(sorted(files[0]) == ["config.yaml", "profile.json", "profile.txt", "report.txt", "stats.json"],
          "wrong files in --out")
    check(files[0] == files[1], "two runs differ")
    c.run("run", "bfs", "--platform", "tiny", "--size", "tiny", "--out", "c")
    check((c.folder / "c" / "stats.json").read_text() == files[0]["stats.json"], "the profile changes the statistics")
    kernels = json.loads(files[0]["profile.json"])["kernels"]
    total = stats(c.folder / "a")["total"]
    for count, name in (("warp_instructions", "issues"), ("thread_instructions", "lanes")):
        check(total[count] == sum(pc[name] for k in kernels for pc in k["pcs"]), f"{name} were lost")
    check(sum(k["cycles"] for k in kernels) == total["cycles"], "cycles were lost")
    for k in kernels:
        check(all(pc["group_cycles"] == pc["issues"] + sum(pc["waiting"].values()) for pc in k["pcs"]), "no sum")
        check(sum(pc["group_cycles"] for pc in k["pcs"]) == k["total"]["group_cycles"], "the total is not the sum")
        for pc in k["pcs"]:
            check(pc["pc"] in files[0]["profile.txt"] and pc["ptx"] in files[0]["profile.txt"], "not in profile.txt")


@case
def profile_of_an_own_kernel(c):
    done = c.scale("--profile")
    check("Kernel scale of kernel.ptx: 1 launch" in done.stdout, "no profile")
    check("mul.f32 %f3, %f1, %f2;" in done.stdout, "no source line")


@case
def bad_profile_options(c):
    for bad in ("0", "-1", "x", "2.5"):
        c.refused("run", "vecadd", "--profile", "--profile-top", bad, says=["--profile-top", "at least 1"])
    c.refused("run", "vecadd", "--profile-top", "5", says=["--profile-top goes with --profile only"])
    c.refused("run", "vecadd", "--profil", says=["did you mean '--profile'?"])
