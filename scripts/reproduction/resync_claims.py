"""The orderings that the thread re-synchronisation study claims (thread-resync §7.6), checked one by one on our replays."""

from tables import harmonic_mean

SIMPLE = ["MinPC", "MinSP_MinPC", "MaxFunMinPC1", "MaxFunMinPC2", "MaxFunMinPC3", "Lee", "RoundRobinEq"]
HARD = ["barn", "fluid", "fmm", "volr"]


def check(replays, published):
    """By claim: "holds" or "does not hold", and the numbers. Claims about a benchmark are left out if it was not replayed."""
    del published
    names, policies = replays.names, replays.policies

    def dlp(policy, name=None):
        return replays.value("dlp", policy, name) if name else replays.mean("dlp", policy)

    def throughput(policy, name=None):
        return replays.value("throughput", policy, name) if name else replays.mean("throughput", policy)

    def best(name):
        return max(policies, key=lambda policy: dlp(policy, name))

    def weighted(policy):
        rows = [replays.by_name[name][policy] for name in names]
        return sum(row["instructions"] for row in rows) / sum(row["fetches"] for row in rows)

    def harmonic(policy):
        return harmonic_mean([dlp(policy, name) for name in names])
    verdicts = {}

    def claim(name, holds, text):
        verdicts[name] = f"{'holds' if holds else '**does not hold**'}: {text}"

    order = sorted(policies, key=lambda policy: -dlp(policy))
    claim("min_sp_best", dlp("MinSP_MinPC") >= dlp(order[0]) - 0.005,
          f"{dlp('MinSP_MinPC'):.2f}, rank {order.index('MinSP_MinPC') + 1}; best: {order[0]} {dlp(order[0]):.2f}")
    claim("max_fun_close", min(dlp("MaxFunMinPC1"), dlp("MaxFunMinPC3")) >= 0.95 * dlp("MinSP_MinPC"),
          f"{dlp('MaxFunMinPC1'):.2f}, {dlp('MaxFunMinPC3'):.2f} of {dlp('MinSP_MinPC'):.2f}")
    claim("max_fun_2_worse", dlp("MaxFunMinPC2") < 0.9 * dlp("MaxFunMinPC1"),
          f"{dlp('MaxFunMinPC2'):.2f} against {dlp('MaxFunMinPC1'):.2f}")
    claim("reduction_3", weighted("MinSP_MinPC") >= 3, f"{weighted('MinSP_MinPC'):.2f}")
    winners = sorted({best(name) for name in names})
    claim("no_best", len(winners) > 1, f"{len(winners)} different winners: {', '.join(winners)}")
    claim("rd_same", all(replays.by_name[n]["RDMinSP(4 0 n)"]["fetches"] == replays.by_name[n]["MinSP_MinPC"]["fetches"] for n in names),
          "the same fetches on all benchmarks")
    claim("long_below", all(dlp(f"Long({s})") < dlp(f"LongMinSP({s})") for s in (2, 4, 8, 16, 32)),
          ", ".join(f"{s}: {dlp(f'Long({s})'):.2f} / {dlp(f'LongMinSP({s})'):.2f}" for s in (2, 4, 8, 16, 32)))
    claim("long_min_pc_below", all(dlp(f"LongMinPC({s})") < dlp(f"LongMinSP({s})") for s in (2, 4, 8, 16, 32)),
          ", ".join(f"{s}: {dlp(f'LongMinPC({s})'):.2f} / {dlp(f'LongMinSP({s})'):.2f}" for s in (2, 4, 8, 16, 32)))
    sizes = [2, 4, 8, 16, 32, 64]
    top = max(sizes, key=lambda s: dlp(f"Long({s})"))
    claim("history_size", top in (4, 8, 16) and dlp("Long(64)") < dlp(f"Long({top})"),
          f"best with {top}: {dlp(f'Long({top})'):.2f}; 2: {dlp('Long(2)'):.2f}, 64: {dlp('Long(64)'):.2f}")
    paths = max(dlp("LongestPath1"), dlp("LongestPathP"))
    claim("frontiers_poor", paths < 0.75 * dlp("MinSP_MinPC"),
          f"{dlp('LongestPath1'):.2f}, {dlp('LongestPathP'):.2f} of {dlp('MinSP_MinPC'):.2f}")
    pdom = max(policies, key=harmonic)
    claim("pdom_min_sp", harmonic("PDomMinSP") >= harmonic(pdom) - 0.005,
          f"{harmonic('PDomMinSP'):.2f}; best: {pdom} {harmonic(pdom):.2f}; MinSP_MinPC {harmonic('MinSP_MinPC'):.2f}")
    fast = sorted(policies, key=lambda policy: -throughput(policy))
    tops = {"RoundRobinEq", "PDomRB", "LongIRB(4)"}
    claim("tlp_wins", min(throughput(p) for p in tops) > throughput("MinSP_MinPC"),
          ", ".join(f"{p} {throughput(p):.2f} (rank {fast.index(p) + 1})" for p in sorted(tops)) +
          f"; MinSP_MinPC {throughput('MinSP_MinPC'):.2f}")
    claim("round_robin_extreme", dlp("RoundRobinEq") == min(dlp(p) for p in SIMPLE) and
          throughput("RoundRobinEq") == max(throughput(p) for p in SIMPLE),
          ", ".join(f"{p} {dlp(p):.2f}/{throughput(p):.2f}" for p in SIMPLE))
    claim("min_pc_behind", dlp("MinPC") < 0.8 * dlp("MinSP_MinPC"), f"{dlp('MinPC'):.2f} of {dlp('MinSP_MinPC'):.2f}")
    if set(names) >= {"fluid", "fmm", "barn", "tach", "volr", "water", "body", "fft", "ocean"}:
        claim("lee_fluid", best("fluid") == "Lee", f"{dlp('Lee', 'fluid'):.2f}; best: {best('fluid')} {dlp(best('fluid'), 'fluid'):.2f}")
        claim("max_fun_fmm", dlp("MaxFunMinPC1", "fmm") < 0.75 * dlp("MinSP_MinPC", "fmm"),
              f"{dlp('MaxFunMinPC1', 'fmm'):.2f} of {dlp('MinSP_MinPC', 'fmm'):.2f}")
        claim("distance_barnes", dlp("Dist(0 0 10k)", "barn") > dlp("MinSP_MinPC", "barn"),
              f"{dlp('Dist(0 0 10k)', 'barn'):.2f} against {dlp('MinSP_MinPC', 'barn'):.2f}")
        claim("distance_tachyon", throughput("Dist(1 1 -1)", "tach") > 2 * dlp("Dist(1 1 -1)", "tach"),
              f"DLP {dlp('Dist(1 1 -1)', 'tach'):.2f}, throughput {throughput('Dist(1 1 -1)', 'tach'):.2f}")
        claim("pdom_fluid_water", all(dlp("PDomMinSP", n) >= dlp("MinSP_MinPC", n) for n in ("fluid", "water")),
              ", ".join(f"{n}: {dlp('PDomMinSP', n):.2f} against {dlp('MinSP_MinPC', n):.2f}" for n in ("fluid", "water")))
        mean = {name: sum(dlp(p, name) for p in policies) / len(policies) for name in names}
        hard = sorted(names, key=mean.get)[:4]
        claim("hard_four", set(hard) == set(HARD), f"ours: {', '.join(f'{n} {mean[n]:.2f}' for n in hard)}")
        claim("min_pc_body", abs(dlp("MinPC", "body") - dlp("MinSP_MinPC", "body")) < 0.02 * dlp("MinSP_MinPC", "body"),
              f"{dlp('MinPC', 'body'):.2f} against {dlp('MinSP_MinPC', 'body'):.2f}")
        claim("min_pc_calls", all(dlp("MinPC", n) < 0.6 * dlp("MinSP_MinPC", n) for n in ("fft", "ocean", "tach")),
              ", ".join(f"{n}: {dlp('MinPC', n):.2f} of {dlp('MinSP_MinPC', n):.2f}" for n in ("fft", "ocean", "tach")))
    return verdicts
