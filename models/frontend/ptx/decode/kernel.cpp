// Decodes an entry function to a kernel: concatenates its code and that of every function it may call, then
// does what needs the whole code: branch targets and register numbers. The compiler adds what follows from
// the code alone: reconvergence points and live registers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "frontend/ptx/decode/call_graph.h"
#include "frontend/ptx/decode/function.h"
#include "frontend/ptx/decode/layout.h"
#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {
namespace {

using isa::Opcode;
using isa::RowWidth;

class KernelDecoder {
 public:
  KernelDecoder(const ModuleContext& module, const Function& function) : module_(module), entry_(function) {}

  isa::Kernel run() {
    kernel_.name = entry_.name;
    kernel_.source = module_.ast.source;
    kernel_.defined_at = entry_.where;
    apply_directives();
    plan_ = plan_kernel(module_, entry_, registers_);
    kernel_.static_shared_bytes = plan_.shared.bytes;
    kernel_.params = layout_params(module_, entry_, kernel_.param_bytes);
    plan_.param_bytes = kernel_.param_bytes;
    for (const auto& function : plan_.functions) decode(*function);
    number_registers();
    join();
    kernel_.constants = constants_.take();
    kernel_.code_pointers = constants_.take_code_pointers();
    return std::move(kernel_);
  }

