#include "frontend/sass/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "base/error.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/disassembly.h"
#include "frontend/sass/driver_functions.h"
#include "frontend/sass/lower/banks.h"
#include "frontend/sass/lower/driver_calls.h"
#include "frontend/sass/lower/lowering.h"
#include "frontend/sass/lower/sequence.h"
#include "frontend/sass/print.h"

namespace heddle::sass {
namespace {

constexpr std::uint32_t kParameterWord = 4, kStackUnit = 16;

/// Where instructions stand in the module's listing.
struct ModuleText {
  explicit ModuleText(const Cubin& cubin) : labels(cubin) {
    Disassembly listing = disassemble(cubin, {});
    lines = std::move(listing.lines);
    auto text = std::make_shared<isa::SourceText>();
    text->name = cubin.name;
    std::istringstream stream(listing.text);
    for (std::string line; std::getline(stream, line);) text->lines.push_back(line);
    if (!cubin.lines.empty()) set_origins(cubin, *text);
    source = std::move(text);
  }
  void set_origins(const Cubin& cubin, isa::SourceText& text) const {
    text.origins.resize(text.lines.size());
    for (std::size_t section = 0; section < lines.size(); ++section)
      for (std::size_t i = 0; i < lines[section].size(); ++i) {
        const auto written = cubin.lines.find(".text." + cubin.code[section].name, i * kInstructionBytes);
        if (written) text.origins.at(lines[section][i] - 1) = {written->file, written->line};
      }
  }
  Labels labels;
  std::vector<std::vector<std::uint32_t>> lines;
  std::shared_ptr<const isa::SourceText> source;
};

class KernelLowering {
 public:
  KernelLowering(const PlacedModule& module, const PlacedKernel& placed, const ModuleText& text, Arch arch,
                 isa::TensorNumerics tensor)
      : module_(module),
        placed_(placed),
        section_(module.section_of(placed)),
        text_(text),
        arch_(arch),
        tensor_(tensor),
        banks_(module, placed, pool_, kernel_),
        rows_(pool_, [this](unsigned bank, std::uint32_t offset) { return bank_word(bank, offset); }) {}

  isa::Kernel run() {
    kernel_.name = section_.name;
    kernel_.instruction_bytes = kInstructionBytes;
    kernel_.source = text_.source;
    set_parameters();
    set_needs();
    decode_words();
    list_functions();
    Lowering of{module_, placed_, section_, arch_, rows_,
                kernel_, tensor_, {},       {},    code_end() * kInstructionBytes,
                0,       {}};
    lower_code(of);
    append_driver();
    append_sequences(of);
    rows_.finish(kernel_);
    kernel_.constants = pool_.take();
    find_stack();
    return std::move(kernel_);
  }

 private:
  isa::Operand bank_word(unsigned bank, std::uint32_t offset) {
    std::string problem;
    const isa::Operand word = banks_.word(bank, offset, problem);
    if (!word.present) rows_.refuse(problem);
    return word;
  }

  void set_parameters() {
    // A cubin knows sizes only.
    for (const Parameter& parameter : section_.parameters) {
      isa::Param param;
      param.name = fmt::format("param_{}", parameter.ordinal);
      param.bytes = parameter.size;
      param.offset = parameter.offset;
      param.type = parameter.size == 8   ? isa::Type::kB64
                   : parameter.size == 4 ? isa::Type::kB32
                   : parameter.size == 2 ? isa::Type::kB16
                                         : isa::Type::kB8;
      param.align = parameter.size % 8 == 0   ? 8
                    : parameter.size % 4 == 0 ? 4
                    : parameter.size % 2 == 0 ? 2
                                              : 1;
      kernel_.params.push_back(std::move(param));
    }
    // Bank 0 is read in words.
    kernel_.param_bytes = (section_.parameter_bytes + kParameterWord - 1) / kParameterWord * kParameterWord;
  }

  void set_needs() {
    kernel_.static_shared_bytes = static_cast<std::uint32_t>(section_.shared_bytes);
    kernel_.reserved_shared_bytes = section_.reserved_shared_bytes(arch_);
    kernel_.allocated_registers = std::max(section_.registers, 1u);
    // The stack begins at its end and grows down: a launch must not give it more than it may use.
    kernel_.local_bytes_per_thread =
        (std::max(section_.frame_bytes, section_.stack_bytes) + kStackUnit - 1) / kStackUnit * kStackUnit;
    if (section_.max_threads)
      kernel_.max_threads_per_cta =
          (*section_.max_threads)[0] * (*section_.max_threads)[1] * (*section_.max_threads)[2];
    kernel_.required_block = section_.required_threads;
  }

