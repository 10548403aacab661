// What the instruction caches hold when a kernel starts: nothing, or what they held before; and which of its lines the launch asks
// for, so that they arrive in L1I with the first one (core.l1i.kept_between_launches, .launch_prefetch_kib).
#pragma once

#include <cstdint>

#include "core/config.h"
#include "core/protocols/fetch_protocol.h"
#include "core/protocols/launch_protocol.h"

namespace heddle::core {

class LaunchLines {
 public:
  explicit LaunchLines(const InstructionCacheConfig& l1i);
  /// A launch begins, whose code lies in front of device address `code_end`. Whether caches in front of L1I keep their lines,
  /// too.
  bool begin(const LaunchContext& launch, std::uint64_t code_end, L1iPort& l1i);

 private:
  bool keeps_;
  bool has_second_level_;
  std::uint64_t prefetched_;      ///< bytes
  std::uint64_t generation_ = 0;  ///< LaunchContext::code_generation of the last launch
};

}  // namespace heddle::core
