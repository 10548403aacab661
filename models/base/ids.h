// Strong index types: a core number never gets used as a warp slot by accident.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace heddle::base {

template <class Tag, class Rep = std::uint32_t>
class Id {
 public:
  using rep = Rep;
  constexpr Id() = default;
  constexpr explicit Id(Rep value) : value_(value) {}
  [[nodiscard]] constexpr Rep value() const { return value_; }
  // NOLINTNEXTLINE(modernize-use-nullptr): not a pointer, the 0 with which the compiler compares
  constexpr auto operator<=>(const Id&) const = default;
  constexpr Id& operator++() {
    ++value_;
    return *this;
  }

 private:
  Rep value_ = 0;
};

using CoreId = Id<struct CoreTag>;            ///< SIMT core (streaming multiprocessor), 0..cores-1
using PartitionId = Id<struct PartitionTag>;  ///< memory partition (L2 slice + DRAM channel)
using WarpId = Id<struct WarpTag>;            ///< hardware warp slot of one core
using GroupId = Id<struct GroupTag>;          ///< issue group slot of one core; owns an I-buffer
using CtaSlot = Id<struct CtaSlotTag>;        ///< hardware CTA slot of one core

/// Program counter: index of an instruction in its kernel. The byte address shown to users is
/// isa::Kernel::code_address().
using Pc = Id<struct PcTag>;
inline constexpr Pc kNoPc{0xffff'ffffu};  ///< "none": no reconvergence point, no target

/// Cycle count of one clock domain since the start of the simulation.
using Cycle = std::uint64_t;
inline constexpr Cycle kNever = ~Cycle{0};  ///< "nothing is due", as a cycle

}  // namespace heddle::base

template <class Tag, class Rep>
struct std::hash<heddle::base::Id<Tag, Rep>> {
  std::size_t operator()(heddle::base::Id<Tag, Rep> id) const noexcept {
    return std::hash<Rep>{}(id.value());
  }
};
