#include "determinism/log_committer.h"

namespace heddle::determinism {

void LogCommitter::add(const Log& log) {
  waves_[log.wave_slot].replay.begin(log.entries);
  order_.push_back(log.wave_slot);
}

void LogCommitter::begin(std::uint32_t quantum, const std::vector<Log>& logs) {
  quantum_ = quantum;
  under_way_ = true;
  serial_ = false;
  first_ = 0;
  for (const Log& log : logs) add(log);
}

void LogCommitter::begin_serial(const Log& log) {
  under_way_ = true;
  serial_ = true;
  first_ = 0;
  add(log);
}

void LogCommitter::read_logs() {
  // Two accesses are enough to keep the load/store unit busy: it takes one in a cycle.
  constexpr std::size_t kAhead = 2;
  for (std::size_t i = 0; i < order_.size() && site_.accesses.waiting() < kAhead; ++i) {
    const std::uint32_t w = order_[(first_ + i) % order_.size()];
    LogReplay& replay = waves_[w].replay;
    LogReplay::Wish wish;
    while (site_.accesses.waiting() < kAhead && replay.wants(wish)) {
      replay.asked();
      LogAccess access{.warp = base::WarpId{w}, .entry = wish.entry};
      if (wish.meta) {
        access.purpose = LogAccess::Purpose::kReplayMeta;
        access.address = site_.layout.meta(w, wish.entry);
        access.words = wish.count * kMetaWords;
      } else {
        access.purpose = LogAccess::Purpose::kReplayData;
        access.address = site_.layout.data(w, wish.entry);
        access.words = kChunkWords;
      }
      site_.accesses.queue(access);
    }
  }
}

void LogCommitter::read(const LogAccess& access, std::span<const std::uint32_t> words) {
  LogReplay& replay = waves_[access.warp.value()].replay;
  if (access.purpose == LogAccess::Purpose::kReplayMeta)
    replay.take_meta(words);
  else
    replay.take_data(access.entry, words);
}

bool LogCommitter::send_entry(base::Cycle cycle) {
  bool again = false;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto at = static_cast<std::uint32_t>((first_ + i) % order_.size());
    const std::uint32_t w = order_[at];
    Wave& of = waves_[w];
    LogReplay::Entry entry;
    if (of.waits_for_ack || !of.replay.ready(entry)) continue;
    const auto gwid = DepthFormat::gwid(site_.core.value(), site_.wave_slots, w);
    CommitRequest send{.op = CommitRequest::Op::kSend,
                       .cycle = cycle,
                       .wave_slot = w,
                       .chunk = entry.meta->chunk,
                       .data = entry.data,
                       .mask = entry.meta->mask,
                       .depth = site_.depths.depth(gwid, quantum_)};
    (serial_ ? site_.direct_writer : site_.engine)(send);
    if (!serial_) engine_due_ = send.due;
    of.waits_for_ack = send.until_ack;
    again = again || !send.until_ack;  // an acknowledgement brings a cycle of its own
    if (!send.accepted) continue;      // another wavefront's may find room
    ++(serial_ ? counters_.serial_writes : counters_.updates);
    ++of.acks;
    site_.watch.check_order(base::WarpId{w}, entry.index, of.replay.given());
    of.replay.gave(entry.index);
    first_ = static_cast<std::uint32_t>((at + 1) % order_.size());
    break;
  }
  return again;
}

bool LogCommitter::cycle(base::Cycle cycle) {
  if (engine_due_ <= cycle) ask_engine(CommitRequest::Op::kTick, cycle);
  if (!under_way_) return false;
  const bool again = send_entry(cycle);
  read_logs();
  look_for_end();
  return again;
}

void LogCommitter::acknowledged(std::uint32_t wave_slot) {
  Wave& of = waves_[wave_slot];
  --of.acks;
  of.waits_for_ack = false;
  look_for_end();
}

void LogCommitter::look_for_end() {
  if (!under_way_ || !site_.accesses.quiet()) return;
  for (const std::uint32_t w : order_)
    if (!waves_[w].replay.finished() || waves_[w].acks != 0) return;
  under_way_ = false;
  order_.clear();
  over_();
}

}  // namespace heddle::determinism
