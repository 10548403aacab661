"""Which workloads stand for which benchmarks (platforms/workloads/README.md), and the settings that the studies share."""

# Published name, source in SIMT-safe form, source in MIMD form. Where both are the same, no lane waits for another of
# its warp in a way that deadlocks on a stack.
SYNCHRONISATION = [
    ("HT", "hashtable", "hashtable-mimd"),
    ("ATM", "atm", "atm-mimd"),
    ("CP-DS", "cloth", "cloth-mimd"),
    ("BH-TB", "bh-build", "bh-build-mimd"),
    ("BH-SM", "bh-summarize", "bh-summarize"),
    ("BH-ST", "bh-sort", "bh-sort-mimd"),
    ("BH-FC", "bh-force", "bh-force"),
    ("NW1", "nw-rows", "nw-rows-mimd"),
    ("NW2", "nw-tiles", "nw-tiles"),
    ("TSP", "tsp", "tsp"),
]

# The remaining patterns [SSDE:K0] to [SSDE:K13] that need diverged lanes to make progress.
MIMD_PATTERNS = [
    ("K0", "spinlock"),
    ("K7 FG", "omp-lock-fine"),
    ("K7 CG", "omp-lock-coarse"),
    ("K8 FG", "omp-max-fine"),
    ("K8 CG", "omp-max-coarse"),
    ("K10", "early-return"),
    ("K10 two locks", "early-release"),
    ("K11", "task-queue"),
]

DIVERGENT = [
    ("REND", "bvh"),
    ("LPS", "lps"),
    ("LUD", "lud"),
    ("MAND", "mandelbrot"),
    ("MEMC", "keyvalue"),
    ("MUM", "suffixtree"),
    ("MC", "montecarlo"),
    ("RAY", "ray"),
]

STACK = {"core.control_flow.mechanism": "simt_stack"}
SSDE = {**STACK, "core.compiler": "ssde"}


def aware(compiler="delayed_reconvergence", timeout=0, **parameters):
    """AWARE; time-out in cycles, 0 for none; `parameters` are keys of core.control_flow.aware."""
    return {"core.control_flow.mechanism": "aware", "core.compiler": compiler,
            **({"core.control_flow.timeout.cycles": timeout} if timeout else {}),
            **{f"core.control_flow.aware.{name}": value for name, value in parameters.items()}}


def multi_path(paths, opportunistic):
    return {"core.control_flow.mechanism": "multi_path", "core.scoreboard.kind": "per_thread_mask",
            "core.control_flow.multi_path.paths": paths,
            "core.control_flow.multi_path.opportunistic_reconvergence": opportunistic}


def hanoi(profile, **parameters):
    """`parameters` are keys of core.control_flow.hanoi, and of core where they have a dot."""
    return {"core.control_flow.mechanism": "hanoi", "core.control_flow.hanoi.profile": profile,
            **{f"core.{name}" if "." in name else f"core.control_flow.hanoi.{name}": value
               for name, value in parameters.items()}}
