#include "core/issue/clocked_scoreboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.h"
#include "core/issue/scoreboard_slices.h"

namespace heddle::core {
namespace {

[[nodiscard]] constexpr std::uint64_t bit(std::uint32_t number) { return std::uint64_t{1} << number; }

}  // namespace

ClockedScoreboard::ClockedScoreboard(const sc_core::sc_module_name& name, const ScoreboardConfig& config,
                                     std::uint32_t schedulers, std::uint32_t warps, std::uint32_t groups,
                                     base::StatGroup& stats, sim::Twins* twins)
    : sc_module(name),
      masks_(config.kind == ScoreboardKind::kPerThreadMask),
      groups_(groups),
      entries_(config.entries_per_warp),
      read_ports_(config.resolved_read_ports()),
      write_ports_(config.resolved_write_ports()),
      release_queue_(config.release_queue) {
  const ScoreboardShape shape{(warps + schedulers - 1) / schedulers, groups, config};
  if (shape.warps * groups > ScoreboardPins::kMostSlots)
    throw base::InputError(
        "core.scoreboard.timing",
        fmt::format(
            "the clocked block has {} slots, a scheduler of this core {} warps with {} issue groups each",
            ScoreboardPins::kMostSlots, shape.warps, groups),
        "Set core.scoreboard.timing=ideal, more schedulers (core.scheduler.count), or fewer paths "
        "(core.control_flow.multi_path.paths).");
  slices_.resize(schedulers);
  for (std::uint32_t s = 0; s < schedulers; ++s) {
    const std::string path = fmt::format("{}.of_scheduler{}", this->name(), s);
    Slice& slice = slices_[s];
    slice.heads.resize(std::size_t{shape.warps} * groups);
    slice.stalls = base::Perturbation(config.stall_seed, base::stream_of(path));
    if (config.impl != sim::Implementation::kRtl) slice.unit = std::make_unique<ScoreboardSlice>(shape);
    if (config.impl == sim::Implementation::kModel) continue;
    auto rtl = sim::Twins::make<ClockedScoreboardBlock>(twins, config.impl, shape, path);
    slice.unit = config.impl == sim::Implementation::kRtl
                     ? std::move(rtl)
                     : lockstep_scoreboard(path, std::move(slice.unit), std::move(rtl));
  }
  stats.counter("checks", "checks", "look-ups of heads: one for each part of their registers", &checks_);
  stats.counter("full", "heads", "heads that had to wait only for want of a free entry", &full_);
  stats.counter("port_reads", "registers", "registers that were looked up", &port_reads_);
  stats.counter("port_writes", "registers", "reservations and releases", &port_writes_);
  stats.counter("look_waits", "head-cycles", "heads that had not been looked up, summed over cycles",
                &look_waits_);
  stats.counter("release_waits", "write-back-cycles",
                "write-backs whose registers could not be released at once, summed over cycles",
                &release_waits_);
}

// ---- Clock

std::uint64_t ClockedScoreboard::wanted(const Slice& slice) const {
  std::uint64_t heads = 0;
  for (std::uint32_t s = 0; s < slice.heads.size(); ++s)
    if (slice.heads[s].instruction != nullptr) heads |= bit(s);
  // A head that has been replaced is there from the next cycle on.
  heads &= ~slice.pins.drop;
  // What is reserved later must be seen by the look-up.
  static_assert(base::kLanes < ScoreboardPins::kMostSlots, "a warp has as many groups as lanes at most");
  for (const Write& waits : slice.reserves) heads &= ~((bit(groups_) - 1) << (waits.warp * groups_));
  return heads;
}

bool ClockedScoreboard::active(const Slice& slice) {
  const ScoreboardPins& pins = slice.pins;
  if (pins.drop != 0 || pins.clear != 0 || pins.issued || pins.reserve.valid || !slice.reserves.empty() ||
      !slice.releases[0].empty() || !slice.releases[1].empty())
    return true;
  const std::uint64_t looked = slice.unit->heads().looked;
  for (std::uint32_t s = 0; s < slice.heads.size(); ++s)
    if (slice.heads[s].instruction != nullptr && (looked >> s & 1u) == 0) return true;
  return false;
}

void ClockedScoreboard::put_reserve(Slice& slice, const Write& write) {
  ScoreboardPins& pins = slice.pins;
  if (pins.reserve.valid) {
    slice.reserves.push_back(write);
    return;
  }
  pins.reserve = {.valid = true, .warp = write.warp, .lanes = write.lanes};
  pins.memory = write.memory;
  const std::uint32_t parts = write_part(write.registers, write.part, write_ports_, pins.reserve);
  if (write.part + 1 == parts) return;
  slice.reserves.push_front(write);
  ++slice.reserves.front().part;
}

void ClockedScoreboard::edge(Slice& slice, Cycle cycle) {
  ScoreboardPins& pins = slice.pins;
  pins.heads = wanted(slice);
  for (std::uint32_t i = 0; i < ScoreboardPins::kSources; ++i) {
    if (slice.releases[i].empty()) continue;
    if (slice.stalls.on() && slice.stalls.below(kRequestsPerStall) == 0) continue;
    const Write& first = slice.releases[i].front();
    pins.release[i] = {.valid = true, .warp = first.warp, .lanes = first.lanes};
    write_part(first.registers, first.part, write_ports_, pins.release[i]);
  }
  const ScoreboardGrants granted = slice.unit->grants(pins, cycle);
  Head* looks = nullptr;
  if (granted.look && !(slice.stalls.on() && slice.stalls.below(kRequestsPerStall) == 0)) {
    looks = &slice.heads[*granted.look];
    const std::uint32_t parts =
        look_part(*looks->instruction, looks->mask, looks->part, read_ports_, pins.look);
    pins.first = looks->part == 0;
    pins.last = looks->part + 1 == parts;
    ++checks_;
    for (const isa::RegId reg : pins.look.registers) port_reads_ += reg != isa::kNoReg ? 1 : 0;
  }
  if (pins.next.valid) {
    ++checks_;
    for (const isa::RegId reg : pins.next.registers) port_reads_ += reg != isa::kNoReg ? 1 : 0;
  }
  if (pins.reserve.valid)
    for (const isa::RegId reg : pins.reserve.registers) port_writes_ += reg != isa::kNoReg ? 1 : 0;
  look_waits_ += static_cast<std::uint64_t>(std::popcount(pins.heads & ~slice.unit->heads().looked));
  slice.unit->edge(pins, cycle);
  if (looks != nullptr) looks->part = pins.last ? 0 : looks->part + 1;
  std::uint64_t changed_sets = pins.clear;  // warps
  if (pins.reserve.valid) changed_sets |= bit(pins.reserve.warp);
  if (granted.release) {
    std::deque<Write>& of = slice.releases[*granted.release];
    if (masks_) changed_sets |= bit(of.front().warp);
    ScoreboardPins::Write served;
    const std::uint32_t parts = write_part(of.front().registers, of.front().part, write_ports_, served);
    for (const isa::RegId reg : served.registers) port_writes_ += reg != isa::kNoReg ? 1 : 0;
    if (++of.front().part == parts) of.pop_front();
  }
  for (const auto& of : slice.releases) release_waits_ += of.size();
  // Parts that were looked up before do not hold.
  for (std::uint32_t s = 0; s < slice.heads.size(); ++s)
    if ((changed_sets >> (s / groups_) & 1u) != 0) slice.heads[s].part = 0;
  pins = {};
  tell_changes(slice);
  if (slice.reserves.empty()) return;
  const Write next = slice.reserves.front();
  slice.reserves.pop_front();
  put_reserve(slice, next);
}

Hazard ClockedScoreboard::hazard(const ScoreboardHeads& heads, std::uint32_t slot) {
  const auto of = [slot](std::uint64_t set) { return (set >> slot & 1u) != 0; };
  if (!of(heads.looked)) return Hazard::kLooking;
  if (of(heads.ready)) return Hazard::kNone;
  if (of(heads.memory)) return Hazard::kMemory;
  return of(heads.alu) ? Hazard::kAlu : Hazard::kFull;
}

void ClockedScoreboard::tell_changes(Slice& slice) {
  const ScoreboardHeads heads = slice.unit->heads();
  for (std::uint32_t s = 0; s < slice.heads.size(); ++s) {
    Head& head = slice.heads[s];
    if (head.instruction == nullptr) continue;
    const Hazard now = hazard(heads, s);
    if (now == head.told) continue;
    head.told = now;
    if (now == Hazard::kFull) ++full_;
    changed_.push_back(head.group);
  }
}

void ClockedScoreboard::advance(Cycle now) {
  if (now <= cycle_) return;
  if (std::ranges::any_of(slices_, active)) settled_ = cycle_ + kSettling;
  for (Slice& slice : slices_) {
    edge(slice, cycle_);
    // The core sleeps only while nothing is on the pins and nothing waits; the state stays as it is (rtl/scoreboard/formal).
    const Cycle idle = std::min(now - cycle_ - 1, kIdleEdges);
    for (Cycle each = now - idle; each < now; ++each) edge(slice, each);
  }
  cycle_ = now;
}

// ---- Requests

void ClockedScoreboard::begin_launch(Cycle cycle) {
  for (Slice& slice : slices_)  // before the clock, which would read their instructions
    for (std::uint32_t s = 0; s < slice.heads.size(); ++s)
      if (std::exchange(slice.heads[s], {}).instruction != nullptr) slice.pins.drop |= bit(s);
  advance(cycle);
  for (Slice& slice : slices_) {
    slice.reserves.clear();
    for (auto& of : slice.releases) of.clear();
  }
  changed_.clear();
}

void ClockedScoreboard::clear(WarpId warp) {
  Slice& slice = slice_of(warp);
  const std::uint32_t number = warp_in(warp);
  // They are registers of the warp that had the slot; later they would end those that the new one waits for.
  const auto of_warp = [number](const Write& write) { return write.warp == number; };
  std::erase_if(slice.reserves, of_warp);
  for (auto& of : slice.releases) std::erase_if(of, of_warp);
  slice.pins.clear |= bit(number);
}

void ClockedScoreboard::head(ScoreboardRequest& request) {
  Slice& slice = slice_of(request.warp);
  const std::uint32_t slot = slot_in(request.warp, request.group);
  Head& head = slice.heads[slot];
  ScoreboardPins& pins = slice.pins;
  if (head.instruction == request.instruction && head.mask == request.mask) {
    request.hazard = head.told;
    return;
  }
  const bool issues = pins.issued == slot;
  const bool is_other = head.instruction != nullptr;
  head = {
      .instruction = request.instruction, .mask = request.mask, .warp = request.warp, .group = request.group};
  request.hazard = Hazard::kLooking;
  if (is_other) {
    pins.drop |= bit(slot);
    if (issues) pins.next = {};
    return;
  }
  if (!issues || (pins.drop & bit(slot)) != 0) return;
  const bool waits =
      std::ranges::any_of(slice.reserves, [&](const Write& write) { return write.warp == slot / groups_; });
  if (waits) return;
  if (look_part(*request.instruction, request.mask, 0, read_ports_, pins.next) != 1) pins.next = {};
}

void ClockedScoreboard::gone(const ScoreboardRequest& request) {
  Slice& slice = slice_of(request.warp);
  const std::uint32_t slot = slot_in(request.warp, request.group);
  if (slice.heads[slot].instruction == nullptr) return;
  slice.heads[slot] = {};
  slice.pins.drop |= bit(slot);
  if (slice.pins.issued == slot) slice.pins.next = {};
}

void ClockedScoreboard::issued(const ScoreboardRequest& request) {
  Slice& slice = slice_of(request.warp);
  const std::uint32_t slot = slot_in(request.warp, request.group);
  slice.pins.issued = slot;
  slice.heads[slot] = {};
}

void ClockedScoreboard::step(ScoreboardRequest& request) {
  request.changed->insert(request.changed->end(), changed_.begin(), changed_.end());
  changed_.clear();
  request.busy = 0;
  for (std::uint32_t s = 0; s < slices_.size(); ++s) {
    const Slice& slice = slices_[s];
    if (slice.pins.reserve.valid || !slice.reserves.empty() || slice.releases[0].size() >= release_queue_ ||
        slice.releases[1].size() >= release_queue_)
      request.busy |= 1u << s;
  }
}

std::vector<PendingEntry> ClockedScoreboard::pending(WarpId warp) const {
  const Slice& slice = slices_[warp.value() % slices_.size()];
  std::vector<PendingEntry> all;
  for (const PendingEntry& entry : slice.unit->entries(warp_in(warp)))
    if (entry.reg != isa::kNoReg) all.push_back(entry);
  const auto add = [&](isa::RegId reg, LaneMask lanes, bool memory) {
    if (reg == isa::kNoReg) return;
    if (!masks_) lanes = LaneMask::all();
    for (PendingEntry& entry : all)
      if (entry.reg == reg) {
        entry.lanes |= lanes;
        entry.memory = entry.memory || memory;
        return;
      }
    all.push_back({reg, memory, lanes});
  };
  if (slice.pins.reserve.valid && slice.pins.reserve.warp == warp_in(warp))
    for (const isa::RegId reg : slice.pins.reserve.registers)
      add(reg, slice.pins.reserve.lanes, slice.pins.memory);
  for (const Write& waits : slice.reserves) {
    if (waits.warp != warp_in(warp)) continue;
    for (std::uint32_t i = waits.part * write_ports_; i < waits.registers.count; ++i)
      add(waits.registers.all[i], waits.lanes, waits.memory);
  }
  return all;
}

void ClockedScoreboard::check(ScoreboardRequest& request) {
  std::array<isa::RegId, ScoreboardPins::kMostRegisters> registers;
  const std::uint32_t count = registers_of(*request.instruction, registers);
  const std::vector<PendingEntry> set = pending(request.warp);
  std::uint32_t taken = static_cast<std::uint32_t>(set.size());
  request.hazard = Hazard::kNone;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto found = std::ranges::find(set, registers[i], &PendingEntry::reg);
    if (i < request.instruction->write_count && found == set.end()) ++taken;
    if (found == set.end() || (found->lanes & request.mask).none()) continue;
    if (found->memory)
      request.hazard = Hazard::kMemory;
    else if (request.hazard == Hazard::kNone)
      request.hazard = Hazard::kAlu;
  }
  if (request.hazard == Hazard::kNone && taken > entries_) request.hazard = Hazard::kFull;
}

