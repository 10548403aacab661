#include "simt/lockstep.h"

#include <algorithm>

#include "sim/twin_difference.h"

namespace heddle::simt {
namespace {

nlohmann::ordered_json show(Pc pc) {
  return pc == kNoPc ? nlohmann::ordered_json("-") : nlohmann::ordered_json(pc.value());
}

bool same(const GroupUpdate& left, const GroupUpdate& right) {
  if (left.group != right.group || left.change != right.change || left.hold != right.hold) return false;
  if (left.change == GroupChange::kVanished || left.change == GroupChange::kHeld) return true;
  if (left.change == GroupChange::kBlocked && left.cause != right.cause) return false;
  return left.pc == right.pc && left.watch == right.watch && left.also_watch == right.also_watch &&
         left.mask == right.mask;
}

nlohmann::ordered_json show(const GroupUpdate& update) {
  nlohmann::ordered_json json{{"group", update.group.value()},
                              {"change", kGroupChangeNames[static_cast<unsigned>(update.change)]}};
  if (update.change == GroupChange::kVanished) return json;
  json["pc"] = show(update.pc);
  json["watch"] = show(update.watch);
  if (update.also_watch != kNoPc) json["also_watch"] = show(update.also_watch);
  json["mask"] = update.mask.to_string();
  return json;
}

}  // namespace

nlohmann::ordered_json show_request(const ControlFlowRequest& request) {
  nlohmann::ordered_json json{{"event", event_name(request)},       {"warp", request.warp.value()},
                              {"group", request.group.value()},     {"mask", request.mask.to_string()},
                              {"taken", request.taken.to_string()}, {"target", show(request.target)},
                              {"next", show(request.next)},         {"rpc", show(request.rpc)}};
  if (request.lane_target != nullptr) {
    nlohmann::ordered_json targets = nlohmann::ordered_json::object();
    request.taken.for_each(
        [&](unsigned lane) { targets[std::to_string(lane)] = show(request.lane_target[lane]); });
    json["lane_target"] = targets;
  }
  return json;
}

nlohmann::ordered_json show_answer(const ControlFlowRequest& request) {
  nlohmann::ordered_json updates = nlohmann::ordered_json::array();
  for (const GroupUpdate& update : request.updates) updates.push_back(show(update));
  return {{"updates", updates}, {"diverged", request.diverged}, {"call_depth", request.call_depth}};
}

bool same_answer(const ControlFlowRequest& left, const ControlFlowRequest& right) {
  return left.diverged == right.diverged && left.due == right.due && left.call_depth == right.call_depth &&
         std::equal(left.updates.begin(), left.updates.end(), right.updates.begin(), right.updates.end(),
                    same);
}

namespace {

/// A control-flow mechanism as a block of sim::ask_both.
struct ControlFlowLockstep {
  using Request = ControlFlowRequest;
  /// Refers to the answered request.
  struct Answer {
    const Request& of;
    friend bool operator==(const Answer& left, const Answer& right) { return same_answer(left.of, right.of); }
  };
  static Answer answer_of(const Request& answered) { return {answered}; }
  static nlohmann::ordered_json show_request(const Request& request) { return simt::show_request(request); }
  static nlohmann::ordered_json show_answer(const Answer& answer) { return simt::show_answer(answer.of); }
  template <class Inspect>
  static nlohmann::ordered_json show_tables(const Request& request, Inspect inspect) {
    nlohmann::ordered_json tables;
    Request look;
    look.warp = request.warp;
    look.table = &tables;
    inspect(look);
    return tables;
  }
};

}  // namespace

void LockstepControlFlow::handle(ControlFlowRequest& request) {
  sim::ask_both<ControlFlowLockstep>(*model_, *rtl_, request, {block_, path_, request.cycle});
  for (const GroupUpdate& update : request.updates) answer(update);
}

}  // namespace heddle::simt