  void decode_words() {
    for (std::size_t i = 0; i < placed_.words.size(); ++i) {
      Decoded decoded = decode(placed_.words[i], arch_);
      if (!decoded.instruction) {
        const Word word = placed_.words[i];
        throw base::InputError(
            fmt::format("{}, kernel {}", module_.cubin.name, section_.name),
            fmt::format("the instruction at {:#x} (word {:016x} {:016x}) cannot be decoded: {}",
                        i * kInstructionBytes, word.low, word.high, decoded.problem),
            "The module's other kernels can be used.");
      }
      decoded_.push_back(*decoded.instruction);
    }
  }

  /// Functions within the kernel's section, and those in sections of their own.
  void list_functions() {
    for (const PlacedKernel::Part& part : placed_.parts)
      for (const Symbol& symbol : module_.cubin.code[part.section].functions) {
        const std::uint64_t first = part.first + symbol.value;
        if (first == 0 || symbol.is_entry || first >= part.end) continue;
        isa::FunctionCode function;
        function.name = symbol.name;
        function.first = function.entry = static_cast<std::uint32_t>(first / kInstructionBytes);
        if (!kernel_.functions.empty() && kernel_.functions.back().first == function.first) continue;
        kernel_.functions.push_back(std::move(function));
      }
    for (const PlacedFunction& each : module_.functions)
      if (const auto place = PlacedModule::place_of(placed_, each))
        kernel_.function_addresses.emplace(
            each.address,
            isa::FunctionAddress{
                each.name, isa::Pc(static_cast<std::uint32_t>(*place / kInstructionBytes)), {}});
    if (std::ranges::any_of(decoded_, calls_driver)) {
      driver_first_ = static_cast<std::uint32_t>(placed_.words.size());
      for (std::size_t i = 0; i < kDriverFunctions.size(); ++i) {
        isa::FunctionCode function;
        function.name = kDriverFunctions[i];
        function.first = function.entry =
            *driver_first_ + static_cast<std::uint32_t>(i) * kDriverInstructions;
        kernel_.function_addresses.emplace(driver_address(i),
                                           isa::FunctionAddress{function.name, isa::Pc{function.entry}, {}});
        kernel_.functions.push_back(std::move(function));
      }
    }
    for (std::size_t i = 0; i < kernel_.functions.size(); ++i)
      kernel_.functions[i].end =
          i + 1 < kernel_.functions.size() ? kernel_.functions[i + 1].first : code_end();
  }

  [[nodiscard]] std::uint32_t code_end() const {
    return driver_first_
               ? *driver_first_ + static_cast<std::uint32_t>(kDriverFunctions.size()) * kDriverInstructions
               : static_cast<std::uint32_t>(placed_.words.size());
  }

  /// What the driver has stands behind the kernel's code, where it calls it.
  void append_driver() {
    if (!driver_first_) return;
    kernel_.code.resize(*driver_first_);
    const std::uint32_t line = text_.lines[placed_.parts.front().section].front();
    for (std::size_t i = 0; i < kDriverFunctions.size(); ++i) append_driver_function(i, rows_, kernel_, line);
  }

  void set_guard(const Instruction& in, isa::Instruction& out) {
    out.guard = guard_of(rows_, in);
    // The condition that control instructions have beside their guard.
    const Operand* const condition = out.op == isa::Opcode::kLane ? nullptr : condition_of(in);
    if (condition == nullptr || (condition->number == kPt && !condition->negate)) return;
    const isa::Operand second = condition->kind == Operand::Kind::kUniformPredicate
                                    ? rows_.uniform_predicate(condition->number, condition->negate)
                                    : rows_.predicate(condition->number, condition->negate);
    (out.guard.present ? out.guard2 : out.guard) = second;
  }

