#!/usr/bin/python3
"""scripts/reproduce against a heddle command that answers from a table: the arithmetic of its reports, that hanging
runs are told from others, and that mistakes are refused.

reproduce_cases.py --list prints the names of the cases; reproduce_cases.py CASE runs one."""

import json
import os
import pathlib
import re
import sys
import tempfile

import reproduce_h100_cases  # noqa: F401  (registers its cases)
import reproduce_spin_cases  # noqa: F401  (registers its cases)
from reproduce_command import CASES, ROOT, Reproduce, case, check, row, verdicts


@case
def without_a_study_it_lists_them(reproduce):
    done = reproduce.run()
    for name in ("aware", "bows", "ddos", "gpudet", "h100", "hanoi", "kilotm", "multipath", "resync", "ssde", "tbc"):
        check(re.search(rf"^  {name} ", done.stdout, re.MULTILINE), f"no {name}")


@case
def aware_compares_variants_and_sizes(reproduce):
    aware = "hashtable-mimd core.control_flow.mechanism=aware"
    done = reproduce.run("aware", "--quick", "--workloads", "HT", rules=[
        ["hashtable", {"cycles": 2000, "instructions": 400}],
        ["hashtable-mimd core.compiler=ssde", {"cycles": 1600, "instructions": 500}],
        [aware, {"cycles": 1200, "instructions": 250}],
        [f"{aware} core.control_flow.aware.st_entries=4 core.control_flow.aware.rt_entries=2", {"cycles": 1320}],
        [f"{aware} core.control_flow.timeout.cycles=1000", {"cycles": 3000}],
        [f"{aware} core.scheduler.policy=glrr", {"misses": 5}]])
    text = done.stdout
    check(row(text, "HT", "M2S")[7:] == ["500", "0.80", "1.00"], "M2S")
    check(row(text, "HT", "M2D")[6:] == ["1,200", "250", "0.60", "0.50"], "M2D")
    check(row(text, "HT", "s4r2")[7] == "1.10", "s4r2")
    check(row(text, "HT", "TO 1000")[7] == "2.50", "time-out")
    check(row(text, "HT", "glrr")[-1] == "1.25", "misses of GLRR")
    check(row(text, "HT", "s4r2")[1:4] == ["hashtable-mimd", "tiny", "tesla_c2050"], "what every row says")
    check("control_flow.aware.st_entries=4" in row(text, "HT", "s4r2")[4], "settings")
    check("1.10 (HT)" in text and "above 1: none" in text, "claims")
    calls = reproduce.calls()
    check(len({json.dumps([a for a in c if "/" not in a]) for c in calls}) == len(calls), "a run was made twice")


@case
def runs_that_hang_are_rows_without_numbers(reproduce):
    done = reproduce.run("aware", "--quick", "--workloads", "NW1", rules=[
        ["core.compiler=ssde", {"exit": 4}], ["core.control_flow.timeout.cycles=1000", {"exit": 5}],
        ["core.control_flow.aware.rt_entries=1", {"exit": 1}]])
    check(row(done.stdout, "NW1", "M2S")[6:] == ["hangs", "hangs", "-", "-"], "a hang")
    check(row(done.stdout, "NW1", "TO 1000")[6] == "cycle limit", "the cycle limit")
    check(row(done.stdout, "NW1", "s1r1")[6] == "WRONG RESULT", "a wrong result")


