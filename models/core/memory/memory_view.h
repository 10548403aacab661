// What memory holds as this core sees it, read without taking time: for messages of kernels and for the proof of a hang.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/protocols/lsu_protocol.h"
#include "isa/instruction.h"

namespace heddle::core {

class MemoryView {
 public:
  /// The socket is only inspected.
  explicit MemoryView(LsuPort& lsu) : lsu_(lsu) {}

  /// Nothing changes.
  [[nodiscard]] LsuInspection ask(LsuInspection question) const { return lsu_.ask(question); }

  [[nodiscard]] std::byte shared_byte(std::uint32_t offset) const {
    return ask({.ask = LsuInspection::Ask::kSharedByte, .address = offset}).value;
  }
  [[nodiscard]] std::uint32_t shared_word(std::uint32_t offset) const;
  /// A byte of a thread's local memory that is newer than in L2: kept by L1, or on its way from there.
  [[nodiscard]] bool newest_of_thread(std::uint64_t address, std::byte& value) const {
    return byte(LsuInspection::Ask::kUnwrittenByte, address, value) ||
           byte(LsuInspection::Ask::kDisplacedByte, address, value);
  }
  /// A word of local memory, named by its device address, as its thread sees it.
  [[nodiscard]] std::uint32_t local_word(std::uint64_t address, KernelServices& services) const;

  [[nodiscard]] bool loads_through_l1(const isa::Instruction& instruction) const {
    return instruction.op == isa::Opcode::kLoad &&
           !ask({.ask = LsuInspection::Ask::kBypassesL1, .instruction = &instruction}).yes;
  }
  /// A load that looks into L1 finds the word there.
  [[nodiscard]] bool word_in_l1(std::uint64_t address, std::uint32_t& value) const;
  /// A line with the word is on its way to L1.
  [[nodiscard]] bool fetches_to_l1(std::uint64_t address) const {
    return ask({.ask = LsuInspection::Ask::kFetched, .address = address}).yes;
  }

 private:
  /// The byte at an address if the answer is yes.
  [[nodiscard]] bool byte(LsuInspection::Ask question, std::uint64_t address, std::byte& value) const;

  LsuPort& lsu_;
};

}  // namespace heddle::core
