#include "resync/replay.h"

#include <stdexcept>

namespace heddle::resync {
namespace {

constexpr std::uint64_t kProgressEvery = 1u << 20;

std::uint64_t look_ahead(SelectionPolicy& policy) {
  return policy.looks_ahead() ? dynamic_cast<LooksAhead&>(policy).window() : 0;
}

}  // namespace

Replay::Replay(TraceSet& traces, SelectionPolicy& policy, const ReplayOptions& options)
    : policy_(policy),
      options_(options),
      window_(traces, look_ahead(policy)),
      meter_(traces.threads(), options.fetch_units, options.operands),
      next_progress_(kProgressEvery),
      listens_(policy.listens()),
      marks_begin_(policy.marks_begin_blocks()) {
  views_.threads = traces.threads();
  views_.match_depth = options.match_depth;
  policy_.reset(views_.threads);
  if (policy_.looks_ahead()) dynamic_cast<LooksAhead&>(policy_).look_into(&window_);
  for (unsigned t = 0; t < views_.threads; ++t) {
    views_.level[t] = 1;
    views_.live |= bit(t);
    show(t);
  }
  if (views_.live == 0 && parked_ != 0) release_barrier();
}

void Replay::show(unsigned t) {
  const TraceRecord* const record = window_.head(t);
  head_[t] = record;
  if (record == nullptr) [[unlikely]] {
    views_.live &= ~bit(t);
    views_.finished |= bit(t);
    return;
  }
  views_.pc[t] = record->pc;
  views_.depth[t] = record->depth;
  views_.priority[t] = record->priority;
  views_.nesting[t] = record->nesting;
  views_.marks[t] = record->marks;
  const bool begins = record->has(TraceRecord::kBlockBegin) || (marks_begin_ && record->marks != nullptr);
  views_.block_begin = (views_.block_begin & ~bit(t)) | (ThreadMask{begins} << t);
  if (record->has(TraceRecord::kAfterBarrier) && options_.barriers) [[unlikely]] {
    views_.live &= ~bit(t);
    parked_ |= bit(t);
  }
}

void Replay::release_barrier() {
  views_.live |= parked_;
  parked_ = 0;
}

bool Replay::step() {
  if (views_.live == 0) return false;
  const Selection chosen = policy_.select(views_);
  what_.pc = chosen.pc;
  what_.mask = chosen.mask;
  what_.marks = head_[chosen.reference]->marks;
  what_.block_begin = views_.block_begin & chosen.mask;
  what_.called = what_.returned = 0;
  meter_.fetch(chosen.mask, head_);
  instructions_ += count(chosen.mask);
  std::uint8_t control = 0;
  for_each_thread(chosen.mask, [&](unsigned t) {
    const TraceRecord& record = *head_[t];
    control |= record.control;
    const bool enters =
        options_.function_marks ? record.has(TraceRecord::kFunctionCall) : record.is(TraceRecord::kCall);
    const bool leaves =
        options_.function_marks ? record.has(TraceRecord::kFunctionReturn) : record.is(TraceRecord::kReturn);
    if (enters || leaves) {
      views_.level[t] += enters ? 1u : ~0u;
      (enters ? what_.called : what_.returned) |= bit(t);
    }
    window_.pop(t);
    show(t);
  });
  what_.branch = (control & TraceRecord::kBranch) != 0;
  views_.after_return &= ~(chosen.mask & views_.block_begin);
  views_.after_return |= what_.returned;
  if (views_.live == 0 && parked_ != 0) release_barrier();
  if (listens_) policy_.executed(views_, what_);
  if (instructions_ >= next_progress_ && options_.progress) {
    next_progress_ = instructions_ + kProgressEvery;
    options_.progress(instructions_);
  }
  return true;
}

const ReplayStatistics& Replay::run() {
  while (step()) {
  }
  const ReplayStatistics& result = meter_.finish();
  result.check();
  return result;
}

}  // namespace heddle::resync
