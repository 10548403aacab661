// The scoreboard of one scheduler's warps as a clocked block: what is on its pins in a cycle, and what it answers. Model
// (scoreboard_slices.h) and RTL (rtl/scoreboard) stand behind one interface, so that both see the same pins.
//
// A slot is an issue group of the scheduler's: (warp / schedulers) * groups_per_warp + number of the group in its warp. `warp`
// is the number of a warp among the scheduler's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/lane_mask.h"
#include "core/config.h"
#include "isa/instruction.h"
#include "sim/block_timing.h"

namespace heddle::core {

/// Cost of a port that takes `ports` registers in a clock, for an instruction that names `registers`: it counts from the clock
/// behind its last part on. The same for look-up, reservation and release; none of them is ever slower for what is in the sets.
[[nodiscard]] constexpr sim::BlockCost cost(std::uint32_t registers, std::uint32_t ports) {
  const std::uint32_t parts = registers <= ports ? 1 : (registers + ports - 1) / ports;
  return {.answer = parts, .interval = parts};
}

/// Inputs of one cycle; sets of slots and warps as bits.
struct ScoreboardPins {
  static constexpr std::uint32_t kMostSlots = 64;
  static constexpr std::uint32_t kMostPorts = 16;
  static constexpr std::uint32_t kMostRegisters = 24;  ///< of an instruction
  static constexpr std::uint32_t kSources = 2;         ///< of write-backs: pipes, load/store unit

  /// Registers of an instruction, or as many as fit, each once; isa::kNoReg: the port is not used.
  struct Look {
    bool valid = false;
    LaneMask lanes;
    std::array<isa::RegId, kMostPorts> registers = none();
    std::uint32_t written = 0;  ///< bit per port: the instruction writes it
  };
  struct Write {
    bool valid = false;
    std::uint32_t warp = 0;
    LaneMask lanes;
    std::array<isa::RegId, kMostPorts> registers = none();
  };

  std::uint64_t heads = 0;                ///< slots whose I-buffer has an instruction
  std::uint64_t drop = 0;                 ///< it is another one from the next cycle on
  std::uint64_t clear = 0;                ///< warps that are new
  Look look{};                            ///< of the slot that is granted
  bool first = true, last = true;         ///< part of its instruction
  std::optional<std::uint32_t> issued{};  ///< the slot whose head issues
  Look next{};                            ///< what is behind it, if valid
  Write reserve{};
  bool memory = false;  ///< it is of a memory instruction
  std::array<Write, kSources> release{};

  [[nodiscard]] static constexpr std::array<isa::RegId, kMostPorts> none() {
    std::array<isa::RegId, kMostPorts> registers{};
    registers.fill(isa::kNoReg);
    return registers;
  }
};

// What of an instruction is on the ports; the answer: in how many parts it is, by cost().
/// Part `part` of the registers that it reads or writes, each once, destinations first.
std::uint32_t look_part(const isa::Instruction& instruction, LaneMask lanes, std::uint32_t part,
                        std::uint32_t ports, ScoreboardPins::Look& look);
/// The registers that an instruction writes.
struct Destinations {
  decltype(isa::Instruction::writes) all{};
  std::uint32_t count = 0;

  Destinations() = default;
  Destinations(const isa::Instruction& instruction)  // NOLINT(google-explicit-constructor): they stand for it
      : all(instruction.writes), count(instruction.write_count) {}
};
/// Part `part` of them.
std::uint32_t write_part(const Destinations& registers, std::uint32_t part, std::uint32_t ports,
                         ScoreboardPins::Write& write);
/// The load/store unit writes what it writes, not a pipe.
[[nodiscard]] inline bool by_memory(const isa::Instruction& instruction) {
  return instruction.op == isa::Opcode::kLoad || instruction.op == isa::Opcode::kAtomic ||
         instruction.op == isa::Opcode::kLoadMatrix || instruction.op == isa::Opcode::kTexture;
}
/// The registers that it reads or writes, each once, destinations first; their number.
std::uint32_t registers_of(const isa::Instruction& instruction,
                           std::array<isa::RegId, ScoreboardPins::kMostRegisters>& all);

/// Outputs in the same cycle, which depend on heads and on who wants to release only.
struct ScoreboardGrants {
  std::optional<std::uint32_t> look{};     ///< slot whose registers are wanted
  std::optional<std::uint32_t> release{};  ///< source that is served
  bool operator==(const ScoreboardGrants&) const = default;
};

/// Outputs of the state, a bit per slot.
struct ScoreboardHeads {
  std::uint64_t looked = 0;  ///< the head has been looked up
  std::uint64_t ready = 0;   ///< and waits for nothing, and has room for its destinations
  std::uint64_t memory = 0;  ///< it waits for a register that a memory instruction writes
  std::uint64_t alu = 0;     ///< for one that another instruction writes
  bool operator==(const ScoreboardHeads&) const = default;
};

struct PendingEntry {
  isa::RegId reg = isa::kNoReg;
  bool memory = false;
  LaneMask lanes;
  bool operator==(const PendingEntry&) const = default;
};

class ScoreboardUnit {
 public:
  using Cycle = base::Cycle;

  virtual ~ScoreboardUnit() = default;
  [[nodiscard]] virtual ScoreboardHeads heads() const = 0;
  /// Combinational; nothing changes.
  [[nodiscard]] virtual ScoreboardGrants grants(const ScoreboardPins& pins, Cycle cycle) = 0;
  /// The clock edge that ends the cycle: what is on the pins takes effect.
  virtual void edge(const ScoreboardPins& pins, Cycle cycle) = 0;
  /// The set of a warp, by entry; kNoReg: free. For traces and comparisons.
  [[nodiscard]] virtual std::vector<PendingEntry> entries(std::uint32_t warp) const = 0;
};

/// Sizes of the block.
struct ScoreboardShape {
  std::uint32_t warps = 0;   ///< of one scheduler
  std::uint32_t groups = 1;  ///< of a warp
  ScoreboardConfig config;
};

/// Model and RTL on the same pins. In each cycle grants, heads and the sets of the warps that are written must be the same; the
/// first difference ends the run.
[[nodiscard]] std::unique_ptr<ScoreboardUnit> lockstep_scoreboard(std::string path,
                                                                  std::unique_ptr<ScoreboardUnit> model,
                                                                  std::unique_ptr<ScoreboardUnit> rtl);

/// rtl/scoreboard, clocked once per core cycle.
struct ClockedScoreboardBlock {
  static constexpr const char* kName = "scoreboard, clocked";
  using Interface = ScoreboardUnit;
  using Shape = ScoreboardShape;
};

}  // namespace heddle::core