void ClockedScoreboard::serve(ScoreboardRequest& request) {
  using Op = ScoreboardRequest::Op;
  if (request.op == Op::kCheck) return check(request);
  if (request.op == Op::kBegin) return begin_launch(request.cycle);
  advance(request.cycle);
  switch (request.op) {
    case Op::kReserve:
      put_reserve(slice_of(request.warp),
                  {warp_in(request.warp), request.mask, Destinations(*request.instruction),
                   by_memory(*request.instruction)});
      break;
    case Op::kRelease: {
      if (request.instruction->write_count == 0) break;
      const bool memory = by_memory(*request.instruction);
      slice_of(request.warp)
          .releases[memory ? 1 : 0]
          .push_back({warp_in(request.warp), request.mask, Destinations(*request.instruction), memory});
      break;
    }
    case Op::kClear:
      clear(request.warp);
      break;
    case Op::kHead:
      head(request);
      break;
    case Op::kGone:
      gone(request);
      break;
    case Op::kIssue:
      issued(request);
      break;
    case Op::kStep:
      step(request);
      break;
    case Op::kNext: {
      if (!changed_.empty() || std::ranges::any_of(slices_, active)) settled_ = request.cycle + kSettling;
      request.due = request.cycle < settled_ ? request.cycle + 1 : kNever;
      break;
    }
    case Op::kCheck:
    case Op::kBegin:
    case Op::kAdmit:
    case Op::kReadSources:
      break;
  }
}

void ClockedScoreboard::inspect(ScoreboardRequest& request) {
  for (const PendingEntry& entry : pending(request.warp))
    request.pending->push_back({entry.reg, entry.lanes});
  std::ranges::sort(*request.pending, {}, &PendingRegister::reg);
}

}  // namespace heddle::core
