// PTX as written: the result of parsing, before any interpretation. The decoder (decode.h) and the
// independent oracle both start from this tree and share nothing beyond it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "isa/kernel.h"
#include "isa/types.h"

namespace heddle::ptx {

using isa::SourceLoc;
using isa::StateSpace;
using isa::Type;

struct Operand;

/// The visibility of a name to other modules. Declarations without a directive: kNone.
enum class Linkage : std::uint8_t { kNone, kExternal, kVisible, kWeak, kCommon };

struct RegisterName {
  std::string name;
};  ///< "%r5", "%tid.x", "p"
struct IntegerLiteral {
  std::uint64_t bits = 0;
  bool negative = false;
};  ///< bits: two's complement of the signed value
struct FloatLiteral {
  double value = 0;
  std::uint64_t bits = 0;
  unsigned width = 64;
};  ///< 0fXXXXXXXX: width 32; 0dX..: 64; decimal: 64
/// A register in a[%r-1][3], an element of an array variable: it counts steps of `stride` bytes. The
/// constants of all subscripts are in the operand's offset.
struct RegisterSubscript {
  std::string name;
  std::uint64_t stride = 0;
};
/// A variable, parameter, label or function: symbol, symbol+4, generic(symbol)+4. `mask` is that of an
/// initialiser element such as 0xFF00(symbol), which selects a byte of the address.
struct SymbolName {
  std::string name;
  std::int64_t offset = 0;
  bool generic = false;
  std::uint64_t mask = ~std::uint64_t{0};
  std::vector<RegisterSubscript> subscripts{};
};
/// [base], [base+offset], [symbol+offset], [absolute]. `coordinates`: the part after a comma, as in [texture,
/// {x, y}].
struct AddressOperand {
  std::string base;
  bool base_is_register = false;
  std::int64_t offset = 0;
  std::vector<Operand> coordinates;
  std::vector<RegisterSubscript> subscripts{};
};
/// {a, b, c, d}; as_list: (a, b), the parameter lists of call.
struct VectorOperand {
  std::vector<Operand> elements;
  bool as_list = false;
};
struct SinkOperand {};  ///< _

struct Operand {
  std::variant<RegisterName, IntegerLiteral, FloatLiteral, SymbolName, AddressOperand, VectorOperand,
               SinkOperand>
      value;
  bool negated = false;             ///< !p
  bool minus = false;               ///< -r, of vmad
  std::shared_ptr<Operand> second;  ///< setp's p|q: q
  SourceLoc where;
};

struct ParamDecl {
  Type type = Type::kB64;
  std::uint32_t align = 0;
  std::string name;
  std::uint64_t array_elements = 0;
  bool is_array = false;
  bool is_register = false;  ///< .reg (functions only), otherwise .param
  SourceLoc where;
  std::string opaque{};  ///< "texref", "samplerref" or "surfref": has no value (type kNone)
};

/// "maxntid" {256,1,1}, "noreturn" {} ...
using Directives = std::vector<std::pair<std::string, std::vector<std::uint64_t>>>;

/// The signature that a .callprototype table requires of functions called indirectly.
struct Prototype {
  std::vector<ParamDecl> returns;  ///< names are usually "_"
  std::vector<ParamDecl> params;
  Directives directives;
};

struct Instruction {
  std::string guard;  ///< predicate register, empty: none
  bool guard_negated = false;
  /// "ld", "setp", "bra"; also ".branchtargets", ".calltargets" (operands: the names) and ".callprototype"
  /// (prototype) for these tables, which are named by the label before them.
  std::string opcode;
  std::vector<std::string> modifiers;  ///< in order, without dots: {"global", "v4", "f32"}
  std::vector<Operand> operands;
  std::shared_ptr<const Prototype> prototype;  ///< of ".callprototype" only
  SourceLoc where;
};

/// Opcode of the pragmas that say something of their place in the code; the string is the only modifier.
inline constexpr const char* kPragmaOpcode = ".pragma";
/// Kernels and functions with it are left as they are by SSDE (ssde/ssde.h).
inline constexpr const char* kNoSsdePragma = "heddle nossde";
/// In a loop in which threads wait for a lock, or for another thread's signal (isa::SpinMark).
inline constexpr const char* kSpinLockPragma = "heddle spin lock";
inline constexpr const char* kSpinWaitPragma = "heddle spin wait";

struct Label {
  std::string name;
  SourceLoc where;
};

/// .reg .b32 %r<18>;  -> name "%r", count 18 (registers %r0..%r17);  .reg .pred p; -> name "p", count 0
/// .reg .v4 .f32 q;   -> vector 4 (elements q.x, q.y, q.z, q.w)
struct RegisterDecl {
  Type type = Type::kB32;
  std::string name;
  std::uint32_t count = 0;
  unsigned vector = 1;
  SourceLoc where;
};

/// One initialiser element: a number, or the address of a symbol (+ offset).
struct Initialiser {
  std::variant<IntegerLiteral, FloatLiteral, SymbolName> value;
};

struct VariableDecl {
  StateSpace space = StateSpace::kGlobal;
  Type type = Type::kB8;
  unsigned vector = 1;      ///< .v2, .v4
  std::uint32_t align = 0;  ///< 0: natural
  std::string name;
  std::vector<std::uint64_t> dims;  ///< [] of an extern array is dimension 0
  bool is_array = false;
  bool external = false;  ///< linkage is kExternal
  Linkage linkage = Linkage::kNone;
  std::vector<Initialiser> initial;  ///< flattened, row major
  SourceLoc where;
  std::string opaque{};  ///< as in ParamDecl; at module scope only
};

struct Block;
using Statement = std::variant<Instruction, Label, RegisterDecl, VariableDecl, std::shared_ptr<Block>>;
struct Block {
  std::vector<Statement> statements;
};  ///< { ... }: a scope

struct Function {
  bool is_entry = false;
  bool external = false;  ///< declaration only: no body in this module (or further down)
  Linkage linkage = Linkage::kNone;
  std::string name;
  std::vector<ParamDecl> returns;  ///< .func only
  std::vector<ParamDecl> params;
  Directives directives;
  std::vector<std::string> pragmas;  ///< strings of .pragma, before or in the body
  Block body;
  SourceLoc where;
};

/// .alias name, aliasee;
struct Alias {
  std::string name;
  std::string aliasee;
  SourceLoc where;
};

struct Module {
  std::string version;
  std::string target;
  unsigned address_size = 64;
  SourceLoc address_size_where;
  std::vector<VariableDecl> variables;
  std::vector<Function> functions;
  std::vector<Alias> aliases;
  std::vector<std::string> pragmas;  ///< strings of .pragma outside of functions
  std::shared_ptr<const isa::SourceText> source;
};

}  // namespace heddle::ptx
