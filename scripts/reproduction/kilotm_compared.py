"""Parts of the study of transactions: other ways to find conflicts (BF array, signatures), what the network carries (Fig 6.4),
what threads do (Fig 4.9), and single changes that tell why numbers differ from published ones."""

from claims import mean, over
from kilotm_runs import BF_ARRAY, COARSE_CROWDS, FLITS_64, HISTORY, IDEAL, IDEAL_STORES, KILO, PUBLISHED_SIGNATURES, SIGNATURE_BITS, SIGNATURES, UNBUFFERED, unit
from tables import averages, count, number, percent, table

KINDS = ("commit_ids", "read_log", "write_log", "done_fill", "final", "resent")
CONTROL = ("commit_ids", "done_fill", "final")


def text_of(values, digits=2):
    return ", ".join(f"{name} {number(value, digits)}" for name, value in values.items())


def averaged(values, digits=2):
    """Both means, and each."""
    return f"{averages(values.values(), digits)}: {text_of(values, digits)}"


def signature_runs():
    """Settings, and what they are called."""
    for conflicts in SIGNATURES:
        for bits in SIGNATURE_BITS:
            yield {**IDEAL, "tm.concurrent_warps": 0, "tm.ideal.conflicts": conflicts, "tm.ideal.signature_bits": bits}, (conflicts, bits)


def crowd_cases(study):
    if study.machine.size == "small" and "HT-H" in study.of:
        for parameters, _ in COARSE_CROWDS:
            yield (f"{study.of['HT-H'][2]} {parameters}", study.gtx480, study.machine.platform)


# ---- Tables

def bf_array_table(study, chapter_4):
    rows = []
    for name in study.there(chapter_4):
        row = [name]
        for limit in (2, 0):
            history = study.tx(name, KILO, limit, True)
            array = study.run(name, "tx", {**BF_ARRAY, "tm.concurrent_warps": limit}, True)
            row += [number(over(array.cycles, history.cycles)), count(array, study.commit_units(array, "hazards")),
                    count(history, study.commit_units(history, "hazards"))]
        rows.append([*row, *(number(slower) for slower in slower_than_ideal(study, name))])
    return table(["name", "time over the history's, limit 2", "hazards", "history's", "time over the history's, NL", "hazards", "history's",
                  "set buffers without limit, NL: times slower than ideal TM with stores", "history's"], rows)


def slower_than_ideal(study, name):
    """Kilo TM with a BF array and with the history, no limit of anything, over ideal TM whose writes are stores."""
    ideal = study.tx(name, IDEAL_STORES, 0, True)
    return [over(study.run(name, "tx", {**keys, **UNBUFFERED, "tm.concurrent_warps": 0}, True).cycles, ideal.cycles) for keys in (BF_ARRAY, {})]


def false_share(run):
    """Of the attempts that failed, those that signatures alone made fail."""
    return over(unit(run, "false_conflicts"), unit(run, "aborted")) if run.passed else None


def false_with(study, name, conflicts, bits):
    settings = {**IDEAL, "tm.concurrent_warps": 0, "tm.ideal.conflicts": conflicts, "tm.ideal.signature_bits": bits}
    return false_share(study.run(name, "tx", settings, True))


def signature_table(study):
    rows = []
    for name in study.there(PUBLISHED_SIGNATURES):
        exact = study.tx(name, IDEAL, 0, True)
        for conflicts, what in SIGNATURES.items():
            runs = [study.run(name, "tx", settings, True) for settings, (kind, _) in signature_runs() if kind == conflicts]
            rows.append([name, what, *(percent(false_share(run), 0) for run in runs),
                         *(number(over(run.cycles, exact.cycles)) for run in runs)])
    return table(["name", "conflicts by", *(f"false, {bits} bits" for bits in SIGNATURE_BITS), *(f"time over ideal, {bits} bits" for bits in SIGNATURE_BITS)], rows)


