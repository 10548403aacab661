#include "simt/aware.h"

#include <bit>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "simt/clocked_splits.h"
#include "simt/table_size.h"

namespace heddle::simt {

namespace {

constexpr const char* kFifoBlock = "split_fifo";

GroupId group_of(WarpId warp) { return GroupId{warp.value()}; }

DivergenceTables::Config tables_of(const ControlFlowConfig& config) {
  const AwareConfig& aware = config.get<AwareConfig>();
  return {aware.st_entries, {aware.rt_entries, aware.rt_victim, config.get<TimeoutConfig>()}};
}

/// rtl/split_unit, if it is wanted; null: it is not.
std::unique_ptr<SplitUnit> make_unit(const MechanismSite& site) {
  const auto& config = site.config.clocked_block(ClockedSplits::kBlock);
  if (config.impl == sim::Implementation::kModel) return nullptr;
  const auto refuse = [&](const char* what, const char* remedy) {
    throw base::InputError("core.control_flow.split_unit.impl", what, remedy);
  };
  const AwareConfig& aware = site.config.get<AwareConfig>();
  if (!config.clocked())
    refuse("the RTL of split_unit is clocked once per core cycle",
           "Set core.control_flow.split_unit.timing=contract, or impl=model.");
  if (aware.virtualised())
    refuse("the RTL of split_unit has no spilled entries",
           "Set core.control_flow.aware.st_entries and rt_entries to 32, or impl=model.");
  if (site.config.get<TimeoutConfig>().cycles != 0)
    refuse("the RTL of split_unit has no timers", "Set core.control_flow.timeout.cycles=0, or impl=model.");
  for (const char* table : {"split_table", "reconvergence_table", kFifoBlock})
    if (site.config.clocked_block(table).clocked())
      refuse("the RTL of split_unit has tables of its own",
             "Set the timing of split_table, reconvergence_table and split_fifo to ideal, or impl=model.");
  return sim::Twins::make<SplitUnitBlock>(
      site.twins, config.impl, {site.warps, site.schedulers + 1, aware.rotate_on_taken_branch}, site.path);
}

std::unique_ptr<ControlFlow> make_aware(const MechanismSite& site) {
  auto control = std::make_unique<Aware>(site);
  return ClockedSplits::make(site, 1, std::move(control), make_unit(site));
}

}  // namespace

void AwareConfig::visit(base::ConfigVisitor& v) {
  v.field("st_entries", st_entries,
          {.unit = "entries",
           .doc = "physical splits table of a warp; below 32 it is virtualised ([AWARE:A5])",
           .min = 1,
           .max = base::kLanes});
  v.field("rt_entries", rt_entries,
          {.unit = "entries",
           .doc = "physical reconvergence table of a warp; below 32 it is virtualised ([AWARE:A5])",
           .min = 1,
           .max = base::kLanes});
  v.choice("rt_victim", rt_victim, {"least_recent", "most_recent"},
           "entry of a full reconvergence table that is spilled ([AWARE:A7])");
  v.field("rotate_on_taken_branch", rotate_on_taken_branch,
          {.unit = "",
           .doc = "the running split goes to the end of the queue at every taken branch, not only at "
                  "divergent ones ([AWARE:A1])"});
}

Mechanism aware_mechanism() {
  Mechanism mechanism{
      Aware::kName,
      "splits of a warp take turns in a queue, until all that are expected have met",
      {timeout_option(), base::ConfigOption::section<AwareConfig>(Aware::kName, "mechanism aware")},
      DivergenceTables::blocks(),
      make_aware};
  mechanism.blocks.push_back(
      base::ConfigOption::section<sim::ClockedTwinConfig>(kFifoBlock, "queue of splits of aware"));
  mechanism.traits = [](const ControlFlowConfig& config) {
    const auto& aware = config.get<AwareConfig>();
    return Traits{
        .runs_lanes_apart = true,
        .clocked = ClockedSplits::clocked(config),
        .table_bits = aware_table_bits(aware),
        .spill_bytes_per_warp = aware.virtualised() ? kTableBytesPerWarp : 0,
        .reconvergence = ReconvergenceUse::kSidesTakeTurns,
        .timed =
            aware.virtualised()
                ? "a split whose entry is in memory is passed over until it is back (st_entries, rt_entries)"
                : timed_by(config.get<TimeoutConfig>()),
        .calls_are_frames = true};
  };
  return mechanism;
}

Aware::Aware(const MechanismSite& site)
    : SplitControl(site, tables_of(site.config)),
      split_fifo_(kFifoBlock, site.warps, site.config.clocked_block(kFifoBlock), site.twins),
      fifo_time_(site.config.clocked_block(kFifoBlock), kFifoBlock, site.path, work()),
      warps_(site.warps),
      buffers_(site.warps, site.ports),
      virtualised_(site.config.get<AwareConfig>().virtualised()),
      rotate_on_taken_branch_(site.config.get<AwareConfig>().rotate_on_taken_branch) {
  split_fifo_isock_.bind(split_fifo_.split_fifo_tsock);
}

void Aware::register_stats(base::StatGroup& stats) {
  SplitControl::register_stats(stats);
  stats.counter("rotations", "splits", "times that another split of the warp got its turn", &rotations_);
  if (virtualised_) buffers_.register_stats(stats);
}

void Aware::reset(WarpId warp) {
  SplitFifoRequest request{.op = FifoOp::kReset, .warp = warp};
  ask(request);
  buffers_.reset(warp);
  const Shown shown = warps_[warp.value()].shown;
  warps_[warp.value()] = {};
  warps_[warp.value()].shown = shown;
}

bool Aware::insert(WarpId warp, const Split& split) {
  if (!buffers_.can_spill(warp, Table::kSplit)) return false;  // in case it has to take another one's place
  bool physical = false;
  const SplitId id = tables().insert(warp, split, physical);
  warps_[warp.value()].started &= ~(1u << id.value());
  SplitFifoRequest request{.op = FifoOp::kPush, .warp = warp, .id = id, .spilled = !physical};
  ask(request);
  if (physical) return true;
  if (place_split(warp, id, pack(split))) {
    mark(warp, FifoOp::kResident, id);
    return true;
  }
  // The only entries are those of the split that runs and of some that are back and have not had their turn:
  // the new one, which has none to evict, goes to memory itself.
  buffers_.spill(warp, Table::kSplit, id.value(), pack(split), tables().now());
  return true;
}

void Aware::removed(WarpId warp, SplitId /*id*/) {
  // Only the front split runs, so only that one ends.
  SplitFifoRequest request{.op = FifoOp::kPop, .warp = warp};
  ask(request);
  warps_[warp.value()].running = kNoSplit;
}

void Aware::goes_on(WarpId warp, SplitId id, Split split, bool taken) {
  tables().write(warp, id, split);
  warps_[warp.value()].redirect = true;
  if (!taken || !rotate_on_taken_branch_) return;
  SplitFifoRequest request{.op = FifoOp::kRotate, .warp = warp};
  ask(request);
}

void Aware::block(WarpId warp, SplitId /*id*/, LaneMask lanes) {
  SplitFifoRequest request{.op = FifoOp::kBlock, .warp = warp, .lanes = lanes};
  ask(request);
  request.op = FifoOp::kRotate;
  ask(request);
  warps_[warp.value()].running = kNoSplit;
}

void Aware::unblock(WarpId warp, LaneMask lanes) {
  if (work() != nullptr) {
    const std::uint32_t blocked = blocked_splits(warp);
    if (blocked != 0)
      work()->visited(static_cast<std::uint32_t>(std::popcount(blocked)),
                      SplitId{static_cast<std::uint8_t>(std::bit_width(blocked) - 1)});
  }
  SplitFifoRequest request{.op = FifoOp::kUnblock, .warp = warp, .lanes = lanes};
  ask(request);
}

SplitId Aware::next_split(WarpId warp) {
  SplitFifoRequest request{.op = FifoOp::kRead, .warp = warp};
  ask(request);
  // That nobody can run is known without a look through the queue.
  const bool charged = work() != nullptr && LaneMask(blocked_splits(warp)).count() != request.count;
  for (std::uint32_t rest = request.count; rest > 0; --rest) {
    const QueuedSplit& front = request.queued;
    if (!front.blocked && !front.spilled) return front.id;
    if (!front.blocked && !front.transient) {
      mark(warp, FifoOp::kFilling, front.id);
      warps_[warp.value()].wanted.push_back(front.id);
    }
    request.op = FifoOp::kRotate;
    if (charged) work()->pass(1);
    ask(request);
  }
  return kNoSplit;
}

void Aware::schedule(ControlFlowRequest& request) {
  const WarpId warp = request.warp;
  for (;;) {
    if (virtualised_) take_split(warp);
    const SplitId id = next_split(warp);
    if (virtualised_) send_for_split(warp);
    if (id == kNoSplit) break;
    if (virtualised_) mark(warp, FifoOp::kResident, id);  // it has its turn
    const Split split = tables().read(warp, id);
    if (work() != nullptr) work()->tell_front(id);
    if (!split.at_rpc()) {
      answer_runs(warp, id, split);
      return;
    }
    // It arrives there after a barrier, and after what waits.
    if (steps().waiting(warp)) break;
    if (work() != nullptr) work()->pass(1);  // it is told a clock behind the last step
    finish(warp, id);
    steps().drain(warp);
  }
  answer_blocked(warp);
}

Hold Aware::hold_of(WarpId warp) const {
  if (!virtualised_) return Hold::kNothing;
  if (steps().waiting(warp)) return Hold::kEverything;
  const bool room =
      buffers_.can_spill(warp, Table::kSplit) && buffers_.can_spill(warp, Table::kReconvergence);
  return room ? Hold::kNothing : Hold::kBranches;
}

void Aware::answer_runs(WarpId warp, SplitId id, const Split& split) {
  Warp& state = warps_[warp.value()];
  const Hold hold = hold_of(warp);
  GroupUpdate update{group_of(warp), GroupChange::kMoved, split.pc, split.watch(), split.mask};
  update.hold = hold;
  if (state.shown == Shown::kRuns && state.running == id && !state.redirect) {
    if (hold == state.hold) return;
    update.change = GroupChange::kHeld;
  } else {
    if (state.shown != Shown::kRuns && state.shown != Shown::kAbsent)
      update.change = GroupChange::kSchedulable;
    if (state.running != id && (state.started & (1u << id.value())) == 0) state.started |= 1u << id.value();
    if (state.running != id) ++rotations_;
  }
  state.running = id;
  state.redirect = false;
  state.shown = Shown::kRuns;
  state.hold = hold;
  answer(update);
}

std::uint32_t Aware::blocked_splits(WarpId warp) const {
  std::uint32_t blocked = 0;
  SplitFifoRequest request{.op = FifoOp::kRead, .warp = warp};
  for (split_fifo_isock_.inspect(request); request.position < request.count;
       split_fifo_isock_.inspect(request)) {
    if (request.queued.blocked) blocked |= 1u << request.queued.id.value();
    ++request.position;
  }
  return blocked;
}

bool Aware::all_blocked(WarpId warp) {
  SplitFifoRequest request{.op = FifoOp::kRead, .warp = warp};
  for (ask(request); request.position < request.count; ask(request)) {
    if (!request.queued.blocked) return false;
    ++request.position;
  }
  return true;
}

void Aware::answer_blocked(WarpId warp) {
  Warp& state = warps_[warp.value()];
  state.running = kNoSplit;
  SplitFifoRequest queue{.op = FifoOp::kRead, .warp = warp};
  ask(queue);
  const bool gone = queue.count == 0 && !steps().waiting(warp);
  const bool barrier = !steps().waiting(warp) && all_blocked(warp);
  const Shown shown = gone ? Shown::kAbsent : barrier ? Shown::kBarrier : Shown::kTables;
  if (shown == state.shown) return;
  state.shown = shown;
  if (gone) {
    answer({group_of(warp), GroupChange::kVanished});
    return;
  }
  GroupUpdate update{group_of(warp), GroupChange::kBlocked};
  if (queue.count != 0) {
    const Split split = tables().peek(warp, queue.queued.id);  // it may be in memory
    update.pc = split.pc;
    update.watch = split.watch();
    update.mask = split.mask;
  }
  update.cause = barrier ? BlockCause::kBarrier : BlockCause::kTables;
  answer(update);
}

SplitAnswer Aware::answer_of(WarpId warp) const {
  SplitAnswer result{.warp = warp};
  SplitFifoRequest queue{.op = FifoOp::kRead, .warp = warp};
  split_fifo_isock_.inspect(queue);
  if (queue.count == 0) return result;
  result.split = queue.queued.id;
  result.state = SplitAnswer::State::kBarrier;
  if (warps_[warp.value()].running == kNoSplit) return result;
  const Split split = tables().peek(warp, result.split);
  result.state = SplitAnswer::State::kRuns;
  result.pc = split.pc;
  result.watch = split.watch();
  result.mask = split.mask;
  return result;
}

SplitContents Aware::contents_of(WarpId warp) const {
  SplitContents contents = SplitControl::contents_of(warp);
  SplitFifoRequest queue{.op = FifoOp::kRead, .warp = warp};
  for (split_fifo_isock_.inspect(queue); queue.position < queue.count; split_fifo_isock_.inspect(queue)) {
    contents.queue.push_back({queue.queued.id, queue.queued.blocked, tables().peek(warp, queue.queued.id)});
    ++queue.position;
  }
  return contents;
}

SplitView::State Aware::state_of(WarpId warp, SplitId id) const {
  const Warp& state = warps_[warp.value()];
  State result;
  result.runs = state.running == id;
  result.started = (state.started & (1u << id.value())) != 0;
  SplitFifoRequest request{.op = FifoOp::kRead, .warp = warp};
  do {
    split_fifo_isock_.inspect(request);
    if (request.queued.id != id) continue;
    result.blocked = request.queued.blocked;
    result.spilled = request.queued.spilled;
    result.transient = request.queued.spilled && request.queued.transient;
    break;
  } while (++request.position < request.count);
  return result;
}

void Aware::show(WarpId warp, nlohmann::ordered_json& table) const {
  auto& queue = table["fifo"] = nlohmann::ordered_json::array();
  SplitFifoRequest request{.op = FifoOp::kRead, .warp = warp};
  for (split_fifo_isock_.inspect(request); request.position < request.count;) {
    queue.push_back(request.queued.id.value());
    ++request.position;
    split_fifo_isock_.inspect(request);
  }
}

}  // namespace heddle::simt
