// Runs a litmus test many times in one launch, with random delays, and counts its outcomes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "host/device.h"
#include "program.h"

namespace heddle::litmus {

struct Trial {
  std::uint64_t seed = 0;   ///< of delays, and of what L1 holds before a turn
  unsigned rounds = 40;     ///< turns of a warp, at memory of their own
  unsigned lanes = 2;       ///< of a warp, with an instance in each
  bool one_line = false;    ///< an instance's locations share a line
  unsigned noise_ctas = 1;  ///< that keep some partitions busy
};

/// The kernel `litmus`: each CTA of the program, then those that make noise. Parameters: locations, results, counters, noise.
[[nodiscard]] std::string kernel_text(const Program& program, const Trial& trial);

/// How often each outcome came.
[[nodiscard]] std::map<Outcome, std::uint64_t> run(host::Device& device, const Program& program,
                                                   const Trial& trial);

}  // namespace heddle::litmus
