"""Benchmarks, machines and configurations of the study of transactions, and what a run tells."""

# Where the machines of the thesis ([KiloTM] Tab 4.4, [WarpTM] Tab 6.1) differ from the platforms; quadro_fx5800 is that of chapter 4. The
# evaluation assumes a ring without limit ([KiloTM] §4.4.4).
GTX480 = {"clocks.interconnect_mhz": 1400, "core.l1d.size_kib": 48, "core.l1d.ways": 6, "core.shared_memory.size_kib": 16,
          "memory.crossbar.flit_bytes": 32}
FX5800, FX5800_PLATFORM = {}, "quadro_fx5800"
TM = {"tm.enabled": True, "tm.commit_unit.ring_entries": 0}

# Name, transactions, fine-grained locks, one lock, parameters common to the first two, those of the third: a turn under one
# lock takes as long whatever the input is, so that few are enough. Shapes are those of [KiloTM] Tab 4.2 and Tab 4.3 with a quarter of
# the transactions (CL an eighth, BH-L a twentieth), and what is shared cut likewise, so that as many threads meet on a datum.
BENCHMARKS = [
    ("HT-H", "hashtable-tx", "hashtable", "hashtable-coarse", "keys=5760 buckets=2048 ctas=30 threads=192", "keys=480 buckets=2048 ctas=15 threads=64"),
    ("HT-M", "hashtable-tx", "hashtable", "hashtable-coarse", "keys=5760 buckets=16384 ctas=30 threads=192", "keys=480 buckets=16384 ctas=15 threads=64"),
    ("HT-L", "hashtable-tx", "hashtable", "hashtable-coarse", "keys=5760 buckets=262144 ctas=30 threads=192", "keys=480 buckets=262144 ctas=15 threads=64"),
    ("ATM", "atm-tx", "atm", "atm-coarse", "transfers=7680 accounts=250000 ctas=30 threads=192", "transfers=480 accounts=250000 ctas=15 threads=64"),
    ("CL", "cloth-tx", "cloth-pull", "cloth-coarse", "width=44 height=43 sweeps=1 ctas=15 threads=192", "width=12 height=11 sweeps=1 ctas=15 threads=64"),
    ("CLto", "cloth-tx-preloaded", "cloth-pull", "cloth-coarse", "width=44 height=43 sweeps=1 ctas=15 threads=192", "width=12 height=11 sweeps=1 ctas=15 threads=64"),
    ("BH-H", "bh-build-tx", "bh-build", "bh-build-coarse", "bodies=7500 ctas=15 threads=288", "bodies=500 ctas=15 threads=64"),
    ("BH-L", "bh-build-tx", "bh-build", "bh-build-coarse", "bodies=15000 ctas=15 threads=288", "bodies=500 ctas=15 threads=64"),
    ("CC", "cudacuts-tx", "cudacuts", "cudacuts-coarse", "width=100 height=75 rounds=6 threads=256", "width=24 height=20 rounds=3 threads=64"),
    ("AP", "apriori-tx", "apriori", "apriori-coarse", "records=1000 items=300 buckets=4096 ctas=28 threads=64", "records=100 items=300 buckets=4096 ctas=15 threads=64"),
]
READ_ONLY = ["CL", "CLto", "BH-H", "BH-L"]  # have read-only transactions
CHAPTER_4 = ["HT-H", "HT-M", "ATM", "CL", "BH-H", "CC", "AP"]  # HT-L of chapter 4 is HT-M ([KiloTM:A16])

# Of the thesis' accounting of energy ([WarpTM] §6.6.1): leakage and the constant clock of a GTX 480, and what the structures of each protocol
# take, which are charged as accessed in every cycle. Watts.
CORE_MHZ, LEAKAGE_AND_CLOCK = 1400, 59 + 9.8
STRUCTURES = {"KiloTM": 0.9, "KiloTM + TCD": 1.6, "WarpTM": 2.5, "WarpTM + TCD": 3.2}

LIMITS = [1, 2, 4, 8, 0]
HISTORY = [("perfect", {"tm.commit_unit.perfect_history": True}), ("5 kB", {}),
           ("0.5 kB", {"tm.commit_unit.history_entries": 64, "tm.commit_unit.filter_arrays": 4, "tm.commit_unit.filter_buckets": 16})]
