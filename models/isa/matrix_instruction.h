// Instructions on matrices that a warp holds in fragments (isa/matrix.h): all its lanes meet there, as at a .sync instruction that names
// them all. A part of a warp at one is a fault (core/execute/meeting_point.h).
#pragma once

#include <span>

#include "isa/instruction.h"
#include "isa/lane_ops.h"
#include "isa/matrix.h"

namespace heddle::isa {

/// Products that are summed at once, and how exactly.
void set_numerics(MatrixProduct& product, const TensorNumerics& machine);
[[nodiscard]] LatencyClass latency_class_of(const MatrixProduct& product);

/// The rows of a product; 32 bits each, or 64 for f64 without MatrixProduct::pairs. Absent destinations are discarded.
struct ProductRows {
  std::span<const Operand> d, a, b, c;
};
/// Makes `out` the product; `all_lanes` is a constant row of ones. False: more rows than an instruction has.
[[nodiscard]] bool set_product(Instruction& out, const MatrixProduct& product, const ProductRows& rows,
                               const Operand& all_lanes);
/// All lanes of a warp meet at `out`, as at a .sync instruction of that operation and type: source `mask` names them.
void meet_all(Instruction& out, LaneOp op, Type type, std::size_t mask, const Operand& all_lanes);
/// movmatrix.trans: to := the transposed matrix of `from`.
void set_transposition(Instruction& out, const Operand& to, const Operand& from, const Operand& all_lanes);

/// In Instruction::immediate of a kLoadMatrix beside its MatrixLoad: it has no destination, and checks the addresses of an stmatrix.
inline constexpr std::uint64_t kChecksStores = 16;

/// It has elements of every lane.
[[nodiscard]] bool takes_whole_warp(const Instruction& instruction);

}  // namespace heddle::isa
