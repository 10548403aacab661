#include "determinism/lock_commit.h"

#include <bit>
#include <cstring>

namespace heddle::determinism {
namespace {

constexpr std::uint32_t kResetTag = ~std::uint32_t{0};

sim::SectorMask sectors_of(WordMask words) {
  constexpr unsigned kSectorWords = sim::kSectorBytes / 4;
  sim::SectorMask sectors = 0;
  for (unsigned s = 0; s * kSectorWords < kChunkWords; ++s)
    if ((words >> (s * kSectorWords) & ((WordMask{1} << kSectorWords) - 1)) != 0)
      sectors = static_cast<sim::SectorMask>(sectors | 1u << s);
  return sectors;
}

void enable(sim::MemoryTransaction& write, const ByteMask& mask) {
  for (unsigned i = 0; i < kChunkBytes; ++i) write.enables[i] = mask.test(i) ? 0xff : 0;
}

}  // namespace

LockCommit::LockCommit(const sc_core::sc_module_name& name, const LockCommitConfig& config,
                       const CommitSite& site)
    : CommitEngine(name, site),
      config_(config),
      addresses_(site.map),
      entries_(site.wave_slots),
      ready_(site.wave_slots),
      asleep_(site.wave_slots) {
  site.stats.counter("lock_attempts", "operations", "compare-and-swaps on locks of chunks", &attempts_);
  site.stats.counter("lock_failures", "operations", "of these, those that found the lock taken", &failed_);
  site.stats.counter("color_words", "words", "written", &color_words_);
  site.stats.counter("losers", "entries", "of which no word passed the depth test", &losers_);
}

void LockCommit::set_due(base::Cycle cycle) {
  if (!ready_.empty() || !to_reset_.empty())
    due_ = cycle + 1;
  else
    due_ = asleep_.empty() ? base::kNever : entries_[asleep_.front()].retry;
}

void LockCommit::ready(std::uint32_t slot) { ready_.push_back(slot); }

void LockCommit::send(CommitRequest& request) {
  Entry& entry = entries_[request.wave_slot];
  request.accepted = entry.step == Step::kFree;
  request.until_ack = !request.accepted;
  if (!request.accepted) return;
  entry = {Step::kLock, request.chunk, *request.data, request.mask, request.depth};
  ready(request.wave_slot);
  set_due(request.cycle);
}

void LockCommit::tick(base::Cycle cycle) {
  while (!asleep_.empty() && entries_[asleep_.front()].retry <= cycle) {
    ready(asleep_.front());
    asleep_.pop_front();
  }
  if (!to_reset_.empty()) {
    send_reset(cycle);
  } else if (!ready_.empty() && room()) {
    const std::uint32_t slot = ready_.front();
    ready_.pop_front();
    put(make(entries_[slot]), cycle);
    sent(slot);
  }
  set_due(cycle);
}

// ---- an entry's transactions ----

sim::MemoryTransaction& LockCommit::make(const Entry& entry) {
  const auto slot = static_cast<std::uint32_t>(&entry - entries_.data());
  sim::MemoryTransaction* transaction = nullptr;
  switch (entry.step) {
    case Step::kLock:
      transaction = &lock_operation(entry, isa::AtomicOp::kCas, 1);
      break;
    case Step::kDepths:
      transaction = &pool_.allocate(sim::MemoryOp::kRead, addresses_.depth_address(entry.chunk), kChunkBytes);
      transaction->extension.wanted_sectors = sectors_of(touched_words(entry.mask));
      break;
    case Step::kColors:
      transaction = &pool_.allocate(sim::MemoryOp::kWrite, entry.chunk, kChunkBytes);
      std::memcpy(transaction->data.data(), entry.data.data(), kChunkBytes);
      enable(*transaction, bytes_of(entry.passed));
      break;
    case Step::kNewDepths:
      transaction = &write_depths(entry);
      break;
    default:
      transaction = &lock_operation(entry, isa::AtomicOp::kExch, 0);
      break;
  }
  transaction->extension.bypass_l1 = true;
  transaction->extension.tag = slot;
  return *transaction;
}

sim::MemoryTransaction& LockCommit::lock_operation(const Entry& entry, isa::AtomicOp op,
                                                   std::uint32_t value) {
  const std::uint64_t address = AddressSpace::lock_address(entry.chunk);
  const std::uint64_t line = address / kChunkBytes * kChunkBytes;
  sim::MemoryTransaction& atomic = pool_.allocate(sim::MemoryOp::kAtomic, line, kChunkBytes);
  atomic.extension.atomic_op = op;
  atomic.extension.atomic_returns = op == isa::AtomicOp::kCas;
  atomic.extension.atomic_count = 1;
  atomic.extension.atomics[0] = {};
  atomic.extension.atomics[0].offset = static_cast<std::uint8_t>(address - line);
  atomic.extension.atomics[0].operand = value;
  return atomic;
}

sim::MemoryTransaction& LockCommit::write_depths(const Entry& entry) {
  sim::MemoryTransaction& write =
      pool_.allocate(sim::MemoryOp::kWrite, addresses_.depth_address(entry.chunk), kChunkBytes);
  DepthLine depths;
  depths.fill(entry.depth);
  store_depths(depths, write.data.data());
  enable(write, bytes_of(entry.passed));
  return write;
}

void LockCommit::sent(std::uint32_t slot) {
  Entry& entry = entries_[slot];
  switch (entry.step) {
    case Step::kLock:
      ++attempts_;
      break;
    case Step::kColors:
      ++entry.writes;
      entry.step = Step::kNewDepths;
      ready(slot);
      break;
    case Step::kNewDepths:
      ++entry.writes;
      depth_lines_.insert(entry.chunk);
      entry.step = Step::kFence;
      break;
    default:
      break;
  }
}

void LockCommit::compare(Entry& entry, const sim::MemoryTransaction& response) {
  const DepthLine depths = load_depths(response.data.data());
  entry.passed = 0;
  for (WordMask left = touched_words(entry.mask); left != 0; left &= left - 1) {
    const auto word = static_cast<unsigned>(std::countr_zero(left));
    if (entry.depth <= depths[word]) entry.passed |= WordMask{1} << word;
  }
  color_words_ += static_cast<unsigned>(std::popcount(entry.passed));
  if (entry.passed == 0) ++losers_;
}

void LockCommit::received(std::uint32_t slot, const sim::MemoryTransaction& response, base::Cycle cycle) {
  Entry& entry = entries_[slot];
  switch (entry.step) {
    case Step::kLock:
      if (response.extension.atomics[0].old != 0) {
        ++failed_;
        entry.retry = cycle + 1 + config_.retry_cycles;
        asleep_.push_back(slot);
        return;
      }
      entry.step = Step::kDepths;
      break;
    case Step::kDepths:
      compare(entry, response);
      entry.step = entry.passed != 0 ? Step::kColors : Step::kUnlock;
      break;
    case Step::kColors:
    case Step::kNewDepths:
    case Step::kFence:
      // The answer to the first write may come before the second is sent.
      if (--entry.writes != 0 || entry.step != Step::kFence) return;
      entry.step = Step::kUnlock;
      break;
    default:
      entry.step = Step::kFree;
      return;
  }
  ready(slot);
}

void LockCommit::receive(sim::MemoryTransaction& response, base::Cycle cycle) {
  const std::uint32_t tag = response.extension.tag;
  const base::Cycle before = due_;
  if (tag == kResetTag) {
    if (--resets_outstanding_ == 0 && to_reset_.empty()) depths_are_reset();
    return;
  }
  received(tag, response, cycle);
  set_due(cycle);
  if (entries_[tag].step == Step::kFree)
    acknowledge(tag);
  else if (due_ < before)
    due_changed();
}

// ---- reset of depths ----

void LockCommit::reset_depths(base::Cycle cycle) {
  to_reset_.assign(depth_lines_.rbegin(), depth_lines_.rend());
  depth_lines_.clear();
  set_due(cycle);
  if (to_reset_.empty()) depths_are_reset();
}

void LockCommit::send_reset(base::Cycle cycle) {
  if (!room()) return;
  sim::MemoryTransaction& write =
      pool_.allocate(sim::MemoryOp::kWrite, addresses_.depth_address(to_reset_.back()), kChunkBytes);
  DepthLine none;
  none.fill(kNoDepth);
  store_depths(none, write.data.data());
  write.enables.fill(0xff);
  write.extension.tag = kResetTag;
  to_reset_.pop_back();
  ++resets_outstanding_;
  put(write, cycle);
}

}  // namespace heddle::determinism
