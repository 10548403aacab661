#include "spin/config.h"

#include "base/error.h"

namespace heddle::spin {
namespace {

constexpr double kMostCycles = 1e9;
/// PendingDelay has 14 bits (Tab 6.2).
constexpr double kLongestDelay = 16383;

}  // namespace

void DdosConfig::visit(base::ConfigVisitor& v) {
  v.choice("hash", hash, {"xor", "modulo"},
           "of paths and values: xor folds all slices of a value into one, modulo keeps its low bits");
  v.field("path_bits", path_bits, {.unit = "bits", .doc = "m: width of a path hash", .min = 1, .max = 32});
  v.field("value_bits", value_bits, {.unit = "bits", .doc = "k: width of a value hash", .min = 1, .max = 32});
  v.field("length", length,
          {.unit = "entries",
           .doc = "l: setps that a history holds; it finds loops of up to l - 2 setps",
           .min = 1,
           .max = 64});
  v.field("threshold", threshold,
          {.unit = "executions",
           .doc = "t: executions while spinning before a branch is predicted to be spin-inducing",
           .min = 1,
           .max = 255});
  v.field("table_entries", table_entries,
          {.unit = "branches", .doc = "size of the SIB prediction table", .min = 1, .max = kMostSibEntries});
  v.choice(
      "profile", profile, {"sticky", "first", "skip"},
      "lane that a history follows: sticky: one, until it is inactive, then the first active one from an "
      "empty "
      "history; first: the first active one of each setp; skip: one for good, setps without it are left out");
  v.field(
      "mp_reset", front_after_mismatch,
      {.doc =
           "counter `front` after a mismatch: 0 as in the published artefact, 1 as in the thesis' Fig 6.6b, "
           "which finds the loop again one setp earlier",
       .max = 1});
  v.choice("wide_values", wide_values, {"fold", "low"},
           "64-bit operands: all slices folded, or the low 32 bits only");
  v.choice("taken", taken, {"any", "first"},
           "a branch is taken if any lane takes it, or if the first active one does");
  v.field("time_share_cycles", time_share_cycles,
          {.unit = "core cycles",
           .doc = "all warps share one history, which after this time moves to the next other warp that "
                  "executes a setp; 0: each warp has its own",
           .max = kMostCycles});
  v.choice(
      "port_conflict", port_conflict, {"wait", "drop"},
      "timing contract: a backward branch that finds the table's port taken waits for it, and its scheduler "
      "issues no other one meanwhile (block_busy), or is not looked up");
}

void BowsConfig::visit(base::ConfigVisitor& v) {
  v.field("enabled", enabled,
          {.doc = "spinning warps back off; false: spin-inducing branches are only detected and counted"});
  v.choice("granularity", granularity, {"warp", "split"},
           "what backs off where warps split: warp: all of it, unless another split of it could run; split: "
           "the lanes "
           "that took the branch, while others of the warp go on");
  v.choice("delay", delay, {"adaptive", "fixed"},
           "delay limit: by windows of the core's instructions, or constant");
  v.field("fixed_delay", fixed_delay,
          {.unit = "core cycles", .doc = "the delay limit if delay=fixed", .max = kLongestDelay});
  v.field("window_cycles", window_cycles,
          {.unit = "core cycles", .doc = "T: length of a window", .min = 1, .max = 1e6});
  v.field(
      "sib_fraction", sib_fraction,
      {.doc = "FRAC1: the limit rises by a step if more of the window's instructions were SIBs", .max = 1});
  v.field("work_fraction", work_fraction,
          {.doc = "FRAC2: the limit falls by two steps if instructions per SIB fell below this share of the "
                  "previous window's",
           .max = 1});
  v.field("step_cycles", step_cycles,
          {.unit = "core cycles", .doc = "step by which the limit changes", .max = kLongestDelay});
  v.field("minimum_delay", minimum_delay,
          {.unit = "core cycles", .doc = "smallest limit, and the one at first", .max = kLongestDelay});
  v.field("maximum_delay", maximum_delay,
          {.unit = "core cycles", .doc = "largest limit", .max = kLongestDelay});
  v.field("promote_after", promote_after_cycles,
          {.unit = "core cycles",
           .doc = "a warp that has been ready for this long since it backed off goes first, so that "
                  "undetected spinning warps do not starve it; 0: never",
           .max = kMostCycles});
  v.field("update_cycles", update_cycles,
          {.unit = "core cycles",
           .doc = "timing contract: from the end of a window to the new limit (one multiplier)",
           .max = 1000});
}

void SibTableConfig::visit(base::ConfigVisitor& v) {
  TwinConfig::visit(v);
  v.field(
      "stall_seed", stall_seed,
      {.doc = "seed of random stalls, with timing contract: on average one look-up in 4 waits a cycle; 0: "
              "none does",
       .max = 255,
       .use = base::KeyUse::kTest});
}

void SpinConfig::visit(base::ConfigVisitor& v) {
  v.choice(
      "source", source, {"none", "ddos", "analysis", "annotations"},
      "what tells which branches are spin-inducing. none: no such hardware; ddos: the detector, at run time; "
      "analysis: the compiler (heddle analyze shows its findings); annotations: the kernel's .pragma");
  v.choice("timing", timing, {"ideal", "contract"},
           "ideal: the blocks take no time; contract: they have the ports and latencies of their hardware");
  v.section("ddos", ddos, "DDOS: histories and prediction table");
  v.section("sib_table", sib_table, "block sib_table");
  v.section("bows", bows, "BOWS: back-off queue and delay limit");
}

void SpinConfig::validate() const {
  if (sib_table.impl != sim::Implementation::kModel && source != SibSource::kDdos)
    throw base::InputError("core.spin.sib_table.impl",
                           std::string("is ") + sim::implementation_name(sib_table.impl) +
                               ", but only source ddos has that block",
                           "Set it to model, or core.spin.source to ddos.");
  if (sib_table.stall_seed != 0 && !clocked_table())
    throw base::InputError("test.core.spin.sib_table.stall_seed", "without a clocked SIB table nothing waits",
                           "Set it to 0, or core.spin.timing to contract and core.spin.source to ddos.");
  if (bows.minimum_delay > bows.maximum_delay)
    throw base::InputError("core.spin.bows.minimum_delay",
                           "is larger than maximum_delay, " + std::to_string(bows.maximum_delay),
                           "Choose a minimum that is not.");
  if (timing == Timing::kContract && bows.update_cycles >= bows.window_cycles)
    throw base::InputError(
        "core.spin.bows.update_cycles", "is no shorter than a window",
        "Choose less than core.spin.bows.window_cycles, " + std::to_string(bows.window_cycles) + ".");
}

}  // namespace heddle::spin
