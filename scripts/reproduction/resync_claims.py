"""The orderings that the thread re-synchronisation study claims (thread-resync §7.6), checked one by one on our replays."""

from tables import harmonic_mean

SIMPLE = ["MinPC", "MinSP_MinPC", "MaxFunMinPC1", "MaxFunMinPC2", "MaxFunMinPC3", "Lee", "RoundRobinEq"]
HARD = ["barn", "fluid", "fmm", "volr"]


class Verdicts:
    """By claim: "holds" or "does not hold", and the numbers."""

    def __init__(self, replays):
        self.replays, self.names, self.policies = replays, replays.names, replays.policies
        self.texts = {}

    def dlp(self, policy, name=None):
        return self.replays.value("dlp", policy, name) if name else self.replays.mean("dlp", policy)

    def throughput(self, policy, name=None):
        return self.replays.value("throughput", policy, name) if name else self.replays.mean("throughput", policy)

    def best(self, name):
        return max(self.policies, key=lambda policy: self.dlp(policy, name))

    def weighted(self, policy):
        rows = [self.replays.by_name[name][policy] for name in self.names]
        return sum(row["instructions"] for row in rows) / sum(row["fetches"] for row in rows)

    def harmonic(self, policy):
        return harmonic_mean([self.dlp(policy, name) for name in self.names])

    def claim(self, name, holds, text):
        self.texts[name] = f"{'holds' if holds else '**does not hold**'}: {text}"


def check(replays, published):
    """All claims; those about a benchmark are left out if it was not replayed."""
    del published
    v = Verdicts(replays)
    of_all(v)
    of_means(v)
    of_benchmarks(v)
    return v.texts


def by_benchmark(replays):
    """Those that need a few policies only."""
    v = Verdicts(replays)
    of_means(v)
    of_benchmarks(v)
    return v.texts


def of_all(v):
    dlp, names, policies = v.dlp, v.names, v.policies
    order = sorted(policies, key=lambda policy: -dlp(policy))
    v.claim("min_sp_best", dlp("MinSP_MinPC") >= dlp(order[0]) - 0.005,
            f"{dlp('MinSP_MinPC'):.2f}, rank {order.index('MinSP_MinPC') + 1}; before it: "
            f"{', '.join(f'{p} {dlp(p):.2f}' for p in order[:order.index('MinSP_MinPC')]) or 'none'}")
    v.claim("reduction_3", v.weighted("MinSP_MinPC") >= 3, f"{v.weighted('MinSP_MinPC'):.2f}")
    winners = sorted({v.best(name) for name in names})
    v.claim("no_best", len(winners) > 1, f"{len(winners)} different winners: {', '.join(winners)}")
    v.claim("rd_same",
            all(v.replays.by_name[n]["RDMinSP(4 0 n)"]["fetches"] == v.replays.by_name[n]["MinSP_MinPC"]["fetches"] for n in names),
            "the same fetches on all benchmarks")
    sizes = (2, 4, 8, 16, 32)
    for name, family in (("long_below", "Long"), ("long_min_pc_below", "LongMinPC")):
        v.claim(name, all(dlp(f"{family}({s})") < dlp(f"LongMinSP({s})") for s in sizes),
                ", ".join(f"{s}: {dlp(f'{family}({s})'):.2f} / {dlp(f'LongMinSP({s})'):.2f}" for s in sizes))
    top = max((*sizes, 64), key=lambda s: dlp(f"Long({s})"))
    v.claim("history_size", top in (4, 8, 16) and dlp("Long(64)") < dlp(f"Long({top})"),
            f"best with {top}: {dlp(f'Long({top})'):.2f}; 2: {dlp('Long(2)'):.2f}, 64: {dlp('Long(64)'):.2f}")
    pdom = max(policies, key=v.harmonic)
    v.claim("pdom_min_sp", v.harmonic("PDomMinSP") >= v.harmonic(pdom) - 0.005,
            f"{v.harmonic('PDomMinSP'):.2f}; best: {pdom} {v.harmonic(pdom):.2f}; MinSP_MinPC {v.harmonic('MinSP_MinPC'):.2f}")
    fast = sorted(policies, key=lambda policy: -v.throughput(policy))
    tops = {"RoundRobinEq", "PDomRB", "LongIRB(4)"}
    v.claim("tlp_wins", min(v.throughput(p) for p in tops) > v.throughput("MinSP_MinPC"),
            ", ".join(f"{p} {v.throughput(p):.2f} (rank {fast.index(p) + 1})" for p in sorted(tops)) +
            f"; MinSP_MinPC {v.throughput('MinSP_MinPC'):.2f}")
    v.claim("round_robin_extreme", dlp("RoundRobinEq") == min(dlp(p) for p in SIMPLE) and
            v.throughput("RoundRobinEq") == max(v.throughput(p) for p in SIMPLE),
            ", ".join(f"{p} {dlp(p):.2f}/{v.throughput(p):.2f}" for p in SIMPLE))
    if set(names) >= set(HARD):
        mean = {name: sum(dlp(p, name) for p in policies) / len(policies) for name in names}
        hard = sorted(names, key=mean.get)[:4]
        v.claim("hard_four", set(hard) == set(HARD), f"ours: {', '.join(f'{n} {mean[n]:.2f}' for n in hard)}")


