// The one-entry buffers between virtualised tables and memory ([AWARE] §5.5.2, Fig 5.7): per warp
// and table a spill request, a fill request and a fill response.
//
// A request waits in its buffer until memory takes it; a fill request also until the spill request of its
// table has gone, so that it cannot overtake a spill of the same entry. At most one fill per warp and table
// is on its way, because its response needs a place.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/stats.h"
#include "simt/control_flow.h"

namespace heddle::simt {

class SpillBuffers {
 public:
  using Table = TableEntryTransfer::Table;
  SpillBuffers(std::uint32_t warps, ControlFlowPorts& ports) : warps_(warps), ports_(ports) {}
  void register_stats(base::StatGroup& stats);

  /// The warp ends or starts: whatever waits is void.
  void reset(WarpId warp);
  /// The spill request buffer is empty.
  [[nodiscard]] bool can_spill(WarpId warp, Table table) const { return !at(warp, table).spill.has_value(); }
  void spill(WarpId warp, Table table, std::uint32_t entry, std::span<const std::uint32_t> words, Cycle now);
  /// No fill of that table is wanted, on its way or back.
  [[nodiscard]] bool can_fill(WarpId warp, Table table) const { return at(warp, table).fill == Fill::kNone; }
  void fill(WarpId warp, Table table, std::uint32_t entry, Cycle now);
  void filled(const TableEntryTransfer& transfer);
  /// The fill that is back; null: none.
  [[nodiscard]] const TableEntryTransfer* response(WarpId warp, Table table) const {
    const Buffers& buffers = at(warp, table);
    return buffers.fill == Fill::kBack ? &buffers.transfer : nullptr;
  }
  void take_response(WarpId warp, Table table) { at(warp, table).fill = Fill::kNone; }

  /// When retry() is to be called.
  [[nodiscard]] Cycle retry_due() const { return waiting_ == 0 ? kNever : retry_at_; }
  /// Offers what waits again. True: memory took something of `warp`.
  bool retry(Cycle now, WarpId& warp);

 private:
  enum class Fill : std::uint8_t { kNone, kWaits, kUnderWay, kBack };
  struct Buffers {
    std::optional<TableEntryTransfer> spill;  ///< waits
    Fill fill = Fill::kNone;
    TableEntryTransfer transfer;  ///< of the fill
  };
  static constexpr unsigned kTables = 2;
  using Warp = std::array<Buffers, kTables>;
  [[nodiscard]] Buffers& at(WarpId warp, Table table) {
    return warps_[warp.value()][static_cast<std::size_t>(table)];
  }
  [[nodiscard]] const Buffers& at(WarpId warp, Table table) const {
    return warps_[warp.value()][static_cast<std::size_t>(table)];
  }
  /// Offers what waits in the buffers; true: memory took something.
  bool offer(Buffers& buffers, Cycle now);
  [[nodiscard]] static std::uint32_t waiting(const Buffers& buffers) {
    return (buffers.spill ? 1u : 0u) + (buffers.fill == Fill::kWaits ? 1u : 0u);
  }
  bool start(TableEntryTransfer& transfer, Cycle now);

  std::vector<Warp> warps_;
  ControlFlowPorts& ports_;
  std::uint32_t waiting_ = 0;    ///< requests that memory has not taken
  std::uint32_t next_warp_ = 0;  ///< whose turn it is to be offered first
  Cycle retry_at_ = 0;
  std::array<std::uint64_t, kTables> spills_{};
  std::array<std::uint64_t, kTables> fills_{};
  std::uint64_t refused_ = 0;
};

}  // namespace heddle::simt
