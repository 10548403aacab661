// What Hanoi's hardware consists of, and which reading of the paper it follows (README.md).
#pragma once

#include <cstdint>

#include "base/config.h"
#include "base/lane_mask.h"
#include "simt/mechanism.h"

namespace heddle::simt {

/// [Hanoi:X1]: P is the paper with what it needs to be complete; X resumes every thread at its own PC for any
/// code. Barriers: as X without the REC stack, by what hardware was seen to do (README.md).
enum class HanoiProfile : std::uint8_t { kP, kX, kBarriers };
/// Who has the turn after a YIELD ([Hanoi:A6], [Hanoi:S1]).
enum class HanoiYield : std::uint8_t {
  kSwap,            ///< top and the one below change places, as published
  kExchange,        ///< top and the next of its siblings in turn, counted per REC entry
  kExchangeOfWarp,  ///< the same, counted per warp
  kRotate,          ///< top goes below all siblings
};
/// Which lanes the waiting mask names ([Hanoi:A2]).
enum class HanoiWaiting : std::uint8_t {
  kAll,  ///< lanes that wait at any entry
  kTop,  ///< those of the top entry: a push clears it
};
enum class HanoiTiming : std::uint8_t { kIdeal, kContract };
/// Barriers: where paths at one PC become one, besides behind a YIELD (MACHINE_CODE.md).
enum class HanoiJoins : std::uint8_t {
  kAnywhere,
  kBsync,  ///< at a BSYNC; lanes that it completes run before others of the path that arrives
};

struct HanoiConfig {
  HanoiProfile profile = HanoiProfile::kX;
  std::uint32_t barrier_registers = 8;
  std::uint32_t private_registers = 0;
  std::uint32_t reconvergence_entries = 31;
  HanoiYield yield = HanoiYield::kRotate;
  std::uint32_t yield_releases = 0;
  HanoiWaiting waiting = HanoiWaiting::kAll;
  bool pops_empty = true;
  bool read_clears = false;
  bool checks_contract = true;
  std::uint32_t bsync_skip = 0;
  HanoiTiming timing = HanoiTiming::kIdeal;
  HanoiJoins joins = HanoiJoins::kAnywhere;

  void visit(base::ConfigVisitor& v);

  [[nodiscard]] bool is_p() const { return profile == HanoiProfile::kP; }
  [[nodiscard]] bool is_barriers() const { return profile == HanoiProfile::kBarriers; }
  [[nodiscard]] bool is_x() const { return profile == HanoiProfile::kX; }
  /// A YIELD lets lanes go on that wait at a BSYNC, and gives every path a turn.
  [[nodiscard]] bool yield_frees() const { return is_barriers() || (is_x() && yield_releases != 0); }
  /// Registers for WARPSYNC, taken out of barrier_registers; they are the highest ones.
  [[nodiscard]] std::uint32_t privates() const {
    return private_registers != 0 ? private_registers : is_p() ? 1 : 4;
  }
  /// Registers that programs may name.
  [[nodiscard]] std::uint32_t program_registers() const {
    return barrier_registers > privates() ? barrier_registers - privates() : 0;
  }
};

inline constexpr std::uint32_t kHanoiMostRegisters = 32;
inline constexpr std::uint32_t kHanoiMostEntries = 63;

/// Bits per warp ([Hanoi] §IX-A).
[[nodiscard]] std::uint64_t hanoi_table_bits(const HanoiConfig& config);

}  // namespace heddle::simt
