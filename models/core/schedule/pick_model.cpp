#include "core/schedule/pick_model.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

namespace heddle::core {
namespace {

bool has(std::uint64_t set, std::uint32_t slot) { return (set >> slot & 1u) != 0; }
std::uint32_t lowest(std::uint64_t set) { return static_cast<std::uint32_t>(std::countr_zero(set)); }

}  // namespace

std::uint32_t PickModel::chosen(const PickPins& pins) const {
  if (greedy_ && !pins.stalled && has(pins.candidates, last_)) return last_;
  if (order_ != Order::kGreedyOldest) {
    const std::uint64_t behind = pins.candidates & (~std::uint64_t{1} << last_);
    return lowest(behind != 0 ? behind : pins.candidates);
  }
  const auto oldest =
      std::ranges::find_if(by_age_, [&](std::uint32_t slot) { return has(pins.candidates, slot); });
  return oldest != by_age_.end() ? *oldest : lowest(pins.candidates);
}

PickGrant PickModel::grant(const PickPins& pins, Cycle /*cycle*/) {
  PickGrant grant{.valid = pins.candidates != 0, .last = last_, .greedy = greedy_};
  if (grant.valid) grant.slot = chosen(pins);
  return grant;
}

void PickModel::edge(const PickPins& pins, Cycle /*cycle*/) {
  if (pins.issued) last_ = *pins.issued;
  if (order_ == Order::kRoundRobin) return;
  greedy_ =
      (pins.issued.has_value() || (greedy_ && !pins.stalled)) && !pins.rotate && !has(pins.assign, last_);
  if (pins.rotate && !by_age_.empty()) std::ranges::rotate(by_age_, by_age_.begin() + 1);
  std::erase_if(by_age_, [&](std::uint32_t slot) { return has(pins.leave | pins.assign, slot); });
  for (std::uint64_t rest = pins.assign; rest != 0; rest &= rest - 1) by_age_.push_back(lowest(rest));
}

nlohmann::ordered_json PickModel::show() const {
  nlohmann::ordered_json json{{"last", last_}};
  if (order_ == Order::kRoundRobin) return json;
  json["greedy"] = greedy_;
  json["oldest_first"] = by_age_;
  return json;
}

}  // namespace heddle::core
