"""Threads that change warps: dynamic warp formation, thread block compaction and likely-convergence points against the SIMT
stack, over a divergent and a coherent set."""

from claims import Claims, over
from tables import WHERE, averages, chosen, count, gain, harmonic_mean, number, percent, ratio, table, where, xy_chart

TITLE = "Thread block compaction (Fung's thesis ch. 3): DWF, DWF-WB, TBC and likely-convergence points against the stack"
PLATFORM = "quadro_fx5800"

# Table 3.2, where it differs from the platform. Without ports and false dependences of the scoreboard: the thesis has one
# instruction of a warp in flight. Four cores to a partition, as there, and only so many that inputs of size small fill
# them; registers for as many CTAs as Table 3.1 has on a core, whose programs had addresses of 32 bits.
MACHINE = {"cores": 4, "memory.partitions": 1, "core.occupancy.registers": 65536,
           "core.l1d.size_kib": 32, "core.l1d.ways": 8, "core.l1d.line_bytes": 64, "core.l1d.cache_global_loads": True,
           "core.scoreboard.kind": "per_thread_mask", "core.scoreboard.read_ports": 0, "core.scoreboard.write_ports": 0,
           "memory.l2.size_kib": 1024, "memory.l2.line_bytes": 64, "memory.l2.ways": 64, "core.l1i.line_bytes": 64, "core.simd_statistics": True}
SMALL_L2 = {"memory.l2.size_kib": 128, "memory.l2.ways": 8}
DIVERGENT = [("BFS2", "bfs"), ("FCDT", "facedetect step=2"), ("HOTSP", "hotspot"), ("LPS", "lps"), ("MUM", "suffixtree"),
             ("NAMD", "nonbonded"), ("NVRT", "bvh-persistent ctas=12"), ("-", "bvh block_x=32 block_y=6"), ("-", "mandelbrot")]
COHERENT = [("AES", "aes"), ("RAY", "ray"), ("-", "sgemm"), ("-", "srad"), ("-", "kmeans"), ("-", "nn"), ("-", "pathfinder"),
            ("-", "montecarlo")]
BENCHMARKS = DIVERGENT + COHERENT


def mechanism(name, policy, **more):
    return {**MACHINE, "core.control_flow.mechanism": name, "core.scheduler.policy": policy, **more}


LCP = {"core.control_flow.likely_convergence": "loops"}
VARIANTS = {
    "PDOM": mechanism("simt_stack", "lrr"),
    "PDOM + LCP": mechanism("simt_stack", "lrr", **LCP),
    "DWF": mechanism("dwf", "majority"),
    "DWF, contract": mechanism("dwf", "majority", **{"core.control_flow.dwf.timing": "contract"}),
    "DWF-WB": mechanism("dwf", "majority", **{"core.control_flow.dwf.warp_barrier": True}),
    "TBC": mechanism("tbc", "age"),
    "TBC + LCP": mechanism("tbc", "age", **LCP),
    "TBC + LCP, RRB": mechanism("tbc", "rrb", **LCP),
    "TBC + LCP, SRR": mechanism("tbc", "srr", **LCP),
    "TBC + LCP, contract": mechanism("tbc", "age", **LCP, **{"core.control_flow.tbc.timing": "contract"}),
    "TBC + LCP, per home warp": mechanism("tbc", "age", **LCP, **{"core.register_file.formations": "per_home_warp"}),
}
COHERENT_VARIANTS = ["PDOM", "DWF", "DWF-WB", "TBC + LCP"]
L2_VARIANTS = ["PDOM", "DWF", "TBC + LCP", "TBC + LCP, RRB"]
CLASSES = ["int_simple", "int_min_max", "int_mul", "int_mad", "int_div", "fp_simple", "fp_min_max", "fp_mul", "fp_mad", "fp_div",
           "sfu", "dp_simple", "dp_min_max", "dp_mul", "dp_mad", "dp_div"]
