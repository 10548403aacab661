#include "determinism/z_buffer_model.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace heddle::determinism {
namespace {

std::uint64_t low_bits(std::uint32_t count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}
std::uint64_t bit(std::uint32_t index) { return std::uint64_t{1} << index; }
std::uint32_t lowest(std::uint64_t mask) { return static_cast<std::uint32_t>(std::countr_zero(mask)); }

}  // namespace

ZBufferModel::ZBufferModel(const ZBufferConfig& config)
    : config_(config),
      cache_(config.sets(), config.cache_ways),
      requests_(config.request_entries),
      free_(low_bits(config.request_entries)),
      comparisons_(config.comparator_entries),
      comparators_free_(low_bits(config.comparator_entries)),
      hits_(config.comparator_entries),
      filled_(config.comparator_entries),
      to_l2_(config.l2_queue),
      done_(config.request_entries) {}

std::uint32_t ZBufferModel::entries_in_use() const {
  return config_.request_entries - static_cast<std::uint32_t>(std::popcount(free_));
}

std::uint32_t ZBufferModel::comparators_in_use() const {
  return config_.comparator_entries - static_cast<std::uint32_t>(std::popcount(comparators_free_));
}

// ---- request buffer ----

std::uint32_t ZBufferModel::accept(const ColorUpdate& update, Cycle now) {
  if (partial_words(update.mask) != 0)
    throw std::logic_error("a colour update divides a word: the Z-buffer has one depth for it");
  settle(now - 1);  // with the occupancy that there was
  const std::uint32_t entry = lowest(free_);
  free_ &= ~bit(entry);
  ready_ |= bit(entry);
  requests_[entry] = {update, RequestState::kReady, age_++, now};
  ++counters_.requests;
  return entry;
}

void ZBufferModel::block(std::uint32_t entry) {
  ready_ &= ~bit(entry);
  blocked_ |= bit(entry);
  requests_[entry].state = RequestState::kBlocked;
  if (watch_.broken) check_block(entry);
}

void ZBufferModel::wake(std::uint64_t chunk) {
  for (std::uint64_t left = blocked_; left != 0; left &= left - 1) {
    const std::uint32_t entry = lowest(left);
    if (requests_[entry].update.chunk != chunk) continue;
    blocked_ &= ~bit(entry);
    requests_[entry].state = RequestState::kReady;
    ready_ |= bit(entry);
  }
}

void ZBufferModel::finish(std::uint32_t entry, Cycle now) { done_.push_back({entry, now + 1}); }

void ZBufferModel::accepted(std::uint32_t entry, Cycle now) {
  requests_[entry].visible = true;
  finish(entry, now);
}

std::optional<std::uint32_t> ZBufferModel::acknowledge(Cycle now) {
  if (done_.empty() || done_.front().from > now) return std::nullopt;
  const std::uint32_t entry = done_.front().entry;
  done_.pop_front();
  if (watch_.broken) check_acknowledge(entry);
  requests_[entry].state = RequestState::kInvalid;
  free_ |= bit(entry);
  ++counters_.acks;
  return entry;
}

// ---- scheduler ----

std::uint32_t ZBufferModel::pick(Cycle now) {
  std::uint32_t best = kNone;
  for (std::uint64_t left = ready_; left != 0; left &= left - 1) {
    const std::uint32_t entry = lowest(left);
    const Request& request = requests_[entry];
    if (request.since == now) continue;
    // All requests to a chunk are in one set, so skipping a set changes no order.
    if (config_.set_full == SetFull::kSkip && cache_.set_locked(request.update.chunk)) {
      stall_ = Stall::kSetFull;
      continue;
    }
    if (best == kNone || request.age < requests_[best].age) best = entry;
  }
  if (best != kNone) stall_ = Stall::kNone;
  return best;
}

bool ZBufferModel::schedule(Cycle now) {
  stall_ = Stall::kNone;
  const std::uint32_t entry = pick(now);
  if (entry == kNone) return false;
  const std::uint32_t line = cache_.find(requests_[entry].update.chunk);
  if (line == ZCache::kNone) {
    stall_ = miss(entry, now);
  } else if (cache_.state(line) == ZCache::State::kLocked) {
    block(entry);
    ++counters_.blocked;
  } else if (comparators_free_ == 0) {
    stall_ = Stall::kComparatorBuffer;
  } else {
    hit(entry, line, now);
  }
  return stall_ == Stall::kNone;
}

std::uint32_t ZBufferModel::take_comparator(std::uint32_t entry, std::uint32_t line) {
  if (watch_.broken) check_service(entry);
  const std::uint32_t comparator = lowest(comparators_free_);
  comparators_free_ &= ~bit(comparator);
  ready_ &= ~bit(entry);
  requests_[entry].state = RequestState::kInService;
  comparisons_[comparator].request = entry;
  comparisons_[comparator].line = line;
  return comparator;
}

void ZBufferModel::hit(std::uint32_t entry, std::uint32_t line, Cycle now) {
  const std::uint32_t comparator = take_comparator(entry, line);
  comparisons_[comparator].depths = cache_.depths(line);
  cache_.lock(line);
  hits_.push_back({comparator, now + config_.latency_cycles});
  ++counters_.hits;
}

