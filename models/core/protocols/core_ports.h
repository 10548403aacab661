// The core's sockets towards its blocks. The core owns and binds them, and hands each to the stages that use it.
#pragma once

#include "core/protocols/barrier_protocol.h"
#include "core/protocols/constant_protocol.h"
#include "core/protocols/fetch_protocol.h"
#include "core/protocols/launch_protocol.h"
#include "core/protocols/lsu_protocol.h"
#include "core/protocols/pipes_protocol.h"
#include "core/protocols/port_protocol.h"
#include "core/protocols/scoreboard_protocol.h"
#include "core/protocols/table_traffic_protocol.h"
#include "simt/control_flow_protocol.h"

namespace heddle::core {

/// Made within the constructor of the core.
struct CorePorts {
  simt::ControlFlowPort control_flow_isock{"control_flow_isock"};
  FetchPort fetch_isock{"fetch_isock"};
  ScoreboardPort scoreboard_isock{"scoreboard_isock"};
  ConstantPort constant_isock{"constant_isock"};  ///< operands
  PipesPort pipes_isock{"pipes_isock"};
  BarrierPort barrier_isock{"barrier_isock"};
  LsuPort lsu_isock{"lsu_isock"};  ///< or what is interposed
  TableTrafficPort table_control_isock{"table_control_isock"};
  MemoryAccessPort port_isock{"port_isock"};
  LaunchPort fetch_launch_isock{"fetch_launch_isock"};
  LaunchPort registers_launch_isock{"registers_launch_isock"};
};

}  // namespace heddle::core
