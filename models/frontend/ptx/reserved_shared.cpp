#include "frontend/ptx/reserved_shared.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::ptx {
namespace {

constexpr const char* kVariable = "reserved$shared$memory";
constexpr std::uint64_t kBytes = 1024;
constexpr std::int64_t kSecondPart = 512;  // the two offsets' parts are halves
constexpr std::uint32_t kAlignment = 16;

/// The value of a register, from the beginning of the memory.
std::optional<std::int64_t> offset_of(std::string_view name) {
  constexpr std::string_view kPrefix = "%reserved_smem_offset_";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  if (name == "begin" || name == "0") return 0;
  if (name == "1") return kSecondPart;
  if (name == "end") return static_cast<std::int64_t>(kBytes);
  return std::nullopt;
}

/// Whether it has become an address of the memory.
bool place(Operand& operand) {
  const auto* const reg = std::get_if<RegisterName>(&operand.value);
  if (reg == nullptr) return false;
  if (reg->name == "%reserved_smem_offset_cap") {
    operand.value = IntegerLiteral{kBytes, false};
    return false;
  }
  const auto offset = offset_of(reg->name);
  if (!offset) return false;
  SymbolName symbol;
  symbol.name = kVariable;
  symbol.offset = *offset;
  operand.value = symbol;
  return true;
}

bool place(Block& block) {
  bool any = false;
  for (Statement& statement : block.statements) {
    if (auto* const inner = std::get_if<std::shared_ptr<Block>>(&statement)) any = place(**inner) || any;
    if (auto* const instruction = std::get_if<Instruction>(&statement))
      for (Operand& operand : instruction->operands) any = place(operand) || any;
  }
  return any;
}

}  // namespace

void place_reserved_shared(Module& module) {
  bool any = false;
  for (Function& function : module.functions) any = place(function.body) || any;
  if (!any) return;
  VariableDecl memory;
  memory.space = StateSpace::kShared;
  memory.type = Type::kB8;
  memory.align = kAlignment;
  memory.name = kVariable;
  memory.dims = {kBytes};
  memory.is_array = true;
  module.variables.push_back(memory);
}

}  // namespace heddle::ptx
