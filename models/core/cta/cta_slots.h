// What limits resident CTAs: CTA slots, warp slots, registers, shared memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/index_set.h"
#include "core/config.h"
#include "core/warp_context.h"

namespace heddle::core {

/// Needs of one CTA of a kernel on a core.
struct CtaNeeds {
  std::uint32_t warps = 0;
  std::uint32_t registers = 0;     ///< 32-bit registers, allocation granularity included
  std::uint32_t shared_bytes = 0;  ///< rounded up to the allocation granularity
};

/// What a CTA may address. Of machine code in whole units of allocation, as on a card, since ptxas also loads words that it does not
/// need: with a vector, past the last variable. Its dynamic memory begins at a multiple of 16 bytes.
[[nodiscard]] std::uint32_t addressable_shared_bytes(const isa::Kernel& kernel, std::uint32_t dynamic_bytes);

[[nodiscard]] CtaNeeds needs_of(const LaunchContext& launch, const CoreConfig& config);

/// CTAs that fit at once on an empty core; 0 with the reason in `why` if even one does not.
[[nodiscard]] std::uint32_t max_resident(const CtaNeeds& needs, const CoreConfig& config, std::string& why);

class CtaSlots {
 public:
  explicit CtaSlots(const CoreConfig& config);

  /// How many more CTAs with these needs fit.
  [[nodiscard]] std::uint32_t room(const CtaNeeds& needs) const;
  /// Takes a CTA slot, warp slots (in ascending order) and shared memory; there must be room().
  CtaSlot take(const CtaNeeds& needs, std::vector<WarpId>& warps, std::uint32_t& shared_base);
  /// The same at a given free CTA slot: warp slots and shared memory follow from its number. All resident CTAs are
  /// of one kernel and were taken so.
  void take_at(CtaSlot slot, const CtaNeeds& needs, std::vector<WarpId>& warps, std::uint32_t& shared_base);
  void give_back(CtaSlot slot);
  [[nodiscard]] std::uint32_t resident() const { return resident_; }

 private:
  struct Slot {
    bool used = false;
    CtaNeeds needs;
    std::uint32_t shared_base = 0;
    std::vector<WarpId> warps;
  };
  void occupy(Slot& slot, const CtaNeeds& needs, std::uint32_t shared_base);
  [[nodiscard]] std::optional<std::uint32_t> find_shared(std::uint32_t bytes) const;
  /// How many regions of that size are free, up to `most`.
  [[nodiscard]] std::uint32_t count_shared(std::uint32_t bytes, std::uint32_t most) const;
  /// Calls fn(first byte, bytes) for the free regions in order of address, until it returns true.
  template <class Fn>
  void for_each_free_region(Fn&& fn) const;

  CoreConfig config_;
  std::vector<Slot> slots_;
  base::IndexSet free_warps_;
  std::uint32_t free_warp_count_;
  std::uint32_t free_registers_;
  std::uint32_t resident_ = 0;
};

}  // namespace heddle::core
