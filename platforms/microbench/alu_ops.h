// One representative instruction of every arithmetic latency class, chainable: x becomes f(x, y).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/instruction.h"

namespace heddle::microbench {

struct AluOp {
  isa::LatencyClass latency_class;
  std::string name;                                         ///< latency class, as in configuration keys
  const char* format;                                       ///< PTX with {0} for x and {1} for y
  const char* type;                                         ///< "u32", "f32", "f64"
  std::uint64_t x, y;                                       ///< initial bits of x, bits of y
  std::uint64_t (*step)(std::uint64_t x, std::uint64_t y);  ///< the same operation on the host

  [[nodiscard]] bool wide() const { return type[1] == '6'; }
  /// PTX register type of x and y.
  [[nodiscard]] const char* register_type() const;
  /// Bits of x after `count` steps.
  [[nodiscard]] std::uint64_t after(std::uint64_t count) const;
};

[[nodiscard]] const std::vector<AluOp>& alu_ops();
[[nodiscard]] const AluOp& alu_op(isa::LatencyClass latency_class);

}  // namespace heddle::microbench
