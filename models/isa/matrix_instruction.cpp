#include "isa/matrix_instruction.h"

#include <algorithm>

#include "isa/lane_ops.h"

namespace heddle::isa {
namespace {

/// By which lanes meet: as that of other .sync instructions.
constexpr std::uint64_t meeting_of(LaneOp op, Type type) {
  constexpr std::uint64_t kTypes = 256;
  return (static_cast<std::uint64_t>(op) + 1) * kTypes + static_cast<std::uint64_t>(type);
}
constexpr std::uint64_t kMeetingBits = (std::uint64_t{1} << MatrixProduct::kShift) - 1;

}  // namespace

void meet_all(Instruction& out, LaneOp op, Type type, std::size_t mask, const Operand& all_lanes) {
  out.op = Opcode::kWarpSync;
  out.cross_lane = true;
  out.unit = Unit::kSp;
  out.member_mask = static_cast<std::uint8_t>(mask);
  out.names_all_lanes = true;
  out.src[mask] = all_lanes;
  out.immediate = meeting_of(op, type);
}

void set_numerics(MatrixProduct& product, const TensorNumerics& machine) {
  product.block = std::clamp(machine.block_bits / (8 * std::min(product.element_bytes(), 4u)), 1u, product.k);
  product.extra_bits = machine.extra_bits;
}

LatencyClass latency_class_of(const MatrixProduct& product) {
  if (product.a == Type::kF64) return LatencyClass::kTensorDp;
  return product.m * product.k * product.element_bytes() <= 16 * 8 * 2 ? LatencyClass::kTensor8
                                                                       : LatencyClass::kTensor16;
}

bool set_product(Instruction& out, const MatrixProduct& product, const ProductRows& rows,
                 const Operand& all_lanes) {
  const std::size_t mask = rows.a.size() + rows.b.size() + rows.c.size();
  if (mask >= out.src.size() || rows.d.size() > out.dst.size()) return false;
  auto* next = out.src.begin();
  for (const auto& list : {rows.a, rows.b, rows.c}) next = std::copy(list.begin(), list.end(), next);
  std::copy(rows.d.begin(), rows.d.end(), out.dst.begin());
  out.lane_fn = find_lane_fn({.op = LaneOp::kMma, .type = product.d});
  meet_all(out, LaneOp::kMma, product.d, mask, all_lanes);
  out.latency_class = latency_class_of(product);
  out.immediate |= product.pack();
  return true;
}

void set_transposition(Instruction& out, const Operand& to, const Operand& from, const Operand& all_lanes) {
  out.src[0] = from;
  out.dst[0] = to;
  out.lane_fn = find_lane_fn({.op = LaneOp::kMovMatrix, .type = Type::kB16});
  meet_all(out, LaneOp::kMovMatrix, Type::kNone, 1, all_lanes);
  out.latency_class = LatencyClass::kIntSimple;
}

bool takes_whole_warp(const Instruction& instruction) {
  if (instruction.op != Opcode::kWarpSync) return false;
  return (instruction.latency_class >= LatencyClass::kTensor8 &&
          instruction.latency_class <= LatencyClass::kTensorDp) ||
         (instruction.immediate & kMeetingBits) == meeting_of(LaneOp::kMovMatrix, Type::kNone);
}

}  // namespace heddle::isa
