// What the files of this folder share: sources with modifiers, and destinations that may be absent. Internal linkage: see
// lane/lanes.h.
#pragma once

#include "isa/lane/float_rules.h"
#include "isa/machine_ops.h"

namespace heddle::isa::lane::HEDDLE_LANE_LEVEL {

LaneFn find_machine(const MachineSpec& spec);
// One entry point per source file; each returns nullptr for operations it does not implement.
LaneFn find_machine_add(const MachineSpec& spec);
LaneFn find_machine_multiply(const MachineSpec& spec);
LaneFn find_machine_compare(const MachineSpec& spec);
LaneFn find_machine_bits(const MachineSpec& spec);
LaneFn find_machine_predicate(const MachineSpec& spec);
LaneFn find_machine_float(const MachineSpec& spec);
LaneFn find_machine_half(const MachineSpec& spec);
LaneFn find_machine_narrow(const MachineSpec& spec);
LaneFn find_machine_convert(const MachineSpec& spec);
LaneFn find_machine_special(const MachineSpec& spec);
LaneFn find_machine_warp(const MachineSpec& spec);

namespace {

HEDDLE_INLINE bool has_bit(const LaneArgs& args, unsigned bit) { return ((args.immediate >> bit) & 1u) != 0; }
HEDDLE_INLINE unsigned field(const LaneArgs& args, unsigned first, unsigned width) {
  return static_cast<unsigned>(args.immediate >> first) & ((1u << width) - 1u);
}

/// All ones if source i is negated: x ^ inverted is its complement, and the negation lacks 1 to it.
HEDDLE_INLINE std::uint32_t inverted(const LaneArgs& args, unsigned i) { return has_bit(args, i) ? ~0u : 0u; }

/// A carry: the lane's bit of a predicate.
HEDDLE_INLINE std::uint32_t one_in(std::uint32_t predicate, unsigned lane) {
  return lane_in<4>(predicate, lane) ? 1u : 0u;
}

/// The sign of a floating-point source, also of a NaN: bits & keep ^ flip.
template <class U>
struct Sign {
  U keep;
  U flip;
  HEDDLE_INLINE U apply(U bits) const { return (bits & keep) ^ flip; }
};
template <class U>
HEDDLE_INLINE Sign<U> sign_of(const LaneArgs& args, unsigned i) {
  constexpr U kTop = U{1} << (sizeof(U) * 8 - 1);
  return {has_bit(args, 8 + i) ? static_cast<U>(~kTop) : static_cast<U>(~U{0}),
          has_bit(args, i) ? kTop : U{0}};
}

/// A row of f32 with its sign modifier; indexed like a row.
struct SignedRow {
  const CellU32* row;
  Sign<std::uint32_t> sign;
  HEDDLE_INLINE float operator[](unsigned i) const { return from_bits(sign.apply(row[i])); }
};
HEDDLE_INLINE SignedRow signed_row(const LaneArgs& args, unsigned i) {
  return {source<U32>(args, i), sign_of<std::uint32_t>(args, i)};
}

/// A row of 64-bit values in two rows, low words first.
struct PairRow {
  const CellU32* low;
  const CellU32* high;
  HEDDLE_INLINE std::uint64_t operator[](unsigned i) const {
    return static_cast<std::uint64_t>(high[i]) << 32 | low[i];
  }
};
HEDDLE_INLINE PairRow pair_row(const LaneArgs& args, unsigned first) {
  return {source<U32>(args, first), source<U32>(args, first + 1)};
}

/// dst[index], a row of 32 bits, unless it is absent. Everything that fn needs has been read: a destination may be a source.
template <class Fn>
HEDDLE_INLINE void write_row(const LaneArgs& args, unsigned index, Fn fn) {
  if (args.dst[index] == nullptr) return;
  auto* d = static_cast<CellU32*>(__builtin_assume_aligned(args.dst[index], 64));
  const std::uint32_t mask = args.mask;
  HEDDLE_EACH_LANE {
    const std::uint32_t result = fn(i);
    const std::uint32_t old = d[i];
    d[i] = lane_in<4>(mask, i) ? result : old;
  }
}
/// dst[0] and dst[1] := the low and high words.
HEDDLE_INLINE void write_pair(const LaneArgs& args, const std::uint64_t* values) {
  write_row(args, 0, [=](unsigned i) { return static_cast<std::uint32_t>(values[i]); });
  write_row(args, 1, [=](unsigned i) { return static_cast<std::uint32_t>(values[i] >> 32); });
}

}  // namespace
}  // namespace heddle::isa::lane::HEDDLE_LANE_LEVEL
