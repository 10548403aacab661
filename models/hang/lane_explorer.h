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
#include "hang/snapshot.h"
#include "hang/value_table.h"

namespace heddle::hang {

/// A lane arrives at a CTA barrier or a .sync instruction.
struct Arrival {
  Pc pc{};
  bool meets = false;          ///< .sync instruction
  bool waits = true;           ///< false: bar.arrive
  Values barrier = kAnyValue;  ///< number of the CTA barrier
  Values count = kAnyValue;    ///< threads it names; one(0): all of the CTA
  Values members = kAnyValue;  ///< of a .sync instruction
};

struct LaneOutcome {
  bool leaves = false;  ///< it may exit, fault, or do something that the exploration does not model
  Pc leaves_at = kNoPc;
  std::vector<bool> visited;  ///< by PC
  std::set<Word> reads;       ///< by loads and atomics, without parameters and constants
  std::set<Word> writes;      ///< words it may change
  std::vector<Arrival> arrivals;
  [[nodiscard]] bool comes_to(Pc pc) const { return pc.value() < visited.size() && visited[pc.value()]; }
};

/// What an exploration has looked at: its result follows from that.
struct LaneInputs {
  struct Load {
    Word word;
    bool through_l1 = false;
    Values values = kAnyValue;
  };
  std::vector<isa::RegId> registers;  ///< ascending: those that decide what its instructions do
  std::vector<isa::Operand> special;  ///< special registers and constants, by offset
  std::vector<Load> loads;            ///< and what was found there
  std::vector<bool> passed;           ///< by arrival
  bool own = false;                   ///< local memory, which is the lane's own
  bool shared = false;                ///< shared memory, which is its CTA's
  bool moved = false;                 ///< a word has got further values since it was loaded
};

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
  using Registers = std::vector<Values>;
  /// What is known at a join.
  struct State {
    Registers registers;                     ///< kJoined
    std::vector<std::uint8_t> growths;       ///< kJoined
    bool queued = false;                     ///< kJoined
    std::set<Registers> apart;               ///< kApart, kExact
    std::vector<std::set<Values>> distinct;  ///< kApart: by register
  };
  /// Of the lane being explored.
  struct Run {
    const WarpState* warp = nullptr;
    unsigned lane = 0;
    AbstractMemory* memory = nullptr;
    const Gate* gate = nullptr;
    LaneOutcome* outcome = nullptr;
    Precision precision = Precision::kJoined;
    std::unordered_map<std::uint32_t, State> states;
    std::vector<std::uint32_t> queue;                           ///< kJoined
    std::vector<std::pair<std::uint32_t, Registers>> branches;  ///< kApart, kExact: still to be followed
    /// kApart, kExact: words of local memory, which only the lane itself writes, are kept like registers.
    std::map<Word, std::size_t> local;
    Registers local_start;
    std::uint64_t steps_left = 0;
    // What the result follows from.
    std::vector<std::uint32_t> executed;  ///< by first visit
    std::map<std::uint32_t, isa::Operand> special;
    std::map<std::pair<Word, bool>, Values> loads;  ///< by word and whether L1 is looked up
    std::vector<bool> passed;
    bool moved = false;
  };
  struct Guard {
    bool may_execute = true;
    bool may_skip = false;
  };
  struct Location {
    Word word;          ///< that holds the first byte
    unsigned byte = 0;  ///< of the first byte in the word
    bool constant = false;
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
  [[nodiscard]] Values read(Run& run, const isa::Operand& operand, const Registers& registers);
  static void write(const isa::Operand& operand, Values values, bool may_skip, Registers& registers,
                    ValueTable& table);
  void forget_results(const isa::Instruction& instruction, Registers& registers);
  void compute(Run& run, const isa::Instruction& instruction, bool may_skip, Registers& registers);

  // lane_explorer_memory.cpp
  /// False: the address is unknown, or the access would fault.
  bool locate(const Run& run, const isa::Instruction& instruction, std::uint64_t address, unsigned bytes,
              Location& location) const;
  /// All addresses the access may have; false: they are unknown.
  bool addresses(Run& run, const isa::Instruction& instruction, const Registers& registers,
                 std::vector<std::uint64_t>& at);
  Values fetch(Run& run, const Location& location, unsigned bytes, bool through_l1, Registers& registers);
  void put(Run& run, const Location& location, unsigned bytes, Values stored, Registers& registers,
           bool may_skip);
  /// Of memory, not of a word kept like a register.
  Values loaded(Run& run, const Word& word, bool through_l1) const;
  Values word_of(Run& run, const Word& word, bool through_l1, Registers& registers);
  void write_word(Run& run, const Word& word, Values values, Registers& registers, bool may_skip);
  /// The register that represents a word of local memory; nullptr: it is in memory.
  Values* local_word(Run& run, const Word& word, Registers& registers);
  bool load(Run& run, const isa::Instruction& instruction, std::uint32_t pc, bool may_skip,
            Registers& registers);
  bool store(Run& run, const isa::Instruction& instruction, bool may_skip, Registers& registers);
  bool atomic(Run& run, const isa::Instruction& instruction, bool may_skip, Registers& registers);

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
