#include "core/cta/round_robin.h"

namespace heddle::core {
namespace {

class RoundRobinDispatch final : public CtaDispatchPolicy {
 public:
  void begin(std::uint64_t /*ctas*/, std::uint32_t cores) override {
    cores_ = cores;
    next_cta_ = 0;
    first_ = asked_ = 0;
  }
  std::optional<CtaChoice> next(std::span<const std::uint32_t> room) override {
    while (asked_ < cores_) {
      const std::uint32_t core = (first_ + asked_++) % cores_;
      if (room[core] != 0) return CtaChoice{core, next_cta_++};
    }
    return std::nullopt;
  }
  [[nodiscard]] bool fills_freed_room_only() const override { return true; }
  void end_cycle(bool gave) override {
    if (gave) first_ = (first_ + 1) % cores_;
    asked_ = 0;
  }

 private:
  std::uint32_t cores_ = 0;
  std::uint64_t next_cta_ = 0;
  std::uint32_t first_ = 0;  ///< the core that is asked first in a cycle
  std::uint32_t asked_ = 0;  ///< cores that have been asked in this cycle
};

}  // namespace

DispatchPolicy round_robin_dispatch() {
  return {"round_robin",
          "CTAs in order, at most one per core and cycle, the cores in turns",
          {},
          [](const DispatchConfig& /*config*/) { return std::make_unique<RoundRobinDispatch>(); }};
}

}  // namespace heddle::core
