#include "frontend/sass/lower/driver_calls.h"

#include "frontend/sass/driver_functions.h"
#include "isa/lane_ops.h"

namespace heddle::sass {
namespace {

constexpr unsigned kFirst = 4, kReturn = 20;
constexpr std::uint32_t kLongestStall = 15;

class DriverCode {
 public:
  DriverCode(KernelRows& rows, isa::Kernel& kernel, std::uint32_t line)
      : rows_(rows), kernel_(kernel), line_(line), end_(kernel.code.size() + kDriverInstructions) {}

  /// The pair of registers in one row.
  isa::Operand joined(unsigned first, unsigned wide) {
    isa::Instruction& out = lane(isa::LaneOp::kPack2x32);
    out.src[0] = rows_.general(first);
    out.src[1] = rows_.general(first + 1);
    out.dst[0] = rows_.wide(wide);
    return out.dst[0];
  }
  void part(isa::Operand of, unsigned to, isa::LaneOp op) {
    isa::Instruction& out = lane(op);
    out.src[0] = of;
    out.dst[0] = rows_.general(to);
  }
  /// What this thread has stored has reached memory.
  void fence() {
    isa::Instruction& out = control(isa::Opcode::kFence);
    out.scope = isa::MemoryScope::kGpu;
    out.fence_order = isa::FenceOrder::kRelease;
  }
  isa::Instruction& control(isa::Opcode op) {
    isa::Instruction& out = add();
    out.op = op;
    out.unit = isa::Unit::kControl;
    out.latency_class = isa::LatencyClass::kControl;
    out.stops_fetch = true;
    out.transfer = isa::transfer_of(op);
    return out;
  }
  void give_back() {
    while (kernel_.code.size() + 1 < end_) add().op = isa::Opcode::kNop;
    isa::Instruction& out = control(isa::Opcode::kReturn);
    out.target_is_address = true;
    out.target_is_pair = true;
    out.src[0] = rows_.general(kReturn);
    out.src[1] = rows_.general(kReturn + 1);
  }

 private:
  isa::Instruction& add() {
    isa::Instruction& out = kernel_.code.emplace_back();
    out.where.line = line_;
    // Where control codes decide, each waits for what is on its way.
    out.codes.stall = kLongestStall;
    out.codes.wait_mask = (1u << isa::ControlCodes::kCounters) - 1;
    return out;
  }
  isa::Instruction& lane(isa::LaneOp op) {
    isa::Instruction& out = add();
    out.op = isa::Opcode::kLane;
    out.lane_fn = isa::find_lane_fn({.op = op, .type = isa::Type::kB64});
    return out;
  }

  KernelRows& rows_;
  isa::Kernel& kernel_;
  std::uint32_t line_;
  std::size_t end_;
};

}  // namespace

void append_driver_function(std::size_t function, KernelRows& rows, isa::Kernel& kernel, std::uint32_t line) {
  DriverCode code(rows, kernel, line);
  const isa::Operand first = code.joined(kFirst, 0);
  switch (function) {
    case 0: {  // vprintf: format, arguments
      const isa::Operand arguments = code.joined(kFirst + 2, 1);
      code.fence();
      isa::Instruction& print = code.control(isa::Opcode::kPrint);
      print.src[0] = first;
      print.src[1] = arguments;
      print.dst[0] = rows.general(kFirst);
      break;
    }
    case 1: {  // malloc
      isa::Instruction& allocate = code.control(isa::Opcode::kHeapAllocate);
      allocate.src[0] = first;
      const isa::Operand block = rows.wide(1);
      allocate.dst[0] = block;
      code.part(block, kFirst, isa::LaneOp::kUnpack2x32Lo);
      code.part(block, kFirst + 1, isa::LaneOp::kUnpack2x32Hi);
      break;
    }
    case 2:  // free
      code.fence();
      code.control(isa::Opcode::kHeapFree).src[0] = first;
      break;
    default: {  // __assertfail: message, file, line, function, size of a character
      const isa::Operand file = code.joined(kFirst + 2, 1), name = code.joined(kFirst + 6, 2);
      code.fence();
      isa::Instruction& fail = code.control(isa::Opcode::kAssertFail);
      fail.src[0] = first;
      fail.src[1] = file;
      fail.src[2] = rows.general(kFirst + 4);
      fail.src[3] = name;
    }
  }
  code.give_back();
}

}  // namespace heddle::sass
