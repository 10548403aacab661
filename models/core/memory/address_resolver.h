// What becomes of a memory operation's address row: each lane's address by state space, checked, and the lines that the
// operation needs. For the load/store unit, and for units in front of it that look at addresses (lsu_interposer.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/memory/access_check.h"
#include "core/memory/memory_instruction.h"
#include "host/allocation.h"
#include "isa/instruction.h"

namespace heddle::core {

class AddressResolver {
 public:
  /// Lines of `line_bytes`, a power of two.
  AddressResolver(std::uint32_t line_bytes, const host::AllocationTable& allocations)
      : line_bytes_(line_bytes), allocations_(allocations) {}

  void begin_launch(const LaunchContext* launch) {
    launch_ = launch;
    constants_ = launch->constants();
  }
  /// Loads, stores and atomics of all spaces but const and param. Fills in the operation's addresses, shared lanes and
  /// accesses, which were empty. Throws base::KernelFault for an address that is misaligned or out of bounds.
  void resolve(MemoryInstruction& op, const AccessContext& context);
  /// The same for an asynchronous copy: checks both addresses of each lane, resolves the one that is read, and notes where in shared
  /// memory its bytes go and how many are read. Lanes that read nothing leave the mask; their data are zeros.
  void resolve_copy(MemoryInstruction& op, const AccessContext& context);
  /// ld.const and ld.param: the distinct addresses, one access each. Throws likewise.
  void resolve_constant(MemoryInstruction& op, const AccessContext& context);
  /// Of stores and atomics: data and operands of every lane, as the rows hold them now.
  void read_operands(MemoryInstruction& op);
  /// The base of an operation's address: a row, and the operand that describes it.
  struct Base {
    const std::byte* row = nullptr;
    isa::Operand operand;
  };
  /// Valid until the next call.
  [[nodiscard]] Base base_of(const MemoryInstruction& op) {
    const isa::MemoryOperand& memory = op.instruction->memory;
    if (memory.composed()) return compose(op);
    return {row_of(op, memory.base), memory.base};
  }
  /// The lanes' values of an operand. Several slices: collected in row `scratch` of this object.
  [[nodiscard]] const std::byte* row_of(const MemoryInstruction& op, const isa::Operand& operand,
                                        unsigned scratch = 0) {
    if (operand.space == isa::RowSpace::kConstant) return constants_ + operand.offset;
    return op.gather(operand, gathered_[scratch]);
  }

 private:
  static constexpr unsigned kMaxOperandRows = 4;

  /// The sum of a base's several rows.
  [[nodiscard]] Base compose(const MemoryInstruction& op);

  /// Generic addresses: moves the window offsets of shared and local lanes to op.address and says which are
  /// which.
  void split_generic(MemoryInstruction& op, AddressPattern& pattern, LaneMask& device, LaneMask& local);
  /// Makes a pattern of all lanes scattered.
  static void scatter(MemoryInstruction& op, AddressPattern& pattern);
  void resolve_shared(MemoryInstruction& op, const AccessContext& context, AddressPattern& pattern,
                      LaneMask lanes);
  void resolve_device(MemoryInstruction& op, const AccessContext& context, const AddressPattern& pattern,
                      LaneMask lanes);
  void resolve_local(MemoryInstruction& op, const AccessContext& context, AddressPattern pattern,
                     LaneMask lanes);

  std::uint32_t line_bytes_;
  const host::AllocationTable& allocations_;
  const LaunchContext* launch_ = nullptr;
  const std::byte* constants_ = nullptr;  ///< rows of the launch
  alignas(64) std::array<GatheredRow, kMaxOperandRows> gathered_{};
  alignas(64) GatheredRow composed_{};
};

}  // namespace heddle::core
