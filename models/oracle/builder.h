// Makes one Step from one PTX instruction: consumes its modifiers, resolves its operands, refuses unsupported
// ones.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "oracle/names.h"
#include "oracle/program.h"

namespace heddle::oracle {

/// The context that the translation of one instruction needs.
struct Surroundings {
  const ptx::Module& module;
  FunctionNames& names;
  Program& program;  ///< receives call sites and branch tables
  const std::map<std::string, std::uint32_t>&
      functions;                 ///< by name in the module: index in Program::functions
  std::uint32_t first_step = 0;  ///< of the function: labels count from there
};

class Builder {
 public:
  Builder(Surroundings& around, const FunctionNames::Line& line);

  Step step;

  [[nodiscard]] const std::string& opcode() const { return instruction_.opcode; }
  [[nodiscard]] std::size_t operands() const { return instruction_.operands.size(); }
  [[nodiscard]] const ptx::Operand& operand(std::size_t index) const;
  [[nodiscard]] Surroundings& around() { return around_; }
  /// A function of that name is in the module.
  [[nodiscard]] bool defines(const std::string& name) const { return around_.functions.contains(name); }
  [[nodiscard]] bool in_kernel() const { return around_.names.function().is_entry; }
  [[nodiscard]] bool has_modifier(std::string_view word) const;

  /// As written, consumed or not.
  [[nodiscard]] const std::vector<std::string>& modifiers() const { return instruction_.modifiers; }

  // Modifiers. Each is consumed once; finish() refuses any that were not consumed.
  bool take(std::string_view word);
  /// The rest of the first modifier that starts with `prefix` ("L2::128B").
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
  /// `d|p`: the part after the bar.
  void second_target(std::size_t index, Type type);
  [[nodiscard]] bool has_second(std::size_t index) const { return operand(index).second != nullptr; }
  void source(std::size_t index, Type type);
  /// The same for an operand that is not one of the instruction's own as written.
  void source(const ptx::Operand& operand, Type type) { add_source(operand, type); }
  void target(const ptx::Operand& operand, Type type) { add_target(operand, type); }
  [[nodiscard]] std::optional<Register> register_of(const ptx::Operand& operand);
  [[nodiscard]] bool is_register(const ptx::Operand& operand) { return register_of(operand).has_value(); }
  /// {a, b} or a single operand. Returns false if there are fewer or more than `count` elements.
  void targets(std::size_t index, unsigned count, Type type);
  void sources(std::size_t index, unsigned count, Type type);
  /// Elements of the vector register that the operand names as a whole; 0: it names none.
  [[nodiscard]] unsigned vector_size(std::size_t index);
  /// [address] in `space`. Sets base, displacement and, for generic symbols, the window.
  void address(std::size_t index, StateSpace space);
  void constant_source(std::uint64_t bits);
  /// The condition code register as the last source or result.
  void carry_source();
  void carry_target();
  void branch_target(std::size_t index);
  /// Step indices of a .branchtargets table.
  [[nodiscard]] std::vector<std::uint32_t> branch_table(std::size_t index) const;
  /// The .calltargets or .callprototype table of that name; refuses if there is none.
  [[nodiscard]] const ptx::Instruction& table(std::size_t index) const;
  /// Argument or result of a call.
  [[nodiscard]] Actual actual(const ptx::Operand& operand, const Formal* formal, bool is_result);
  void expect_operands(std::size_t least, std::size_t most);
  /// One result and `count` sources, all of step.type.
  void uniform_operands(std::size_t count);

  /// "instruction 'add.foo.s32' is not supported by the oracle"
  [[noreturn]] void refuse() const;
  /// For a name that the oracle cannot resolve.
  [[noreturn]] void fail_unknown(const std::string& name) const;
  [[noreturn]] void fail(const std::string& message) const;
  /// Refuses unless every modifier was consumed and, for computing steps, an evaluator was found.
  void finish() const;

 private:
  void add_target(const ptx::Operand& operand, Type type);
  void add_source(const ptx::Operand& operand, Type type);
  [[nodiscard]] Source resolved_source(const ptx::Operand& operand, Type type);
  /// Program::elements for these subscripts.
  [[nodiscard]] std::uint32_t element(const std::vector<ptx::RegisterSubscript>& subscripts);
  void check_width(const std::string& name, Type declared, Type used, bool exact) const;
  [[nodiscard]] std::uint64_t float_bits(const ptx::FloatLiteral& literal, Type type) const;

  Surroundings& around_;
  FunctionNames& names_;
  const ptx::Instruction& instruction_;
  FunctionNames::ScopeIndex scope_;
  std::vector<std::string> left_;
};

/// The translation of one opcode.
struct Handler {
  std::string_view opcode;
  void (*translate)(Builder&);
};
using Handlers = std::vector<Handler>;
[[nodiscard]] Handlers
integer_handlers();  ///< integer and bit types (opcodes shared with floats: those types only)
[[nodiscard]] Handlers bit_handlers();       ///< logic, shifts, bit fields, permutation
[[nodiscard]] Handlers extended_handlers();  ///< extended precision, dot products
[[nodiscard]] Handlers float_handlers();     ///< f32, f64
[[nodiscard]] Handlers half_handlers();      ///< f16, f16x2
[[nodiscard]] Handlers general_handlers();   ///< compare, select, move: any type
[[nodiscard]] Handlers convert_handlers();
[[nodiscard]] Handlers memory_handlers();
[[nodiscard]] Handlers control_handlers();
[[nodiscard]] Handlers warp_handlers();
[[nodiscard]] Handlers call_handlers();
[[nodiscard]] Handlers narrow_handlers();  ///< bf16
[[nodiscard]] Handlers matrix_handlers();
[[nodiscard]] Handlers texture_handlers();
[[nodiscard]] Handlers async_handlers();  ///< cp.async, mbarrier
/// cvt to or from bf16, tf32, 8-bit floats.
void convert_narrow(Builder& b);
[[nodiscard]] Handlers packed_handlers();  ///< two integers of 16 bits in a register
[[nodiscard]] Handlers video_handlers();   ///< scalar and SIMD video instructions

[[nodiscard]] std::optional<Type> type_named(std::string_view name);
[[nodiscard]] unsigned type_bits(Type type);
/// Offset from an address in a state space to its generic address.
[[nodiscard]] std::uint64_t generic_window(StateSpace space, bool in_frame = false);

}  // namespace heddle::oracle
