// The meaning of an instruction's modifiers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/instruction.h"
#include "isa/lane_ops.h"
#include "isa/video.h"

namespace heddle::ptx {

/// Memory order of ld, st, atom, red and fence.
enum class Order : std::uint8_t {
  kWeak,
  kVolatile,
  kRelaxed,
  kAcquire,
  kRelease,
  kAcquireRelease,
  kSequential
};

/// All modifiers of one instruction; those that are not written have their default.
struct Modifiers {
  std::array<isa::Type, 4>
      types{};  ///< in order; cvt: destination, source; vadd: those of d, a, b; mma: of d, a, b, c
  unsigned type_count = 0;
  isa::Compare compare = isa::Compare::kEq;
  isa::Combine combine = isa::Combine::kNone;
  isa::Rounding rounding = isa::Rounding::kDefault;
  isa::TestProperty property = isa::TestProperty::kFinite;
  bool ftz = false;
  bool sat = false;
  bool relu = false;
  bool satfinite = false;
  bool nan = false;      ///< .NaN
  bool xorsign = false;  ///< .xorsign.abs
  bool approx = false;
  bool full = false;
  bool clamp = false;
  bool uniform = false;
  bool carry_out = false;  ///< .cc
  isa::StateSpace space = isa::StateSpace::kGeneric;
  unsigned vector = 1;
  isa::CacheOp cache_op = isa::CacheOp::kDefault;
  Order order = Order::kWeak;
  isa::MemoryScope scope = isa::MemoryScope::kGpu;
  isa::AtomicOp atomic_op = isa::AtomicOp::kAdd;
  isa::VideoSecond second = isa::VideoSecond::kNone;

  [[nodiscard]] isa::Type type() const { return types[0]; }
};

/// The meaning of a modifier depends on its position: .and is a Boolean operator of setp, but an operation of
/// atom.
enum class ModifierKind : std::uint8_t {
  kWord,  ///< part of the instruction's name: .lo, .wide, .sync
  kType,
  kRounding,
  kCompare,
  kCombine,
  kProperty,
  kFlag,
  kSpace,
  kVector,
  kCache,
  kOrder,
  kScope,
  kAtomic,
  kSecond,
};

/// The kind of that name in a pattern (forms.h): "rnd", "cmp", "space" ...
[[nodiscard]] std::optional<ModifierKind> modifier_kind(std::string_view name);

/// kType for the name of a type, kFlag for ftz, sat, relu, satfinite, NaN, xorsign, approx, full, clamp, uni, cc; otherwise kWord.
[[nodiscard]] ModifierKind natural_kind(std::string_view word);

/// Records the meaning of `word` as a modifier of `kind`. False if that kind has no such word.
[[nodiscard]] bool apply_modifier(ModifierKind kind, std::string_view word, Modifiers& modifiers);

}  // namespace heddle::ptx
