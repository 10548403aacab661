// A matrix multiply-add of a warp (mma.sync): D := A x B + C, with A of m x k, B of k x 8, C and D of m x 8 elements.
//
// Fragments are those of the PTX ISA (Matrix Fragments for mma). Lane l is in group g = l / 4 with number t = l % 4. A 32-bit
// register holds e elements (1 of tf32, 2 of 16 bits, 4 of 8 bits); a step of 4e columns of A, and rows of B, is one register:
//
//   A   register 2s     row g,     columns 4es + te ... of step s (m = 8: register s)
//       register 2s + 1 row g + 8, the same columns
//   B   register s      rows 4es + te ..., column g
//   C,D row g, columns 2t and 2t + 1; m = 16: then row g + 8. 32- and 64-bit elements have a register each
//
// Numerics. Integers: exact, then modulo 2^32 or, with .satfinite, clamped. f64: fma after fma, k ascending. The others, after
// [Fasi21] and [Khattak25]: `block` products and the accumulator are summed at once. Products are exact. Every summand's
// significand is aligned to the largest exponent, an operand's being that of its leading position (a product's is the sum
// of those of its factors), and truncated to 23 + `extra_bits` fraction bits; the sum of these is exact. It is normalised once: truncated to
// f32, or rounded to nearest even to f16. Blocks follow each other with k ascending. Subnormals count; NaN results are 0x7fffffff
// and 0x7fff; overflow gives an infinity.
#pragma once

#include <cassert>
#include <cstdint>

#include "isa/types.h"

namespace heddle::isa {

/// How a machine's tensor cores sum (core.tensor_block_bits, core.tensor_extra_bits).
struct TensorNumerics {
  unsigned block_bits = 128;  ///< products summed at once, times the bits of their elements
  unsigned extra_bits = 1;
};

struct MatrixProduct {
  Type a = Type::kF16;
  Type b = Type::kF16;
  Type d = Type::kF32;  ///< of C and D
  unsigned m = 16;
  unsigned k = 16;
  bool satfinite = false;
  unsigned block = 8;  ///< products summed at once (TensorNumerics)
  unsigned extra_bits = 1;
  bool pairs = false;  ///< each f64 is a pair of 32-bit rows, low word first

  static constexpr unsigned kShift = 16;  ///< lower bits: the operation, by which lanes meet
  [[nodiscard]] constexpr std::uint64_t pack() const {
    std::uint64_t bits = 0;
    unsigned at = kShift;
    const auto put = [&](std::uint64_t value, unsigned width) {
      assert(value >> width == 0);
      bits |= value << at;
      at += width;
    };
    put(static_cast<std::uint64_t>(a), 6);
    put(static_cast<std::uint64_t>(b), 6);
    put(static_cast<std::uint64_t>(d), 6);
    put(m, 5);
    put(k, 6);
    put(satfinite ? 1 : 0, 1);
    put(block, 6);
    put(extra_bits, 6);
    put(pairs ? 1 : 0, 1);
    return bits;
  }
  [[nodiscard]] static constexpr MatrixProduct unpack(std::uint64_t bits) {
    unsigned at = kShift;
    const auto take = [&](unsigned width) {
      const std::uint64_t value = bits >> at & ((std::uint64_t{1} << width) - 1);
      at += width;
      return static_cast<unsigned>(value);
    };
    MatrixProduct product;
    product.a = static_cast<Type>(take(6));
    product.b = static_cast<Type>(take(6));
    product.d = static_cast<Type>(take(6));
    product.m = take(5);
    product.k = take(6);
    product.satfinite = take(1) != 0;
    product.block = take(6);
    product.extra_bits = take(6);
    product.pairs = take(1) != 0;
    return product;
  }
  [[nodiscard]] constexpr unsigned element_bytes() const { return type_bytes(a); }
  /// Elements of A or B in a register.
  [[nodiscard]] constexpr unsigned per_register() const { return a == Type::kF64 ? 1 : 4 / element_bytes(); }
  [[nodiscard]] constexpr unsigned steps() const { return k / (4 * per_register()); }
  [[nodiscard]] constexpr unsigned a_registers() const { return steps() * (m / 8); }
  [[nodiscard]] constexpr unsigned b_registers() const { return steps(); }
  [[nodiscard]] constexpr unsigned c_registers() const { return d == Type::kF16 ? m / 8 : m / 4; }
};

}  // namespace heddle::isa
