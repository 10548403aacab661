// Keys of core.fetch, core.l0i and core.l1i.
#include <fmt/format.h>

#include "base/error.h"
#include "core/config.h"
#include "core/protocols/fetch_protocol.h"

namespace heddle::core {

void FetchConfig::visit(base::ConfigVisitor& v) {
  v.choice(
      "unit", unit, {"core", "sub_core"},
      "whom a fetch unit serves. core: one unit serves all groups of the core, and refills an I-buffer when "
      "it "
      "is empty; sub_core: each sub-core has a unit and an L0 instruction cache (core.l0i), and refills an "
      "I-buffer as soon as a slot is free ([MGC])");
  v.choice(
      "policy", policy, {"round_robin", "follows_issue", "empty_first"},
      "whom a sub-core's unit fetches for. round_robin: each group with a free slot in turn; "
      "follows_issue: the "
      "group that issued last until its I-buffer is full, then the youngest ([MGC]); empty_first: those "
      "whose I-buffer is empty in turn, then the group that issued last, then the others in turn. Units of "
      "the core only take turns");
  v.choice("behind_control", behind_control, {"waits", "goes_on"},
           "what a sub-core's unit does behind a branch or another control instruction. waits: fetches "
           "nothing until it "
           "is known where the group goes on; goes_on: fetches what follows, which is there if no branch is "
           "taken");
  v.field("redirect_cycles", redirect_cycles,
          {.unit = "core cycles",
           .doc = "from the issue of an instruction that sends its group elsewhere to the fetch there, by a "
                  "sub-core's "
                  "unit",
           .max = 255});
  v.field("near_redirect_cycles", near_redirect_cycles,
          {.unit = "core cycles",
           .doc = "the same, if a direct branch sends the group not far behind itself (near_lines)",
           .max = 255});
  v.field("near_back_redirect_cycles", near_back_redirect_cycles,
          {.unit = "core cycles",
           .doc = "the same, if a direct branch sends the group back and not far (near_lines), as that of a "
                  "short loop does",
           .max = 255});
  v.field(
      "near_lines", near_lines,
      {.unit = "lines",
       .doc =
           "of core.l1i.line_bytes: a branch's target that is fewer lines from its own than this is near; 0: "
           "none is",
       .max = 64});
  v.field("width_instructions", width_instructions,
          {.unit = "instructions/cycle",
           .doc = "fetched per cycle and unit, all for one issue group",
           .min = 1,
           .max = 8});
  v.field("latency_cycles", latency_cycles,
          {.unit = "core cycles",
           .doc = "from fetch to a decoded instruction in the I-buffer",
           .min = 1,
           .max = 64});
  v.field("ibuffer_slots", ibuffer_slots,
          {.unit = "instructions", .doc = "decoded instructions held per issue group", .min = 1, .max = 16});
}

void FetchConfig::validate(std::uint32_t sub_cores) const {
  if (!per_sub_core()) {
    if (policy != FetchPolicy::kRoundRobin)
      throw base::InputError("core.fetch.policy", "a fetch unit of the whole core serves its groups in turn",
                             "Set core.fetch.unit=sub_core, or leave it at round_robin.");
    if (behind_control != FetchBehindControl::kWaits || redirect_cycles != 0 || near_lines != 0)
      throw base::InputError("core.fetch",
                             "only sub-cores' units use behind_control, redirect_cycles and near_lines",
                             "Set core.fetch.unit=sub_core, or leave them at their defaults.");
    return;
  }
  if (sub_cores > kMostFetchUnits)
    throw base::InputError(
        "core.fetch.unit",
        fmt::format("{} sub-cores have more fetch units than the core's {}", sub_cores, kMostFetchUnits),
        "Set core.fetch.unit=core, or fewer core.scheduler.sub_cores.");
}

void L0InstructionCacheConfig::visit(base::ConfigVisitor& v) {
  v.field("size_kib", size_kib,
          {.unit = "KiB",
           .doc = "capacity, of each sub-core; lines are those of core.l1i (core.fetch.unit=sub_core)",
           .min = 1,
           .max = 256});
  v.field("ways", ways, {.doc = "associativity", .min = 1, .max = 64});
  replacement.visit(v, "replacement", cache::kReplacementDoc);
  v.field(
      "stream_buffer_lines", stream_buffer_lines,
      {.unit = "lines",
       .doc =
           "lines behind one that missed, which the stream buffer asks L1I for ahead of time ([MGC]: 8); 0: "
           "none",
       .max = 64});
  v.field("fill_latency_cycles", fill_latency_cycles,
          {.unit = "core cycles",
           .doc = "from a request to L1I to the line in L0, if L1I has it; L1I answers one request per cycle",
           .min = 1,
           .max = 255});
}

void InstructionCacheConfig::visit(base::ConfigVisitor& v) {
  v.field("enabled", enabled, {.doc = "false: every fetch hits"});
  v.field("size_kib", size_kib,
          {.unit = "KiB", .doc = "capacity ([AWARE:A18]: 2, 4 or 16)", .min = 1, .max = 1024});
  v.field("line_bytes", line_bytes,
          {.unit = "bytes", .doc = "line size; a miss fetches one", .min = 32, .max = 128});
  v.field("ways", ways, {.doc = "associativity", .min = 1, .max = 64});
  replacement.visit(v, "replacement", cache::kReplacementDoc);
  v.field("mshr_entries", mshr_entries,
          {.unit = "lines", .doc = "lines being fetched at once", .min = 1, .max = 64});
  v.field("instruction_bytes", instruction_bytes,
          {.unit = "bytes",
           .doc = "size of a machine instruction: 8 until Kepler and Pascal, 16 from Volta on; PTX "
                  "instructions count as one each",
           .min = 4,
           .max = 32});
  v.field("kept_between_launches", kept_between_launches,
          {.doc = "false: the instruction caches are empty when a kernel starts; true: they keep their lines "
                  "until a "
                  "module is unloaded"});
  v.field(
      "launch_prefetch_kib", launch_prefetch_kib,
      {.unit = "KiB",
       .doc =
           "so much of a kernel's code, from its first instruction on, arrives in L1I together with the "
           "first "
           "line of it that a core asks for: the launch has asked for it (the traffic of the other lines is "
           "left out); 0: only what is asked for arrives",
       .max = 1024});
  v.field("second_latency_cycles", second_latency_cycles,
          {.unit = "core cycles",
           .doc = "what launch_prefetch_kib brings comes from a second level, shared by cores and in front "
                  "of L2, so many "
                  "cycles after the first of its lines was asked for, if the launch has run before (heddle "
                  "run --replayed); 0: "
                  "there is no such level. Only with core.fetch.unit=sub_core",
           .max = 1000});
}

}  // namespace heddle::core
