#include "cosim/twins.h"

#include <fmt/format.h>

namespace heddle::cosim {

void provide_twins(sim::Twins& twins) {
  reconvergence_table_twin::provide(twins);
  scoreboard_twin::provide(twins);
  sib_table_twin::provide(twins);
  simt_stack_twin::provide(twins);
  split_fifo_twin::provide(twins);
  split_table_twin::provide(twins);
  split_unit_twin::provide(twins);
  warp_scheduler_twin::provide(twins);
}

void check_warps(const char* block, const std::string& path, std::uint32_t warps) {
  if (warps <= kWarps) return;
  throw base::InputError(
      path, fmt::format("the RTL of {} is built for {} warps, this core has {}", block, kWarps, warps),
      fmt::format("Use impl: model, or build rtl/{0}/{0}.cmake with more (and kWarps in rtl/cosim/twins.h).",
                  block));
}

}  // namespace heddle::cosim
