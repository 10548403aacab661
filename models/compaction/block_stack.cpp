#include "compaction/block_stack.h"

#include <algorithm>

namespace heddle::compaction {

void BlockStack::launch(Pc pc, const BlockMask& threads) {
  stack_.assign(1, BlockEntry{.pc = pc, .mask = threads});
  live_ = threads;
  pending_ = 0;
  fill_ = {};
  stats_->max_depth = std::max<std::uint64_t>(stats_->max_depth, 1);
}

void BlockStack::push(const BlockEntry& entry) {
  stack_.push_back(entry);
  stats_->max_depth = std::max<std::uint64_t>(stats_->max_depth, stack_.size());
}

const BlockEntry* BlockStack::settle() {
  while (!stack_.empty()) {
    BlockEntry& top = stack_.back();
    if (!live_.contains(top.mask)) {
      top.mask &= live_;
      top.parted_at = exited_at_;
    }
    if (top.mask.any()) {
      if (top.lpc != kNoPc && top.pc == top.lpc) {
        stack_[top.lpos].mask |= top.mask;
        ++stats_->likely_reconvergences;
      } else if (top.rpc != kNoPc && top.pc == top.rpc) {
        ++stats_->reconvergences;
      } else {
        return &top;
      }
    }
    stack_.pop_back();
  }
  return nullptr;
}

// ---- Arrivals

void BlockStack::begin(Fill::Kind kind, Pc next) {
  if (fill_.kind != Fill::kNothing) return;
  fill_.kind = kind;
  fill_.next = next;
  fill_.lpc = kNoPc;
  fill_.sides.clear();
  fill_.leaving = {};
}

void BlockStack::fill(const std::vector<Side>& sides, Pc rpc, std::uint32_t frame) {
  for (const Side& side : sides) {
    const auto same = std::find_if(fill_.sides.begin(), fill_.sides.end(),
                                   [&](const BlockEntry& entry) { return entry.pc == side.pc; });
    if (same != fill_.sides.end()) {
      same->mask |= side.threads;
      continue;
    }
    const BlockEntry entry{.pc = side.pc, .rpc = rpc, .mask = side.threads, .frame = frame};
    // On top is what is pushed last.
    if ((top_side_ != TopSide::kTaken) == side.taken)
      fill_.sides.insert(fill_.sides.begin(), entry);
    else
      fill_.sides.push_back(entry);
  }
}

void BlockStack::branch(const std::vector<Side>& sides, Pc rpc, Pc lpc) {
  begin(Fill::kBranch, rpc);
  fill_.lpc = lpc == rpc ? kNoPc : lpc;
  fill(sides, rpc, top().frame);
  arrived();
}

void BlockStack::call(const std::vector<Side>& callees, Pc next) {
  begin(Fill::kCall, next);
  fill(callees, kNoPc, top().frame + 1);
  arrived();
}

void BlockStack::leave(const BlockMask& leaving, Pc next) {
  begin(Fill::kReturn, next);
  fill_.leaving |= leaving;
  arrived();
}

void BlockStack::reconverge(Pc at) {
  begin(Fill::kReconvergence, at);
  arrived();
}

// ---- All have arrived

void BlockStack::finish() {
  diverged_ = false;
  switch (fill_.kind) {
    case Fill::kNothing:  // the last of them has exited; so have the threads of the entry
      break;
    case Fill::kBranch:
      finish_branch();
      break;
    case Fill::kCall:
      finish_call();
      break;
    case Fill::kReturn:
      finish_return();
      break;
    case Fill::kReconvergence:
      stack_.back().pc = fill_.next;
      break;
  }
  fill_.kind = Fill::kNothing;
}

void BlockStack::finish_branch() {
  ++stats_->synchronised;
  BlockEntry& entry = stack_.back();
  auto& sides = fill_.sides;
  for (BlockEntry& side : sides) side.mask &= live_;
  std::erase_if(sides, [](const BlockEntry& side) { return side.mask.none(); });
  diverged_ = sides.size() > 1;
  if (diverged_) ++stats_->divergences;
  if (top_side_ == TopSide::kSmaller)
    std::stable_sort(sides.begin(), sides.end(), [](const BlockEntry& a, const BlockEntry& b) {
      return a.mask.count() > b.mask.count();
    });
  const Pc rpc = fill_.next;
  const std::uint32_t frame = entry.frame;
  const Pc parted_at = diverged_ ? at_ : entry.parted_at;
  Pc lpc = fill_.lpc;
  std::uint32_t lpos = BlockEntry::kNone;
  const bool replaces = entry.rpc == rpc;
  const bool shares = replaces && entry.lpc != kNoPc && (entry.lpc == lpc || !diverged_);  // [TBC:A3]
  if (shares) {
    lpc = entry.lpc;
    lpos = entry.lpos;
  } else if (!diverged_) {
    lpc = kNoPc;  // no entry for threads that stay together
  }
  if (replaces)
    stack_.pop_back();
  else
    entry.pc = rpc;
  if (lpc != kNoPc && !shares) {
    lpos = static_cast<std::uint32_t>(stack_.size());
    push({.pc = lpc, .rpc = rpc, .frame = frame, .parted_at = at_});
  }
  for (BlockEntry side : sides) {
    if (side.pc == rpc && rpc != kNoPc) continue;
    side.parted_at = parted_at;
    side.lpc = lpc;
    side.lpos = lpos;
    push(side);
  }
}

void BlockStack::finish_call() {
  ++stats_->synchronised;
  stack_.back().pc = fill_.next;
  const BlockEntry caller = stack_.back();
  for (BlockEntry& callee : fill_.sides) {
    if (callee.mask.none()) continue;
    ++stats_->calls;
    callee.parted_at = callee.mask.contains(caller.mask & live_) ? caller.parted_at : at_;
    push(callee);
  }
}

void BlockStack::finish_return() {
  ++stats_->synchronised;
  stack_.back().pc = fill_.next;
  const std::uint32_t frame = stack_.back().frame;
  for (auto entry = stack_.rbegin(); entry != stack_.rend() && entry->frame == frame; ++entry) {
    if ((entry->mask & fill_.leaving).none()) continue;
    entry->mask.remove(fill_.leaving);
    entry->parted_at = at_;
  }
}

std::vector<BlockEntry> BlockStack::entries() const {
  std::vector<BlockEntry> shown = stack_;
  if (fill_.kind == Fill::kNothing || shown.empty()) return shown;
  shown.back().pc = fill_.next;
  for (const BlockEntry& side : fill_.sides) shown.push_back(side);
  return shown;
}

}  // namespace heddle::compaction
