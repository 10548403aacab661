// Where accesses go, as far as the code tells: by state space, by the variable or kernel parameter that an
// address is computed from, and by what is added to it.
//
// An address is a base plus an offset that is known up to a multiple of a stride: &table[i].next with tables
// of 8-byte elements is (table, 4 modulo 8). Other threads have other i, so only what holds for every value
// of i tells two accesses apart.
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
    kNumber,    ///< nothing that points anywhere: indices, constants
    kVariable,  ///< a variable of `space` that starts at `start`
    kParam,     ///< a parameter of the kernel that lies at `start` in the parameter block
    kUnknown,   ///< any pointer: one that was loaded, a function's argument ...
  };
  Base base = Base::kNothing;
  isa::StateSpace space = isa::StateSpace::kNone;  ///< kVariable
  std::uint64_t start = 0;
  std::int64_t offset = 0;   ///< of all possible offsets, modulo `stride`
  std::uint64_t stride = 0;  ///< 0: the offset is exact; 1: it may be anything
  bool operator==(const Address&) const = default;

  /// A value that may be either.
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
  /// Two parameters may point to the same memory, and to module variables. False: as if all were restrict.
  bool params_may_alias = true;
};
[[nodiscard]] bool may_alias(const Access& a, const Access& b, const AliasOptions& options);

/// All accesses of a kernel and its functions.
class Accesses {
 public:
  /// All must outlive this.
  Accesses(const isa::Kernel& kernel, const ControlFlowGraph& cfg, ReachingDefinitions& definitions);

  /// Ascending by instruction. Loads of constant and parameter memory, and of what no thread writes (ld.nc),
  /// are none. A call accesses whatever the functions it may reach do.
  [[nodiscard]] const std::vector<Access>& all() const { return all_; }
  /// nullptr: the instruction is none.
  [[nodiscard]] const Access* at(std::uint32_t instruction) const;
  /// It may be to memory that other threads see.
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
  std::map<Key, Address> values_;  ///< of registers, by what defines them
  std::vector<Access> all_;
};

}  // namespace heddle::analysis
