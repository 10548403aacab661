#include "core/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "base/error.h"
#include "core/config_checks.h"
#include "sim/memory_payload.h"

namespace heddle::core {

void OccupancyConfig::visit(base::ConfigVisitor& v) {
  v.field("max_warps", max_warps,
          {.doc = "warp slots ([AWARE] Tab 5.3: 1536 threads)", .min = 1, .max = kMostWarps});
  v.field("max_ctas", max_ctas, {.doc = "CTA slots", .min = 1, .max = 256});
  v.field("registers", registers,
          {.unit = "32-bit registers", .doc = "register file size", .min = 1024, .max = 1 << 20});
  v.field("register_unit", register_unit,
          {.unit = "32-bit registers",
           .doc = "a warp's registers are allocated in multiples of this",
           .min = 1,
           .max = 4096});
}

void ScoreboardConfig::visit(base::ConfigVisitor& v) {
  v.choice("kind", kind, {"per_warp", "per_thread_mask", "control_codes"},
           "how dependences are tracked. per_warp: a register with a pending write blocks all threads of its "
           "warp; per_thread_mask: only the threads that it is pending for ([MultiPath] §7.2.2, for "
           "mechanism multi_path); control_codes: registers are not tracked, and the stall counts and six "
           "dependence counters in the compiler's code say when to issue (machine code from Volta on)");
  v.field("entries_per_warp", entries_per_warp,
          {.unit = "registers",
           .doc = "registers with a pending write per warp ([MultiPath] §7.5.6); control_codes has no such "
                  "limit and ignores it",
           .min = 4,
           .max = 256});
  const auto ports = [&v](const char* key, std::uint32_t& value, const std::string& doc) {
    constexpr std::uint32_t kMost = 16;
    std::vector<std::string> choices{"auto"};
    for (std::uint32_t n = 0; n <= kMost; ++n) choices.push_back(std::to_string(n));
    std::string text = value == kAutoPorts ? choices.front() : std::to_string(value);
    v.field(
        key, text,
        {.unit = "registers/cycle",
         .doc =
             doc +
             "; 0: any number; auto: as published ([MultiPath] §7.5.6) with per_thread_mask and with timing "
             "contract, which has them per scheduler, 0 with per_warp",
         .choices = choices});
    value = text == choices.front() ? kAutoPorts : static_cast<std::uint32_t>(std::stoul(text));
  };
  ports("read_ports", read_ports,
        "registers that instructions look up when they issue, per cycle and core ([MultiPath] §7.5.6: 6)");
  ports("write_ports", write_ports,
        "registers that become pending or are written back, per cycle and core ([MultiPath] §7.5.6: 3)");
  const auto cycles = [&v](const char* key, std::uint8_t& value, const std::string& doc, double min = 1) {
    std::uint32_t number = value;
    v.field(key, number, {.unit = "core cycles", .doc = "control_codes: " + doc, .min = min, .max = 255});
    value = static_cast<std::uint8_t>(number);
  };
  cycles("operand_read_cycles", operand_read_cycles,
         "from operands collected to the read barrier's release ([MGC]: 9 for LDS, 9 to 11 for LDG)");
  v.field("check_hazards", check_hazards,
          {.doc = "control_codes: report each instruction that the codes would let issue too early; it then "
                  "waits for its values"});
  cycles("barrier_move_cycles", barrier_move_cycles,
         "from the issue of a BMOV, which saves a barrier register or restores it, to the release of its "
         "counters; 0: it has none",
         0);
  sim::visit_implementation(v, impl);
  sim::visit_timing(
      v, timing,
      "ideal: heads of I-buffers are compared with pending registers at once; contract: a block for each "
      "scheduler, as in RTL, looks one head up in a cycle and keeps its dependence bits, which a write-back "
      "clears in the cycle after; read_ports and write_ports are those of a scheduler's block, and slots "
      "in which a head has not been looked up are charged to block_busy");
  const auto byte = [&v](const char* key, std::uint8_t& value, base::FieldInfo info) {
    std::uint32_t number = value;
    v.field(key, number, info);
    value = static_cast<std::uint8_t>(number);
  };
  byte("release_queue", release_queue,
       {.unit = "write-backs",
        .doc =
            "timing contract: of a scheduler's pipes, and as many of its load/store unit, that may wait "
            "for the block to release their registers; while there are that many or more, it issues nothing. "
            "What is in flight still comes, so more may wait",
        .min = 1,
        .max = 255});
  byte("stall_seed", stall_seed,
       {.doc = "seed of random stalls, with timing contract: on average one look-up in 4 and one write-back "
               "in 4 waits a cycle; 0: none does",
        .max = 255,
        .use = base::KeyUse::kTest});
}

void ScoreboardConfig::validate() const {
  if (stall_seed != 0 && !clocked())
    throw base::InputError("test.core.scoreboard.stall_seed", "with timing ideal nothing waits",
                           "set it to 0, or core.scoreboard.timing to contract");
  if (clocked()) {
    if (control_codes())
      throw base::InputError("core.scoreboard.timing",
                             "control codes track no registers: there is no block to clock",
                             "Set core.scoreboard.timing=ideal, or another core.scoreboard.kind.");
    const auto refuse_none = [](const char* key, std::uint32_t ports) {
      if (ports == 0)
        throw base::InputError(
            fmt::format("core.scoreboard.{}", key), "a clocked scoreboard has a number of ports",
            fmt::format("Set core.scoreboard.{}=auto, or core.scoreboard.timing=ideal.", key));
    };
    refuse_none("read_ports", resolved_read_ports());
    refuse_none("write_ports", resolved_write_ports());
  }
  if (!control_codes()) {
    if (check_hazards)
      throw base::InputError("core.scoreboard.check_hazards",
                             "a scoreboard of registers lets no hazard through: there is nothing to check",
                             "Set core.scoreboard.kind=control_codes, or leave it out.");
    const ScoreboardConfig untouched;
    const auto refuse = [](const char* key, unsigned value, unsigned other) {
      if (value == other) return;
      throw base::InputError(
          fmt::format("core.scoreboard.{}", key),
          "a scoreboard of registers does not use it: it is of control codes",
          fmt::format("Set core.scoreboard.kind=control_codes, or leave it at {}.", other));
    };
    refuse("operand_read_cycles", operand_read_cycles, untouched.operand_read_cycles);
    return;
  }
  if (impl != sim::Implementation::kModel)
    throw base::InputError("core.scoreboard.impl", "the dependence counters of control codes have no RTL",
                           "Set core.scoreboard.impl=model, or another core.scoreboard.kind.");
  const auto refuse_ports = [](const char* key, std::uint32_t ports) {
    if (ports != 0)
      throw base::InputError(
          fmt::format("core.scoreboard.{}", key),
          "control codes have no array of registers whose ports could be limited",
          fmt::format("Set core.scoreboard.{}=auto, or another core.scoreboard.kind.", key));
  };
  refuse_ports("read_ports", resolved_read_ports());
  refuse_ports("write_ports", resolved_write_ports());
}

void RegisterFileConfig::visit(base::ConfigVisitor& v) {
  v.field("banks", banks,
          {.doc = "per sub-core; register r of warp w is in bank (r + w) mod banks; 0: no conflicts",
           .min = 0,
           .max = 64});
  v.field(
      "ports_per_bank", ports_per_bank,
      {.unit = "rows/cycle", .doc = "reads and writes of 32 lanes x 32 bits together", .min = 1, .max = 4});
  const auto collectors = [&v](const char* key, std::uint32_t& value, const char* of) {
    v.field(
        key, value,
        {.unit = "instructions",
         .doc = std::string("collector units in front of ") + of +
                ": instructions that issue before their pipe is free; 0: none, they issue straight into it",
         .min = 0,
         .max = 64});
  };
  collectors("collectors_sp", collectors_sp, "the arithmetic pipes (SP, INT and DP each)");
  collectors("collectors_sfu", collectors_sfu, "the special-function pipes");
  collectors("collectors_memory", collectors_memory, "the load/store unit, and of the exchange unit");
  v.field("writeback_ports", writeback_ports,
          {.unit = "results/cycle",
           .doc = "results written per cycle and sub-core, pipes and loads together; 0: any number",
           .min = 0,
           .max = 16});
  v.field("write_ports_per_bank", write_ports_per_bank,
          {.unit = "rows/cycle",
           .doc = "ports for results alone; 0: results take those of ports_per_bank",
           .max = 4});
  v.field(
      "reuse_cache", reuse_cache,
      {.doc = "machine code: a bank has one port for reads, and an operand that the code marks .reuse is "
              "kept for the "
              "next instruction if that is of the same warp ([MGC]). PTX has no marks: there ports_per_bank "
              "stand for it"});
  v.choice(
      "formations", formations, {"row_per_lane", "per_home_warp"},
      "lanes of several home warps (tbc, dwf): row_per_lane: each lane's bank has a row address of its own, "
      "they are "
      "read and written at once ([TBC] §3.3.2); per_home_warp: one after the other, a row at a time");
}

void LsuConfig::visit(base::ConfigVisitor& v) {
  v.field("queue_entries", queue_entries,
          {.unit = "warp instructions",
           .doc = "memory instructions that are accepted and have not made all their accesses",
           .min = 1,
           .max = 256});
  v.field("replay_issue", replay_issue,
          {.doc = "every pass of an instruction after its first (another line, bank pass or constant "
                  "address) issues "
                  "again and takes an issue slot of its warp's scheduler (up to Fermi)"});
  v.field(
      "local_queue_entries", local_queue_entries,
      {.unit = "warp instructions",
       .doc = "memory instructions that a sub-core's own queue holds, in front of its address unit ([MGC]: 4 "
              "and a "
              "latch); 0: there is none, instructions enter the shared queue (queue_entries) when they issue",
       .max = 64});
  v.field("address_cycles", address_cycles,
          {.unit = "core cycles",
           .doc = "a sub-core's address unit takes an instruction from its queue this often ([MGC]: 4)",
           .min = 1,
           .max = 64});
  v.field(
      "pass_cycles", pass_cycles,
      {.unit = "core cycles",
       .doc =
           "from a pass of an instruction through L1 or shared memory to its next one; passes that vectors "
           "of consecutive words take follow each other at once",
       .min = 1,
       .max = 16});
  v.field(
      "passes_overlap", passes_overlap,
      {.doc = "true: only the sub-core's address unit is taken for pass_cycles a pass, in loads and stores "
              "of shared memory, which makes a pass a cycle (needs local_queue_entries)"});
  v.field(
      "tags_per_pass", tags_per_pass,
      {.unit = "lines",
       .doc =
           "loads and stores of global and local memory take as many passes through L1 as the most used "
           "bank of its data array has words (a bank for each word of a line), and at least one for so many "
           "lines; 0: one for each line",
       .max = 32});
  v.field("atomic_return_cycles", atomic_return_cycles,
          {.unit = "core cycles",
           .doc = "between the old values of lanes whose atomics are on one word, as they come back to the "
                  "core one after the "
                  "other, those of all warps through one port; 0: those of a warp come together",
           .max = 16});
  v.field("reduction_lane_cycles", reduction_lane_cycles,
          {.unit = "core cycles",
           .doc = "an access of a reduction (an atomic without a result) takes the unit for so long, times "
                  "the lanes on "
                  "its most wanted word; 0: as long as other accesses take it",
           .max = 16});
  v.field("reductions_in_flight", reductions_in_flight,
          {.unit = "messages per core",
           .doc = "of reductions that L2 has not acknowledged: an access has one for each lane on its most "
                  "wanted word, as they follow each other; with so many the next one waits, and what is "
                  "behind it; 0: no limit",
           .max = 1e6});
  v.field(
      "access_statistics", access_statistics,
      {.doc = "no hardware: counts memory instructions by space and kind and the 32-byte sectors that they "
              "touch, as profilers of the hardware do"});
}

void MemoryPortConfig::visit(base::ConfigVisitor& v) {
  v.field("request_queue_packets", request_queue_packets,
          {.unit = "packets", .doc = "requests waiting for the crossbar", .min = 1, .max = 256});
  v.field("response_queue_packets", response_queue_packets,
          {.unit = "packets",
           .doc = "responses accepted and not yet handled (one per cycle is)",
           .min = 1,
           .max = 256});
}

void BarrierConfig::visit(base::ConfigVisitor& v) {
  v.field("latency_cycles", latency_cycles,
          {.unit = "core cycles",
           .doc = "last arrival to the first released warp being fetched",
           .min = 1,
           .max = 1000});
  v.field(
      "release_cycles", release_cycles,
      {.unit = "core cycles",
       .doc =
           "the core's barrier unit lets a warp go on this often, one after the other; 0: any number at once",
       .max = 64});
  v.choice(
      "counts", counts, {"threads", "warps"},
      "what arrives with a barrier instruction: the threads that execute it (PTX ISA, from sm_70 on), or "
      "their whole warp, diverged or not (up to sm_6x); mechanisms whose diverged lanes go on without "
      "each other (aware, multi_path) count threads in any case ([AWARE:A26])");
}

void CoreConfig::visit(base::ConfigVisitor& v) {
  v.choice(
      "memory_model", memory_model, {"legacy", "scoped"},
      "what fences and strong accesses do: order the warp's accesses and leave L1 as it is (up to sm_6x), or "
      "as the PTX ISA's memory consistency model defines it for sm_70 and later, where an acquire at the "
      "GPU's or the system's scope makes L1 forget what other cores may have written");
  v.section("occupancy", occupancy, "what limits resident CTAs and warps");
  v.section("fetch", fetch, "fetch unit and I-buffer");
  v.section("l0i", l0i, "L0 instruction caches and stream buffers of the sub-cores");
  v.section("l1i", l1i, "L1 instruction cache");
  v.section("scoreboard", scoreboard, "register dependences");
  v.section("scheduler", scheduler, "warp schedulers");
  v.section("control_flow", control_flow, "branch unit");
  v.section("register_file", register_file, "register banks, operand collectors, write-back ports");
  v.section("pipes", pipes, "execution pipes");
  v.section("lsu", lsu, "load/store unit");
  v.section("memory_port", memory_port, "connection to the crossbar");
  v.section("l1d", l1d, "L1 data cache: holds data, not coherent");
  v.section("constant_cache", constant_cache, "constant memory and kernel parameters");
  v.section("texture", texture, "texture unit: textures and surfaces");
  v.section("shared_memory", shared_memory, "shared memory");
  v.section("barrier", barrier, "CTA barriers");
  v.section("fence", fence, "fences");
  units.visit(v);
}

void CoreConfig::validate() const {
  control_flow.validate();
  scoreboard.validate();
  if (fence.completion_cycles > fence.gpu_cycles)
    throw base::InputError(
        "core.fence.completion_cycles",
        fmt::format("{} cycles are more than the whole fence, core.fence.gpu_cycles, has: {}",
                    fence.completion_cycles, fence.gpu_cycles),
        "It is the part of gpu_cycles behind the last answer of L2: give at most that.");
  if (fence.messages == FenceMessagesTo::kSlices && fence.completion_cycles == 0)
    throw base::InputError("core.fence.messages",
                           "slices has no effect: without completion_cycles no message goes out",
                           "Set core.fence.completion_cycles, or core.fence.messages=atomics.");
  if (fence.join_cycles > fence.round_cycles)
    throw base::InputError("core.fence.join_cycles",
                           fmt::format("a round that fences may join for {} cycles is over after {}",
                                       fence.join_cycles, fence.round_cycles),
                           "Give at most core.fence.round_cycles.");
  fetch.validate(scheduler.sub_cores);
  if (l1i.second_latency_cycles != 0 && !fetch.per_sub_core())
    throw base::InputError("core.l1i.second_latency_cycles",
                           "the second level serves sub-cores' fetch units only",
                           "Set core.fetch.unit=sub_core, or leave it at 0.");
  if (fetch.per_sub_core()) check_cache("core.l0i", l0i.size_kib, l1i.line_bytes, l0i.ways);
  check_lsu(lsu);
  const std::uint32_t shared = shared_memory.size_kib;
  if (l1d.carve_out == CarveOut::kByKernel) validate_carve_outs();
  if (l1d.unified_kib != 0 && shared + (l1d.enabled ? std::max(l1d.size_kib, 1u) : 0u) > l1d.unified_kib)
    throw base::InputError(
        "core.l1d.unified_kib",
        std::to_string(l1d.size_kib) + " KiB of L1 and " + std::to_string(shared) +
            " KiB of shared memory do not fit into an array of " + std::to_string(l1d.unified_kib) + " KiB",
        "choose another split (core.l1d.size_kib, core.shared_memory.size_kib), or 0 for separate arrays");
  if (l1d.enabled && l1d.unified_kib == 0 && l1d.size_kib == 0)
    throw base::InputError("core.l1d.size_kib", "is 0, but there is no unified array to take the rest of",
                           "set core.l1d.unified_kib, give a size, or set core.l1d.enabled to false");
  if (l1d.enabled) check_cache("core.l1d", resolved_l1d().size_kib, l1d.line_bytes, l1d.ways);
  const std::uint32_t sector = l1d.sector_bytes;
  if (sector != 0 && (!std::has_single_bit(sector) || sector < sim::kSectorBytes || sector > l1d.line_bytes))
    throw base::InputError("core.l1d.sector_bytes",
                           std::to_string(sector) + " does not divide lines of " +
                               std::to_string(l1d.line_bytes) + " bytes into sectors",
                           "use a power of two from 32 to line_bytes, or 0 for whole lines");
  check_constants(constant_cache);
  check_cache("core.l1i", l1i.size_kib, l1i.line_bytes, l1i.ways);
  if (l1i.line_bytes % l1i.instruction_bytes != 0)
    throw base::InputError("core.l1i.line_bytes",
                           "must be a multiple of instruction_bytes, is " + std::to_string(l1i.line_bytes),
                           "use a core.l1i.instruction_bytes that divides it, 8 for one");
  if (scheduler.count % scheduler.sub_cores != 0)
    throw base::InputError("core.scheduler.sub_cores",
                           std::to_string(scheduler.count) + " schedulers do not divide into " +
                               std::to_string(scheduler.sub_cores) + " sub-cores",
                           "choose a divisor of core.scheduler.count");
  if (scheduler.count > occupancy.max_warps)
    throw base::InputError(
        "core.scheduler.count", "more schedulers than warp slots",
        "use at most core.occupancy.max_warps (" + std::to_string(occupancy.max_warps) + ")");
}

}  // namespace heddle::core