  static void set_codes(const Instruction& in, Arch arch, isa::Instruction& of) {
    const Control& control = in.control;
    isa::ControlCodes& out = of.codes;
    out = {.stall = control.stall,
           .yield = !control.yield,  // the bit is set in words that ask to go on with their warp
           .write_barrier = control.write_barrier,
           .read_barrier = control.read_barrier,
           .wait_mask = control.wait_mask,
           .turing = arch == Arch::kSm75,
           .pipe = pipe_of(in, of.latency_class)};
    if (in.op != Opcode::kDepbar) return;
    if (const Operand* const others = in.find(Role::kScoreboards))
      out.wait_mask |= static_cast<std::uint8_t>(others->value);
    if (in.value(Modifier::kLessEqual) == 0) return;
    out.counted = static_cast<std::uint8_t>(in.find(Role::kScoreboard)->number);
    out.at_most = static_cast<std::uint8_t>(in.find(Role::kCount)->value);
  }

  static const Operand* condition_of(const Instruction& in) {
    switch (in.op) {
      case Opcode::kBar:  // its input
      case Opcode::kLdg:
      case Opcode::kLdgsts:
        return nullptr;
      default:
        return in.find(Role::kPs0);
    }
  }

  void lower_code(Lowering& of) {
    for (const isa::FunctionCode& function : kernel_.functions)
      of.functions.push_back(function.first * static_cast<std::uint32_t>(kInstructionBytes));
    for (std::size_t i = 0; i < decoded_.size(); ++i) {
      const Operand* const target = decoded_[i].find(Role::kTarget);
      if (decoded_[i].op == Opcode::kLdgdepbar)
        of.copy_scoreboards |= 1u << decoded_[i].control.write_barrier;
      if (decoded_[i].op == Opcode::kWarpsync && target != nullptr)
        of.collective_targets.push_back(static_cast<std::uint32_t>(
            (i + 1) * kInstructionBytes + static_cast<std::uint64_t>(target->value)));
    }
    kernel_.code.reserve(decoded_.size());
    for (const PlacedKernel::Part& part : placed_.parts) {
      while (kernel_.code.size() * kInstructionBytes < part.first) kernel_.code.emplace_back();
      for (std::uint64_t at = part.first; at < part.end; at += kInstructionBytes)
        lower_instruction(of, part, at);
    }
  }

  void lower_instruction(Lowering& of, const PlacedKernel::Part& part, std::uint64_t at) {
    const Instruction& in = decoded_[at / kInstructionBytes];
    const CodeSection& code = module_.cubin.code[part.section];
    const std::uint64_t offset = at - part.first;
    rows_.now_at([&] {
      return fmt::format("{}, kernel {}, {:#x} ({})", module_.cubin.name, section_.name, at,
                         text_at(text_.labels, code, part.section, offset, in));
    });
    isa::Instruction out;
    out.where.line = text_.lines[part.section][offset / kInstructionBytes];
    if (!lower_control(of, in, out) && !lower_async(of, in, out) && !lower_memory(of, in, out) &&
        !lower_matrix(of, in, out) && !lower_texture(of, in, out)) {
      out.op = isa::Opcode::kLane;
      if (!lower_lane(in, rows_, out)) rows_.refuse("this operation is not supported");
    }
    // The uniform datapath finds and counts bits itself, in a time that is fixed.
    if (in.op == Opcode::kUflo || in.op == Opcode::kUpopc || in.op == Opcode::kUbrev) {
      out.unit = isa::Unit::kSp;
      out.latency_class = isa::LatencyClass::kIntSimple;
    }
    set_codes(in, of.arch, out);
    if (!of.sequences.empty() && of.sequences.back().word == kernel_.code.size())
      out.codes.write_barrier = out.codes.read_barrier =
          isa::ControlCodes::kNone;  // the sequence waits itself
    else
      set_guard(in, out);
    note_bank_word(in, out.codes);
    note_kept_registers(in);
    kernel_.code.push_back(out);
  }

  void note_kept_registers(const Instruction& in) {
    constexpr std::uint16_t kNone = isa::Kernel::kNoRegister;
    kernel_.kept_registers.resize(kernel_.code.size() + 1, {kNone, kNone, kNone});
    std::size_t kept = 0;
    for (const Operand& operand : in.operands())
      if (operand.reuse && kept < 3) kernel_.kept_registers.back()[kept++] = operand.number;
  }