# What the gain depends on: one factor at a time.
FACTORS = {
    "as above": {},
    "all 30 cores and 8 partitions: inputs do not fill them": {"cores": 30, "memory.partitions": 8},
    "16384 registers a core: fewer CTAs than Table 3.1": {"core.occupancy.registers": 16384},
    "one pipeline: every operation takes 24 cycles, one each 4": {f"core.pipes.{name}_{what}_cycles": value for name in CLASSES
                                                                for what, value in (("latency", 24), ("initiation", 4))},
    "no replays: an access of many lines issues once": {"core.lsu.replay_issue": False},
    "caches that hold everything": {"core.l1d.size_kib": 512, "memory.l2.size_kib": 8192},
    "loose round robin instead of AGE": {},  # changes the policy of TBC
}
BUCKETS = ["w1_4", "w5_8", "w9_12", "w13_16", "w17_20", "w21_24", "w25_28", "w29_32"]
MEMORY_STALLS = ["memory_back_pressure", "replay", "scoreboard_memory"]


def small(settings):
    return {**settings, **SMALL_L2}


def stalls(run):
    """Issue slots that the memory pipe kept from issuing."""
    if not run.passed:
        return None
    return sum(run.counter("core", "issue", "slots", cause) for cause in ("memory_back_pressure", "replay"))


def traffic(run):
    return run.counter("core", "memory_port", "requests")


def cycles_table(machine, benchmarks, labels, change=lambda settings: settings):
    rows, speedups = [], {}
    for name, workload in benchmarks:
        base = machine.run(workload, change(VARIANTS["PDOM"]))
        for label in labels:
            run = machine.run(workload, change(VARIANTS[label]))
            rows.append([*where(name, run)[:4], label, count(run, run.cycles), count(run, run.instructions), percent(run.simd),
                         ratio(base.cycles, run.cycles), ratio(stalls(run), stalls(base)), ratio(traffic(run), traffic(base)),
                         "-" if not run.passed else max_depth(run)])
            if run.passed and base.passed:
                speedups.setdefault(label, {})[workload] = base.cycles / run.cycles
    return table([*WHERE[:4], "variant", "cycles", "warp instr.", "SIMD", "speed-up", "memory stalls / PDOM",
                  "requests / PDOM", "stack depth"], rows), speedups


def max_depth(run):
    return run.counter("core", "branch_unit", "max_depth")


def bucket_table(machine, benchmarks, labels):
    rows = []
    for name, workload in benchmarks:
        for label in labels:
            run = machine.run(workload, VARIANTS[label])
            if not run.passed:
                continue
            issued = [run.counter("core", "simd", "issued", bucket) for bucket in BUCKETS]
            total = sum(issued) or 1
            slots = {cause: run.counter("core", "issue", "slots", cause) for cause in [*MEMORY_STALLS, "no_warp", "control_flow_tables"]}
            rows.append([name, workload, label, *(f"{100 * part / total:.0f}" for part in issued), *slots.values()])
    return table(["name", "workload", "variant", *(bucket.upper().replace("_", "-") for bucket in BUCKETS), *MEMORY_STALLS, "no_warp",
                  "control_flow_tables"], rows)


def benefit_table(machine, benchmarks):
    rows = []
    for name, workload in benchmarks:
        run = machine.run(workload, VARIANTS["TBC"])
        if not run.passed:
            continue
        made, kept, entries, mixed, waiting, running, issues, static = (
            run.counter("core", "branch_unit", key) for key in
            ("warps_made", "warps_uncompacted", "entries_run", "warps_mixed", "waiting_cycles", "buffer_cycles", "path_issues",
             "path_issues_uncompacted"))
        resident = run.counter("core", "issue", "resident_cycles")
        rows.append([name, workload, entries, kept, made, ratio(kept, made), mixed, f"{100 * (static - issues) / max(static, 1):.1f} %",
                     ratio(running, resident), ratio(waiting, resident)])
    return table(["name", "workload", "entries run", "static warps", "warps made", "static / made", "of several home warps",
                  "issues saved", "warps in the buffer, mean", "waiting slots, mean"], rows)


