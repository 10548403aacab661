// Module-scope .global and .const variables: addresses and initial bytes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

#include "frontend/ptx/decode/layout.h"
#include "frontend/ptx/decode/library.h"
#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {
namespace {

std::uint64_t symbol_bits(const ModuleContext& module, const VariableDecl& variable,
                          const SymbolName& symbol) {
  const auto found = module.globals.find(symbol.name);
  const FunctionSymbol* const function =
      found == module.globals.end() ? module.find_function(symbol.name) : nullptr;
  // A kernel's address is for launching it from the device, and what does that is refused. Libraries have tables of them.
  const auto& functions = module.ast.functions;
  if (function == nullptr && std::any_of(functions.begin(), functions.end(), [&](const Function& each) {
        return each.is_entry && each.name == symbol.name;
      }))
    return 0;
  if (function == nullptr && (found == module.globals.end() || !found->second.defined))
    module.fail(
        variable.where,
        fmt::format("the initial value of '{}' names '{}', which is no .global or .const variable and "
                    "no function of this module",
                    variable.name, printable(symbol.name)));
  const std::uint64_t address = (function != nullptr ? function->address : found->second.address) +
                                static_cast<std::uint64_t>(symbol.offset);
  // 0xFF00(symbol): the bits selected by the mask, shifted to the low end.
  return symbol.mask == 0 ? 0 : (address & symbol.mask) >> std::countr_zero(symbol.mask);
}

std::uint64_t element_bits(const ModuleContext& module, const VariableDecl& variable,
                           const Initialiser& value) {
  const unsigned bytes = isa::type_bytes(variable.type);
  if (const auto* literal = std::get_if<IntegerLiteral>(&value.value)) {
    if (isa::is_float(variable.type) && literal->bits != 0)
      module.fail(variable.where, fmt::format("'{}' is .{} but has an integer as initial value",
                                              variable.name, isa::type_name(variable.type)));
    const auto as_signed = static_cast<std::int64_t>(literal->bits);
    const bool fits = bytes == 8 || (literal->negative ? as_signed >= -(std::int64_t{1} << (bytes * 8 - 1))
                                                       : literal->bits >> (bytes * 8) == 0);
    if (!fits)
      module.fail(variable.where, fmt::format("an initial value of '{}' does not fit in .{}", variable.name,
                                              isa::type_name(variable.type)));
    return literal->bits;
  }
  if (const auto* literal = std::get_if<FloatLiteral>(&value.value)) {
    if (variable.type == Type::kF64) return std::bit_cast<std::uint64_t>(literal->value);
    if (variable.type == Type::kF32)
      return literal->width == 32 ? literal->bits
                                  : std::bit_cast<std::uint32_t>(static_cast<float>(literal->value));
    if (literal->width == bytes * 8) return literal->bits;
    module.fail(variable.where, fmt::format("'{}' is .{} but has a floating-point number as initial value",
                                            variable.name, isa::type_name(variable.type)));
  }
  const auto& symbol = std::get<SymbolName>(value.value);
  const std::uint64_t bits = symbol_bits(module, variable, symbol);
  if (bytes < 8 && bits >> (bytes * 8) != 0)
    module.fail(variable.where,
                fmt::format("the address of '{}' does not fit in .{}", printable(symbol.name),
                            isa::type_name(variable.type)),
                "Addresses take 64 bits, or a mask such as 0xFF00(symbol) that selects a part.");
  return bits;
}

std::vector<std::byte> initial_bytes(const ModuleContext& module, const VariableDecl& variable) {
  const unsigned size = isa::type_bytes(variable.type);
  std::vector<std::byte> bytes(variable.initial.size() * size);
  for (std::size_t i = 0; i < variable.initial.size(); ++i) {
    const std::uint64_t bits = element_bits(module, variable, variable.initial[i]);
    std::memcpy(&bytes[i * size], &bits, size);
  }
  return bytes;
}

/// The size of the constant bank: variables one after the other, each aligned, as ptxas lays them out.
class ConstantBank {
 public:
  void add(const ModuleContext& module, const VariableDecl& variable, std::uint64_t bytes) {
    const std::uint64_t align = variable_align(variable);
    used_ = (used_ + align - 1) / align * align + bytes;
    if (used_ > kMostConstBytes)
      module.fail(
          variable.where,
          fmt::format("with '{}' the .const variables of the module take {} bytes, of {} (64 KiB) that a "
                      "module may have",
                      printable(variable.name), used_, kMostConstBytes),
          "make large tables .global (CUDA: __device__ const instead of __constant__)");
  }

 private:
  std::uint64_t used_ = 0;
};

}  // namespace

std::vector<isa::GlobalVariable> place_globals(ModuleContext& module, const AllocateGlobal& allocate) {
  std::vector<isa::GlobalVariable> placed;
  std::vector<const VariableDecl*> declarations;
  std::unordered_set<std::string_view> shared;
  ConstantBank constants;
  // Two passes, because initial values may refer to variables declared later.
  for (const VariableDecl& variable : module.ast.variables) {
    const bool device = variable.space == StateSpace::kGlobal || variable.space == StateSpace::kConst;
    auto known = module.globals.find(variable.name);
    const bool again = device ? known != module.globals.end() : !shared.insert(variable.name).second;
    // An .extern declaration next to the definition refers to the same variable.
    if (again && (!device || (known->second.defined && !variable.external)))
      module.fail(variable.where, fmt::format("variable '{}' is declared twice", variable.name));
    if (!device) {
      if (variable.space != StateSpace::kShared)
        module.fail(variable.where, fmt::format("'{}' cannot be .{} at module scope", variable.name,
                                                isa::space_name(variable.space)));
      continue;
    }
    if (!variable.opaque.empty() || variable.type == Type::kB128) {
      if (again || !module.unsupported.emplace(variable.name, &variable).second)
        module.fail(variable.where, fmt::format("variable '{}' is declared twice", variable.name));
      continue;
    }
    if (isa::type_bytes(variable.type) == 0)
      module.fail(variable.where,
                  fmt::format("a variable of type .{} is not supported", isa::type_name(variable.type)));
    if (variable.external) {
      if (again) continue;
      VariableSymbol& symbol = module.globals[variable.name];
      symbol.space = variable.space;
      symbol.defined = false;
      const VariableSymbol* const other =
          module.library == nullptr ? nullptr : module.library->find_variable(variable.name);
      if (other != nullptr) symbol = *other;
      continue;
    }
    const std::uint64_t bytes = variable_bytes(variable);
    if (bytes == 0) module.fail(variable.where, fmt::format("array '{}' has no size", variable.name));
    isa::GlobalVariable global;
    global.name = variable.name;
    global.space = variable.space;
    global.bytes = bytes;
    global.align = variable_align(variable);
    if (variable.space == StateSpace::kConst) constants.add(module, variable, bytes);
    global.address = allocate(global.name, bytes, global.align);
    VariableSymbol& symbol = module.globals[variable.name];
    symbol.space = variable.space;
    symbol.address = global.address;
    symbol.bytes = bytes;
    symbol.defined = true;
    placed.push_back(std::move(global));
    declarations.push_back(&variable);
  }
  for (std::size_t i = 0; i < placed.size(); ++i) placed[i].initial = initial_bytes(module, *declarations[i]);
  return placed;
}

}  // namespace heddle::ptx
