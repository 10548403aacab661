"""scripts/reproduce bows and ddos: the arithmetic of their tables."""

from reproduce_command import case, check, row, verdicts


def of_locks(fails, waiting, lines, energy):
    return {"core0": {"lsu": {"line_accesses": lines}, "issue": {"slots": {"issued": 25, "memory_back_pressure": 50, "backed_off": 25}},
                      "sync": {"lock_success": 10, "lock_fail_inter_warp": fails, "waiting_warp_instructions": 30, "waiting_transactions": waiting,
                               "critical_transactions": lines - waiting}},
            "energy": {"dynamic": energy, "crossbar": {"dynamic": energy // 2}}}


@case
def bows_divides_the_policy_by_the_same_with_bows(reproduce):
    on = "core.spin.source=ddos"
    done = reproduce.run("bows", "--quick", "--workloads", "HT", "NW1", "--jobs", "2", rules=[
        ["run", {"statistics": of_locks(80, 60, 100, 8_000_000_000)}],
        [on, {"cycles": 500, "instructions": 40, "simd": 0.75, "statistics": of_locks(20, 10, 40, 2_000_000_000)}],
        [f"{on} core.scheduler.policy=lrr", {"cycles": 250}], [f"nw-rows {on}", {"cycles": 2000}],
        [f"{on} buckets=128", {"cycles": 200}], [f"{on} buckets=4096", {"cycles": 800}]])
    text = done.stdout
    claims = verdicts(text)
    check(row(text, "HT", "LRR + BOWS")[8:] == ["4.00", "2.50", "2.50", "4.00"], "gains over LRR")
    check(row(text, "GTO", "2.50")[1:] == ["1.00", "2.50", "2.50", "4.00"], "geometric mean of 2 and 0.5")
    check(row(text, "GTO, without NW1")[1] == "2.00", "the mean without the one that loses")
    check(claims["Speed-up over GTO"][0].startswith("1.00; 1.25 (harmonic 0.80)"), "other means")
    check(claims["L1D transactions against GTO"][0] == "-60.0 %", "lines")
    check(claims["HT from 128 to 4096 buckets: speed-up over GTO"][0] == "5.00 ... 1.25", "the ends of the sweep")
    check(claims["HT: failed lock attempts per successful one, GTO / with BOWS"] == ("4.00", "**does not hold**: +300.0 % of +980.0 %"), "failures")
    slots = [line for line in text.splitlines() if line.startswith("| LRR | HT | 25.0 % | 50.0 % | 0.0 % |")]
    check(len(slots) == 1, "issue slots")
    check("| HT | 100 | 40 | 83.3 % | 16.7 % |" in text, "of 60 lines saved 50 in waiting code")
    check("| 4 to 1 | 0 to 0 | 0 to 0 | 0 to 0 | 4.00 |" in text, "energy of the crossbar in microjoules")


def of_detection(true_detected, false_detected, phase):
    return {"core0": {"spin": {"detection": {"true_sibs": 2, "true_detected": true_detected, "true_phase_ratio": phase * true_detected, "others": 4,
                                             "false_detected": false_detected}}}}


@case
def ddos_prints_the_rates_of_each_workload_and_their_mean(reproduce):
    modulo = "core.spin.ddos.hash=modulo"
    done = reproduce.run("ddos", "--quick", "--workloads", "HT", "BH-TB", "sgemm", rules=[
        ["hashtable", {"statistics": of_detection(2, 0, 50_000)}], ["bh-build", {"statistics": of_detection(1, 0, 250_000)}],
        [f"sgemm {modulo}", {"statistics": {"core0": {"spin": {"detection": {"others": 4, "false_detected": 3}}}}}]])
    text = done.stdout
    check(row(text, "XOR, 8 bits", "hash")[2] == "0.750 / 0.150 / 0.000 / -", "means over the workloads that have such branches")
    check(row(text, "MODULO, 8 bits")[2].startswith("0.750 / 0.150 / 0.250"), "0, 0 and 0.75")
    by_workload = [line for line in text.splitlines() if line.startswith("| `sgemm` | - | - |")]
    check(len(by_workload) == 1 and by_workload[0].endswith("| 0.750 | 0.750 |"), "the workload that makes the mean")
    check(verdicts(text)["TSDR: l of 1, 2, 4, 8"][0].startswith("0.750, 0.750"), "by the length")


@case
def spin_factors_changes_one_thing_at_a_time(reproduce):
    on, hash_table = "core.spin.source=ddos core.spin.bows.fixed_delay=3000", "`hashtable keys=2000 ctas=15 threads=128 buckets=1024`"
    done = reproduce.run("spin-factors", "--quick", "--workloads", "HT", "BH-TB", "reduction", "--jobs", "2", rules=[
        ["run", {"statistics": {**of_locks(80, 60, 100, 1), "x": 1}}], ["memory.l2.latency_cycles=0", {"simd": 0.25}],
        ["core.spin.source=ddos", {"cycles": 500, "instructions": 40, "simd": 0.75, "statistics": of_locks(20, 10, 40, 1)}],
        [on, {"cycles": 4000}], ["core.spin.source=ddos memory.l2.latency_cycles=0 buckets=1024", {"cycles": 100}],
        ["core.spin.bows.enabled=false", {"statistics": of_detection(2, 0, 50_000)}],
        ["bh-build core.spin.bows.enabled=false", {"statistics": of_detection(1, 0, 250_000)}],
        ["bh-build core.spin.ddos.length=16", {"statistics": of_detection(2, 0, 100_000)}],
        ["hashtable core.spin.ddos.threshold=12", {"statistics": of_detection(2, 0, 150_000)}],
        ["reduction core.spin.ddos.path_bits=8", {"cycles": 5000, "statistics": {"core0": {"spin": {"detection": {"false_detected": 3}}}}}]])
    text = done.stdout
    check(row(text, "HT", "0.25")[1:] == ["2.00", "2.00", "2.00", "0.25", "2.00", "2.00", "2.00"], "fixed delays")
    check(row(text, "`memory.l2.latency_cycles=0`", hash_table)[2:8] == ["10.00", "2.50", "8.0 to 2.0", "4.0", "25.0 % to 75.0 %", "3.00"], "a retry's cost")
    check(row(text, "as studied", hash_table)[2] == "2.00", "as studied")
    check(row(text, "HT", "1.000")[1:] == ["1.000", "0.050", "0.050", "0.050", "0.150"], "phases")
    check(row(text, "**mean**")[1:] == ["0.750", "0.150", "0.150", "0.150", "0.200"], "their mean")
    check("| 8 | 0.500 | 0.250 | 0.000 |" in text and "| 16 | 1.000 | 0.100 | 0.000 |" in text, "a longer history")
    check("| 8 | 3 | -80.0 % |" in text and "| 16 | 0 | 100.0 % |" in text, "a wider hash")
