#include "frontend/ptx/decode/product.h"

#include <fmt/format.h>

#include <charconv>

#include "frontend/ptx/decode/classes.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/library.h"
#include "isa/matrix_instruction.h"

namespace heddle::ptx {
using isa::LaneOp;
using isa::MatrixProduct;
using isa::RowWidth;

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
  isa::set_numerics(
      product, kernel.module.library == nullptr ? isa::TensorNumerics{} : kernel.module.library->tensor());
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
  if (!isa::set_product(out, product, {d, a, b, c}, kernel.constants.row(RowWidth::k32, 0xffff'ffffu)))
    kernel.fail(instruction.where,
                fmt::format("{} has more registers than an instruction can have", full_name(instruction)));
  kernel.emit(instruction, out);
}

namespace {

/// The registers of a fragment stand in braces, one alone as well.
std::vector<const Operand*> fragment_of(KernelContext& kernel, const Instruction& instruction,
                                        std::size_t operand, std::size_t count) {
  const Operand& vector = instruction.operands[operand];
  if (std::get_if<VectorOperand>(&vector.value) == nullptr)
    kernel.fail(vector.where, fmt::format("{} takes {} in braces here", full_name(instruction),
                                          count == 1 ? "a register" : fmt::format("{} registers", count)));
  return elements(kernel, instruction, vector, static_cast<unsigned>(count));
}

}  // namespace

Rows sources_of(KernelContext& kernel, const Instruction& instruction, std::size_t operand, std::size_t count,
                Type type) {
  Rows rows;
  for (const Operand* element : fragment_of(kernel, instruction, operand, count))
    rows.push_back(source(kernel, instruction, *element, type).operand);
  return rows;
}
Rows destinations_of(KernelContext& kernel, const Instruction& instruction, std::size_t operand,
                     std::size_t count, Type type) {
  Rows rows;
  for (const Operand* element : fragment_of(kernel, instruction, operand, count))
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