def factor_table(machine, benchmarks):
    """TBC over PDOM under each factor, and what issuing fewer instructions alone could give."""
    def settings(label, change):
        if label.startswith("loose"):
            return VARIANTS["PDOM"], mechanism("tbc", "lrr")
        return {**VARIANTS["PDOM"], **change}, {**VARIANTS["TBC"], **change}
    rows, bounds = [], []
    for label, change in FACTORS.items():
        values = []
        for _, workload in benchmarks:
            base, run = (machine.run(workload, each) for each in settings(label, change))
            values.append(base.cycles / run.cycles if base.passed and run.passed else None)
            if not change and label == "as above":
                bounds.append(base.instructions / run.instructions if base.passed and run.passed else None)
        rows.append([label, *(gain(value) for value in values), gain(harmonic_mean([value for value in values if value]))])
    rows.append(["bound: warp instructions of PDOM / of TBC", *(gain(value) for value in bounds),
                 gain(harmonic_mean([value for value in bounds if value]))])
    return table(["TBC over PDOM", *(workload for _, workload in benchmarks), "harmonic mean"], rows)


# A loop that is left from within a branch of its body, and one that is left in its middle only: LCP by itself.
LEFT_FROM_WITHIN = [("left from within a branch of the body", "unstructured inner=1"), ("left in the middle", "unstructured")]
LCP_VARIANTS = ["PDOM", "PDOM + LCP", "DWF", "DWF-WB", "TBC", "TBC + LCP"]


# Whose threads are put together is the policy's doing, too: DWF by each of them, on the kernels that it slows and speeds up.
DWF_POLICIES = ["majority", "minority", "lowest_pc", "post_dominator"]
DWF_KERNELS = [("HOTSP", "hotspot"), ("LPS", "lps"), ("BFS2", "bfs"), ("FCDT", "facedetect step=2")]


def dwf_table(machine):
    rows = []
    for policy in DWF_POLICIES:
        pairs = [(machine.run(w, VARIANTS["PDOM"]), machine.run(w, mechanism("dwf", policy))) for _, w in DWF_KERNELS]
        rows.append([policy, *(gain(base.cycles / run.cycles) if base.passed and run.passed else "-" for base, run in pairs)])
    return table(["DWF over PDOM", *(w for _, w in DWF_KERNELS)], rows)


# Why DWF issues more warp instructions than the stack: what could keep threads apart, one factor at a time.
FRAGMENTED = [("HOTSP", "hotspot"), ("LPS", "lps"), ("NAMD", "nonbonded")]
BIG_LUT = {"core.control_flow.dwf.lut_entries": 1024, "core.control_flow.dwf.lut_ways": 1024}
ENTRIES = {"core.scoreboard.entries_per_warp": 64}
LATENCY = {f"core.pipes.{name}_latency_cycles": 1 for name in CLASSES}
FRAGMENTS = {
    "as above": {},
    "LUT of 1024 entries, fully associative": BIG_LUT,
    "64 scoreboard entries a warp": ENTRIES,
    "operations of 1 cycle: an instruction completes when it issues": LATENCY,
    "caches that hold everything": FACTORS["caches that hold everything"],
    "all of these": {**BIG_LUT, **ENTRIES, **LATENCY, **FACTORS["caches that hold everything"]},
    "one CTA a core": {"core.occupancy.max_ctas": 1},
}


def fragment_table(machine):
    def settings(change):
        return {**VARIANTS["PDOM"], **change}, {**VARIANTS["DWF"], **change}
    rows = []
    for label, change in FRAGMENTS.items():
        row = [label]
        for _, workload in FRAGMENTED:
            base, run = (machine.run(workload, each) for each in settings(change))
            good = base.passed and run.passed
            row += [gain(run.instructions / base.instructions) if good else "-", gain(base.cycles / run.cycles) if good else "-"]
        rows.append(row)
    return table(["DWF over PDOM", *(f"{workload}, {what}" for _, workload in FRAGMENTED for what in ("instr.", "speed"))], rows)


