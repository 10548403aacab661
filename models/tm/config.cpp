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
           .doc = "set buffers that the entries of a commit unit share; a set that finds none is sent again. "
                  "0: any number, of any size ([KiloTM:E6])",
           .max = 65536});
  v.choice("buffer_scheme", buffer_scheme, {"all", "accessed", "used", "needed"},
           "which entries hold set buffers: all live ones, those with words at the partition, those whose "
           "set is not empty, "
           "or the last until they are not needed any more ([KiloTM] §4.4.4)");
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
  v.choice(
      "hazard_detection", hazard_detection, {"history", "bf_array"},
      "who has written what a transaction has read: last writer history ([KiloTM] §4.2.5); bf_array: a "
      "yardstick, a "
      "Bloom signature of what each entry of the ring writes, compared with that of what the transaction "
      "has read (Kilo TM only) ([KiloTM] §4.4.3, [KiloTM:A11])");
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
           .doc = "looked up or inserted in a clock; 2: clocked twice as fast ([WarpTM] §6.7.3)",
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
           "two_phase: a table of owners, all lanes at once (2PCR); sequential: lane by lane with a Bloom "
           "filter (SCR) ([WarpTM] §6.3)");
  v.field("table_entries", table_entries,
          {.unit = "entries",
           .doc = "size of the table of owners; an entry is a byte in shared memory ([KiloTM:A19])",
           .min = 32,
           .max = 65536});
  v.field("filter_bits", filter_bits,
          {.doc = "bits of the Bloom filter of sequential resolution; ideal: the exact set",
           .choices = {"128", "256", "512", "1024", "ideal"}});
  v.field("step_cycles", step_cycles,
          {.unit = "core cycles",
           .doc = "time of a step of sequential resolution, in which a word is looked up or inserted "
                  "([WarpTM:G9]). 1: rows are kept as they come from L1, and there is a step in each cycle; "
                  "core.l1d.latency_cycles: each step waits for its word from L1. The thesis does not say "
                  "([KiloTM:A19])",
           .min = 1,
           .max = 1000});
}

void TemporalConfig::visit(base::ConfigVisitor& v) {
  v.choice(
      "mode", mode, {"off", "published", "strict"},
      "transactions that only read commit in the core if nothing that they have read was written since their "
      "first load: "
      "off; published: as the thesis has it; strict: and no part of a transaction is missing ([WarpTM:A18], "
      "[KiloTM:E4], [WarpTM] §6.4)");
  v.field("arrays", arrays, {.doc = "sub-arrays of the table of last-written times", .min = 1, .max = 16});
  v.field("buckets", buckets,
          {.unit = "buckets",
           .doc = "size of a sub-array, a power of two; a bucket has 64 bits",
           .min = 1,
           .max = 65536});
}

void IdealConfig::visit(base::ConfigVisitor& v) {
  v.choice("conflicts", conflicts, {"words", "signatures", "ring", "ring_words"},
           "how ideal transactional memory finds conflicts: words: exactly; signatures: as a hardware "
           "transactional memory that looks up what a commit writes in a Bloom signature of what each thread "
           "has read; ring: as RingSTM, which intersects that with a signature of what the commit writes; "
           "ring_words: the same, but threads look up the words that they have read in it, and have no "
           "signature ([KiloTM] §4.2.2: 1.9 MB "
           "are a signature of 512 bits for each of 30,720 threads)");
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
           "how the words of a commit come to L2. free: in no time, without a packet ([KiloTM] §4.1: in one "
           "cycle); "
           "stores: by "
           "packets, as the stores of the kernel would, a row and line each; the transaction is over when "
           "they have "
           "left the core");
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
          {.doc = "kernels may have transactions (Kilo TM). false: the GPU has none of its units"});
  v.choice("protocol", protocol, {"kilo", "warp", "ideal"},
           "kilo: Kilo TM, each transaction by itself ([KiloTM]); warp: WarpTM, those of a warp together "
           "([WarpTM] §6.2); "
           "ideal: a yardstick without logs and "
           "commit units ([KiloTM] §4.1)");
  v.field("concurrent_warps", concurrent_warps,
          {.unit = "warps",
           .doc = "warps of a core that may be in transactions at a time; 0: without limit ([KiloTM] §4.2.6)",
           .max = 1024});
  v.field("backoff_cycles", backoff_cycles,
          {.unit = "core cycles",
           .doc = "wait before threads try again, multiplied by the number of attempts that have failed in a "
                  "row (at most 16). The thesis has no such wait",
           .max = 1e6});
  v.field(
      "validate_cycles", validate_cycles,
      {.unit = "core cycles",
       .doc =
           "interval at which a running attempt is validated, so that threads do not loop for ever because "
           "they have read values that were never in memory together. 0: never ([KiloTM:E11], [KiloTM:A19])",
       .max = 1e12});
  v.field("hang_cycles", hang_cycles,
          {.unit = "core cycles",
           .doc = "time that a warp may be in a transaction, all attempts together, before that is a hang. "
                  "0: without limit",
           .max = 1e15});
  v.field("fence_waits", fence_waits,
          {.doc = "a fence waits until all transactions up to the thread's last one have retired in all "
                  "commit units, so "
                  "that what it has made private is ([KiloTM:E8])"});
  v.field(
      "checks", checks,
      {.doc = "the claims of [KiloTM] §5.3 are checked as the commit units run", .use = base::KeyUse::kTest});
  v.section("log", log, "logs of the warps");
  v.section("intra_warp", intra_warp, "conflicts within a warp (WarpTM)");
  v.section("temporal", temporal, "temporal conflict detection");
  v.section("commit_unit", commit_unit, "commit units");
  v.section("ideal", ideal, "yardsticks (tm.protocol=ideal)");
}

}  // namespace heddle::tm
