#include "determinism/determinism_config.h"

namespace heddle::determinism {

void LogConfig::visit(base::ConfigVisitor& v) {
  v.field("bloom_bits", bloom_bits,
          {.doc = "bits of a wavefront's Bloom filter; ideal: the exact set of chunks ([GPUDet:S17])",
           .choices = {"128", "256", "512", "1024", "ideal"}});
  v.field("capacity", capacity,
          {.unit = "entries",
           .doc = "capacity of a wavefront's log, in device memory. A quantum ends before a store that might "
                  "not fit (T_SBFULL, [GPUDet:A22])",
           .min = 32,
           .max = 65536});
  v.choice("search_cost", search_cost, {"meta_lines", "per_entry"},
           "how many accesses a search makes, newest entry first ([GPUDet:A22]). meta_lines: one for the "
           "addresses of four entries; per_entry: one for each entry");
  v.choice("cost", cost, {"memory", "none"},
           "whether logs cost accesses. memory: they are written and read through L1; none: they have the "
           "same contents, but no access is made. The difference is the cost of logs ([GPUDet] §6.3.1)");
}

void DeterminismConfig::visit(base::ConfigVisitor& v) {
  v.field("enabled", enabled,
          {.doc = "results do not depend on timing (GPUDet). false: the GPU has no units of GPUDet"});
  v.field(
      "quantum_size", quantum_size,
      {.unit = "instructions", .doc = "most instructions of a wavefront in a quantum", .min = 1, .max = 1e6});
  v.field("bta", bta, {.doc = "barriers may be passed within a quantum (GPUDet-WA, [GPUDet] §4.2.1)"});
  v.choice(
      "bta_rule", bta_rule, {"thesis", "empty_logs", "flag"},
      "which barriers may be passed within a quantum ([GPUDet:S1]). thesis: all; this is right only if the "
      "threads of a CTA communicate through shared memory alone; empty_logs: those at which the CTA has "
      "stored nothing in this quantum; flag: those that no global store reaches without another barrier");
  v.field("bta_strict", bta_strict,
          {.doc = "for barriers within a quantum, wavefronts that have exited do not count as arrived "
                  "([GPUDet:A16])"});
  v.field(
      "dwp", dwp,
      {.doc = "a CTA slot is refilled within a quantum, from its own share of the CTAs ([GPUDet] §4.2.2)"});
  v.choice("dwp_repartition", dwp_repartition, {"per_quantum", "static"},
           "when CTAs are shared out among slots ([GPUDet:A14]). per_quantum: again in each quantum; static: "
           "once for the kernel");
  v.choice("slot_order", slot_order, {"interleaved", "core_major"},
           "how the CTA slots of the GPU are numbered ([GPUDet] §4.2.2). interleaved: the first slot of each "
           "core, then the second; core_major: all slots of a core, then those of the next");
  v.choice("commit_engine", commit_engine, {"zbuffer", "lock"},
           "what commits the logs ([GPUDet] §6.2.2). zbuffer: Z-buffer units at the partitions; lock: the "
           "cores, with a lock for each chunk");
  v.choice("serial_mode", serial_mode, {"core", "wavefront"},
           "in which order atomics run ([GPUDet] §4.5). core: core by core (CU-Ser); wavefront: wavefront by "
           "wavefront (W-Ser)");
  v.choice("byte_writes", byte_writes, {"trap", "serial_log"},
           "what a store of a part of a 32-bit word does ([GPUDet] §4.6). trap: it is a fault; serial_log: "
           "the wavefront's log is committed serially");
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
           .doc = "a launch whose states repeat for this many quanta is checked for a livelock "
                  "([GPUDet:G21]). 0: never",
           .max = 1e9});
  v.field(
      "constant_flush", constant_flush,
      {.doc = "a commit also empties the constant caches, which the thesis does not mention. false: it does "
              "not. Then loads of constants that a kernel changes may depend on timing ([GPUDet:S9])"});
  v.field("assertions", assertions,
          {.doc = "the run ends when it breaks a rule of determinism ([GPUDet:D1] to [GPUDet:D13]). false: "
                  "the rules are not checked"});
  v.section("log", log, "store buffers");
  v.section("zbuffer", zbuffer, "Z-buffer units");
  v.section("lock", lock, "lock-based commit");
}

}  // namespace heddle::determinism
