// Spilled entries of the split and reconvergence tables on their way through the load/store unit
// (mimd-simt-and-bows §3.4): a virtualised mechanism keeps only some entries of a warp on the chip.
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
#include "core/warp_context.h"
#include "sim/block_socket.h"
#include "simt/control_flow_protocol.h"

namespace heddle::core {

inline constexpr std::uint32_t kTableRecordBytes = 32;  ///< both records of an entry
inline constexpr std::uint32_t kTableBytesPerWarp = kLanes * kTableRecordBytes;

class TableTraffic : public sc_core::sc_module {
 public:
  TableTraffic(const sc_core::sc_module_name& name, std::uint32_t warps, base::StatGroup& stats);

 private:
  void start(simt::TableEntryTransfer& transfer);

 public:
  sim::BlockTarget<simt::TableMemoryProtocol, TableTraffic, &TableTraffic::start> table_memory_tsock{
      "table_memory_tsock", this};
  sim::BlockInitiator<LsuProtocol> lsu_isock{"lsu_isock"};

  /// A launch begins; the records of warp slot 0 are at device address `base`.
  void begin_launch(std::uint64_t base) { base_ = base; }
  /// The cycle, for what starts in it.
  void set_cycle(Cycle now) { now_ = now; }
  /// Something has been given to the load/store unit since the last call; `full`: it takes nothing more.
  bool take_started(bool& full) {
    full = full_;
    const bool started = started_;
    started_ = false;
    return started;
  }
  /// `instruction` moves a table entry.
  [[nodiscard]] bool owns(const isa::Instruction& instruction) const {
    return &instruction >= instructions_.data() && &instruction < instructions_.data() + instructions_.size();
  }
  /// The load/store unit is done with one of our instructions. True: a fill, which `filled` describes.
  bool finished(WarpId warp, const isa::Instruction& instruction, simt::TableEntryTransfer& filled);
  /// Nothing of the warp is on its way.
  [[nodiscard]] bool quiet(WarpId warp) const;

 private:
  using Table = simt::TableEntryTransfer::Table;
  using Op = simt::TableEntryTransfer::Op;
  static constexpr unsigned kTables = 2;
  static constexpr unsigned kOps = 2;
  /// Stands for a warp in the load/store unit: the address in its first row, the record behind it.
  struct Lane {
    WarpContext context;
    std::uint32_t entry = 0;
  };
  [[nodiscard]] static std::size_t kind(Op op, Table table) {
    return static_cast<std::size_t>(op) * kTables + static_cast<std::size_t>(table);
  }
  [[nodiscard]] Lane& lane(WarpId warp, std::size_t kind) {
    return lanes_[std::size_t{warp.value()} * kOps * kTables + kind];
  }

  std::array<isa::Instruction, std::size_t{kOps} * kTables> instructions_;
  std::vector<Lane> lanes_;  ///< by warp, then kind
  std::uint64_t base_ = 0;
  Cycle now_ = 0;
  bool started_ = false;
  bool full_ = false;
  std::uint64_t spills_ = 0, fills_ = 0, refused_ = 0;
};

}  // namespace heddle::core
