// Loads, stores and atomics of a lane.
#pragma once

#include <string>

#include "host/allocation.h"
#include "isa/types.h"
#include "oracle/memory.h"
#include "oracle/sass/lane.h"

namespace heddle::oracle::machine_code {

/// The memory that a lane can access. Addresses of shared and local memory are 32 bits; generic ones have 64 and windows
/// for both (isa/types.h).
class MemoryAccess {
 public:
  MemoryAccess(SparseMemory& memory, const host::AllocationTable& allocations, std::vector<std::byte>& shared)
      : memory_(memory), allocations_(allocations), shared_(shared) {}

  /// Whether the operation is one of these.
  [[nodiscard]] static bool performs(Opcode op);
  /// Whether it may be part of a loop that waits for another thread: an atomic with a result, a load that others' stores may
  /// change.
  [[nodiscard]] static bool polls(const Op& op);
  /// Executes it in a lane. The answer is empty, or says what is wrong with the access.
  [[nodiscard]] std::string perform(Values& v);
  /// A byte at a generic address; false: it is in no memory that the lane may read.
  [[nodiscard]] bool read_byte(Lane& lane, std::uint64_t address, std::byte& byte);
  /// Storage of global memory, as locate().
  [[nodiscard]] std::byte* global(Values& v, std::uint64_t address, unsigned bytes, const char* what,
                                  host::Access access, std::string& problem) {
    return locate(v, {Space::kGlobal, address, address}, bytes, what, access, problem);
  }
  /// What a lane of LDSM or STSM names, 16 bytes; nullptr: `problem` says why not.
  [[nodiscard]] std::byte* matrix_row(Values& v, std::string& problem);

 private:
  enum class Space : std::uint8_t { kGlobal, kShared, kLocal };
  struct Place {
    Space space = Space::kGlobal;
    std::uint64_t address = 0;  ///< as the instruction has it
    std::uint64_t offset = 0;   ///< in the space
  };
  [[nodiscard]] Place place_of(const Values& v, Role role = Role::kAddress) const;
  /// Storage of an access; nullptr: `problem` says why there is none.
  [[nodiscard]] std::byte* locate(Values& v, unsigned bytes, const char* what, host::Access access,
                                  std::string& problem) {
    return locate(v, place_of(v), bytes, what, access, problem);
  }
  [[nodiscard]] std::byte* locate(Values& v, const Place& place, unsigned bytes, const char* what,
                                  host::Access access, std::string& problem);
  [[nodiscard]] std::string load(Values& v);
  [[nodiscard]] std::string store(Values& v);
  [[nodiscard]] std::string atomic(Values& v);
  [[nodiscard]] std::string compare_and_swap(Values& v);
  [[nodiscard]] std::string test_space(Values& v) const;
  // barrier_object.cpp
  [[nodiscard]] std::string copy(Values& v);
  [[nodiscard]] std::string copy_bulk(Values& v);
  [[nodiscard]] std::string arrive(Values& v);
  [[nodiscard]] std::string exchange_barrier(Values& v);
  [[nodiscard]] std::string test_phase(Values& v);

  SparseMemory& memory_;
  const host::AllocationTable& allocations_;
  std::vector<std::byte>& shared_;
};

/// Types and operations of atomics, whatever their codes on an architecture are.
enum class AtomicType : std::uint8_t { kU32, kS32, kU64, kS64, kB128, kF32, kF64, kF16x2, kBf16x2 };
enum class AtomicOperation : std::uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExchange };

[[nodiscard]] AtomicType atomic_type(const Op& op);
/// Of a vector, whose words are of the type, more than one.
[[nodiscard]] unsigned atomic_elements(const Op& op);
/// Whether the type has the operation; kB128 is exchanged only, and numbers that are not integers are added only.
[[nodiscard]] bool can_combine(AtomicOperation operation, AtomicType type);
/// What an atomic leaves in memory. `flushes`: subnormal singles count as zeros.
[[nodiscard]] std::uint64_t combine(AtomicOperation operation, AtomicType type, std::uint64_t old,
                                    std::uint64_t operand, bool flushes);

}  // namespace heddle::oracle::machine_code
