#include "core/memory/constant_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace heddle::core {

ConstantCacheModel::ConstantCacheModel(const ConstantCacheConfig& config, sim::ProgressMonitor& progress)
    : line_shift_(static_cast<std::uint32_t>(std::countr_zero(config.line_bytes))),
      line_mask_(config.line_bytes - 1),
      first_{cache::tag_array_of(config), {}},
      immediate_latency_(config.immediate_latency_cycles),
      mshrs_(config.mshr_entries, config.mshr_targets, config.line_bytes),
      progress_(progress) {
  first_.data.resize(std::size_t{first_.tags.frames()} * config.line_bytes);
  arrivals_.resize(first_.tags.frames());
  if (config.immediate_kib != 0) {
    ConstantCacheConfig immediate = config;
    immediate.size_kib = config.immediate_kib;
    immediates_.emplace(cache::tag_array_of(immediate));
    immediate_arrivals_.resize(immediates_->frames());
  }
  if (config.second_kib == 0) return;
  ConstantCacheConfig second = config;
  second.size_kib = config.second_kib;
  second.ways = config.second_ways;
  second_.emplace(Level{cache::tag_array_of(second), {}});
  second_->data.resize(std::size_t{second_->tags.frames()} * config.line_bytes);
}

const unsigned char* ConstantCacheModel::look_up(std::uint64_t address) {
  const std::uint64_t line = line_of(address);
  if (first_.tags.tag(last_) != line) {
    const std::uint32_t frame = first_.tags.find(line >> line_shift_, line);
    if (frame == cache::TagArray::kNone) return nullptr;
    last_ = frame;
  }
  first_.tags.use(last_);
  ++hits;
  return bytes_of(first_, last_) + (address & line_mask_);
}

const unsigned char* ConstantCacheModel::look_up_second(std::uint64_t address, Cycle arrival) {
  if (!second_) return nullptr;
  const std::uint64_t line = line_of(address);
  const std::uint32_t frame = second_->tags.find(line >> line_shift_, line);
  if (frame == cache::TagArray::kNone) return nullptr;
  second_->tags.use(frame);
  ++second_hits;
  last_ = install(first_, line, bytes_of(*second_, frame));
  arrivals_[last_] = arrival;
  return bytes_of(first_, last_) + (address & line_mask_);
}

Cycle ConstantCacheModel::immediate(const isa::BankWord& word, Cycle now) {
  const std::uint64_t number = word.offset >> line_shift_, tag = std::uint64_t{word.bank} << 32 | number;
  std::uint32_t frame = immediates_->find(number, tag);
  if (frame == cache::TagArray::kNone) {
    // What a launch sets is in the second level from its beginning.
    if (word.address != 0) {
      const std::uint64_t line = line_of(word.address);
      const std::uint32_t second = second_->tags.find(line >> line_shift_, line);
      if (second == cache::TagArray::kNone) return kNever;
      second_->tags.use(second);
    }
    ++immediate_misses;
    frame = immediates_->victim(number);
    immediates_->place(frame, tag);
    immediate_arrivals_[frame] = now + immediate_latency_;
  }
  immediates_->use(frame);
  return std::max(immediate_arrivals_[frame], now) - now;
}

std::uint32_t ConstantCacheModel::install(Level& level, std::uint64_t line,
                                          const unsigned char* bytes) const {
  const std::uint32_t victim = level.tags.victim(line >> line_shift_);
  level.tags.place(victim, line);
  level.empty = false;
  std::memcpy(bytes_of(level, victim), bytes, std::size_t{1} << line_shift_);
  return victim;
}

ConstantCacheModel::Miss ConstantCacheModel::miss(std::uint64_t address, ConstantTarget target, bool may_send,
                                                  std::uint32_t& mshr) {
  const std::uint64_t line = line_of(address);
  const Waiting waiting{target, static_cast<std::uint32_t>(address & line_mask_)};
  if (const std::uint32_t under_way = mshrs_.find(line); under_way != mshrs_.kNone) {
    if (target.op == ConstantTarget::kNobody) return Miss::kMerged;  // who asks again takes no targets
    if (!mshrs_.add(under_way, waiting)) return Miss::kStall;
    ++merges;
    return Miss::kMerged;
  }
  if (mshrs_.full()) return Miss::kStall;
  if (!may_send) return Miss::kNoPort;
  ++misses;
  mshr = mshrs_.allocate(line, waiting);
  return Miss::kSend;
}

void ConstantCacheModel::fill(std::uint32_t mshr, const unsigned char* line) {
  const std::uint64_t tag = mshrs_.line(mshr);
  const Waiting* const targets = mshrs_.targets(mshr);
  const bool read = std::any_of(targets, targets + mshrs_.target_count(mshr), [](const Waiting& waiting) {
    return waiting.target.op != ConstantTarget::kNobody;
  });
  if (read) arrivals_[install(first_, tag, line)] = 0;
  if (second_) install(*second_, tag, line);
  mshrs_.release(mshr);
  ++fills;
  progress_.memory_changed();
}

