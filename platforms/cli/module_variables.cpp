#include "cli/module_variables.h"

#include "frontend/listing/listing.h"
#include "frontend/ptx/ast.h"
#include "frontend/ptx/decode/layout.h"
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

std::vector<ModuleVariable> module_variables(const std::string& path) {
  const ptx::Module tree = listing::parse_module(host::ptx_text_of_file(path), path);
  std::vector<ModuleVariable> variables;
  for (const ptx::VariableDecl& variable : tree.variables)
    if ((variable.space == isa::StateSpace::kGlobal || variable.space == isa::StateSpace::kConst) &&
        !variable.external && variable.opaque.empty())
      variables.push_back({variable.name, printed_as(variable.type), ptx::variable_bytes(variable)});
  return variables;
}

}  // namespace heddle::cli