def traffic(run):
    """Flits of both directions by Fig 6.4's kinds."""
    flits, of_messages = (sum(run.counter("crossbar", direction, kind) for direction in ("requests", "responses"))
                          for kind in ("flits", "message_flits"))
    kinds = {kind: unit(run, "message_flits", kind) for kind in KINDS}
    lines = run.counter("core", "l1d", "fills") + run.counter("core", "l1d", "write_backs")
    flit = run.settings.get("memory.crossbar.flit_bytes", 32)
    local = lines * (1 + (128 + 8 + flit - 1) // flit)  # a header and a line
    atomics = sum(run.counter("partition", "l2", of, "atomic") for of in ("hits", "misses", "merged"))
    parts = {"TxReadLog": kinds["read_log"], "TxWriteLog": kinds["write_log"] + kinds["resent"],
             "TxMsg": of_messages - kinds["read_log"] - kinds["write_log"] - kinds["resent"], "LMem": local, "Atomic": 2 * atomics}
    parts["Gmem R/W"] = flits - sum(parts.values())
    return flits, parts


def messages_share(run):
    """TxMsg: messages but for logs, of all flits."""
    if run is None or not run.passed:
        return None
    flits, parts = traffic(run)
    return over(parts["TxMsg"], flits)


def traffic_table(study):
    rows = []
    for name in study.names:
        run = study.tx(name, KILO, 2)
        if not run.passed:
            continue
        flits, parts = traffic(run)
        rows.append([name, count(run, flits), *(percent(over(part, flits), 0) for part in parts.values())])
    return table(["name", "flits", "TxReadLog", "TxWriteLog", "TxMsg", "LMem", "Atomic", "Gmem R/W"], rows)


def thread_cycles_table(study, chapter_4):
    rows = []
    for name in study.there(chapter_4):
        for what, form, more in (("locks", "fine", {}), ("KiloTM", "tx", {"tm.concurrent_warps": 2})):
            run = study.run(name, form, {**more, "core.sync_statistics": True}, True)
            if not run.passed:
                continue
            spent = {state: run.counter("core", "sync", "thread_cycles", state) for state in ("other", "lock_atomic", "barrier", "transaction")}
            parts = {state: unit(run, "thread_cycles", state) for state in ("concurrency", "committing", "waiting", "aborted", "useful")}
            everything = sum(spent.values())
            shares = [*parts.values(), spent["lock_atomic"], spent["barrier"], spent["other"] - parts["concurrency"]]
            rows.append([name, what, count(run, everything), *(percent(over(share, everything), 0) for share in shares)])
    return table(["name", "form", "thread-cycles", "TC", "TO", "TW", "TA", "TU", "AT", "BA", "NL"], rows)


def unbuffered_table(study, chapter_4, limit_name):
    rows = []
    for name in study.there(chapter_4):
        runs = {limit: study.run(name, "tx", {**UNBUFFERED, "tm.concurrent_warps": limit}, True) for limit in study.limits}
        histories = [study.run(name, "tx", {**UNBUFFERED, **keys, "tm.concurrent_warps": 2}, True) for _, keys in HISTORY]
        passed = {limit: run for limit, run in runs.items() if run.passed}
        best = min(passed, key=lambda limit: passed[limit].cycles) if passed else None
        unlimited = runs[0]
        rows.append([name, *(number(study.of_fine(name, run, True)) for run in runs.values()), "-" if best is None else limit_name(best),
                     number(over(unlimited.cycles, study.tx(name, IDEAL, 0, True).cycles)),
                     *(number(over(run.cycles, histories[0].cycles)) for run in histories[1:])])
    return table(["name", *(f"limit {limit_name(limit)}" for limit in study.limits), "best limit", "NL, times slower than ideal TM",
                  *(f"time, history of {label}, over perfect" for label, _ in HISTORY[1:])], rows)


def crowd_table(study):
    rows = []
    fine = study.run("HT-H", "fine") if "HT-H" in study.of else None
    for case, (_, (threads, turns)) in zip(crowd_cases(study), COARSE_CROWDS):
        run = study.machine.run(*case)
        turn = over(run.cycles, turns)
        rows.append([threads, number(turn, 0), number(over(turn, over(fine.cycles, study.work("HT-H", "tx"))), 0)])
    return table(["threads that want the lock", "cycles a turn", "fine-grained locks over one lock"], rows)


def flits_table(study):
    rows = []
    for name in study.names:
        narrow, wide = study.tx(name, KILO, 2), study.run(name, "tx", {**FLITS_64, "tm.concurrent_warps": 2})
        rows.append([name, number(over(narrow.cycles, wide.cycles)), percent(messages_share(narrow), 0), percent(messages_share(wide), 0)])
    return table(["name", "times faster with flits of 64 B", "TxMsg, 32 B", "TxMsg, 64 B"], rows)


# ---- Claims

def add_claims(study, claims, chapter_4):
    names = study.there(chapter_4)
    array = {name: over(study.run(name, "tx", {**BF_ARRAY, "tm.concurrent_warps": 0}, True).cycles,
                        study.tx(name, KILO, 0, True).cycles) for name in names}
    claims.add("bf_array", lambda: averaged(array), ratio=mean(array.values()))
    slower = {name: slower_than_ideal(study, name)[0] for name in names}
    claims.add("bf_array_ideal", lambda: averaged(slower), ratio=mean(slower.values()))
    for conflicts, bits, claim in (("signatures", 1024, "signature_htm"), ("ring_words", 512, "ring_stm")):
        shares = {name: false_with(study, name, conflicts, bits) for name in study.there(PUBLISHED_SIGNATURES)}
        claims.add(claim, lambda shares=shares: text_of(shares), at_most=shares)
    if "CL" in study.of:
        shares = {conflicts: [false_with(study, "CL", conflicts, bits) for bits in SIGNATURE_BITS] for conflicts in SIGNATURES}
        claims.add("signature_sizes", lambda: "; ".join(f"{SIGNATURES[conflicts]} " + ", ".join(percent(share, 0) for share in of) for conflicts, of in shares.items()),
                   [share for of in shares.values() for share in of],
                   lambda: all(first >= second for of in shares.values() for first, second in zip(of, of[1:])),
                   share=shares["signatures"][SIGNATURE_BITS.index(512)])
    small = {name: over(study.run(name, "tx", {**UNBUFFERED, **HISTORY[2][1], "tm.concurrent_warps": 2}, True).cycles,
                        study.run(name, "tx", {**UNBUFFERED, **HISTORY[0][1], "tm.concurrent_warps": 2}, True).cycles) for name in names}
    claims.add("history_small_unbuffered", lambda: averaged(small), ratio=mean(small.values()))
