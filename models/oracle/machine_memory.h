// Memory as threads access it: loads, stores, atomics, and the stacks of local memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "host/allocation.h"
#include "oracle/machine_operands.h"
#include "oracle/memory.h"

namespace heddle::oracle {
namespace mimd {

class Accesses {
 public:
  /// All of them but `params` outlive this.
  Accesses(const Program& program, std::vector<std::byte> params, SparseMemory& memory,
           host::AllocationTable& allocations, const Operands& operands)
      : program_(program),
        params_(std::move(params)),
        memory_(memory),
        allocations_(allocations),
        operands_(operands) {}

  void load(Cta& cta, Thread& thread, const Step& step);
  void store(Cta& cta, Thread& thread, const Step& step);
  void atomic(Cta& cta, Thread& thread, const Step& step);
  void wide_atomic(Cta& cta, Thread& thread, const Step& step);  ///< of 128 bits
  /// cp.async; an operation on an mbarrier.
  void copy(Cta& cta, Thread& thread, const Step& step);
  void bulk_copy(Cta& cta, Thread& thread, const Step& step);
  void barrier_object(Cta& cta, Thread& thread, const Step& step);
  /// `bytes` at the step's address and so many further.
  [[nodiscard]] const std::byte* read_at(Cta& cta, Thread& thread, const Step& step, std::int64_t further,
                                         unsigned bytes);
  [[nodiscard]] std::byte* write_at(Cta& cta, Thread& thread, const Step& step, std::int64_t further,
                                    unsigned bytes);
  [[nodiscard]] std::uint64_t in_space(const Cta& cta, const Thread& thread, const Step& step) const;

  /// Where a load, store or atomic accesses memory.
  struct Location {
    std::uint64_t address = 0;
    StateSpace space = StateSpace::kNone;  ///< never generic
    std::uint64_t offset = 0;              ///< in the space
  };
  [[nodiscard]] Location location(const Thread& thread, const Step& step) const;
  /// Storage of a range of local memory; nullptr if the thread's stack does not hold it.
  [[nodiscard]] std::byte* local_bytes(const Thread& thread, std::uint64_t offset, std::uint64_t bytes) const;
  /// The byte of a thread's memory at a generic address; nullptr: not mapped.
  [[nodiscard]] const std::byte* byte_at(const Cta& cta, const Thread& thread, std::uint64_t address) const;

 private:
  [[nodiscard]] std::byte* locate(Cta& cta, Thread& thread, const Step& step, unsigned bytes);
  /// Before bytes of memory change within a transaction.
  static void remember(Thread& thread, std::byte* at, std::size_t bytes);

  const Program& program_;
  std::vector<std::byte> params_;
  SparseMemory& memory_;
  host::AllocationTable& allocations_;
  const Operands& operands_;
};

}  // namespace mimd

/// The value an atomic leaves in memory.
[[nodiscard]] std::uint64_t atomic_result(Atomic op, Type type, StateSpace space, std::uint64_t old,
                                          std::uint64_t operand, std::uint64_t second);

}  // namespace heddle::oracle
