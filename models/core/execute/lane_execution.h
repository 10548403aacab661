// What lane operations do to the rows of a warp: no time, no scoreboard. The executor calls it when an instruction issues.
#pragma once

#include <cstddef>
#include <span>

#include "core/state/warp_sync.h"
#include "core/warp_context.h"
#include "isa/instruction.h"

namespace heddle::core {

/// A lane operation of lanes `exec`; `clock`: what a clock register reads. `constants`: rows of the launch.
[[gnu::always_inline]] inline void execute_lanes(WarpContext& warp, const std::byte* constants,
                                                 const isa::Instruction& instruction, LaneMask exec,
                                                 Cycle clock) {
  isa::LaneArgs args;
  std::byte* const registers = warp.registers.data();
  if (instruction.dst[0].present) args.dst[0] = registers + instruction.dst[0].offset;
  for (unsigned i = 1; i < instruction.destination_count; ++i)
    if (instruction.dst[i].present) args.dst[i] = registers + instruction.dst[i].offset;
  // By RowSpace. An absent source between others gets a row, which its operation does not read.
  const std::byte* const blocks[] = {registers, constants, warp.special.data()};
  for (unsigned i = 0; i < instruction.source_count; ++i)
    args.src[i] = blocks[static_cast<unsigned>(instruction.src[i].space)] + instruction.src[i].offset;
  args.negated = instruction.negated_sources;
  args.mask = exec.bits();
  args.cycle = clock;
  args.immediate = instruction.immediate;
  if (exec.any()) instruction.lane_fn(args);
}

/// The same cross-lane operation at several places of the code (.sync instructions that meet), each with lanes of one warp.
void exchange_lanes(WarpContext& warp, const std::byte* constants, const isa::Instruction* code,
                    std::span<const WarpSync::Place> places, Cycle clock);

}  // namespace heddle::core
