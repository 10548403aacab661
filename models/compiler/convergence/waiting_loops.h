// Loops in which threads may wait for other threads, and what these may have to execute to end the waiting.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/code_analysis.h"

namespace heddle::compiler {

struct WaitingLoop {
  std::uint32_t function = 0;  ///< CodeRange::function
  std::uint32_t header = 0;    ///< first instruction
  analysis::BlockSet blocks;
  /// Writes to what the loop reads, and what those who wait in other loops on their way to these writes wait for; calls in
  /// which such an instruction may be executed.
  analysis::InstructionSet releases;
};

struct WaitingLoopOptions {
  /// Loads that a compiler could take out of the loop count as well: weak ones, in a loop without a fence.
  bool weak_loads = false;
  /// Loops that ptxas takes for waiting beyond that: they have an atomic operation or a volatile load and, for a call, do not show
  /// what their exits depend on; and their lanes are apart, or come apart at an exit. Divisions are calls of machine code. Inner loops
  /// count by themselves.
  bool with_calls = false;
  /// Loops that begin here wait for nobody.
  std::function<bool(std::uint32_t header)> excepted;
};

/// In the order of CodeAnalysis::loops(). A loop waits if its exits depend on what it reads from memory, and some thread of
/// the kernel may write there.
[[nodiscard]] std::vector<WaitingLoop> find_waiting_loops(analysis::CodeAnalysis& code,
                                                          const WaitingLoopOptions& options);

}  // namespace heddle::compiler
