// What is known statically about accessed addresses: the state space, the variable or kernel parameter that
// an address is computed from, and the offset added to it.
//
// An address is a base plus an offset that is known modulo a stride: &table[i].next with 8-byte elements is
// (table, 4 modulo 8). Other threads may have any other i, so two accesses are only known to be distinct if
// they are for every value of i.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/dependences.h"
#include "isa/kernel.h"

namespace heddle::analysis {

struct Address {
  enum class Base : std::uint8_t {
    kNothing,   ///< no value yet
    kNumber,    ///< not a pointer: indices, constants
    kVariable,  ///< a variable of `space` that starts at `start`
    kParam,     ///< a parameter of the kernel that lies at `start` in the parameter block
    kUnknown,   ///< any pointer: one that was loaded, a function's argument ...
  };
  Base base = Base::kNothing;
  isa::StateSpace space = isa::StateSpace::kNone;  ///< kVariable
  std::uint64_t start = 0;
  std::int64_t offset = 0;   ///< represents all possible offsets, modulo `stride`
  std::uint64_t stride = 0;  ///< 0: the offset is exact; 1: it is unknown
  bool operator==(const Address&) const = default;

  /// A value that may be either of the two.
  [[nodiscard]] static Address either(const Address& a, const Address& b);
  [[nodiscard]] static Address sum(const Address& a, const Address& b, bool subtract);
  [[nodiscard]] static Address number() { return {.base = Base::kNumber, .stride = 1}; }
  [[nodiscard]] static Address unknown() { return {.base = Base::kUnknown, .stride = 1}; }
};

/// One load, store, atomic or call.
struct Access {
  std::uint32_t instruction = 0;
  bool reads = false;
  bool writes = false;
  isa::StateSpace space = isa::StateSpace::kNone;  ///< kGlobal, kShared, kLocal, kGeneric: any of them
  Address address;
  std::uint32_t bytes = 0;
};

struct AliasOptions {
  /// Two parameters may point to the same memory, and to module variables. False: as if all were declared
  /// restrict.
  bool params_may_alias = true;
};
[[nodiscard]] bool may_alias(const Access& a, const Access& b, const AliasOptions& options);

/// All accesses of a kernel and its functions.
class Accesses {
 public:
  /// All must outlive this.
  Accesses(const isa::Kernel& kernel, const ControlFlowGraph& cfg, ReachingDefinitions& definitions);

  /// Ascending by instruction. Loads of constant and parameter memory, and of memory that no thread writes
  /// (ld.nc), are left out. A call counts as all accesses of the functions it may reach.
  [[nodiscard]] const std::vector<Access>& all() const { return all_; }
  /// nullptr: the instruction is not an access.
  [[nodiscard]] const Access* at(std::uint32_t instruction) const;
  /// Whether it may access memory that other threads see.
  [[nodiscard]] static bool is_shared(const Access& access) {
    return access.space != isa::StateSpace::kLocal;
  }
  [[nodiscard]] static bool may_be_private(const Access& access) {
    return access.space == isa::StateSpace::kLocal || access.space == isa::StateSpace::kGeneric;
  }

 private:
  using Key = std::pair<std::uint32_t, isa::RegId>;
  void find_calls();
  void evaluate();
  [[nodiscard]] Address result(std::uint32_t instruction, isa::RegId reg);
  [[nodiscard]] Address operand(std::uint32_t instruction, const isa::Operand& operand);
  [[nodiscard]] const isa::VariableUse* variable_of(std::uint32_t instruction) const;
  [[nodiscard]] Access access_of(std::uint32_t instruction);

  const isa::Kernel& kernel_;
  const ControlFlowGraph& cfg_;
  ReachingDefinitions& definitions_;
  std::map<Key, Address> values_;  ///< of registers, by their definitions
  std::vector<Access> all_;
};

}  // namespace heddle::analysis
