// A call: arguments into the callee's rows, the call, results out of them; functions provided by the device.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/ptx/decode/call_params.h"
#include "frontend/ptx/decode/emit.h"
#include "frontend/ptx/decode/forms.h"
#include "frontend/ptx/decode/operands.h"
#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {
namespace {

using isa::LaneOp;
using isa::Opcode;
using isa::RowWidth;

/// An argument or result of a call.
struct Actual {
  const VariableSymbol* variable = nullptr;  ///< a .param variable; else a register or a number
  const Operand* operand = nullptr;
};

class CallEmitter {
 public:
  CallEmitter(KernelContext& kernel, const Instruction& instruction)
      : kernel_(kernel), instruction_(instruction), call_(kernel.plan.calls.at(&instruction)) {
    const auto list = [&](std::size_t i) -> const VectorOperand* {
      if (i >= instruction.operands.size()) return nullptr;
      const auto* vector = std::get_if<VectorOperand>(&instruction.operands[i].value);
      return vector != nullptr && vector->as_list ? vector : nullptr;
    };
    collect(call_.target_operand == 1 ? list(0) : nullptr, *call_.returns, results_, "result");
    collect(list(call_.target_operand + 1), *call_.params, arguments_, "argument");
  }

  void run() {
    if (!call_.builtin.empty()) return builtin();
    CallSite site;
    site.callees = call_.callees;
    site.begin = here();
    // Rows shared with this function's callers are saved before any argument is passed.
    const FunctionPlan& plan = kernel_.plan;
    const bool recursive = plan.recursion != 0 &&
                           std::any_of(call_.callees.begin(), call_.callees.end(),
                                       [&](const FunctionPlan* f) { return f->recursion == plan.recursion; });
    isa::Instruction call = control_instruction(Opcode::kCall);
    if (call_.indirect)
      call.src[0] =
          source(kernel_, instruction_, instruction_.operands[call_.target_operand], Type::kU64).operand;
    pass_arguments(recursive);
    if (recursive && plan.allocates) keep_frame();
    site.link = here();
    emit_move(kernel_, instruction_, return_row(), kernel_.constants.row(RowWidth::k32, 0));
    // Live ranges of the call's results start here. Results that do not fit count as live from the function's
    // start, which only makes the register estimate less accurate.
    for (std::size_t i = 0, next = 0; i < results_.size() && next < call.dst.size(); ++i)
      if (!(*call_.returns)[i].is_array) call.dst[next++] = result_row(i);
    site.call = here();
    kernel_.emit(instruction_, call);
    if (recursive) find_frame();
    take_results(recursive);
    site.end = here();
    kernel_.calls.push_back(std::move(site));
  }

 private:
  [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(kernel_.code.size()); }
  [[nodiscard]] const FunctionPlan& callee() const { return *call_.callees.front(); }

  void collect(const VectorOperand* list, const std::vector<ParamDecl>& formal, std::vector<Actual>& actual,
               const char* what) {
    const std::size_t given = list == nullptr ? 0 : list->elements.size();
    if (given != formal.size())
      kernel_.fail(instruction_.where, fmt::format("the call has {} {}{}, the function {}", given, what,
                                                   given == 1 ? "" : "s", formal.size()));
    for (std::size_t i = 0; i < given; ++i) {
      const Operand& operand = list->elements[i];
      Actual found{nullptr, &operand};
      if (const auto* name = std::get_if<SymbolName>(&operand.value)) {
        if (name->offset != 0 || !name->subscripts.empty())
          kernel_.fail(operand.where, "a call takes a .param variable as a whole");
        Symbol* const symbol = kernel_.scopes.find(name->name);
        found.variable = symbol == nullptr ? nullptr : std::get_if<VariableSymbol>(symbol);
        if (found.variable == nullptr || !found.variable->call_param)
          kernel_.fail(operand.where, fmt::format("'{}' is no .param variable that a call could take",
                                                  printable(name->name)));
        if (found.variable->bytes != param_bytes(formal[i]) ||
            (formal[i].is_array && found.variable->value.present))
          kernel_.fail(operand.where,
                       fmt::format("{} {} of the call has {} bytes, the function's has {}", what, i + 1,
                                   found.variable->bytes, param_bytes(formal[i])));
      } else if (formal[i].is_array) {
        kernel_.fail(operand.where, fmt::format("{} {} of the call must be a .param array", what, i + 1));
      }
      actual.push_back(found);
    }
  }

  isa::Operand return_row() {
    return call_.indirect ? kernel_.kernel.return_pc(kernel_.registers) : callee().return_pc;
  }
  isa::Operand argument_row(std::size_t i) {
    return call_.indirect ? kernel_.kernel.argument(kernel_.registers, i, passing_width((*call_.params)[i]))
                          : callee().params[i].row;
  }
  isa::Operand result_row(std::size_t i) {
    return call_.indirect ? kernel_.kernel.result(kernel_.registers, i, passing_width((*call_.returns)[i]))
                          : callee().returns[i].row;
  }

