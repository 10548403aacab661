#include "simt/stack_unit.h"

#include <algorithm>
#include <utility>

#include "sim/twin_difference.h"

namespace heddle::simt {

namespace {

bool arrived(const StackEntry& entry) { return entry.pc == entry.rpc && entry.rpc != kNoPc; }

}  // namespace

StackUnitModel::StackUnitModel(std::uint32_t warps, std::uint32_t requesters, FirstSide first_side,
                               StackLimits limits)
    : stacks_(warps),
      requesters_(requesters),
      first_side_(first_side),
      limits_(limits),
      last_(requesters - 1) {}

// ---- Clock

std::optional<std::uint32_t> StackUnitModel::grant(const StackPins& pins, Cycle /*cycle*/) {
  if (busy_ > 1) return std::nullopt;
  for (std::uint32_t i = 1; i <= requesters_; ++i)
    if (const std::uint32_t r = (last_ + i) % requesters_; pins.requests[r]) return r;
  return std::nullopt;
}

void StackUnitModel::edge(const StackPins& pins, Cycle cycle) {
  const auto served = grant(pins, cycle);
  answer_ = {};
  if (busy_ != 0 && --busy_ == 0) answer_ = pending_;
  if (!served) return;
  last_ = *served;
  serve(*pins.requests[*served]);
  busy_ = cost(work_).answer - 1;  // stage 1 takes a cycle
}

// ---- A request

void StackUnitModel::serve(const StackRequest& request) {
  StackContents& stack = stacks_.at(request.warp.value());
  work_ = {};
  pending_ = {.valid = true, .warp = request.warp};
  StackContents after = stack;
  work(request, after);
  if (pending_.error == StackAnswer::Error::kNone)
    stack = std::move(after);
  else
    work_ = {}, pending_.diverged = false, pending_.reconverged = false;
  pending_.depth = static_cast<std::uint32_t>(stack.entries.size());
  pending_.at_barrier = stack.at_barrier;
  if (!stack.entries.empty()) pending_.top = stack.entries.back();
}

void StackUnitModel::work(const StackRequest& request, StackContents& stack) {
  Entries& entries = stack.entries;
  switch (request.op) {
    case StackOp::kLaunch:
      entries.assign(1, {request.next, kNoPc, request.lanes});
      stack.at_barrier = false;
      return;
    case StackOp::kAdvance:
      entries.back().pc = request.next;
      return settle(entries);
    case StackOp::kBranch:
      return branch(request, entries);
    case StackOp::kCall: {
      const LaneMask taken = entries.back().mask & request.lanes;
      entries.back().pc = request.next;
      if (taken.none()) return settle(entries);
      if (entries.size() + 1 > limits_.depth)
        pending_.error = StackAnswer::Error::kDepth;
      else if (entries.back().frame + 1 == limits_.frames)
        pending_.error = StackAnswer::Error::kFrames;
      entries.push_back({request.target, kNoPc, taken, entries.back().frame + 1});
      return;
    }
    case StackOp::kReturn:
    case StackOp::kExit:
      return leave(request, entries);
    case StackOp::kArrive:
      entries.back().pc = request.next;
      stack.at_barrier = true;
      return;
    case StackOp::kRelease:
      stack.at_barrier = false;
      return settle(entries);
    case StackOp::kSplit: {
      StackEntry& top = entries.back();
      if (top.rpc == request.rpc) return;
      if (entries.size() + 1 > limits_.depth) pending_.error = StackAnswer::Error::kDepth;
      StackEntry divided = top;
      divided.rpc = request.rpc;
      top.pc = request.rpc;
      entries.push_back(divided);
      return;
    }
    case StackOp::kSide:
      return side(request, entries);
  }
}

void StackUnitModel::branch(const StackRequest& request, Entries& entries) {
  StackEntry& top = entries.back();
  const LaneMask taken = top.mask & request.lanes;
  const LaneMask others = LaneMask::difference(top.mask, request.lanes);
  if (taken.none() || others.none()) {
    top.pc = taken.any() ? request.target : request.next;
    return settle(entries);
  }
  pending_.diverged = true;
  const StackEntry to{request.target, request.rpc, taken, top.frame},
      on{request.next, request.rpc, others, top.frame};
  const bool taken_first =
      first_side_ == FirstSide::kSmaller ? taken.count() < others.count() : first_side_ == FirstSide::kTaken;
  const bool keep = top.rpc != request.rpc;
  std::uint32_t pushes = 0;
  if (keep)
    top.pc = request.rpc;
  else
    entries.pop_back();
  for (const StackEntry& each : {taken_first ? on : to, taken_first ? to : on}) {
    if (each.pc == request.rpc) continue;
    entries.push_back(each);
    ++pushes;
  }
  if (entries.size() > limits_.depth) pending_.error = StackAnswer::Error::kDepth;
  if (keep && pushes == 2) work_.pushes = 1;
  if (!keep && pushes == 0) {
    work_.pops = 1;
    settle(entries);
  }
}

void StackUnitModel::leave(const StackRequest& request, Entries& entries) {
  const std::uint32_t frame = entries.back().frame;
  const LaneMask gone = entries.back().mask & request.lanes;
  entries.back().pc = request.next;
  for (StackEntry& entry : entries)
    if (request.op == StackOp::kExit || entry.frame == frame)
      entry.mask = LaneMask::difference(entry.mask, gone);
  const std::size_t before = entries.size();
  std::erase_if(entries, [](const StackEntry& entry) { return entry.mask.none(); });
  if (!entries.empty()) work_.pops = static_cast<std::uint32_t>(before - entries.size());
  settle(entries);
}

void StackUnitModel::side(const StackRequest& request, Entries& entries) {
  StackEntry& top = entries.back();
  const LaneMask others = LaneMask::difference(top.mask, request.lanes);
  if (others.none()) {
    top.pc = request.target;
    if (top.pc != top.rpc) return;
    entries.pop_back();
    work_.pops = 1;
    return settle(entries);
  }
  StackEntry below = top;
  below.pc = request.target;
  below.mask &= request.lanes;
  top.mask = others;
  if (request.target == top.rpc) return;
  if (entries.size() + 1 > limits_.depth) pending_.error = StackAnswer::Error::kDepth;
  entries.insert(std::prev(entries.end()), below);
}

void StackUnitModel::settle(Entries& entries) {
  while (!entries.empty() && arrived(entries.back())) {
    pending_.reconverged = true;
    entries.pop_back();
    ++work_.pops;
  }
}

// ---- Beside its twin

namespace {

using Json = nlohmann::ordered_json;

Json pc_json(Pc pc) { return pc == kNoPc ? Json("-") : Json(pc.value()); }
Json show(const StackEntry& entry) {
  return {{"pc", pc_json(entry.pc)},
          {"rpc", pc_json(entry.rpc)},
          {"mask", entry.mask.to_string()},
          {"frame", entry.frame}};
}
Json show(const StackPins& pins) {
  Json all = Json::array();
  for (std::uint32_t r = 0; r < pins.requests.size(); ++r)
    if (const auto& request = pins.requests[r])
      all.push_back({{"requester", r},
                     {"op", kStackOpNames[static_cast<unsigned>(request->op)]},
                     {"warp", request->warp.value()},
                     {"lanes", request->lanes.to_string()},
                     {"target", pc_json(request->target)},
                     {"next", pc_json(request->next)},
                     {"rpc", pc_json(request->rpc)}});
  return all;
}
Json show(const std::optional<std::uint32_t>& grant, const StackAnswer& answer) {
  Json json{{"ready", grant ? Json(*grant) : Json(nullptr)}};
  if (!answer.valid) return json;
  json["answer"] = {{"warp", answer.warp.value()}, {"error", static_cast<unsigned>(answer.error)},
                    {"depth", answer.depth},       {"at_barrier", answer.at_barrier},
                    {"diverged", answer.diverged}, {"reconverged", answer.reconverged}};
  if (answer.depth != 0) json["answer"]["top"] = show(answer.top);
  return json;
}
Json show(const StackContents& stack) {
  Json all = Json::array();
  for (const StackEntry& entry : stack.entries) all.push_back(show(entry));
  return all;
}

class LockstepStackUnit final : public StackUnit {
 public:
  LockstepStackUnit(std::string path, std::unique_ptr<StackUnit> model, std::unique_ptr<StackUnit> rtl)
      : path_(std::move(path)), model_(std::move(model)), rtl_(std::move(rtl)) {}