  /// An operand at a fixed place of a constant bank, which is what ULDC reads as well. LDC goes to memory.
  void note_bank_word(const Instruction& in, isa::ControlCodes& codes) {
    if (in.op == Opcode::kLdc) return;
    for (const Operand& operand : in.operands()) {
      if (operand.kind != Operand::Kind::kConstant || operand.number != kRz ||
          (operand.uniform != kNoRegister && operand.uniform != kUrz))
        continue;
      const std::uint64_t bank = module_.address_of_bank(placed_, operand.bank);
      const auto offset = static_cast<std::uint32_t>(operand.value);
      codes.bank_word = 1;
      kernel_.bank_words.push_back({static_cast<std::uint32_t>(kernel_.code.size()), operand.bank, offset,
                                    bank == 0 ? 0 : bank + offset});
      return;  // an instruction has one at most
    }
  }

  /// alloca: the stack's end is no longer the one that it was, minus a number.
  [[nodiscard]] static bool moves_stack(const Instruction& in) {
    constexpr unsigned kStackPointer = 1;
    const Operand* const to = in.find(Role::kDst);
    if (to == nullptr || to->kind != Operand::Kind::kRegister || to->number != kStackPointer) return false;
    return std::ranges::any_of(in.operands(), [&](const Operand& each) {
      return each.kind == Operand::Kind::kRegister && each.number != kStackPointer && each.number != kRz;
    });
  }

  /// Recursion, calls through pointers and alloca need more stack than the compiler has counted.
  void find_stack() {
    kernel_.uses_stack = std::ranges::any_of(decoded_, moves_stack);
    const auto function_of = [&](std::uint32_t pc) {
      std::size_t number = 0;  // 0: the kernel's own code
      for (std::size_t i = 0; i < kernel_.functions.size(); ++i)
        if (pc >= kernel_.functions[i].first) number = i + 1;
      return number;
    };
    std::vector<std::vector<std::size_t>> calls(kernel_.functions.size() + 1);
    for (std::uint32_t pc = 0; pc < kernel_.code.size(); ++pc) {
      const isa::Instruction& call = kernel_.code[pc];
      if (call.op != isa::Opcode::kCall) continue;
      if (call.src[0].present)
        kernel_.uses_stack = true;
      else
        calls[function_of(pc)].push_back(function_of(call.target.value()));
    }
    enum class State : std::uint8_t { kNew, kOpen, kDone };
    std::vector<State> states(calls.size(), State::kNew);
    const std::function<void(std::size_t)> visit = [&](std::size_t function) {
      if (states[function] == State::kOpen) kernel_.uses_stack = true;
      if (states[function] != State::kNew) return;
      states[function] = State::kOpen;
      for (const std::size_t callee : calls[function]) visit(callee);
      states[function] = State::kDone;
    };
    for (std::size_t function = 0; function < calls.size(); ++function) visit(function);
  }

  const PlacedModule& module_;
  const PlacedKernel& placed_;
  const CodeSection& section_;
  const ModuleText& text_;
  Arch arch_;
  isa::TensorNumerics tensor_;
  isa::ConstantPool pool_;
  isa::Kernel kernel_;
  Banks banks_;
  KernelRows rows_;
  std::vector<Instruction> decoded_;  ///< by word
  std::optional<std::uint32_t>
      driver_first_;  ///< where the driver's functions begin, if the kernel calls them
};

}  // namespace

isa::Module lower(const PlacedModule& placed, isa::TensorNumerics tensor) {
  const std::optional<Arch> arch = placed.cubin.arch();
  if (!arch)
    throw base::InputError(placed.cubin.name, fmt::format("this cubin is for sm_{}", placed.cubin.sm),
                           "Compile for sm_75 or sm_90: nvcc -cubin -arch=sm_75.");
  isa::Module module;
  module.target = fmt::format("sm_{}", placed.cubin.sm);
  module.globals = placed.variables;
  module.refused = placed.refused;
  const ModuleText text(placed.cubin);
  module.source = text.source;
  for (const PlacedKernel& kernel : placed.kernels) {
    try {
      module.kernels.push_back(
          std::make_shared<const isa::Kernel>(KernelLowering(placed, kernel, text, *arch, tensor).run()));
    } catch (const base::InputError& why) {
      module.refused.push_back(
          {placed.section_of(kernel).name, std::make_shared<const base::InputError>(why)});
    }
  }
  return module;
}

}  // namespace heddle::sass
