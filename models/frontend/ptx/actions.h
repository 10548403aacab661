// PEGTL actions: the builder call for each grammar rule. A rule not listed here builds nothing itself.
#pragma once

#include <string_view>

#include "frontend/ptx/builder.h"
#include "frontend/ptx/grammar.h"

namespace heddle::ptx {

/// Parser state: the builder, and what error messages need to know about the text.
struct ParseState {
  Builder& builder;
  SourceLoc token_end;     ///< end of the last token: where a missing ';' belongs
  SourceLoc comment_open;  ///< the last "/*"
};

namespace grammar {

template <class Iterator>
SourceLoc location_of(const Iterator& at) {
  return {static_cast<std::uint32_t>(at.line), static_cast<std::uint32_t>(at.column)};
}
template <class Input>
SourceLoc location(const Input& in) {
  return location_of(in.iterator());
}

/// The matched text without the trailing white space and comments that tokens include.
template <class Input>
std::string_view word(const Input& in) {
  const std::string_view text(in.begin(), in.size());
  std::size_t end = 0;
  while (end < text.size() && static_cast<unsigned char>(text[end]) > ' ' && text[end] != '/') ++end;
  return text.substr(0, end);
}

template <class Rule>
struct Action : peg::nothing<Rule> {};

// An action that passes the text, its location, or nothing to a builder function.
#define HEDDLE_PTX_TEXT_AT(RULE, CALL)                      \
  template <>                                               \
  struct Action<RULE> {                                     \
    template <class Input>                                  \
    static void apply(const Input& in, ParseState& state) { \
      state.builder.CALL(word(in), location(in));           \
    }                                                       \
  }
/// The same for a rule that includes no trailing white space, but may contain some.
#define HEDDLE_PTX_WHOLE_TEXT_AT(RULE, CALL)                                     \
  template <>                                                                    \
  struct Action<RULE> {                                                          \
    template <class Input>                                                       \
    static void apply(const Input& in, ParseState& state) {                      \
      state.builder.CALL(std::string_view(in.begin(), in.size()), location(in)); \
    }                                                                            \
  }
#define HEDDLE_PTX_TEXT(RULE, CALL)                         \
  template <>                                               \
  struct Action<RULE> {                                     \
    template <class Input>                                  \
    static void apply(const Input& in, ParseState& state) { \
      state.builder.CALL(word(in));                         \
    }                                                       \
  }
#define HEDDLE_PTX_AT(RULE, CALL)                           \
  template <>                                               \
  struct Action<RULE> {                                     \
    template <class Input>                                  \
    static void apply(const Input& in, ParseState& state) { \
      state.builder.CALL(location(in));                     \
    }                                                       \
  }
#define HEDDLE_PTX_EVENT(RULE, ...)                                      \
  template <>                                                            \
  struct Action<RULE> {                                                  \
    static void apply0(ParseState& state) { state.builder.__VA_ARGS__; } \
  }

HEDDLE_PTX_TEXT(VersionValue, version);
HEDDLE_PTX_TEXT(TargetName, target);
HEDDLE_PTX_TEXT_AT(AddressSizeValue, address_size);

HEDDLE_PTX_EVENT(LinkExtern, linkage(ptx::Linkage::kExternal));
HEDDLE_PTX_EVENT(LinkVisible, linkage(ptx::Linkage::kVisible));
HEDDLE_PTX_EVENT(LinkWeak, linkage(ptx::Linkage::kWeak));
HEDDLE_PTX_EVENT(LinkCommon, linkage(ptx::Linkage::kCommon));
HEDDLE_PTX_TEXT_AT(AliasName, alias);
HEDDLE_PTX_TEXT(Aliasee, aliasee);
HEDDLE_PTX_TEXT_AT(TypeName, type);
HEDDLE_PTX_TEXT_AT(AlignValue, align);
HEDDLE_PTX_EVENT(Vector2, vector(2));
HEDDLE_PTX_EVENT(Vector4, vector(4));
HEDDLE_PTX_EVENT(SpaceGlobal, space(StateSpace::kGlobal));
HEDDLE_PTX_EVENT(SpaceShared, space(StateSpace::kShared));
HEDDLE_PTX_EVENT(SpaceLocal, space(StateSpace::kLocal));
HEDDLE_PTX_EVENT(SpaceConst, space(StateSpace::kConst));
HEDDLE_PTX_EVENT(SpaceParam, space(StateSpace::kParam));
HEDDLE_PTX_TEXT_AT(DeclName, declaration_name);
HEDDLE_PTX_EVENT(DimOpen, dimension_open());
HEDDLE_PTX_WHOLE_TEXT_AT(DimSizeText, dimension);
HEDDLE_PTX_TEXT_AT(RegCount, register_count);
HEDDLE_PTX_EVENT(RegDeclItemEnd, register_item_end());
HEDDLE_PTX_EVENT(VariableItemEnd, variable_item_end());
HEDDLE_PTX_EVENT(DeclEnd, declaration_end());

HEDDLE_PTX_EVENT(InitStart, init_start());
HEDDLE_PTX_AT(InitOpen, init_open);
HEDDLE_PTX_AT(InitClose, init_close);
HEDDLE_PTX_TEXT_AT(InitMaskOpen, init_mask);
HEDDLE_PTX_WHOLE_TEXT_AT(InitNumberValue, init_number);

HEDDLE_PTX_EVENT(EntryStart, function_start(true));
HEDDLE_PTX_EVENT(FuncStart, function_start(false));
HEDDLE_PTX_TEXT_AT(FunctionName, function_name);
HEDDLE_PTX_EVENT(ParamInRegister, param_in_register());
HEDDLE_PTX_EVENT(ParamEnd, param_end());
HEDDLE_PTX_EVENT(ParamList, param_list_end());
HEDDLE_PTX_TEXT(TuningName, tuning);
HEDDLE_PTX_TEXT_AT(TuningValue, tuning_value);
HEDDLE_PTX_EVENT(FunctionDeclared, function_declared());
HEDDLE_PTX_EVENT(FunctionBody, function_end());

HEDDLE_PTX_AT(BlockOpen, block_open);
HEDDLE_PTX_EVENT(BlockClose, block_close());
HEDDLE_PTX_WHOLE_TEXT_AT(PragmaText, pragma);
HEDDLE_PTX_AT(GuardSign, guard_start);
HEDDLE_PTX_EVENT(GuardNegation, guard_negated());
HEDDLE_PTX_TEXT(GuardName, guard);
HEDDLE_PTX_TEXT_AT(Opcode, word);
HEDDLE_PTX_TEXT_AT(Word, word);
HEDDLE_PTX_EVENT(LabelMark, label());
HEDDLE_PTX_TEXT(ModifierText, modifier);
HEDDLE_PTX_EVENT(InstructionEnd, instruction_end());
HEDDLE_PTX_TEXT_AT(TargetsStart, table);
HEDDLE_PTX_TEXT_AT(PrototypeStart, prototype_start);
HEDDLE_PTX_EVENT(PrototypeName, prototype_name());
HEDDLE_PTX_EVENT(Prototype, prototype_end());
HEDDLE_PTX_EVENT(Table, instruction_end());

HEDDLE_PTX_AT(Minus, minus);
HEDDLE_PTX_EVENT(Negation, negate());
HEDDLE_PTX_EVENT(OperandMinus, minus_name());
HEDDLE_PTX_TEXT_AT(OperandName, operand_name);
HEDDLE_PTX_TEXT_AT(GenericName, operand_generic);
HEDDLE_PTX_WHOLE_TEXT_AT(NumberValue, operand_number);
HEDDLE_PTX_TEXT_AT(SecondName, second_name);
HEDDLE_PTX_WHOLE_TEXT_AT(OffsetConstant, offset);
HEDDLE_PTX_WHOLE_TEXT_AT(SubscriptConstant, subscript);
HEDDLE_PTX_TEXT_AT(SubscriptRegister, subscript_register);
HEDDLE_PTX_EVENT(SubscriptClose, subscript_close());
HEDDLE_PTX_AT(VectorOpen, group_open);
HEDDLE_PTX_EVENT(VectorClose, group_close(false));
HEDDLE_PTX_AT(ListOpen, group_open);
HEDDLE_PTX_EVENT(ListClose, group_close(true));
HEDDLE_PTX_AT(AddressOpen, address_open);
HEDDLE_PTX_TEXT(AddressName, address_name);
HEDDLE_PTX_EVENT(AddressClose, address_close());

#undef HEDDLE_PTX_TEXT_AT
#undef HEDDLE_PTX_WHOLE_TEXT_AT
#undef HEDDLE_PTX_TEXT
#undef HEDDLE_PTX_AT
#undef HEDDLE_PTX_EVENT

template <>
struct Action<InitName> {
  template <class Input>
  static void apply(const Input& in, ParseState& state) {
    state.builder.init_symbol(word(in), false, location(in));
  }
};
template <>
struct Action<InitGenericName> {
  template <class Input>
  static void apply(const Input& in, ParseState& state) {
    state.builder.init_symbol(word(in), true, location(in));
  }
};

template <>
struct Action<Space> {
  template <class Input>
  static void apply(const Input& in, ParseState& state) {
    state.token_end = location(in);
  }
};
template <>
struct Action<CommentOpen> {
  template <class Input>
  static void apply(const Input& in, ParseState& state) {
    state.comment_open = location(in);
  }
};

}  // namespace grammar
}  // namespace heddle::ptx