# What the mean of DWF is made of, on the published kernels that DWF runs (not NVRT, which fails in the thesis): blocks that a core holds by
# Table 3.1, where ours holds more of some kernels, whose threads DWF mixes; memory; and warps that are put together again.
PUBLISHED_CTAS = {"bfs": 2, "facedetect step=2": 5, "hotspot": 2, "lps": 6, "suffixtree": 4, "nonbonded": 7}
DWF_CAUSES = [("as above", "DWF", lambda ctas: {}),
              ("CTAs a core as in Table 3.1", "DWF", lambda ctas: {"core.occupancy.max_ctas": ctas}),
              ("caches that hold everything", "DWF", lambda ctas: FACTORS["caches that hold everything"]),
              ("warp barriers (DWF-WB)", "DWF-WB", lambda ctas: {})]


def dwf_causes_table(machine):
    rows = []
    for what, variant, change in DWF_CAUSES:
        values = []
        for workload, ctas in PUBLISHED_CTAS.items():
            base, run = (machine.run(workload, {**VARIANTS[label], **change(ctas)}) for label in ("PDOM", variant))
            values.append(base.cycles / run.cycles if base.passed and run.passed else None)
        rows.append([what, *(gain(value) for value in values), gain(harmonic_mean([value for value in values if value]))])
    return table(["over PDOM", *PUBLISHED_CTAS, "harmonic mean"], rows)


# AGE against RRB: whether a smaller L2 turns them round.
L2_SIZES = {"1024 kB": (1024, 64), "128 kB": (128, 8), "32 kB": (32, 8)}
L2_KERNELS = [("BFS2", "bfs"), ("FCDT", "facedetect step=2"), ("HOTSP", "hotspot"), ("LPS", "lps")]


def l2_table(machine):
    def settings(label, kib, ways):
        return {**VARIANTS[label], "memory.l2.size_kib": kib, "memory.l2.ways": ways}
    labels = ["TBC + LCP", "TBC + LCP, RRB"]
    rows = []
    for name, size in L2_SIZES.items():
        row = [name]
        for _, workload in L2_KERNELS:
            age, rrb = (machine.run(workload, settings(label, *size)) for label in labels)
            row.append(gain(age.cycles / rrb.cycles) if age.passed and rrb.passed else "-")
        rows.append(row)
    return table(["RRB over AGE, L2", *(workload for _, workload in L2_KERNELS)], rows)


# The deepest stack: which side runs first ([TBC:A1]), the points, and whether threads meet in CTAs at all.
DEPTHS = {"TBC + LCP": VARIANTS["TBC + LCP"], "TBC": VARIANTS["TBC"],
          "TBC + LCP, other side first": {**VARIANTS["TBC + LCP"], "core.control_flow.first_side": "not_taken"},
          "TBC + LCP, smaller side first": {**VARIANTS["TBC + LCP"], "core.control_flow.first_side": "smaller"},
          "PDOM + LCP": VARIANTS["PDOM + LCP"]}


def depth_table(machine, benchmarks):
    named = [(name, workload) for name, workload in benchmarks if name != "-"]
    rows = []
    for label, settings in DEPTHS.items():
        runs = [machine.run(workload, settings) for _, workload in named]
        rows.append([label, *(max_depth(run) if run.passed else "-" for run in runs)])
    return table(["deepest stack, entries", *(name for name, _ in named)], rows)


def lcp_table(machine):
    rows = []
    for what, workload in LEFT_FROM_WITHIN:
        base = machine.run(workload, VARIANTS["PDOM"])
        for label in LCP_VARIANTS:
            run = machine.run(workload, VARIANTS[label])
            rows.append([what, workload, label, count(run, run.cycles), count(run, run.instructions), percent(run.simd), ratio(base.cycles, run.cycles)])
    return table(["loop", "workload", "variant", "cycles", "warp instr.", "SIMD", "speed-up"], rows)


def mean(speedups, label):
    return harmonic_mean(speedups.get(label, {}).values())


# ---- Claims

LOST = 0.98  # less is a loss, more than its inverse a gain


