// Which unit executes an operation, and which line of the latency table is its.
#pragma once

#include "frontend/ptx/decode/context.h"
#include "isa/lane_ops.h"

namespace heddle::ptx {

/// `type`: of the values computed with; cvt: the floating-point one of its two types, if there is one.
[[nodiscard]] isa::LatencyClass latency_class(isa::LaneOp op, Type type);
[[nodiscard]] isa::Unit unit_of(isa::LatencyClass latency);

/// An instruction of the decoder's own with that operation, its operands still to be set.
[[nodiscard]] isa::Instruction simple_lane(KernelContext& kernel, const Instruction& instruction,
                                           const isa::LaneSpec& spec);

}  // namespace heddle::ptx
