#include "core/fetch/line_supply.h"

#include <algorithm>

namespace heddle::core {
namespace {

cache::TagArray tags_of(const L0InstructionCacheConfig& config, std::uint32_t line_bytes) {
  struct {
    std::uint32_t size_kib, line_bytes, ways;
    const cache::ReplacementChoice& replacement;
  } const shape{config.size_kib, line_bytes, config.ways, config.replacement};
  return cache::tag_array_of(shape);
}

}  // namespace

LineSupplyModel::LineSupplyModel(const L0InstructionCacheConfig& config, std::uint32_t line_bytes,
                                 LineSupplyCounters& counters)
    : line_bytes_(line_bytes),
      stream_lines_(config.stream_buffer_lines),
      tags_(tags_of(config, line_bytes)),
      counters_(&counters) {
  stream_.reserve(stream_lines_);
}

void LineSupplyModel::begin_launch(std::uint64_t code_end, bool keeps_lines) {
  waited_for_.clear();
  stream_.clear();
  wants_ = false;
  code_end_ = code_end;
  next_ = code_end;
  if (keeps_lines) return;
  tags_.clear();
  recent_ = cache::TagArray::kEmpty;
}

void LineSupplyModel::place(std::uint64_t line) {
  tags_.place(tags_.victim(line / line_bytes_), line);
  recent_ = line;
}

void LineSupplyModel::extend() {
  for (; stream_.size() < stream_lines_ && next_ < code_end_; next_ += line_bytes_) {
    stream_.push_back({next_});
    wants_ = true;
  }
}

bool LineSupplyModel::find(std::uint64_t line) {
  if (const std::uint32_t frame = tags_.find(line / line_bytes_, line); frame != cache::TagArray::kNone) {
    tags_.use(frame);
    recent_ = line;
    return true;
  }
  const auto is_it = [line](const Line& other) { return other.address == line; };
  if (std::ranges::any_of(waited_for_, is_it)) return false;
  const auto ahead = std::ranges::find_if(stream_, is_it);
  if (ahead == stream_.end()) {
    ++counters_->misses;
    waited_for_.push_back({line});
    wants_ = true;
    stream_.clear();
    next_ = line + line_bytes_;
    extend();
    return false;
  }
  const Line found = *ahead;
  stream_.erase(stream_.begin(), ahead + 1);
  extend();
  if (found.arrived) {
    ++counters_->stream_hits;
    place(line);
    return true;
  }
  ++counters_->late;
  waited_for_.push_back(found);
  return false;
}

std::uint64_t LineSupplyModel::wanted() const {
  for (const std::vector<Line>* const lines : {&waited_for_, &stream_})
    for (const Line& each : *lines)
      if (!each.asked) return each.address;
  return cache::TagArray::kEmpty;
}

void LineSupplyModel::asked(std::uint64_t line) {
  const auto is_it = [line](const Line& other) { return other.address == line; };
  if (const auto waited = std::ranges::find_if(waited_for_, is_it); waited != waited_for_.end()) {
    waited->asked = true;
  } else if (const auto ahead = std::ranges::find_if(stream_, is_it); ahead != stream_.end()) {
    ahead->asked = true;
    ++counters_->prefetches;
  }
  wants_ = wanted() != cache::TagArray::kEmpty;
}

bool LineSupplyModel::awaits(std::uint64_t line) const {
  const auto waits = [line](const Line& each) { return each.address == line && each.asked && !each.arrived; };
  return std::ranges::any_of(waited_for_, waits) || std::ranges::any_of(stream_, waits);
}

bool LineSupplyModel::arrived(std::uint64_t line) {
  const auto is_it = [line](const Line& other) { return other.address == line; };
  if (const auto waited = std::ranges::find_if(waited_for_, is_it); waited != waited_for_.end()) {
    waited_for_.erase(waited);
    place(line);
    return true;
  }
  if (const auto ahead = std::ranges::find_if(stream_, is_it); ahead != stream_.end()) ahead->arrived = true;
  return false;
}

}  // namespace heddle::core
