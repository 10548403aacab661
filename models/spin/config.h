// Configuration of spin-aware scheduling: section core.spin of a platform ([DDOS/BOWS] §6.2, §6.3).
#pragma once

#include <cstdint>

#include "base/config.h"
#include "sim/twins.h"

namespace heddle::spin {

/// Who says which branches are spin-inducing (SIBs).
enum class SibSource : std::uint8_t {
  kNone,         ///< nobody: the machine has no such hardware
  kDdos,         ///< the detector, while the kernel runs
  kAnalysis,     ///< the compiler (analysis/spin_branches.h)
  kAnnotations,  ///< the kernel's text (Kernel::spin_marks)
};
/// Whether the blocks take the time that their hardware takes, or none.
using sim::Timing;
enum class HashFunction : std::uint8_t { kXor, kModulo };
/// Whose path and values a warp's history follows.
enum class Profile : std::uint8_t {
  kSticky,  ///< one lane as long as it takes part; then the first active one, from an empty history
  kFirst,   ///< the first active lane of each setp
  kSkip,    ///< one lane for good: what the warp executes without it is not recorded
};
enum class WideValues : std::uint8_t { kFold, kLow };
enum class TakenRule : std::uint8_t { kAnyLane, kFirstLane };
/// What a look-up does that finds the table's port taken, if timing is `contract`.
enum class PortConflict : std::uint8_t { kWait, kDrop };
/// What backs off (BOWS on mechanisms that split warps).
enum class Granularity : std::uint8_t {
  kWarp,   ///< the warp, if none of its other splits could run
  kSplit,  ///< the lanes that took the branch
};
enum class DelayRule : std::uint8_t { kAdaptive, kFixed };

inline constexpr std::uint32_t kMostSibEntries = 1024;

/// Section core.spin.ddos: warp history unit and SIB prediction table.
struct DdosConfig {
  HashFunction hash = HashFunction::kXor;
  std::uint32_t path_bits = 8;   ///< m
  std::uint32_t value_bits = 8;  ///< k
  std::uint32_t length = 8;      ///< l, entries of a history
  std::uint32_t threshold = 4;   ///< t
  std::uint32_t table_entries = 16;
  Profile profile = Profile::kSticky;
  std::uint32_t front_after_mismatch = 0;  ///< `mp_reset`
  WideValues wide_values = WideValues::kFold;
  TakenRule taken = TakenRule::kAnyLane;
  std::uint32_t time_share_cycles = 0;  ///< 0: each warp has a history of its own
  PortConflict port_conflict = PortConflict::kWait;

  void visit(base::ConfigVisitor& v);
};

/// Section core.spin.bows: back-off queues and delay limit.
struct BowsConfig {
  bool enabled = true;
  Granularity granularity = Granularity::kWarp;
  DelayRule delay = DelayRule::kAdaptive;
  std::uint32_t fixed_delay = 1000;
  std::uint32_t window_cycles = 1000;  ///< T
  double sib_fraction = 0.05;          ///< FRAC1
  double work_fraction = 0.8;          ///< FRAC2
  std::uint32_t step_cycles = 250;
  std::uint32_t minimum_delay = 1000;
  std::uint32_t maximum_delay = 10000;
  std::uint32_t promote_after_cycles = 50000;
  std::uint32_t update_cycles = 64;

  void visit(base::ConfigVisitor& v);
};

/// Section core.spin.sib_table.
struct SibTableConfig : sim::TwinConfig {
  std::uint32_t stall_seed = 0;  ///< timing: contract

  void visit(base::ConfigVisitor& v);
};

struct SpinConfig {
  SibSource source = SibSource::kNone;
  Timing timing = Timing::kIdeal;
  DdosConfig ddos;
  SibTableConfig sib_table;  ///< of ddos: model or RTL
  BowsConfig bows;

  void visit(base::ConfigVisitor& v);
  /// The SIB table is clocked once per core cycle.
  [[nodiscard]] bool clocked_table() const {
    return source == SibSource::kDdos && timing == Timing::kContract;
  }
  /// Throws InputError for what does not go together.
  void validate() const;
};

}  // namespace heddle::spin
