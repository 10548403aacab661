#include "stack_traffic.h"

#include <algorithm>

namespace heddle::cosim {

using simt::ControlFlowEvent;
using simt::ControlFlowRequest;
using simt::LaneMask;
using simt::Pc;
using simt::StackEntry;
using simt::StackRequests;
using simt::Transfer;

std::optional<BenchRequest> StackTraffic::operator()(const StackReference& model, std::mt19937& random) {
  if (std::ranges::all_of(warps_, &Warp::outstanding)) return std::nullopt;
  for (;;) {
    Warp& warp = warps_[random() % warps_.size()];
    if (warp.outstanding) continue;
    if (warp.requests.empty()) {
      const BenchRequest any = next(warp, model, random);
      if (any.event.event == ControlFlowEvent::kTick) continue;  // nothing to report
      begin(warp, any, model);
    }
    BenchRequest request = warp.requests.front();
    warp.requests.pop_front();
    cover(request, model);
    warp.outstanding = true;
    if (model.error(request) != simt::StackAnswer::Error::kNone) {
      warp.failed = true;
      warp.requests.clear();
    }
    return request;
  }
}

BenchRequest StackTraffic::next(Warp& warp, const StackReference& model, std::mt19937& random) {
  const bool nothing = model.entries(warp.id).empty();
  if (nothing || warp.failed || random() % 1024 == 0) {
    warp.failed = warp.at_barrier = false;
    return launch(warp, random);
  }
  if (warp.at_barrier) {
    if (random() % 4 != 0) return make(warp, ControlFlowEvent::kTick);
    warp.at_barrier = false;
    BenchRequest request = make(warp, ControlFlowEvent::kBarrierRelease);
    request.event.mask = model.entries(warp.id).back().mask;
    return request;
  }
  if (auto request = event(warp, model, random)) return *request;
  return make(warp, ControlFlowEvent::kTick);
}

void StackTraffic::begin(Warp& warp, const BenchRequest& event, const StackReference& model) {
  const auto& stack = model.entries(warp.id);
  simt::ControlFlowRequest asked = event.event;
  asked.lane_target = event.by_lane ? event.lane_target.data() : nullptr;
  StackRequests requests(asked, stack.empty() ? LaneMask{} : stack.back().mask, model.first_side());
  for (const simt::StackRequest& each : requests.requests()) {
    BenchRequest request = event;
    static_cast<simt::StackRequest&>(request) = each;
    request.last = &each == &requests.requests().back();
    warp.requests.push_back(request);
  }
  if (event.event.event == ControlFlowEvent::kBarrierArrive) warp.at_barrier = true;
}

BenchRequest StackTraffic::make(const Warp& warp, const ControlFlowRequest& event) {
  BenchRequest request;
  request.warp = warp.id;
  request.op = StackRequests::op_of(event).value_or(simt::StackOp::kAdvance);
  request.event = event;
  request.event.warp = warp.id;
  request.event.group = simt::GroupId{warp.id.value()};
  return request;
}

LaneMask StackTraffic::some_lanes(LaneMask of, std::mt19937& random) {
  LaneMask one;
  if (of.any()) {
    unsigned lane = 0;
    do lane = random() % base::kLanes;
    while (!of.test(lane));
    one = LaneMask(1u << lane);
  }
  switch (random() % 8) {
    case 0:
      return {};
    case 1:
    case 2:
      return of;
    case 3:
      return one;
    case 4:
      return LaneMask::difference(of, one);
    default:
      return of & LaneMask(static_cast<std::uint32_t>(random()));
  }
}

std::optional<BenchRequest> ProgramTraffic::event(Warp& warp, const StackReference& model, std::mt19937&) {
  using Kind = simt::WalkInstruction::Kind;
  Run& run = runs_[warp.id];
  const StackEntry& top = model.entries(warp.id).back();
  if (run.moved) run.pc = top.pc;
  run.moved = true;
  const std::uint32_t pc = run.pc.value();
  const simt::WalkInstruction& instruction = run.program->code[pc];
  BenchRequest request = make(warp, Transfer::kJump);
  request.event.mask = top.mask;
  request.event.next = Pc{pc + 1};
  request.event.rpc = instruction.rpc;
  top.mask.for_each([&](unsigned lane) {
    std::uint32_t target = 0;
    if (run.threads[lane].takes(pc, target)) request.event.taken |= LaneMask(1u << lane);
    run.threads[lane].follow(pc, request.event.taken.test(lane));
    request.lane_target[lane] = Pc{target};
  });
  const bool some = request.event.taken.any();
  if (instruction.targets.size() == 1)
    request.event.target = request.lane_target[some ? request.event.taken.lowest() : 0];
  else
    request.by_lane = true;
  switch (instruction.kind) {
    case Kind::kBranch:
    case Kind::kIndirect:
      return request;
    case Kind::kBarrier:
      request.event.event = ControlFlowEvent::kBarrierArrive;
      request.by_lane = false;
      return request;
    case Kind::kCall:
      request.event.set(Transfer::kCall);
      if (some) return request;
      break;
    case Kind::kReturn:
      request.event.set(Transfer::kReturn);
      if (some) return request;
      break;
    case Kind::kExit:
      request.event.event = ControlFlowEvent::kExit;
      request.event.mask = request.event.taken;
      request.by_lane = false;
      if (some) return request;
      break;
    case Kind::kOperation:
      break;
  }
  // Straight on to the next instruction; reported if it is the one that the stack watches for.
  if (request.event.next == top.rpc) {
    request.event.event = ControlFlowEvent::kAdvance;
    request.by_lane = false;
    return request;
  }
  run.pc = request.event.next;
  run.moved = false;
  return std::nullopt;
}

BenchRequest ProgramTraffic::launch(Warp& warp, std::mt19937& random) {
  Run& run = runs_[warp.id];
  for (bool short_enough = false; !short_enough;) {
    const std::uint64_t seed = random();
    run.program.emplace(seed, simt::WalkOptions{.barriers = seed % 2 == 0, .any_rpc = seed % 2 == 1});
    short_enough = true;
    run.threads.clear();
    for (unsigned lane = 0; lane < base::kLanes; ++lane) {
      simt::WalkThread alone(*run.program, lane);
      short_enough = short_enough && alone.run(1500);
      run.threads.emplace_back(*run.program, lane);
    }
  }
  run.moved = true;
  ++programs;
  BenchRequest request = make(warp, ControlFlowEvent::kLaunch);
  request.event.next = Pc{0};
  request.event.mask =
      random() % 4 == 0 ? LaneMask(static_cast<std::uint32_t>(random()) | 1u) : LaneMask::all();
  return request;
}

void ProgramTraffic::cover(const BenchRequest& request, const StackReference& model) {
  max_depth = std::max(max_depth, model.entries(request.warp).size());
}

}  // namespace heddle::cosim
