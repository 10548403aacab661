// Logs on their way out: to the commit engine at the end of a quantum, or to memory in serial mode.
#include <algorithm>

#include "determinism/store_buffer.h"

namespace heddle::determinism {

void StoreBuffer::begin_commit(std::uint32_t quantum) {
  quantum_ = quantum;
  commit_told_ = false;
  order_.clear();
  for (std::uint32_t w = 0; w < waves_.size(); ++w) {
    Wave& of = waves_[w];
    if (of.entries == 0 || of.has_partial) continue;
    of.replay.begin(of.entries);
    of.replays = true;
    order_.push_back(w);
  }
  first_ = 0;
  wake_core();
}

void StoreBuffer::begin_serial(WarpId warp) {
  serial_ = true;
  serial_warp_ = warp;
  commit_told_ = false;
  Wave& of = wave(warp);
  of.replay.begin(of.entries);
  of.replays = true;
  order_ = {warp.value()};
  first_ = 0;
  wake_core();
}

void StoreBuffer::read_logs() {
  // Two accesses are enough to keep the load/store unit busy: it takes one in a cycle.
  constexpr std::size_t kAhead = 2;
  for (std::size_t i = 0; i < order_.size() && to_lsu_.size() < kAhead; ++i) {
    const std::uint32_t w = order_[(first_ + i) % order_.size()];
    LogReplay::Wish wish;
    while (to_lsu_.size() < kAhead && waves_[w].replay.wants(wish)) {
      waves_[w].replay.asked();
      ++reads_;
      const WarpId warp{w};
      if (wish.meta)
        queue({Purpose::kReplayMeta,
               warp,
               0,
               wish.entry,
               layout_.meta(w, wish.entry),
               wish.count * kMetaWords,
               {}});
      else
        queue({Purpose::kReplayData, warp, 0, wish.entry, layout_.data(w, wish.entry), kChunkWords, {}});
    }
  }
}

void StoreBuffer::send_entry(Cycle cycle) {
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto at = static_cast<std::uint32_t>((first_ + i) % order_.size());
    const std::uint32_t w = order_[at];
    Wave& of = waves_[w];
    LogReplay::Entry entry;
    if (of.waits_for_ack || !of.replay.ready(entry)) continue;
    const auto gwid = DepthFormat::gwid(site_.core.value(), static_cast<std::uint32_t>(waves_.size()), w);
    CommitRequest send{.cycle = cycle,
                       .wave_slot = w,
                       .chunk = entry.meta->chunk,
                       .data = entry.data,
                       .mask = entry.meta->mask,
                       .depth = depths_.depth(gwid, quantum_)};
    (serial_ ? serial_isock : commit_isock).send(send);
    if (!serial_) engine_due_ = send.due;
    of.waits_for_ack = send.until_ack;
    again_ = again_ || !send.until_ack;  // an acknowledgement brings a cycle of its own
    if (!send.accepted) continue;        // another wavefront's may find room
    ++(serial_ ? serial_writes_ : updates_);
    ++of.acks;
    if (preconditions_.watched()) check_order(WarpId{w}, entry.index);
    of.replay.gave(entry.index);
    first_ = static_cast<std::uint32_t>((at + 1) % order_.size());
    return;
  }
}

void StoreBuffer::commit_cycle(Cycle cycle) {
  if (engine_due_ <= cycle) engine_due_ = commit_isock.tick(cycle);
  if (!committing()) return;
  send_entry(cycle);
  read_logs();
  commit_ends();
}

void StoreBuffer::take_ack(CommitAck& ack) {
  engine_due_ = ack.due;
  if (ack.kind == CommitAck::Kind::kDue) return;
  if (ack.kind == CommitAck::Kind::kDepthsReset) return tell(StoreBufferEvent::Kind::kDepthsReset);
  entry_acknowledged(ack);
}

void StoreBuffer::take_serial_ack(CommitAck& ack) { entry_acknowledged(ack); }

void StoreBuffer::entry_acknowledged(const CommitAck& ack) {
  Wave& of = waves_[ack.wave_slot];
  --of.acks;
  of.waits_for_ack = false;
  commit_ends();
}

void StoreBuffer::commit_ends() {
  if (commit_told_ || !traffic_.quiet() || !to_lsu_.empty()) return;
  for (const std::uint32_t w : order_)
    if (!waves_[w].replay.finished() || waves_[w].acks != 0) return;
  commit_told_ = true;
  order_.clear();
  if (serial_) {
    serial_ = false;
    Wave& of = wave(serial_warp_);
    of.has_partial = false;
    of.clear();
    tell(StoreBufferEvent::Kind::kSerialDone, serial_warp_);
    return;
  }
  tell(StoreBufferEvent::Kind::kCommitted);
}

void StoreBuffer::end_commit() {
  for (Wave& of : waves_) {
    of.replays = false;
    if (of.has_partial) continue;
    of.clear();
  }
  appended_in_ = {};
  lsu_isock.call({.op = core::LsuRequest::Op::kInvalidateGlobal,
                  .own = &own_,
                  .keep_constants = !config_.constant_flush});
}

}  // namespace heddle::determinism
