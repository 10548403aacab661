// Words of constant banks as operands.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "frontend/sass/placed_module.h"
#include "isa/constant_pool.h"
#include "isa/kernel.h"

namespace heddle::sass {

/// Bank 0 holds what a launch sets, and its parameters; banks 2 and 4 are known when the module is placed; bank 3 is in
/// memory, where the program may write it before a launch.
class Banks {
 public:
  Banks(const PlacedModule& module, const PlacedKernel& placed, isa::ConstantPool& pool, isa::Kernel& kernel)
      : module_(module), placed_(placed), section_(module.section_of(placed)), pool_(pool), kernel_(kernel) {}

  /// The word's row; absent: `problem` says why there is none.
  [[nodiscard]] isa::Operand word(unsigned bank, std::uint32_t offset, std::string& problem);

 private:
  [[nodiscard]] isa::Operand cluster_word(std::uint32_t offset);
  [[nodiscard]] isa::Operand launch_word(std::uint32_t offset, std::string& problem);
  [[nodiscard]] isa::Operand launch_row(const isa::LaunchConstant& constant);

  const PlacedModule& module_;
  const PlacedKernel& placed_;
  const CodeSection& section_;
  isa::ConstantPool& pool_;
  isa::Kernel& kernel_;
  std::map<std::pair<unsigned, std::uint32_t>, isa::Operand> launch_rows_;
};

}  // namespace heddle::sass
