// The grammar of PTX as PEGTL rules. Every token rule eats the white space and comments behind it, so that
// the input always stands on a token. Choices are decided by the first token: once a rule has begun, `must`
// turns a mismatch into an error (messages in grammar_errors.h) and nothing is parsed twice. What the rules
// build is in actions.h.
#pragma once

#include <string_view>
#include <tao/pegtl.hpp>

namespace heddle::ptx::grammar {

namespace peg = tao::pegtl;

// --- white space and comments
struct LineComment : peg::seq<peg::two<'/'>, peg::until<peg::at<peg::eolf>>> {};
struct CommentOpen : peg::string<'/', '*'> {};
struct CommentRest : peg::until<peg::string<'*', '/'>> {};
struct BlockComment : peg::if_must<CommentOpen, CommentRest> {};
struct Space : peg::star<peg::sor<peg::plus<peg::space>, LineComment, BlockComment>> {};

template <class Rule>
struct Token : peg::seq<Rule, Space> {};
template <char C>
struct Punctuation : peg::seq<peg::one<C>, Space> {};

struct NameHead : peg::sor<peg::alpha, peg::one<'_', '$', '%'>> {};
struct NameTail : peg::sor<peg::alnum, peg::one<'_', '$'>> {};
struct NameText : peg::seq<NameHead, peg::star<NameTail>> {};
/// ".reg" and similar keywords, not followed by more letters.
template <char... C>
struct Keyword : peg::seq<peg::string<'.', C...>, peg::not_at<peg::sor<NameTail, peg::two<':'>>>, Space> {};

struct Comma : Punctuation<','> {};
struct Semicolon : Punctuation<';'> {};
struct Close : Punctuation<')'> {};
struct StringRest : peg::seq<peg::star<peg::not_one<'"', '\r', '\n'>>, peg::one<'"'>> {};
struct StringText : peg::if_must<peg::one<'"'>, StringRest> {};

// --- numbers: syntax only; the actions check and convert them
struct RadixNumber
    : peg::seq<peg::one<'0'>, peg::one<'x', 'X', 'f', 'F', 'd', 'D', 'b', 'B'>, peg::star<NameTail>> {};
struct Exponent : peg::seq<peg::one<'e', 'E'>, peg::opt<peg::one<'+', '-'>>, peg::plus<peg::digit>> {};
struct DecimalNumber : peg::seq<peg::plus<peg::digit>, peg::opt<peg::one<'.'>, peg::star<peg::digit>>,
                                peg::opt<Exponent>, peg::star<NameTail>> {};
struct NumberText : peg::sor<RadixNumber, DecimalNumber> {};
// Constant expressions (constant_expression.h): only their extent is found here.
struct Blanks : peg::star<peg::space> {};
/// ( ... ) that contains only numbers, operators and (.s64): not recursive, for any depth.
struct ConstantGroup {
  using rule_t = ConstantGroup;
  using subs_t = peg::empty_list;
  template <class ParseInput>
  [[nodiscard]] static bool match(ParseInput& in) {
    constexpr std::string_view kOperators = "+-*/%<>=!&^|~?: \t\r\n";
    const std::string_view text(in.current(), in.size());
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto is_tail = [&](char c) {
      return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.';
    };
    std::size_t open = 0;
    bool any_number = false;
    for (std::size_t i = 0; i < text.size();) {
      const char c = text[i];
      if (c != '(' && open == 0) return false;
      if (c == '(') {
        ++open;
        ++i;
      } else if (c == ')') {
        ++i;
        if (--open == 0) {
          if (any_number) in.bump(i);
          return any_number;
        }
      } else if (is_digit(c)) {
        any_number = true;
        while (i < text.size() && is_tail(text[i])) ++i;
      } else if (text.substr(i, 4) == ".s64" || text.substr(i, 4) == ".u64") {
        i += 4;
      } else if (kOperators.find(c) != std::string_view::npos) {
        ++i;
      } else {
        return false;
      }
    }
    return false;
  }
};
struct Cast : peg::sor<peg::string<'(', '.', 's', '6', '4', ')'>, peg::string<'(', '.', 'u', '6', '4', ')'>> {
};
struct UnarySigns : peg::star<peg::sor<peg::one<'-', '+', '~', '!'>, Cast>, Blanks> {};
struct ConstantOperand : peg::seq<UnarySigns, peg::sor<NumberText, ConstantGroup>> {};
struct Slash : peg::seq<peg::one<'/'>, peg::not_at<peg::one<'/', '*'>>> {};  ///< no comment
struct ProductSign : peg::sor<peg::one<'*', '%'>, Slash> {};
struct BinarySign
    : peg::sor<peg::string<'<', '<'>, peg::string<'>', '>'>, peg::string<'<', '='>, peg::string<'>', '='>,
               peg::string<'=', '='>, peg::string<'!', '='>, peg::string<'&', '&'>, peg::string<'|', '|'>,
               peg::one<'+', '-', '<', '>', '&', '^', '|', '?', ':'>, ProductSign> {};
template <class Sign>
struct ConstantRest : peg::star<Blanks, Sign, Blanks, ConstantOperand> {};
struct ConstantStart : peg::seq<peg::opt<peg::sor<peg::one<'~'>, Cast>, Blanks, UnarySigns>,
                                peg::sor<NumberText, ConstantGroup>> {};
struct ConstantText : peg::seq<ConstantStart, ConstantRest<BinarySign>> {};
/// After + or - in an address: only operators with higher precedence.
struct FactorText : peg::seq<ConstantStart, ConstantRest<ProductSign>> {};

struct Minus : Punctuation<'-'> {};
struct NumberValue : ConstantText {};
struct Number : Token<NumberValue> {};
struct SignedNumber : peg::sor<peg::if_must<Minus, Number>, Number> {};
struct Count : Token<NumberText> {};  ///< a plain non-negative integer of a directive

// --- operands
struct DottedNameText : peg::seq<NameText, peg::star<peg::one<'.'>, peg::plus<NameTail>>> {};
struct OperandName : Token<DottedNameText> {};
struct SecondName : Token<DottedNameText> {};
struct Second : peg::if_must<Punctuation<'|'>, SecondName> {};
struct PlusSign : Punctuation<'+'> {};
struct OffsetConstant : FactorText {};
struct OffsetNumber : Token<OffsetConstant> {};
struct OffsetValue : peg::sor<peg::if_must<Minus, OffsetNumber>, OffsetNumber> {};
/// +4, -4, +-4
struct Offset : peg::sor<peg::if_must<PlusSign, OffsetValue>, peg::if_must<Minus, OffsetNumber>> {};
struct Negation : Punctuation<'!'> {};
struct GenericWord : peg::seq<peg::string<'g', 'e', 'n', 'e', 'r', 'i', 'c'>, Space, peg::one<'('>, Space> {};
struct GenericName : Token<NameText> {};
struct GenericSymbol : peg::if_must<GenericWord, GenericName, Close> {};
struct NegatedName : peg::if_must<Negation, OperandName> {};
struct OperandMinus : peg::seq<peg::one<'-'>, Space, peg::at<NameHead>> {};
struct MinusName : peg::if_must<OperandMinus, OperandName> {};  ///< an operand of vmad
struct SubscriptConstant : peg::seq<peg::opt<peg::one<'-'>>, ConstantText> {};
struct SubscriptValue : Token<SubscriptConstant> {};
struct SubscriptRegister : Token<DottedNameText> {};
struct SubscriptIndex : peg::sor<peg::seq<SubscriptRegister, peg::star<Offset>>, SubscriptValue> {};
struct SubscriptClose : Punctuation<']'> {};
/// a[3], a[%r], a[%r-1]: an element of an array variable
struct Subscript : peg::if_must<Punctuation<'['>, SubscriptIndex, SubscriptClose> {};
struct NamedOperand
    : peg::seq<OperandName, peg::opt<peg::sor<Second, peg::plus<Offset>, peg::plus<Subscript>>>> {};
struct GenericOperand : peg::seq<GenericSymbol, peg::star<Offset>> {};
struct SimpleOperand : peg::sor<GenericOperand, NamedOperand, NegatedName, MinusName, SignedNumber> {};
struct SimpleList : peg::list_must<SimpleOperand, Comma> {};

struct VectorOpen : Punctuation<'{'> {};
struct VectorClose : Punctuation<'}'> {};
struct Vector : peg::if_must<VectorOpen, SimpleList, VectorClose> {};
struct ListOpen : Punctuation<'('> {};
struct ListClose : Punctuation<')'> {};
struct List : peg::if_must<ListOpen, peg::opt<SimpleList>, ListClose> {};

struct AddressOpen : Punctuation<'['> {};
struct AddressClose : Punctuation<']'> {};
struct AddressName : Token<DottedNameText> {};
struct AddressBase : peg::sor<AddressName, Offset, OffsetNumber> {};
struct CoordinatesOpen : Punctuation<'{'> {};
struct CoordinatesClose : Punctuation<'}'> {};
struct Coordinates : peg::sor<peg::if_must<CoordinatesOpen, SimpleList, CoordinatesClose>, SimpleOperand> {};
struct Address : peg::if_must<AddressOpen, AddressBase, peg::star<Offset>,
                              peg::star<peg::if_must<Comma, Coordinates>>, AddressClose> {};
/// A number that starts with '(': not a list, although it looks like the start of one.
struct GroupedNumber : peg::seq<peg::at<peg::sor<ConstantGroup, Cast>>, SignedNumber> {};
struct Operand : peg::sor<Address, Vector, GroupedNumber, List, SimpleOperand> {};

// --- instructions and labels
struct ModifierText : peg::list<peg::plus<NameTail>, peg::two<':'>> {};
struct Modifier : peg::if_must<peg::one<'.'>, ModifierText> {};
struct GuardSign : peg::seq<peg::one<'@'>, Space> {};
struct GuardNegation : Punctuation<'!'> {};
struct GuardName : Token<DottedNameText> {};
struct Opcode : NameText {};  ///< modifiers follow without a blank
struct InstructionEnd : Semicolon {};
struct Operands : peg::opt<Operand, peg::star<peg::if_must<Comma, Operand>>> {};
struct InstructionRest : peg::seq<peg::star<Modifier>, Space, Operands, peg::must<InstructionEnd>> {};
struct Guarded : peg::if_must<GuardSign, peg::opt<GuardNegation>, GuardName, Opcode, InstructionRest> {};
struct LabelMark : peg::seq<Space, peg::one<':'>, Space> {};
struct Word : NameText {};  ///< a label or an opcode
struct LabelOrInstruction : peg::seq<Word, peg::sor<LabelMark, InstructionRest>> {};
struct EmptyStatement : Semicolon {};

// --- pieces of declarations
struct TypeText : peg::seq<peg::one<'.'>, NameText> {};
struct TypeName : Token<TypeText> {};
struct AlignValue : Count {};
struct Align : peg::if_must<Keyword<'a', 'l', 'i', 'g', 'n'>, AlignValue> {};
struct Vector2 : Keyword<'v', '2'> {};
struct Vector4 : Keyword<'v', '4'> {};
struct AttributeBody : peg::seq<peg::one<'('>, peg::until<peg::one<')'>>, Space> {};
struct Attribute : peg::if_must<peg::sor<Keyword<'a', 't', 't', 'r', 'i', 'b', 'u', 't', 'e'>,
                                         Keyword<'u', 'n', 'i', 'f', 'i', 'e', 'd'>>,
                                AttributeBody> {};
struct DeclName : Token<NameText> {};
struct DimOpen : Punctuation<'['> {};
struct DimClose : Punctuation<']'> {};
struct DimSizeText : ConstantText {};
struct DimSize : Token<DimSizeText> {};
struct Dim : peg::if_must<DimOpen, peg::opt<DimSize>, DimClose> {};
struct DeclEnd : Semicolon {};

struct RegRangeOpen : Punctuation<'<'> {};
struct RegRangeClose : Punctuation<'>'> {};
struct RegCount : Count {};
struct RegRange : peg::if_must<RegRangeOpen, RegCount, RegRangeClose> {};
struct RegDeclStart : Keyword<'r', 'e', 'g'> {};
struct RegDeclItemEnd : peg::success {};
struct RegDeclItem : peg::seq<DeclName, peg::opt<RegRange>, RegDeclItemEnd> {};
struct RegDeclItems : peg::list_must<RegDeclItem, Comma> {};
struct RegDecl : peg::if_must<RegDeclStart, peg::star<peg::sor<Align, Vector2, Vector4>>, TypeName,
                              RegDeclItems, DeclEnd> {};

// --- variables
struct InitMaskOpen : peg::seq<NumberText, Space, peg::one<'('>, Space> {};
struct InitMaskClose : Punctuation<')'> {};
struct InitName : Token<NameText> {};
struct InitGenericName : Token<NameText> {};
struct InitGeneric : peg::if_must<GenericWord, InitGenericName, Close> {};
struct InitSymbol : peg::seq<peg::sor<InitGeneric, InitName>, peg::star<Offset>> {};
struct InitMasked : peg::if_must<InitMaskOpen, InitSymbol, InitMaskClose> {};
struct InitNumberValue : ConstantText {};
struct InitNumberText : Token<InitNumberValue> {};
struct InitNumber : peg::sor<peg::if_must<Minus, InitNumberText>, InitNumberText> {};
struct InitOpen : Punctuation<'{'> {};
struct InitClose : Punctuation<'}'> {};
struct InitList;
struct InitItem : peg::sor<InitList, InitMasked, InitSymbol, InitNumber> {};
struct InitList
    : peg::if_must<InitOpen, peg::opt<InitItem, peg::star<peg::if_must<Comma, InitItem>>>, InitClose> {};
struct InitStart : Punctuation<'='> {};
struct InitValue : peg::if_must<InitStart, InitItem> {};

struct LinkExtern : Keyword<'e', 'x', 't', 'e', 'r', 'n'> {};
struct LinkVisible : Keyword<'v', 'i', 's', 'i', 'b', 'l', 'e'> {};
struct LinkWeak : Keyword<'w', 'e', 'a', 'k'> {};
struct LinkCommon : Keyword<'c', 'o', 'm', 'm', 'o', 'n'> {};
struct Linkage : peg::sor<LinkExtern, LinkVisible, LinkWeak, LinkCommon> {};
struct SpaceGlobal : Keyword<'g', 'l', 'o', 'b', 'a', 'l'> {};
struct SpaceShared : Keyword<'s', 'h', 'a', 'r', 'e', 'd'> {};
struct SpaceLocal : Keyword<'l', 'o', 'c', 'a', 'l'> {};
struct SpaceConst : Keyword<'c', 'o', 'n', 's', 't'> {};
struct SpaceParam : Keyword<'p', 'a', 'r', 'a', 'm'> {};
struct VariableSpace : peg::sor<SpaceGlobal, SpaceShared, SpaceLocal, SpaceConst, SpaceParam> {};
struct VariableItemEnd : peg::success {};
struct VariableItem : peg::seq<DeclName, peg::star<Dim>, peg::opt<InitValue>, VariableItemEnd> {};
struct VariableItems : peg::list_must<VariableItem, Comma> {};
struct Variable
    : peg::if_must<VariableSpace, peg::star<peg::sor<Align, Vector2, Vector4, Attribute>>, TypeName,
                   peg::star<peg::sor<Align, Vector2, Vector4>>, VariableItems, DeclEnd> {};

// --- directives without meaning for the decoder
struct RestOfLine : peg::seq<peg::until<peg::at<peg::eolf>>, Space> {};
struct Loc : peg::seq<peg::sor<Keyword<'l', 'o', 'c'>, Keyword<'f', 'i', 'l', 'e'>, peg::string<'@', '@'>>,
                      RestOfLine> {};
struct PragmaText : StringText {};
struct PragmaString : Token<PragmaText> {};
struct Strings : peg::list_must<PragmaString, Comma> {};
struct Pragma : peg::if_must<Keyword<'p', 'r', 'a', 'g', 'm', 'a'>, Strings, Semicolon> {};
struct SectionOpen : Punctuation<'{'> {};
struct SectionRest : peg::until<peg::one<'}'>, peg::sor<LineComment, BlockComment, StringText,
                                                        peg::plus<peg::not_one<'}', '/', '"'>>, peg::any>> {};
struct SectionName : Token<peg::plus<peg::sor<NameTail, peg::one<'.'>>>> {};
struct Section
    : peg::if_must<Keyword<'s', 'e', 'c', 't', 'i', 'o', 'n'>, SectionName, SectionOpen, SectionRest, Space> {
};
struct Ignored : peg::sor<Loc, Pragma, Section> {};

// Tables of indirect branches and calls; they are named by the label before them.
struct TargetsStart : peg::sor<Keyword<'b', 'r', 'a', 'n', 'c', 'h', 't', 'a', 'r', 'g', 'e', 't', 's'>,
                               Keyword<'c', 'a', 'l', 'l', 't', 'a', 'r', 'g', 'e', 't', 's'>> {};
struct TableTargets : peg::if_must<TargetsStart, SimpleList, Semicolon> {};
struct PrototypeStart : Keyword<'c', 'a', 'l', 'l', 'p', 'r', 'o', 't', 'o', 't', 'y', 'p', 'e'> {};
struct PrototypeName : Token<NameText> {};  ///< "_", by convention
struct ParamList;
struct Tuning;
struct Prototype : peg::if_must<PrototypeStart, peg::opt<ParamList>, PrototypeName, peg::opt<ParamList>,
                                peg::star<Tuning>, Semicolon> {};
struct Table : peg::sor<TableTargets, Prototype> {};

// --- statements
struct BlockOpen : Punctuation<'{'> {};
struct BlockClose : Punctuation<'}'> {};
struct LinkedVariable : peg::seq<peg::plus<Linkage>, peg::must<Variable>> {};
struct Block;
struct Statement : peg::sor<LabelOrInstruction, Guarded, RegDecl, Ignored, Variable, LinkedVariable, Table,
                            Block, EmptyStatement> {};
struct Block : peg::if_must<BlockOpen, peg::until<BlockClose, peg::must<Statement>>> {};

// --- functions
struct ParamInRegister : Keyword<'r', 'e', 'g'> {};
struct ParamStart : peg::sor<Keyword<'p', 'a', 'r', 'a', 'm'>, ParamInRegister> {};
struct ParamAlign : Align {};
struct PointeeValue : Count {};
struct PointeeAlign : peg::if_must<Keyword<'a', 'l', 'i', 'g', 'n'>, PointeeValue> {};
struct ParamPointer : peg::seq<Keyword<'p', 't', 'r'>, peg::star<peg::sor<VariableSpace, PointeeAlign>>> {};
struct ParamEnd : peg::success {};
struct ParamDim : Dim {};
struct Param : peg::if_must<ParamStart, peg::star<peg::sor<ParamAlign, Attribute>>, TypeName,
                            peg::opt<ParamPointer>, DeclName, peg::opt<ParamDim>, ParamEnd> {};
struct ParamListOpen : Punctuation<'('> {};
struct ParamList
    : peg::if_must<ParamListOpen, peg::opt<Param, peg::star<peg::if_must<Comma, Param>>>, Close> {};
struct FunctionName : Token<NameText> {};
struct TuningName : peg::seq<peg::one<'.'>, NameText, Space> {};
struct TuningValue : Count {};
struct Tuning : peg::seq<TuningName, peg::opt<peg::list_must<TuningValue, Comma>>> {};
struct EntryStart : Keyword<'e', 'n', 't', 'r', 'y'> {};
struct FuncStart : Keyword<'f', 'u', 'n', 'c'> {};
struct FunctionDeclared : Semicolon {};
struct FunctionDefined : Block {};
struct FunctionBody : peg::sor<FunctionDefined, FunctionDeclared> {};
struct Function
    : peg::if_must<peg::sor<EntryStart, FuncStart>, peg::star<Attribute>, peg::opt<ParamList>, FunctionName,
                   peg::opt<ParamList>, peg::star<peg::sor<Attribute, Pragma, Tuning>>, FunctionBody> {};

// --- module
struct VersionValue : Token<peg::seq<peg::plus<peg::digit>, peg::one<'.'>, peg::plus<peg::digit>>> {};
struct Version : peg::if_must<Keyword<'v', 'e', 'r', 's', 'i', 'o', 'n'>, VersionValue> {};
struct TargetName : Token<NameText> {};
struct TargetNames : peg::list_must<TargetName, Comma> {};
struct Target : peg::if_must<Keyword<'t', 'a', 'r', 'g', 'e', 't'>, TargetNames> {};
struct AddressSizeValue : Count {};
struct AddressSize
    : peg::if_must<Keyword<'a', 'd', 'd', 'r', 'e', 's', 's', '_', 's', 'i', 'z', 'e'>, AddressSizeValue> {};
struct AliasName : Token<NameText> {};
struct Aliasee : Token<NameText> {};
struct Alias : peg::if_must<Keyword<'a', 'l', 'i', 'a', 's'>, AliasName, Comma, Aliasee, Semicolon> {};
struct LinkedItem : peg::sor<Function, Variable> {};
struct Linked : peg::if_must<Linkage, peg::star<Linkage>, LinkedItem> {};
struct ModuleItem : peg::sor<Linked, Function, Variable, AddressSize, Ignored, Alias, EmptyStatement> {};
struct Module : peg::seq<peg::opt<peg::utf8::bom>, Space, peg::must<Version>, peg::must<Target>,
                         peg::until<peg::eof, peg::must<ModuleItem>>> {};

}  // namespace heddle::ptx::grammar
