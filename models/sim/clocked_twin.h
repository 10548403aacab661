// Configuration of a block of the second edition (rtl/README.md).
#pragma once

#include <cstdint>

#include "base/config.h"
#include "sim/block_timing.h"
#include "sim/twins.h"

namespace heddle::sim {

/// Of a block that is clocked once per core cycle if `timing` says so.
struct ContractConfig {
  Timing timing = Timing::kIdeal;
  std::uint32_t stall_seed = 0;  ///< timing: contract

  [[nodiscard]] bool clocked() const { return timing == Timing::kContract; }
  void visit(base::ConfigVisitor& v) {
    visit_timing(
        v, timing,
        "ideal: any number of requests is answered in the cycle in which they come; contract: the block is "
        "clocked once per core cycle, serves one request at a time and answers when its README says; who "
        "waits "
        "is charged to block_busy");
    v.field("stall_seed", stall_seed,
            {.doc = "seed of random stalls, with timing contract: on average one request in 4 waits a cycle; "
                    "0: none does",
             .max = 255,
             .use = base::KeyUse::kTest});
  }
};

/// The same, of a block that has a twin.
struct ClockedTwinConfig : TwinConfig, ContractConfig {
  void visit(base::ConfigVisitor& v) {
    TwinConfig::visit(v);
    ContractConfig::visit(v);
  }
};

}  // namespace heddle::sim
