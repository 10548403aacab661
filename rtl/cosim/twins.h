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

// Block by block, in the namespace of its file.
namespace reconvergence_table_twin {
void provide(sim::Twins& twins);
}
namespace scoreboard_twin {
void provide(sim::Twins& twins);
}
namespace sib_table_twin {
void provide(sim::Twins& twins);
}
namespace simt_stack_twin {
void provide(sim::Twins& twins);
}
namespace split_fifo_twin {
void provide(sim::Twins& twins);
}
namespace split_table_twin {
void provide(sim::Twins& twins);
}
namespace split_unit_twin {
void provide(sim::Twins& twins);
}
namespace warp_scheduler_twin {
void provide(sim::Twins& twins);
}

/// Throws InputError if a core has more warps than the verilated blocks.
void check_warps(const char* block, const std::string& path, std::uint32_t warps);

}  // namespace heddle::cosim
