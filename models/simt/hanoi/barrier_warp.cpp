#include "simt/hanoi/barrier_warp.h"

#include <algorithm>

namespace heddle::simt {
namespace {

constexpr std::uint32_t kMostYieldsWaited = 1024;

}  // namespace

// ---- Instructions

void HanoiBarrierWarp::bssy(HanoiEvent& event) {
  // Who waits at it stays in it: lanes of two executions of a BSSY meet. If it has been read and cleared they wait
  // for who writes it back.
  Register& b = registers_[event.barrier];
  const LaneMask kept = b.valid ? b.mask & arrived(event.barrier) : LaneMask{};
  b = {kept | event.exec, true};
  passed_[event.barrier] = LaneMask::difference(passed_[event.barrier], event.exec);
  ++stats_.regions;
}

void HanoiBarrierWarp::bsync(HanoiEvent& event) {
  const Register& b = registers_[event.barrier];
  const LaneMask members = b.valid ? b.mask & event.exec : LaneMask{};
  passed_[event.barrier] |= LaneMask::difference(event.exec, members);
  if (members.none()) {
    ws_.back().pc = event.next;
    return;
  }
  ++stats_.syncs;
  set_tag(members, event.barrier);
  const bool stops = shrink(members, {}, event.next);
  wait(members, event.next);
  if (!stops && joins() == HanoiJoins::kAnywhere) return;
  // Others of the path, which the register does not name, run behind those that it names.
  if (release_complete(event.barrier, yielded(), ws_.size()) || stops) run_next();
}

void HanoiBarrierWarp::moved(const HanoiEvent& event) {
  if (event.op == Op::kBmovRead) saves_ = saves_ || event.value.any();
  if (event.op == Op::kBmovWrite)
    passed_[event.barrier] = LaneMask::difference(passed_[event.barrier], event.exec);
}

HanoiError HanoiBarrierWarp::join(HanoiEvent& event, LaneMask members) {
  std::uint32_t number = config_.barrier_registers;
  for (std::uint32_t b = config_.program_registers(); b < config_.barrier_registers; ++b)
    if (registers_[b].valid && awaited(b) == members) number = b;
  for (std::uint32_t b = config_.barrier_registers;
       number == config_.barrier_registers && b-- > config_.program_registers();)
    if (!registers_[b].valid) number = b;
  if (number == config_.barrier_registers) return HanoiError::kNoPrivateRegister;
  const LaneMask there = arrived(number);
  if (event.kind == isa::WarpSyncKind::kCollective && there.any()) event.target = resume_[there.lowest()];
  registers_[number] = {members, true, event.kind};
  set_tag(event.exec, number);
  return HanoiError::kNone;
}

void HanoiBarrierWarp::yield(HanoiEvent& event) {
  const LaneMask ran = ws_.back().mask;
  for (std::uint32_t b = 0; b < config_.program_registers(); ++b)
    if (arrived(b).any()) registers_[b].mask = LaneMask::difference(registers_[b].mask, ran);
  ws_.back().yielded = true;
  // Below paths that have not yielded, and below those that have done so before.
  std::rotate(ws_.begin(), ws_.end() - 1, ws_.end());
  event.cycles += static_cast<std::uint32_t>(ws_.size()) - 1;
  if (ws_.size() == 1) (void)release_any(yielded(), 1);
  join_top();
  if (ws_.back().mask != ran) ++stats_.turns;
  // Paths that waited for no other go on behind the path that has the turn.
  while (release_any({}, ws_.size() - 1)) {
  }
  // So does in the end whose register nobody writes back: a spinning lane may wait for it.
  if (waiting_.any() && ++patience_ == kMostYieldsWaited) break_stall(ws_.size() - 1);
}

LaneMask HanoiBarrierWarp::yielded() const {
  LaneMask lanes;
  for (const Path& path : ws_)
    if (path.yielded) lanes |= path.mask;
  return lanes;
}

void HanoiBarrierWarp::release_outside(LaneMask lanes) {
  // The running path stays on top; of the others who came first runs first.
  const bool runs = !ws_.empty();
  const auto at = static_cast<std::ptrdiff_t>(ws_.size() - (runs ? 1 : 0));
  come_back(lanes, [&](Pc pc, LaneMask goes) { ws_.insert(ws_.begin() + at, {pc, goes}); });
  if (!runs) run_next();
}

// ---- Who goes on

void HanoiBarrierWarp::run_next() {
  (void)release_any({}, ws_.size());
  if (ws_.empty() && waiting_.any() && !release_any({}, 0)) break_stall(0);
  if (!ws_.empty()) join_top();
}

/// Paths at the PC of the one that runs next are one with it, but for those of an exclusive or collective WARPSYNC: these run
/// until they end, or wait, as their mask names them.
void HanoiBarrierWarp::join_top() {
  Path top = ws_.back();
  ws_.back().apart = false;
  if (top.apart) return;
  if (!top.yielded && !joins_at(top.pc)) return;
  ws_.pop_back();
  top.yielded = false;
  const auto same = [&top](const Path& path) { return path.pc == top.pc && !path.apart; };
  for (const Path& path : ws_)
    if (same(path)) {
      top.mask |= path.mask;
      ++stats_.joins;
    }
  std::erase_if(ws_, same);
  ws_.push_back(top);
}

HanoiJoins HanoiBarrierWarp::joins() const {
  const bool free = !saves_ || facts_ == nullptr || facts_->exchanges;
  return free ? config_.joins : HanoiJoins::kBsync;
}

bool HanoiBarrierWarp::joins_at(Pc pc) const {
  if (joins() == HanoiJoins::kAnywhere) return !saves_;
  return facts_ != nullptr && std::ranges::binary_search(facts_->convergence, pc);
}

bool HanoiBarrierWarp::release_any(LaneMask excused, std::size_t at) {
  for (LaneMask left = waiting_; left.any();) {
    const std::uint32_t number = tag_[left.lowest()];
    if (release_complete(number, excused, at)) return true;
    left = LaneMask::difference(left, arrived(number));
  }
  return false;
}

bool HanoiBarrierWarp::release_complete(std::uint32_t number, LaneMask excused, std::size_t at) {
  const bool warpsync = number >= config_.program_registers();
  const Register& b = registers_[number];
  if (!b.valid) return false;
  LaneMask awaits = awaited(number);
  if (!warpsync) awaits = LaneMask::difference(awaits, excused);
  const LaneMask here = arrived(number);
  LaneMask goes = here & b.mask;
  const bool apart = b.kind != isa::WarpSyncKind::kPlain;
  if (goes.none() || !here.contains(awaits)) return false;
  registers_[number] = {};
  ++stats_.reconvergences;
  if (warpsync && !apart) goes |= take_met(resume_[goes.lowest()]);
  release_at(goes, at, apart);
  return true;
}

LaneMask HanoiBarrierWarp::take_met(Pc pc) {
  LaneMask met;
  for (std::uint32_t number = config_.program_registers(); number < config_.barrier_registers; ++number) {
    const LaneMask here = arrived(number);
    Register& b = registers_[number];
    if (!b.valid || b.kind != isa::WarpSyncKind::kPlain || here.none() || !here.contains(awaited(number)) ||
        resume_[here.lowest()] != pc)
      continue;
    met |= here & b.mask;
    b = {};
    ++stats_.reconvergences;
  }
  return met;
}

/// Each lane goes on at its own PC; of several the lowest runs first.
void HanoiBarrierWarp::release_at(LaneMask lanes, std::size_t at, bool apart) {
  waiting_ = LaneMask::difference(waiting_, lanes);
  patience_ = 0;
  while (lanes.any()) {
    Pc pc = resume_[lanes.lowest()];
    lanes.for_each([&](unsigned lane) { pc = std::max(pc, resume_[lane]); });
    LaneMask same;
    lanes.for_each([&](unsigned lane) {
      if (resume_[lane] == pc) same |= LaneMask(1u << lane);
    });
    ws_.insert(ws_.begin() + static_cast<std::ptrdiff_t>(at++), {.pc = pc, .mask = same, .apart = apart});
    lanes = LaneMask::difference(lanes, same);
  }
}

std::uint32_t HanoiBarrierWarp::stalled() const {
  std::uint32_t found = config_.barrier_registers;
  bool found_passed = false;
  for (std::uint32_t number = 0; number < config_.program_registers(); ++number) {
    const LaneMask here = arrived(number);
    if (here.none()) continue;
    const LaneMask missing = LaneMask::difference(awaited(number), here);
    const bool passed = registers_[number].valid && passed_[number].contains(missing);
    if (found == config_.barrier_registers || (passed && !found_passed) ||
        (passed == found_passed && here.lowest() < arrived(found).lowest())) {
      found = number;
      found_passed = passed;
    }
  }
  return found;
}

/// Nothing else can run although lanes wait at a BSYNC, which is only a hint: they become paths from index `at` on.
void HanoiBarrierWarp::break_stall(std::size_t at) {
  patience_ = 0;
  const std::uint32_t number = stalled();
  if (number == config_.barrier_registers) return;
  const LaneMask here = arrived(number);
  ++stats_.stall_breaks;
  registers_[number] = {};
  release_at(here, at);
}

// ---- Diagnosis

std::vector<hang::SuspendedLanes> HanoiBarrierWarp::waiting_lanes() const {
  std::vector<hang::SuspendedLanes> found;
  for (LaneMask rest = waiting_; rest.any();) {
    const unsigned first = rest.lowest();
    LaneMask here;
    rest.for_each([&](unsigned lane) {
      if (tag_[lane] == tag_[first] && resume_[lane] == resume_[first]) here |= LaneMask(1u << lane);
    });
    rest = LaneMask::difference(rest, here);
    found.push_back({.mask = here,
                     .at = Pc{resume_[first].value() - 1},
                     .why = hang::Suspension::kReconverging,
                     .barrier = tag_[first],
                     .missing = LaneMask::difference(awaited(tag_[first]), waiting_)});
  }
  return found;
}

void HanoiBarrierWarp::mix_into(HanoiDigest& digest) const {
  for (const Path& path : ws_)
    digest.mix((std::uint64_t{path.mask.bits()} << 2) | (path.apart ? 2u : 0u) | (path.yielded ? 1u : 0u));
  waiting_.for_each([&](unsigned lane) { digest.mix((std::uint64_t{lane} << 8) | tag_[lane]); });
  for (const LaneMask passed : passed_) digest.mix((std::uint64_t{passed.bits()} << 1) | (saves_ ? 1u : 0u));
  digest.mix(patience_);  // a warp that yields comes nearer to the release
}

}  // namespace heddle::simt
