// Lanes that do the same: of a hang of thousands of lanes most wait for one word in one loop, and one of them is explored.
//
// What an exploration finds follows from what it has looked at: registers that decide what it executes, special registers,
// words of memory, and whether it may pass the barriers that it comes to. A lane that starts at the same instruction, for
// which all of these are alike, would do the same and is not explored again. So the work of a proof grows with the number of
// different things that lanes do, not with the machine.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "hang/lane_explorer.h"

namespace heddle::hang {

/// Of one exploration of all lanes.
class LaneClasses {
 public:
  explicit LaneClasses(const LaneExplorer& explorer) : explorer_(explorer) {}

  /// What a lane that does the same has been found to do; null: none is known.
  [[nodiscard]] std::shared_ptr<const LaneOutcome> find(const WarpState& warp, unsigned lane, Pc start,
                                                        AbstractMemory& memory, const Gate& gate);
  /// The lane has been explored.
  void add(const WarpState& warp, unsigned lane, Pc start, LaneInputs inputs,
           std::shared_ptr<const LaneOutcome> outcome);

 private:
  struct Member {
    std::vector<Values> key;
    std::vector<LaneInputs::Load> loads;
    std::vector<bool> passed;
    std::shared_ptr<const LaneOutcome> outcome;
  };
  /// Members that have looked at the same registers.
  struct Shape {
    std::vector<isa::RegId> registers;
    std::vector<isa::Operand> special;
    bool shared = false;  ///< and at shared memory: of one CTA
    std::unordered_map<std::uint64_t, std::vector<Member>> members;
  };
  [[nodiscard]] std::vector<Values> key_of(const Shape& shape, const WarpState& warp, unsigned lane) const;

  const LaneExplorer& explorer_;
  std::unordered_map<std::uint32_t, std::vector<Shape>> shapes_;  ///< by start
};

}  // namespace heddle::hang
