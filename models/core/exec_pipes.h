// Execution pipes: units with a latency and an initiation interval per instruction class. Values are computed
// at issue; a pipe only says when the result may be used (writeback socket) and when it can take the next
// instruction.
#pragma once

#include <systemc>
#include <vector>

#include "core/config.h"
#include "core/protocols.h"
#include "core/timing_wheel.h"
#include "sim/block_socket.h"
#include "sim/stats.h"

namespace heddle::core {

class ExecPipes : public sc_core::sc_module {
 public:
  ExecPipes(const sc_core::sc_module_name& name, const PipesConfig& config, sim::StatGroup& stats);

 private:
  void serve(PipesRequest& request);

 public:
  sim::BlockTarget<PipesProtocol, ExecPipes, &ExecPipes::serve> pipes_tsock{"pipes_tsock", this};
  sim::BlockInitiator<WritebackProtocol> writeback_isock{"writeback_isock"};

 private:
  struct Completion {
    WarpId warp{};
    LaneMask mask{};
    const isa::Instruction* instruction = nullptr;
  };
  void issue(const PipesRequest& request);
  [[nodiscard]] Cycle first_free(isa::Unit unit) const;

  PipesConfig config_;
  std::vector<Cycle> free_at_[isa::kUnits];  ///< per pipe of a unit; empty: unlimited (memory and control
                                             ///< units queue elsewhere)
  TimingWheel<Completion> in_flight_;
  std::uint64_t issued_[isa::kLatencyClasses] = {};
};

}  // namespace heddle::core
