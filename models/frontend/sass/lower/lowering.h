// One kernel of a placed module on its way to the warp instruction set: what the parts of the lowering share.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/sass/lower/rows.h"
#include "frontend/sass/placed_module.h"

namespace heddle::sass {

struct Lowering {
  const PlacedModule& module;
  const PlacedKernel& placed;
  const CodeSection& section;  ///< the kernel's own
  Arch arch;
  KernelRows& rows;
  isa::Kernel& kernel;  ///< its code grows by one instruction for each word
  /// Code addresses of all WARPSYNC.COLLECTIVE targets: where ENDCOLLECTIVE may go.
  std::vector<std::uint32_t> collective_targets;
  /// First code addresses of the kernel's functions, ascending.
  std::vector<std::uint32_t> functions;

  /// Of the instruction being lowered.
  [[nodiscard]] std::uint64_t address() const { return kernel.code.size() * kInstructionBytes; }
  /// The end of the instruction, which displacements count from.
  [[nodiscard]] std::uint64_t next_address() const { return address() + kInstructionBytes; }
};

/// Numbers of KernelRows::own().
enum class OwnRow : unsigned {
  kBarrierResult,     ///< of BAR.RED, until B2R.RESULT reads it
  kCollectiveReturn,  ///< code address behind a lane's WARPSYNC.COLLECTIVE
};
[[nodiscard]] inline isa::Operand own_row(KernelRows& rows, OwnRow which) {
  return rows.own(static_cast<unsigned>(which));
}

/// Loads, stores, atomics, constants in memory, fences. The guard is the caller's. False: it is none of these.
[[nodiscard]] bool lower_memory(Lowering& of, const Instruction& in, isa::Instruction& out);

/// Branches, calls, convergence and CTA barriers, sleep, traps. False: it is none of these.
[[nodiscard]] bool lower_control(Lowering& of, const Instruction& in, isa::Instruction& out);

}  // namespace heddle::sass
