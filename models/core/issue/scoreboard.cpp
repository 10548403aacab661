#include "core/issue/scoreboard.h"

#include <algorithm>

#include "core/issue/scoreboard_unit.h"
#include "sim/twin_difference.h"

namespace heddle::core {

ScoreboardModel::ScoreboardModel(const ScoreboardConfig& config, std::uint32_t warps)
    : masks_(config.kind == ScoreboardKind::kPerThreadMask), warps_(warps) {
  for (Set& set : warps_) set.entries.resize(config.entries_per_warp);
}

const ScoreboardModel::Entry* ScoreboardModel::find(const Set& set, isa::RegId reg) {
  for (std::uint32_t i = 0; i < set.count; ++i)
    if (set.entries[i].reg == reg) return &set.entries[i];
  return nullptr;
}

LaneMask ScoreboardModel::pending_lanes(WarpId warp, isa::RegId reg) const {
  const Entry* entry = find(warps_[warp.value()], reg);
  return entry == nullptr ? LaneMask{} : entry->lanes;
}

std::uint32_t ScoreboardModel::new_entries(const Set& set, const isa::Instruction& instruction) const {
  if (!masks_) return instruction.write_count;
  std::uint32_t count = 0;  // a register pending for other lanes has its entry already
  for (unsigned i = 0; i < instruction.write_count; ++i)
    if (find(set, instruction.writes[i]) == nullptr) ++count;
  return count;
}

Hazard ScoreboardModel::check(WarpId warp, const isa::Instruction& instruction, LaneMask lanes) const {
  const Set& set = warps_[warp.value()];
  if (set.count == 0) return Hazard::kNone;
  Hazard hazard = Hazard::kNone;
  if ((set.signature & instruction.register_signature) == 0)
    return set.count + instruction.write_count > set.entries.size() ? Hazard::kFull : Hazard::kNone;
  const auto look_at = [&](isa::RegId reg) {
    const Entry* entry = find(set, reg);
    if (entry == nullptr || (entry->lanes & lanes).none()) return;
    if (entry->memory)
      hazard = Hazard::kMemory;
    else if (hazard == Hazard::kNone)
      hazard = Hazard::kAlu;
  };
  for (unsigned i = 0; i < instruction.read_count; ++i) look_at(instruction.reads[i]);
  for (unsigned i = 0; i < instruction.write_count; ++i) look_at(instruction.writes[i]);
  if (hazard == Hazard::kNone && set.count + new_entries(set, instruction) > set.entries.size())
    return Hazard::kFull;
  return hazard;
}

void ScoreboardModel::reserve(WarpId warp, const isa::Instruction& instruction, LaneMask lanes) {
  Set& set = warps_[warp.value()];
  const bool memory = by_memory(instruction);
  if (!masks_) {
    Entry* entry = set.entries.data() + set.count;
    for (unsigned i = 0; i < instruction.write_count; ++i) {
      set.signature |= std::uint64_t{1} << (instruction.writes[i] % 64);
      *entry++ = {instruction.writes[i], memory, LaneMask::all()};
    }
    set.count += instruction.write_count;
    return;
  }
  for (unsigned i = 0; i < instruction.write_count; ++i) {
    const isa::RegId reg = instruction.writes[i];
    set.signature |= std::uint64_t{1} << (reg % 64);
    const Entry* found = find(set, reg);
    if (found == nullptr) {
      set.entries[set.count++] = {reg, memory, lanes};
      continue;
    }
    Entry& entry = set.entries[static_cast<std::size_t>(found - set.entries.data())];
    entry.lanes |= lanes;
    entry.memory = entry.memory || memory;
  }
}

void ScoreboardModel::release(WarpId warp, const isa::Instruction& instruction, LaneMask lanes) {
  Set& set = warps_[warp.value()];
  for (unsigned w = 0; w < instruction.write_count; ++w)
    for (std::uint32_t i = 0; i < set.count; ++i) {
      Entry& entry = set.entries[i];
      if (entry.reg != instruction.writes[w]) continue;
      if (masks_) entry.lanes = LaneMask::difference(entry.lanes, lanes);
      if (!masks_ || entry.lanes.none()) entry = set.entries[--set.count];
      break;
    }
  set.signature = 0;
  for (std::uint32_t i = 0; i < set.count; ++i)
    set.signature |= std::uint64_t{1} << (set.entries[i].reg % 64);
}

void ScoreboardModel::serve(ScoreboardRequest& request) {
  switch (request.op) {
    case ScoreboardRequest::Op::kCheck:
      request.hazard = check(request.warp, *request.instruction, request.mask);
      break;
    case ScoreboardRequest::Op::kReserve:
      reserve(request.warp, *request.instruction, request.mask);
      break;
    case ScoreboardRequest::Op::kRelease:
      release(request.warp, *request.instruction, request.mask);
      break;
    case ScoreboardRequest::Op::kClear:
      clear(request.warp);
      break;
    case ScoreboardRequest::Op::kAdmit:
    case ScoreboardRequest::Op::kIssue:        // of dependence counters
    case ScoreboardRequest::Op::kReadSources:  // the same: operands are read at issue
    case ScoreboardRequest::Op::kBegin:        // of a clocked scoreboard
    case ScoreboardRequest::Op::kHead:
    case ScoreboardRequest::Op::kGone:
    case ScoreboardRequest::Op::kStep:
    case ScoreboardRequest::Op::kNext:
      break;
  }
}

void ScoreboardModel::inspect(ScoreboardRequest& request) const {
  for (const Entry& entry : entries(request.warp)) request.pending->push_back({entry.reg, entry.lanes});
  std::sort(request.pending->begin(), request.pending->end(),
            [](const PendingRegister& left, const PendingRegister& right) { return left.reg < right.reg; });
}

Scoreboard::Scoreboard(const sc_core::sc_module_name& name, const ScoreboardConfig& config,
                       std::uint32_t warps, base::StatGroup& stats, sim::Twins* twins)
    : sc_module(name),
      block_(config.impl, twins, {warps, config}, this->name(), ScoreboardModel(config, warps)),
      ports_(config.resolved_read_ports(), config.resolved_write_ports()),
      limits_ports_(config.limits_ports()) {
  model_ = limits_ports_ ? nullptr : block_.only_model();
  stats.counter("checks", "checks",
                "instructions looked up (on arrival in the I-buffer and on every write-back of their warp)",
                &checks_);
  stats.counter("full", "checks", "checks that failed only for want of a free entry", &full_);
  stats.counter("port_reads", "registers", "look-ups of instructions that issued; 0 without a limit of ports",
                &ports_.reads());
  stats.counter("port_writes", "registers", "reservations and releases; 0 without a limit of ports",
                &ports_.writes());
}

void Scoreboard::admit(ScoreboardRequest& request) {
  const PortNeed need = port_need(*request.instruction);
  if (ports_.admits(need, request.cycle)) {
    ports_.take(need, request.cycle);
    request.hazard = Hazard::kNone;
    return;
  }
  request.hazard = Hazard::kPorts;
  if (request.refused_before) ports_.keep(request.cycle);
}

void Scoreboard::serve(ScoreboardRequest& request) {
  if (model_ == nullptr) return serve_any(request);
  switch (request.op) {
    case ScoreboardRequest::Op::kCheck:
      return check(request);
    case ScoreboardRequest::Op::kReserve:
      return reserve(request);
    case ScoreboardRequest::Op::kRelease:
      return release(request);
    default:
      return serve_any(request);
  }
}

void Scoreboard::check(ScoreboardRequest& request) {
  ++checks_;
  request.hazard = model_->check(request.warp, *request.instruction, request.mask);
  if (request.hazard == Hazard::kFull) ++full_;
}

void Scoreboard::reserve(ScoreboardRequest& request) {
  model_->reserve(request.warp, *request.instruction, request.mask);
}

void Scoreboard::release(ScoreboardRequest& request) {
  model_->release(request.warp, *request.instruction, request.mask);
}

void Scoreboard::serve_any(ScoreboardRequest& request) {
  if (limits_ports_) {
    if (request.op == ScoreboardRequest::Op::kAdmit) {
      admit(request);
      return;
    }
    if (request.op == ScoreboardRequest::Op::kRelease)
      ports_.release(request.instruction->write_count, request.cycle);
  }
  block_.serve(request);
  if (request.op != ScoreboardRequest::Op::kCheck) return;
  ++checks_;
  if (request.hazard == Hazard::kFull) ++full_;
}

// ---- Beside its twin

nlohmann::ordered_json ScoreboardBlock::show_request(const Request& request) {
  nlohmann::ordered_json json{{"op", Request::kOpNames[static_cast<unsigned>(request.op)]},
                              {"warp", request.warp.value()}};
  if (request.instruction == nullptr) return json;
  const isa::Instruction& instruction = *request.instruction;
  json["mask"] = request.mask.to_string();
  json["reads"] = nlohmann::ordered_json::array();
  for (unsigned i = 0; i < instruction.read_count; ++i) json["reads"].push_back(instruction.reads[i]);
  json["writes"] = nlohmann::ordered_json::array();
  for (unsigned i = 0; i < instruction.write_count; ++i) json["writes"].push_back(instruction.writes[i]);
  return json;
}

nlohmann::ordered_json ScoreboardBlock::show_answer(Answer answer) {
  return {{"hazard", kHazardNames[static_cast<unsigned>(answer)]}};
}

nlohmann::ordered_json ScoreboardBlock::show_tables(const Request& of,
                                                    const std::function<void(Request&)>& inspect) {
  std::vector<PendingRegister> pending;
  Request request{.warp = of.warp, .pending = &pending};
  inspect(request);
  nlohmann::ordered_json registers = nlohmann::ordered_json::array();
  for (const PendingRegister& each : pending)
    registers.push_back({{"register", each.reg}, {"lanes", each.lanes.to_string()}});
  return registers;
}

}  // namespace heddle::core

template void heddle::sim::Twinned<heddle::core::ScoreboardBlock>::serve_both(
    heddle::core::ScoreboardRequest&);