void ConstantCacheModel::invalidate() {
  clear(first_);
  if (second_) clear(*second_);
  if (immediates_) immediates_->clear();
}

void ConstantCacheModel::hold(std::uint64_t address, std::span<const std::byte> bytes) {
  if (!second_) return;
  const std::uint64_t size = line_mask_ + 1, end = address + bytes.size();
  for (std::uint64_t line = line_of(address + line_mask_); line + size <= end; line += size)
    install(*second_, line, reinterpret_cast<const unsigned char*>(bytes.data()) + (line - address));
}

std::optional<std::uint64_t> ConstantCacheModel::any_line() const {
  for (const Level* level : {&first_, second_ ? &*second_ : nullptr}) {
    if (level == nullptr) continue;
    const auto found = std::ranges::find_if(level->tags.tags(),
                                            [](std::uint64_t tag) { return tag != cache::TagArray::kEmpty; });
    if (found != level->tags.tags().end()) return *found;
  }
  return std::nullopt;
}

ConstantCache::ConstantCache(const sc_core::sc_module_name& name, const ConstantCacheConfig& config,
                             base::CoreId core, sim::MemoryPool& pool, sim::ProgressMonitor& progress,
                             base::StatGroup& stats)
    : sc_module(name), config_(config), core_(core), pool_(pool), model_(config, progress) {
  stats.counter("hits", "addresses", "reads that found their line (each address of a warp load is one read)",
                &model_.hits);
  if (config.second_kib != 0)
    stats.counter("second_hits", "addresses", "reads that found their line in the second level",
                  &model_.second_hits);
  if (config.immediate_kib != 0)
    stats.counter("immediate_misses", "lines", "lines that operands at fixed places had to wait for",
                  &model_.immediate_misses);
  stats.counter("misses", "addresses", "reads that fetched a line", &model_.misses);
  stats.counter("merges", "addresses", "reads that joined a fetch already under way", &model_.merges);
  stats.counter("fills", "lines", "lines returned by L2", &model_.fills);
}

void ConstantCache::inspect(ConstantRequest& request) {
  const std::optional<std::uint64_t> line = model_.any_line();
  request.result = line ? ConstantRequest::Result::kHit : ConstantRequest::Result::kMiss;
  request.address = line.value_or(0);
}

void ConstantCache::serve(ConstantRequest& request) {
  using Result = ConstantRequest::Result;
  if (request.op == ConstantRequest::Op::kInvalidate) {
    model_.invalidate();
    return;
  }
  if (request.op == ConstantRequest::Op::kHold) {
    model_.hold(request.address, request.held);
    return;
  }
  if (request.op == ConstantRequest::Op::kImmediate) {
    request.result = Result::kHit;
    request.late = model_.immediate(*request.word, request.cycle);
    if (request.late != kNever) return;
    request.address = request.word->address;
    request.target.op = ConstantTarget::kNobody;
    fetch(request);
    return;
  }
  request.data = model_.look_up(request.address);
  if (request.data != nullptr) {
    request.result = Result::kHit;
    request.late = model_.until_arrival(request.cycle);
    return;
  }
  const Cycle late = config_.second_latency_cycles - config_.latency_cycles;
  request.data = model_.look_up_second(request.address, request.cycle + late);
  if (request.data != nullptr) {
    request.result = Result::kHit;
    request.late = late;
    return;
  }
  fetch(request);
}

void ConstantCache::fetch(ConstantRequest& request) {
  using Result = ConstantRequest::Result;
  std::uint32_t mshr = 0;
  const bool room = port_isock.room(PortClient::kConstant);
  switch (model_.miss(request.address, request.target, room, mshr)) {
    case ConstantCacheModel::Miss::kStall:
      request.result = Result::kStall;
      return;
    case ConstantCacheModel::Miss::kNoPort:
      request.result = Result::kNoPort;
      return;
    case ConstantCacheModel::Miss::kMerged:
      request.result = Result::kMiss;
      return;
    case ConstantCacheModel::Miss::kSend:
      break;
  }
  request.result = Result::kMiss;
  sim::MemoryTransaction& read =
      pool_.allocate(sim::MemoryOp::kRead, model_.line_of(request.address), config_.line_bytes);
  read.extension.core = core_;
  read.extension.tag = mshr;
  read.extension.issued_at = request.cycle;
  port_isock.send(PortClient::kConstant, read);
}

void ConstantCache::take_response(PortResponse& response) {
  const std::uint32_t mshr = sim::memory_extension(*response.payload).tag;
  const unsigned char* line = response.payload->get_data_ptr();
  model_.fill(mshr, line);
  const ConstantCacheModel::Waiting* targets = model_.mshrs().targets(mshr);
  const std::uint32_t count = model_.mshrs().target_count(mshr);
  for (std::uint32_t i = 0; i < count; ++i)
    if (targets[i].target.op != ConstantTarget::kNobody)
      value_isock.call({targets[i].target, line + targets[i].offset, response.cycle});
}

}  // namespace heddle::core
