// Random unstructured programs of blocks, branches, exits and calls; threads that walk through them alone, and warps that
// do on Hanoi's tables.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/kernel.h"
#include "simt/hanoi/warp_state.h"

namespace heddle::compiler::random_flow {

struct Shape {
  std::uint32_t most_blocks = 14;
  bool functions = false;
  bool tables = true;          ///< indirect branches
  bool sleeps = true;          ///< NANOSLEEP, which yields
  bool two_predicates = true;  ///< branches with two guards
};

/// Of a program; it also has one row of 32 bits, for indices of indirect branches.
inline constexpr std::uint32_t kPredicates = 2;

/// Every thread that decides at random ends.
[[nodiscard]] isa::Kernel random_kernel(std::uint64_t seed, const Shape& shape);

enum class Outcome : std::uint8_t { kRight, kWrong, kStuck, kFault };

struct Walked {
  Outcome outcome = Outcome::kRight;
  std::uint64_t order = 1;   ///< hash of PCs and masks as they were issued
  std::uint64_t issued = 0;  ///< instructions of the original program
  simt::HanoiStats stats;
};

/// `original`: what the threads walk alone.
[[nodiscard]] Walked walk(const isa::Kernel& kernel, const isa::Kernel& original, std::uint64_t seed,
                          const simt::HanoiConfig& config, unsigned lanes);

}  // namespace heddle::compiler::random_flow
