"""Detection of spin-inducing branches: DDOS by hash, widths, threshold, length and time sharing, over the synchronisation
benchmarks and kernels without busy-waiting."""

import bows
import suite
from tables import chosen, comparison, number, table

TITLE = "DDOS (thesis ch. 6, Tab 6.1): true and false detections and detection phases by its parameters"
PLATFORM = "gtx480"
SYNCHRONISATION = [(name, workload) for name, workload, _ in suite.SYNCHRONISATION]
BENCHMARKS = SYNCHRONISATION + [("-", workload) for workload in bows.REGULAR]

# Sweep, label, what differs from the evaluated point (XOR, m = k = 8, l = 8, t = 4, time sharing off), and the published
# TSDR, DPR, FSDR, DPR of false detections.
NARROW = {"path_bits": 4, "value_bits": 4}


def width(bits):
    return {"path_bits": bits, "value_bits": bits}


POINTS = [
    ("hash", "XOR, 4 bits", NARROW, "1 / .041 / .016 / .006"),
    ("hash", "XOR, 8 bits", {}, "1 / .041 / 0 / -"),
    ("hash", "MODULO, 4 bits", {**NARROW, "hash": "modulo"}, "1 / .041 / .17 / .014"),
    ("hash", "MODULO, 8 bits", {"hash": "modulo"}, "1 / .041 / .104 / .001"),
    ("m = k", "2", width(2), "1 / .042 / .078 / .062"),
    ("m = k", "3", width(3), ".983 / .074 / .012 / .008"),
    ("m = k", "4", width(4), "1 / .041 / .016 / .006"),
    ("m = k", "8", width(8), "1 / .041 / 0 / 0"),
    ("t (m = k = 4)", "2", {**NARROW, "threshold": 2}, "1 / .03 / .027 / .016"),
    ("t (m = k = 4)", "4", NARROW, "1 / .041 / .016 / .006"),
    ("t (m = k = 4)", "8", {**NARROW, "threshold": 8}, "1 / .075 / .002 / .002"),
    ("t (m = k = 4)", "12", {**NARROW, "threshold": 12}, ".992 / .105 / .002 / .003"),
    ("l", "1", {"length": 1}, "0 / 0 / 0 / 0"),
    ("l", "2", {"length": 2}, "0 / 0 / 0 / 0"),
    ("l", "4", {"length": 4}, ".625 / .032 / 0 / 0"),
    ("l", "8", {}, "1 / .041 / 0 / 0"),
    ("time sharing", "off, 4 bits", NARROW, "1 / .041 / .016 / .006"),
    ("time sharing", "off, 8 bits", {}, "1 / .041 / 0 / 0"),
    ("time sharing", "on, 4 bits", {**NARROW, "time_share_cycles": 1000}, ".642 / .211 / .033 / .023"),
    ("time sharing", "on, 8 bits", {"time_share_cycles": 1000}, ".642 / .211 / .026 / .003"),
]


def settings(point):
    """Nothing backs off: detection alone."""
    return {**bows.MACHINE, "core.spin.source": "ddos", "core.spin.bows.enabled": False,
            **{f"core.spin.ddos.{name}": value for name, value in point.items()}}


def detection(run, counter):
    return run.counter(r"core\d+", "spin", "detection", counter)


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def rates(runs):
    """TSDR, DPR, FSDR and DPR of false detections: of each kernel over its cores and launches, then their mean."""
    def share(part, whole, scale=1):
        return [detection(run, part) / scale / detection(run, whole) for run in runs
                if run.passed and detection(run, whole)]
    return (mean(share("true_detected", "true_sibs")), mean(share("true_phase_ratio", "true_detected", 1e6)),
            mean(share("false_detected", "others")), mean(share("false_phase_ratio", "false_detected", 1e6)))


def trends(by_label):
    """What Tab 6.1 says of each sweep, and whether it holds here. A rate that nothing was detected for is 0."""
    def at(sweep, label, rate):
        return by_label[sweep, label][rate] or 0
    tsdr, dpr, fsdr = 0, 1, 2
    hashes = [at("hash", label, fsdr) for label in ("XOR, 8 bits", "XOR, 4 bits", "MODULO, 8 bits", "MODULO, 4 bits")]
    widths = [at("m = k", label, fsdr) for label in ("8", "4", "3", "2")]
    thresholds = [at("t (m = k = 4)", label, dpr) for label in ("2", "4", "8", "12")]
    false_at_thresholds = [at("t (m = k = 4)", label, fsdr) for label in ("12", "8", "4", "2")]
    return [
        ("all_found", "XOR, m = k = 8, l = 8, t = 4 finds all and flags nothing else",
         at("l", "8", tsdr) == 1 and at("l", "8", fsdr) == 0),
        ("hash", "False detections: XOR 8 <= XOR 4 <= MODULO 8 <= MODULO 4", hashes == sorted(hashes)),
        ("width", "They fall with the width of the hashes", widths == sorted(widths) and widths[0] < widths[-1]),
        ("threshold", "The threshold lengthens the detection phase", thresholds == sorted(thresholds)
         and thresholds[0] < thresholds[-1]),
        ("threshold_false", "... and spares false detections", false_at_thresholds == sorted(false_at_thresholds)),
        ("short", "Histories of 1 and 2 find nothing", at("l", "1", tsdr) == at("l", "2", tsdr) == 0),
        ("length", "4 entries find some, 8 all", 0 < at("l", "4", tsdr) < at("l", "8", tsdr)),
        ("sharing", "A shared history finds less and takes longer",
         at("time sharing", "on, 8 bits", tsdr) < at("time sharing", "off, 8 bits", tsdr)
         and at("time sharing", "on, 8 bits", dpr) > at("time sharing", "off, 8 bits", dpr)),
    ]


def report(machine, names):
    workloads = [workload for _, workload in chosen(BENCHMARKS, names)]
    machine.prepare([(workload, settings(point)) for workload in workloads for _, _, point, _ in POINTS])
    by_label, rows = {}, []
    for sweep, label, point, published in POINTS:
        measured = rates([machine.run(workload, settings(point)) for workload in workloads])
        by_label[sweep, label] = measured
        rows.append([sweep, label, " / ".join(number(rate, 3) for rate in measured), published])
    held = trends(by_label)
    return "\n\n".join([
        f"# {TITLE}",
        f"Workloads ({machine.size}): {', '.join(workloads)}. Settings of all: "
        + ", ".join(f"`{key}={value}`" for key, value in bows.MACHINE.items())
        + "; nothing backs off. True: the branches that the kernels' text names. TSDR: share of them detected; FSDR: of all "
        "other backward branches; DPR: cycles until the detection, of those between the branch's first and last. Per core and "
        "launch; mean over the kernels that have such branches.",
        table(["sweep", "value", "TSDR / DPR / FSDR / DPR (false)", "published"], rows),
        "## Trends of Tab 6.1",
        comparison("ddos", {name: "holds" if holds else "does not hold" for name, _, holds in held}),
    ])
