#include "cli/oracle_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/interrupt.h"
#include "oracle/oracle.h"

namespace heddle::cli {

OracleVerdict compare_with_oracle(TrackedDevice& device, const std::function<void(host::Device&)>& program,
                                  std::uint64_t heap_bytes) {
  oracle::Options options;
  options.heap_bytes = heap_bytes;
  options.on_turn = stop_if_interrupted;
  oracle::OracleDevice oracle_device(options);
  TrackedDevice expected(oracle_device);
  program(expected);

  if (device.buffers().size() != expected.buffers().size())
    return {false, fmt::format("{} buffers on the GPU, {} on the oracle", device.buffers().size(),
                               expected.buffers().size())};
  std::uint64_t total = 0;
  auto other = expected.buffers().begin();
  for (const auto& [order, buffer] : device.buffers()) {
    const TrackedDevice::Buffer& twin = (other++)->second;
    if (buffer.name != twin.name || buffer.bytes != twin.bytes)
      return {false, fmt::format("buffer '{}' of {} bytes on the GPU is '{}' of {} bytes on the oracle",
                                 buffer.name, buffer.bytes, twin.name, twin.bytes)};
    const auto have = device.download<std::byte>(buffer.address, buffer.bytes);
    const auto want = expected.download<std::byte>(twin.address, twin.bytes);
    const auto [difference, in_want] = std::mismatch(have.begin(), have.end(), want.begin());
    if (difference != have.end())
      return {false, fmt::format("byte {} of buffer '{}' is 0x{:02x}, on the oracle it is 0x{:02x}",
                                 difference - have.begin(), buffer.name, static_cast<unsigned>(*difference),
                                 static_cast<unsigned>(*in_want))};
    total += buffer.bytes;
  }
  return {true, fmt::format("{} buffers, {} bytes, are the same", device.buffers().size(), total)};
}

}  // namespace heddle::cli
