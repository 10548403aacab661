#include "simt/hanoi/hanoi.h"

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::simt {
namespace {

constexpr const char* kUnit = "hanoi_unit";

GroupId hanoi_group(WarpId warp) { return GroupId{warp.value()}; }

struct Explanation {
  const char* fault;
  const char* remedy;
};

Explanation explain(HanoiError error) {
  switch (error) {
    case HanoiError::kNone:
      return {nullptr, ""};
    case HanoiError::kNoRegister:
      return {"there is no such barrier register for programs",
              "name a lower one, or raise core.control_flow.hanoi.barrier_registers"};
    case HanoiError::kStackFull:
      return {"the warp's REC stack is full",
              "nest regions less deep, raise core.control_flow.hanoi.reconvergence_entries, or set "
              "core.control_flow.hanoi.profile=X, which skips the region"};
    case HanoiError::kContract:
      return {"these lanes are not all in the region of the barrier register, or not in its innermost one",
              "check that every lane that leaves a region executes BREAK, or set "
              "core.control_flow.hanoi.profile=X, which needs no such contract"};
    case HanoiError::kOtherSync:
      return {
          "the BSSY that these lanes executed last for the barrier register names another BSYNC",
          "give the BSSY the label of this BSYNC, or set core.control_flow.hanoi.profile=X, which lets every "
          "lane go on behind its own"};
    case HanoiError::kNoPrivateRegister:
      return {"all registers for WARPSYNC are in use: too many different masks are waited for",
              "raise core.control_flow.hanoi.private_registers and barrier_registers"};
    case HanoiError::kNotMember:
      return {"a lane is not in the mask that it names", "name every lane that executes it"};
    case HanoiError::kMisrouted:
      return {
          "lanes that wait elsewhere would go on behind the WARPSYNC or BSYNC whose lanes are complete now",
          "let all lanes of a mask be in the same region when they come to the WARPSYNC, and wait for one "
          "mask at a "
          "time, or set core.control_flow.hanoi.profile=X, which lets every lane go on behind its own"};
  }
  return {nullptr, ""};
}

}  // namespace

Mechanism hanoi_mechanism() {
  return {
      Hanoi::kName,
      "the program's convergence instructions say where lanes meet (Turing); the paths of a warp are a "
      "stack, of which the top runs",
      {base::ConfigOption::section<HanoiConfig>(Hanoi::kName, "mechanism hanoi")},
      {},
      [](const MechanismSite& site) { return std::make_unique<Hanoi>(site); },
      [](const ControlFlowConfig& config) {
        const auto& hanoi = config.get<HanoiConfig>();
        return Traits{
            // Paths of a warp take turns, so that one may wait for another at a barrier.
            .runs_lanes_apart = true,
            .parts_lanes_at_sync = true,
            .sleep_yields = true,
            // P gives all lanes of an entry its PC; only code that keeps the contract has waited in front of it.
            .may_misroute = hanoi.is_p() && !hanoi.checks_contract,
            .wants_facts = true,
            .table_bits = hanoi_table_bits(hanoi),
            .convergence = ConvergenceTables{hanoi.program_registers(), hanoi.reconvergence_entries,
                                             !hanoi.is_barriers()},
            .reconvergence = ReconvergenceUse::kNone};
      }};
}

Hanoi::Hanoi(const MechanismSite& site)
    : config_(site.config.get<HanoiConfig>()),
      unit_(kUnit, site.warps, config_, site.config.first_side),
      ports_(site.ports),
      busy_until_(site.warps, 0),
      check_again_(site.warps, false) {
  if (config_.privates() >= config_.barrier_registers)
    throw base::InputError(
        "core.control_flow.hanoi.private_registers",
        fmt::format("{} of {} barrier registers are for WARPSYNC, and none is left for programs",
                    config_.privates(), config_.barrier_registers),
        "Raise barrier_registers.");
  hanoi_isock_.bind(unit_.hanoi_tsock);
}

void Hanoi::register_stats(base::StatGroup& stats) {
  HanoiStats& s = unit_.stats();
  stats.counter("branches", "warp-instructions", "branches executed with at least one active lane",
                &branches_);
  stats.counter("divergences", "branches", "branches whose lanes went to more than one place", &divergences_);
  stats.counter("regions", "warp-instructions", "BSSY executed, those without effect left out", &s.regions);
  stats.counter("syncs", "warp-instructions", "BSYNC and WARPSYNC executed at which lanes waited", &s.syncs);
  stats.counter("moves", "warp-instructions", "BREAK and BMOV executed", &s.moves);
  stats.counter("reconvergences", "entries", "times that waiting lanes went on together", &s.reconvergences);
  stats.counter("empty_pops", "entries", "entries that all lanes had left", &s.empty_pops);
  stats.counter("yields", "warp-instructions", "YIELD and NANOSLEEP executed", &s.yields);
  stats.counter("turns", "warp-instructions", "of these, those after which another path ran", &s.turns);
  stats.counter("dropped_regions", "entries", "BSSY without effect because the REC stack was full",
                &s.dropped_regions);
  if (config_.is_x()) {
    stats.counter("stall_breaks", "entries", "times that lanes went on because nothing else could run",
                  &s.stall_breaks);
    stats.counter("yield_releases", "entries", "times that a YIELD let waiting lanes go on",
                  &s.yield_releases);
  } else if (config_.is_barriers()) {
    stats.counter("stall_breaks", "registers", "times that lanes went on because nothing else could run",
                  &s.stall_breaks);
    stats.counter("joins", "paths", "paths that became one with another at the same PC", &s.joins);
  } else {
    stats.counter("misrouted", "lanes",
                  "lanes that went on at another place than their own: code that breaks P's contract",
                  &s.misrouted);
  }
  if (config_.timing == HanoiTiming::kContract)
    stats.counter("busy_cycles", "cycles",
                  "cycles that a warp did not issue because its tables were popped or scanned",
                  &busy_cycles_);
  stats.maximum("max_paths", "paths", "most runnable paths of any warp", &s.max_paths);
  stats.maximum("max_reconvergence_entries", "entries", "most reconvergence points of any warp",
                &s.max_entries);
}

// ---- Events

HanoiEvent Hanoi::event_of(const ControlFlowRequest& request, HanoiEvent::Op op) const {
  HanoiEvent event;
  event.op = op;
  event.warp = request.warp;
  event.exec = request.mask;
  event.next = request.next;
  return event;
}

bool Hanoi::busy(WarpId warp) const { return busy_until_[warp.value()] != 0; }

void Hanoi::send(ControlFlowRequest& request, HanoiEvent& event) {
  hanoi_isock_.call(event);
  const Explanation why = explain(event.error);
  request.fault = why.fault;
  request.remedy = why.remedy;
  check_again_[event.warp.value()] = event.check_again;
  if (event.error == HanoiError::kNone) {
    if (config_.timing == HanoiTiming::kContract && event.cycles != 0 && !event.done) {
      busy_.erase({busy_until_[event.warp.value()], event.warp.value()});
      busy_until_[event.warp.value()] = request.cycle + event.cycles;
      busy_.insert({request.cycle + event.cycles, event.warp.value()});
      busy_cycles_ += event.cycles;
      answer({hanoi_group(event.warp), GroupChange::kBlocked, event.top_pc, kNoPc, event.top_mask,
              BlockCause::kTables});
    } else if (event.top_switch || event.op == HanoiEvent::Op::kLaunch) {
      if (!busy(event.warp)) report(event.warp);
    } else if (event.check_again && !busy(event.warp)) {
      // CHECK runs before every issue and releases once: the next time is behind the next instruction.
      GroupUpdate update{hanoi_group(event.warp), GroupChange::kWatches};
      update.watch = Pc{event.top_pc.value() + 1};
      answer(update);
    }
  }
  request.due = busy_.empty() ? kNever : busy_.begin()->first;
}

void Hanoi::report(WarpId id) {
  const HanoiWarp& warp = unit_.state(id);
  const GroupId group = hanoi_group(id);
  if (warp.finished() == LaneMask::all()) {
    answer({group, GroupChange::kVanished});
    return;
  }
  if (warp.paths().empty()) {
    GroupUpdate update{group, GroupChange::kBlocked};
    if (!warp.outside().empty()) {
      update.pc = warp.outside().front().pc;
      update.mask = warp.outside().front().mask;
    } else {
      update.cause = BlockCause::kTables;  // the program hangs; suspended lanes say why
      update.mask = warp.waiting();
      update.pc = warp.own_resume(warp.waiting().lowest());
    }
    answer(update);
    return;
  }
  const HanoiWarp::Path& top = warp.paths().back();
  // As in send().
  const Pc watch = check_again_[id.value()] ? Pc{top.pc.value() + 1} : kNoPc;
  answer({group, GroupChange::kMoved, top.pc, watch, top.mask});
}

void Hanoi::launch(ControlFlowRequest& request) {
  busy_.erase({busy_until_[request.warp.value()], request.warp.value()});
  busy_until_[request.warp.value()] = 0;
  HanoiEvent event = event_of(request, HanoiEvent::Op::kLaunch);
  event.facts = facts_;
  send(request, event);
}

void Hanoi::advance(ControlFlowRequest& request) {
  HanoiEvent event = event_of(request, HanoiEvent::Op::kNext);
  send(request, event);
}

void Hanoi::transfer(ControlFlowRequest& request) {
  ++branches_;
  const LaneMask active = unit_.state(request.warp).paths().back().mask;
  HanoiEvent event = event_of(request, HanoiEvent::Op::kBranch);
  event.exec = active & request.taken;
  event.target = request.target;
  if (request.lane_target != nullptr && event.exec.any()) {
    event.op = HanoiEvent::Op::kIndirect;
    event.target = request.lane_target[event.exec.lowest()];
    LaneMask same;
    event.exec.for_each([&](unsigned lane) {
      if (request.lane_target[lane] == event.target) same |= LaneMask(1u << lane);
    });
    request.diverged = same != active;
    if (config_.is_barriers())
      event.lane_target = request.lane_target;
    else
      event.exec = same;
  } else {
    request.diverged = event.exec.any() && event.exec != active;
  }
  if (request.diverged) ++divergences_;
  send(request, event);
}

void Hanoi::converge(ControlFlowRequest& request) {
  using Op = HanoiEvent::Op;
  ConvergenceOperation& operation = *request.convergence;
  HanoiEvent event = event_of(request, Op::kNext);
  event.barrier = operation.barrier;
  event.value = operation.value;
  switch (operation.op) {
    case ConvergenceOp::kSet:
      event.op = Op::kBssy;
      event.target = operation.point;
      break;
    case ConvergenceOp::kSync:
      event.op = Op::kBsync;
      break;
    case ConvergenceOp::kBreak:
      event.op = Op::kBreak;
      break;
    case ConvergenceOp::kRead:
    case ConvergenceOp::kReadClear:
      event.op = Op::kBmovRead;
      event.clear = operation.op == ConvergenceOp::kReadClear;
      break;
    case ConvergenceOp::kWrite:
      event.op = Op::kBmovWrite;
      break;
    case ConvergenceOp::kWarpSync:
      event.op = Op::kWarpSync;
      event.again = request.again;
      event.members = operation.members;
      event.kind = static_cast<isa::WarpSyncKind>(operation.barrier);
      break;
    case ConvergenceOp::kYield:
      event.op = Op::kYield;
      break;
  }
  send(request, event);
  operation.value = event.value;
}

void Hanoi::exit(ControlFlowRequest& request) {
  HanoiEvent event = event_of(request, HanoiEvent::Op::kExit);
  send(request, event);
}

void Hanoi::barrier_arrive(ControlFlowRequest& request) {
  HanoiEvent event = event_of(request, HanoiEvent::Op::kBarrier);
  send(request, event);
}

void Hanoi::barrier_release(ControlFlowRequest& request) {
  HanoiEvent event = event_of(request, HanoiEvent::Op::kRelease);
  send(request, event);
}

void Hanoi::tick(ControlFlowRequest& request) {
  if (!busy_.empty() && busy_.begin()->first <= request.cycle) {
    const WarpId warp{busy_.begin()->second};
    busy_.erase(busy_.begin());
    busy_until_[warp.value()] = 0;
    request.warp = warp;
    report(warp);
  }
  request.due = busy_.empty() ? kNever : busy_.begin()->first;
}

}  // namespace heddle::simt
