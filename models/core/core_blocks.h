// The blocks of a core that stand behind sockets, bound to each other. What the stages send them goes through the core's ports
// (protocols/core_ports.h).
#pragma once

#include "base/stats.h"
#include "core/config.h"
#include "core/cta/barrier_unit.h"
#include "core/execute/exec_pipes.h"
#include "core/execute/register_file.h"
#include "core/fetch/fetch_unit.h"
#include "core/fetch/instruction_cache.h"
#include "core/issue/dependence_block.h"
#include "core/memory/constant_cache.h"
#include "core/memory/l1_data_cache.h"
#include "core/memory/load_store_unit.h"
#include "core/memory/memory_port.h"
#include "core/memory/shared_memory.h"
#include "core/memory/table_traffic.h"
#include "core/protocols/core_ports.h"
#include "core/state/core_state.h"
#include "sim/clock.h"
#include "simt/control_flow_unit.h"

namespace heddle::core {

struct CoreBlocks {
  /// Within the constructor of the core's module, which becomes their parent.
  CoreBlocks(base::CoreId id, const CoreConfig& config, const CoreServices& services, sim::ClockMember& clock,
             base::StatGroup& stats);
  /// The core's ports to the blocks that serve them; not its load/store port, which an interposer may take.
  void bind(CorePorts& ports);

  simt::ControlFlowUnit control_flow_unit;
  FetchBlock fetch;
  InstructionCache l1i;
  DependenceBlock scoreboard;
  ExecPipes pipes;
  RegisterFile register_file;
  BarrierUnit barrier_unit;
  MemoryPort memory_port;
  L1DataCache l1d;
  ConstantCache constant_cache;
  SharedMemory shared_memory;
  LoadStoreUnit lsu;
  TableTraffic table_traffic;
};

}  // namespace heddle::core
