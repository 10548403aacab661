// What one lane may do from its current point on: an abstract interpreter of a single thread's program over
// sets of values. The result covers everything the lane can do, for any order and speed of lanes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "hang/abstract_memory.h"
#include "hang/lane_accesses.h"
#include "hang/lane_outcome.h"
#include "hang/snapshot.h"
#include "hang/value_table.h"

namespace heddle::hang {

/// How states are merged at joins.
enum class Precision : std::uint8_t {
  kJoined,  ///< they are merged: quick, and enough for most loops
  kApart,   ///< they stay apart, but a register with many values at the join becomes unknown
  kExact,   ///< they stay apart: for loops that return to a state after many iterations
};

/// Whether the lane may proceed past the arrival.
using Gate = std::function<bool(const Arrival&)>;

class LaneExplorer {
 public:
  LaneExplorer(const Snapshot& snapshot, ValueTable& values);

  /// Lane `lane` of the warp continues at `start`. Its writes go to `memory`. `to_the_end`: other paths are
  /// followed even if one leaves. Starts with the precision that sufficed for an earlier lane from `start`,
  /// and tries higher ones if `try_harder`. `inputs`: what the result follows from; may be null.
  [[nodiscard]] LaneOutcome explore(const WarpState& warp, unsigned lane, Pc start, AbstractMemory& memory,
                                    const Gate& gate, bool to_the_end, bool try_harder,
                                    LaneInputs* inputs = nullptr);
  /// What a lane has in a register at its start.
  [[nodiscard]] Values initial(const WarpState& warp, unsigned lane, isa::RegId reg) const;
  /// What it finds in a row of special registers or constants.
  [[nodiscard]] Values special(const WarpState& warp, unsigned lane, const isa::Operand& operand) const;
  /// Instructions interpreted so far; those on large sets count as several.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  using Registers = LaneRegisters;
  /// What is known at a join.
  struct State {
    Registers registers;                ///< kJoined
    std::vector<std::uint8_t> growths;  ///< kJoined
    bool queued = false;                ///< kJoined
    std::set<Registers> apart;          ///< kApart, kExact
    Registers first;                    ///< kApart: the first to arrive
    std::unordered_map<std::size_t, std::set<Values>>
        others;  ///< kApart: of registers with several values, all
  };
  /// Of the lane being explored.
  struct Run {
    LaneAccesses accesses;
    const Gate* gate = nullptr;
    LaneOutcome* outcome = nullptr;
    Precision precision = Precision::kJoined;
    std::uint64_t steps_left = 0;
    std::unordered_map<std::uint32_t, State> states{};
    std::vector<std::uint32_t> queue{};                           ///< kJoined
    std::vector<std::pair<std::uint32_t, Registers>> branches{};  ///< kApart, kExact: still to be followed
    // What the result follows from.
    std::vector<std::uint32_t> executed{};  ///< by first visit
    std::vector<bool> passed{};
  };
  struct Guard {
    bool may_execute = true;
    bool may_skip = false;
  };

  [[nodiscard]] LaneOutcome explore_with(const WarpState& warp, unsigned lane, Pc start,
                                         AbstractMemory& memory, const Gate& gate, bool to_the_end,
                                         Precision precision, LaneInputs* inputs);
  [[nodiscard]] Registers initial(const WarpState& warp, unsigned lane) const;
  [[nodiscard]] std::vector<isa::RegId> deciding_registers(const Run& run) const;
  [[nodiscard]] LaneInputs inputs_of(const Run& run) const;
  void arrive_joined(Run& run, std::uint32_t pc, const Registers& registers);
  void arrive_apart(Run& run, std::uint32_t pc, Registers registers);
  void arrive(Run& run, std::uint32_t pc, const Registers& registers);
  void follow(Run& run, std::uint32_t pc, Registers registers);
  void leave(Run& run, std::uint32_t pc);
  /// False: the path ends here.
  bool step(Run& run, std::uint32_t pc, Registers& registers);
  [[nodiscard]] Guard guard_of(const isa::Instruction& instruction, const Registers& registers);
  void jump(Run& run, const isa::Instruction& instruction, std::uint32_t pc, const Guard& guard,
            const Registers& registers);
  bool jump_to_values(Run& run, const isa::Instruction& instruction, std::uint32_t pc,
                      const Registers& registers);
  /// At a BSYNC or WARPSYNC of a mechanism that may misroute.
  void meet(Run& run, const Registers& registers);
  bool wait(Run& run, const isa::Instruction& instruction, std::uint32_t pc, const Registers& registers);

  // lane_explorer_values.cpp
  static void forget_results(const isa::Instruction& instruction, Registers& registers);
  void compute(Run& run, const isa::Instruction& instruction, bool may_skip, Registers& registers);

  const Snapshot& snapshot_;
  const isa::Kernel& kernel_;
  const std::byte* constants_;
  ValueTable& values_;
  std::vector<bool> leaders_;       ///< by PC: states join there
  std::vector<Pc> meeting_points_;  ///< of a mechanism that may misroute: where lanes go on that met
  std::map<std::uint32_t, Precision> enough_;  ///< by start
  std::uint64_t steps_ = 0;
  std::uint64_t work_counted_ = 0;  ///< of values_.work()
};

}  // namespace heddle::hang