  [[nodiscard]] StackLimits limits() const override { return model_->limits(); }
  [[nodiscard]] StackAnswer answer() const override { return model_->answer(); }
  [[nodiscard]] std::optional<std::uint32_t> grant(const StackPins& pins, Cycle cycle) override {
    const auto right = model_->grant(pins, cycle), other = rtl_->grant(pins, cycle);
    const StackAnswer answer = model_->answer(), twins = rtl_->answer();
    if (right != other || !(answer == twins) || (answer.valid && !same_contents(answer.warp)))
      sim::report_difference({"simt_stack", path_, cycle, show(pins), show(right, answer), show(other, twins),
                              show(model_->read(answer.warp)), show(rtl_->read(answer.warp))});
    return right;
  }
  void edge(const StackPins& pins, Cycle cycle) override {
    (void)grant(pins, cycle);
    model_->edge(pins, cycle);
    rtl_->edge(pins, cycle);
  }
  [[nodiscard]] StackContents read(WarpId warp) const override { return model_->read(warp); }

 private:
  /// Between the requests of one event the top's PC means nothing.
  [[nodiscard]] bool same_contents(WarpId warp) const { return model_->read(warp) == rtl_->read(warp); }

  std::string path_;
  std::unique_ptr<StackUnit> model_;
  std::unique_ptr<StackUnit> rtl_;
};

}  // namespace

std::unique_ptr<StackUnit> lockstep_stack_unit(std::string path, std::unique_ptr<StackUnit> model,
                                               std::unique_ptr<StackUnit> rtl) {
  return std::make_unique<LockstepStackUnit>(std::move(path), std::move(model), std::move(rtl));
}

}  // namespace heddle::simt
