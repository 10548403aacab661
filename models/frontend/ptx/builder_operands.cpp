// The builder's functions for operands.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/ptx/builder.h"
#include "frontend/ptx/constant_expression.h"
#include "frontend/ptx/diagnostic.h"

namespace heddle::ptx {

// --- operands

bool Builder::is_register(const std::string& name) const {
  if (name.front() == '%') return true;
  // q.x: an element of a vector register; r.b0: a part of the operand of a video instruction
  const std::string whole = name.substr(0, name.find('.'));
  for (auto scope = registers_.rbegin(); scope != registers_.rend(); ++scope) {
    if (scope->single.contains(whole)) return true;
    if (scope->ranges.empty()) continue;
    std::string prefix = whole;
    while (!prefix.empty() && prefix.back() >= '0' && prefix.back() <= '9') {
      prefix.pop_back();
      if (scope->ranges.contains(prefix)) return true;
    }
  }
  return false;
}

std::vector<Operand>& Builder::operand_list() {
  if (in_address_) return address_.coordinates;
  return in_group_ ? group_ : instruction_.operands;
}

void Builder::push(Operand operand) {
  operand.negated = std::exchange(negate_, false);
  operand.minus = std::exchange(minus_name_, false);
  if (operand.minus && instruction_.opcode != "vmad")
    error(operand.where, fmt::format("{} takes no negated operand", printable(instruction_.opcode)),
          "Only a number may have a sign here: negate the register with neg first.");
  operand_list().push_back(std::move(operand));
}

void Builder::operand_name(std::string_view text, SourceLoc where) {
  subscripts_ = 0;
  subscript_stride_ = 0;
  Operand operand;
  operand.where = where;
  std::string name(text);
  if (name == "_")
    operand.value = SinkOperand{};
  else if (is_register(name))
    operand.value = RegisterName{std::move(name)};
  else
    operand.value = SymbolName{std::move(name), 0, false, ~std::uint64_t{0}, {}};
  push(std::move(operand));
}

void Builder::operand_generic(std::string_view name, SourceLoc where) {
  Operand operand;
  operand.where = where;
  operand.value = SymbolName{std::string(name), 0, true, ~std::uint64_t{0}, {}};
  push(std::move(operand));
}

std::variant<IntegerLiteral, FloatLiteral> Builder::number(std::string_view text, SourceLoc where) {
  const bool negative = std::exchange(minus_, false);
  if (negative) where = minus_where_;
  auto result = evaluate_constant(text, negative);
  if (auto* bad = std::get_if<NumberError>(&result)) error(where, bad->message);
  if (auto* integer = std::get_if<IntegerLiteral>(&result)) return *integer;
  return std::get<FloatLiteral>(result);
}

void Builder::operand_number(std::string_view text, SourceLoc where) {
  // call f, (4): a list of one
  if (text.starts_with('(') && instruction_.opcode == "call" && !in_group_) {
    group_open(where);
    operand_number(text, where);
    group_close(true);
    return;
  }
  Operand operand;
  operand.where = minus_ ? minus_where_ : where;
  std::visit([&](auto literal) { operand.value = literal; }, number(text, where));
  push(std::move(operand));
}

void Builder::second_name(std::string_view name, SourceLoc where) {
  auto second = std::make_shared<Operand>();
  second->where = where;
  if (name == "_")
    second->value = SinkOperand{};
  else
    second->value = RegisterName{std::string(name)};
  operand_list().back().second = std::move(second);
}

void Builder::offset(std::string_view text, SourceLoc where) {
  const auto literal = number(text, where);
  const auto* integer = std::get_if<IntegerLiteral>(&literal);
  if (integer == nullptr) error(where, "an address offset must be an integer");
  if (subscript_stride_ != 0) return add_elements(integer->bits, subscript_stride_, where);
  const auto value = static_cast<std::int64_t>(integer->bits);
  std::int64_t* sum = nullptr;
  if (in_address_) {
    sum = &address_.offset;
  } else {
    SymbolName* symbol = in_initialiser_ ? std::get_if<SymbolName>(&item_.initial.back().value)
                                         : std::get_if<SymbolName>(&operand_list().back().value);
    if (symbol == nullptr)
      error(where, "only an address may have an offset", "Put it in brackets: [base+offset].");
    sum = &symbol->offset;
  }
  if (__builtin_add_overflow(*sum, value, sum)) error(where, "the address offset does not fit in 64 bits");
}

Builder::ArrayShape Builder::array_shape(const std::string& name) const {
  const auto shape = [](const VariableDecl& variable) {
    return ArrayShape{std::uint64_t{isa::type_bytes(variable.type)} * variable.vector, variable.dims};
  };
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
    for (const Statement& statement : block->statements)
      if (const auto* variable = std::get_if<VariableDecl>(&statement))
        if (variable->name == name) return shape(*variable);
  for (const ParamDecl& param : function_.params)
    if (param.name == name) return {isa::type_bytes(param.type), {param.array_elements}};
  for (const VariableDecl& variable : module_.variables)
    if (variable.name == name) return shape(variable);
  return {};
}

std::int64_t* Builder::offset_of(Operand& operand) {
  if (auto* address = std::get_if<AddressOperand>(&operand.value)) return &address->offset;
  if (auto* symbol = std::get_if<SymbolName>(&operand.value)) return &symbol->offset;
  return nullptr;
}

std::uint64_t Builder::begin_subscript(SourceLoc where) {
  Operand& operand = operand_list().back();
  // Addresses elsewhere are in brackets; here a[3] is written without them.
  const bool wants_value = instruction_.opcode == "mov" || instruction_.opcode == "cvta" || in_group_;
  if (auto* symbol = std::get_if<SymbolName>(&operand.value); symbol != nullptr && !wants_value)
    operand.value = AddressOperand{symbol->name, false, 0, {}, {}};
  auto* address = std::get_if<AddressOperand>(&operand.value);
  auto* symbol = std::get_if<SymbolName>(&operand.value);
  if (address == nullptr && symbol == nullptr) error(where, "only a variable can have a subscript");
  const std::string& name = address != nullptr ? address->base : symbol->name;
  const ArrayShape shape = array_shape(name);
  if (shape.element_bytes == 0)
    error(where, fmt::format("'{}' is no variable that is declared before", printable(name)));
  if (subscripts_ >= std::max<std::size_t>(1, shape.dims.size()))
    error(where, fmt::format("'{}' has more subscripts than dimensions", printable(name)));
  std::uint64_t stride = shape.element_bytes;
  for (std::size_t i = subscripts_ + 1; i < shape.dims.size(); ++i) stride *= shape.dims[i];
  ++subscripts_;
  return stride;
}

void Builder::add_elements(std::uint64_t index, std::uint64_t stride, SourceLoc where) {
  std::int64_t& offset = *offset_of(operand_list().back());
  std::int64_t step = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(index), static_cast<std::int64_t>(stride), &step) ||
      __builtin_add_overflow(offset, step, &offset))
    error(where, "the address offset does not fit in 64 bits");
}

