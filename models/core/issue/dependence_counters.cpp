#include "core/issue/dependence_counters.h"

#include <algorithm>
#include <bit>

#include "core/issue/counted_cycles.h"

namespace heddle::core {
namespace {

constexpr Cycle kVisibleAfter = 2;

bool is_memory(const isa::Instruction& instruction) { return instruction.unit == isa::Unit::kMemory; }

bool is_barrier_move(const isa::Instruction& instruction) {
  using Op = isa::ConvergenceOp;
  return instruction.op == isa::Opcode::kConvergence &&
         (instruction.convergence == Op::kRead || instruction.convergence == Op::kReadClear ||
          instruction.convergence == Op::kWrite);
}

}  // namespace

DependenceCountersModel::DependenceCountersModel(const ScoreboardConfig& config, std::uint32_t warps,
                                                 HazardLog* log)
    : operand_read_cycles_(config.operand_read_cycles),
      barrier_move_cycles_(config.barrier_move_cycles),
      log_(config.check_hazards ? log : nullptr),
      warps_(warps) {}

// ---- Counters

void DependenceCountersModel::settle(Warp& warp, Cycle cycle) {
  std::erase_if(warp.unseen, [cycle](const Event& raised) { return raised.at <= cycle; });
  for (const Event& read : warp.reads)
    if (read.at <= cycle) --warp.counters[read.counter];
  std::erase_if(warp.reads, [cycle](const Event& read) { return read.at <= cycle; });
}

unsigned DependenceCountersModel::visible(const Warp& warp, unsigned counter) {
  unsigned unseen = 0;
  for (const Event& raised : warp.unseen) unseen += raised.counter == counter ? 1 : 0;
  return std::max<unsigned>(warp.counters[counter], unseen) - unseen;
}

std::uint8_t DependenceCountersModel::blocking(const Warp& warp, const Codes& codes) {
  for (unsigned waits = codes.wait_mask; waits != 0; waits &= waits - 1) {
    const auto counter = static_cast<std::uint8_t>(std::countr_zero(waits));
    if (visible(warp, counter) != 0) return counter;
  }
  if (codes.counted != Codes::kNone && visible(warp, codes.counted) > codes.at_most) return codes.counted;
  return Codes::kNone;
}

void DependenceCountersModel::note_wait(Warp& warp, std::uint8_t counter, Cycle cycle) {
  if (warp.waits_for != Codes::kNone && cycle > warp.waits_since)
    wait_cycles_[warp.waits_for] += cycle - warp.waits_since;
  warp.waits_for = counter;
  warp.waits_since = cycle;
}

void DependenceCountersModel::check(ScoreboardRequest& request) {
  Warp& warp = warps_[request.warp.value()];
  const Codes& codes = request.instruction->codes;
  request.hazard = Hazard::kNone;
  request.due = kNever;
  settle(warp, request.cycle);
  if (request.cycle < warp.issues_from) {
    request.hazard = Hazard::kStallCount;
    request.due = warp.issues_from;
    return;
  }
  // An indexed ULDC has no counter: on the hardware it issues when the constant cache has the word.
  for (const Load& load : warp.loads)
    if (load.by->codes.pipe == isa::CodePipe::kUniformMove && !load.done) {
      request.hazard = Hazard::kMemory;
      return;
    }
  const std::uint8_t counter = blocking(warp, codes);
  note_wait(warp, counter, request.cycle);
  if (counter != Codes::kNone) {
    request.hazard = warp.of_memory[counter] != 0 ? Hazard::kMemory : Hazard::kAlu;
    for (const Event& read : warp.reads)
      if (read.counter == counter) request.due = std::min(request.due, read.at);
    return;
  }
  for (const unsigned raised : {+codes.write_barrier, +codes.read_barrier})
    if (raised != Codes::kNone && warp.counters[raised] == kMost) {
      request.hazard = Hazard::kFull;
      for (const Event& read : warp.reads)
        if (read.counter == raised) request.due = std::min(request.due, read.at);
      return;
    }
  if (log_ != nullptr) find_hazard(warp, request);
}

void DependenceCountersModel::stall(Warp& warp, const Codes& codes, Cycle cycle) {
  const Cycle least = codes.yield ? 2 : 1;
  warp.issued = cycle;
  warp.issues_from = cycle + std::max<Cycle>(codes.stall, least);
}

void DependenceCountersModel::issue(const ScoreboardRequest& request) {
  Warp& warp = warps_[request.warp.value()];
  note_wait(warp, Codes::kNone, request.cycle);
  warp.reported = false;
  stall(warp, request.instruction->codes, request.cycle);
  if (barrier_move_cycles_ != 0 && is_barrier_move(*request.instruction))
    move_barrier(warp, request.instruction->codes, request.cycle);
}

void DependenceCountersModel::move_barrier(Warp& warp, const Codes& codes, Cycle cycle) const {
  settle(warp, cycle);
  for (const unsigned raised : {+codes.write_barrier, +codes.read_barrier}) {
    if (raised == Codes::kNone) continue;
    const auto counter = static_cast<std::uint8_t>(raised);
    ++warp.counters[counter];
    warp.unseen.push_back({counter, cycle + kVisibleAfter});
    warp.reads.push_back({counter, cycle + barrier_move_cycles_});
  }
}

void DependenceCountersModel::reserve(const ScoreboardRequest& request) {
  Warp& warp = warps_[request.warp.value()];
  const isa::Instruction& instruction = *request.instruction;
  const Codes& codes = instruction.codes;
  settle(warp, request.cycle);
  // Lanes that have met execute later than they issued: what follows counts from there, and does not slip by.
  const bool late = warp.issued != request.cycle;
  if (late) stall(warp, codes, request.cycle);
  const auto raise = [&](std::uint8_t counter) {
    ++warp.counters[counter];
    if (!late) warp.unseen.push_back({counter, request.cycle + kVisibleAfter});
  };
  // What has no destination (a load to RZ) has nothing to wait for.
  if (codes.write_barrier != Codes::kNone && instruction.write_count != 0) {
    raise(codes.write_barrier);
    if (is_memory(instruction)) ++warp.of_memory[codes.write_barrier];
  }
  if (is_memory(instruction) && instruction.write_count != 0)
    warp.loads.push_back({&instruction, request.mask, false});
  if (codes.read_barrier != Codes::kNone) raise(codes.read_barrier);
  if (log_ == nullptr) return;
  const bool counted = is_counted(instruction);
  for (unsigned i = 0; i < instruction.write_count; ++i)
    warp.writes.push_back({instruction.writes[i], request.mask, &instruction, request.cycle, counted});
}

void DependenceCountersModel::read_sources(const ScoreboardRequest& request) {
  Warp& warp = warps_[request.warp.value()];
  const isa::Instruction& instruction = *request.instruction;
  const std::uint8_t counter = instruction.codes.read_barrier;
  if (counter == Codes::kNone) return;
  const Cycle at = request.cycle + operand_read_cycles_;
  warp.reads.push_back({counter, at});
  if (log_ == nullptr) return;
  for (unsigned i = 0; i < instruction.read_count; ++i)
    if (!is_guard(instruction, instruction.reads[i]))  // read at issue
      warp.sources.push_back({instruction.reads[i], request.mask, &instruction, warp.issued, at});
}

void DependenceCountersModel::lower_in_order(Warp& warp) {
  bool covers = false;  // one without a counter is out, and those behind it stand for it
  unsigned counted_out =
      0;  // a bit for each counter of those that are out: they go down in order, for DEPBAR.LE
  auto kept = warp.loads.begin();
  for (const Load& load : warp.loads) {
    const std::uint8_t counter = load.by->codes.write_barrier;
    const bool counted = counter != Codes::kNone;
    if (!load.done || (counted && (covers || (counted_out >> counter & 1u) != 0))) {
      covers = covers || !counted;
      if (counted) counted_out |= 1u << counter;
      *kept++ = load;
    } else if (counted) {
      --warp.counters[counter];
      --warp.of_memory[counter];
    }
  }
  warp.loads.erase(kept, warp.loads.end());
}

void DependenceCountersModel::release(const ScoreboardRequest& request) {
  Warp& warp = warps_[request.warp.value()];
  const isa::Instruction& instruction = *request.instruction;
  const std::uint8_t counter = instruction.codes.write_barrier;
  if (is_memory(instruction)) {
    const auto oldest = std::find_if(warp.loads.begin(), warp.loads.end(), [&](const Load& load) {
      return !load.done && load.by == &instruction && load.lanes == request.mask;
    });
    if (oldest != warp.loads.end()) oldest->done = true;
    lower_in_order(warp);
  } else if (counter != Codes::kNone && instruction.write_count != 0) {
    --warp.counters[counter];
  }
  if (log_ == nullptr) return;
  for (unsigned i = 0; i < instruction.write_count; ++i) {
    const auto oldest = std::find_if(warp.writes.begin(), warp.writes.end(), [&](const Write& write) {
      return !write.counted && write.by == &instruction && write.reg == instruction.writes[i] &&
             write.lanes == request.mask;
    });
    if (oldest != warp.writes.end()) warp.writes.erase(oldest);
  }
}

// ---- Hazards

const DependenceCountersModel::Write* DependenceCountersModel::old_value(
    const Warp& warp, const ScoreboardRequest& request) const {
  const isa::Instruction& instruction = *request.instruction;
  const auto reads_end = instruction.reads.begin() + instruction.read_count;
  for (const Write& write : warp.writes) {
    if (std::find(instruction.reads.begin(), reads_end, write.reg) == reads_end ||
        (write.counted && write.issued + counted_cycles(*write.by, write.reg, instruction) <= request.cycle))
      continue;
    const LaneMask lanes = is_guard(instruction, write.reg) ? request.mask : request.exec;
    if ((write.lanes & lanes).any()) return &write;
  }
  return nullptr;
}

void DependenceCountersModel::find_hazard(Warp& warp, ScoreboardRequest& request) {
  const isa::Instruction& instruction = *request.instruction;
  const Cycle now = request.cycle;
  std::erase_if(warp.writes,
                [now](const Write& write) { return write.counted && write.issued + kMostCounted <= now; });
  std::erase_if(warp.sources, [now](const Read& read) { return read.at <= now; });
  CodeHazard found{.late = &instruction, .distance = 0};
  if (const Write* const write = old_value(warp, request)) {
    const Cycle needed = write->counted ? counted_cycles(*write->by, write->reg, instruction) : 0;
    if (write->counted) request.due = write->issued + needed;
    found = {HazardKind::kReadAfterWrite, &instruction, write->by, write->reg, now - write->issued, needed};
    request.hazard = is_memory(*write->by) ? Hazard::kMemory : Hazard::kAlu;
  }
  const Cycle takes = is_counted(instruction) ? written_cycles(instruction) : 0;  // 0: no known time
  const bool may_be_unread = takes != 0 && !writes_uniform(instruction);
  for (unsigned i = 0; i < instruction.write_count && request.hazard == Hazard::kNone; ++i) {
    const isa::RegId reg = instruction.writes[i];
    for (const Write& write : warp.writes) {
      if (write.reg != reg || (write.lanes & request.exec).none()) continue;
      // What has no known time gives its values in the order of issue, and later than what has one: loads and atomics, and the rest.
      const Cycle written = write.counted ? write.issued + written_cycles(*write.by) : kNever;
      if (write.counted ? takes == 0 || written < now + takes
                        : takes == 0 && is_memory(instruction) == is_memory(*write.by))
        continue;
      found = {HazardKind::kWriteAfterWrite,
               &instruction,
               write.by,
               reg,
               now - write.issued,
               write.counted ? written + 1 - takes - write.issued : 0};
      request.due = write.counted ? written + 1 - takes : kNever;
      request.hazard = is_memory(*write.by) ? Hazard::kMemory : Hazard::kAlu;
      break;
    }
    for (const Read& read : warp.sources) {
      if (request.hazard != Hazard::kNone) break;
      if (read.reg != reg || (read.lanes & request.exec).none() || !may_be_unread || read.at <= now + takes)
        continue;
      found = {HazardKind::kWriteAfterRead,  &instruction, read.by, reg, now - read.issued,
               read.at - read.issued - takes};
      request.due = read.at - takes;
      request.hazard = Hazard::kAlu;
    }
  }
  if (request.hazard == Hazard::kNone || warp.reported) return;
  warp.reported = true;
  ++hazards_;
  log_->add(found);
}

// ---- Requests

void DependenceCountersModel::serve(ScoreboardRequest& request) {
  switch (request.op) {
    case ScoreboardRequest::Op::kCheck:
      return check(request);
    case ScoreboardRequest::Op::kIssue:
      return issue(request);
    case ScoreboardRequest::Op::kReserve:
      return reserve(request);
    case ScoreboardRequest::Op::kReadSources:
      return read_sources(request);
    case ScoreboardRequest::Op::kRelease:
      return release(request);
    case ScoreboardRequest::Op::kClear:
      warps_[request.warp.value()] = {};
      return;
    case ScoreboardRequest::Op::kAdmit:
      request.hazard = Hazard::kNone;
      return;
    case ScoreboardRequest::Op::kBegin:  // of a clocked scoreboard
    case ScoreboardRequest::Op::kHead:
    case ScoreboardRequest::Op::kGone:
    case ScoreboardRequest::Op::kStep:
    case ScoreboardRequest::Op::kNext:
      return;
  }
}

void DependenceCountersModel::inspect(ScoreboardRequest& request) const {
  const Warp& warp = warps_[request.warp.value()];
  for (unsigned i = 0; i < Codes::kCounters; ++i)
    if (warp.counters[i] != 0) request.counters->push_back({i, warp.counters[i]});
}

DependenceCounters::DependenceCounters(const sc_core::sc_module_name& name, const CoreConfig& config,
                                       base::StatGroup& stats, HazardLog* log)
    : sc_module(name), model_(config.scoreboard, config.occupancy.max_warps, log) {
  // Not "checks": that is an access to the array of a scoreboard, which takes energy.
  stats.counter(
      "code_checks", "checks",
      "instructions looked up (on arrival in the I-buffer, when the stall count has passed, and on every "
      "write-back of their warp)",
      &checks_);
  stats.counter("full", "checks", "checks that failed only because a dependence counter was at its most",
                &full_);
  stats.counters("barrier_wait_cycles", "warp-cycles",
                 "cycles in which a warp's next instruction waited for this dependence counter",
                 {"sb0", "sb1", "sb2", "sb3", "sb4", "sb5"}, model_.wait_cycles());
  stats.counter(
      "hazards", "warp-instructions",
      "instructions that the control codes would have let issue before a value was there; 0 without "
      "core.scoreboard.check_hazards",
      &model_.hazards());
}

void DependenceCounters::serve(ScoreboardRequest& request) {
  model_.serve(request);
  if (request.op != ScoreboardRequest::Op::kCheck) return;
  ++checks_;
  if (request.hazard == Hazard::kFull) ++full_;
}

}  // namespace heddle::core
