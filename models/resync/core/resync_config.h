// Keys core.control_flow.resync.*
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/config.h"
#include "resync/selection_policy.h"

namespace heddle::resync {

enum class Decisions : std::uint8_t { kBlock, kInstruction };
enum class BlockStarts : std::uint8_t { kHardware, kCompiler };
enum class Depth : std::uint8_t { kFrames, kLevel };
enum class BlockPriority : std::uint8_t { kLongestPath, kTopological };

struct ResyncConfig {
  std::string policy = "MinSP_MinPC";
  Decisions decisions = Decisions::kBlock;
  BlockStarts block_starts = BlockStarts::kHardware;
  Depth depth = Depth::kFrames;
  BlockPriority block_priority = BlockPriority::kLongestPath;
  std::uint64_t aging_selections = 0;
  std::uint32_t selection_latency_cycles = 0;
  std::uint32_t selection_interval_cycles = 0;

  void visit(base::ConfigVisitor& v);
};

/// What is known of a policy of the core besides its interface.
struct PolicyTraits {
  /// How lanes that do not run come to run again without a rule against starvation.
  enum class Order : std::uint8_t {
    kLeastPc,      ///< when those before them have come to their PC or behind it
    kMostFirst,    ///< the same, or have returned from a function that is deeper
    kFewestFirst,  ///< the same, or have called one
    kFrontier,     ///< when those before them have come to a block of a lower priority
    kTurns         ///< by themselves: everybody has a turn, or nothing certain can be said
  };
  Order order = Order::kTurns;
  bool waits_at_post_dominators = false;
  bool compares_depth = false;        ///< of the stack, not only the number of activation records
  std::uint64_t history_entries = 0;  ///< of a lane; 0: it has no history
  std::uint64_t bits_per_warp = 0;    ///< state of the selector ([Resync:W1]), 32 lanes
};

/// Throws base::InputError for a policy that a core cannot have ([Resync] §3.2.2, §3.3.1 to §3.3.3), or that
/// does not exist.
[[nodiscard]] PolicyTraits traits_of(const ResyncConfig& config);
/// One for each warp. `aged`: counts lanes served by the rule against starvation.
[[nodiscard]] std::unique_ptr<SelectionPolicy> make_core_policy(const ResyncConfig& config,
                                                                std::uint64_t* aged);

}  // namespace heddle::resync