 private:
  void apply_directives() {
    // Without effect on what is decoded: registers are limited later (compiler/spill_registers).
    constexpr std::string_view kElsewhere[] = {"minnctapersm", "maxnctapersm", "maxnreg",
                                               "noreturn",     "abi_preserve", "abi_preserve_control"};
    constexpr std::string_view kCounts[] = {"minnctapersm", "maxnctapersm", "maxnreg", "maxntid", "reqntid"};
    for (const auto& [name, values] : entry_.directives) {
      if (std::find(std::begin(kCounts), std::end(kCounts), name) != std::end(kCounts) &&
          (values.empty() || std::find(values.begin(), values.end(), 0u) != values.end()))
        module_.fail(entry_.where,
                     fmt::format("directive '.{}' of kernel '{}' takes a number above 0", name, entry_.name));
      if (name == "explicitcluster" || name == "maxclusterrank") continue;
      if (name == "reqnctapercluster") {
        if (std::any_of(values.begin(), values.end(), [](std::uint64_t value) { return value != 1; }))
          module_.fail(entry_.where,
                       fmt::format("kernel '{}' asks for clusters of several CTAs", entry_.name),
                       "They are not modelled: launch it without clusters (.reqnctapercluster).");
        continue;
      }
      if (name == "maxntid" || name == "reqntid") {
        if (values.empty() || values.size() > 3)
          module_.fail(entry_.where, fmt::format("directive '.{}' of kernel '{}' takes one to three numbers",
                                                 name, entry_.name));
        if (name == "reqntid") {
          // PTX ISA: omitted dimensions are 1.
          auto& block = kernel_.required_block.emplace(std::array<std::uint32_t, 3>{1, 1, 1});
          std::transform(values.begin(), values.end(), block.begin(), [](std::uint64_t value) {
            return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0xffff'ffffu));
          });
          continue;
        }
        std::uint64_t threads = 1;
        for (const std::uint64_t value : values)
          threads = std::min<std::uint64_t>(threads * value, 0xffff'ffffu);
        kernel_.max_threads_per_cta = static_cast<std::uint32_t>(threads);
      } else if (std::find(std::begin(kElsewhere), std::end(kElsewhere), name) == std::end(kElsewhere)) {
        module_.fail(entry_.where, fmt::format("directive '.{}' of kernel '{}' is not supported",
                                               printable(name), entry_.name));
      }
    }
  }

  void decode(FunctionPlan& plan) {
    auto context = std::make_unique<KernelContext>(
        KernelContext{*plan.module, *plan.function, registers_, constants_, plan_, plan});
    isa::FunctionCode code;
    code.name = plan.function->name;
    code.entry = decode_function(*context, plan.index == 0 ? kernel_.params : std::vector<isa::Param>{});
    code.recursion = plan.recursion;
    code.frame_bytes = static_cast<std::uint32_t>(plan.storage.frame_bytes());
    code.source = plan.module->ast.source;
    functions_.push_back(std::move(code));
    contexts_.push_back(std::move(context));
  }

  void number_registers() {
    isa::Operand flag;
    const auto recursive = [](const isa::FunctionCode& function) { return function.recursion != 0; };
    const bool any_recursive = std::any_of(functions_.begin(), functions_.end(), recursive);
    if (any_recursive) flag = contexts_.front()->scratch({}, RowWidth::k32, 0);
    registers_.finish(kernel_);
    for (const auto& context : contexts_)
      for (isa::Instruction& instruction : context->code) place_registers(registers_, instruction);
    if (any_recursive) {
      recursion_ = std::make_shared<isa::Recursion>();
      recursion_->flag = placed(flag);
      recursion_->stack_pointer = placed(plan_.stack_pointer);
      recursion_->stack_align = plan_.stack_align;
    }
    kernel_.uses_stack = plan_.stack_pointer.present;
    // The stack starts aligned after the fixed frames.
    const std::uint64_t align = kernel_.uses_stack ? plan_.stack_align : 1;
    kernel_.local_bytes_per_thread =
        static_cast<std::uint32_t>((plan_.static_local_bytes + align - 1) / align * align);
  }

  [[nodiscard]] isa::Operand placed(isa::Operand row) const {
    registers_.place(row);
    return row;
  }

  /// Describes recursions for the compiler's SaveRecursion pass.
  void describe_recursion(const KernelContext& context, std::uint32_t function, std::uint32_t base) {
    isa::RecursiveFunction out;
    out.function = function;
    out.frame = placed(context.plan.frame);
    out.storage_bytes = context.plan.storage.frame_bytes();
    for (const std::uint32_t at : context.frame_sizes) out.frame_sizes.push_back(base + at);
    for (const CallSite& site : context.calls) {
      isa::RecursiveCall call{base + site.begin, base + site.call, base + site.end, {}};
      const auto passes = [&](const isa::Operand& row) {
        if (row.present) call.passing.push_back(placed(row).reg);
      };
      for (const FunctionPlan* callee : site.callees) {
        if (callee->recursion != context.plan.recursion) continue;
        passes(callee->return_pc);
        for (const PassedValue& param : callee->params) passes(param.row);
        for (const PassedValue& result : callee->returns) passes(result.row);
      }
      if (!call.passing.empty()) out.calls.push_back(std::move(call));
    }
    recursion_->functions.push_back(std::move(out));
  }

  /// Concatenates the code of all functions.
  void join() {
    std::uint32_t base = 0;
    for (std::size_t f = 0; f < contexts_.size(); ++f) {
      functions_[f].first = base;
      functions_[f].entry += base;
      base += static_cast<std::uint32_t>(contexts_[f]->code.size());
      functions_[f].end = base;
    }
    for (std::size_t f = 0; f < contexts_.size(); ++f) {
      join(*contexts_[f], functions_[f].first);
      if (functions_[f].recursion != 0)
        describe_recursion(*contexts_[f], static_cast<std::uint32_t>(f) - 1, functions_[f].first);
    }
    for (const auto& [symbol, plan] : plan_.addressed) {
      isa::FunctionAddress address;
      address.name = symbol->function->name;
      if (plan != nullptr)
        address.entry = base::Pc(functions_[plan->index].first);
      else
        address.reason =
            symbol->defined() ? "its parameters are not those of the call" : "no module defines it";
      kernel_.function_addresses.emplace(symbol->address, std::move(address));
    }
    kernel_.functions.assign(functions_.begin() + 1, functions_.end());
    kernel_.recursion = recursion_;
  }

  void join(KernelContext& context, std::uint32_t base) {
    const auto place = [&](std::uint32_t label) { return base::Pc(base + context.label_pc[label]); };
    for (const PendingBranch& branch : context.branches)
      context.code[branch.instruction].target = place(branch.label);
    for (const PendingTable& table : context.tables) {
      isa::Instruction& branch = context.code[table.instruction];
      branch.table_first = static_cast<std::uint32_t>(kernel_.targets.size());
      branch.table_count = static_cast<std::uint32_t>(table.labels.size());
      for (const std::uint32_t label : table.labels) kernel_.targets.push_back(place(label));
    }
    for (const CallSite& site : context.calls) {
      isa::Instruction& call = context.code[site.call];
      call.rpc = base::Pc(base + site.call + 1);
      context.code[site.link].src[0] = constants_.code_pointer(call.rpc, true);
      if (!call.src[0].present) {
        call.target = base::Pc(functions_[site.callees.front()->index].entry);
        continue;
      }
      call.table_first = static_cast<std::uint32_t>(kernel_.targets.size());
      call.table_count = static_cast<std::uint32_t>(site.callees.size());
      for (const FunctionPlan* callee : site.callees)
        kernel_.targets.emplace_back(functions_[callee->index].first);
    }
    list_variables(context, base);
    list_spin_marks(context, base);
    kernel_.code.insert(kernel_.code.end(), context.code.begin(), context.code.end());
  }

  void list_spin_marks(const KernelContext& context, std::uint32_t base) {
    for (const SpinPragma& pragma : context.spin_pragmas)
      kernel_.spin_marks.push_back({base::Pc(base + pragma.instruction),
                                    pragma.lock ? isa::SpinMark::Kind::kLock : isa::SpinMark::Kind::kWait});
  }

  /// Every instruction that a PTX instruction has become names its variables.
  void list_variables(const KernelContext& context, std::uint32_t base) {
    std::multimap<std::pair<std::uint32_t, std::uint32_t>, const NamedVariable*> named;
    for (const NamedVariable& variable : context.variables)
      named.emplace(std::pair(variable.where.line, variable.where.column), &variable);
    if (named.empty()) return;
    for (std::uint32_t i = 0; i < context.code.size(); ++i) {
      const isa::SourceLoc where = context.code[i].where;
      const auto [from, to] = named.equal_range({where.line, where.column});
      for (auto use = from; use != to; ++use)
        kernel_.variable_uses.push_back(
            {base + i, use->second->name, use->second->space, use->second->start});
    }
  }

  const ModuleContext& module_;
  const Function& entry_;
  RegisterRows registers_;
  isa::ConstantPool constants_;
  KernelPlan plan_;
  std::vector<std::unique_ptr<KernelContext>> contexts_;  ///< by function, the entry first
  std::vector<isa::FunctionCode> functions_;              ///< the same
  std::shared_ptr<isa::Recursion> recursion_;
  isa::Kernel kernel_;
};

}  // namespace

void ModuleContext::fail(SourceLoc where, const std::string& message, const std::string& remedy) const {
  ptx::fail(*ast.source, where, message, remedy);
}

isa::Instruction& KernelContext::emit(const Instruction& from, isa::Instruction instruction) {
  instruction.guard = guard;
  instruction.where = from.where;
  instruction.transfer = isa::transfer_of(instruction.op);
  instruction.stops_fetch = instruction.unit == isa::Unit::kControl;
  return code.emplace_back(instruction);
}

isa::Operand KernelContext::scratch(const Instruction& from, isa::RowWidth width, unsigned index) {
  const auto row = registers.scratch(width, index);
  if (!row) fail(from.where, "the kernel uses more than 65534 registers");
  return *row;
}

isa::Operand KernelContext::carry(const Instruction& from) {
  const auto row = registers.carry();
  if (!row) fail(from.where, "the kernel uses more than 65534 registers");
  return *row;
}

isa::Kernel decode_kernel(const ModuleContext& module, const Function& function) {
  return KernelDecoder(module, function).run();
}

}  // namespace heddle::ptx
