// AnyTraffic: its requests, and the special cases they cover.
#include "stack_traffic.h"

namespace heddle::cosim {

using simt::ControlFlowEvent;
using simt::kNoPc;
using simt::LaneMask;
using simt::Pc;
using simt::StackEntry;
using simt::Transfer;
using Op = simt::StackOp;
using Error = simt::StackAnswer::Error;

AnyTraffic::AnyTraffic(bool small)
    : coverage({"launch over a stack",
                "advance, not to the RPC",
                "advance to the RPC",
                "branch of none",
                "branch of all",
                "branch of all to the RPC",
                "sides: meeting point kept, both pushed",
                "sides: meeting point kept, one pushed",
                "sides: meeting point kept, none pushed",
                "sides: meeting point there, both pushed",
                "sides: meeting point there, one pushed",
                "sides: meeting point there, none pushed",
                "sides meet at the end of the function",
                "sides of one size",
                "call by all",
                "call by some",
                "call by none",
                "call by none, to the RPC",
                "call from the RPC",
                "return of some",
                "return of all, others of the function go on",
                "return of the last",
                "return of the last, caller at its RPC",
                "return leaves several entries empty",
                "exit of some",
                "exit of some, the others at the RPC",
                "exit of all, others go on",
                "exit of all, others go on in the caller",
                "exit of all, the others are at their RPC",
                "exit leaves several entries empty",
                "exit of the last",
                "exit of the last, several entries",
                "barrier",
                "barrier at the RPC",
                "release",
                "release at the RPC",
                "indirect branch",
                "indirect branch, meeting point there",
                "indirect branch, a side at the RPC",
                "indirect branch, the last side at the RPC",
                "indirect call",
                "another warp's request within an event"}) {
  if (small)
    for (const char* event :
         {"full", "no room for one", "no room for two", "no room within an event", "too many calls"})
      coverage.declare(event);
}

BenchRequest AnyTraffic::launch(Warp& warp, std::mt19937& random) {
  BenchRequest request = make(warp, ControlFlowEvent::kLaunch);
  request.event.next = Pc{static_cast<std::uint32_t>(random() % 6)};
  request.event.mask =
      random() % 2 == 0 ? LaneMask::all() : LaneMask(static_cast<std::uint32_t>(random()) | 16u);
  return request;
}

std::optional<BenchRequest> AnyTraffic::event(Warp& warp, const StackReference& model, std::mt19937& random) {
  const auto& stack = model.entries(warp.id);
  const StackEntry& top = stack.back();
  const auto pc = [&] { return Pc{static_cast<std::uint32_t>(random() % 6)}; };
  const auto meeting_point = [&] {
    const unsigned kind = random() % 8;
    return kind == 0 ? kNoPc : kind < 3 ? top.rpc : pc();
  };
  // Stacks alternately grow and shrink.
  const bool grow = ++phase_ / 512 % 2 == 0;
  BenchRequest request = make(warp, ControlFlowEvent::kAdvance);
  simt::ControlFlowRequest& event = request.event;
  event.mask = top.mask;
  event.next = pc();
  event.target = pc();
  event.rpc = meeting_point();
  event.taken = some_lanes(top.mask, random);
  // Lanes that do not belong to the top have no effect.
  if (random() % 4 == 0)
    event.taken |= LaneMask::difference(LaneMask(static_cast<std::uint32_t>(random())), top.mask);
  for (Pc& target : request.lane_target) target = pc();
  const bool full = stack.size() == model.depth_limit();
  unsigned kind = random() % 32;
  if (full && kind < 18 && random() % 2 != 0) kind = 18 + random() % 14;
  if (kind < (grow ? 10u : 3u)) {
    event.set(Transfer::kJump);
    if (event.rpc != kNoPc && random() % 12 == 0) event.target = event.next = event.rpc;
  } else if (kind < (grow ? 13u : 4u)) {
    event.set(Transfer::kJump);
    request.by_lane = true;
  } else if (kind < (grow ? 18u : 7u)) {
    event.set(Transfer::kCall);
    request.by_lane = random() % 4 == 0;
    if (top.frame + 1 >= model.frame_limit() && random() % 8 != 0) event.taken = {};
  } else if (kind < 22) {
    if (top.rpc != kNoPc) event.next = top.rpc;
  } else if (kind < 26 && top.frame != 0) {
    event.set(Transfer::kReturn);
    if (random() % 4 == 0 && top.rpc != kNoPc) event.next = top.rpc;
    request.by_lane = true;
    const auto caller =
        std::find_if(stack.rbegin(), stack.rend(), [&](const StackEntry& e) { return e.frame < top.frame; });
    request.lane_target.fill(caller->pc);
  } else if (kind < 28) {
    event.event = ControlFlowEvent::kExit;
    event.mask = some_lanes(top.mask, random);
    if (random() % 4 == 0 && top.rpc != kNoPc) event.next = top.rpc;
  } else if (kind < 30) {
    event.event = ControlFlowEvent::kBarrierArrive;
    if (random() % 2 == 0 && top.rpc != kNoPc) event.next = top.rpc;
  }
  return request;
}

void AnyTraffic::cover(const BenchRequest& r, const StackReference& model) {
  const auto& stack = model.entries(r.warp);
  const auto hit = [this](const char* event, bool happened = true) { coverage.hit(event, happened); };
  hit("another warp's request within an event", open_ != r.warp && open_last_ == false);
  open_ = r.warp, open_last_ = r.last;
  if (r.op == Op::kLaunch) {
    hit("launch over a stack", !stack.empty());
    return;
  }
  const StackEntry& top = stack.back();
  const auto error = model.error(r);
  if (error == Error::kDepth) {
    hit(r.op == Op::kSide ? "no room within an event" : "no room for one",
        stack.size() == model.depth_limit() || r.op == Op::kSide);
    hit("no room for two", r.op == Op::kBranch && stack.size() + 1 == model.depth_limit());
  }
  if (error == Error::kFrames) hit("too many calls");
  if (error != Error::kNone) return;
  if (model.full_after(r)) hit("full");
  const bool to_rpc = top.rpc != kNoPc && r.next == top.rpc;
  const LaneMask lanes = top.mask & r.lanes;
  switch (r.op) {
    case Op::kAdvance:
      hit(to_rpc ? "advance to the RPC" : "advance, not to the RPC");
      break;
    case Op::kBranch:
      cover_branch(r, model);
      break;
    case Op::kCall:
      if (!r.last) hit("indirect call");
      hit("call by all", lanes == top.mask);
      hit("call by some", lanes.any() && lanes != top.mask);
      hit("call by none", lanes.none());
      hit("call by none, to the RPC", lanes.none() && to_rpc);
      hit("call from the RPC", lanes.any() && to_rpc);
      break;
    case Op::kReturn:
    case Op::kExit:
      cover_leaving(r, model);
      break;
    case Op::kArrive:
      hit(to_rpc ? "barrier at the RPC" : "barrier");
      break;
    case Op::kRelease:
      hit(top.rpc != kNoPc && top.pc == top.rpc ? "release at the RPC" : "release");
      break;
    case Op::kSplit:
      hit(top.rpc == r.rpc ? "indirect branch, meeting point there" : "indirect branch");
      break;
    case Op::kSide:
      hit("indirect branch, a side at the RPC", !r.last && r.event.is(Transfer::kJump) && r.target == r.rpc);
      hit("indirect branch, the last side at the RPC",
          r.last && r.event.is(Transfer::kJump) && r.target == r.rpc);
      break;
    case Op::kLaunch:
      break;
  }
}

void AnyTraffic::cover_branch(const BenchRequest& r, const StackReference& model) {
  const StackEntry& top = model.entries(r.warp).back();
  const LaneMask taken = top.mask & r.lanes;
  const LaneMask not_taken = LaneMask::difference(top.mask, r.lanes);
  coverage.hit("branch of none", taken.none());
  coverage.hit("branch of all", not_taken.none());
  coverage.hit("branch of all to the RPC", not_taken.none() && top.rpc != kNoPc && r.target == top.rpc);
  if (taken.none() || not_taken.none()) return;
  const unsigned pushed = (r.target != r.rpc ? 1u : 0u) + (r.next != r.rpc ? 1u : 0u);
  static constexpr const char* kPushed[] = {", none pushed", ", one pushed", ", both pushed"};
  coverage.hit(std::string(top.rpc == r.rpc ? "sides: meeting point there" : "sides: meeting point kept") +
               kPushed[pushed]);
  coverage.hit("sides meet at the end of the function", r.rpc == kNoPc);
  coverage.hit("sides of one size", taken.count() == not_taken.count());
}

void AnyTraffic::cover_leaving(const BenchRequest& r, const StackReference& model) {
  const auto& stack = model.entries(r.warp);
  const StackEntry& top = stack.back();
  const LaneMask gone = top.mask & r.lanes;
  const bool returns = r.op == Op::kReturn;
  const bool all = gone == top.mask;
  const bool ends = !returns && gone == stack.front().mask;
  // Entries without lanes, and which one is the top then.
  auto entry = stack.rbegin();
  while (entry != stack.rend() && gone.contains(entry->mask) && (!returns || entry->frame == top.frame))
    ++entry;
  const auto empty = entry - stack.rbegin();
  const auto hit = [this](const char* event, bool happened = true) { coverage.hit(event, happened); };
  if (ends) {
    hit("exit of the last");
    hit("exit of the last, several entries", stack.size() > 2);
    return;
  }
  const bool last_of_function = entry->frame != top.frame;
  const bool arrived = entry->rpc != kNoPc && (all ? entry->pc : r.next) == entry->rpc;
  if (returns) {
    hit("return of some", !all);
    hit("return of all, others of the function go on", all && !last_of_function);
    hit("return of the last", last_of_function);
    hit("return of the last, caller at its RPC", last_of_function && arrived);
    hit("return leaves several entries empty", empty > 1);
  } else {
    hit("exit of some", !all);
    hit("exit of some, the others at the RPC", !all && arrived);
    hit("exit of all, others go on", all && !last_of_function);
    hit("exit of all, others go on in the caller", last_of_function);
    hit("exit of all, the others are at their RPC", all && arrived);
    hit("exit leaves several entries empty", empty > 1);
  }
}

}  // namespace heddle::cosim
