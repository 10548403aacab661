#include "core/cta/barrier_unit.h"

namespace heddle::core {

void BarrierModel::launch(CtaSlot slot, std::uint32_t threads) {
  Cta& cta = ctas_[slot.value()];
  cta.live_threads = threads;
  for (Barrier& barrier : cta.barriers) {
    barrier.arrived = barrier.expected = barrier.reduced = barrier.true_count = 0;
    barrier.waiting.clear();
  }
}

namespace {

std::uint32_t reduce(isa::BarrierReduction reduction, std::uint32_t true_count, std::uint32_t threads) {
  switch (reduction) {
    case isa::BarrierReduction::kAnd:
      return true_count == threads ? 1 : 0;
    case isa::BarrierReduction::kOr:
      return true_count != 0 ? 1 : 0;
    case isa::BarrierReduction::kPopc:
    case isa::BarrierReduction::kNone:
      break;
  }
  return true_count;
}

}  // namespace

void BarrierModel::complete_if_full(const Cta& cta, Barrier& barrier, std::vector<BarrierRelease>& released) {
  const std::uint32_t needed = barrier.expected != 0 ? barrier.expected : cta.live_threads;
  if (barrier.arrived == 0 || barrier.arrived < needed) return;
  ++completions;
  for (BarrierRelease& waiting : barrier.waiting) {
    if (barrier.reduced != 0 && waiting.instruction != nullptr)
      waiting.result = reduce(waiting.instruction->barrier_reduction, barrier.true_count, barrier.reduced);
    released.push_back(waiting);
  }
  barrier.arrived = barrier.expected = barrier.reduced = barrier.true_count = 0;
  barrier.waiting.clear();
}

void BarrierModel::arrive(BarrierRequest& request) {
  Cta& cta = ctas_[request.cta.value()];
  Barrier& barrier = cta.barriers[request.id];
  barrier.arrived += request.threads;
  barrier.expected = request.expected;
  if (request.instruction != nullptr &&
      request.instruction->barrier_reduction != isa::BarrierReduction::kNone) {
    barrier.reduced += request.lanes.count();
    barrier.true_count += request.predicate.count();
  }
  if (request.waits)
    barrier.waiting.push_back({request.warp, request.waiting, request.lanes, request.instruction, 0});
  complete_if_full(cta, barrier, *request.released);
}

void BarrierModel::exit(BarrierRequest& request) {
  Cta& cta = ctas_[request.cta.value()];
  cta.live_threads -= request.threads;
  for (Barrier& barrier : cta.barriers)
    if (barrier.expected == 0) complete_if_full(cta, barrier, *request.released);
}

void BarrierModel::inspect(BarrierRequest& request) const {
  const Cta& cta = ctas_[request.cta.value()];
  const Barrier& barrier = cta.barriers[request.id];
  request.arrived = barrier.arrived;
  request.expected = barrier.expected != 0 ? barrier.expected : cta.live_threads;
}

void BarrierModel::find(BarrierRequest& request) const {
  const Cta& cta = ctas_[request.cta.value()];
  for (std::uint32_t id = 0; id < kBarriersPerCta; ++id)
    for (const BarrierRelease& waits : cta.barriers[id].waiting)
      if (waits.warp == request.warp && (waits.waiting & request.waiting).any()) {
        request.id = id;
        inspect(request);
        return;
      }
}

BarrierUnit::BarrierUnit(const sc_core::sc_module_name& name, std::uint32_t cta_slots, base::StatGroup& stats)
    : sc_module(name), model_(cta_slots) {
  stats.counter("arrivals", "warp-instructions", "barrier instructions executed", &arrivals_);
  stats.counter("completions", "barriers", "barriers completed", &model_.completions);
}

void BarrierUnit::serve(BarrierRequest& request) {
  switch (request.op) {
    case BarrierRequest::Op::kArrive:
      ++arrivals_;
      model_.arrive(request);
      break;
    case BarrierRequest::Op::kExit:
      model_.exit(request);
      break;
    case BarrierRequest::Op::kLaunch:
      model_.launch(request.cta, request.threads);
      break;
    case BarrierRequest::Op::kInspect:
      model_.inspect(request);
      break;
    case BarrierRequest::Op::kFind:
      model_.find(request);
      break;
  }
}

}  // namespace heddle::core
