// Registers that a kernel cannot have live in local memory.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "compiler/pipeline.h"

namespace heddle::compiler {

/// Makes a kernel need at most so many 32-bit registers per thread (live_registers.h): values that are live where there
/// are too many are stored to local memory behind the instructions that write them and loaded in front of those that
/// read them, the cheapest first by uses and loops. Kernels that need no more stay as they are. A kernel with functions,
/// a stack or transactions, and machine code, whose registers are given, stay as they are too; and where single
/// instructions need more than the limit, what they need is the limit.
class SpillRegisters : public Pass {
 public:
  static constexpr std::uint32_t kNoLimit = ~std::uint32_t{0};
  using Limit = std::function<std::uint32_t(const isa::Kernel&)>;  ///< 32-bit registers of a thread
  explicit SpillRegisters(Limit limit) : limit_(std::move(limit)) {}
  [[nodiscard]] std::string_view name() const override { return "spill_registers"; }
  void run(isa::Kernel& kernel) const override;

 private:
  Limit limit_;
};

}  // namespace heddle::compiler
