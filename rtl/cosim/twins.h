// The RTL twins of this build.
#pragma once

#include <cstdint>
#include <string>

#include "sim/twins.h"

namespace heddle::cosim {

/// Warp contexts of the verilated blocks (`Warps` of their parameter points).
inline constexpr std::uint32_t kWarps = 64;

/// Factories for all of them.
void provide_twins(sim::Twins& twins);

// Block by block.
void provide_reconvergence_table(sim::Twins& twins);
void provide_scoreboard(sim::Twins& twins);
void provide_sib_table(sim::Twins& twins);
void provide_simt_stack(sim::Twins& twins);
void provide_split_fifo(sim::Twins& twins);
void provide_split_table(sim::Twins& twins);
void provide_warp_scheduler(sim::Twins& twins);

/// Throws InputError if a core has more warps than the verilated blocks.
void check_warps(const char* block, const std::string& path, std::uint32_t warps);

}  // namespace heddle::cosim