def claims_of_time(claims, divergent, of):
    """Of the divergent set; `of`: speed-ups over PDOM by variant and workload. Published means are harmonic."""
    by_name = {label: {name: of.get(label, {}).get(workload) for name, workload in divergent if name != "-"} for label in VARIANTS}
    means = {label: mean(of, label) for label in VARIANTS}

    def both(label):
        return averages(of[label].values(), text=gain)
    claims.add("tbc_lcp", lambda: both("TBC + LCP"), ratio=means["TBC + LCP"])
    for claim, other in (("tbc_dwf", "DWF"), ("tbc_wb", "DWF-WB")):
        ratio_of = over(means["TBC + LCP"], means[other])
        claims.add(claim, lambda ratio_of=ratio_of: gain(ratio_of), ratio=ratio_of)
    dwf, barrier, tbc = (by_name[label] for label in ("DWF", "DWF-WB", "TBC + LCP"))
    slowed = {name: dwf[name] for name in ("HOTSP", "LPS", "NAMD") if name in dwf}
    claims.add("dwf", lambda: f"{both('DWF')}: " + ", ".join(f"{name} {gain(value)}" for name, value in slowed.items()), slowed.values(),
               lambda: all(value < LOST for value in slowed.values()), ratio=means["DWF"])
    pairs = {name: (barrier[name], tbc[name]) for name in ("HOTSP", "LPS", "NAMD", "NVRT") if name in barrier}
    claims.add("dwf_wb", lambda: f"{both('DWF-WB')}; over TBC + LCP: " + ", ".join(f"{name} {gain(wb / other)}" for name, (wb, other) in pairs.items()),
               [one for pair in pairs.values() for one in pair],
               lambda: means["DWF-WB"] > means["DWF"] and all(wb > other for wb, other in pairs.values()))
    if "NVRT" in barrier:
        claims.add("wb_nvrt", lambda: f"{gain(barrier['NVRT'])}; DWF {gain(dwf['NVRT']) if dwf['NVRT'] else 'fails'}", order=lambda: dwf["NVRT"] is None,
                   ratio=barrier["NVRT"])
    points = {f"{name}, {of_what}": over(by_name[f"{label} + LCP"][name], by_name[label][name]) for name in ("NVRT", "MUM") if name in tbc
              for of_what, label in (("TBC", "TBC"), ("PDOM", "PDOM"))}
    claims.add("lcp", lambda: ", ".join(f"{what} {gain(value)}" for what, value in points.items()), ratio=points)
    policies = {policy: means[label] for policy, label in (("AGE", "TBC + LCP"), ("RRB", "TBC + LCP, RRB"), ("SRR", "TBC + LCP, SRR"))}
    claims.add("priority", lambda: ", ".join(f"{policy} {gain(value)}" for policy, value in policies.items()), policies.values(),
               lambda: max(policies, key=policies.get) == "AGE")


def claims_of_counters(claims, machine, divergent):
    def runs(label):
        """With those of PDOM, of workloads that run on both."""
        pairs = {name if name != "-" else workload: (machine.run(workload, VARIANTS["PDOM"]), machine.run(workload, VARIANTS[label]))
                 for name, workload in divergent}
        return {name: pair for name, pair in pairs.items() if all(run.passed for run in pair)}
    waited = [(stalls(run), stalls(base)) for base, run in runs("DWF").values()]
    each = [run / base for run, base in waited if base]
    summed = over(sum(run for run, _ in waited), sum(base for _, base in waited))
    claims.add("stalls", lambda: f"{number(summed)} summed, mean of the kernels {averages(each) if each else '-'}", ratio=summed)
    named = {name for name, _ in divergent} - {"-"}
    requests = {name: over(traffic(run), traffic(base)) for name, (base, run) in runs("TBC + LCP").items() if name in named}
    claims.add("traffic", lambda: ", ".join(f"{name} {number(value)}" for name, value in requests.items()), at_least=requests, at_most=requests)
    gains = {name: (over(base.instructions, run.instructions), over(base.cycles, run.cycles))
             for name, (base, run) in runs("TBC").items() if name in ("BFS2", "MUM")}
    claims.add("memory_bound", lambda: ", ".join(f"{name}: {gain(fewer)} by instructions, {gain(faster)} in time" for name, (fewer, faster) in gains.items()),
               [one for pair in gains.values() for one in pair], lambda: all(fewer > faster for fewer, faster in gains.values()))
    depths = {name: max_depth(run) for name, (_, run) in runs("TBC + LCP").items() if name in named}
    claims.add("depth", lambda: ", ".join(f"{name} {value}" for name, value in depths.items()),
               share={name: value for name, value in depths.items() if name in claims.of["depth"]["effect"]["share"]})


