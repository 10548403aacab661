// Element types and the loops over 32 lanes that every lane function is made of.
//
// Everything here has internal linkage on purpose. The files that include it are compiled once per x86-64
// level; an inline function or template with external linkage would be emitted as a weak symbol by each of
// them, and the linker may keep the AVX2 copy for the whole program. So: unnamed namespace, builtins, and
// no standard library functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/lane_ops.h"

#ifndef HEDDLE_LANE_LEVEL
#error \
    "HEDDLE_LANE_LEVEL names the namespace of this build of the lane functions; models/isa/CMakeLists.txt sets it"
#endif

// Lanes are independent: a destination row is either the same row as a source or disjoint from it.
#if defined(__clang__)
#define HEDDLE_EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (unsigned i = 0; i < 32; ++i)
#else
#define HEDDLE_EACH_LANE _Pragma("GCC ivdep") for (unsigned i = 0; i < 32; ++i)
#endif
#define HEDDLE_INLINE [[gnu::always_inline]] inline

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {

// One entry point per source file; each returns nullptr for operations it does not implement. find() tries
// them all.
LaneFn find_integer(const LaneSpec& spec);
LaneFn find_multiply(const LaneSpec& spec);
LaneFn find_bits(const LaneSpec& spec);
LaneFn find_float(const LaneSpec& spec);
LaneFn find_special(const LaneSpec& spec);
LaneFn find_compare(const LaneSpec& spec);
LaneFn find_set(const LaneSpec& spec);
LaneFn find_select(const LaneSpec& spec);
LaneFn find_convert_integer(const LaneSpec& spec);
LaneFn find_convert_float(const LaneSpec& spec);
LaneFn find_move(const LaneSpec& spec);
LaneFn find_cross_lane(const LaneSpec& spec);
LaneFn find_carry(const LaneSpec& spec);
LaneFn find_dot(const LaneSpec& spec);
LaneFn find_fields(const LaneSpec& spec);
LaneFn find_half(const LaneSpec& spec);
LaneFn find_compare_half(const LaneSpec& spec);
LaneFn find_convert_pack(const LaneSpec& spec);
LaneFn find_video(const LaneSpec& spec);
LaneFn find_mufu(const LaneSpec& spec);
LaneFn find_narrow(const LaneSpec& spec);
LaneFn find_convert_narrow(const LaneSpec& spec);
LaneFn find_matrix(const LaneSpec& spec);
LaneFn find_barrier_state(const LaneSpec& spec);

namespace {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

// Row cells. may_alias: rows are bytes, and the same row may hold integers or floats.
using CellU32 [[gnu::may_alias]] = std::uint32_t;
using CellS32 [[gnu::may_alias]] = std::int32_t;
using CellU64 [[gnu::may_alias]] = std::uint64_t;
using CellS64 [[gnu::may_alias]] = std::int64_t;
using CellF32 [[gnu::may_alias]] = float;
using CellF64 [[gnu::may_alias]] = double;

// Element types. Value is the type in which arithmetic is done. get() extends narrow integers to 32 bits;
// put() truncates them to kBits and zero-extends them.
struct U8 {
  using Value = std::uint32_t;
  using Unsigned = std::uint32_t;
  using Cell = CellU32;
  static constexpr unsigned kBits = 8;
  static constexpr bool kSigned = false;
  static constexpr bool kFloat = false;
  HEDDLE_INLINE static Value get(std::uint32_t c) { return c & 0xffu; }
  HEDDLE_INLINE static std::uint32_t put(Value v) { return v & 0xffu; }
};
struct S8 {
  using Value = std::int32_t;
  using Unsigned = std::uint32_t;
  using Cell = CellU32;
  static constexpr unsigned kBits = 8;
  static constexpr bool kSigned = true;
  static constexpr bool kFloat = false;
  HEDDLE_INLINE static Value get(std::uint32_t c) { return static_cast<std::int32_t>(c << 24) >> 24; }
  HEDDLE_INLINE static std::uint32_t put(Value v) { return static_cast<std::uint32_t>(v) & 0xffu; }
};
struct U16 {
  using Value = std::uint32_t;
  using Unsigned = std::uint32_t;
  using Cell = CellU32;
  static constexpr unsigned kBits = 16;
  static constexpr bool kSigned = false;
  static constexpr bool kFloat = false;
  HEDDLE_INLINE static Value get(std::uint32_t c) { return c & 0xffffu; }
  HEDDLE_INLINE static std::uint32_t put(Value v) { return v & 0xffffu; }
};
struct S16 {
  using Value = std::int32_t;
  using Unsigned = std::uint32_t;
  using Cell = CellU32;
  static constexpr unsigned kBits = 16;
  static constexpr bool kSigned = true;
  static constexpr bool kFloat = false;
  HEDDLE_INLINE static Value get(std::uint32_t c) { return static_cast<std::int32_t>(c << 16) >> 16; }
  HEDDLE_INLINE static std::uint32_t put(Value v) { return static_cast<std::uint32_t>(v) & 0xffffu; }
};

template <class V, class U, bool is_signed_type, bool is_float_type>
struct Whole {
  using Value = V;
  using Unsigned = U;
  static constexpr unsigned kBits = sizeof(V) * 8;
  static constexpr bool kSigned = is_signed_type;
  static constexpr bool kFloat = is_float_type;
  HEDDLE_INLINE static V get(V c) { return c; }
  HEDDLE_INLINE static V put(V v) { return v; }
};
struct U32 : Whole<std::uint32_t, std::uint32_t, false, false> {
  using Cell = CellU32;
};
struct S32 : Whole<std::int32_t, std::uint32_t, true, false> {
  using Cell = CellS32;
};
struct U64 : Whole<std::uint64_t, std::uint64_t, false, false> {
  using Cell = CellU64;
};
struct S64 : Whole<std::int64_t, std::uint64_t, true, false> {
  using Cell = CellS64;
};
struct F32 : Whole<float, std::uint32_t, true, true> {
  using Cell = CellF32;
};
struct F64 : Whole<double, std::uint64_t, true, true> {
  using Cell = CellF64;
};

/// A signed narrow integer in a wider register of a 32-bit row: sign-extended to the register's width.
template <class E, unsigned register_bits>
struct InRegister : E {
  HEDDLE_INLINE static std::uint32_t put(typename E::Value v) {
    return static_cast<std::uint32_t>(v) & (0xffff'ffffu >> (32 - register_bits));
  }
};

constexpr std::uint32_t kAllLanes = 0xffff'ffffu;

// The bit of each lane, in the width of the compare that uses it: a vector AND and compare, at any x86-64
// level.
#define HEDDLE_BITS_4(n) 1u << (n), 1u << ((n) + 1), 1u << ((n) + 2), 1u << ((n) + 3)
alignas(64) constexpr std::uint32_t kLaneBit32[32] = {HEDDLE_BITS_4(0),  HEDDLE_BITS_4(4),  HEDDLE_BITS_4(8),
                                                      HEDDLE_BITS_4(12), HEDDLE_BITS_4(16), HEDDLE_BITS_4(20),
                                                      HEDDLE_BITS_4(24), HEDDLE_BITS_4(28)};
alignas(64) constexpr std::uint64_t kLaneBit64[32] = {HEDDLE_BITS_4(0),  HEDDLE_BITS_4(4),  HEDDLE_BITS_4(8),
                                                      HEDDLE_BITS_4(12), HEDDLE_BITS_4(16), HEDDLE_BITS_4(20),
                                                      HEDDLE_BITS_4(24), HEDDLE_BITS_4(28)};
#undef HEDDLE_BITS_4

template <unsigned bytes>
HEDDLE_INLINE bool lane_in(std::uint32_t mask, unsigned lane) {
  if constexpr (bytes == 8)
    return (static_cast<std::uint64_t>(mask) & kLaneBit64[lane]) != 0;
  else
    return (mask & kLaneBit32[lane]) != 0;
}

template <class E>
HEDDLE_INLINE const typename E::Cell* source(const LaneArgs& args, unsigned index) {
  return static_cast<const typename E::Cell*>(__builtin_assume_aligned(args.src[index], 64));
}

/// dst[0] row of D := fn(lane) for the lanes of args.mask.
template <class D, class Fn>
HEDDLE_INLINE void each_lane(const LaneArgs& args, Fn fn) {
  auto* d = static_cast<typename D::Cell*>(__builtin_assume_aligned(args.dst[0], 64));
  const std::uint32_t mask = args.mask;
  if (mask == kAllLanes) {
    HEDDLE_EACH_LANE d[i] = D::put(fn(i));
    return;
  }
  HEDDLE_EACH_LANE {
    const auto result = D::put(fn(i));
    const decltype(D::put(fn(i))) old = d[i];
    d[i] = lane_in<sizeof(result)>(mask, i) ? result : old;
  }
}

template <class Op, class D, class A>
void map1(const LaneArgs& args) {
  const auto* a = source<A>(args, 0);
  each_lane<D>(args, [=](unsigned i) { return Op::apply(A::get(a[i])); });
}
template <class Op, class D, class A, class B>
void map2(const LaneArgs& args) {
  const auto* a = source<A>(args, 0);
  const auto* b = source<B>(args, 1);
  each_lane<D>(args, [=](unsigned i) { return Op::apply(A::get(a[i]), B::get(b[i])); });
}
template <class Op, class D, class A, class B, class C>
void map3(const LaneArgs& args) {
  const auto* a = source<A>(args, 0);
  const auto* b = source<B>(args, 1);
  const auto* c = source<C>(args, 2);
  each_lane<D>(args, [=](unsigned i) { return Op::apply(A::get(a[i]), B::get(b[i]), C::get(c[i])); });
}

/// Predicate operands: one lane mask in memory, complemented if given as !p.
HEDDLE_INLINE std::uint32_t predicate(const LaneArgs& args, unsigned index) {
  std::uint32_t bits = 0;
  __builtin_memcpy(&bits, args.src[index], sizeof bits);
  return ((args.negated >> index) & 1u) != 0 ? ~bits : bits;
}
HEDDLE_INLINE void write_predicate(const LaneArgs& args, unsigned index, std::uint32_t bits) {
  if (args.dst[index] == nullptr) return;
  std::uint32_t old = 0;
  __builtin_memcpy(&old, args.dst[index], sizeof old);
  const std::uint32_t now = (old & ~args.mask) | (bits & args.mask);
  __builtin_memcpy(args.dst[index], &now, sizeof now);
}

/// Lane mask of the lanes where fn(lane) holds; `bytes` is the width of the values fn compares.
template <unsigned bytes, class Fn>
HEDDLE_INLINE std::uint32_t collect(Fn fn) {
  if constexpr (bytes == 8) {
    std::uint64_t bits = 0;
    HEDDLE_EACH_LANE bits |= fn(i) ? kLaneBit64[i] : 0u;
    return static_cast<std::uint32_t>(bits);
  } else {
    std::uint32_t bits = 0;
    HEDDLE_EACH_LANE bits |= fn(i) ? kLaneBit32[i] : 0u;
    return bits;
  }
}

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
