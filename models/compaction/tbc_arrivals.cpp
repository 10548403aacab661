// Warps of a block arrive, in turn, and the thread compactor makes those of the next entry.
#include <algorithm>

#include "compaction/tbc.h"

namespace heddle::compaction {

using base::kNever;
using base::kNoPc;
using simt::ControlFlowRequest;
using simt::GroupChange;
using simt::GroupUpdate;

void ThreadBlockCompaction::arrive(GroupId group, Arrival arrival, Cycle now) {
  count_occupancy(now);
  ++arrived_;
  arrival.block = block_of_[group.value()];
  Slot& here = slot(group);
  Block& block = blocks_[arrival.block];
  const bool last = config_.timing == Timing::kIdeal && block.stack.pending() == 1;
  here.pc = arrival.next;
  here.warp.count = 0;
  warp_is_gone(block, here);
  set_state(here, Slot::State::kArrived);
  // The warp is gone, its threads are in the block stack; what waits is the slot.
  if (!last) {
    GroupUpdate waits{group, GroupChange::kBlocked};
    waits.pc = arrival.next == kNoPc ? Pc{0} : arrival.next;
    waits.cause = simt::BlockCause::kTables;
    answer(waits);
  }
  if (config_.timing == Timing::kIdeal) {
    apply(arrival, now);
    return;
  }
  last_arrival_ = std::max(last_arrival_ + 1, now + 1);
  arrivals_.emplace_back(last_arrival_, std::move(arrival));
}

void ThreadBlockCompaction::apply(const Arrival& arrival, Cycle now) {
  Block& block = blocks_[arrival.block];
  block.stack.arrives_at(arrival.at);
  switch (arrival.kind) {
    case Arrival::Kind::kBranch:
      block.stack.branch(arrival.sides, arrival.next, arrival.lpc);
      break;
    case Arrival::Kind::kCall:
      block.stack.call(arrival.sides, arrival.next);
      break;
    case Arrival::Kind::kReturn:
      block.stack.leave(arrival.leaving, arrival.next);
      break;
    case Arrival::Kind::kReconvergence:
      block.stack.reconverge(arrival.next);
      break;
  }
  if (block.stack.complete()) next_entry(arrival.block, now);
}

void ThreadBlockCompaction::next_entry(std::uint32_t name, Cycle now) {
  Block& block = blocks_[name];
  benefit_.book(block.runs);
  const BlockEntry* const top = block.stack.settle();
  const std::uint32_t warps = top == nullptr ? 0 : block.compactor.warps(top->mask);
  // Slots that get no warp of this entry.
  for (std::uint32_t i = 0; i < block.slots.size(); ++i) {
    const bool used = top != nullptr && (config_.compacts ? i < warps : top->mask[i].any());
    Slot& here = slots_[block.slots[i].value()];
    if (used || here.state == Slot::State::kEmpty) continue;
    set_state(here, Slot::State::kEmpty);
    answer({GroupId{block.slots[i].value()}, GroupChange::kVanished});
  }
  if (top == nullptr) return;
  ++entries_run_;
  warps_made_ += warps;
  block.runs = {top->parted_at, top->mask.static_warps(), warps, 0};
  warps_uncompacted_ += block.runs.static_warps;
  block.stack.activate(warps);
  block.compactor.load(top->mask);
  block.emitted = 0;
  if (config_.timing == Timing::kContract) {
    waiting_.emplace(block.age, name);
    block.emptied = now;
    return;
  }
  while (!block.compactor.empty()) emit(block, now);
}

void ThreadBlockCompaction::emit(Block& block, Cycle now) {
  count_occupancy(now);
  const CompactedWarp warp = block.compactor.next();
  const std::uint32_t index = config_.compacts ? block.emitted : warp.parts[0].warp;
  ++block.emitted;
  if (warp.count > 1) ++mixed_;
  const GroupId group{block.slots[index].value()};
  give(group, warp);
  set_state(slot(group), Slot::State::kRuns);
  show(group, block.stack.top().pc);
}

Cycle ThreadBlockCompaction::due() const {
  Cycle next = arrivals_.empty() ? kNever : arrivals_.front().first;
  if (compacting_ != kNobody) next = std::min(next, next_warp_);
  for (const auto& [age, name] : waiting_)
    next = std::min(next, std::max(blocks_[name].emptied + 1, next_warp_));
  return next;
}

void ThreadBlockCompaction::tick(ControlFlowRequest& request) {
  const Cycle now = request.cycle;
  while (!arrivals_.empty() && arrivals_.front().first <= now) {
    const Arrival arrival = std::move(arrivals_.front().second);
    arrivals_.pop_front();
    apply(arrival, now);
  }
  if (compacting_ != kNobody && next_warp_ <= now) {
    Block& block = blocks_[compacting_];
    emit(block, now);
    next_warp_ = now + 1;
    if (block.compactor.empty()) compacting_ = kNobody;
  }
  if (compacting_ == kNobody && !waiting_.empty()) {
    // The oldest of the blocks whose entry was there before this clock reads its mask.
    const auto first = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& each) {
      return blocks_[each.second].emptied < now && next_warp_ <= now;
    });
    if (first != waiting_.end()) {
      compacting_ = first->second;
      waiting_.erase(first);
      next_warp_ = now + 1;
    }
  }
  request.due = due();
}

}  // namespace heddle::compaction
