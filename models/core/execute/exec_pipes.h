// Execution pipes with their operand collectors, per sub-core. Values are computed at issue; this block only
// says when a result may be used (writeback socket) and when a pipe takes the next instruction.
//
//   issue -> collector (reads operands from the register file) -> pipe -> write-back port -> dependent may
//   issue
//
// A collector holds an instruction until it has its operands and its pipe is free; instructions enter a pipe
// in the order in which they were issued to it. Without conflicts and with a free pipe the whole way takes
// the class's latency; bank conflicts, a busy pipe and write-back ports add to it.
#pragma once

#include <array>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "base/timing_wheel.h"
#include "core/config.h"
#include "core/execute/resource_pool.h"
#include "core/protocols/pipes_protocol.h"
#include "core/protocols/register_file_protocol.h"
#include "sim/block_socket.h"

namespace heddle::core {

class ExecPipes : public sc_core::sc_module {
 public:
  ExecPipes(const sc_core::sc_module_name& name, const PipesConfig& config,
            const RegisterFileConfig& registers, std::uint32_t sub_cores, base::StatGroup& stats);

 private:
  void serve(PipesRequest& request);

 public:
  sim::BlockTarget<PipesProtocol, ExecPipes, &ExecPipes::serve> pipes_tsock{"pipes_tsock", this};
  sim::BlockInitiator<WritebackProtocol> writeback_isock{"writeback_isock"};
  RegisterFilePort register_isock{"register_isock"};

 private:
  struct Completion {
    WarpId warp{};  ///< the slot
    std::uint8_t sub_core = 0;
    std::uint8_t homes = 1;
    bool granted = false;  ///< this cycle was given to it by the register file
    std::uint8_t lanes = 0;
    LaneMask mask{};
    FormationId formation{};
    const isa::Instruction* instruction = nullptr;
  };
  /// All pipes of one kind in one sub-core.
  struct Bundle {
    ResourcePool units;       ///< the pipes
    ResourcePool collectors;  ///< none: instructions issue straight into a pipe
  };
  HEDDLE_BY_JUMP void issue(PipesRequest& request);
  HEDDLE_BY_JUMP void tick(PipesRequest& request);
  void complete(const Completion& done, Cycle cycle);

  std::array<ClassTiming, isa::kLatencyClasses> timing_;
  std::vector<std::array<Bundle, kPipes>> bundles_;  ///< by sub-core
  ResourcePool exchange_{1};                         ///< the core's
  base::TimingWheel<Completion> in_flight_;
  std::uint64_t issued_[isa::kLatencyClasses] = {};
  std::uint64_t lanes_[isa::kLatencyClasses] = {};
};

}  // namespace heddle::core