void Builder::subscript(std::string_view text, SourceLoc where) {
  auto result = evaluate_constant(text, false);
  if (auto* bad = std::get_if<NumberError>(&result)) error(where, bad->message);
  const auto* index = std::get_if<IntegerLiteral>(&result);
  if (index == nullptr) error(where, "a subscript must be an integer");
  add_elements(index->bits, begin_subscript(where), where);
}

void Builder::subscript_register(std::string_view name, SourceLoc where) {
  if (!is_register(std::string(name)))
    error(where, fmt::format("'{}' is no register: a subscript is a constant, a register, or a register and "
                             "a constant",
                             printable(std::string(name))));
  subscript_stride_ = begin_subscript(where);
  RegisterSubscript subscript{std::string(name), subscript_stride_};
  Operand& operand = operand_list().back();
  if (auto* address = std::get_if<AddressOperand>(&operand.value))
    address->subscripts.push_back(std::move(subscript));
  else
    std::get<SymbolName>(operand.value).subscripts.push_back(std::move(subscript));
}

void Builder::group_open(SourceLoc where) {
  in_group_ = true;
  group_where_ = where;
  group_.clear();
}

void Builder::group_close(bool as_list) {
  in_group_ = false;
  Operand operand;
  operand.where = group_where_;
  operand.value = VectorOperand{std::move(group_), as_list};
  group_.clear();
  instruction_.operands.push_back(std::move(operand));
}

void Builder::address_open(SourceLoc where) {
  in_address_ = true;
  address_ = {};
  address_where_ = where;
}

void Builder::address_name(std::string_view name) {
  address_.base = name;
  address_.base_is_register = is_register(address_.base);
}

void Builder::address_close() {
  in_address_ = false;
  Operand operand;
  operand.where = address_where_;
  operand.value = std::move(address_);
  instruction_.operands.push_back(std::move(operand));
}

}  // namespace heddle::ptx
