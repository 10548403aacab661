// The dependence counters of a few warps, and instructions with control codes for them.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/issue/dependence_counters.h"
#include "unit/core/instruction.h"

namespace heddle::core {

/// Requests are of one warp. Instructions live in a kernel, as the log wants them.
class CodedWarp {
 public:
  using Op = ScoreboardRequest::Op;
  static constexpr WarpId kWarp{1};

  explicit CodedWarp(bool check = false, std::uint8_t barrier_move_cycles = 0) {
    config_.kind = ScoreboardKind::kControlCodes;
    config_.barrier_move_cycles = barrier_move_cycles;
    config_.check_hazards = check;
    model_ = std::make_unique<DependenceCountersModel>(config_, 4, &log_);
    kernel_->name = "k";
    kernel_->instruction_bytes = 16;
    for (int i = 0; i < 10; ++i) kernel_->register_names.push_back("R" + std::to_string(i));
    kernel_->code.reserve(100);  // pointers to instructions stay
    log_.begin_launch(kernel_);
  }
  /// Of the ALU of sm_90, unless the codes or the operation say otherwise.
  const isa::Instruction& word(std::initializer_list<isa::RegId> reads,
                               std::initializer_list<isa::RegId> writes, isa::ControlCodes codes,
                               isa::Opcode op = isa::Opcode::kLane) {
    isa::Instruction made = instruction(reads, writes, op);
    made.codes = codes;
    made.unit =
        op == isa::Opcode::kLane || op == isa::Opcode::kWarpSync ? isa::Unit::kSp : isa::Unit::kMemory;
    if (made.codes.pipe == isa::CodePipe::kNone)
      made.codes.pipe = made.unit == isa::Unit::kMemory ? isa::CodePipe::kMemory : isa::CodePipe::kAlu;
    return kernel_->code.emplace_back(made);
  }
  isa::Instruction& change_last() { return kernel_->code.back(); }

  ScoreboardRequest check(const isa::Instruction& instruction, Cycle cycle, LaneMask exec = LaneMask::all()) {
    ScoreboardRequest request{.op = Op::kCheck,
                              .warp = kWarp,
                              .mask = LaneMask::all(),
                              .instruction = &instruction,
                              .exec = exec,
                              .cycle = cycle};
    model_->serve(request);
    return request;
  }
  bool may(const isa::Instruction& instruction, Cycle cycle) {
    return check(instruction, cycle).hazard == Hazard::kNone;
  }
  /// It issues, enters its pipe and has its operands.
  void issue(const isa::Instruction& instruction, Cycle cycle, LaneMask exec = LaneMask::all()) {
    tell(Op::kIssue, instruction, cycle, LaneMask::all());
    execute(instruction, cycle, exec);
  }
  void execute(const isa::Instruction& instruction, Cycle cycle, LaneMask exec = LaneMask::all()) {
    tell(Op::kReserve, instruction, cycle, exec);
    tell(Op::kReadSources, instruction, cycle, exec);
  }
  void release(const isa::Instruction& instruction, LaneMask exec = LaneMask::all()) {
    tell(Op::kRelease, instruction, 0, exec);
  }
  void tell(Op op, const isa::Instruction& instruction, Cycle cycle, LaneMask lanes = LaneMask::all()) {
    ScoreboardRequest request{
        .op = op, .warp = kWarp, .mask = lanes, .instruction = &instruction, .cycle = cycle};
    model_->serve(request);
  }
  /// First cycle from `from` on in which it may issue.
  Cycle first(const isa::Instruction& instruction, Cycle from) {
    while (!may(instruction, from)) ++from;
    return from;
  }
  [[nodiscard]] std::vector<HazardLog::Entry> hazards() const { return log_.entries(); }
  [[nodiscard]] const HazardLog& log() const { return log_; }
  [[nodiscard]] const DependenceCountersModel& model() const { return *model_; }

 private:
  ScoreboardConfig config_;
  HazardLog log_;
  std::shared_ptr<isa::Kernel> kernel_ = std::make_shared<isa::Kernel>();
  std::unique_ptr<DependenceCountersModel> model_;
};

}  // namespace heddle::core
