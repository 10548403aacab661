// What a trace record needs to know of an x86-64 instruction before it executes: control flow, registers read, operands
// in memory. By Capstone; each instruction is decoded once.
#pragma once

#include <sys/user.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "resync/trace.h"

namespace heddle::native {

using resync::TraceRecord;

struct X86Memory {
  std::int8_t base = -1, index = -1;  ///< numbers of general registers; -1: none
  bool relative_to_next = false;      ///< RIP-relative
  std::uint8_t segment = 0;           ///< 'f', 'g' or 0
  std::uint8_t scale = 1;
  std::int64_t displacement = 0;
};

struct X86Instruction {
  std::uint8_t size = 0;
  std::uint8_t control = TraceRecord::kFallThrough;
  std::vector<std::uint8_t> general;  ///< general registers read, as kGeneral* below
  std::vector<std::uint8_t> vector;   ///< vector registers read
  bool flags = false;                 ///< reads the flags
  std::vector<X86Memory> memory;
};

class InstructionDecoder {
 public:
  InstructionDecoder();
  ~InstructionDecoder();
  InstructionDecoder(const InstructionDecoder&) = delete;
  InstructionDecoder& operator=(const InstructionDecoder&) = delete;
  /// `bytes`: up to 16 at `pc`. Null: no instruction.
  const X86Instruction* decode(std::uint64_t pc, const std::uint8_t* bytes, std::size_t size);
  [[nodiscard]] const X86Instruction* known(std::uint64_t pc) const {
    const auto found = decoded_.find(pc);
    return found == decoded_.end() ? nullptr : &found->second;
  }

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
  std::unordered_map<std::uint64_t, X86Instruction> decoded_;
};

/// Contents of a general register: 0-15 as the processor numbers them (RSP 4, RBP 5).
[[nodiscard]] std::uint64_t general_register(const user_regs_struct& registers, unsigned number);
inline constexpr unsigned kRsp = 4, kRbp = 5;

}  // namespace heddle::native
