#include "frontend/ptx/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "frontend/ptx/constant_expression.h"
#include "frontend/ptx/diagnostic.h"
#include "frontend/ptx/number.h"

namespace heddle::ptx {
namespace {

/// Nested { }: compilers nest two or three levels; the limit keeps hostile input from exhausting the stack.
constexpr std::size_t kDeepestBlock = 64;
constexpr std::uint64_t kMostRegisters = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 48;
constexpr std::uint64_t kMostAlign = 1u << 12;
/// Elements that may be added for a row's missing initial values: keeps memory proportional to the text.
constexpr std::uint64_t kMostPadding = 1u << 16;

std::string_view without_dot(std::string_view dotted) { return dotted.substr(1); }

}  // namespace

Type type_from_name(std::string_view name) {
  for (auto t = static_cast<unsigned>(Type::kPred); t <= static_cast<unsigned>(Type::kF64); ++t)
    if (isa::type_name(static_cast<Type>(t)) == name) return static_cast<Type>(t);
  return Type::kNone;
}

Builder::Builder(std::shared_ptr<const isa::SourceText> source) { module_.source = std::move(source); }

Module Builder::take() { return std::move(module_); }

void Builder::error(SourceLoc where, const std::string& message, const std::string& remedy) const {
  fail(source(), where, message, remedy);
}

void Builder::target(std::string_view text) {
  if (module_.target.empty()) module_.target = text;  // further names are options: debug, texmode_independent
}

void Builder::address_size(std::string_view text, SourceLoc where) {
  const std::uint64_t size = count(text, 64, where);
  if (size != 32 && size != 64) error(where, fmt::format("address size {} is neither 32 nor 64", size));
  module_.address_size = static_cast<unsigned>(size);
  module_.address_size_where = where;
}

std::uint64_t Builder::count(std::string_view text, std::uint64_t limit, SourceLoc where) const {
  const auto number = evaluate_constant(text, false);
  if (const auto* bad = std::get_if<NumberError>(&number)) error(where, bad->message);
  const auto* integer = std::get_if<IntegerLiteral>(&number);
  if (integer == nullptr) error(where, fmt::format("'{}' is not an integer", text));
  if (integer->negative) error(where, fmt::format("{} is negative", text));
  if (integer->bits > limit) error(where, fmt::format("{} is too large (at most {})", text, limit));
  return integer->bits;
}

// --- declarations

void Builder::type(std::string_view dotted, SourceLoc where) {
  const std::string name(without_dot(dotted));
  type_ = type_from_name(name);
  if (type_ != Type::kNone) return;
  if (name == "texref" || name == "samplerref" || name == "surfref") {
    opaque_ = name;  // only its uses are refused
    opaque_where_ = where;
    return;
  }
  error(where, fmt::format("unknown type '.{}'", name));
}

void Builder::refuse_opaque() const {
  if (opaque_.empty()) return;
  error(opaque_where_, fmt::format("type '.{}' is not supported", opaque_), kNoTextures);
}

void Builder::align(std::string_view text, SourceLoc where) {
  const std::uint64_t bytes = count(text, kMostAlign, where);
  if (bytes == 0 || (bytes & (bytes - 1)) != 0)
    error(where, fmt::format("alignment {} is not a power of two", bytes));
  align_ = static_cast<std::uint32_t>(bytes);
}

void Builder::declaration_name(std::string_view name, SourceLoc where) {
  item_ = {};
  item_.name = name;
  item_.where = where;
  register_count_ = 0;
  is_range_ = false;
}

void Builder::dimension_open() {
  item_.is_array = true;
  item_.dims.push_back(0);
}

void Builder::dimension(std::string_view text, SourceLoc where) {
  item_.dims.back() = count(text, kMostElements, where);
}

void Builder::register_count(std::string_view text, SourceLoc where) {
  register_count_ = count(text, kMostRegisters, where);
  is_range_ = true;
  if (register_count_ == 0) error(where, "a register declaration needs at least one register");
}

void Builder::register_item_end() {
  refuse_opaque();
  (is_range_ ? registers_.back().ranges : registers_.back().single).insert(item_.name);
  blocks_.back().statements.emplace_back(
      RegisterDecl{type_, item_.name, static_cast<std::uint32_t>(register_count_), vector_, item_.where});
}

void Builder::variable_item_end() {
  if (!blocks_.empty()) refuse_opaque();
  item_.space = space_;
  item_.type = type_;
  item_.opaque = opaque_;
  item_.vector = vector_;
  item_.align = align_;
  item_.external = linkage_ == Linkage::kExternal;
  item_.linkage = linkage_;
  std::uint64_t elements = vector_;
  for (std::size_t i = 0; i < item_.dims.size(); ++i) {
    const std::uint64_t size = item_.dims[i];
    if (size == 0 && i > 0) error(item_.where, "only the first dimension of an array may be left open");
    if (size != 0 && elements > kMostElements / size)
      error(item_.where, fmt::format("array '{}' is too large", item_.name));
    if (size != 0) elements *= size;
  }
  const bool open = item_.is_array && item_.dims[0] == 0;
  if (open && !item_.initial.empty()) {
    item_.dims[0] = (item_.initial.size() + elements - 1) / elements;
  } else if (item_.initial.size() > elements) {
    error(item_.where, fmt::format("'{}' has {} initial values but only {} element{}", item_.name,
                                   item_.initial.size(), elements, elements == 1 ? "" : "s"));
  }
  in_initialiser_ = false;
  if (blocks_.empty())
    module_.variables.push_back(std::move(item_));
  else
    blocks_.back().statements.emplace_back(std::move(item_));
}

void Builder::linkage(Linkage linkage) {
  // clang writes `.extern .weak`: treated as .extern.
  if (linkage_ != Linkage::kExternal) linkage_ = linkage;
}

void Builder::declaration_end() {
  linkage_ = Linkage::kNone;
  align_ = 0;
  vector_ = 1;
  type_ = Type::kNone;
  opaque_.clear();
  space_ = StateSpace::kNone;
}

// --- initialisers

std::uint64_t Builder::elements_per_row(std::size_t depth) const {
  std::uint64_t elements = vector_;
  for (std::size_t i = depth; i < item_.dims.size(); ++i) {
    if (item_.dims[i] != 0 && elements > kMostElements / item_.dims[i]) return kMostElements;
    elements *= item_.dims[i];
  }
  return elements;
}

void Builder::init_open(SourceLoc where) {
  const std::size_t deepest = std::max<std::size_t>(1, item_.dims.size() + (vector_ > 1 ? 1 : 0));
  if (init_starts_.size() >= deepest) {
    const std::string name = item_.name;
    error(where, fmt::format("initial values of '{}' are nested deeper than its dimensions", name));
  }
  init_starts_.push_back(item_.initial.size());
}

void Builder::init_close(SourceLoc where) {
  const std::size_t depth =
      init_starts_.size() - 1;  // 0: the outermost braces, whose missing values are zero anyway
  const std::size_t present = item_.initial.size() - init_starts_.back();
  init_starts_.pop_back();
  if (depth == 0) return;
  const std::uint64_t row = depth > item_.dims.size() ? 1 : elements_per_row(depth);
  if (present > row) error(where, fmt::format("{} initial values in a row of {}", present, row));
  if (row - present > kMostPadding)
    error(where, fmt::format("a row of {} elements has only {} initial values", row, present),
          "Write the missing values as zeros.");
  item_.initial.resize(item_.initial.size() + (row - present));
}

void Builder::init_mask(std::string_view text, SourceLoc where) {
  const auto number =
      parse_number(text.substr(0, text.find_first_not_of("0123456789abcdefABCDEFxXU")), false);
  const auto* integer = std::get_if<IntegerLiteral>(&number);
  if (integer == nullptr || integer->bits == 0)
    error(where, "the mask of an address must be a non-zero integer");
  init_mask_ = integer->bits;
}

void Builder::init_symbol(std::string_view name, bool generic, SourceLoc) {
  item_.initial.push_back({SymbolName{std::string(name), 0, generic, init_mask_, {}}});
  init_mask_ = ~std::uint64_t{0};
}

void Builder::init_number(std::string_view text, SourceLoc where) {
  std::visit([&](auto literal) { item_.initial.push_back({literal}); }, number(text, where));
}

// --- functions

void Builder::function_start(bool entry) {
  function_ = {};
  function_.is_entry = entry;
  function_.linkage = linkage_;
  declaration_end();
}

void Builder::function_name(std::string_view name, SourceLoc where) {
  function_.name = name;
  function_.where = where;
}

void Builder::param_end() {
  const std::uint64_t elements = item_.is_array ? item_.dims[0] : 0;
  params_.push_back({type_, align_, item_.name, elements, item_.is_array,
                     std::exchange(param_in_register_, false), item_.where, opaque_});
  declaration_end();
}

void Builder::param_list_end() {
  // The list before the name holds the return values.
  if (prototype_ != nullptr)
    (prototype_named_ ? prototype_->params : prototype_->returns) = std::move(params_);
  else
    (function_.name.empty() ? function_.returns : function_.params) = std::move(params_);
  params_.clear();
}

void Builder::tuning(std::string_view dotted) {
  Directives& directives = prototype_ != nullptr ? prototype_->directives : function_.directives;
  directives.emplace_back(std::string(without_dot(dotted)), std::vector<std::uint64_t>{});
}

void Builder::tuning_value(std::string_view text, SourceLoc where) {
  Directives& directives = prototype_ != nullptr ? prototype_->directives : function_.directives;
  directives.back().second.push_back(count(text, std::numeric_limits<std::uint32_t>::max(), where));
}

void Builder::pragma(std::string_view quoted, SourceLoc where) {
  const std::string_view text = quoted.substr(1, quoted.size() - 2);
  (function_.name.empty() ? module_.pragmas : function_.pragmas).emplace_back(text);
  if (text == kSpinLockPragma || text == kSpinWaitPragma) {
    if (blocks_.empty())
      error(where, fmt::format("'{}' is said of a loop", text),
            "Write it into the loop, before the branch back.");
    Instruction mark;
    mark.opcode = kPragmaOpcode;
    mark.modifiers.emplace_back(text);
    mark.where = where;
    blocks_.back().statements.emplace_back(std::move(mark));
  } else if (text.starts_with("heddle") && text != kNoSsdePragma) {
    error(where, fmt::format("unknown pragma '{}'", printable(std::string(text))),
          fmt::format("Known are '{}', '{}' and '{}'.", kNoSsdePragma, kSpinLockPragma, kSpinWaitPragma));
  }
}

void Builder::function_end() {
  module_.functions.push_back(std::move(function_));
  function_ = {};
}

// --- statements

void Builder::block_open(SourceLoc where) {
  if (blocks_.size() >= kDeepestBlock)
    error(where, fmt::format("'{{' is nested more than {} deep", kDeepestBlock), "Flatten the scopes.");
  blocks_.emplace_back();
  registers_.emplace_back();
  if (blocks_.size() > 1) return;
  for (const auto* list : {&function_.returns, &function_.params})
    for (const ParamDecl& param : *list)
      if (param.is_register) registers_.back().single.insert(param.name);
}

void Builder::block_close() {
  Block done = std::move(blocks_.back());
  blocks_.pop_back();
  registers_.pop_back();
  if (blocks_.empty())
    function_.body = std::move(done);
  else
    blocks_.back().statements.emplace_back(std::make_shared<Block>(std::move(done)));
}

void Builder::guard_start(SourceLoc where) {
  instruction_ = {};
  instruction_.where = where;
  has_guard_ = true;
}

void Builder::word(std::string_view opcode, SourceLoc where) {
  if (!has_guard_) {
    instruction_ = {};
    instruction_.where = where;
  }
  has_guard_ = false;
  instruction_.opcode = opcode;
}

void Builder::label() {
  blocks_.back().statements.emplace_back(Label{std::move(instruction_.opcode), instruction_.where});
}

void Builder::instruction_end() { blocks_.back().statements.emplace_back(std::move(instruction_)); }

void Builder::table(std::string_view directive, SourceLoc where) {
  instruction_ = {};
  instruction_.opcode = directive;
  instruction_.where = where;
}

void Builder::prototype_start(std::string_view directive, SourceLoc where) {
  table(directive, where);
  prototype_ = std::make_shared<Prototype>();
  prototype_named_ = false;
}

void Builder::prototype_end() { instruction_.prototype = std::exchange(prototype_, nullptr); }

}  // namespace heddle::ptx