  /// A new row with the value of `from`.
  isa::Operand copy_of(const isa::Operand& from) {
    const auto copy = kernel_.registers.allocate(from.width, "(argument)");
    if (!copy) kernel_.fail(instruction_.where, "the kernel uses more than 65534 registers");
    emit_move(kernel_, instruction_, *copy, from);
    return *copy;
  }

  void pass_arguments(bool recursive) {
    // The callee's rows may be this function's own, so everything is read before any of them is overwritten.
    std::vector<std::pair<isa::Operand, isa::Operand>> late;
    const auto pass = [&](const isa::Operand& to, const isa::Operand& from) {
      const bool may_change = recursive && from.space == isa::RowSpace::kRegister;
      late.emplace_back(to, may_change ? copy_of(from) : from);
    };
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const ParamDecl& formal = (*call_.params)[i];
      const Actual& actual = arguments_[i];
      const isa::Operand to = argument_row(i);
      if (actual.variable == nullptr) {
        pass(to, source(kernel_, instruction_, *actual.operand, formal.type).operand);
      } else if (formal.is_array) {
        pass(to, local_address(kernel_, instruction_, *actual.variable, 0));
      } else if (actual.variable->value.present) {
        pass(to, actual.variable->value);
      } else if (recursive) {
        const isa::Operand loaded = kernel_.scratch(instruction_, to.width, 0);
        emit_local(kernel_, instruction_, Opcode::kLoad, loaded, *actual.variable);
        pass(to, loaded);
      } else {
        emit_local(kernel_, instruction_, Opcode::kLoad, to, *actual.variable);
      }
    }
    for (std::size_t i = 0; i < results_.size(); ++i)
      if ((*call_.returns)[i].is_array)
        pass(result_row(i), local_address(kernel_, instruction_, *results_[i].variable, 0));
    for (const auto& [to, from] : late) emit_move(kernel_, instruction_, to, from);
  }

