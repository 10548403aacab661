// The SIB prediction table with the arbiter in front of its port as a clocked block: what is on its pins in a cycle, and what it
// answers. Model (SibUnitModel) and RTL (rtl/sib_table) stand behind one interface, so that both see the same pins.
//
// A requester is a scheduler of the core.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sim/block_timing.h"
#include "spin/sib_table_model.h"

namespace heddle::spin {

/// Inputs of one cycle.
struct SibPins {
  static constexpr std::uint32_t kMostRequesters = 8;

  struct Look {
    bool valid = false;
    Pc pc{};
    bool spinning = false;
  };
  std::array<Look, kMostRequesters> looks{};
  bool flush = false;  ///< a kernel begins: the table is empty from the next cycle on
};

/// Cost of a look-up that is served, whatever is in the table. One that is not served waits for other requesters besides, each once
/// at most.
[[nodiscard]] constexpr sim::BlockCost cost(const SibPins::Look& /*look*/) {
  return {.answer = 1, .interval = 1};
}

/// Outputs of the state.
struct SibAnswer {
  bool valid = false;
  std::uint32_t requester = 0;
  bool predicted = false;  ///< a confirmed SIB, before this look-up
  bool confirmed = false;  ///< confirmed by this look-up
  bool full = false;       ///< not entered, for want of room
  bool operator==(const SibAnswer& other) const {
    return valid == other.valid && (!valid || (requester == other.requester && predicted == other.predicted &&
                                               confirmed == other.confirmed && full == other.full));
  }
};

class SibUnit {
 public:
  virtual ~SibUnit() = default;
  [[nodiscard]] virtual SibAnswer answer() const = 0;
  /// The requester that is served. Combinational; nothing changes.
  [[nodiscard]] virtual std::optional<std::uint32_t> grant(const SibPins& pins, Cycle cycle) = 0;
  /// The clock edge that ends the cycle: what is on the pins takes effect.
  virtual void edge(const SibPins& pins, Cycle cycle) = 0;
  /// For statistics, traces and comparisons: branches in the table; a slot, of a predicted branch without confidence.
  [[nodiscard]] virtual std::uint32_t entries() const = 0;
  [[nodiscard]] virtual SibEntry entry(std::uint32_t slot) const = 0;
};

class SibUnitModel final : public SibUnit {
 public:
  /// `requesters`: 1 to SibPins::kMostRequesters.
  SibUnitModel(const DdosConfig& config, std::uint32_t requesters)
      : table_(config), requesters_(requesters), last_(requesters - 1) {}
  [[nodiscard]] SibAnswer answer() const override { return answers_.back(); }
  [[nodiscard]] std::optional<std::uint32_t> grant(const SibPins& pins, Cycle cycle) override;
  void edge(const SibPins& pins, Cycle cycle) override;
  [[nodiscard]] std::uint32_t entries() const override { return read(0).entries; }
  [[nodiscard]] SibEntry entry(std::uint32_t slot) const override;

 private:
  [[nodiscard]] SibRequest read(std::uint32_t slot) const;

  SibTableModel table_;
  std::uint32_t requesters_;
  std::uint32_t last_;                                           ///< who was served last
  std::array<SibAnswer, cost(SibPins::Look{}).answer> answers_;  ///< by the cycles since they were asked
};

/// Model and RTL on the same pins. In each cycle grant, answer and number of entries must be the same, and all entries after
/// whatever may have changed them; the first difference ends the run.
[[nodiscard]] std::unique_ptr<SibUnit> lockstep_sib_unit(std::string path, std::uint32_t slots,
                                                         std::unique_ptr<SibUnit> model,
                                                         std::unique_ptr<SibUnit> rtl);

/// rtl/sib_table, clocked once per core cycle.
struct ClockedSibTableBlock {
  static constexpr const char* kName = "sib_table, clocked";
  using Interface = SibUnit;
  struct Shape {
    std::uint32_t entries = 0;
    std::uint32_t threshold = 0;
    std::uint32_t requesters = 0;
  };
};

}  // namespace heddle::spin
