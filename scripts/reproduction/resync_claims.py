"""The orderings that the thread re-synchronisation study claims ([Resync] §5.1.1), checked one by one on our replays."""

from claims import Claims
from tables import harmonic_mean

SIMPLE = ["MinPC", "MinSP_MinPC", "MaxFunMinPC1", "MaxFunMinPC2", "MaxFunMinPC3", "Lee", "RoundRobinEq"]
HARD = ["barn", "fluid", "fmm", "volr"]
CALLING = ("fft", "ocean", "tach")
ORDERS = """Orders, not sizes: MaxFun 2 below 0.9 of MaxFun 1; both thread frontiers below 0.75 of MinSP-MinPC; MinPC below 0.8 of it, with calls (fft, ocean, tachyon) below 0.6, on bodytrack within 2 %; Lee the best on fluidanimate;
MaxFun 1 below 0.75 of MinSP-MinPC on fmm; Distance above it on barnes; its throughput above twice its DLP on tachyon."""


class Verdicts(Claims):
    def __init__(self, replays):
        super().__init__("resync")
        self.replays, self.names, self.policies = replays, replays.names, replays.policies

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

    def of_min_sp(self, policy, name=None):
        """DLP, relative to that of MinSP-MinPC."""
        return self.dlp(policy, name) / self.dlp("MinSP_MinPC", name)

    def ordered(self, claim, holds, text):
        self.add(claim, lambda: text, [True], lambda: holds)

    def sized(self, claim, text, **ours):
        self.add(claim, lambda: text, **ours)


def check(replays):
    """All claims; those about a benchmark are left out if it was not replayed."""
    v = Verdicts(replays)
    of_all(v)
    of_means(v)
    of_benchmarks(v)
    return v


def orders(replays):
    """Of the claims that a few policies decide, whether the order holds, whatever its size: what ORDERS says."""
    v = Verdicts(replays)
    dlp, of = v.dlp, v.of_min_sp
    return {"max_fun_2_worse": dlp("MaxFunMinPC2") < 0.9 * dlp("MaxFunMinPC1"),
            "frontiers_poor": max(of("LongestPath1"), of("LongestPathP")) < 0.75,
            "min_pc_behind": of("MinPC") < 0.8,
            "min_pc_calls": all(of("MinPC", name) < 0.6 for name in CALLING),
            "min_pc_body": abs(of("MinPC", "body") - 1) < 0.02,
            "lee_fluid": v.best("fluid") == "Lee",
            "max_fun_fmm": of("MaxFunMinPC1", "fmm") < 0.75,
            "distance_barnes": of("Dist(0 0 10k)", "barn") > 1,
            "distance_tachyon": v.throughput("Dist(1 1 -1)", "tach") > 2 * dlp("Dist(1 1 -1)", "tach")}


def of_all(v):
    dlp, names, policies = v.dlp, v.names, v.policies
    order = sorted(policies, key=lambda policy: -dlp(policy))
    v.ordered("min_sp_best", dlp("MinSP_MinPC") >= dlp(order[0]) - 0.005,
              f"{dlp('MinSP_MinPC'):.2f}, rank {order.index('MinSP_MinPC') + 1}; before it: "
              f"{', '.join(f'{p} {dlp(p):.2f}' for p in order[:order.index('MinSP_MinPC')]) or 'none'}")
    v.sized("reduction_3", f"{v.weighted('MinSP_MinPC'):.2f}", ratio=v.weighted("MinSP_MinPC"))
    winners = sorted({v.best(name) for name in names})
    v.ordered("no_best", len(winners) > 1, f"{len(winners)} different winners: {', '.join(winners)}")
    v.ordered("rd_same",
              all(v.replays.by_name[n]["RDMinSP(4 0 n)"]["fetches"] == v.replays.by_name[n]["MinSP_MinPC"]["fetches"] for n in names),
              "the same fetches on all benchmarks")
    sizes = (2, 4, 8, 16, 32)
    for name, family in (("long_below", "Long"), ("long_min_pc_below", "LongMinPC")):
        v.ordered(name, all(dlp(f"{family}({s})") < dlp(f"LongMinSP({s})") for s in sizes),
                  ", ".join(f"{s}: {dlp(f'{family}({s})'):.2f} / {dlp(f'LongMinSP({s})'):.2f}" for s in sizes))
    top = max((*sizes, 64), key=lambda s: dlp(f"Long({s})"))
    v.ordered("history_size", top in (4, 8, 16) and dlp("Long(64)") < dlp(f"Long({top})"),
              f"best with {top}: {dlp(f'Long({top})'):.2f}; 2: {dlp('Long(2)'):.2f}, 64: {dlp('Long(64)'):.2f}")
    pdom = max(policies, key=v.harmonic)
    v.ordered("pdom_min_sp", v.harmonic("PDomMinSP") >= v.harmonic(pdom) - 0.005,
              f"{v.harmonic('PDomMinSP'):.2f}; best: {pdom} {v.harmonic(pdom):.2f}; MinSP_MinPC {v.harmonic('MinSP_MinPC'):.2f}")
    helpers = {policy: v.of_min_sp(policy) for policy in v.of["pdom_rows"]["effect"]["ratio"]}
    v.sized("pdom_rows", ", ".join(f"{policy} {value:.2f}" for policy, value in helpers.items()), ratio=helpers)
    order = sorted(helpers, key=lambda policy: -helpers[policy])
    v.ordered("pdom_order", order == v.of["pdom_order"]["published"].split(", "), ", ".join(order))
    fast = sorted(policies, key=lambda policy: -v.throughput(policy))
    tops = ("LongIRB(4)", "RoundRobinEq", "PDomRB")
    v.sized("tlp_wins", ", ".join(f"{p} {v.throughput(p):.2f} (rank {fast.index(p) + 1})" for p in tops) +
            f"; MinSP_MinPC {v.throughput('MinSP_MinPC'):.2f}", ratio={p: v.throughput(p) / v.throughput("MinSP_MinPC") for p in tops})
    v.ordered("round_robin_extreme", dlp("RoundRobinEq") == min(dlp(p) for p in SIMPLE) and
              v.throughput("RoundRobinEq") == max(v.throughput(p) for p in SIMPLE),
              ", ".join(f"{p} {dlp(p):.2f}/{v.throughput(p):.2f}" for p in SIMPLE))
    if set(names) >= set(HARD):
        mean = {name: sum(dlp(p, name) for p in policies) / len(policies) for name in names}
        hard = sorted(names, key=mean.get)[:4]
        v.ordered("hard_four", set(hard) == set(HARD), f"ours: {', '.join(f'{n} {mean[n]:.2f}' for n in hard)}")


