#include "simt/spill_buffers.h"

#include <algorithm>

namespace heddle::simt {

void SpillBuffers::register_stats(base::StatGroup& stats) {
  const std::vector<std::string> tables{"split", "reconvergence"};
  stats.counters("spills", "entries", "table entries sent to memory", tables, spills_.data());
  stats.counters("fills", "entries", "table entries fetched from memory", tables, fills_.data());
  stats.counter("refused_transfers", "attempts",
                "spills and fills that the load/store unit had no room for in that cycle", &refused_);
}

void SpillBuffers::reset(WarpId warp) {
  for (Buffers& buffers : warps_[warp.value()]) {
    waiting_ -= waiting(buffers);
    buffers = {};
  }
}

bool SpillBuffers::start(TableEntryTransfer& transfer, Cycle now) {
  transfer.cycle = now;
  if (ports_.start(transfer)) return true;
  ++refused_;
  retry_at_ = now + 1;
  return false;
}

bool SpillBuffers::offer(Buffers& buffers, Cycle now) {
  bool taken = false;
  if (buffers.spill) {
    if (!start(*buffers.spill, now)) return false;
    buffers.spill.reset();
    --waiting_;
    taken = true;
  }
  if (buffers.fill == Fill::kWaits) {
    if (!start(buffers.transfer, now)) return taken;
    buffers.fill = Fill::kUnderWay;
    --waiting_;
    taken = true;
  }
  return taken;
}

void SpillBuffers::spill(WarpId warp, Table table, std::uint32_t entry, std::span<const std::uint32_t> words,
                         Cycle now) {
  Buffers& buffers = at(warp, table);
  TableEntryTransfer& transfer = buffers.spill.emplace();
  transfer.op = TableEntryTransfer::Op::kSpill;
  transfer.table = table;
  transfer.warp = warp;
  transfer.entry = entry;
  transfer.word_count = static_cast<std::uint32_t>(words.size());
  std::copy(words.begin(), words.end(), transfer.words.begin());
  ++spills_[static_cast<std::size_t>(table)];
  ++waiting_;
  offer(buffers, now);
}

void SpillBuffers::fill(WarpId warp, Table table, std::uint32_t entry, Cycle now) {
  Buffers& buffers = at(warp, table);
  buffers.fill = Fill::kWaits;
  buffers.transfer = {};
  buffers.transfer.op = TableEntryTransfer::Op::kFill;
  buffers.transfer.table = table;
  buffers.transfer.warp = warp;
  buffers.transfer.entry = entry;
  buffers.transfer.word_count = table == Table::kSplit ? 3 : 4;
  ++fills_[static_cast<std::size_t>(table)];
  ++waiting_;
  offer(buffers, now);
}

void SpillBuffers::filled(const TableEntryTransfer& transfer) {
  Buffers& buffers = at(transfer.warp, transfer.table);
  if (buffers.fill != Fill::kUnderWay || buffers.transfer.entry != transfer.entry)
    throw std::logic_error("SpillBuffers: a fill that was not asked for");
  buffers.transfer.words = transfer.words;
  buffers.fill = Fill::kBack;
}

bool SpillBuffers::retry(Cycle now, WarpId& warp) {
  if (retry_due() > now) return false;
  const auto count = static_cast<std::uint32_t>(warps_.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t number = (next_warp_ + i) % count;
    bool taken = false;
    for (Buffers& buffers : warps_[number]) taken = offer(buffers, now) || taken;
    if (!taken) continue;
    warp = WarpId{number};
    next_warp_ = (number + 1) % count;
    return true;
  }
  return false;
}

}  // namespace heddle::simt
