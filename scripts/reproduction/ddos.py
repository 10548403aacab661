"""Detection of spin-inducing branches: DDOS by hash, widths, threshold, length and time sharing, over the synchronisation
benchmarks and kernels without busy-waiting."""

import bows
from bows_runs import MACHINE
from claims import Claims
from tables import chosen, number, table

TITLE = "DDOS (thesis ch. 6, Tab 6.1): true and false detections and detection phases by its parameters"
PLATFORM = "gtx480"
BENCHMARKS = bows.BENCHMARKS + [("-", workload) for workload in bows.REGULAR]

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
    return {**MACHINE, "core.spin.source": "ddos", "core.spin.bows.enabled": False,
            **{f"core.spin.ddos.{name}": value for name, value in point.items()}}


def detection(run, counter):
    return run.counter("core", "spin", "detection", counter)


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


HASHES = ("XOR, 8 bits", "XOR, 4 bits", "MODULO, 8 bits", "MODULO, 4 bits")


def add_claims(claims, by_label):
    """Tab 6.1. A rate that nothing was detected for is 0."""
    tsdr, dpr, fsdr = 0, 1, 2

    def at(sweep, rate, labels):
        return {label.replace(", ", " ").removesuffix(" bits"): by_label[sweep, label][rate] or 0 for label in labels}
    narrow = "t (m = k = 4)"
    switched = {"off": "off, 8 bits", "on": "on, 8 bits"}
    of = {"true": {"TSDR": by_label["l", "8"][tsdr] or 0, "FSDR": by_label["l", "8"][fsdr] or 0},
          "hash": at("hash", fsdr, HASHES), "width": at("m = k", fsdr, "248"),
          "threshold": at(narrow, dpr, ("2", "4", "8", "12")), "threshold_false": at(narrow, fsdr, ("2", "4", "8", "12")),
          "length": at("l", tsdr, "1248"),
          "sharing": {f"{what} {state}": by_label["time sharing", label][rate] or 0
                      for what, rate in (("TSDR", tsdr), ("DPR", dpr)) for state, label in switched.items()}}
    for claim, values in of.items():
        claims.add(claim, lambda claim=claim, values=values: ", ".join(number(value, 3) for value in values.values())
                   + ("" if claim == "true" else "; in the published order" if all(ordered(values, claims.of[claim]["effect"]["share"], names) for names in rates_of(claim, values))
                      else "; in another order"), share=values)


def rates_of(claim, values):
    """Names of values that may be compared: of one rate."""
    return [[name for name in values if name.startswith(rate)] for rate in ("TSDR", "DPR")] if claim == "sharing" else [list(values)]


def ordered(ours, published, names):
    """Whether ours never fall where the published values rise, nor rise where they fall."""
    return all((ours[b] - ours[a]) * (published[b] - published[a]) >= 0 for a in names for b in names)


# Whose rates make the means: what a table by workload shows, of POINTS.
EVALUATED, BY_HASH = ("l", "8"), [("hash", label) for label in ("XOR, 4 bits", "MODULO, 8 bits", "MODULO, 4 bits")]


def rate(run, kind):
    return number(rates([run])[kind], 3)


def by_workload_table(machine, workloads):
    """The rates that the means above are made of."""
    points = {(sweep, label): settings(point) for sweep, label, point, _ in POINTS}
    rows = []
    for workload in workloads:
        run = machine.run(workload, points[EVALUATED])
        rows.append([f"`{workload}`", rate(run, 0), rate(run, 1), rate(run, 2), *(rate(machine.run(workload, points[at]), 2) for at in BY_HASH)])
    return table(["workload", "TSDR, XOR 8", "DPR, XOR 8", *(f"FSDR, {label}" for label in ("XOR 8", "XOR 4", "MODULO 8", "MODULO 4"))], rows)


def report(machine, names):
    workloads = [workload for _, workload in chosen(BENCHMARKS, names)]
    by_label, rows = {}, []
    for sweep, label, point, published in POINTS:
        measured = rates([machine.run(workload, settings(point)) for workload in workloads])
        by_label[sweep, label] = measured
        rows.append([sweep, label, " / ".join(number(rate, 3) for rate in measured), published])
    claims = Claims("ddos")
    add_claims(claims, by_label)
    return "\n\n".join([
        f"# {TITLE}",
        f"Workloads ({machine.size}): {', '.join(workloads)}. Settings of all: "
        + ", ".join(f"`{key}={value}`" for key, value in MACHINE.items())
        + "; nothing backs off. True: the branches that the kernels' text names. TSDR: share of them detected; FSDR: of all "
        "other backward branches; DPR: cycles until the detection, of those between the branch's first and last. Per core and "
        "launch; mean over the kernels that have such branches.",
        table(["sweep", "value", "TSDR / DPR / FSDR / DPR (false)", "published"], rows),
        "## By workload",
        by_workload_table(machine, workloads),
        claims.comparison(),
    ])
