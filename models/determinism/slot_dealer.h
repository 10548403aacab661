// Which CTA goes to which slot ([GPUDet] §4.2.2): in a deterministic state at the beginning of a quantum, and within it
// from each slot's own share. Plain: no time, no hardware.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "determinism/determinism_config.h"

namespace heddle::determinism {

class SlotDealer {
 public:
  SlotDealer() = default;
  /// `slots`: CTA slots of a core.
  SlotDealer(const DeterminismConfig& config, std::uint32_t cores, std::uint32_t slots, std::uint64_t ctas);

  struct Place {
    std::uint32_t core = 0;
    std::uint32_t slot = 0;
  };
  [[nodiscard]] Place place(std::uint32_t ordinal) const {
    return interleaved_ ? Place{ordinal % cores_, ordinal / cores_}
                        : Place{ordinal / slots_, ordinal % slots_};
  }
  [[nodiscard]] std::uint32_t ordinal(const Place& at) const {
    return interleaved_ ? at.slot * cores_ + at.core : at.core * slots_ + at.slot;
  }
  [[nodiscard]] std::uint32_t slots() const { return cores_ * slots_; }

  struct Assignment {
    std::uint32_t ordinal = 0;
    std::uint64_t cta = 0;
  };
  /// A quantum begins; the slots of which `occupied` is false are free: who gets one, by slot, and what is left is dealt
  /// to all slots ([GPUDet] §4.2.2).
  [[nodiscard]] std::vector<Assignment> distribute(const std::vector<bool>& occupied);
  /// The slot is free again within the quantum: the next one of its share.
  [[nodiscard]] std::optional<std::uint64_t> refill(std::uint32_t ordinal);
  /// Whether refill(ordinal), which has just given `cta`, was to give it: the last that the slot has taken of its share.
  [[nodiscard]] bool in_share(std::uint32_t ordinal, std::uint64_t cta) const {
    return taken_[ordinal] != 0 && cta == cta_at(ordinal + (taken_[ordinal] - 1) * taken_.size());
  }
  /// CTAs that have not been given away.
  [[nodiscard]] std::uint64_t pending() const { return pending_; }

 private:
  /// The k-th CTA that was pending when the shares were dealt.
  [[nodiscard]] std::uint64_t cta_at(std::uint64_t k) const {
    return k < early_.size() ? early_[k] : next_ + (k - early_.size());
  }
  [[nodiscard]] std::uint64_t dealt() const { return early_.size() + (ctas_ - next_); }
  /// Takes what was refilled out of what was pending.
  void settle_shares();

  bool interleaved_ = true;
  bool dwp_ = true;
  bool is_static_ = false;
  std::uint32_t cores_ = 0;
  std::uint32_t slots_ = 0;
  std::uint64_t ctas_ = 0;
  std::uint64_t pending_ = 0;
  // Those that were pending when the shares were dealt: `early_`, ascending, and all from `next_` on. The share of slot s
  // are the s-th of them, the (s + slots)-th ..., of which it has taken `taken_[s]`.
  std::vector<std::uint64_t> early_;
  std::uint64_t next_ = 0;
  std::vector<std::uint64_t> taken_;
};

}  // namespace heddle::determinism
