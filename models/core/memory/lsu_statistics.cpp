// What the load/store unit counts.
#include "core/memory/load_store_unit.h"

namespace heddle::core {

void LoadStoreUnit::declare(base::StatGroup& stats) {
  stats.counter("instructions", "warp-instructions", "memory instructions with at least one active lane",
                &instructions_);
  stats.counter("line_accesses", "accesses", "lines touched by them in device memory, after coalescing",
                &line_accesses_);
  lines_.declare(stats);
  if (access_statistics_) access_statistics_->declare(stats);
  constants_.declare(stats);
  textures_.declare(stats.child("texture", "texture unit"));
  stats.counters(
      "replays", "passes",
      "passes of an instruction after its first: further bank pass, further line, further constant "
      "address; each takes an issue slot if core.lsu.replay_issue",
      {"bank_conflict", "uncoalesced", "constant"}, replays_.data());
  stats.counter(
      "acquires", "acquires",
      "loads, atomics and fences of the scope of the GPU or the system that made L1 forget what other cores "
      "may have written",
      &acquires_);
  const auto stall_cycles = [&](const char* name, LsuStall cause, const char* waited) {
    stats.counter(name, "core cycles", waited, &stall_cycles_[static_cast<unsigned>(cause)]);
  };
  stall_cycles("mshr_stall_cycles", LsuStall::kMshr, "head of the queue waited for an MSHR or a target slot");
  stall_cycles("constant_stall_cycles", LsuStall::kConstant,
               "head of the queue waited for an MSHR of the constant cache");
  stall_cycles("port_stall_cycles", LsuStall::kPort,
               "head of the queue waited for room towards the crossbar");
  if (config_.lsu.reductions_in_flight != 0)
    stall_cycles("reduction_stall_cycles", LsuStall::kReductions,
                 "head of the queue, a reduction, waited for L2's answer to earlier ones");
  if (local_queues_.on())
    stats.counter("local_queue_cycles", "core cycles",
                  "instructions with their operands waited in a sub-core's queue, summed",
                  &local_queues_.wait_cycles);
  stats.counter("load_latency_sum", "core cycles",
                "sum over warp loads and atomics (constants left out) of issue to write-back",
                &load_latency_.sum);
  stats.counter("load_latency_count", "warp-instructions",
                "warp loads and atomics written back (constants left out)", &load_latency_.count);
}

}  // namespace heddle::core