@case
def multipath_prints_harmonic_means(reproduce):
    any_path = "core.control_flow.multi_path.paths=32"
    orec = f"{any_path} core.control_flow.multi_path.opportunistic_reconvergence=true"
    done = reproduce.run("multipath", "--quick", "--workloads", "MAND", "MC", "--jobs", "2", rules=[
        [f"mandelbrot {any_path}", {"cycles": 500}], [f"montecarlo {any_path}", {"cycles": 1000}],
        [f"mandelbrot {orec}", {"cycles": 250, "simd": 0.75}]])
    check(row(done.stdout, "MAND", "MP any")[9:] == ["2.00", "1.00"], "speed-up")
    check(row(done.stdout, "MAND", "MP any + OREC")[8:] == ["75.0 %", "4.00", "1.50"], "OREC")
    check("+33.3 %" in done.stdout, "harmonic mean of 2 and 1")
    check("+60.0 %" in done.stdout, "harmonic mean of 4 and 1")
    check("+25.0 % on average, up to +50.0 % (MAND)" in done.stdout, "utilisation")


@case
def hanoi_compares_traces(reproduce):
    p, x = ("core.control_flow.hanoi.profile=" + profile for profile in "PX")
    stack, skips = "core.control_flow.mechanism=simt_stack", "core.control_flow.hanoi.bsync_skip="
    done = reproduce.run("hanoi", "--quick", "--workloads", "RBFS", "HOTS", "--jobs", "2", rules=[
        [f"bfs {stack}", {"cycles": 2000}], [f"bfs {p}", {"cycles": 800, "instructions": 120}],
        [f"bfs {skips}2", {"cycles": 2000}]],
        compare=[[f"bfs {p}", stack, {"distance": 10, "difference": 0.1, "difference_in_any_order": 0.05, "other_simd": 0.25}],
                 [f"bfs {p}", "core.convergence.placement=off", {"other_instructions": 200}],
                 [f"bfs {skips}2", x, {"distance": 40, "difference": 0.4, "simd": 0.4, "instructions": 80}]])
    text = done.stdout
    check(row(text, "RBFS", "bfs", "rtx2060")[4:] == ["100", "0.00 %", "10.00 %", "0.00 %", "0.00 %", "0.00 %", "10.00 %", "0.00 %",
                                                     "5.00 %", "0.00 %"], "distances")
    ipcs = row(text, "RBFS", "bfs", "800")
    check(ipcs[3:7] == ["1.20", "2.00", "-20.0 %", "-60.0 %"], "IPC of the program's instructions")
    check(ipcs[10:13] == ["-60.0 %", "50.0 %", "25.0 %"], "NOPs; utilisation")
    check(row(text, "RBFS", "200")[3:5] == ["50.0 %", "50.0 %"], "not reconverging")
    check("stack 5.00 %" in text and "stack 1 of 2" in text and "stack 10.00 %" in text, "claims")
    # Never passing against passing every other one.
    check(row(text, "RBFS", "every 2.")[3:] == ["passed", "40.0 %", "+100.0 %", "+25.0 %"], "skipped BSYNCs")
    check("100 / 50 / 50" in text, "cost")


@case
def hanoi_tells_time_from_order_where_kernels_race(reproduce):
    p, stack = "core.control_flow.hanoi.profile=P", "core.control_flow.mechanism=simt_stack"
    seed, off = "test.memory.crossbar.perturb_seed=", "core.convergence.delay=off"
    done = reproduce.run("hanoi", "--quick", "--workloads", "hashtable", compare=[
        [p, stack, {"difference": 0.9}], [f"ctas=1 {p}", f"ctas=1 {stack}", {"difference": 0.5}], [off, off, {"difference": 0.1}],
        [p, f"{p} {seed}1", {"difference": 0.8}], [p, f"{p} {seed}2", {"difference": 0.6}]])
    check(row(done.stdout, "hashtable", "70.00 %")[1:] == ["70.00 %", "0.00 %", "90.00 %", "10.00 %",
                                                          "70.00 %", "0.00 %", "50.00 %", "10.00 %"], "one thing at a time")
    check("stack 90.0 %; P against itself, other delays 70.0 %; one warp: stack 50.0 %, with its order and meeting places 10.0 %, "
          "other delays 70.0 %" in done.stdout, "claim")


def counts(loops, flagged):
    return {"branches": loops + 2, "loops": loops, "depend_on_shared_memory": loops, "on_a_read_in_the_loop": flagged,
            "redefined": flagged, "may_deadlock": flagged}


