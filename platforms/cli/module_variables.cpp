#include "cli/module_variables.h"

#include <algorithm>
#include <span>

#include "frontend/listing/listing.h"
#include "frontend/ptx/ast.h"
#include "frontend/ptx/decode/layout.h"
#include "frontend/sass/module_image.h"
#include "host/module_bytes.h"

namespace heddle::cli {
namespace {

/// The type that a variable's elements are shown in: bits and small floats as unsigned integers of their size.
isa::Type printed_as(isa::Type type) {
  using isa::Type;
  if (isa::is_signed(type) || type == Type::kF32 || type == Type::kF64) return type;
  switch (isa::type_bytes(type)) {
    case 2:
      return Type::kU16;
    case 4:
      return Type::kU32;
    case 8:
      return Type::kU64;
    default:
      return Type::kU8;
  }
}

}  // namespace

namespace {

/// A cubin knows sizes, not types.
std::vector<ModuleVariable> variables_of(const sass::Cubin& cubin) {
  constexpr std::uint64_t kWord = 4;
  std::vector<ModuleVariable> variables;
  const auto holds = [](const sass::DataSection& section, const sass::Symbol& symbol) {
    return section.name == symbol.section;
  };
  for (const sass::Symbol& symbol : cubin.symbols) {
    const bool is_variable =
        symbol.is_object && ((cubin.bank3 && holds(*cubin.bank3, symbol)) ||
                             std::any_of(cubin.globals.begin(), cubin.globals.end(),
                                         [&](const sass::DataSection& each) { return holds(each, symbol); }));
    if (is_variable)
      variables.push_back(
          {symbol.name, symbol.size % kWord == 0 ? isa::Type::kU32 : isa::Type::kU8, symbol.size});
  }
  return variables;
}

}  // namespace

std::vector<ModuleVariable> module_variables(const std::string& path) {
  const std::string bytes = host::read_module_file(path);
  const auto module = std::as_bytes(std::span(bytes));
  if (sass::is_machine_code(module)) return variables_of(sass::cubin_of(module, path));
  const ptx::Module tree = listing::parse_module(host::ptx_text_of(module, path), path);
  std::vector<ModuleVariable> variables;
  for (const ptx::VariableDecl& variable : tree.variables)
    if ((variable.space == isa::StateSpace::kGlobal || variable.space == isa::StateSpace::kConst) &&
        !variable.external && variable.opaque.empty())
      variables.push_back({variable.name, printed_as(variable.type), ptx::variable_bytes(variable)});
  return variables;
}

}  // namespace heddle::cli
