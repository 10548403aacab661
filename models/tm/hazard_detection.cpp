#include "tm/hazard_detection.h"

#include <algorithm>
#include <bit>

#include "tm/comparison/bf_array.h"
#include "tm/h3_hash.h"

namespace heddle::tm {
namespace {

RecencyBloomFilter::Hash h3(const CommitUnitConfig& config) {
  const auto bits = static_cast<unsigned>(std::countr_zero(config.history.buckets));
  return [hash = H3Hash(config.history.arrays, bits, config.hash_seed)](unsigned array, std::uint64_t key) {
    return hash(array, key);
  };
}

}  // namespace

std::unique_ptr<EventPort<HazardEvent>> make_hazard_model(const CommitUnitConfig& config,
                                                          const HazardRules& rules) {
  if (config.hazard_detection == HazardKind::kBfArray) return std::make_unique<BfArray>(config);
  return std::make_unique<HazardDetection>(config, rules);
}

Cid HazardWindow::base(Cid retired) const {
  // RCIDs are given in ascending order of time: the first that has not passed has the oldest.
  const auto oldest =
      std::ranges::find_if(begun_, [this](const auto& begun) { return begun.second >= passed_; });
  return oldest == begun_.end() ? retired : oldest->first;
}

HazardDetection::HazardDetection(const CommitUnitConfig& config, const HazardRules& rules)
    : rules_(rules),
      stored_bits_(config.stored_bits()),
      history_(config.history, h3(config), rules.history) {}

void HazardDetection::serve(HazardEvent& event) {
  switch (event.op) {
    case HazardEvent::Op::kBegin:
      window_.begin(event.since, event.row);
      break;
    case HazardEvent::Op::kLookUp:
    case HazardEvent::Op::kExplain: {
      const Cid end = rules_.window_ends_here ? event.row : event.youngest;
      event.writer = history_.lookup(event.word, {window_.base(event.retired), end, stored_bits_});
      if (event.writer && *event.writer < event.since) event.writer.reset();
      break;
    }
    case HazardEvent::Op::kReadsEnd:
      break;
    case HazardEvent::Op::kInsert: {
      // Earlier words of its own row are somebody's: the window ends behind it.
      const Cid end = rules_.window_ends_here ? event.row + event.count : event.youngest;
      history_.insert(event.word, *event.writer, {window_.base(event.retired), end, stored_bits_},
                      event.retired);
      break;
    }
    case HazardEvent::Op::kPass:
      window_.pass(event.row);
      break;
  }
}

}  // namespace heddle::tm