@case
def ssde_tells_true_flags_from_false_and_missed_ones(reproduce):
    done = reproduce.run("ssde", "--quick", "--workloads", "HT", analyze={
        "spinlock": {"before": [["spin_increment", counts(1, 1)]], "after": [["spin_increment", counts(1, 0)]]},
        "hashtable": {"before": [["hash_insert", counts(2, 1)], ["hash_insert_mimd", counts(2, 0)]], "refused": True},
        "early_release": {"before": [["early_release", counts(3, 3)]], "after": [["early_release", counts(3, 1)]]}})
    text = done.stdout
    check(row(text, "spin_increment")[2:12] == ["3", "1", "1", "1", "1", "1", "1", "0", "0", "0"], "a true flag")
    check(row(text, "hash_insert_mimd")[7:12] == ["0", "0", "0", "**1**", "refused"], "a missed loop")
    check(row(text, "hash_insert")[7:10] == ["1", "0", "1"], "a false flag")
    check(row(text, "early_release")[7:12] == ["3", "2", "1", "0", "1"], "two true ones and a false one")
    check(row(text, "**all**")[3] == "8" and row(text, "**all**")[7:12] == ["5", "3", "2", "1", "1"], "sums")
    check("**0 false flags are documented**" in row(text, "early_release")[-1], "an undocumented false flag")
    check("25.00 %" in text, "the rate of false flags")


@case
def ssde_prints_what_the_transformation_costs(reproduce):
    done = reproduce.run("ssde", "--quick", "--workloads", "HT", kernel="hash_insert", rules=[
        ["hashtable-mimd core.compiler=ssde", {"cycles": 1500, "instructions": 50}]])
    by_hand, made = row(done.stdout, "HT", "S2"), row(done.stdout, "HT", "M2S")
    check(made[7:9] == ["1,500", "50"] and made[10:] == ["1.50", "0.50"], "cycles and instructions")
    source = (ROOT / "platforms" / "workloads" / "ptx" / "hashtable.nvcc.ptx").read_text()
    body = source[source.index(".entry hash_insert("):source.index(".entry hash_insert_mimd(")]
    lines = [line.strip() for line in body.splitlines()]
    static = sum(1 for line in lines if line.endswith(";") and not line.startswith(("//", ".")))
    check(int(by_hand[6]) == static, f"{by_hand[6]} static instructions, {static} by another count")
    check(int(made[6]) == static + 1, "static instructions after the transformation")


def of_determinism(modes, ended, quanta):
    names = ("work_dist", "parallel", "commit", "serial")
    return {"determinism": {"cycles": dict(zip(names, modes)), "quanta": quanta},
            "core0": {"determinism": {"quantum_unit": {"ends": ended}}}}


