#include "oracle/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "oracle/bits.h"
#include "oracle/specials.h"

namespace heddle::oracle {

std::optional<Type> type_named(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Type>, 24> kTypes{{
      {"pred", Type::kPred}, {"bf16", Type::kBf16},   {"bf16x2", Type::kBf16x2}, {"tf32", Type::kTf32},
      {"e4m3", Type::kE4m3}, {"e5m2", Type::kE5m2},   {"e4m3x2", Type::kE4m3x2}, {"e5m2x2", Type::kE5m2x2},
      {"b8", Type::kB8},     {"b16", Type::kB16},     {"b32", Type::kB32},       {"b64", Type::kB64},
      {"u8", Type::kU8},     {"u16", Type::kU16},     {"u32", Type::kU32},       {"u64", Type::kU64},
      {"s8", Type::kS8},     {"s16", Type::kS16},     {"s32", Type::kS32},       {"s64", Type::kS64},
      {"f16", Type::kF16},   {"f16x2", Type::kF16x2}, {"f32", Type::kF32},       {"f64", Type::kF64},
  }};
  for (const auto& [word, type] : kTypes)
    if (word == name) return type;
  return std::nullopt;
}

unsigned type_bits(Type type) { return type == Type::kPred ? 1 : isa::type_bytes(type) * 8; }

namespace {
/// A CTA is a cluster of its own.
std::vector<std::string> in_own_cluster(std::vector<std::string> modifiers) {
  std::replace(modifiers.begin(), modifiers.end(), std::string("shared::cluster"),
               std::string("shared::cta"));
  return modifiers;
}
}  // namespace

Builder::Builder(Surroundings& around, const FunctionNames::Line& line)
    : around_(around),
      names_(around.names),
      instruction_(*line.instruction),
      scope_(line.scope),
      left_(in_own_cluster(line.instruction->modifiers)) {
  step.where = instruction_.where;
  if (!instruction_.guard.empty()) {
    const auto guard = names_.find_register(scope_, instruction_.guard);
    if (!guard || guard->type != Type::kPred)
      fail("guard '" + instruction_.guard + "' is not a predicate register");
    step.guard = static_cast<std::int32_t>(guard->slot);
    step.guard_negated = instruction_.guard_negated;
  }
}

const ptx::Operand& Builder::operand(std::size_t index) const {
  if (index >= instruction_.operands.size()) fail("'" + opcode() + "' has too few operands");
  return instruction_.operands[index];
}

bool Builder::has_modifier(std::string_view word) const {
  return std::find(instruction_.modifiers.begin(), instruction_.modifiers.end(), word) !=
         instruction_.modifiers.end();
}

bool Builder::take(std::string_view word) {
  const auto found = std::find(left_.begin(), left_.end(), word);
  if (found == left_.end()) return false;
  left_.erase(found);
  return true;
}

bool Builder::take_prefixed(std::string_view prefix) {
  const auto found =
      std::find_if(left_.begin(), left_.end(), [&](const auto& m) { return m.starts_with(prefix); });
  if (found == left_.end()) return false;
  left_.erase(found);
  return true;
}

Type Builder::take_type() {
  for (auto at = left_.begin(); at != left_.end(); ++at)
    if (const auto type = type_named(*at)) {
      left_.erase(at);
      return *type;
    }
  refuse();
}

std::optional<Register> Builder::register_of(const ptx::Operand& operand) {
  if (const auto* reg = std::get_if<ptx::RegisterName>(&operand.value))
    return names_.find_register(scope_, reg->name);
  if (const auto* symbol = std::get_if<ptx::SymbolName>(&operand.value); symbol && symbol->offset == 0)
    return names_.find_register(scope_, symbol->name);
  return std::nullopt;
}

void Builder::check_width(const std::string& name, Type declared, Type used, bool exact) const {
  const bool predicate_mismatch = (declared == Type::kPred) != (used == Type::kPred);
  const bool width_mismatch =
      exact ? type_bits(declared) != type_bits(used) : type_bits(declared) < type_bits(used);
  if (predicate_mismatch || width_mismatch)
    fail("register '" + name + "' has " + std::to_string(type_bits(declared)) + " bits, '" + opcode() +
         "' needs " + std::to_string(type_bits(used)));
}

namespace {
std::string text_of(const ptx::Operand& operand) {
  if (const auto* reg = std::get_if<ptx::RegisterName>(&operand.value)) return reg->name;
  if (const auto* symbol = std::get_if<ptx::SymbolName>(&operand.value)) return symbol->name;
  return "operand";
}

/// ld, st and cvt accept registers wider than the type; everything else needs the type's width.
bool accepts_wider(Kind kind, const std::string& opcode) {
  return kind == Kind::kLoad || kind == Kind::kStore || kind == Kind::kTexture || opcode == "cvt";
}
}  // namespace

void Builder::add_target(const ptx::Operand& operand, Type type) {
  if (step.targets == step.target.size()) fail("'" + opcode() + "' has too many results");
  Target& target = step.target[step.targets++];
  if (std::holds_alternative<ptx::SinkOperand>(operand.value)) return;
  const auto reg = register_of(operand);
  if (!reg) fail("'" + text_of(operand) + "' is not a declared register");
  check_width(text_of(operand), reg->type, type, !accepts_wider(step.kind, opcode()));
  target = {static_cast<std::int32_t>(reg->slot), low_bits(type_bits(reg->type))};
}

std::uint64_t Builder::float_bits(const ptx::FloatLiteral& literal, Type type) const {
  if (literal.width == 32)
    return type == Type::kF64 ? bits_of(static_cast<double>(value_of<float>(literal.bits))) : literal.bits;
  if (type == Type::kF32) return bits_of(static_cast<float>(literal.value));
  return literal.bits;
}

std::uint64_t generic_window(StateSpace space, bool in_frame) {
  if (space == StateSpace::kShared) return isa::kSharedWindowBase;
  if (space == StateSpace::kLocal || in_frame) return isa::kLocalWindowBase;
  return space == StateSpace::kParam ? kParamWindowBase : 0;
}

Source Builder::resolved_source(const ptx::Operand& operand, Type type) {
  Source source;
  source.negated = operand.negated;
  if (operand.negated && type != Type::kPred) fail("only predicates can be negated with '!'");
  if (const auto* integer = std::get_if<ptx::IntegerLiteral>(&operand.value)) {
    source.bits = integer->bits & low_bits(type_bits(type));
    return source;
  }
  if (const auto* literal = std::get_if<ptx::FloatLiteral>(&operand.value)) {
    source.bits = float_bits(*literal, type);
    return source;
  }
  if (const auto reg = register_of(operand)) {
    check_width(text_of(operand), reg->type, type, !accepts_wider(step.kind, opcode()));
    source.from = Source::From::kSlot;
    source.slot = reg->slot;
    return source;
  }
  const std::string name = text_of(operand);
  if (name == "WARP_SZ") {
    source.bits = 32;
    return source;
  }
  if (const auto special = special_named(name)) {
    source.from = Source::From::kSpecial;
    source.special = *special;
    return source;
  }
  if (const auto symbol = names_.find_symbol(scope_, name)) {
    const auto* written = std::get_if<ptx::SymbolName>(&operand.value);
    source.bits = symbol->value + static_cast<std::uint64_t>(written ? written->offset : 0);
    if (symbol->in_frame) source.from = Source::From::kFrame;
    if (written && written->generic) source.bits += generic_window(symbol->space, symbol->in_frame);
    if (written && !written->subscripts.empty()) {
      source.from = Source::From::kElement;
      source.slot = element(written->subscripts);
      around_.program.elements[source.slot].in_frame = symbol->in_frame;
      around_.program.elements[source.slot].mask = low_bits(type_bits(type));
      return source;
    }
    if (!symbol->in_frame) source.bits &= low_bits(type_bits(type));
    return source;
  }
  if (name.starts_with("%"))
    fail("'" + name + "' is neither a declared register nor a special register the oracle has");
  fail_unknown(name);
}

void Builder::add_source(const ptx::Operand& operand, Type type) {
  if (step.sources == step.source.size()) fail("'" + opcode() + "' has too many operands");
  step.source[step.sources] = resolved_source(operand, type);
  ++step.sources;
}

void Builder::target(std::size_t index, Type type) { add_target(operand(index), type); }

void Builder::second_target(std::size_t index, Type type) {
  if (const auto& second = operand(index).second) add_target(*second, type);
}

void Builder::source(std::size_t index, Type type) { add_source(operand(index), type); }

namespace {
const std::vector<ptx::Operand>* braced(const ptx::Operand& operand) {
  const auto* vector = std::get_if<ptx::VectorOperand>(&operand.value);
  return vector ? &vector->elements : nullptr;
}
}  // namespace

void Builder::targets(std::size_t index, unsigned count, Type type) {
  const ptx::Operand& whole = operand(index);
  const auto* elements = braced(whole);
  if (!elements && count > 1) {
    const std::vector<Register> registers = names_.find_vector(scope_, text_of(whole));
    if (registers.size() == count) {
      for (const Register& reg : registers) {
        check_width(text_of(whole), reg.type, type, !accepts_wider(step.kind, opcode()));
        step.target[step.targets++] = {static_cast<std::int32_t>(reg.slot), low_bits(type_bits(reg.type))};
      }
      return;
    }
  }
  if ((elements ? elements->size() : 1) != count)
    fail("'" + opcode() + "' needs " + std::to_string(count) + " elements");
  if (!elements) return add_target(whole, type);
  for (const ptx::Operand& element : *elements) add_target(element, type);
}

void Builder::sources(std::size_t index, unsigned count, Type type) {
  const ptx::Operand& whole = operand(index);
  const auto* elements = braced(whole);
  if (!elements && count > 1) {
    const std::vector<Register> registers = names_.find_vector(scope_, text_of(whole));
    if (registers.size() == count) {
      for (const Register& reg : registers) {
        check_width(text_of(whole), reg.type, type, !accepts_wider(step.kind, opcode()));
        Source& source = step.source[step.sources++];
        source.from = Source::From::kSlot;
        source.slot = reg.slot;
      }
      return;
    }
    const std::string name = text_of(whole);
    if (count == 4 && special_named(name + ".x") && special_named(name + ".w")) {
      for (const char dimension : std::string_view("xyzw")) {
        Source& source = step.source[step.sources++];
        source.from = Source::From::kSpecial;
        source.special = special_named(name + "." + dimension).value();
      }
      return;
    }
  }
  if ((elements ? elements->size() : 1) != count)
    fail("'" + opcode() + "' needs " + std::to_string(count) + " elements");
  if (!elements) return add_source(whole, type);
  for (const ptx::Operand& element : *elements) add_source(element, type);
}

unsigned Builder::vector_size(std::size_t index) {
  const auto* reg = std::get_if<ptx::RegisterName>(&operand(index).value);
  return reg ? static_cast<unsigned>(names_.find_vector(scope_, reg->name).size()) : 0;
}

std::uint32_t Builder::element(const std::vector<ptx::RegisterSubscript>& subscripts) {
  Element element;
  for (const ptx::RegisterSubscript& subscript : subscripts) {
    const auto reg = names_.find_register(scope_, subscript.name);
    if (!reg) fail("subscript '" + subscript.name + "' is not a declared register");
    const bool is_float = isa::is_float(reg->type);
    const unsigned bits = type_bits(reg->type);
    if (is_float || (bits != 32 && bits != 64))
      fail("subscript '" + subscript.name + "' must be an integer of 32 or 64 bits");
    element.terms.push_back({reg->slot, subscript.stride, reg->type == Type::kS32});
  }
  around_.program.elements.push_back(std::move(element));
  return static_cast<std::uint32_t>(around_.program.elements.size() - 1);
}

void Builder::address(std::size_t index, StateSpace space) {
  const auto* address = std::get_if<ptx::AddressOperand>(&operand(index).value);
  if (!address) fail("'" + opcode() + "' needs an address in brackets");
  if (!address->coordinates.empty()) refuse();
  step.space = space;
  step.displacement = address->offset;
  if (address->base.empty()) return;
  if (const auto reg = names_.find_register(scope_, address->base)) {
    const unsigned bits = type_bits(reg->type);
    if (bits != 32 && bits != 64) fail("address register '" + address->base + "' must have 32 or 64 bits");
    step.base = static_cast<std::int32_t>(reg->slot);
    step.narrow_address = bits == 32;
    return;
  }
  const auto symbol = names_.find_symbol(scope_, address->base);
  if (!symbol) fail_unknown(address->base);
  if (symbol->space == StateSpace::kNone) fail("'" + address->base + "' is a function, not memory");
  if (!address->subscripts.empty()) step.element = static_cast<std::int32_t>(element(address->subscripts));
  step.displacement += static_cast<std::int64_t>(symbol->value);
  step.in_frame = symbol->in_frame;
  if (space == StateSpace::kGeneric)
    step.displacement += static_cast<std::int64_t>(generic_window(symbol->space, symbol->in_frame));
  else if (symbol->space != space)
    fail("'" + address->base + "' is not in the state space that '" + opcode() + "' accesses");
  else if (symbol->in_frame)
    step.space = StateSpace::kLocal;  // parameters of calls live on the stack
}

void Builder::constant_source(std::uint64_t bits) {
  Source& source = step.source[step.sources++];
  source = Source{};
  source.bits = bits;
}

void Builder::branch_target(std::size_t index) {
  const std::string name = text_of(operand(index));
  const auto label = names_.find_label(scope_, name);
  if (!label) fail("no label '" + name + "'");
  step.jump = around_.first_step + *label;
}

const ptx::Instruction& Builder::table(std::size_t index) const {
  const std::string name = text_of(operand(index));
  const FunctionNames::Table* found = names_.find_table(scope_, name);
  if (!found) fail("no table '" + name + "' of targets or prototype in this function");
  return *found->instruction;
}

std::vector<std::uint32_t> Builder::branch_table(std::size_t index) const {
  const ptx::Instruction& targets = table(index);
  if (targets.opcode != ".branchtargets") fail("'" + text_of(operand(index)) + "' is no .branchtargets");
  std::vector<std::uint32_t> steps;
  for (const ptx::Operand& operand : targets.operands) {
    const auto label = names_.find_label(scope_, text_of(operand));
    if (!label) fail("no label '" + text_of(operand) + "'");
    steps.push_back(around_.first_step + *label);
  }
  return steps;
}

Actual Builder::actual(const ptx::Operand& operand, const Formal* formal, bool is_result) {
  Actual result;
  if (const auto* part = std::get_if<ptx::SymbolName>(&operand.value);
      part && (part->offset != 0 || !part->subscripts.empty()))
    fail("a call takes a .param variable as a whole, not a part of '" + part->name + "'");
  const auto reg = register_of(operand);
  const auto symbol = reg ? std::nullopt : names_.find_symbol(scope_, text_of(operand));
  if (symbol && symbol->space == StateSpace::kParam) {
    if (!symbol->in_frame) fail("a kernel's parameter cannot be passed on as it is");
    result.in_frame = true;
    result.offset = static_cast<std::uint32_t>(symbol->value);
    result.bytes = static_cast<std::uint32_t>(symbol->bytes);
    if (formal && formal->bytes != result.bytes)
      fail(fmt::format("'{}' has {} bytes, the function's parameter {}", text_of(operand), result.bytes,
                       formal->bytes));
    return result;
  }
  if (!is_result) {
    result.value = resolved_source(operand, reg ? reg->type : Type::kB64);
    return result;
  }
  if (std::holds_alternative<ptx::SinkOperand>(operand.value)) return result;
  if (!reg) fail("'" + text_of(operand) + "' is not a declared register or .param variable");
  result.target = {static_cast<std::int32_t>(reg->slot), low_bits(type_bits(reg->type))};
  return result;
}

void Builder::carry_source() {
  Source& source = step.source[step.sources++];
  source.from = Source::From::kSlot;
  source.slot = names_.carry_slot();
}

void Builder::carry_target() {
  step.target[step.targets++] = {static_cast<std::int32_t>(names_.carry_slot()), 1};
}

void Builder::expect_operands(std::size_t least, std::size_t most) {
  if (operands() < least || operands() > most) fail("'" + opcode() + "' has the wrong number of operands");
}

void Builder::uniform_operands(std::size_t count) {
  expect_operands(count + 1, count + 1);
  target(0, step.type);
  for (std::size_t i = 1; i <= count; ++i) source(i, step.type);
}

void Builder::refuse() const {
  std::string text = opcode();
  for (const std::string& modifier : instruction_.modifiers) text += "." + modifier;
  fail("instruction '" + text + "' is not supported by the oracle");
}

void Builder::fail_unknown(const std::string& name) const {
  for (const ptx::VariableDecl& variable : around_.module.variables)
    if (variable.name == name && !variable.opaque.empty())
      fail("variable '" + name + "' of type '." + variable.opaque + "' is not supported");
  fail("'" + name + "' is not declared");
}

void Builder::fail(const std::string& message) const {
  throw base::InputError(place_of(around_.module, instruction_.where), message);
}

void Builder::finish() const {
  const bool computes = step.kind == Kind::kCompute || step.kind == Kind::kPredicates;
  if (!left_.empty() || (computes && step.eval == nullptr)) refuse();
  if (step.kind == Kind::kPair && step.pair_eval == nullptr) refuse();
}

}  // namespace heddle::oracle
