// Makes one Step from one PTX instruction: consumes its modifiers, resolves its operands, refuses what is
// left over.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "oracle/names.h"
#include "oracle/program.h"

namespace heddle::oracle {

class Builder {
 public:
  Builder(const ptx::Module& module, FunctionNames& names, const FunctionNames::Line& line);

  Step step;

  [[nodiscard]] const std::string& opcode() const { return instruction_.opcode; }
  [[nodiscard]] std::size_t operands() const { return instruction_.operands.size(); }
  [[nodiscard]] const ptx::Operand& operand(std::size_t index) const;

  /// As written, consumed or not.
  [[nodiscard]] const std::vector<std::string>& modifiers() const { return instruction_.modifiers; }

  // Modifiers. Each is consumed once; finish() refuses any that no one took.
  bool take(std::string_view word);
  /// The first modifier that starts with `prefix`, without it ("L2::128B").
  bool take_prefixed(std::string_view prefix);
  /// The value of the first modifier found among the choices.
  template <class T>
  std::optional<T> take_choice(std::initializer_list<std::pair<std::string_view, T>> choices) {
    for (const auto& [word, value] : choices)
      if (take(word)) return value;
    return std::nullopt;
  }
  /// The next data type; refuses the instruction if there is none.
  Type take_type();

  // Operands, by position in the PTX text.
  void target(std::size_t index, Type type);
  /// `d|p`: the part behind the bar.
  void second_target(std::size_t index, Type type);
  [[nodiscard]] bool has_second(std::size_t index) const { return operand(index).second != nullptr; }
  void source(std::size_t index, Type type);
  /// {a, b} or a single operand; false for narrower than or wider than `count` elements.
  void targets(std::size_t index, unsigned count, Type type);
  void sources(std::size_t index, unsigned count, Type type);
  /// [address] in `space`. Sets base, displacement and, for generic symbols, the window.
  void address(std::size_t index, StateSpace space);
  void constant_source(std::uint64_t bits);
  void branch_target(std::size_t index);
  void expect_operands(std::size_t least, std::size_t most);
  /// One result and `count` sources, all of step.type.
  void uniform_operands(std::size_t count);

  /// "instruction 'add.foo.s32' is not supported by the oracle"
  [[noreturn]] void refuse() const;
  [[noreturn]] void fail(const std::string& message) const;
  /// Refuses unless every modifier was consumed and, for computing steps, an evaluator was found.
  void finish() const;

 private:
  void add_target(const ptx::Operand& operand, Type type);
  void add_source(const ptx::Operand& operand, Type type);
  [[nodiscard]] std::optional<Register> register_of(const ptx::Operand& operand);
  void check_width(const std::string& name, Type declared, Type used, bool exact) const;
  [[nodiscard]] std::uint64_t float_bits(const ptx::FloatLiteral& literal, Type type) const;

  const ptx::Module& module_;
  FunctionNames& names_;
  const ptx::Instruction& instruction_;
  FunctionNames::ScopeIndex scope_;
  std::vector<std::string> left_;
};

/// One opcode's translation.
struct Handler {
  std::string_view opcode;
  void (*translate)(Builder&);
};
using Handlers = std::vector<Handler>;
[[nodiscard]] Handlers
integer_handlers();  ///< integer and bit types (opcodes shared with floats: those types only)
[[nodiscard]] Handlers float_handlers();    ///< f32, f64
[[nodiscard]] Handlers general_handlers();  ///< compare, select, convert, move: any type
[[nodiscard]] Handlers memory_handlers();
[[nodiscard]] Handlers control_handlers();

[[nodiscard]] std::optional<Type> type_named(std::string_view name);
[[nodiscard]] unsigned type_bits(Type type);

/// Translates an entry function. Throws sim::InputError naming what is not supported, at its place.
[[nodiscard]] Program translate(const ptx::Module& module, const ptx::Function& function,
                                const ModuleSymbols& globals);

}  // namespace heddle::oracle