@case
def gpudet_divides_by_the_nondeterministic_machine(reproduce):
    on = "determinism.enabled=true"
    done = reproduce.run("gpudet", "--quick", "--workloads", "AES", "HT", "CL", "--jobs", "2", rules=[
        [on, {"cycles": 2000, "instructions": 110, "statistics": of_determinism((10, 1190, 500, 300), {"atomic": 5, "exit": 1}, 7)}],
        [f"aes-columns {on}", {"cycles": 900, "statistics": of_determinism((0, 700, 200, 0), {"barrier": 3, "count": 1}, 4)}],
        [f"aes-columns {on} determinism.bta=false", {"cycles": 1200,
                                             "statistics": of_determinism((0, 700, 500, 0), {"barrier": 3, "count": 1}, 8)}],
        [f"hashtable {on} determinism.serial_mode=wavefront", {"cycles": 6000, "statistics": of_determinism((0, 0, 0, 900), {}, 7)}],
        [f"hashtable {on} determinism.commit_engine=lock", {"cycles": 3000, "statistics": of_determinism((0, 0, 1500, 0), {}, 7)}],
        [f"cloth-blocked {on}", {"cycles": 50000}],
        [f"{on} determinism.zbuffer.cache_kib=128", {"cycles": 1990}]])
    text = done.stdout
    check(row(text, "AES", "`aes-columns`", "1,000")[3:6] == ["1.20", "0.90", "0.90"], "configurations of AES")
    check(row(text, "HT", "`hashtable`", "1,000")[3:8] == ["2.00", "2.00", "2.00", "3.00", "6.00"], "of HT")
    modes = [line for line in text.splitlines() if line.startswith("| HT | 2.00 | 1.20 | 0.50 | 0.30 | 7 | 1.10 |")]
    check(len(modes) == 1, "the modes of HT: distribution of CTAs counts as parallel")
    check("| AES | 4 | 0 | 300 | 100.0 % | 33.3 % | 75 | 33.3 % |" in text, "what BTA saves")
    check("| **average without CL** |  |  | 1.60 |" in text, "an average of 1.2 and 2 without CL")
    claims = verdicts(text)
    check(claims["time over NONDET, average of 12"] == ("1.45 (harmonic 1.24)", "**does not hold**: +45.0 % of +105.0 %"), "the average")
    check(claims["CU-Ser: serial-mode time of CLopt, HT, ATM, times less"][0].startswith("3.00"), "serial modes")
    check(claims["Z-buffer commit: commit-mode time of HT, times less"] == ("3.00", "**does not hold**: +200.0 % of +130.0 %"), "commit modes")
    check(claims["BTA: times fewer quanta there"][0].startswith("2.00"), "quanta")
    check(claims["AES and CP are slightly faster than NONDET"] == ("AES 0.90", "holds: AES 0.9, at most 1"), "AES")
    check(claims["highest bar"] == ("2.00 (HT)", "holds: AES 0.9, at most 5"), "CL is in no average")
    check(claims["DWP: performance on BFSr, BFSf, CFD"] == ("not measured in this run", "-"), "what was not run")
    for call in reproduce.calls():
        check("test.memory.crossbar.perturb_seed=1" in call, "a run without perturbation")


