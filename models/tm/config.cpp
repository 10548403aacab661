#include "tm/config.h"

namespace heddle::tm {

void CommitUnitConfig::visit(base::ConfigVisitor& v) {
  v.field("clock_mhz", clock_mhz, {.unit = "MHz", .doc = "clock of the commit units", .min = 1, .max = 1e5});
  v.field("ring_entries", ring_entries,
          {.unit = "entries",
           .doc = "size of a commit unit's ring; the cores share as many credits. 0: without limit, as the "
                  "evaluation assumes ([KiloTM] §4.4.4)",
           .max = 16384});
  v.field("cid_bits", cid_bits,
          {.unit = "bits",
           .doc = "width of a commit id in tables; not used with an unlimited ring ([KiloTM:E2])",
           .min = 4,
           .max = 63});
  v.field("set_words", set_words,
          {.unit = "words", .doc = "size of a set buffer ([KiloTM] §4.4.4)", .min = 1, .max = 1024});
  v.field("set_buffers", set_buffers,
          {.unit = "buffers",
           .doc = "set buffers that the entries of a commit unit share. A set that finds none is sent again. "
                  "0: any number, of any size ([KiloTM:E6])",
           .max = 65536});
  v.choice("buffer_scheme", buffer_scheme, {"all", "accessed", "used", "needed"},
           "which entries hold set buffers ([KiloTM] §4.4.4). all: every live entry; accessed: entries with "
           "words at the partition; used: each set that is not empty; needed: as used, but read sets are "
           "given back when the transaction is valid, and both sets when it fails");
  v.field("history_entries", history.table_entries,
          {.unit = "entries",
           .doc = "size of the exact table of last writers ([KiloTM:E13])",
           .min = 2,
           .max = 65536});
  v.field("history_ways", history.table_ways,
          {.doc = "associativity of the exact table of last writers", .min = 1, .max = 64});
  v.field("filter_arrays", history.arrays,
          {.doc = "sub-arrays of the recency Bloom filter, each with its own hash function ([KiloTM:A19])",
           .min = 1,
           .max = 16});
  v.field("filter_buckets", history.buckets,
          {.unit = "buckets",
           .doc = "size of a sub-array of the recency Bloom filter, a power of two",
           .min = 1,
           .max = 65536});
  v.field("perfect_history", history.perfect,
          {.doc = "yardstick: a table of last writers without limit, so that hazard detection is perfect"});
  v.choice("hazard_detection", hazard_detection, {"history", "bf_array"},
           "how a commit unit finds earlier writers of the words that a transaction has read. history: the "
           "last writer history ([KiloTM] §4.2.5); bf_array: a yardstick for Kilo TM. Each ring entry has a "
           "Bloom signature of its write set, which is compared with a signature of the transaction's read "
           "set ([KiloTM] §4.4.3, [KiloTM:A11])");
  v.field("signature_bits", signature_bits,
          {.unit = "bits",
           .doc = "bf_array: size of a signature, a power of two ([KiloTM] §4.4.3: 512)",
           .min = 16,
           .max = 16384});
  v.field("signature_arrays", signature_arrays,
          {.doc = "bf_array: sub-arrays of a signature, each with its own hash function; a power of two "
                  "([KiloTM] §4.4.3: 4)",
           .min = 1,
           .max = 16});
  v.field("signatures_checked", signatures_checked,
          {.unit = "entries",
           .doc = "bf_array: ring entries whose signatures are compared in a clock; 0: all. The thesis does "
                  "not say ([KiloTM:A11])",
           .max = 16384});
  v.field("hash_seed", hash_seed, {.doc = "seed of the H3 matrices ([KiloTM:A19])", .max = 1e9});
  v.field("hazard_words", hazard_words,
          {.unit = "words",
           .doc = "words that hazard detection looks up or inserts in a clock; 2: it is clocked twice as "
                  "fast ([WarpTM] §6.7.3)",
           .min = 1,
           .max = 8});
  v.field("port_words", port_words,
          {.unit = "words",
           .doc = "words of a log's row that the set buffers take or give in a clock (WarpTM; Kilo TM: 1) "
                  "([WarpTM] §6.2.2)",
           .min = 1,
           .max = 32});
  v.field("coalesced_bytes", coalesced_bytes,
          {.unit = "bytes",
           .doc = "size of an L2 access that serves words of several lanes (WarpTM; Kilo TM: 32): 32, 64 or "
                  "128 ([WarpTM:A13])",
           .min = 32,
           .max = 128});
  v.field("l2_queue", l2_queue,
          {.unit = "requests", .doc = "speculative reads that wait for L2", .min = 1, .max = 64});
  v.field("vendor_cycles", vendor_cycles,
          {.unit = "unit cycles",
           .doc = "latency of the vendor of commit ids, which is at partition 0 ([KiloTM:A19])",
           .min = 1,
           .max = 10000});
}

void IntraWarpConfig::visit(base::ConfigVisitor& v) {
  v.choice("resolution", resolution, {"two_phase", "sequential"},
           "how conflicts between lanes of a warp are resolved ([WarpTM] §6.3). two_phase: a table of owners "
           "checks all lanes at once (2PCR); sequential: a Bloom filter checks lane by lane (SCR)");
  v.field("table_entries", table_entries,
          {.unit = "entries",
           .doc = "size of the table of owners; an entry is a byte in shared memory ([KiloTM:A19])",
           .min = 32,
           .max = 65536});
  v.field("filter_bits", filter_bits,
          {.doc = "bits of the Bloom filter of sequential resolution; ideal: the exact set",
           .choices = {"128", "256", "512", "1024", "ideal"}});
  v.field(
      "step_cycles", step_cycles,
      {.unit = "core cycles",
       .doc = "time of a step of sequential resolution. A step looks up or inserts one word ([WarpTM:G9]). "
              "With 1 the unit keeps rows that came from L1. With the value of core.l1d.latency_cycles each "
              "step waits for its word from L1. The thesis gives no value ([KiloTM:A19])",
       .min = 1,
       .max = 1000});
}

void TemporalConfig::visit(base::ConfigVisitor& v) {
  v.choice(
      "mode", mode, {"off", "published", "strict"},
      "whether read-only transactions may commit in the core ([WarpTM] §6.4). They may if no word that they "
      "read has been written since their first load. off: never; published: as in the thesis, where they may "
      "read a part of another transaction's writes ([WarpTM:A18]); strict: in addition the writers of these "
      "words, and the thread's last transaction, must have retired everywhere when it began ([KiloTM:E4])");
  v.field("arrays", arrays, {.doc = "sub-arrays of the table of last-written times", .min = 1, .max = 16});
  v.field("buckets", buckets,
          {.unit = "buckets",
           .doc = "size of a sub-array, a power of two; a bucket has 64 bits",
           .min = 1,
           .max = 65536});
}

void IdealConfig::visit(base::ConfigVisitor& v) {
  v.choice("conflicts", conflicts, {"words", "signatures", "ring", "ring_words"},
           "how ideal transactional memory finds conflicts ([KiloTM] §4.2.2). words: exactly, word by word; "
           "signatures: each thread has a Bloom signature of its read set, and a commit looks up its writes "
           "in it; ring: a commit has a Bloom signature of its write set, which is intersected with the "
           "thread's (RingSTM); ring_words: threads look up the words that they have read in the commit's "
           "signature, and need no signature");
  v.field("signature_bits", signature_bits,
          {.unit = "bits",
           .doc = "size of a signature, a power of two ([KiloTM] §4.1.1: 1024 a thread)",
           .min = 16,
           .max = 16384});
  v.field("signature_arrays", signature_arrays,
          {.doc = "sub-arrays of a signature, each with its own hash function; a power of two",
           .min = 1,
           .max = 16});
  v.choice("writes", writes, {"free", "stores"},
           "how the words of a commit reach L2. free: in no time and without packets ([KiloTM] §4.1: in one "
           "cycle); stores: as stores of the kernel, a packet for each line of a row. The transaction ends "
           "when the last packet has left the core");
}

void TmLogConfig::visit(base::ConfigVisitor& v) {
  v.field("read_rows", read_rows,
          {.unit = "rows",
           .doc = "size of a warp's read log, in device memory: a row for each 32-bit word of each load",
           .min = 1,
           .max = 65536});
  v.field("write_rows", write_rows,
          {.unit = "rows", .doc = "size of a warp's write log", .min = 1, .max = 65536});
  v.field("filter_bits", filter_bits,
          {.doc = "bits of a thread's Bloom filter of its write set; ideal: the exact set, as evaluated "
                  "([KiloTM:A19])",
           .choices = {"128", "256", "512", "1024", "ideal"}});
}

void TmConfig::visit(base::ConfigVisitor& v) {
  v.field("enabled", enabled,
          {.doc = "kernels may use transactions (Kilo TM). false: the GPU has no units of Kilo TM"});
  v.choice(
      "protocol", protocol, {"kilo", "warp", "ideal"},
      "how transactions commit. kilo: each one by itself (Kilo TM, [KiloTM]); warp: those of a warp together "
      "(WarpTM, [WarpTM] §6.2); ideal: a yardstick without logs and commit units ([KiloTM] §4.1)");
  v.field("concurrent_warps", concurrent_warps,
          {.unit = "warps",
           .doc = "warps of a core that may be in transactions at a time; 0: without limit ([KiloTM] §4.2.6)",
           .max = 1024});
  v.field("backoff_cycles", backoff_cycles,
          {.unit = "core cycles",
           .doc = "wait before a thread tries again, times the number of attempts that have failed in a row "
                  "(at most 16). The thesis has no such wait",
           .max = 1e6});
  v.field(
      "validate_cycles", validate_cycles,
      {.unit = "core cycles",
       .doc = "interval at which a running attempt is validated. A thread that has read values of different "
              "times may loop for ever; validation ends its attempt. 0: never ([KiloTM:E11], [KiloTM:A19])",
       .max = 1e12});
  v.field("hang_cycles", hang_cycles,
          {.unit = "core cycles",
           .doc = "longest time that a warp may be in a transaction, over all attempts. Beyond it the run "
                  "ends as a hang. 0: without limit",
           .max = 1e15});
  v.field("fence_waits", fence_waits,
          {.doc = "a fence waits until the thread's last transaction and all earlier ones have retired in "
                  "every commit unit. Then no transaction can still write data that the thread has made "
                  "private ([KiloTM:E8])"});
  v.field("checks", checks,
          {.doc = "the claims of [KiloTM] §5.3 are checked while the commit units run",
           .use = base::KeyUse::kTest});
  v.section("log", log, "logs of the warps");
  v.section("intra_warp", intra_warp, "conflicts within a warp (WarpTM)");
  v.section("temporal", temporal, "temporal conflict detection");
  v.section("commit_unit", commit_unit, "commit units");
  v.section("ideal", ideal, "yardsticks (tm.protocol=ideal)");
}

}  // namespace heddle::tm
