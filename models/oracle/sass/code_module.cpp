#include "oracle/sass/code_module.h"

#include <algorithm>

#include <fmt/format.h>

#include "frontend/sass/decode.h"
#include "frontend/sass/driver_functions.h"
#include "frontend/sass/print.h"

namespace heddle::oracle::machine_code {
namespace {

std::string text_of_op(const sass::Instruction& instruction, std::uint64_t pc) {
  const auto target = [pc](const Operand& operand) {
    const auto from = operand.kind == Operand::Kind::kAbsoluteTarget ? 0 : pc + sass::kInstructionBytes;
    return fmt::format("{:#x}", from + static_cast<std::uint64_t>(operand.value));
  };
  const std::string guard = sass::guard_text(instruction);
  return guard + (guard.empty() ? "" : " ") + sass::text_of(instruction, target);
}

isa::Type type_of(std::uint32_t bytes) {
  switch (bytes) {
    case 1:
      return isa::Type::kB8;
    case 2:
      return isa::Type::kB16;
    case 4:
      return isa::Type::kB32;
    case 8:
      return isa::Type::kB64;
    default:
      return isa::Type::kB8;  // an array of bytes
  }
}

std::shared_ptr<const isa::Kernel> described(const sass::CodeSection& section, Arch arch,
                                             const std::string& file) {
  auto kernel = std::make_shared<isa::Kernel>();
  kernel->name = section.name;
  for (const sass::Parameter& parameter : section.parameters) {
    isa::Param param;
    param.name = fmt::format("{}_param_{}", section.name, parameter.ordinal);
    param.type = type_of(parameter.size);
    param.bytes = parameter.size;
    param.offset = parameter.offset;
    param.align = isa::type_bytes(param.type);
    kernel->params.push_back(param);
  }
  kernel->param_bytes = section.parameter_bytes;
  kernel->static_shared_bytes = static_cast<std::uint32_t>(section.shared_bytes);
  kernel->reserved_shared_bytes = section.reserved_shared_bytes(arch);
  kernel->registers_per_thread = section.registers;
  kernel->required_block = section.required_threads;
  if (section.max_threads) {
    const auto& [x, y, z] = *section.max_threads;
    kernel->max_threads_per_cta = x * y * z;
  }
  auto source = std::make_shared<isa::SourceText>();
  source->name = file;
  kernel->source = source;
  return kernel;
}

KernelCode code_of(const sass::PlacedModule& placed, const sass::PlacedKernel& kernel, Arch arch) {
  const sass::CodeSection& section = placed.section_of(kernel);
  KernelCode code;
  code.name = section.name;
  code.arch = arch;
  for (std::size_t i = 0; i < kernel.words.size(); ++i) {
    const std::uint64_t pc = i * sass::kInstructionBytes;
    const auto place = [&] {
      return fmt::format("{}, kernel {}, {:#06x}", placed.cubin.name, section.name, pc);
    };
    const sass::Decoded decoded = sass::decode(kernel.words[i], arch);
    if (!decoded.instruction)
      throw base::InputError(place(), fmt::format("word {:016x} {:016x}: {}", kernel.words[i].low,
                                                  kernel.words[i].high, decoded.problem));
    std::string problem;
    code.ops.push_back(make_op(*decoded.instruction, problem));
    code.calls_driver = code.calls_driver || sass::calls_driver(*decoded.instruction);
    if (!problem.empty())
      throw base::InputError(place(), fmt::format("the oracle does not execute {}: {}", problem,
                                                  text_of_op(*decoded.instruction, pc)));
  }
  for (const sass::PlacedFunction& each : placed.functions)
    if (const auto place = sass::PlacedModule::place_of(kernel, each))
      code.functions.emplace(each.address, *place);
  code.banks.bytes[2] = kernel.bank2.bytes;
  code.banks.bytes[4] = placed.bank4.bytes;
  code.parameter_base = section.parameter_base;
  code.bank0_bytes =
      std::max<std::uint64_t>(section.bank0_bytes, section.parameter_base + section.parameter_bytes);
  code.bank3_address = placed.bank3.address;
  code.bank3_bytes = placed.bank3.bytes.size();
  code.shared_bytes = section.shared_bytes;
  code.kernel = described(section, arch, placed.cubin.name);
  return code;
}

}  // namespace

std::string KernelCode::text_at(std::uint64_t pc) const {
  const std::uint64_t index = pc / sass::kInstructionBytes;
  if (index >= ops.size()) return fmt::format("{:#06x}", pc);
  return fmt::format("{:#06x}: {}", pc, text_of_op(ops[index].instruction, pc));
}

CodeModule load_code(sass::Cubin cubin, const sass::Allocate& allocate) {
  const Arch arch = *cubin.arch();
  CodeModule loaded;
  loaded.placed = sass::place(std::move(cubin), allocate);
  for (const isa::RefusedKernel& refused : loaded.placed.refused)
    loaded.refused.emplace(refused.name, *refused.why);
  for (const sass::PlacedKernel& kernel : loaded.placed.kernels) {
    try {
      loaded.kernels.push_back(code_of(loaded.placed, kernel, arch));
    } catch (const base::InputError& why) {
      loaded.refused.emplace(loaded.placed.section_of(kernel).name, why);
    }
  }
  return loaded;
}

}  // namespace heddle::oracle::machine_code
