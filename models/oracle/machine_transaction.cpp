// Transactions: a thread that is in one keeps its turn until it commits, so they happen one at a time.
#include <cstring>

#include "oracle/machine.h"

namespace heddle::oracle {

bool Machine::begin_transaction(const Cta& cta, Thread& thread) {
  if (thread.attempt != nullptr) {
    ++thread.attempt->depth;
  } else {
    if (options_.transactions != nullptr &&
        !options_.transactions->is_next(operands_.linear_id(cta), thread.index))
      return false;
    thread.attempt = std::make_unique<Attempt>();
    thread.attempt->begin = thread.pc + 1;
    const std::size_t slots =
        (thread.frames.empty() ? program_.functions[0] : *thread.frames.back().function).slots;
    thread.attempt->regs.assign(thread.regs, thread.regs + slots);
  }
  ++thread.pc;
  return true;
}

bool Machine::commit_transaction(const Cta& cta, Thread& thread) {
  ++thread.pc;
  if (thread.attempt == nullptr || --thread.attempt->depth != 0) return false;
  thread.attempt.reset();
  if (options_.transactions != nullptr) {
    options_.transactions->committed(operands_.linear_id(cta), thread.index);
    options_.transactions->leaves(memory_);
  }
  return true;
}

void Machine::abort_transaction(Thread& thread) {
  const std::unique_ptr<Attempt> attempt = std::move(thread.attempt);
  if (attempt == nullptr) return;
  for (auto change = attempt->undo.rbegin(); change != attempt->undo.rend(); ++change)
    std::memcpy(change->first, change->second.data(), change->second.size());
  std::memcpy(thread.regs, attempt->regs.data(), attempt->regs.size() * sizeof(std::uint64_t));
  thread.pc = attempt->begin - 1;
}

}  // namespace heddle::oracle
