#include "cli/oracle_check.h"

#include "cli/interrupt.h"
#include "oracle/oracle.h"

namespace heddle::cli {

MemoryVerdict compare_with_oracle(TrackedDevice& device, const std::function<void(host::Device&)>& program,
                                  std::uint64_t heap_bytes) {
  oracle::Options options;
  options.heap_bytes = heap_bytes;
  options.on_turn = stop_if_interrupted;
  oracle::OracleDevice oracle_device(options);
  TrackedDevice expected(oracle_device);
  program(expected);
  return compare_memories(device, expected);
}

}  // namespace heddle::cli
