// AWARE's virtualised tables: which entry goes to memory for which ([AWARE] §5.5.2).
#include "simt/aware.h"

namespace heddle::simt {

using StOp = SplitTableRequest::Op;
using RtOp = ReconvergenceTableRequest::Op;

bool Aware::place_reconvergence(WarpId warp, ReconvergenceId id, const std::array<std::uint32_t, 4>& words) {
  ReconvergenceTableRequest fill{.op = RtOp::kFill, .warp = warp, .id = id, .words = words};
  if (tables().call(fill).ok) return true;
  if (!buffers_.can_spill(warp, Table::kReconvergence)) return false;
  if (work() != nullptr) work()->pass(1);
  ReconvergenceTableRequest evict{.op = RtOp::kEvict, .warp = warp};
  tables().call(evict);
  buffers_.spill(warp, Table::kReconvergence, evict.id.value(), evict.words, tables().now());
  return tables().call(fill).ok;
}

bool Aware::have(WarpId warp, ReconvergenceId id) {
  if (!virtualised_) return true;
  if (const TableEntryTransfer* back = buffers_.response(warp, Table::kReconvergence)) {
    // It may be another entry, wanted by a step that waits behind this one.
    if (!place_reconvergence(warp, ReconvergenceId{static_cast<std::uint8_t>(back->entry)}, back->words))
      return false;
    buffers_.take_response(warp, Table::kReconvergence);
  }
  ReconvergenceTableRequest read{.op = RtOp::kRead, .warp = warp, .id = id};
  if (tables().call(read).ok) return true;
  if (buffers_.can_fill(warp, Table::kReconvergence))
    buffers_.fill(warp, Table::kReconvergence, id.value(), tables().now());
  return false;
}

bool Aware::admit(WarpId warp, ReconvergenceId id, const std::array<std::uint32_t, 4>& record) {
  return place_reconvergence(warp, id, record);
}

bool Aware::place_split(WarpId warp, SplitId id, const std::array<std::uint32_t, 3>& words) {
  SplitTableRequest fill{.op = StOp::kFill, .warp = warp, .id = id, .words = words};
  if (!tables().call(fill).ok) {
    if (!buffers_.can_spill(warp, Table::kSplit)) return false;
    SplitFifoRequest victim{.op = FifoOp::kRead, .warp = warp};
    ask(victim);
    // The front split runs, or will, if it can.
    victim.keep_front = !victim.queued.blocked;
    victim.op = FifoOp::kVictim;
    ask(victim);
    if (victim.id == kNoSplit) return false;
    if (work() != nullptr) work()->pass(1);
    SplitTableRequest evict{.op = StOp::kEvict, .warp = warp, .id = victim.id};
    tables().call(evict);
    mark(warp, FifoOp::kSpilled, victim.id);
    buffers_.spill(warp, Table::kSplit, victim.id.value(), evict.words, tables().now());
    tables().call(fill);
  }
  return true;
}

void Aware::take_split(WarpId warp) {
  const TableEntryTransfer* back = buffers_.response(warp, Table::kSplit);
  if (back == nullptr) return;
  const SplitId id{static_cast<std::uint8_t>(back->entry)};
  if (!place_split(warp, id, {back->words[0], back->words[1], back->words[2]})) return;
  if (work() != nullptr) work()->pass(1);
  mark(warp, FifoOp::kFilled, id);
  buffers_.take_response(warp, Table::kSplit);
}

void Aware::send_for_split(WarpId warp) {
  std::vector<SplitId>& wanted = warps_[warp.value()].wanted;
  if (wanted.empty() || !buffers_.can_fill(warp, Table::kSplit)) return;
  buffers_.fill(warp, Table::kSplit, wanted.front().value(), tables().now());
  wanted.erase(wanted.begin());
}

}  // namespace heddle::simt
