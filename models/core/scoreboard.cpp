#include "core/scoreboard.h"

namespace heddle::core {

ScoreboardModel::ScoreboardModel(const ScoreboardConfig& config, std::uint32_t warps) : warps_(warps) {
  for (Set& set : warps_) set.entries.resize(config.entries_per_warp);
}

const ScoreboardModel::Entry* ScoreboardModel::find(const Set& set, isa::RegId reg) {
  for (std::uint32_t i = 0; i < set.count; ++i)
    if (set.entries[i].reg == reg) return &set.entries[i];
  return nullptr;
}

Hazard ScoreboardModel::check(WarpId warp, const isa::Instruction& instruction) const {
  const Set& set = warps_[warp.value()];
  if (set.count == 0) return Hazard::kNone;
  Hazard hazard = Hazard::kNone;
  if ((set.signature & instruction.register_signature) == 0)
    return set.count + instruction.write_count > set.entries.size() ? Hazard::kFull : Hazard::kNone;
  const auto look_at = [&](isa::RegId reg) {
    const Entry* entry = find(set, reg);
    if (entry == nullptr) return;
    if (entry->memory)
      hazard = Hazard::kMemory;
    else if (hazard == Hazard::kNone)
      hazard = Hazard::kAlu;
  };
  for (unsigned i = 0; i < instruction.read_count; ++i) look_at(instruction.reads[i]);
  for (unsigned i = 0; i < instruction.write_count; ++i) look_at(instruction.writes[i]);
  if (hazard == Hazard::kNone && set.count + instruction.write_count > set.entries.size())
    return Hazard::kFull;
  return hazard;
}

void ScoreboardModel::reserve(WarpId warp, const isa::Instruction& instruction) {
  Set& set = warps_[warp.value()];
  const bool memory = instruction.op == isa::Opcode::kLoad || instruction.op == isa::Opcode::kAtomic;
  Entry* entry = set.entries.data() + set.count;
  for (unsigned i = 0; i < instruction.write_count; ++i) {
    set.signature |= std::uint64_t{1} << (instruction.writes[i] % 64);
    *entry++ = {instruction.writes[i], memory};
  }
  set.count += instruction.write_count;
}

void ScoreboardModel::release(WarpId warp, const isa::Instruction& instruction) {
  Set& set = warps_[warp.value()];
  for (unsigned w = 0; w < instruction.write_count; ++w)
    for (std::uint32_t i = 0; i < set.count; ++i)
      if (set.entries[i].reg == instruction.writes[w]) {
        set.entries[i] = set.entries[--set.count];
        break;
      }
  set.signature = 0;
  for (std::uint32_t i = 0; i < set.count; ++i)
    set.signature |= std::uint64_t{1} << (set.entries[i].reg % 64);
}

Scoreboard::Scoreboard(const sc_core::sc_module_name& name, const ScoreboardConfig& config,
                       std::uint32_t warps, sim::StatGroup& stats)
    : sc_module(name), model_(config, warps) {
  stats.counter("checks", "checks",
                "instructions looked up (on arrival in the I-buffer and on every write-back of their warp)",
                &checks_);
  stats.counter("full", "checks", "checks that failed only for want of a free entry", &full_);
}

void Scoreboard::serve(ScoreboardRequest& request) {
  switch (request.op) {
    case ScoreboardRequest::Op::kCheck:
      ++checks_;
      request.hazard = model_.check(request.warp, *request.instruction);
      if (request.hazard == Hazard::kFull) ++full_;
      break;
    case ScoreboardRequest::Op::kReserve:
      model_.reserve(request.warp, *request.instruction);
      break;
    case ScoreboardRequest::Op::kRelease:
      model_.release(request.warp, *request.instruction);
      break;
    case ScoreboardRequest::Op::kClear:
      model_.clear(request.warp);
      break;
  }
}

}  // namespace heddle::core