def of_transactions(committed, aborted, within=0, reads=0):
    return {"core0": {"transactions": {"committed": committed, "aborted": aborted, "intra_warp_aborted": within}},
            "partition0": {"unit": {"l2_requests": {"read": reads, "write": reads}, "speculative_reads": reads // 2, "second_reads": reads // 2,
                                    "validation_misses": reads // 5}}}


@case
def kilotm_divides_locks_by_transactions(reproduce):
    done = reproduce.run("kilotm", "--quick", "--workloads", "HT-H", "CL", "--jobs", "2", rules=[
        ["run", {"statistics": {"energy": {"dynamic": 1_000_000_000}}}],
        ["tm.enabled=true", {"statistics": {"energy": {"dynamic": 4_000_000_000}}}],
        ["tm.enabled=true", {"cycles": 4000, "statistics": of_transactions(100, 50, 0, 200)}],
        ["tm.enabled=true tm.concurrent_warps=0", {"cycles": 8000, "statistics": of_transactions(100, 140, 0, 200)}],
        ["tm.enabled=true tm.protocol=warp", {"cycles": 2000, "statistics": of_transactions(100, 10, 20, 80)}],
        ["tm.enabled=true tm.protocol=ideal", {"cycles": 1000, "statistics": of_transactions(100, 5)}],
        ["tm.enabled=true tm.protocol=ideal tm.ideal.writes=stores", {"cycles": 1600, "statistics": of_transactions(100, 5)}],
        ["tm.enabled=true tm.protocol=warp tm.intra_warp.step_cycles=8", {"cycles": 3000, "statistics": of_transactions(100, 10, 20, 80)}],
        ["tm.enabled=true tm.commit_unit.history_entries=64", {"cycles": 5000, "statistics": of_transactions(100, 60)}]])
    text = done.stdout
    claims = verdicts(text)
    check(claims["Gain of WarpTM over Kilo TM"][0].startswith("2.00 (harmonic 2.00)"), "the best limit of each")
    check(claims["The same with 512 B"][0].startswith("1.25"), "time over a perfect history")
    check(claims["The same with 512 B"][1] == "**does not hold**: +25.0 % of +36.0 %", "judged by the loss, not by the ratio of times")
    check(claims["The same, 8 cycles for each word that SCR looks up or inserts (tm.intra_warp.step_cycles)"] ==
          ("1.50 (harmonic 1.50): HT-H 1.50, CL 1.50", "holds: +50.0 % of +60.0 %"), "a step's cycles")
    check(claims["L2 hit rate of validation at limit 2"] == ("HT-H 0.80, CL 0.80", "**does not hold**: HT-H 0.8, at least 0.9"), "what validation finds in L2")
    check(claims["The same, ideal TM's writes as stores, and set buffers without limit"][0].startswith("0.40"), "over ideal TM with stores")
    check(claims["Aborts a commit without a limit, relative to limit 2"] == ("HT-H 2.80, CL 2.80", "holds: order"), "aborts by limit")
    check(claims["L2 accesses of commit units a commit for validation, WarpTM over Kilo TM, limit 2"][0].startswith("0.40"), "coalescing")
    check(claims["Dynamic energy of Kilo TM at its best limits, relative to fine-grained locks"][0].startswith("4.00"), "energy counted")
    check(claims["Energy of WarpTM, relative to Kilo TM"][0].startswith("0.52"), "half the time, more power of the structures")
    check(claims["The same if half of the energy of the locks is dynamic"][0].startswith("4.03"), "four times the dynamic energy, four times the time")
    check("| HT-H | - | 2.00 | - |" in text, "gains at published limits")
    check(row(text, "HT-H", "WarpTM", "107")[4] == "300", "aborts within a warp count")
    for call in reproduce.calls():
        check(("tm.enabled=true" in call) == any("-tx" in word for word in call), "transactions where there are none")


@case
def tbc_compares_mechanisms_with_the_stack(reproduce):
    tbc, dwf = ("core.control_flow.mechanism=" + name for name in ("tbc", "dwf"))
    done = reproduce.run("tbc", "--quick", "--workloads", "FCDT", "NAMD", rules=[
        [tbc, {"cycles": 800}],
        [f"{tbc} core.control_flow.likely_convergence=loops nonbonded", {"cycles": 500}],
        [f"{dwf} core.control_flow.dwf.warp_barrier=true", {"cycles": 900}],
        [f"{tbc} memory.l2.size_kib=128", {"cycles": 2000}]])
    claims = verdicts(done.stdout)
    check(claims["TBC + LCP over PDOM, divergent set, harmonic mean"] == ("+62.5 % (harmonic +53.8 %)", "**does not hold**: +53.8 % of +22.0 %"),
          "means of 1.25 and 2; the published one is harmonic")
    check(row(done.stdout, "Memory-pipe stalls of DWF, relative to PDOM"), "a row for the stalls")
    check(row(done.stdout, "facedetect step=2", "DWF-WB")[8] == "1.11", "speed-up of DWF-WB")


@case
def runs_are_a_sweep_that_is_kept(reproduce):
    kept, rules = reproduce.heddle.parent / "kept", [["mandelbrot core.control_flow.multi_path.paths=32", {"cycles": 500}]]
    first = reproduce.run("multipath", "--quick", "--runs", kept, rules=rules)
    calls = reproduce.calls()
    again = reproduce.run("multipath", "--quick", "--runs", kept, rules=rules)
    check(reproduce.calls() == calls, "runs were made again")
    check(again.stdout == first.stdout, "another report")
    specs = [(kept / f"sweep-{number}.yaml").read_text() for number in (1, 2)]
    check("  core.l1d.size_kib: \"32\"\n" in specs[0] and '"workload": "mandelbrot"' in specs[0], "settings of all, and of each")
    check('"workload"' not in specs[1] and '"name": "photon.nvcc"' in specs[1] and '"check": "oracle"' in specs[1], "kernels of its own are a sweep of their own")
    check("size: tiny" in specs[0] and "size: " not in specs[1].replace("size_kib: ", ""), "inputs are the workloads'")


@case
def a_page_has_a_picture_of_its_claims(reproduce):
    page = reproduce.heddle.parent / "page.md"
    reproduce.run("multipath", "--quick", "--workloads", "MAND", "REND", "--out", page, rules=[
        ["core.control_flow.multi_path.opportunistic_reconvergence=true", {"cycles": 500}]])
    check("\n\n![Each published size, ours, and the error of ours](page-published.svg)\n\n| claim |" in page.read_text(), "the page does not show it")
    picture = (reproduce.heddle.parent / "page-published.svg").read_text()
    rows = verdicts(page.read_text())
    sizes = [verdict for _, verdict in rows.values() if " of " in verdict and "within" not in verdict]
    check(picture.count("<circle") == 2 * len(sizes) and sizes, f"{picture.count('<circle')} marks of {len(sizes)} sizes")
    check("+100 of +" in picture, "half the cycles are twice the speed")


@case
def refusals_of_heddle_are_passed_on(reproduce):
    done = reproduce.run("multipath", "--quick", code=2,
                         rules=[["bvh", {"exit": 2, "error": "no such workload"}]])
    check("reproduce: error: heddle run bvh" in done.stderr and "no such workload" in done.stderr, "what went wrong")
    check(len(done.stderr.splitlines()) == 1, "not one line")


@case
def a_missing_command_is_refused(reproduce):
    reproduce.heddle = pathlib.Path(str(reproduce.heddle) + "-missing")
    done = reproduce.run("aware", "--quick", code=2)
    check("cannot run" in done.stderr and len(done.stderr.splitlines()) == 1, "what went wrong")


@case
def every_published_claim_has_a_source(reproduce):
    del reproduce
    sys.path.insert(0, str(ROOT / "scripts" / "reproduction"))
    import claims as judged
    for study in ("aware", "bows", "ddos", "gpudet", "hanoi", "kilotm", "multipath", "resync", "ssde", "tbc"):
        claims = judged.published(study)
        check(len({claim["id"] for claim in claims}) == len(claims), f"{study}: an id twice")
        for claim in claims:
            check(all(claim[part] for part in ("id", "what", "published", "where")), f"{study}: {claim}")
            effects = claim.get("effect", {})
            check(set(effects) <= {"ratio", "share", "at_least", "at_most", "same", "order"}, f"{study}: {claim['id']}: {effects}")


# The page of each study, as scripts/reproduce printed it.
PAGES = {"aware": ["simt/reproduction/aware.md"], "bows": ["spin/reproduction/bows.md"], "ddos": ["spin/reproduction/ddos.md"],
         "gpudet": ["determinism/reproduction/gpudet.md"],
         "hanoi": ["simt/reproduction/hanoi.md", "simt/reproduction/hanoi-small.md"], "kilotm": ["tm/reproduction/kilotm.md"],
         "multipath": ["simt/reproduction/multipath.md"], "resync": ["resync/reproduction/resync.md"], "ssde": ["simt/reproduction/ssde.md"],
         "tbc": ["compaction/reproduction/tbc.md"]}
# Where else it says how many of its claims hold.
REPEATED = {"aware": ("simt/REPRODUCTION.md", "{} of {} claims of AWARE"), "bows": ("spin/REPRODUCTION.md", "{} of {} claims of BOWS"),
            "ddos": ("spin/REPRODUCTION.md", "{} of {} of DDOS"),
            "gpudet": ("determinism/REPRODUCTION.md", "**In short.** {} of {} hold"),
            "hanoi": ("simt/hanoi/REPRODUCTION.md", "{} of {}, at either size"), "kilotm": ("tm/REPRODUCTION.md", "**In short.** {} of {} hold"),
            "multipath": ("simt/REPRODUCTION.md", "{} of {} of Multi-Path"), "ssde": ("simt/REPRODUCTION.md", "{} of {} of SSDE"),
            "tbc": ("compaction/REPRODUCTION.md", "{} of {} claims hold")}


@case
def pages_have_the_claims_that_are_published_and_explain_what_does_not_hold(reproduce):
    """Reads the pages only; without an explanation of its own a difference says that it is not traced."""
    del reproduce
    known = json.loads((ROOT / "scripts" / "reproduction" / "published.json").read_text())
    for study, pages in PAGES.items():
        for page in pages:
            text = (ROOT / "models" / page).read_text().split("## Published and ours: ")[1]
            rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line.startswith("| ")]
            stated = {cells[0]: cells[-1] for cells in rows if len(cells) == 5}
            judged = [verdict for what, verdict in stated.items() if verdict != "-" and what != "claim"]
            held = sum(verdict.startswith("holds") for verdict in judged)
            check(text.startswith(f"{held} of {len(judged)} hold"), f"{page}: {held} of {len(judged)}, {text[:40]}")
            if study in REPEATED:
                other, words = REPEATED[study]
                check(words.format(held, len(judged)) in (ROOT / "models" / other).read_text(), f"{other}: not {held} of {len(judged)}, as {page} has it")
            for claim in known[study]:
                check(claim["what"] in stated, f"{page}: no row of {claim['id']}; scripts/reproduce {study} makes it")
                if stated[claim["what"]].startswith("**does not hold**"):
                    check(claim.get("difference"), f"{study}, {claim['id']}: does not hold, and nothing says why, or that it is not traced")
                if claim.get("difference"):
                    check(f"* **{claim['what']}**: {claim['difference']}" in text, f"{page}: another explanation of {claim['id']} than published.json")


@case
def effects_are_judged_by_their_size(reproduce):
    del reproduce
    sys.path.insert(0, str(ROOT / "scripts" / "reproduction"))
    from claims import judge
    for kind, theirs, ours, holds in (
            ("ratio", 1.4, 1.28, True), ("ratio", 1.4, 1.27, False), ("ratio", 1.4, 1.52, True), ("ratio", 1.4, 1.53, False),
            ("ratio", 1.4, 0.88, False), ("ratio", 0.6, 0.72, True), ("ratio", 0.6, 0.73, False), ("ratio", 0.96, 1.02, False),
            ("ratio", [2, 3], 2.5, True), ("ratio", [2, 3], 3.6, True), ("ratio", [2, 3], 3.7, False), ("ratio", 1.0, 1.004, True),
            ("share", 0.36, 0.26, True), ("share", 0.36, 0.25, False), ("share", 0, 0.004, True), ("share", 0, 0.006, False),
            ("at_least", 0.9, 0.9, True), ("at_least", 0.9, 0.89, False), ("at_most", 5, 5.1, False), ("same", 1, 1.05, True),
            ("same", 1, 0.94, False), ("ratio", {"a": 2, "b": 3}, {"a": 2, "b": 3}, True), ("ratio", {"a": 2, "b": 3}, {"a": 2, "b": 2}, False),
            ("at_most", 1, {"a": 0.5, "b": 1.5}, False)):
        check(judge(kind, theirs, ours)[0] == holds, f"{kind} {theirs}: {ours}")
    check(judge("ratio", {"a": 2, "b": 3}, {"a": 2.1, "b": 2})[1] == "b +100.0 % of +200.0 %", "the one that is farthest off is named")


def main():
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        return
    with tempfile.TemporaryDirectory() as folder:
        CASES[sys.argv[1]](Reproduce(pathlib.Path(folder)))


main()
