// One kernel of a placed module on its way to the warp instruction set: what the parts of the lowering share.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/sass/lower/rows.h"
#include "frontend/sass/placed_module.h"
#include "isa/matrix.h"

namespace heddle::sass {

struct Lowering {
  const PlacedModule& module;
  const PlacedKernel& placed;
  const CodeSection& section;  ///< the kernel's own
  Arch arch;
  KernelRows& rows;
  isa::Kernel& kernel;  ///< its code grows by one instruction for each word
  isa::TensorNumerics tensor;
  /// Code addresses of all WARPSYNC.COLLECTIVE targets: where ENDCOLLECTIVE may go.
  std::vector<std::uint32_t> collective_targets;
  /// First code addresses of the kernel's functions, ascending.
  std::vector<std::uint32_t> functions;
  std::uint64_t end = 0;  ///< of the kernel's code, with the driver's functions
  /// Scoreboards that groups of asynchronous copies count at, a bit each.
  std::uint32_t copy_scoreboards = 0;

  /// What stands behind the code for a word (lower/sequence.h); branches have targets within it.
  struct WordSequence {
    std::uint32_t word = 0;  ///< its index
    std::vector<isa::Instruction> code;
  };
  std::vector<WordSequence> sequences;

  /// Of the instruction being lowered.
  [[nodiscard]] std::uint64_t address() const { return kernel.code.size() * kInstructionBytes; }
  /// The end of the instruction, which displacements count from.
  [[nodiscard]] std::uint64_t next_address() const { return address() + kInstructionBytes; }
};

/// Numbers of KernelRows::own().
enum class OwnRow : unsigned {
  kBarrierResult,     ///< of BAR.RED, until B2R.RESULT reads it
  kCollectiveReturn,  ///< code address behind a lane's WARPSYNC.COLLECTIVE
  kReturnPcLow,       ///< Rpc: ptxas keeps a pair in it
  kReturnPcHigh,
  kOfSequences,  ///< this and following ones: of lower/sequence.h
};
[[nodiscard]] inline isa::Operand own_row(KernelRows& rows, OwnRow which) {
  return rows.own(static_cast<unsigned>(which));
}

/// Register `n` + `word` of an operand of several words; RZ is zeros as a source and absent as a destination.
[[nodiscard]] inline isa::Operand source_word(KernelRows& rows, unsigned n, unsigned word) {
  return n == kRz ? rows.literal(0) : rows.general(n + word);
}
[[nodiscard]] inline isa::Operand result_word(KernelRows& rows, unsigned n, unsigned word) {
  return n == kRz ? isa::Operand{} : rows.to_general(n + word);
}
/// The address of a memory operand. `wide`: it has 64 bits.
[[nodiscard]] isa::MemoryOperand address_of(KernelRows& rows, const Operand& at, bool wide);

/// The predicate that lets lanes execute the instruction; absent: all do.
[[nodiscard]] inline isa::Operand guard_of(KernelRows& rows, const Instruction& in) {
  if ((in.guard == kPt && !in.guard_negated) || guard_is_source(in)) return {};
  return in.guard_uniform ? rows.uniform_predicate(in.guard, in.guard_negated)
                          : rows.predicate(in.guard, in.guard_negated);
}

// Made of several instructions (lower/sequence.h). `out` is the atomic on the first word, or has the operation and the address.
void lower_vector_atomic(Lowering& of, const Instruction& in, unsigned words, isa::Instruction& out);
void lower_wide_atomic(Lowering& of, const Instruction& in, isa::Instruction& out);
void lower_bulk_copy(Lowering& of, const Instruction& in, isa::Instruction& out);

/// Products of matrices, their loads out of shared memory, transposition. False: it is none of these.
[[nodiscard]] bool lower_matrix(Lowering& of, const Instruction& in, isa::Instruction& out);

/// Copies in the background, barriers in shared memory. False: it is none of these.
[[nodiscard]] bool lower_async(Lowering& of, const Instruction& in, isa::Instruction& out);

/// Textures and surfaces. False: it is none of these.
[[nodiscard]] bool lower_texture(Lowering& of, const Instruction& in, isa::Instruction& out);

/// Loads, stores, atomics, constants in memory, fences. The guard is the caller's. False: it is none of these.
[[nodiscard]] bool lower_memory(Lowering& of, const Instruction& in, isa::Instruction& out);

/// The pipe that executes a word, for the cycles that ptxas counts. `timing`: of its instruction.
[[nodiscard]] isa::CodePipe pipe_of(const Instruction& in, isa::LatencyClass timing);

/// Branches, calls, convergence and CTA barriers, sleep, traps. False: it is none of these.
[[nodiscard]] bool lower_control(Lowering& of, const Instruction& in, isa::Instruction& out);

}  // namespace heddle::sass
