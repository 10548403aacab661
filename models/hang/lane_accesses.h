// What a lane being explored reads and writes: rows of registers, special registers and constants, and memory, each a set of
// values. It remembers what it has found, since the outcome follows from that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "hang/abstract_memory.h"
#include "hang/lane_outcome.h"
#include "hang/snapshot.h"
#include "hang/value_table.h"

namespace heddle::hang {

/// By register; behind them words of local memory that are kept like registers.
using LaneRegisters = std::vector<Values>;

/// What a lane finds in a row of special registers or constants.
[[nodiscard]] Values row_of_lane(ValueTable& values, const std::byte* row, isa::RowWidth width,
                                 unsigned lane);

class LaneAccesses {
 public:
  /// Lane `lane` of the warp; all that is referred to outlives this. `constants`: the rows of the kernel. `keeps_local`: words of
  /// local memory, which only the lane itself writes, are kept like registers. Words it reads and writes go into `outcome`.
  LaneAccesses(const Snapshot& snapshot, const std::byte* constants, ValueTable& values,
               const WarpState& warp, unsigned lane, AbstractMemory& memory, LaneOutcome& outcome,
               bool keeps_local);

  [[nodiscard]] Values read(const isa::Operand& operand, const LaneRegisters& registers);
  void write(const isa::Operand& operand, Values values, bool may_skip, LaneRegisters& registers);
  // False: the address is unknown, or the access would fault.
  bool load(const isa::Instruction& instruction, std::uint32_t pc, bool may_skip, LaneRegisters& registers);
  bool store(const isa::Instruction& instruction, bool may_skip, LaneRegisters& registers);
  bool atomic(const isa::Instruction& instruction, bool may_skip, LaneRegisters& registers);

  /// Words of local memory that this path has not touched get their initial values.
  void complete(LaneRegisters& registers) const;
  /// What it has found.
  void note(LaneInputs& inputs) const;

 private:
  struct Location {
    Word word;          ///< that holds the first byte
    unsigned byte = 0;  ///< of the first byte in the word
    bool constant = false;
  };
  /// False: the address is unknown, or the access would fault.
  bool locate(const isa::Instruction& instruction, std::uint64_t address, unsigned bytes,
              Location& location) const;
  /// All addresses the access may have; false: they are unknown.
  bool addresses(const isa::Instruction& instruction, const LaneRegisters& registers,
                 std::vector<std::uint64_t>& at);
  Values fetch(const Location& location, unsigned bytes, bool through_l1, LaneRegisters& registers);
  void put(const Location& location, unsigned bytes, Values stored, LaneRegisters& registers, bool may_skip);
  /// Of memory, not of a word kept like a register.
  Values loaded(const Word& word, bool through_l1);
  Values word_of(const Word& word, bool through_l1, LaneRegisters& registers);
  void write_word(const Word& word, Values values, LaneRegisters& registers, bool may_skip);
  /// The register that represents a word of local memory; nullptr: it is in memory.
  Values* local_word(const Word& word, LaneRegisters& registers);

  const Snapshot& snapshot_;
  const std::byte* constants_;
  ValueTable& values_;
  const WarpState& warp_;
  unsigned lane_;
  AbstractMemory& memory_;
  LaneOutcome& outcome_;
  bool keeps_local_;
  std::size_t registers_;              ///< of the kernel
  std::map<Word, std::size_t> local_;  ///< words kept like registers: their number
  LaneRegisters local_start_;
  std::map<std::uint32_t, isa::Operand> special_;
  std::map<std::pair<Word, bool>, Values> loads_;  ///< by word and whether L1 is looked up
  bool moved_ = false;
};

}  // namespace heddle::hang
