#include "frontend/ptx/decode/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace heddle::ptx {
namespace {

constexpr std::uint64_t kMostParamBytes = 32764;                      // CUDA 12.1 on sm_70 and later
constexpr std::uint64_t kMostLocalBytes = std::uint64_t{512} * 1024;  // CUDA: 512 KB per thread

std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

/// Names that a function's instructions mention as symbols.
void collect_names(const std::vector<Operand>& operands, std::unordered_set<std::string_view>& names) {
  for (const Operand& operand : operands) {
    if (const auto* symbol = std::get_if<SymbolName>(&operand.value)) names.insert(symbol->name);
    if (const auto* at = std::get_if<AddressOperand>(&operand.value))
      if (!at->base_is_register) names.insert(at->base);
    if (const auto* vector = std::get_if<VectorOperand>(&operand.value))
      collect_names(vector->elements, names);
  }
}

/// Calls fn for every statement of the block and the blocks within, in the order of the text.
template <class Fn>
void for_each_statement(const Block& block, Fn&& fn) {
  for (const Statement& statement : block.statements) {
    fn(statement);
    if (const auto* inner = std::get_if<std::shared_ptr<Block>>(&statement)) for_each_statement(**inner, fn);
  }
}

class StorageLayout {
 public:
  explicit StorageLayout(const ModuleContext& module) : module_(module) {}

  void add(const VariableDecl& variable) {
    if (variable.space == StateSpace::kShared && is_open(variable)) {
      open_.push_back(&variable);
      return;
    }
    const bool shared = variable.space == StateSpace::kShared;
    std::uint64_t& used = shared ? shared_ : local_;
    if (!variable.initial.empty())
      module_.fail(variable.where, fmt::format(".{} variable '{}' cannot have initial values",
                                               isa::space_name(variable.space), variable.name));
    if (variable_bytes(variable) == 0)
      module_.fail(variable.where, fmt::format("array '{}' has no size", variable.name));
    used = align_up(used, variable_align(variable));
    offsets_[&variable] = used;
    used += variable_bytes(variable);
    const std::uint64_t limit = shared ? isa::kSharedWindowBytes : kMostLocalBytes;
    if (used > limit)
      module_.fail(variable.where, fmt::format("the kernel's .{} variables take more than {} bytes",
                                               isa::space_name(variable.space), limit));
  }

  KernelStorage finish() {
    // All .extern .shared arrays are the same memory: what the launch adds behind the static variables.
    std::uint64_t align = 1;
    for (const VariableDecl* variable : open_)
      align = std::max<std::uint64_t>(align, variable_align(*variable));
    shared_ = align_up(shared_, align);
    for (const VariableDecl* variable : open_) offsets_[variable] = shared_;
    return {std::move(offsets_), static_cast<std::uint32_t>(shared_),
            static_cast<std::uint32_t>(align_up(local_, 8))};
  }

 private:
  static bool is_open(const VariableDecl& variable) {
    return variable.external && variable.is_array && !variable.dims.empty() && variable.dims[0] == 0;
  }

  const ModuleContext& module_;
  std::unordered_map<const VariableDecl*, std::uint64_t> offsets_;
  std::vector<const VariableDecl*> open_;
  std::uint64_t shared_ = 0;
  std::uint64_t local_ = 0;
};

}  // namespace

std::uint64_t variable_bytes(const VariableDecl& variable) {
  std::uint64_t elements = variable.vector;  // the parser bounds the product
  for (const std::uint64_t size : variable.dims) elements *= size;
  return elements * isa::type_bytes(variable.type);
}

std::uint32_t variable_align(const VariableDecl& variable) {
  return variable.align != 0 ? variable.align
                             : std::max(1u, isa::type_bytes(variable.type) * variable.vector);
}

std::vector<isa::Param> layout_params(const ModuleContext& module, const Function& function,
                                      std::uint32_t& total) {
  std::vector<isa::Param> params;
  std::uint64_t used = 0;
  for (const ParamDecl& declared : function.params) {
    const unsigned size = isa::type_bytes(declared.type);
    if (size == 0)
      module.fail(declared.where,
                  fmt::format("a kernel parameter cannot be .{}", isa::type_name(declared.type)));
    const std::uint64_t elements = declared.is_array ? declared.array_elements : 1;
    if (elements == 0 || elements > kMostParamBytes)
      module.fail(declared.where, fmt::format("parameter '{}' cannot have {} elements", declared.name,
                                              declared.array_elements));
    isa::Param param;
    param.name = declared.name;
    param.type = declared.type;
    param.align = declared.align != 0 ? declared.align : size;
    used = align_up(used, param.align);
    param.offset = static_cast<std::uint32_t>(used);
    param.bytes = static_cast<std::uint32_t>(elements * size);
    used += param.bytes;
    if (used > kMostParamBytes)
      module.fail(declared.where,
                  fmt::format("the kernel's parameters take more than {} bytes", kMostParamBytes));
    params.push_back(std::move(param));
  }
  total = static_cast<std::uint32_t>(used);
  return params;
}

KernelStorage layout_storage(const ModuleContext& module, const Function& function) {
  std::unordered_set<std::string_view> names;
  for_each_statement(function.body, [&](const Statement& statement) {
    if (const auto* instruction = std::get_if<Instruction>(&statement))
      collect_names(instruction->operands, names);
  });
  StorageLayout layout(module);
  for (const VariableDecl& variable : module.ast.variables)
    if (variable.space == StateSpace::kShared && names.contains(variable.name)) layout.add(variable);
  for_each_statement(function.body, [&](const Statement& statement) {
    const auto* variable = std::get_if<VariableDecl>(&statement);
    if (variable == nullptr || !names.contains(variable->name)) return;
    if (variable->space == StateSpace::kShared || variable->space == StateSpace::kLocal)
      layout.add(*variable);
  });
  return layout.finish();
}

}  // namespace heddle::ptx
