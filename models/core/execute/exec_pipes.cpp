#include "core/execute/exec_pipes.h"

#include <algorithm>
#include <string>

namespace heddle::core {
ExecPipes::ExecPipes(const sc_core::sc_module_name& name, const PipesConfig& config,
                     const RegisterFileConfig& registers, std::uint32_t sub_cores, base::StatGroup& stats)
    : sc_module(name), bundles_(sub_cores) {
  for (std::size_t i = 0; i < timing_.size(); ++i)
    timing_[i] = config.timing_of(static_cast<isa::LatencyClass>(i));
  for (auto& of_sub_core : bundles_) {
    const auto set = [&of_sub_core](Pipe pipe, std::uint32_t units, std::uint32_t collectors) {
      Bundle& bundle = of_sub_core[static_cast<unsigned>(pipe)];
      bundle.units = ResourcePool(units);
      bundle.collectors = ResourcePool(collectors);
    };
    set(Pipe::kSp, config.sp_units, registers.collectors_sp);
    set(Pipe::kInt, config.int_units, registers.collectors_sp);
    set(Pipe::kDp, config.dp_units, registers.collectors_sp);
    set(Pipe::kSfu, config.sfu_units, registers.collectors_sfu);
    set(Pipe::kTensor, config.tensor_units, registers.collectors_sp);
    set(Pipe::kExchange, 0, registers.collectors_memory);  // what these wait for is the core's unit
    set(Pipe::kMemory, 0, registers.collectors_memory);    // the load/store unit has a queue of its own
    set(Pipe::kControl, 0, 0);
  }
  std::vector<std::string> labels;
  for (unsigned i = 0; i < isa::kLatencyClasses; ++i)
    labels.emplace_back(isa::latency_class_name(static_cast<isa::LatencyClass>(i)));
  stats.counters("issued", "warp-instructions", "instructions that entered a pipe, by class", labels,
                 issued_);
  stats.counters("lanes", "thread-instructions", "active lanes summed over these instructions", labels,
                 lanes_);
}

void ExecPipes::issue(PipesRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  const auto index = static_cast<std::size_t>(instruction.latency_class);
  const unsigned lanes = request.mask.count_of_mostly_full();
  ++issued_[index];
  lanes_[index] += lanes;
  request.operands_late = register_isock.read({.lanes = static_cast<std::uint8_t>(lanes),
                                               .homes = request.homes,
                                               .sub_core = request.sub_core,
                                               .warp = request.warp,
                                               .instruction = request.instruction,
                                               .cycle = request.cycle});

  Bundle& bundle = bundles_[request.sub_core][static_cast<unsigned>(request.pipe)];
  Cycle start = request.cycle + request.operands_late;
  ResourcePool& units = request.pipe == Pipe::kExchange ? exchange_ : bundle.units;
  if (!units.none()) {
    start = std::max(start, units.first());
    request.busy_until = units.take(start + timing_[index].initiation_cycles);
  }
  // A collector gives its instruction away in cycle `start` and takes the next one in the cycle after.
  request.accepts_from = bundle.collectors.none() ? request.busy_until : bundle.collectors.take(start + 1);
  if (instruction.write_count != 0 && request.pipe != Pipe::kMemory)
    in_flight_.add(start + timing_[index].latency_cycles,
                   {request.warp, static_cast<std::uint8_t>(request.sub_core), request.homes, false,
                    static_cast<std::uint8_t>(lanes), request.mask, request.formation, request.instruction});
  request.next_due = in_flight_.next_due();
}

void ExecPipes::complete(const Completion& done, Cycle cycle) {
  if (!done.granted) {
    const Cycle late = register_isock.write({.lanes = done.lanes,
                                             .homes = done.homes,
                                             .sub_core = done.sub_core,
                                             .warp = done.warp,
                                             .instruction = done.instruction,
                                             .cycle = cycle});
    if (late != 0) {
      Completion later = done;
      later.granted = true;
      in_flight_.add(cycle + late, later);
      return;
    }
  }
  writeback_isock.call({done.formation, done.mask, done.instruction});
}

void ExecPipes::tick(PipesRequest& request) {
  in_flight_.take(request.cycle, [&](const Completion& done) { complete(done, request.cycle); });
  request.next_due = in_flight_.next_due();
}

void ExecPipes::serve(PipesRequest& request) {
  return request.op == PipesRequest::Op::kIssue ? issue(request) : tick(request);
}

}  // namespace heddle::core