def of_means(v):
    dlp = v.dlp
    v.claim("max_fun_close", min(dlp("MaxFunMinPC1"), dlp("MaxFunMinPC3")) >= 0.95 * dlp("MinSP_MinPC"),
            f"{dlp('MaxFunMinPC1'):.2f}, {dlp('MaxFunMinPC3'):.2f} of {dlp('MinSP_MinPC'):.2f}")
    v.claim("max_fun_2_worse", dlp("MaxFunMinPC2") < 0.9 * dlp("MaxFunMinPC1"),
            f"{dlp('MaxFunMinPC2'):.2f} against {dlp('MaxFunMinPC1'):.2f}")
    paths = max(dlp("LongestPath1"), dlp("LongestPathP"))
    v.claim("frontiers_poor", paths < 0.75 * dlp("MinSP_MinPC"),
            f"{dlp('LongestPath1'):.2f}, {dlp('LongestPathP'):.2f} of {dlp('MinSP_MinPC'):.2f}")
    v.claim("min_pc_behind", dlp("MinPC") < 0.8 * dlp("MinSP_MinPC"), f"{dlp('MinPC'):.2f} of {dlp('MinSP_MinPC'):.2f}")


def of_benchmarks(v):
    dlp, best = v.dlp, v.best
    if not set(v.names) >= {"fluid", "fmm", "barn", "tach", "water", "body", "fft", "ocean"}:
        return
    v.claim("lee_fluid", best("fluid") == "Lee", f"{dlp('Lee', 'fluid'):.2f}; best: {best('fluid')} {dlp(best('fluid'), 'fluid'):.2f}")
    v.claim("max_fun_fmm", dlp("MaxFunMinPC1", "fmm") < 0.75 * dlp("MinSP_MinPC", "fmm"),
            f"{dlp('MaxFunMinPC1', 'fmm'):.2f} of {dlp('MinSP_MinPC', 'fmm'):.2f}")
    v.claim("distance_barnes", dlp("Dist(0 0 10k)", "barn") > dlp("MinSP_MinPC", "barn"),
            f"{dlp('Dist(0 0 10k)', 'barn'):.2f} against {dlp('MinSP_MinPC', 'barn'):.2f}")
    v.claim("distance_tachyon", v.throughput("Dist(1 1 -1)", "tach") > 2 * dlp("Dist(1 1 -1)", "tach"),
            f"DLP {dlp('Dist(1 1 -1)', 'tach'):.2f}, throughput {v.throughput('Dist(1 1 -1)', 'tach'):.2f}")
    v.claim("pdom_fluid_water", all(dlp("PDomMinSP", n) >= dlp("MinSP_MinPC", n) for n in ("fluid", "water")),
            ", ".join(f"{n}: {dlp('PDomMinSP', n):.2f} against {dlp('MinSP_MinPC', n):.2f}" for n in ("fluid", "water")))
    v.claim("min_pc_body", abs(dlp("MinPC", "body") - dlp("MinSP_MinPC", "body")) < 0.02 * dlp("MinSP_MinPC", "body"),
            f"{dlp('MinPC', 'body'):.2f} against {dlp('MinSP_MinPC', 'body'):.2f}")
    v.claim("min_pc_calls", all(dlp("MinPC", n) < 0.6 * dlp("MinSP_MinPC", n) for n in ("fft", "ocean", "tach")),
            ", ".join(f"{n}: {dlp('MinPC', n):.2f} of {dlp('MinSP_MinPC', n):.2f}" for n in ("fft", "ocean", "tach")))
