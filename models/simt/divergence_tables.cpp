#include "simt/divergence_tables.h"

#include <algorithm>

#include "simt/clocked_splits.h"

namespace heddle::simt {

using StOp = SplitTableRequest::Op;
using RtOp = ReconvergenceTableRequest::Op;

namespace {

constexpr const char* kSplitTable = "split_table";
constexpr const char* kReconvergenceTable = "reconvergence_table";

}  // namespace

std::vector<base::ConfigOption> DivergenceTables::blocks() {
  return {base::ConfigOption::section<sim::ClockedTwinConfig>(kSplitTable,
                                                              "splits table of aware and multi_path"),
          base::ConfigOption::section<sim::ClockedTwinConfig>(kReconvergenceTable,
                                                              "reconvergence table of aware and multi_path"),
          ClockedSplits::option()};
}

DivergenceTables::DivergenceTables(const MechanismSite& site, const Config& config, SplitWork* work)
    : split_table_(kSplitTable, site.warps, config.splits, site.config.clocked_block(kSplitTable),
                   site.twins),
      reconvergence_table_(kReconvergenceTable, site.warps, config.reconvergence,
                           site.config.clocked_block(kReconvergenceTable), site.twins),
      work_(work),
      split_time_(site.config.clocked_block(kSplitTable), kSplitTable, site.path, work),
      point_time_(site.config.clocked_block(kReconvergenceTable), kReconvergenceTable, site.path, work),
      used_(site.warps) {
  split_table_isock_.bind(split_table_.split_table_tsock);
  reconvergence_table_isock_.bind(reconvergence_table_.reconvergence_table_tsock);
}

void DivergenceTables::declare(base::StatGroup& stats) {
  stats.counter("full_table", "branches",
                "reconvergence points given up because all entries of the warp were in use", &no_entry_);
  stats.maximum("max_splits", "entries", "most splits of any warp", &max_splits_);
  stats.maximum("max_reconvergence_entries", "entries", "most reconvergence points of any warp",
                &max_points_);
}

void DivergenceTables::reset(WarpId warp) {
  SplitTableRequest splits{.op = StOp::kReset, .warp = warp};
  call(splits);
  ReconvergenceTableRequest points{.op = RtOp::kReset, .warp = warp};
  call(points);
  used_[warp.value()] = {};
}

// ---- Splits

Split DivergenceTables::read(WarpId warp, SplitId id) {
  SplitTableRequest request{.op = StOp::kRead, .warp = warp, .id = id};
  return call(request).split;
}

Split DivergenceTables::peek(WarpId warp, SplitId id) const {
  SplitTableRequest request{.op = StOp::kRead, .warp = warp, .id = id};
  split_table_isock_.inspect(request);
  return request.split;
}

void DivergenceTables::write(WarpId warp, SplitId id, const Split& split) {
  SplitTableRequest request{.op = StOp::kWrite, .warp = warp, .id = id, .split = split};
  call(request);
  if (work_ != nullptr) work_->wrote(id);
}

SplitId DivergenceTables::insert(WarpId warp, const Split& split, bool& physical) {
  SplitTableRequest request{.op = StOp::kInsert, .warp = warp, .split = split};
  call(request);
  physical = request.ok;
  max_splits_ = std::max<std::uint64_t>(max_splits_, ++used_[warp.value()].splits);
  if (work_ != nullptr) work_->wrote(request.id);
  return request.id;
}

void DivergenceTables::free(WarpId warp, SplitId id) {
  SplitTableRequest request{.op = StOp::kFree, .warp = warp, .id = id};
  call(request);
  --used_[warp.value()].splits;
  if (work_ != nullptr) work_->freed(id);
}

// ---- Reconvergence points

DivergenceTables::Allocated DivergenceTables::allocate(WarpId warp, const Reconvergence& entry) {
  ReconvergenceTableRequest request{.op = RtOp::kInsert, .warp = warp, .cycle = now_, .entry = entry};
  call(request);
  if (request.id == kNoReconvergence) {
    ++no_entry_;
    return {};
  }
  max_points_ = std::max<std::uint64_t>(max_points_, ++used_[warp.value()].points);
  Allocated allocated{request.id, request.ok};
  if (!request.ok) allocated.record = pack(entry);
  return allocated;
}

Reconvergence DivergenceTables::read(WarpId warp, ReconvergenceId id) {
  ReconvergenceTableRequest request{.op = RtOp::kRead, .warp = warp, .id = id};
  return call(request).entry;
}

Reconvergence DivergenceTables::peek(WarpId warp, ReconvergenceId id) const {
  ReconvergenceTableRequest request{.op = RtOp::kRead, .warp = warp, .id = id};
  reconvergence_table_isock_.inspect(request);
  return request.entry;
}

void DivergenceTables::write(WarpId warp, ReconvergenceId id, const Reconvergence& entry) {
  ReconvergenceTableRequest request{.op = RtOp::kWrite, .warp = warp, .id = id, .entry = entry};
  call(request);
}

Reconvergence DivergenceTables::arrive(WarpId warp, ReconvergenceId id, LaneMask lanes, Pc pc) {
  ReconvergenceTableRequest request{
      .op = RtOp::kArrive, .warp = warp, .id = id, .lanes = lanes, .pc = pc, .cycle = now_};
  return call(request).entry;
}

Reconvergence DivergenceTables::leave(WarpId warp, ReconvergenceId id, LaneMask lanes) {
  ReconvergenceTableRequest request{
      .op = RtOp::kLeave, .warp = warp, .id = id, .lanes = lanes, .cycle = now_};
  return call(request).entry;
}

Reconvergence DivergenceTables::go_alone(WarpId warp, ReconvergenceId id) {
  ReconvergenceTableRequest request{.op = RtOp::kGoAlone, .warp = warp, .id = id, .cycle = now_};
  return call(request).entry;
}

void DivergenceTables::free(WarpId warp, ReconvergenceId id) {
  ReconvergenceTableRequest request{.op = RtOp::kFree, .warp = warp, .id = id};
  call(request);
  --used_[warp.value()].points;
}

bool DivergenceTables::take_fired(WarpId& warp, ReconvergenceId& id) {
  ReconvergenceTableRequest request{.op = RtOp::kFired, .cycle = now_};
  if (!call(request).ok) return false;
  warp = request.warp;
  id = request.id;
  return true;
}

bool DivergenceTables::has_fired(WarpId warp, ReconvergenceId id) {
  ReconvergenceTableRequest request{.op = RtOp::kHasFired, .warp = warp, .id = id};
  return call(request).ok;
}

}  // namespace heddle::simt
