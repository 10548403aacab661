// Between the core and the block that moves spilled control-flow tables (memory/table_traffic.h).
#pragma once

#include <cstdint>

#include "core/protocols/protocol_of.h"
#include "core/warp_context.h"
#include "simt/control_flow_protocol.h"

namespace heddle::core {

/// b_transport: a launch begins. transport_dbg: is anything of `warp` on its way?
struct TableTrafficRequest {
  std::uint64_t base = 0;  ///< device address of the records of warp slot 0
  WarpId warp{};

  bool quiet = true;  ///< transport_dbg: nothing of the warp is on its way
};
using TableTrafficProtocol = ProtocolOf<TableTrafficRequest>;

class TableTrafficPort : public sim::BlockInitiator<TableTrafficProtocol> {
 public:
  using BlockInitiator::BlockInitiator;

  void begin_launch(std::uint64_t base) { call({.base = base}); }
  /// Nothing of the warp is on its way.
  [[nodiscard]] bool quiet(WarpId warp) { return inspect({.warp = warp}).quiet; }
};

/// To the core: something of the warp has arrived.
struct TableMoved {
  WarpId warp{};
  const simt::TableEntryTransfer* filled = nullptr;  ///< a fill is back; nullptr: anything else
};
using TableMovedProtocol = ProtocolOf<TableMoved>;

}  // namespace heddle::core

HEDDLE_SOCKETS_ELSEWHERE(heddle::core::TableTrafficProtocol);
HEDDLE_SOCKETS_ELSEWHERE(heddle::core::TableMovedProtocol);
