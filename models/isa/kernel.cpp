#include "isa/kernel.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::isa {

std::string_view latency_class_name(LatencyClass c) {
  switch (c) {
    case LatencyClass::kIntSimple:
      return "int_simple";
    case LatencyClass::kIntMinMax:
      return "int_min_max";
    case LatencyClass::kIntMul:
      return "int_mul";
    case LatencyClass::kIntMad:
      return "int_mad";
    case LatencyClass::kIntMadWide:
      return "int_mad_wide";
    case LatencyClass::kIntDiv:
      return "int_div";
    case LatencyClass::kFpSimple:
      return "fp_simple";
    case LatencyClass::kFpMinMax:
      return "fp_min_max";
    case LatencyClass::kFpMul:
      return "fp_mul";
    case LatencyClass::kFpMad:
      return "fp_mad";
    case LatencyClass::kFpDiv:
      return "fp_div";
    case LatencyClass::kSfu:
      return "sfu";
    case LatencyClass::kDpSimple:
      return "dp_simple";
    case LatencyClass::kDpMinMax:
      return "dp_min_max";
    case LatencyClass::kDpMul:
      return "dp_mul";
    case LatencyClass::kDpMad:
      return "dp_mad";
    case LatencyClass::kDpDiv:
      return "dp_div";
    case LatencyClass::kTensor8:
      return "tensor_8";
    case LatencyClass::kTensor16:
      return "tensor_16";
    case LatencyClass::kTensorDp:
      return "tensor_dp";
    case LatencyClass::kShuffle:
      return "shuffle";
    case LatencyClass::kRedux:
      return "redux";
    case LatencyClass::kMemory:
      return "memory";
    case LatencyClass::kControl:
      return "control";
  }
  return "";
}

Operand RegisterLayout::row(RegId reg) const {
  Operand row;
  row.reg = reg;
  row.present = true;
  if (reg < rows32) {
    row.width = RowWidth::k32;
    row.offset = offset32(reg);
  } else if (reg < rows32 + rows64) {
    row.width = RowWidth::k64;
    row.offset = offset64(reg - rows32);
  } else {
    row.width = RowWidth::kPredicate;
    row.offset = offset_predicate(reg - rows32 - rows64);
  }
  return row;
}

const FunctionCode* Kernel::function_at(Pc pc) const {
  const auto behind =
      std::upper_bound(functions.begin(), functions.end(), pc.value(),
                       [](std::uint32_t at, const FunctionCode& function) { return at < function.first; });
  if (behind == functions.begin() || pc.value() >= std::prev(behind)->end) return nullptr;
  return &*std::prev(behind);
}

std::string Kernel::location(Pc pc) const {
  const FunctionCode* const function = function_at(pc);
  const auto& text = function != nullptr && function->source ? function->source : source;
  const std::string file = text ? text->name : std::string{};
  if (pc.value() >= code.size()) return fmt::format("{}{}kernel {}", file, file.empty() ? "" : ": ", name);
  std::string where = function == nullptr ? fmt::format("pc 0x{:03x} in kernel {}", code_address(pc), name)
                                          : fmt::format("pc 0x{:03x} in function {} of kernel {}",
                                                        code_address(pc), function->name, name);
  if (const std::string written = origin(pc).text(); !written.empty())
    where = fmt::format("{}, {}", written, where);
  const std::uint32_t line = code[pc.value()].where.line;
  if (file.empty()) return where;
  return line == 0 ? fmt::format("{} ({})", file, where) : fmt::format("{}:{} ({})", file, line, where);
}

Pc Kernel::indirect_target(const Instruction& branch, std::uint64_t value) const {
  if (!branch.target_is_address)
    return value < branch.table_count ? targets[branch.table_first + value] : base::kNoPc;
  const Pc pc = pc_at(value);
  if (branch.table_count == 0) return pc;
  const auto first = targets.begin() + branch.table_first;
  return std::find(first, first + branch.table_count, pc) == first + branch.table_count ? base::kNoPc : pc;
}

SourceOrigin Kernel::origin(Pc pc) const {
  if (!has_origins() || pc.value() >= code.size()) return {};
  const std::uint32_t line = code[pc.value()].where.line;
  return line >= 1 && line <= source->origins.size() ? source->origins[line - 1] : SourceOrigin{};
}

std::string Kernel::source_line(Pc pc) const {
  const FunctionCode* const function = function_at(pc);
  const auto& text = function != nullptr && function->source ? function->source : source;
  if (!text || pc.value() >= code.size()) return {};
  const std::string line = text->line(code[pc.value()].where.line);
  const auto first = line.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r\n") - first + 1);
}

std::shared_ptr<const Kernel> Module::find(const std::string& name) const {
  const auto it =
      std::find_if(kernels.begin(), kernels.end(), [&](const auto& kernel) { return kernel->name == name; });
  return it == kernels.end() ? nullptr : *it;
}

std::shared_ptr<const Kernel> Module::find_or_refuse(const std::string& name) const {
  for (const RefusedKernel& kernel : refused)
    if (kernel.name == name) throw base::InputError(*kernel.why);
  return find(name);
}

std::string Module::kernel_names() const {
  std::string names;
  for (const auto& kernel : kernels) names += (names.empty() ? "" : ", ") + kernel->name;
  for (const RefusedKernel& kernel : refused)
    names += (names.empty() ? "" : ", ") + kernel.name + " (refused)";
  return names;
}

void Module::require_all() const {
  if (!refused.empty()) throw base::InputError(*refused.front().why);
}

}  // namespace heddle::isa