  /// In a recursion the rows of the callee's results may also be destinations: with several results, all are
  /// read before any is written.
  void take_results(bool recursive) {
    std::vector<isa::Operand> from(results_.size());
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if ((*call_.returns)[i].is_array) continue;
      from[i] = result_row(i);
      if (recursive && results_.size() > 1) from[i] = copy_of(from[i]);
    }
    for (std::size_t i = 0; i < results_.size(); ++i) take_result(i, from[i]);
  }

  void take_result(std::size_t i, const isa::Operand& from) {
    const ParamDecl& formal = (*call_.returns)[i];
    const Actual& actual = results_[i];
    if (formal.is_array || std::holds_alternative<SinkOperand>(actual.operand->value)) return;
    if (actual.variable == nullptr) {
      const Row to = destination(kernel_, instruction_, *actual.operand, formal.type);
      emit_move(kernel_, instruction_, to.operand, from);
    } else if (actual.variable->value.present) {
      emit_move(kernel_, instruction_, actual.variable->value, from);
    } else {
      emit_local(kernel_, instruction_, Opcode::kStore, from, *actual.variable);
    }
  }

  // Preserves the frame address of a recursive function across a call that changes it. It is the top of the
  // stack minus the frame size, unless the function has allocated more. In that case the address is pushed,
  // in a slot that keeps the stack aligned.
  [[nodiscard]] std::uint64_t push() const { return kernel_.kernel.stack_align; }
  void keep_frame() {
    const isa::Operand top = kernel_.kernel.stack_pointer;
    VariableSymbol slot;
    slot.base = top;
    slot.bytes = 8;
    emit_local(kernel_, instruction_, Opcode::kStore, kernel_.plan.frame, slot);
    emit_lane(kernel_, instruction_, LaneOp::kAdd, Type::kU64, top, top, constant64(kernel_, push()));
  }
  void find_frame() {
    const isa::Operand top = kernel_.kernel.stack_pointer;
    if (!kernel_.plan.allocates) {
      kernel_.frame_sizes.push_back(here());
      emit_lane(kernel_, instruction_, LaneOp::kSub, Type::kU64, kernel_.plan.frame, top,
                constant64(kernel_, 0));
      return;
    }
    emit_lane(kernel_, instruction_, LaneOp::kSub, Type::kU64, top, top, constant64(kernel_, push()));
    VariableSymbol slot;
    slot.base = top;
    slot.bytes = 8;
    emit_local(kernel_, instruction_, Opcode::kLoad, kernel_.plan.frame, slot);
  }

  /// The value of a scalar argument of a function provided by the device.
  isa::Operand argument_value(std::size_t i) {
    const Actual& actual = arguments_[i];
    if (actual.variable == nullptr)
      return source(kernel_, instruction_, *actual.operand, (*call_.params)[i].type).operand;
    if (actual.variable->value.present) return actual.variable->value;
    const isa::Operand row =
        kernel_.scratch(instruction_, passing_width((*call_.params)[i]), 3 + static_cast<unsigned>(i));
    emit_local(kernel_, instruction_, Opcode::kLoad, row, *actual.variable);
    return row;
  }

  /// [KiloTM] §4.2.
  void transaction() {
    if (!arguments_.empty() || !results_.empty())
      kernel_.fail(instruction_.where,
                   fmt::format("{} takes no parameters and has no result", call_.builtin));
    isa::Instruction out = control_instruction(Opcode::kTransaction);
    out.transaction = call_.builtin == "tx_begin"    ? isa::TransactionOp::kBegin
                      : call_.builtin == "tx_commit" ? isa::TransactionOp::kCommit
                                                     : isa::TransactionOp::kAbort;
    kernel_.emit(instruction_, out);
  }

  void builtin() {
    if (call_.builtin.starts_with("tx_")) return transaction();
    if (call_.builtin == "malloc" || call_.builtin == "free") return heap();
    const bool print = call_.builtin == "vprintf";
    const std::size_t wanted = print ? 2 : 4;
    if (arguments_.size() < wanted)
      kernel_.fail(instruction_.where, fmt::format("{} takes {} arguments", call_.builtin, wanted));
    isa::Instruction out = control_instruction(print ? Opcode::kPrint : Opcode::kAssertFail);
    for (std::size_t i = 0; i < wanted; ++i) {
      out.src[i] = argument_value(i);
      const bool line = !print && i == 2;
      if (out.src[i].width != (line ? RowWidth::k32 : RowWidth::k64))
        kernel_.fail(instruction_.where,
                     fmt::format("argument {} of {} has the wrong type", i + 1, call_.builtin));
    }
    // This thread has stored what is printed, so the stores must have reached memory.
    emit_gpu_fence();
    const BuiltinResult count = print ? builtin_result(RowWidth::k32) : BuiltinResult{};
    out.dst[0] = count.row;
    kernel_.emit(instruction_, out);
    store_result(count);
  }

  /// malloc and free (CUDA C++ Programming Guide).
  void heap() {
    const bool allocates = call_.builtin == "malloc";
    if (arguments_.size() != 1 || results_.size() != (allocates ? 1 : 0))
      kernel_.fail(instruction_.where, fmt::format("{} takes one argument and has {} result", call_.builtin,
                                                   allocates ? "one" : "no"));
    isa::Instruction out = control_instruction(allocates ? Opcode::kHeapAllocate : Opcode::kHeapFree);
    out.src[0] = argument_value(0);
    if (out.src[0].width != RowWidth::k64)
      kernel_.fail(instruction_.where, fmt::format("the argument of {} is a 64-bit number", call_.builtin));
    // The block may be another thread's next: what this one has stored into it must be over.
    if (!allocates) emit_gpu_fence();
    const BuiltinResult address = allocates ? builtin_result(RowWidth::k64) : BuiltinResult{};
    out.dst[0] = address.row;
    kernel_.emit(instruction_, out);
    store_result(address);
  }

  void emit_gpu_fence() {
    isa::Instruction fence = control_instruction(Opcode::kFence);
    fence.scope = isa::MemoryScope::kGpu;
    fence.fence_order = isa::FenceOrder::kRelease;
    kernel_.emit(instruction_, fence);
  }

  /// Where the result of a function provided by the device goes: a row, and from there perhaps into memory.
  struct BuiltinResult {
    isa::Operand row;
    const VariableSymbol* in_memory = nullptr;
  };
  BuiltinResult builtin_result(RowWidth width) {
    BuiltinResult result;
    if (results_.size() != 1 || std::holds_alternative<SinkOperand>(results_[0].operand->value))
      return result;
    const Actual& actual = results_[0];
    if (actual.variable == nullptr)
      result.row = destination(kernel_, instruction_, *actual.operand, (*call_.returns)[0].type).operand;
    else if (actual.variable->value.present)
      result.row = actual.variable->value;
    else
      result.in_memory = actual.variable;
    if (result.in_memory != nullptr) result.row = kernel_.scratch(instruction_, width, 3);
    if (result.row.present && result.row.width != width)
      kernel_.fail(instruction_.where, fmt::format("the result of {} is a {}-bit number", call_.builtin,
                                                   width == RowWidth::k64 ? 64 : 32));
    return result;
  }
  void store_result(const BuiltinResult& result) {
    if (result.in_memory != nullptr)
      emit_local(kernel_, instruction_, Opcode::kStore, result.row, *result.in_memory);
  }

  KernelContext& kernel_;
  const Instruction& instruction_;
  const CallTargets& call_;
  std::vector<Actual> arguments_;
  std::vector<Actual> results_;
};

}  // namespace

void decode_call(KernelContext& kernel, const Instruction& instruction, const CompiledForm&,
                 const Modifiers&) {
  const GuardedRegion region(kernel, instruction);
  CallEmitter(kernel, instruction).run();
}

}  // namespace heddle::ptx
