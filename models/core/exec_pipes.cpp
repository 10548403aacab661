#include "core/exec_pipes.h"

#include <algorithm>
#include <string>

namespace heddle::core {

ExecPipes::ExecPipes(const sc_core::sc_module_name& name, const PipesConfig& config, sim::StatGroup& stats)
    : sc_module(name), config_(config) {
  free_at_[static_cast<unsigned>(isa::Unit::kSp)].resize(config.sp_units, 0);
  free_at_[static_cast<unsigned>(isa::Unit::kSfu)].resize(config.sfu_units, 0);
  std::vector<std::string> labels;
  for (unsigned i = 0; i < isa::kLatencyClasses; ++i)
    labels.emplace_back(isa::latency_class_name(static_cast<isa::LatencyClass>(i)));
  stats.counters("issued", "warp-instructions", "instructions that entered a pipe, by class", labels,
                 issued_);
}

Cycle ExecPipes::first_free(isa::Unit unit) const {
  const auto& pipes = free_at_[static_cast<unsigned>(unit)];
  return pipes.empty() ? 0 : *std::min_element(pipes.begin(), pipes.end());
}

void ExecPipes::issue(const PipesRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  const auto index = static_cast<std::size_t>(instruction.latency_class);
  const ClassTiming& timing = config_.timing[index];
  ++issued_[index];
  auto& pipes = free_at_[static_cast<unsigned>(instruction.unit)];
  if (!pipes.empty())
    *std::min_element(pipes.begin(), pipes.end()) = request.cycle + timing.initiation_cycles;
  if (instruction.write_count != 0)
    in_flight_.add(request.cycle + timing.latency_cycles, {request.warp, request.mask, request.instruction});
}

void ExecPipes::serve(PipesRequest& request) {
  if (request.op == PipesRequest::Op::kIssue) {
    issue(request);
  } else {
    in_flight_.take(request.cycle, [this](const Completion& done) {
      WritebackRequest writeback{done.warp, done.mask, done.instruction};
      writeback_isock.call(writeback);
    });
  }
  Cycle next = in_flight_.next_due();
  for (const isa::Unit unit : {isa::Unit::kSp, isa::Unit::kSfu}) {
    const Cycle free = first_free(unit);
    request.unit_free[static_cast<unsigned>(unit)] = free <= request.cycle;
    if (free > request.cycle) next = std::min(next, free);
  }
  request.unit_free[static_cast<unsigned>(isa::Unit::kMemory)] = true;
  request.unit_free[static_cast<unsigned>(isa::Unit::kControl)] = true;
  request.next_due = next;
}

}  // namespace heddle::core