KILO, WARP, IDEAL = {}, {"tm.protocol": "warp"}, {"tm.protocol": "ideal"}
IDEAL_STORES = {**IDEAL, "tm.ideal.writes": "stores"}
# One thing changed at a time, at limit 2: of KiloTM, and of WarpTM (steps of Fig 6.13, resolution within a warp).
FACTORS = [("KiloTM", "commit units at 2800 MHz", {"tm.commit_unit.clock_mhz": 2800}), ("KiloTM", "8 words a clock looked up", {"tm.commit_unit.hazard_words": 8}),
           ("KiloTM", "set buffers without limit", {"tm.commit_unit.set_buffers": 0}), ("KiloTM", "L2 latency 30", {"memory.l2.latency_cycles": 30}),
           ("KiloTM", "L1 of 192 KB", {"core.l1d.unified_kib": 0, "core.l1d.size_kib": 192, "core.l1d.ways": 24}),
           ("WarpTM", "nothing coalesced", {"tm.commit_unit.port_words": 1, "tm.commit_unit.coalesced_bytes": 32}),
           ("WarpTM", "2 words a clock looked up", {"tm.commit_unit.hazard_words": 2}), ("WarpTM", "SCR", {"tm.intra_warp.resolution": "sequential"})]
SCR_STEPS = (1, 4, 8, 16)  # core cycles


def sequential(step):
    return {"tm.intra_warp.resolution": "sequential", "tm.intra_warp.step_cycles": step}


TIMES = {"tm.temporal.mode": "published"}
PROTOCOLS = [("KiloTM", KILO), ("KiloTM + TCD", {**KILO, **TIMES}), ("WarpTM", WARP), ("WarpTM + TCD", {**WARP, **TIMES})]
# Published (Table 6.4): best limit and aborts of 1000 commits; None: not given, as without TCD.
PUBLISHED_64 = {
    "HT-H": ([2, None, 2, None], [50, None, 107, None]), "HT-M": ([2, None, 8, None], [7, None, 84, None]),
    "HT-L": ([4, None, 8, None], [2, None, 63, None]), "ATM": ([1, None, 4, None], [1, None, 27, None]),
    "CL": ([2, 2, 2, 2], [84, 55, 149, 97]), "CLto": ([2, 2, 2, 4], [85, 49, 102, 99]),
    "BH-H": ([2, 2, 4, 4], [23, 23, 53, 56]), "BH-L": ([8, 4, 8, 8], [7, 5, 17, 20]),
    "CC": ([0, None, 0, None], [6, None, 6, None]), "AP": ([1, None, 1, None], [264, None, 318, None])}
# Published (Table 4.1): IPC, of 240.
PUBLISHED_41 = {"HT-H": (6.6, 8.1), "HT-M": (5.9, 6.5), "ATM": (4.2, 4.2), "CL": (9.4, 8.8), "BH-H": (10.5, 9.5),
                "CC": (33.4, 51.0), "AP": (0.5, 0.5)}


# Compared with Kilo TM ([KiloTM] §4.1, §4.2.2, §4.4.3), and single changes.
BF_ARRAY = {"tm.commit_unit.hazard_detection": "bf_array"}
SIGNATURES = {"signatures": "words in a signature (HTM)", "ring_words": "words in a signature of what is written (RingSTM)",
              "ring": "signature with signature"}
SIGNATURE_BITS = (256, 512, 1024, 2048)
PUBLISHED_SIGNATURES = ["CL", "BH-H", "AP"]
UNBUFFERED = {"tm.commit_unit.set_buffers": 0}
FLITS_64 = {"memory.crossbar.flit_bytes": 64}
# Of HT-H under one lock: parameters, threads that want it, turns.
COARSE_CROWDS = [("keys=480 buckets=2048 ctas=15 threads=64", (480, 480)), ("keys=1920 buckets=2048 ctas=15 threads=64", (960, 1920)),
                 ("keys=1920 buckets=2048 ctas=30 threads=192", (1920, 1920))]


def unit(run, *path):
    return run.counter("core", "transactions", *path)


def limit_name(limit):
    return "NL" if limit == 0 else str(limit)
