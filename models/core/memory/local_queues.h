// The sub-cores' own queues in front of the load/store unit, each with an address unit that hands its oldest instruction on every
// so many cycles ([MGC]). An instruction waits here while the shared queue is full. Plain C++.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ring.h"
#include "core/config.h"
#include "core/memory/memory_instruction.h"

namespace heddle::core {

class LocalQueues {
 public:
  /// Off if `config.local_queue_entries` is 0: nothing else may be called then, but for on() and full().
  LocalQueues(const LsuConfig& config, std::uint32_t sub_cores);

  [[nodiscard]] bool on() const { return entries_ != 0; }
  void push(std::uint32_t sub_core, MemoryInstruction& op) { push(sub_core, {&op, op.available_at}); }
  /// An instruction without lanes, with its operands at `available_at`: it takes the address unit, and nothing else.
  void push_empty(std::uint32_t sub_core, Cycle available_at) { push(sub_core, {nullptr, available_at}); }
  /// Bit per sub-core whose queue is full.
  [[nodiscard]] std::uint32_t full() const { return full_; }
  /// In cycle `now`: the address units hand on what `room` admits, at most one instruction each, the sub-cores in turn. `take`
  /// returns for how many cycles the instruction takes the unit, if that is longer than address_cycles.
  template <class Take>
  void hand_on(Cycle now, std::size_t room, Take&& take) {
    const auto count = static_cast<std::uint32_t>(queues_.size());
    std::uint32_t next_first = first_;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t sub_core = (first_ + i) % count;
      if (due(queues_[sub_core]) > now) continue;
      if (queues_[sub_core].instructions.front().op == nullptr) {
        pop(sub_core, now);
        queues_[sub_core].address_unit_free = now + address_cycles_;
        continue;
      }
      if (room == 0) continue;
      const Cycle taken = take(*pop(sub_core, now));
      queues_[sub_core].address_unit_free = now + std::max(address_cycles_, taken);
      next_first = sub_core + 1;
      --room;
    }
    first_ = next_first % count;
  }
  /// First cycle in which an instruction may be handed on, if there is room for it.
  [[nodiscard]] Cycle next_due() const;

  std::uint64_t wait_cycles = 0;  ///< of instructions that had their operands, summed

 private:
  struct Entry {
    MemoryInstruction* op;
    Cycle available_at;
  };
  struct Queue {
    base::GrowingRing<Entry> instructions;
    Cycle address_unit_free = 0;
  };
  [[nodiscard]] static Cycle due(const Queue& queue) {
    if (queue.instructions.empty()) return kNever;
    return std::max(queue.instructions.front().available_at, queue.address_unit_free);
  }
  void push(std::uint32_t sub_core, Entry entry);
  MemoryInstruction* pop(std::uint32_t sub_core, Cycle now);

  std::size_t entries_;
  Cycle address_cycles_;
  std::vector<Queue> queues_;  ///< by sub-core
  std::uint32_t full_ = 0;
  std::uint32_t first_ = 0;  ///< sub-core whose turn it is
};

}  // namespace heddle::core
