#include "frontend/ptx/decode/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/library.h"

namespace heddle::ptx {
namespace {

using isa::LaneOp;
using isa::MatrixProduct;
using isa::Opcode;
using isa::RowWidth;

isa::LatencyClass class_of(const MatrixProduct& product) {
  if (product.a == Type::kF64) return isa::LatencyClass::kTensorDp;
  const unsigned bytes = product.m * product.k * product.element_bytes();
  return bytes <= 16 * 8 * 2 ? isa::LatencyClass::kTensor8 : isa::LatencyClass::kTensor16;
}

}  // namespace

MatrixShape shape_of(const Instruction& instruction) {
  for (const std::string& word : instruction.modifiers) {
    if (word.size() < 6 || word[0] != 'm' || word[1] < '0' || word[1] > '9') continue;
    MatrixShape shape;
    const char* at = word.data() + 1;
    const char* const end = word.data() + word.size();
    for (unsigned* const extent : {&shape.m, &shape.n, &shape.k}) {
      at = std::from_chars(at, end, *extent).ptr;
      if (at != end) ++at;
    }
    return shape;
  }
  return {};
}

void set_numerics(const KernelContext& kernel, MatrixProduct& product) {
  const isa::TensorNumerics numerics =
      kernel.module.library == nullptr ? isa::TensorNumerics{} : kernel.module.library->tensor();
  product.block =
      std::clamp(numerics.block_bits / (8 * std::min(product.element_bytes(), 4u)), 1u, product.k);
  product.extra_bits = numerics.extra_bits;
}

void check_types(KernelContext& kernel, const Instruction& instruction, const MatrixProduct& product) {
  for (const Type type : {product.a, product.b})
    if (type == Type::kF32 || type == Type::kS32)
      kernel.fail(instruction.where,
                  fmt::format("{} has matrices A or B of .{}, which only C and D can be",
                              full_name(instruction), isa::type_name(type)),
                  "The order of the types is that of D, A, B, C.");
}

void emit_product(KernelContext& kernel, const Instruction& instruction, const MatrixProduct& product,
                  const Rows& d, const Rows& a, const Rows& b, const Rows& c) {
  isa::Instruction out = simple_lane(kernel, instruction, {.op = LaneOp::kMma, .type = product.d});
  // The last source is the mask of the lanes.
  if (a.size() + b.size() + c.size() >= out.src.size() || d.size() > out.dst.size())
    kernel.fail(instruction.where,
                fmt::format("{} has more registers than an instruction can have", full_name(instruction)));
  std::size_t next = 0;
  for (const Rows* rows : {&a, &b, &c})
    for (const isa::Operand& row : *rows) out.src[next++] = row;
  out.member_mask = static_cast<std::uint8_t>(next);
  out.names_all_lanes = true;
  out.src[next] = kernel.constants.row(RowWidth::k32, 0xffff'ffffu);
  std::copy(d.begin(), d.end(), out.dst.begin());
  out.op = Opcode::kWarpSync;
  out.cross_lane = true;
  out.unit = isa::Unit::kSp;
  out.latency_class = class_of(product);
  constexpr std::uint64_t kTypes = 256;
  out.immediate = product.pack() | ((static_cast<std::uint64_t>(LaneOp::kMma) + 1) * kTypes +
                                    static_cast<std::uint64_t>(product.d));
  kernel.emit(instruction, out);
}

Rows sources_of(KernelContext& kernel, const Instruction& instruction, std::size_t operand, std::size_t count,
                Type type) {
  Rows rows;
  for (const Operand* element :
       elements(kernel, instruction, instruction.operands[operand], static_cast<unsigned>(count)))
    rows.push_back(source(kernel, instruction, *element, type).operand);
  return rows;
}
Rows destinations_of(KernelContext& kernel, const Instruction& instruction, std::size_t operand,
                     std::size_t count, Type type) {
  Rows rows;
  for (const Operand* element :
       elements(kernel, instruction, instruction.operands[operand], static_cast<unsigned>(count)))
    rows.push_back(destination(kernel, instruction, *element, type).operand);
  return rows;
}

Type register_type(Type element) {
  switch (element) {
    case Type::kF32:
    case Type::kF64:
    case Type::kS32:
      return element;
    default:
      return Type::kB32;
  }
}

}  // namespace heddle::ptx
