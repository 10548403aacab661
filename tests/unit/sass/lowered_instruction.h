// One instruction on registers, lowered as a kernel of its own, with memory for its rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/sass/instruction.h"
#include "isa/kernel.h"
#include "isa/row_bytes.h"

namespace heddle::sass {

class LoweredInstruction {
 public:
  static constexpr unsigned kLanes = 32;
  using Values = std::vector<std::uint64_t>;

  /// std::runtime_error if the word is none; base::InputError if it is refused.
  LoweredInstruction(Word word, Arch arch);

  [[nodiscard]] const Instruction& instruction() const { return instruction_; }
  [[nodiscard]] const isa::Instruction& lowered() const { return kernel_.code[0]; }
  [[nodiscard]] bool is_lane_operation() const { return lowered_; }
  [[nodiscard]] std::string text() const;
  /// "R5", "UR3", "P0", "UP1".
  [[nodiscard]] const std::vector<std::string>& register_names() const { return kernel_.register_names; }
  /// Words of constant banks are their bank and offset.
  [[nodiscard]] static std::uint32_t constant(unsigned bank, std::uint32_t offset) {
    return bank << 16 | offset;
  }

  /// Values by lane, from the start again behind the last. False: the instruction does not name this register.
  bool set(const std::string& name, const Values& values);
  [[nodiscard]] std::uint32_t get(const std::string& name, unsigned lane) const;
  void set_special(isa::SpecialRow which, std::uint32_t value);
  void run(std::uint32_t mask, std::uint64_t cycle = 0);

 private:
  [[nodiscard]] std::optional<isa::Operand> find(const std::string& name) const;

  Instruction instruction_;
  isa::Kernel kernel_;
  isa::RowBytes constants_, registers_, special_;
  bool lowered_ = false;
};

}  // namespace heddle::sass