ZBufferModel::Stall ZBufferModel::miss(std::uint32_t entry, Cycle now) {
  const std::uint64_t chunk = requests_[entry].update.chunk;
  const std::uint32_t line = cache_.victim(chunk);
  if (line == ZCache::kNone) return Stall::kSetFull;
  if (comparators_free_ == 0) return Stall::kComparatorBuffer;
  if (to_l2_.full()) return Stall::kL2Queue;
  // The FIFO takes one request per clock, and the comparator's goes first.
  if (comparable(now) != nullptr) return Stall::kL2Port;
  if (cache_.dirty(line)) {
    // The line is read in the next clock at the earliest: the FIFO has one port.
    push_depths(cache_.chunk(line), cache_.depths(line), now);
    cache_.cleaned(line);
    ++counters_.write_backs;
    return Stall::kNone;
  }
  cache_.allocate(line, chunk);
  push(L2Request::Op::kDepthRead, chunk, now).entry = take_comparator(entry, line);
  ++counters_.misses;
  return Stall::kNone;
}

// ---- comparator ----

void ZBufferModel::fill(std::uint32_t entry, const DepthLine& depths, Cycle now) {
  comparisons_[entry].depths = depths;
  filled_.push_back({entry, now + 1});
}

const ZBufferModel::Due* ZBufferModel::comparable(Cycle now) const {
  const Due* filled = filled_.empty() || filled_.front().from > now ? nullptr : &filled_.front();
  const Due* hit = hits_.empty() || hits_.front().from > now ? nullptr : &hits_.front();
  if (filled == nullptr || hit == nullptr) return filled != nullptr ? filled : hit;
  return hit->from < filled->from ? hit : filled;
}

bool ZBufferModel::compare(Cycle now) {
  compare_stall_ = false;
  const Due* due = comparable(now);
  if (due == nullptr) return false;
  if (to_l2_.full()) {
    compare_stall_ = true;
    return false;
  }
  const bool was_hit = !hits_.empty() && due == &hits_.front();
  const std::uint32_t comparator = due->entry;
  Comparison& comparison = comparisons_[comparator];
  const std::uint32_t entry = comparison.request;
  const ColorUpdate& update = requests_[entry].update;

  const WordMask words = touched_words(update.mask);
  const DepthLine before = watch_.broken ? comparison.depths : DepthLine{};
  WordMask passed = 0;
  for (unsigned w = 0; w < kChunkWords; ++w) {
    if ((words >> w & 1u) == 0) continue;
    const Depth stored = comparison.depths[w];
    if (update.depth > stored) continue;
    passed |= WordMask{1} << w;
    comparison.depths[w] = update.depth;
  }
  if (watch_.broken) check_compare(entry, before, passed);
  requests_[entry].compared = true;
  requests_[entry].visible = passed == 0;
  if (passed != 0) {
    L2Request& write = push(L2Request::Op::kColorWrite, update.chunk, now);
    write.entry = entry;
    write.passed = passed;
    write.mask = bytes_of(passed);
    write.color = update.color;
    ++counters_.color_writes;
    counters_.color_words += static_cast<unsigned>(std::popcount(passed));
  } else {
    ++counters_.losers;
  }
  if (passed == 0) finish(entry, now);
  cache_.unlock(comparison.line, comparison.depths, passed != 0);
  wake(update.chunk);
  (was_hit ? hits_ : filled_).pop_front();
  comparators_free_ |= bit(comparator);
  return true;
}

// ---- to L2 ----

ZBufferModel::L2Request& ZBufferModel::push(L2Request::Op op, std::uint64_t chunk, Cycle now) {
  L2Request& request = to_l2_.push_back();
  request.op = op;
  request.chunk = chunk;
  request.pushed = now;
  request.number = pushed_++;
  return request;
}

void ZBufferModel::push_depths(std::uint64_t chunk, const DepthLine& depths, Cycle now) {
  push(L2Request::Op::kDepthWrite, chunk, now).depths = depths;
  written_.insert(chunk);
}

const ZBufferModel::L2Request* ZBufferModel::l2_request(Cycle now) const {
  return to_l2_.empty() || to_l2_.front().pushed >= now ? nullptr : &to_l2_.front();
}

void ZBufferModel::l2_sent() {
  if (watch_.broken) check_sent();
  to_l2_.pop_front();
}

// ---- reset of depths ----

bool ZBufferModel::idle() const { return entries_in_use() == 0 && to_l2_.empty() && to_reset_.empty(); }

void ZBufferModel::reset_depths() {
  cache_.invalidate();
  to_reset_.assign(written_.rbegin(), written_.rend());
  written_.clear();
  ++counters_.resets;
}

// ---- time ----

bool ZBufferModel::clock(Cycle now) {
  settle(now - 1);
  bool happened = schedule(now);
  happened |= compare(now);
  if (!to_reset_.empty() && !to_l2_.full()) {
    DepthLine none;
    none.fill(kNoDepth);
    push(L2Request::Op::kDepthWrite, to_reset_.back(), now).depths = none;
    to_reset_.pop_back();
    happened = true;
  }
  account(1);
  accounted_ = now;
  return happened;
}

void ZBufferModel::settle(Cycle now) {
  if (accounted_ == base::kNever || now == base::kNever || now <= accounted_) return;
  account(now - accounted_);
  accounted_ = now;
}

void ZBufferModel::account(Cycle clocks) {
  counters_.occupancy_cycles += clocks * entries_in_use();
  if (free_ == 0) counters_.full_cycles += clocks;
  counters_.stalls[static_cast<unsigned>(stall_)] += clocks;
  if (compare_stall_) counters_.compare_stalls += clocks;
}

base::Cycle ZBufferModel::next(Cycle now, bool happened) const {
  if (happened) return now + 1;
  Cycle due = base::kNever;
  for (const base::Ring<Due>* ring : {&hits_, &filled_, &done_})
    if (!ring->empty() && ring->front().from > now) due = std::min(due, ring->front().from);
  if (!to_l2_.empty() && to_l2_.front().pushed == now) due = now + 1;
  return due;
}

}  // namespace heddle::determinism
