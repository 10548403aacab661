#include "determinism/determinism_config.h"

namespace heddle::determinism {

void LogConfig::visit(base::ConfigVisitor& v) {
  v.field("bloom_bits", bloom_bits,
          {.doc = "bits of a wavefront's Bloom filter; ideal: the exact set of chunks ([GPUDet:S17])",
           .choices = {"128", "256", "512", "1024", "ideal"}});
  v.field("capacity", capacity,
          {.unit = "entries",
           .doc = "capacity of a wavefront's log, in device memory; a quantum ends before a store that might "
                  "not fit ([GPUDet:A22], T_SBFULL)",
           .min = 32,
           .max = 65536});
  v.choice("search_cost", search_cost, {"meta_lines", "per_entry"},
           "accesses of a search, newest entry first: one for four entries' addresses, or one for each "
           "([GPUDet:A22])");
  v.choice(
      "cost", cost, {"memory", "none"},
      "memory: logs are written and read through L1; none: without an access, with the same contents, which "
      "shows what logs cost ([GPUDet] §6.3.1)");
}

void DeterminismConfig::visit(base::ConfigVisitor& v) {
  v.field("enabled", enabled,
          {.doc = "GPUDet: results do not depend on timing. false: the GPU has none of its units"});
  v.field(
      "quantum_size", quantum_size,
      {.unit = "instructions", .doc = "most instructions of a wavefront in a quantum", .min = 1, .max = 1e6});
  v.field("bta", bta, {.doc = "barriers may be passed within a quantum (GPUDet-WA, [GPUDet] §4.2.1)"});
  v.choice("bta_rule", bta_rule, {"thesis", "empty_logs", "flag"},
           "which barriers: thesis: all, right only if CTAs communicate through shared memory alone; "
           "empty_logs: if "
           "the CTA has stored nothing in this quantum; flag: those that no global store can reach without "
           "another barrier ([GPUDet:S1])");
  v.field("bta_strict", bta_strict,
          {.doc = "wavefronts that have exited do not count as arrived when barriers are passed within a "
                  "quantum ([GPUDet:A16])"});
  v.field("dwp", dwp,
          {.doc = "CTA slots are refilled within a quantum, each from its own share ([GPUDet] §4.2.2)"});
  v.choice("dwp_repartition", dwp_repartition, {"per_quantum", "static"},
           "the shares: dealt again in each quantum, or fixed for the kernel ([GPUDet:A14])");
  v.choice(
      "slot_order", slot_order, {"interleaved", "core_major"},
      "CTA slots of the GPU are numbered slot by slot over the cores, or core by core ([GPUDet] §4.2.2)");
  v.choice("commit_engine", commit_engine, {"zbuffer", "lock"},
           "what commits the logs: Z-buffer units at the partitions, or the cores with a lock per chunk "
           "([GPUDet] §6.2.2)");
  v.choice("serial_mode", serial_mode, {"core", "wavefront"},
           "atomics wait for each other: core by core (CU-Ser), or wavefront by wavefront (W-Ser) ([GPUDet] "
           "§4.5)");
  v.choice("byte_writes", byte_writes, {"trap", "serial_log"},
           "stores of a part of a 32-bit word: a fault, or the wavefront's log is committed serially "
           "([GPUDet] §4.6)");
  v.field("barrier_cycles", barrier_cycles,
          {.unit = "core cycles", .doc = "length of a global barrier between modes", .max = 1e6});
  v.field("l1_flush_cycles", l1_flush_cycles,
          {.unit = "core cycles",
           .doc = "time to invalidate L1's global lines after a commit ([GPUDet:A11])",
           .max = 1e6});
  v.field("work_dist_cycles", work_dist_cycles,
          {.unit = "core cycles",
           .doc = "time to distribute CTAs, in addition to a cycle for each CTA that a core gets",
           .max = 1e6});
  v.field(
      "wavefront_bits", wavefront_bits,
      {.unit = "bits",
       .doc = "m: width of a wavefront's number in depths ([GPUDet:A25]); 0: as many bits as the GPU needs",
       .max = 20});
  v.field("livelock_quanta", livelock_quanta,
          {.unit = "quanta",
           .doc = "a launch that repeats its states for this many quanta is checked for a livelock "
                  "([GPUDet:G21]); 0: never",
           .max = 1e9});
  v.field(
      "constant_flush", constant_flush,
      {.doc =
           "a commit also empties the constant caches. false: it does not, since the thesis does not mention "
           "them; loads of constants that a kernel changes may then depend on timing ([GPUDet:S9])"});
  v.field("assertions", assertions,
          {.doc = "a violated rule of determinism ([GPUDet:D1] to [GPUDet:D13]) ends the run; false: the "
                  "rules are not checked"});
  v.section("log", log, "store buffers");
  v.section("zbuffer", zbuffer, "Z-buffer units");
  v.section("lock", lock, "lock-based commit");
}

}  // namespace heddle::determinism
