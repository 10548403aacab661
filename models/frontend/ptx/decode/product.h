// What mma and wmma have in common: shapes, numerics, rows, and the instruction that multiplies.
#pragma once

#include <cstddef>
#include <vector>

#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"
#include "isa/matrix.h"

namespace heddle::ptx {

struct MatrixShape {
  unsigned m = 0;
  unsigned n = 0;
  unsigned k = 0;
};
using Rows = std::vector<isa::Operand>;

/// "m16n8k16", which the form has accepted.
[[nodiscard]] MatrixShape shape_of(const Instruction& instruction);
/// How many products are summed at once, and how exactly: the machine's (core.tensor_block_bits, core.tensor_extra_bits).
void set_numerics(const KernelContext& kernel, isa::MatrixProduct& product);
/// Refuses types of C and D for A and B. Forms do not order types, so that they let d.d.a.b pass where d.a.b.d is meant.
void check_types(KernelContext& kernel, const Instruction& instruction, const isa::MatrixProduct& product);
/// d = a x b + c, by a whole warp.
void emit_product(KernelContext& kernel, const Instruction& instruction, const isa::MatrixProduct& product,
                  const Rows& d, const Rows& a, const Rows& b, const Rows& c);
/// The rows of an operand of `count` registers.
[[nodiscard]] Rows sources_of(KernelContext& kernel, const Instruction& instruction, std::size_t operand,
                              std::size_t count, Type type);
[[nodiscard]] Rows destinations_of(KernelContext& kernel, const Instruction& instruction, std::size_t operand,
                                   std::size_t count, Type type);
/// The type of registers that hold elements of this type.
[[nodiscard]] Type register_type(Type element);

}  // namespace heddle::ptx