def claims_of_coherent(claims, cohe):
    tbc = cohe.get("TBC + LCP", {})
    claims.add("cohe", lambda: averages(tbc.values(), text=gain), at_least=harmonic_mean(tbc.values()))
    # Of the published kernels we have ray, and pathfinder stands for none of them.
    for claim, label in (("dwf_cohe", "DWF"), ("wb_cohe", "DWF-WB")):
        slowed = {workload: value for workload, value in cohe.get(label, {}).items() if value < LOST}
        claims.add(claim, lambda slowed=slowed: ", ".join(f"{workload} {gain(value)}" for workload, value in slowed.items()) or "none",
                   [cohe.get(label, {}).get("ray")], lambda slowed=slowed: "ray" in slowed)


def report(machine, names):
    divergent, coherent = chosen(DIVERGENT, names), chosen(COHERENT, names)
    parts = [
        f"# {TITLE}",
        "Settings of all: " + ", ".join(f"`{key}={str(value).lower()}`" for key, value in MACHINE.items()) + ". Speed-up: cycles of PDOM "
        "divided by those of the variant. Memory stalls: issue slots lost to a full or replaying load/store unit. TBC under AGE unless said "
        "otherwise; LCP: `likely_convergence=loops`."]
    all_speedups = {}
    for title, benchmarks, labels in (("The divergent set (DIVG)", divergent, list(VARIANTS)),
                                      ("The coherent set (COHE)", coherent, COHERENT_VARIANTS)):
        if not benchmarks:
            continue
        text, speedups = cycles_table(machine, benchmarks, labels)
        all_speedups[title] = speedups
        parts += [f"## {title}", text,
                  table(["variant", "speed-up, arithmetic mean (harmonic)"],
                        [[label, averages(speedups[label].values(), text=gain) if label in speedups else "-"] for label in labels]),
                  *(xy_chart(f"Speed-up of {label} over PDOM", [workload for _, workload in benchmarks], "speed-up",
                             [speedups.get(label, {}).get(workload) for _, workload in benchmarks])
                    for label in ("DWF", "DWF-WB", "TBC + LCP"))]
    claims = Claims("tbc")
    of = all_speedups.get("The divergent set (DIVG)", {})
    cohe = all_speedups.get("The coherent set (COHE)", {})
    if of:
        claims_of_time(claims, divergent, of)
        claims_of_counters(claims, machine, divergent)
        parts += ["## Full warps: share of issues by lanes, in percent, and idle slots", bucket_table(machine, divergent, ("PDOM", "DWF", "TBC + LCP")),
                  "## What compaction gives (TBC)", benefit_table(machine, divergent)]
        text, speedups = cycles_table(machine, divergent, L2_VARIANTS, small)
        claims.add("small_l2", lambda: ", ".join(f"{label} {gain(mean(speedups, label))}" for label in L2_VARIANTS[1:]),
                   ratio={"AGE": mean(speedups, "TBC + LCP"), "RRB": mean(speedups, "TBC + LCP, RRB")})
        parts += ["## 128 kB of L2 per channel", text, "## What the gain depends on", factor_table(machine, divergent)]
        if len(divergent) == len(DIVERGENT):
            parts += ["## Depth of the stack", depth_table(machine, divergent), "## AGE and RRB by size of L2", l2_table(machine),
                      "## DWF by policy", dwf_table(machine), "## What fragments the warps of DWF", fragment_table(machine), "## What the mean of DWF is made of", dwf_causes_table(machine),
                      "## Likely-convergence points by themselves", lcp_table(machine)]
    if cohe:
        claims_of_coherent(claims, cohe)
    if of and cohe:
        for claim, label, kind in (("tbc_all", "TBC + LCP", "ratio"), ("wb_all", "DWF-WB", "same")):
            every = [value for speedups in (of, cohe) for value in speedups.get(label, {}).values()]
            claims.add(claim, lambda every=every: averages(every, text=gain), **{kind: harmonic_mean(every)})
    return "\n\n".join([*parts, claims.comparison()])