def of_means(v):
    dlp, relative = v.dlp, v.of_min_sp
    v.sized("max_fun_close", f"{dlp('MaxFunMinPC1'):.2f}, {dlp('MaxFunMinPC3'):.2f} of {dlp('MinSP_MinPC'):.2f}",
            same={policy: relative(policy) for policy in ("MaxFunMinPC1", "MaxFunMinPC3")})
    v.sized("max_fun_2_worse", f"{dlp('MaxFunMinPC2'):.2f} against {dlp('MaxFunMinPC1'):.2f}", ratio=dlp("MaxFunMinPC2") / dlp("MaxFunMinPC1"))
    v.sized("frontiers_poor", f"{dlp('LongestPath1'):.2f}, {dlp('LongestPathP'):.2f} of {dlp('MinSP_MinPC'):.2f}",
            ratio={policy: relative(policy) for policy in ("LongestPath1", "LongestPathP")})
    v.sized("min_pc_behind", f"{dlp('MinPC'):.2f} of {dlp('MinSP_MinPC'):.2f}", ratio=relative("MinPC"))


def of_benchmarks(v):
    dlp, best, relative = v.dlp, v.best, v.of_min_sp
    if not set(v.names) >= {"fluid", "fmm", "barn", "tach", "water", "body", "fft", "ocean"}:
        return
    v.ordered("lee_fluid", best("fluid") == "Lee", f"{dlp('Lee', 'fluid'):.2f}; best: {best('fluid')} {dlp(best('fluid'), 'fluid'):.2f}")
    v.sized("max_fun_fmm", f"{dlp('MaxFunMinPC1', 'fmm'):.2f} of {dlp('MinSP_MinPC', 'fmm'):.2f}", ratio=relative("MaxFunMinPC1", "fmm"))
    v.sized("distance_barnes", f"{dlp('Dist(0 0 10k)', 'barn'):.2f} against {dlp('MinSP_MinPC', 'barn'):.2f}", ratio=relative("Dist(0 0 10k)", "barn"))
    v.sized("distance_tachyon", f"DLP {dlp('Dist(1 1 -1)', 'tach'):.2f}, throughput {v.throughput('Dist(1 1 -1)', 'tach'):.2f}",
            ratio=v.throughput("Dist(1 1 -1)", "tach") / dlp("Dist(1 1 -1)", "tach"))
    both = ("fluid", "water")
    v.sized("pdom_fluid_water", ", ".join(f"{n}: {dlp('PDomMinSP', n):.2f} against {dlp('MinSP_MinPC', n):.2f}" for n in both),
            ratio={n: relative("PDomMinSP", n) for n in both})
    v.sized("min_pc_body", f"{dlp('MinPC', 'body'):.2f} against {dlp('MinSP_MinPC', 'body'):.2f}", same=relative("MinPC", "body"))
    v.sized("min_pc_calls", ", ".join(f"{n}: {dlp('MinPC', n):.2f} of {dlp('MinSP_MinPC', n):.2f}" for n in CALLING),
            ratio={n: relative("MinPC", n) for n in CALLING})
