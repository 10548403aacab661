#include "cosim/twins.h"

#include <fmt/format.h>

namespace heddle::cosim {

void provide_twins(sim::Twins& twins) {
  provide_reconvergence_table(twins);
  provide_scoreboard(twins);
  provide_sib_table(twins);
  provide_simt_stack(twins);
  provide_split_fifo(twins);
  provide_split_table(twins);
  provide_warp_scheduler(twins);
}

void check_warps(const char* block, const std::string& path, std::uint32_t warps) {
  if (warps <= kWarps) return;
  throw base::InputError(
      path, fmt::format("the RTL of {} is built for {} warps, this core has {}", block, kWarps, warps),
      fmt::format("Use impl: model, or build rtl/{0}/{0}.cmake with more (and kWarps in rtl/cosim/twins.h).",
                  block));
}

}  // namespace heddle::cosim
