// Error messages for rules that must match. One line per rule that follows a `must` in grammar.h; the text
// completes "expected ...".
#pragma once

#include <type_traits>

#include "frontend/ptx/grammar.h"

namespace heddle::ptx::grammar {

template <class Rule>
inline constexpr const char* kExpected = nullptr;

/// Rules that match anything, so they need no message.
template <class Rule>
inline constexpr bool kNeverFails = false;
template <class... Rules>
inline constexpr bool kNeverFails<peg::opt<Rules...>> = true;
template <class... Rules>
inline constexpr bool kNeverFails<peg::star<Rules...>> = true;
template <class End, class Rule>
inline constexpr bool kNeverFails<peg::until<End, peg::must<Rule>>> = true;
template <>
inline constexpr bool kNeverFails<Space> = true;
template <>
inline constexpr bool kNeverFails<RestOfLine> = true;
template <>
inline constexpr bool kNeverFails<ParamEnd> = true;

template <>
inline constexpr const char* kExpected<Version> = "'.version' as the first directive of a PTX module";
template <>
inline constexpr const char* kExpected<VersionValue> = "a version number such as 9.0";
template <>
inline constexpr const char* kExpected<Target> = "'.target' after '.version'";
template <>
inline constexpr const char* kExpected<TargetNames> = "a target such as sm_75";
template <>
inline constexpr const char* kExpected<TargetName> = "a target such as sm_75";
template <>
inline constexpr const char* kExpected<AddressSizeValue> = "32 or 64";
template <>
inline constexpr const char* kExpected<ModuleItem> =
    "a kernel (.entry), a function (.func), a variable or another module directive";
template <>
inline constexpr const char* kExpected<LinkedItem> = "'.entry', '.func' or a variable";

template <>
inline constexpr const char* kExpected<FunctionName> = "the function's name";
template <>
inline constexpr const char* kExpected<FunctionBody> = "the function's body in '{ }', or ';'";
template <>
inline constexpr const char* kExpected<Param> = "a parameter ('.param TYPE NAME')";
template <>
inline constexpr const char* kExpected<Close> = "')'";
template <>
inline constexpr const char* kExpected<AttributeBody> = "'(' with the attribute's name";
template <>
inline constexpr const char* kExpected<TuningValue> = "a number";

template <>
inline constexpr const char* kExpected<Statement> = "an instruction, a label, a directive or '}'";
template <>
inline constexpr const char* kExpected<GuardName> = "the predicate register of the guard";
template <>
inline constexpr const char* kExpected<Opcode> = "an instruction after the guard";
template <>
inline constexpr const char* kExpected<ModifierText> = "a modifier after '.'";
template <>
inline constexpr const char* kExpected<InstructionRest> = "the rest of the instruction";
template <>
inline constexpr const char* kExpected<InstructionEnd> = "';' at the end of the instruction";

template <>
inline constexpr const char* kExpected<Operand> = "an operand";
template <>
inline constexpr const char* kExpected<OperandName> = "a predicate register after '!'";
template <>
inline constexpr const char* kExpected<SecondName> = "the second destination after '|'";
template <>
inline constexpr const char* kExpected<Number> = "a number";
template <>
inline constexpr const char* kExpected<SubscriptIndex> =
    "a constant, a register, or a register and a constant";
template <>
inline constexpr const char* kExpected<SubscriptClose> = "']' behind the subscript";
template <>
inline constexpr const char* kExpected<OffsetNumber> = "a number";
template <>
inline constexpr const char* kExpected<OffsetValue> = "a number";
template <>
inline constexpr const char* kExpected<InitGenericName> = "a variable's name";
template <>
inline constexpr const char* kExpected<PointeeValue> = "the alignment in bytes";
template <>
inline constexpr const char* kExpected<GenericName> = "a variable's name";
template <>
inline constexpr const char* kExpected<SimpleOperand> = "a register, a number or a name";
template <>
inline constexpr const char* kExpected<SimpleList> = "a register, a number or a name";
template <>
inline constexpr const char* kExpected<VectorClose> = "',' or '}' in the vector operand";
template <>
inline constexpr const char* kExpected<ListClose> = "',' or ')' in the parameter list";
template <>
inline constexpr const char* kExpected<AddressBase> = "a register, a name or a number in the address";
template <>
inline constexpr const char* kExpected<AddressClose> = "']' at the end of the address";
template <>
inline constexpr const char* kExpected<Coordinates> = "coordinates in the address";
template <>
inline constexpr const char* kExpected<CoordinatesClose> = "'}' behind the coordinates";

template <>
inline constexpr const char* kExpected<TypeName> = "a type such as .b32";
template <>
inline constexpr const char* kExpected<AlignValue> = "the alignment in bytes";
template <>
inline constexpr const char* kExpected<DeclName> = "a name";
template <>
inline constexpr const char* kExpected<DeclEnd> = "',' or ';' in the declaration";
template <>
inline constexpr const char* kExpected<DimClose> = "']' after the array size";
template <>
inline constexpr const char* kExpected<RegDeclItem> = "a register name";
template <>
inline constexpr const char* kExpected<RegDeclItems> = "a register name";
template <>
inline constexpr const char* kExpected<RegCount> = "the number of registers";
template <>
inline constexpr const char* kExpected<RegRangeClose> = "'>' after the number of registers";
template <>
inline constexpr const char* kExpected<Variable> = "a variable declaration";
template <>
inline constexpr const char* kExpected<VariableItem> = "a variable's name";
template <>
inline constexpr const char* kExpected<VariableItems> = "a variable's name";
template <>
inline constexpr const char* kExpected<InitItem> = "an initial value";
template <>
inline constexpr const char* kExpected<InitNumberText> = "a number";
template <>
inline constexpr const char* kExpected<InitSymbol> = "a variable whose address is meant";
template <>
inline constexpr const char* kExpected<InitMaskClose> = "')'";
template <>
inline constexpr const char* kExpected<InitClose> = "',' or '}' in the initial values";

template <>
inline constexpr const char* kExpected<Semicolon> = "';'";
template <>
inline constexpr const char* kExpected<PragmaString> = "a string in double quotes";
template <>
inline constexpr const char* kExpected<StringRest> = "'\"' at the end of the string";
template <>
inline constexpr const char* kExpected<Strings> = "a string in double quotes";
template <>
inline constexpr const char* kExpected<SectionName> = "the section's name";
template <>
inline constexpr const char* kExpected<SectionOpen> = "'{' after the section's name";
template <>
inline constexpr const char* kExpected<SectionRest> = "'}' at the end of the section";
template <>
inline constexpr const char* kExpected<PrototypeName> = "'_' in the prototype";
template <>
inline constexpr const char* kExpected<AliasName> = "the alias";
template <>
inline constexpr const char* kExpected<Aliasee> = "the function that the alias stands for";
template <>
inline constexpr const char* kExpected<Comma> = "','";
template <>
inline constexpr const char* kExpected<CommentRest> = "'*/' at the end of the comment";

/// Terminating tokens: the error of a missing one is located after the preceding token, not on the next line.
template <class Rule>
inline constexpr bool kEndsSomething = std::disjunction_v<
    std::is_same<Rule, InstructionEnd>, std::is_same<Rule, DeclEnd>, std::is_same<Rule, Semicolon>,
    std::is_same<Rule, Close>, std::is_same<Rule, ListClose>, std::is_same<Rule, VectorClose>,
    std::is_same<Rule, AddressClose>, std::is_same<Rule, SubscriptClose>,
    std::is_same<Rule, CoordinatesClose>, std::is_same<Rule, DimClose>, std::is_same<Rule, RegRangeClose>,
    std::is_same<Rule, InitClose>, std::is_same<Rule, InitMaskClose>>;

}  // namespace heddle::ptx::grammar
