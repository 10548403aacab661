#include "cli/oracle_check.h"

#include "cli/interrupt.h"
#include "oracle/oracle.h"

namespace heddle::cli {

MemoryVerdict compare_with_oracle(TrackedDevice& device, const std::function<void(host::Device&)>& program,
                                  const OracleSettings& settings) {
  oracle::Options options;
  options.heap_bytes = settings.heap_bytes;
  options.tensor_block_bits = settings.tensor.block_bits;
  options.tensor_extra_bits = settings.tensor.extra_bits;
  options.on_turn = stop_if_interrupted;
  oracle::OracleDevice oracle_device(options);
  TrackedDevice expected(oracle_device);
  program(expected);
  return compare_memories(device, expected);
}

}  // namespace heddle::cli
