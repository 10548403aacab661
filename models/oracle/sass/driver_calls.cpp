// printf, malloc, free and assert: calls of functions that the driver has.
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "frontend/sass/driver_functions.h"
#include "host/kernel_print.h"
#include "oracle/sass/machine.h"

namespace heddle::oracle::machine_code {

/// Arguments are in R4 and following: 64 bits at an even register.
void CodeMachine::call_driver(const Turn& turn, unsigned i, std::size_t function) {
  Lane& lane = turn.warp.lanes[i];
  const auto argument = [&](unsigned number) {
    return lane.registers.at(number) | std::uint64_t{lane.registers.at(number + 1)} << 32;
  };
  MemoryAccess access(memory_, allocations_, turn.cta.shared);
  const auto read = [&](std::uint64_t address, std::span<std::byte> bytes) {
    for (std::byte& byte : bytes)
      if (!access.read_byte(lane, address++, byte))
        fault(turn, i, fmt::format("prints from {:#x}, not the thread's", address - 1));
  };
  const std::string_view name = sass::kDriverFunctions.at(function);
  if (name == "vprintf") {
    const host::Printed printed = host::format_print(read, argument(4), argument(6));
    if (options_.on_print) options_.on_print(printed.text);
    lane.registers[4] = static_cast<std::uint32_t>(printed.arguments);
  } else if (name == "malloc") {
    const std::uint64_t block = heap_->allocate(argument(4));
    lane.registers[4] = static_cast<std::uint32_t>(block);
    lane.registers[5] = static_cast<std::uint32_t>(block >> 32);
  } else if (name == "free") {
    allocations_.heap_freed();
    if (const auto wrong = heap_->free(argument(4)))
      fault(turn, i, fmt::format("frees {:#x}: {}", argument(4), *wrong));
  } else {
    const auto triple = [](const auto& v) { return fmt::format("[{},{},{}]", v[0], v[1], v[2]); };
    throw base::AssertionFailed(
        "kernel " + code_.name + ", " + code_.text_at(turn.group.pc),
        fmt::format(
            "an assertion of the kernel failed\n{}:{}: {}: block: {}, thread: {} Assertion `{}` failed.",
            host::read_string(read, argument(6)), lane.registers[8], host::read_string(read, argument(10)),
            triple(turn.cta.id), triple(lane.tid), host::read_string(read, argument(4))));
  }
}

}  // namespace heddle::oracle::machine_code
