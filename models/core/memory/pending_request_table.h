// Memory operations in flight in the load/store unit: each from being taken until all of its parts (line accesses,
// constant addresses, the shared part) are served and it is written back. Times are core cycles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/memory/completion_wheel.h"
#include "core/memory/memory_instruction.h"

namespace heddle::core {

class PendingRequestTable {
 public:
  /// `horizon`: the longest time from serving a part of an operation to its write-back.
  explicit PendingRequestTable(std::uint32_t horizon) : complete_(horizon) {}

  /// One that is not in use: its `index` is set, the rest is what the last user left.
  MemoryInstruction& allocate() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(operations_.size()));
      operations_.push_back(std::make_unique<MemoryInstruction>());
      operations_.back()->index = free_.back();
    }
    MemoryInstruction& op = *operations_[free_.back()];
    free_.pop_back();
    return op;
  }
  void free(MemoryInstruction& op) {
    op.instruction = nullptr;
    free_.push_back(op.index);
  }
  /// Stays where it is until it is freed.
  [[nodiscard]] MemoryInstruction& operator[](std::uint32_t index) { return *operations_[index]; }

  /// A part of the operation is served: its data may be used from `usable_at` on. After the last part the operation is
  /// complete, in the cycle behind `now` at the earliest.
  void part_done(MemoryInstruction& op, Cycle usable_at, Cycle now) {
    op.ready_at = std::max(op.ready_at, usable_at);
    if (--op.pending == 0) complete_at(op, std::max(op.ready_at, now + 1));
  }
  /// It is complete in `cycle`, which lies after the last take_complete().
  void complete_at(MemoryInstruction& op, Cycle cycle) { complete_.add(cycle, op.index, Link{*this}); }
  /// Calls fn(operation) for those complete at or before `now`, by cycle, then in the order in which they became so. fn
  /// may put one off by complete_at(), or free it.
  template <class Fn>
  void take_complete(Cycle now, Fn&& fn) {
    complete_.take(now, Link{*this}, [&](std::uint32_t index) { fn(*operations_[index]); });
  }
  /// The next cycle in which one is complete; kNever.
  [[nodiscard]] Cycle next_due() const { return complete_.next_due(); }

  /// Calls fn(operation) for those with parts that are not served.
  template <class Fn>
  void for_each_pending(Fn&& fn) const {
    for (const auto& op : operations_)
      if (op->instruction != nullptr && op->pending != 0) fn(*op);
  }
  /// Adds the core's loads and atomics whose registers have not all got their values, of a warp.
  void pending_loads(WarpId warp, std::vector<PendingLoad>& loads) const {
    for (const auto& op : operations_) {
      if (op->instruction == nullptr || op->client != LsuClient::kCore || op->pending == 0 ||
          op->instruction->write_count == 0)
        continue;
      for (const MemorySlice& slice : op->all_slices())
        if (slice.warp == warp) loads.push_back({op->instruction, slice.lanes});
    }
  }

 private:
  /// The list that a completion is in goes through the operations.
  struct Link {
    PendingRequestTable& table;
    std::uint32_t& operator()(std::uint32_t index) const { return table.operations_[index]->next; }
  };

  std::vector<std::unique_ptr<MemoryInstruction>> operations_;
  std::vector<std::uint32_t> free_;
  CompletionWheel complete_;
};

}  // namespace heddle::core
