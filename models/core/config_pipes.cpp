// Execution pipes: timing of the classes of instructions, and which pipe takes which.
#include <fmt/format.h>

#include <string>

#include "core/config.h"

namespace heddle::core {

using isa::LatencyClass;

namespace {
/// The class whose timing one has that states none.
LatencyClass timed_as(LatencyClass of) {
  switch (of) {
    case LatencyClass::kIntMadWide:
      return LatencyClass::kIntMad;
    case LatencyClass::kShuffle:
    case LatencyClass::kRedux:
      return LatencyClass::kIntSimple;
    default:
      return of;
  }
}
}  // namespace

PipesConfig::PipesConfig() {
  const auto set = [this](LatencyClass c, std::uint32_t latency, std::uint32_t initiation) {
    timing[static_cast<std::size_t>(c)] = {latency, initiation};
  };
  // [ART] gives the integer row (latency/initiation); the others are the stock GPGPU-Sim
  // Fermi values the theses' simulators shipped with.
  set(LatencyClass::kIntSimple, 4, 1);
  set(LatencyClass::kIntMinMax, 13, 2);
  set(LatencyClass::kIntMul, 4, 2);
  set(LatencyClass::kIntMad, 5, 1);
  set(LatencyClass::kIntDiv, 145, 8);
  set(LatencyClass::kFpSimple, 4, 1);
  set(LatencyClass::kFpMinMax, 13, 2);
  set(LatencyClass::kFpMul, 4, 1);
  set(LatencyClass::kFpMad, 5, 1);
  set(LatencyClass::kFpDiv, 39, 4);
  set(LatencyClass::kSfu, 8, 4);
  set(LatencyClass::kDpSimple, 8, 8);
  set(LatencyClass::kDpMinMax, 19, 16);
  set(LatencyClass::kDpMul, 8, 8);
  set(LatencyClass::kDpMad, 8, 8);
  set(LatencyClass::kDpDiv, 330, 130);
  set(LatencyClass::kTensor8, 18, 4);
  set(LatencyClass::kTensor16, 26, 8);
  set(LatencyClass::kTensorDp, 26, 16);
  for (const LatencyClass of : {LatencyClass::kIntMadWide, LatencyClass::kShuffle, LatencyClass::kRedux})
    set(of, 0, 0);
  set(LatencyClass::kMemory, 1, 1);
  set(LatencyClass::kControl, 1, 1);
}

void PipesConfig::visit(base::ConfigVisitor& v) {
  v.field("sp_units", sp_units,
          {.doc = "arithmetic pipes per sub-core (each takes one warp instruction per initiation interval)",
           .min = 1,
           .max = 16});
  v.field(
      "int_units", int_units,
      {.doc = "integer pipes per sub-core; 0: integer instructions go to the SP pipes", .min = 0, .max = 16});
  v.field("sfu_units", sfu_units, {.doc = "special-function pipes per sub-core", .min = 1, .max = 16});
  v.field("dp_units", dp_units,
          {.doc = "double-precision pipes per sub-core; 0: those instructions go to the SP pipes",
           .min = 0,
           .max = 16});
  v.field("tensor_units", tensor_units,
          {.doc = "tensor cores per sub-core: classes tensor_8, tensor_16, tensor_dp (mma)",
           .min = 1,
           .max = 16});
  v.field(
      "int_mad_on_sp", int_mad_on_sp,
      {.doc = "integer multiplications (classes int_mul and int_mad) go to the SP pipes although there are "
              "integer pipes (from Volta on)"});
  v.field("fp_min_max_on_int", fp_min_max_on_int,
          {.doc = "class fp_min_max goes to the integer pipes, if there are any (from Volta on)"});
  v.field(
      "exchange_unit", exchange_unit,
      {.doc =
           "classes shuffle and redux go to a unit that the sub-cores of a core share, one after the other; "
           "without it to the integer pipes"});
  for (std::size_t i = 0; i < timing.size(); ++i) {
    const auto latency_class = static_cast<LatencyClass>(i);
    // Memory latencies are the memory system's; a control instruction resolves at issue and costs its
    // refetch.
    if (latency_class == LatencyClass::kMemory || latency_class == LatencyClass::kControl) continue;
    const std::string name(isa::latency_class_name(latency_class));
    const LatencyClass other = timed_as(latency_class);
    const bool own = other == latency_class;
    const std::string otherwise = own ? "" : fmt::format("; 0: as class {}", isa::latency_class_name(other));
    v.field(name + "_latency_cycles", timing[i].latency_cycles,
            {.unit = "core cycles",
             .doc = "issue to dependent issue, class " + name + otherwise,
             .min = own ? 1.0 : 0.0,
             .max = 2000});
    v.field(name + "_initiation_cycles", timing[i].initiation_cycles,
            {.unit = "core cycles",
             .doc = "pipe occupied, class " + name + otherwise,
             .min = own ? 1.0 : 0.0,
             .max = 1000});
  }
}

ClassTiming PipesConfig::timing_of(LatencyClass of) const {
  const ClassTiming own = timing[static_cast<std::size_t>(of)];
  const ClassTiming other = timing[static_cast<std::size_t>(timed_as(of))];
  return {own.latency_cycles != 0 ? own.latency_cycles : other.latency_cycles,
          own.initiation_cycles != 0 ? own.initiation_cycles : other.initiation_cycles};
}

Pipe PipesConfig::pipe_of(const isa::Instruction& instruction) const {
  switch (instruction.unit) {
    case isa::Unit::kMemory:
      return Pipe::kMemory;
    case isa::Unit::kControl:
      return Pipe::kControl;
    case isa::Unit::kSfu:
      return Pipe::kSfu;
    case isa::Unit::kSp:
      break;
  }
  switch (instruction.latency_class) {
    case LatencyClass::kIntMul:
    case LatencyClass::kIntMad:
    case LatencyClass::kIntMadWide:
      if (int_mad_on_sp) return Pipe::kSp;
      return int_units != 0 ? Pipe::kInt : Pipe::kSp;
    case LatencyClass::kShuffle:
    case LatencyClass::kRedux:
      if (exchange_unit) return Pipe::kExchange;
      [[fallthrough]];
    case LatencyClass::kIntSimple:
    case LatencyClass::kIntMinMax:
      return int_units != 0 ? Pipe::kInt : Pipe::kSp;
    case LatencyClass::kFpMinMax:
      return int_units != 0 && fp_min_max_on_int ? Pipe::kInt : Pipe::kSp;
    case LatencyClass::kDpSimple:
    case LatencyClass::kDpMinMax:
    case LatencyClass::kDpMul:
    case LatencyClass::kDpMad:
    case LatencyClass::kDpDiv:
      return dp_units != 0 ? Pipe::kDp : Pipe::kSp;
    case LatencyClass::kTensor8:
    case LatencyClass::kTensor16:
    case LatencyClass::kTensorDp:
      return Pipe::kTensor;
    default:
      return Pipe::kSp;
  }
}

}  // namespace heddle::core
