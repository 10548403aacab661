// The cycles that ptxas counts between a word without a write barrier and the words that read its result. They are a property of the
// hardware that the code is for, whatever a platform's pipes take; the least distances in ptxas' own code are the evidence
// (models/frontend/sass/README.md).
#pragma once

#include "base/ids.h"
#include "isa/instruction.h"

namespace heddle::core {

/// The instruction reads the register as one of its guards, which is done when it issues.
[[nodiscard]] inline bool is_guard(const isa::Instruction& instruction, isa::RegId reg) {
  return (instruction.guard.present && instruction.guard.reg == reg) ||
         (instruction.guard2.present && instruction.guard2.reg == reg);
}

/// Its results come after a known number of cycles; otherwise something has to wait for them.
[[nodiscard]] bool is_counted(const isa::Instruction& writer);

/// From the issue of `writer`, which is counted, to the first cycle in which `reader` gets its value of the register.
[[nodiscard]] base::Cycle counted_cycles(const isa::Instruction& writer, isa::RegId reg,
                                         const isa::Instruction& reader);

/// It writes uniform registers. Those that a word reads are read when it issues, whatever read barrier it has: ptxas lets a UMOV that
/// overwrites an LDG's follow five cycles behind it, without a wait.
[[nodiscard]] inline bool writes_uniform(const isa::Instruction& instruction) {
  using isa::CodePipe;
  const CodePipe pipe = instruction.codes.pipe;
  return pipe == CodePipe::kUniform || pipe == CodePipe::kUniformMove || pipe == CodePipe::kToUniform ||
         pipe == CodePipe::kElect;
}

/// From the issue of `writer`, which is counted, until the register file has its value: what a write that comes later must exceed.
[[nodiscard]] base::Cycle written_cycles(const isa::Instruction& writer);

/// No result is counted for longer.
inline constexpr base::Cycle kMostCounted = 24;

}  // namespace heddle::core
