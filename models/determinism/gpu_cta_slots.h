// The CTA slots of the GPU under deterministic execution ([GPUDet] §4.2.2): who is in them, who starts next, and who has ended
// the parallel mode of this quantum. Which CTA goes where the dealer says (slot_dealer.h). Knows no time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/cta/cta_dispatch_policy.h"
#include "determinism/determinism_config.h"
#include "determinism/slot_dealer.h"

namespace heddle::determinism {

class GpuCtaSlots {
 public:
  /// A launch begins; make() follows when it is known how many slots a core has.
  void begin_launch(std::uint64_t ctas, std::uint32_t cores);
  [[nodiscard]] bool known() const { return slots_per_core_ != 0; }
  /// A core has so many; all are free, and are dealt to.
  void make(const DeterminismConfig& config, std::uint32_t slots_per_core);

  /// A quantum begins: CTAs for the slots that are free.
  void distribute();
  /// CTAs are about to start.
  [[nodiscard]] bool some_start() const { return !to_start_.empty(); }
  /// The next one to start, if a core has room, by core; it does. `parallel`: within a parallel mode.
  [[nodiscard]] std::optional<core::CtaChoice> start(std::span<const std::uint32_t> room, bool parallel);

  void begin_parallel();
  /// All wavefronts of the slot have ended their parallel modes.
  void ended(const SlotDealer::Place& at);
  /// Its CTA is done.
  void exited(const SlotDealer::Place& at);
  /// Of the next CTA of a slot whose CTA is done within the quantum.
  struct Refill {
    std::function<bool(const SlotDealer::Place&)> below_quota;  ///< it may have one
    /// It gets `cta`, which is or is not the next one of its share ([GPUDet:D9]).
    std::function<void(const SlotDealer::Place&, std::uint64_t cta, bool in_share)> refilled;
  };
  void refill(const Refill& how);
  /// No slot runs, and none is about to.
  [[nodiscard]] bool parallel_over() const { return running_ == 0 && starting_ == 0; }

  /// The quantum is over. False: so is the launch, as far as CTAs are concerned.
  [[nodiscard]] bool end_quantum();
  /// Since it was asked last a CTA has started or is done.
  [[nodiscard]] bool advanced() { return std::exchange(advanced_, false); }

 private:
  enum class State : std::uint8_t { kFree, kRuns, kEnded, kExited };

  std::uint64_t ctas_ = 0;
  std::uint32_t cores_ = 0;
  std::uint32_t slots_per_core_ = 0;  ///< 0: not known yet
  SlotDealer dealer_;
  std::vector<State> slots_;  ///< by ordinal
  std::vector<SlotDealer::Assignment> to_start_;
  std::vector<std::uint32_t> exited_;  ///< ordinals of CTAs that are done since the last refill()
  std::uint32_t running_ = 0;          ///< slots that have not ended
  std::uint32_t starting_ = 0;         ///< slots of which the next CTA is about to start
  bool advanced_ = false;
};

}  // namespace heddle::determinism
