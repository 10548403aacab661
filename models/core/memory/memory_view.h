// What memory holds as this core sees it, read without taking time: for messages of kernels and for the proof of a hang.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/memory/l1_data_cache.h"
#include "core/memory/load_store_unit.h"
#include "core/memory/shared_memory.h"
#include "isa/instruction.h"

namespace heddle::core {

class MemoryView {
 public:
  MemoryView(const L1DataCache& l1d, const LoadStoreUnit& lsu, const SharedMemory& shared)
      : l1d_(l1d), lsu_(lsu), shared_(shared) {}

  [[nodiscard]] std::byte shared_byte(std::uint32_t offset) const { return shared_.byte_at(offset); }
  [[nodiscard]] std::uint32_t shared_word(std::uint32_t offset) const;
  /// A byte of a thread's local memory that is newer than in L2: kept by L1, or on its way from there.
  [[nodiscard]] bool newest_of_thread(std::uint64_t address, std::byte& value) const {
    return l1d_.unwritten(address, value) || lsu_.on_its_way(address, value);
  }
  /// A word of local memory, named by its device address, as its thread sees it.
  [[nodiscard]] bool local_word(std::uint64_t address, std::uint32_t& value, KernelServices& services) const;

  [[nodiscard]] bool loads_through_l1(const isa::Instruction& instruction) const {
    return instruction.op == isa::Opcode::kLoad && !lsu_.bypasses_l1(instruction);
  }
  /// A load that looks into L1 finds the word there.
  [[nodiscard]] bool word_in_l1(std::uint64_t address, std::uint32_t& value) const;
  /// A line with the word is on its way to L1.
  [[nodiscard]] bool fetches_to_l1(std::uint64_t address) const { return l1d_.fetches(address); }

 private:
  const L1DataCache& l1d_;
  const LoadStoreUnit& lsu_;
  const SharedMemory& shared_;
};

}  // namespace heddle::core
