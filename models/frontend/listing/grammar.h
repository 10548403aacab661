// The grammar of listings as PEGTL rules (README.md). What operands mean is checked behind it, by opcodes.h.
#pragma once

#include <tao/pegtl.hpp>

namespace heddle::listing::grammar {

namespace peg = tao::pegtl;

struct LineComment : peg::seq<peg::two<'/'>, peg::until<peg::at<peg::eolf>>> {};
struct CommentOpen : peg::string<'/', '*'> {};
struct CommentRest : peg::until<peg::string<'*', '/'>> {};
struct BlockComment : peg::if_must<CommentOpen, CommentRest> {};
struct Blank : peg::star<peg::sor<peg::plus<peg::one<' ', '\t'>>, BlockComment, LineComment>> {};
struct Space : peg::star<peg::sor<peg::plus<peg::space>, BlockComment, LineComment>> {};

struct Name : peg::identifier {};
struct Word : peg::seq<peg::identifier_first, peg::star<peg::sor<peg::identifier_other, peg::one<'.'>>>> {};
template <char C>
struct Mark : peg::seq<peg::one<C>, Blank> {};

struct Header : peg::seq<peg::string<'.', 'l', 'i', 's', 't', 'i', 'n', 'g'>, Blank> {};

struct ParamName : Name {};
struct ParamBits : peg::plus<peg::digit> {};
struct Param : peg::seq<ParamName, Blank, peg::must<Mark<':'>, ParamBits, Blank>> {};
struct Params : peg::if_must<Mark<'('>, peg::opt<peg::list<Param, Mark<','>>>, Mark<')'>> {};
struct KernelWord : peg::string<'.', 'k', 'e', 'r', 'n', 'e', 'l'> {};
struct FuncWord : peg::string<'.', 'f', 'u', 'n', 'c'> {};
struct SectionName : Name {};
struct Kernel : peg::if_must<KernelWord, peg::plus<peg::blank>, SectionName, Blank, peg::opt<Params>> {};
struct Func : peg::if_must<FuncWord, peg::plus<peg::blank>, SectionName, Blank> {};

struct Label : peg::seq<Name, Blank, peg::one<':'>> {};
struct GuardNot : peg::one<'!'> {};
struct GuardName : Name {};
struct Guard : peg::if_must<peg::one<'@'>, peg::opt<GuardNot>, GuardName, Blank> {};
struct Opcode : Word {};
struct Bracketed : peg::seq<peg::one<'['>, peg::until<peg::one<']'>, peg::not_one<'\r', '\n', ';'>>> {};
struct Plain : peg::plus<peg::sor<peg::identifier_other, peg::one<'.', '-', '!'>>> {};
struct Operand : peg::sor<Bracketed, Plain> {};
struct NextOperand : peg::if_must<Mark<','>, Operand, Blank> {};
struct Operands : peg::seq<Operand, Blank, peg::star<NextOperand>> {};
struct InstructionEnd : peg::one<';'> {};
struct Instruction : peg::if_must<Opcode, Blank, peg::opt<Operands>, InstructionEnd> {};
struct Guarded : peg::if_must<Guard, Instruction> {};

struct Item : peg::sor<Kernel, Func, peg::seq<Label, Blank, peg::opt<peg::sor<Guarded, Instruction>>>,
                       Guarded, Instruction> {};
struct LineEnd : peg::eolf {};
struct Line : peg::seq<Blank, peg::opt<Item>, Blank, peg::must<LineEnd>> {};
struct HeaderLine : peg::seq<Header, peg::must<LineEnd>> {};
struct Start : peg::seq<peg::opt<peg::utf8::bom>, Space> {};
struct Listing : peg::must<Start, HeaderLine, peg::until<peg::eof, Line>> {};

// What an error says that was expected.
template <class Rule>
inline constexpr const char* kExpected = "nothing";
template <>
inline constexpr const char* kExpected<HeaderLine> = "'.listing' in the first line";
template <>
inline constexpr const char* kExpected<CommentRest> = "'*/' at the end of the comment";
template <>
inline constexpr const char* kExpected<Mark<':'>> = "':' and the bits of the parameter";
template <>
inline constexpr const char* kExpected<ParamBits> = "32 or 64";
template <>
inline constexpr const char* kExpected<Mark<')'>> = "')' behind the parameters";
template <>
inline constexpr const char* kExpected<peg::plus<peg::blank>> = "a name";
template <>
inline constexpr const char* kExpected<SectionName> = "a name";
template <>
inline constexpr const char* kExpected<GuardName> = "the predicate register of the guard";
template <>
inline constexpr const char* kExpected<Instruction> = "an instruction behind the guard";
template <>
inline constexpr const char* kExpected<Operand> = "an operand";
template <>
inline constexpr const char* kExpected<InstructionEnd> = "';' at the end of the instruction";
template <>
inline constexpr const char* kExpected<LineEnd> =
    "an instruction (OPCODE OPERANDS;), a label (NAME:), .kernel or .func, one to a line";

}  // namespace heddle::listing::grammar
