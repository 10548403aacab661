#include "core/fetch/instruction_cache.h"

#include <algorithm>

namespace heddle::core {

InstructionCacheModel::InstructionCacheModel(const InstructionCacheConfig& config)
    : config_(config), tags_(cache::tag_array_of(config)) {}

bool InstructionCacheModel::hit(std::uint64_t line) {
  if (line == recent_) return true;
  const std::uint32_t frame = tags_.find(line / config_.line_bytes, line);
  if (frame == cache::TagArray::kNone) return false;
  tags_.use(frame);
  recent_ = line;
  return true;
}

bool InstructionCacheModel::pending(std::uint64_t line) const {
  return std::find(pending_.begin(), pending_.end(), line) != pending_.end();
}

void InstructionCacheModel::place(std::uint64_t line) {
  const std::uint64_t number = line / config_.line_bytes;
  if (tags_.find(number, line) == cache::TagArray::kNone) tags_.place(tags_.victim(number), line);
}

void InstructionCacheModel::fill(std::uint64_t line) {
  std::erase(pending_, line);
  if (line >= expected_begin_ && line < expected_end_) [[unlikely]]
    place_expected();
  place(line);
  recent_ = line;
}

void InstructionCacheModel::place_expected() {
  for (; expected_begin_ < expected_end_; expected_begin_ += config_.line_bytes) place(expected_begin_);
}

bool InstructionCacheModel::fetch_held(std::uint64_t line, Cycle now) {
  if (!held_ || line < expected_begin_ || line >= expected_end_) return false;
  place_expected();
  arrives_ = now + config_.second_latency_cycles;
  return true;
}

void InstructionCacheModel::flush() {
  tags_.clear();
  recent_ = cache::TagArray::kEmpty;
}

InstructionCache::InstructionCache(const sc_core::sc_module_name& name, const InstructionCacheConfig& config,
                                   base::CoreId core, sim::MemoryPool& pool, base::StatGroup& stats)
    : sc_module(name), config_(config), core_(core), pool_(pool), model_(config) {
  stats.counter("accesses", "fetches", "fetches looked up", &accesses_);
  stats.counter("misses", "fetches", "fetches that asked L2 for a line", &misses_);
  if (config.second_latency_cycles != 0)
    stats.counter("second_hits", "fetches",
                  "fetches that asked the second level for a line, and others with it", &second_hits_);
  stats.counter("merges", "fetches", "fetches that joined a fill already under way", &merges_);
  stats.counter("stalls", "attempts", "misses that found no MSHR or no room towards the crossbar", &stalls_);
  stats.counter("fills", "lines", "lines returned by L2", &fills_);
}

void InstructionCache::serve(L1iRequest& request) {
  if (request.op != L1iRequest::Op::kFetch) [[unlikely]]
    return begin_launch(request);
  request.result = L1iRequest::Result::kHit;
  if (!config_.enabled || model_.hit(request.line)) {
    ++accesses_;
    request.late = model_.late(request.cycle);
    return;
  }
  if (model_.fetch_held(request.line, request.cycle)) {
    ++accesses_;
    ++second_hits_;
    request.late = model_.late(request.cycle);
    return;
  }
  request.result = L1iRequest::Result::kMiss;
  if (model_.pending(request.line)) {
    ++accesses_;
    ++merges_;
    return;
  }
  const bool room = port_isock.room(PortClient::kInstruction);
  if (!model_.mshr_free() || !room) {
    ++stalls_;
    request.result = L1iRequest::Result::kStall;
    return;
  }
  ++accesses_;
  ++misses_;
  model_.start_fill(request.line);
  sim::MemoryTransaction& read = pool_.allocate(sim::MemoryOp::kRead, request.line, config_.line_bytes);
  read.extension.core = core_;
  port_isock.send(PortClient::kInstruction, read);
}

void InstructionCache::begin_launch(const L1iRequest& request) {
  if (request.op == L1iRequest::Op::kFlush)
    model_.flush();
  else
    model_.expect(request.line, request.end, request.op == L1iRequest::Op::kHold);
}

void InstructionCache::take_response(PortResponse& response) {
  L1iRefill refill{response.payload->get_address()};
  ++fills_;
  model_.fill(refill.line);
  refill_isock.call(refill);
}

}  // namespace heddle::core
