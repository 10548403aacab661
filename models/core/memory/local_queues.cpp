#include "core/memory/local_queues.h"

#include <algorithm>

namespace heddle::core {

LocalQueues::LocalQueues(const LsuConfig& config, std::uint32_t sub_cores)
    : entries_(config.local_queue_entries),
      address_cycles_(config.address_cycles),
      queues_(entries_ == 0 ? 0 : sub_cores) {}

void LocalQueues::push(std::uint32_t sub_core, Entry entry) {
  Queue& queue = queues_[sub_core];
  queue.instructions.push_back(entry);
  if (queue.instructions.size() >= entries_) full_ |= 1u << sub_core;
}

MemoryInstruction* LocalQueues::pop(std::uint32_t sub_core, Cycle now) {
  Queue& queue = queues_[sub_core];
  const Entry entry = queue.instructions.front();
  queue.instructions.pop_front();
  if (queue.instructions.size() < entries_) full_ &= ~(1u << sub_core);
  wait_cycles += now - entry.available_at;
  return entry.op;
}

Cycle LocalQueues::next_due() const {
  Cycle next = kNever;
  for (const Queue& queue : queues_) next = std::min(next, due(queue));
  return next;
}

}  // namespace heddle::core
