// Spilled entries of the split and reconvergence tables on their way through the load/store unit
// ([AWARE] §5.5.2): a virtualised mechanism keeps only some entries of a warp on the chip. A client of
// the load/store unit with row blocks of its own.
//
// Every warp slot of a core has 32 x 32 bytes of device memory: entry e of its tables is at warp * 1024 + e *
// 32, the record of the splits table (12 bytes) first, that of the reconvergence table (16 bytes) at +16. A
// spill is a store, a fill a load of one lane; L1 keeps them like local memory, which only this core reads,
// too. The data is real: what a fill brings is what memory holds.
#pragma once

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "base/stats.h"
#include "core/memory/load_store_unit.h"
#include "core/protocols/table_traffic_protocol.h"
#include "sim/block_socket.h"

namespace heddle::core {

using simt::kTableBytesPerWarp;
using simt::kTableRecordBytes;

class TableTraffic : public sc_core::sc_module {
 public:
  TableTraffic(const sc_core::sc_module_name& name, std::uint32_t warps, base::StatGroup& stats);
  /// Binds both sides of a client's port.
  void bind(LsuClientPort& port);

 private:
  void start(simt::TableEntryTransfer& transfer);
  void begin_launch(TableTrafficRequest& launch) { base_ = launch.base; }
  void inspect(TableTrafficRequest& question) const;
  void complete(LsuCompletion& done);

 public:
  sim::BlockTarget<TableTrafficProtocol, TableTraffic, &TableTraffic::begin_launch, &TableTraffic::inspect>
      control_tsock{"control_tsock", this};
  sim::BlockTarget<simt::TableMemoryProtocol, TableTraffic, &TableTraffic::start> table_memory_tsock{
      "table_memory_tsock", this};
  sim::BlockInitiator<TableMovedProtocol> moved_isock{"moved_isock"};
  LsuPort lsu_isock{"lsu_isock"};
  sim::BlockTarget<LsuCompletionProtocol, TableTraffic, &TableTraffic::complete> completion_tsock{
      "completion_tsock", this};

 private:
  using Table = simt::TableEntryTransfer::Table;
  using Op = simt::TableEntryTransfer::Op;
  static constexpr unsigned kTables = 2;
  static constexpr unsigned kOps = 2;
  static constexpr unsigned kKinds = kTables * kOps;
  /// Transfers of one kind and warp: the address in the first row, the record in those behind it.
  struct SpillContext {
    MemoryCounters counters;
    isa::RowBytes rows;
    std::uint32_t entry = 0;  ///< kFill
  };
  [[nodiscard]] static std::uint32_t kind(Op op, Table table) {
    return static_cast<std::uint32_t>(op) * kTables + static_cast<std::uint32_t>(table);
  }
  [[nodiscard]] SpillContext& context(WarpId warp, std::uint32_t kind) {
    return contexts_[std::size_t{warp.value()} * kKinds + kind];
  }

  LsuClient client_ = LsuClient::kCore;  ///< until it is bound
  std::array<isa::Instruction, kKinds> instructions_;
  std::vector<SpillContext> contexts_;  ///< by warp, then kind
  std::uint64_t base_ = 0;
  std::uint64_t spills_ = 0, fills_ = 0, refused_ = 0;
};

}  // namespace heddle::core
