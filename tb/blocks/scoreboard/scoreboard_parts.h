// The scoreboard's model behind the requests of its RTL's pins: the parts of instructions.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "core/issue/scoreboard.h"
#include "cosim/scoreboard_pins.h"

namespace heddle::cosim {

/// A register list's bits in Instruction::register_signature.
inline std::uint64_t signature_bit(isa::RegId reg) { return std::uint64_t{1} << (reg % 64); }

class ScoreboardPartsModel {
 public:
  ScoreboardPartsModel(const core::ScoreboardConfig& config, std::uint32_t warps)
      : model_(config, warps), slots_(warps, std::vector<isa::RegId>(config.entries_per_warp, isa::kNoReg)) {}

  void serve(ScoreboardPart& part) {
    part.count = model_.pending(part.warp);
    switch (part.op) {
      case ScoreboardPart::Op::kCheck:
        check(part);
        break;
      case ScoreboardPart::Op::kReserve:
        model_.reserve(part.warp, writer(part), part.lanes);
        take_slots(part);
        break;
      case ScoreboardPart::Op::kRelease:
        model_.release(part.warp, writer(part), part.lanes);
        free_slots(part.warp);
        break;
      case ScoreboardPart::Op::kClear:
        model_.clear(part.warp);
        free_slots(part.warp);
        break;
      case ScoreboardPart::Op::kRead: {
        const isa::RegId reg = slots_[part.warp.value()][part.slot];
        const core::ScoreboardModel::Entry* entry = find(part.warp, reg);
        part.taken = entry != nullptr;
        if (!part.taken) break;
        part.entry = {reg, entry->lanes};
        part.entry_memory = entry->memory;
        break;
      }
    }
  }

  [[nodiscard]] const core::ScoreboardModel& model() const { return model_; }
  [[nodiscard]] const core::ScoreboardModel::Entry* find(base::WarpId warp, isa::RegId reg) const {
    for (const auto& entry : model_.entries(warp))
      if (entry.reg == reg) return &entry;
    return nullptr;
  }
  /// The registers in the RTL's slots (it uses the lowest free ones); kNoReg: free.
  [[nodiscard]] const std::vector<isa::RegId>& slots(base::WarpId warp) const { return slots_[warp.value()]; }

 private:
  /// The model checks the parts of the instruction that have been seen so far.
  void check(ScoreboardPart& part) {
    if (!part.continued) {
      checked_ = {};
      checked_.register_signature = 0;
    }
    for (const auto& look : part.looks) {
      if (look.reg == isa::kNoReg) continue;
      checked_.register_signature |= signature_bit(look.reg);
      if (look.written)
        checked_.writes.at(checked_.write_count++) = look.reg;
      else
        checked_.reads.at(checked_.read_count++) = look.reg;
    }
    part.hazard = model_.check(part.warp, checked_, part.lanes);
  }
  static isa::Instruction writer(const ScoreboardPart& part) {
    isa::Instruction instruction;
    instruction.op = part.memory ? isa::Opcode::kLoad : isa::Opcode::kLane;
    for (const isa::RegId reg : part.destinations)
      if (reg != isa::kNoReg) instruction.writes.at(instruction.write_count++) = reg;
    return instruction;
  }
  void take_slots(const ScoreboardPart& part) {
    auto& slots = slots_[part.warp.value()];
    for (const isa::RegId reg : part.destinations)
      if (reg != isa::kNoReg && std::find(slots.begin(), slots.end(), reg) == slots.end())
        *std::find(slots.begin(), slots.end(), isa::kNoReg) = reg;
  }
  void free_slots(base::WarpId warp) {
    for (isa::RegId& reg : slots_[warp.value()])
      if (find(warp, reg) == nullptr) reg = isa::kNoReg;
  }

  core::ScoreboardModel model_;
  isa::Instruction checked_;
  std::vector<std::vector<isa::RegId>> slots_;
};

/// For LockstepBench.
struct ScoreboardPartsBlock {
  using Request = ScoreboardPart;
  using Model = ScoreboardPartsModel;
  struct Answer {
    core::Hazard hazard = core::Hazard::kNone;
    std::uint32_t count = 0;
    bool taken = false;
    bool memory = false;
    isa::RegId reg = 0;
    base::LaneMask lanes{};
    bool operator==(const Answer&) const = default;
  };
  static Answer answer_of(const Request& request) {
    Answer answer{.count = request.count};
    if (request.op == Request::Op::kCheck) answer.hazard = request.hazard;
    if (request.op != Request::Op::kRead || !request.taken) return answer;
    answer.taken = true;
    answer.memory = request.entry_memory;
    answer.reg = request.entry.reg;
    answer.lanes = request.entry.lanes;
    return answer;
  }
  static nlohmann::ordered_json show_request(const Request& request) {
    nlohmann::ordered_json looks = nlohmann::ordered_json::array();
    for (const auto& look : request.looks)
      if (look.reg != isa::kNoReg) looks.push_back({{"reg", look.reg}, {"written", look.written}});
    return {{"op", rtl::scoreboard::kOpNames[static_cast<unsigned>(request.op)]},
            {"warp", request.warp.value()},
            {"lanes", request.lanes.to_string()},
            {"looks", looks},
            {"continued", request.continued},
            {"destinations", request.destinations},
            {"memory", request.memory},
            {"slot", request.slot}};
  }
  static nlohmann::ordered_json show_answer(const Answer& answer) {
    return {{"hazard", core::kHazardNames[static_cast<unsigned>(answer.hazard)]},
            {"count", answer.count},
            {"taken", answer.taken},
            {"memory", answer.memory},
            {"register", answer.reg},
            {"lanes", answer.lanes.to_string()}};
  }
};

}  // namespace heddle::cosim
