// Target of the parser's actions: the module under construction, and the incomplete parts of the current
// declaration, instruction and operand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "frontend/ptx/ast.h"

namespace heddle::ptx {

class Builder {
 public:
  explicit Builder(std::shared_ptr<const isa::SourceText> source);

  [[nodiscard]] Module take();
  [[nodiscard]] const isa::SourceText& source() const { return *module_.source; }
  /// Throws an error with its location in the text.
  [[noreturn]] void error(SourceLoc where, const std::string& message, const std::string& remedy = {}) const;

  // Module directives
  void version(std::string_view text) { module_.version = text; }
  void target(std::string_view text);
  void address_size(std::string_view text, SourceLoc where);
  void alias(std::string_view name, SourceLoc where) {
    module_.aliases.push_back({std::string(name), {}, where});
  }
  void aliasee(std::string_view name) { module_.aliases.back().aliasee = name; }

  // Declarations: parts arrive in the order of the text; *_end() stores the item.
  void linkage(Linkage linkage);
  void type(std::string_view dotted, SourceLoc where);
  void align(std::string_view text, SourceLoc where);
  void vector(unsigned width) { vector_ = width; }
  void space(StateSpace space) { space_ = space; }
  void declaration_name(std::string_view name, SourceLoc where);
  void dimension_open();
  void dimension(std::string_view text, SourceLoc where);
  void register_count(std::string_view text, SourceLoc where);
  void register_item_end();
  void variable_item_end();
  void declaration_end();  ///< resets type, space, alignment and linkage

  // Initialisers
  void init_start() { in_initialiser_ = true; }
  void init_open(SourceLoc where);
  void init_close(SourceLoc where);
  void init_mask(std::string_view number, SourceLoc where);
  void init_symbol(std::string_view name, bool generic, SourceLoc where);
  void init_number(std::string_view text, SourceLoc where);

  // Functions
  void function_start(bool entry);
  void function_name(std::string_view name, SourceLoc where);
  void param_in_register() { param_in_register_ = true; }
  void param_end();
  void param_list_end();
  void tuning(std::string_view dotted);
  void tuning_value(std::string_view text, SourceLoc where);
  /// One of its strings, in quotes.
  void pragma(std::string_view quoted, SourceLoc where);
  void function_declared() { function_.external = true; }
  void function_end();

  // Statements
  void block_open(SourceLoc where);
  void block_close();
  void guard_start(SourceLoc where);
  void guard_negated() { instruction_.guard_negated = true; }
  void guard(std::string_view name) { instruction_.guard = name; }
  void word(std::string_view opcode, SourceLoc where);
  void label();
  void modifier(std::string_view text) { instruction_.modifiers.emplace_back(text); }
  void instruction_end();
  void table(std::string_view directive, SourceLoc where);
  void prototype_start(std::string_view directive, SourceLoc where);
  void prototype_name() { prototype_named_ = true; }
  void prototype_end();

  // Operands
  void minus(SourceLoc where) {
    minus_ = true;
    minus_where_ = where;
  }
  void negate() { negate_ = true; }
  void minus_name() { minus_name_ = true; }
  void operand_name(std::string_view name, SourceLoc where);
  void operand_generic(std::string_view name, SourceLoc where);
  void operand_number(std::string_view text, SourceLoc where);
  void second_name(std::string_view name, SourceLoc where);
  void offset(std::string_view text, SourceLoc where);
  void subscript(std::string_view text, SourceLoc where);
  void subscript_register(std::string_view name, SourceLoc where);
  void subscript_close() { subscript_stride_ = 0; }
  void group_open(SourceLoc where);
  void group_close(bool as_list);
  void address_open(SourceLoc where);
  void address_name(std::string_view name);
  void address_close();

 private:
  /// Names of the registers declared in one { }, since a register need not start with '%'.
  struct Registers {
    std::unordered_set<std::string> single;
    std::unordered_set<std::string> ranges;
  };

  [[nodiscard]] bool is_register(const std::string& name) const;
  /// The list that receives the current operands: an instruction's, a group's in braces, or an address's
  /// coordinates.
  [[nodiscard]] std::vector<Operand>& operand_list();
  [[nodiscard]] std::uint64_t elements_per_row(std::size_t depth) const;
  [[nodiscard]] std::uint64_t count(std::string_view text, std::uint64_t limit, SourceLoc where) const;
  void push(Operand operand);
  /// Refuses a texture, sampler or surface in the declaration that has just ended.
  void refuse_opaque() const;
  /// Dimensions of an array declared in an open scope or at module scope, and its element size in bytes.
  /// Element size 0: no such variable.
  struct ArrayShape {
    std::uint64_t element_bytes = 0;
    std::vector<std::uint64_t> dims;
  };
  [[nodiscard]] ArrayShape array_shape(const std::string& name) const;
  /// Bytes that the next subscript of the current operand counts in.
  [[nodiscard]] std::uint64_t begin_subscript(SourceLoc where);
  [[nodiscard]] std::int64_t* offset_of(Operand& operand);
  void add_elements(std::uint64_t index, std::uint64_t stride, SourceLoc where);
  [[nodiscard]] std::variant<IntegerLiteral, FloatLiteral> number(std::string_view text, SourceLoc where);

  Module module_;

  Linkage linkage_ = Linkage::kNone;
  Type type_ = Type::kNone;
  std::string opaque_;      ///< alternatively: the type of a texture, sampler or surface ...
  SourceLoc opaque_where_;  ///< ... and its location
  std::uint32_t align_ = 0;
  unsigned vector_ = 1;
  StateSpace space_ = StateSpace::kNone;
  VariableDecl item_;  ///< name, location, array sizes and initial values of the item being declared
  std::uint64_t register_count_ = 0;
  bool is_range_ = false;
  std::vector<std::size_t> init_starts_;  ///< number of initial values at each open { of an initialiser
  bool in_initialiser_ = false;
  std::uint64_t init_mask_ = ~std::uint64_t{0};

  Function function_;
  std::vector<ParamDecl> params_;
  bool param_in_register_ = false;
  std::shared_ptr<Prototype> prototype_;  ///< the .callprototype being parsed
  bool prototype_named_ = false;          ///< its "_" has been parsed: parameters follow

  std::vector<Block> blocks_;         ///< open { }, the function's body first
  std::vector<Registers> registers_;  ///< one per open block

  Instruction instruction_;
  bool has_guard_ = false;
  bool minus_ = false;
  SourceLoc minus_where_;
  bool negate_ = false;
  bool minus_name_ = false;
  bool in_group_ = false;
  std::size_t subscripts_ = 0;          ///< of the current operand
  std::uint64_t subscript_stride_ = 0;  ///< within one with a register: the unit of its constants; otherwise
                                        ///< 0
  bool in_address_ = false;
  std::vector<Operand> group_;
  SourceLoc group_where_;
  AddressOperand address_;
  SourceLoc address_where_;
};

/// The type of that name without the dot ("b32"); kNone if there is none.
[[nodiscard]] Type type_from_name(std::string_view name);

}  // namespace heddle::ptx
