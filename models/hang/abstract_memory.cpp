#include "hang/abstract_memory.h"

namespace heddle::hang {
namespace {

/// A word that grew in this many rounds is treated as a counter: its set of values has no end.
constexpr std::uint32_t kMostWordGrowths = 6;

}  // namespace

AbstractMemory::Cell& AbstractMemory::cell(const Word& word) {
  const auto [entry, is_new] = cells_.try_emplace(word);
  Cell& cell = entry->second;
  if (!is_new) return cell;
  std::uint32_t now = 0;
  if (!snapshot_.memory->read(word, now)) return cell;
  std::vector<std::uint64_t> possible{now};
  snapshot_.memory->others(word, possible);
  cell.values = values_.set(std::move(possible));
  return cell;
}

Values AbstractMemory::load(const Word& word, std::uint32_t core, bool through_l1) {
  if (!forgotten_.empty() && forgotten_.contains(word)) return kAnyValue;
  const Values there = cell(word).values;
  if (!through_l1 || word.space != Word::Space::kDevice || there == kAnyValue) return there;
  if (snapshot_.memory->on_its_way(core, word.address)) return kAnyValue;
  const auto [entry, is_new] = stale_.try_emplace({word.space, core, word.address}, kAnyValue);
  if (is_new) {
    std::vector<std::uint64_t> more;
    snapshot_.memory->stale(core, word.address, more);
    if (!more.empty()) entry->second = values_.set(std::move(more));
  }
  return entry->second == kAnyValue ? there : values_.join(there, entry->second);
}

void AbstractMemory::store(const Word& word, Values written) {
  Cell& target = cell(word);
  const Values joined = values_.join(target.values, written);
  if (joined == target.values) return;
  if (target.grown_in != round_) {
    target.grown_in = round_;
    ++target.growths;
  }
  target.values = target.growths > kMostWordGrowths ? kAnyValue : joined;
  changed_.insert(word);
  grew_ = true;
}

bool AbstractMemory::next_round() {
  const bool grew = grew_;
  grew_ = false;
  ++round_;
  return grew;
}

bool AbstractMemory::varies(const Word& word) {
  const Values values = cell(word).values;
  return values == kAnyValue || values_.size(values) > 1;
}

}  // namespace heddle::hang
