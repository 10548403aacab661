// LRR and GTO as a clocked block. A second formulation, by pins and edges, of the policies lrr and gto (lrr.cpp,
// greedy_by_age.h), which answer in stopped time.
#pragma once

#include <vector>

#include "core/schedule/pick_unit.h"

namespace heddle::core {

class PickModel final : public PickUnit {
 public:
  enum class Order : std::uint8_t { kRoundRobin, kGreedyOldest };
  explicit PickModel(Order order) : order_(order) {}

  [[nodiscard]] PickGrant grant(const PickPins& pins, Cycle cycle) override;
  void edge(const PickPins& pins, Cycle cycle) override;
  [[nodiscard]] nlohmann::ordered_json show() const override;
  /// Slots with an age, the oldest first; round robin: none.
  [[nodiscard]] const std::vector<std::uint32_t>& by_age() const { return by_age_; }
  [[nodiscard]] std::uint32_t last() const { return last_; }
  [[nodiscard]] bool greedy() const { return greedy_; }

 private:
  [[nodiscard]] std::uint32_t chosen(const PickPins& pins) const;

  Order order_;
  std::vector<std::uint32_t> by_age_;
  std::uint32_t last_ = 0;
  bool greedy_ = false;
};

}  // namespace heddle::core
