#include "simt/split_unit.h"

#include <algorithm>

#include "sim/twin_difference.h"

namespace heddle::simt {

namespace {

nlohmann::ordered_json shown_split(Pc pc) {
  return pc == kNoPc ? nlohmann::ordered_json("-") : nlohmann::ordered_json(pc.value());
}

nlohmann::ordered_json shown_split(const SplitPins& pins) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (std::uint32_t r = 0; r < pins.events.size(); ++r) {
    const SplitEvent* const event = pins.events[r];
    if (event == nullptr) continue;
    nlohmann::ordered_json json{{"requester", r},
                                {"op", kSplitOpNames[static_cast<unsigned>(event->op)]},
                                {"warp", event->warp.value()},
                                {"split", event->split.value()},
                                {"lanes", event->lanes.to_string()},
                                {"next", shown_split(event->next)},
                                {"rpc", shown_split(event->rpc)}};
    for (const Side& side : event->sides)
      json["sides"].push_back({{"pc", shown_split(side.pc)}, {"lanes", side.lanes.to_string()}});
    all.push_back(json);
  }
  return all;
}

nlohmann::ordered_json shown_split(const std::optional<std::uint32_t>& ready) {
  return {{"ready", ready ? nlohmann::ordered_json(*ready) : nlohmann::ordered_json(nullptr)}};
}

nlohmann::ordered_json shown_split(const std::optional<SplitAnswer>& answer) {
  if (!answer) return {{"answer", nullptr}};
  nlohmann::ordered_json json{{"warp", answer->warp.value()},
                              {"state", static_cast<unsigned>(answer->state)}};
  if (answer->state != SplitAnswer::State::kEnded) json["split"] = answer->split.value();
  if (answer->state == SplitAnswer::State::kRuns) {
    json["pc"] = shown_split(answer->pc);
    json["watch"] = shown_split(answer->watch);
    json["mask"] = answer->mask.to_string();
  }
  return {{"answer", json}};
}

nlohmann::ordered_json shown_split(const MeetingPoint& point) {
  if (!point.exists()) return nullptr;
  return {{"r_index", point.index.value()},
          {"pc", shown_split(point.pc)},
          {"frame", point.frame},
          {"kind", static_cast<unsigned>(point.kind)}};
}

nlohmann::ordered_json shown_split(const SplitContents& contents) {
  nlohmann::ordered_json json{{"queue", nlohmann::ordered_json::array()},
                              {"points", nlohmann::ordered_json::array()}};
  for (const auto& [id, blocked, split] : contents.queue)
    json["queue"].push_back({{"split", id.value()},
                             {"blocked", blocked},
                             {"pc", shown_split(split.pc)},
                             {"mask", split.mask.to_string()},
                             {"frame", split.frame},
                             {"rpc", shown_split(split.rpc)}});
  for (const auto& [id, entry] : contents.points)
    json["points"].push_back({{"point", id.value()},
                              {"pc", shown_split(entry.pc)},
                              {"frame", entry.frame},
                              {"rec", entry.rec.to_string()},
                              {"pend", entry.pend.to_string()},
                              {"rpc", shown_split(entry.rpc)}});
  return json;
}

}  // namespace

std::optional<std::uint32_t> SplitTwin::clock(const SplitPins& pins, std::optional<std::uint32_t> model,
                                              Cycle cycle) {
  const auto ready = unit_->grant(pins);
  if (both_ && ready != model) {
    WarpId warp{};
    if (const auto who = model ? model : ready) warp = pins.events[*who]->warp;
    sim::report_difference({SplitUnitBlock::kName, path_, cycle, shown_split(pins), shown_split(model),
                            shown_split(ready), shown_split(contents_(warp)),
                            shown_split(unit_->read(warp))});
  }
  // A launch may have ended, and the next begun, within a cycle of the core's.
  pins_ = std::max(pins_ + 1, cycle);
  unit_->edge(pins, pins_);
  return ready;
}

void SplitTwin::expect(Cycle cycle, const SplitAnswer& answer) {
  ++outstanding_;
  if (both_) expected_.push_back({cycle, answer});
}

std::optional<SplitAnswer> SplitTwin::answer(Cycle cycle) {
  const auto answer = unit_->answer();
  if (both_) {
    std::optional<SplitAnswer> model;
    if (!expected_.empty() && expected_.front().cycle == cycle) model = expected_.front().answer;
    const bool same = model == answer;
    SplitContents right, other;
    if (answer || model) {
      const WarpId warp = (model ? model : answer)->warp;
      right = contents_(warp);
      other = unit_->read(warp);
    }
    if (!same || !(right == other))
      sim::report_difference({SplitUnitBlock::kName, path_, cycle, "no request: an answer",
                              shown_split(model), shown_split(answer), shown_split(right),
                              shown_split(other)});
    if (model) expected_.pop_front();
  }
  if (answer) --outstanding_;
  return answer;
}

}  // namespace heddle::simt
