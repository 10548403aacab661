// A response of L2 finds its way back by tag: what it is, and which MSHR, which operation and line access, or
// which displaced line, or which message of a fence.
#pragma once

#include <cstdint>

#include "core/memory/memory_instruction.h"

namespace heddle::core {

enum class LsuTag : std::uint32_t { kAccess, kFill, kDisplaced, kFence };
inline constexpr std::uint32_t kLsuTags = 4;  ///< a power of two

constexpr std::uint32_t lsu_tag(LsuTag kind, std::uint32_t index) {
  return index * kLsuTags + static_cast<std::uint32_t>(kind);
}
/// Of the next access of an operation.
inline std::uint32_t lsu_access_tag(const MemoryInstruction& op) {
  return lsu_tag(LsuTag::kAccess, op.index * kMaxAccesses + op.next_access);
}

}  // namespace heddle::core
