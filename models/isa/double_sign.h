// Signs of a product of f64 matrices, as machine code has them (DMMA). PTX has none.
#pragma once

namespace heddle::isa {

/// Bits of the immediate, behind those of MatrixProduct::pack.
enum class DoubleSign : unsigned {
  kNone = 0,
  kNegateProduct = 59,
  kNegateC,
  kAbsoluteA,
  kAbsoluteB,
  kAbsoluteC
};
inline constexpr unsigned kDoubleSigns = static_cast<unsigned>(DoubleSign::kNegateProduct);

}  // namespace heddle::isa
