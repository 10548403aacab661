#include "core/execute/code_targets.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "core/state/operand_rows.h"

namespace heddle::core {
namespace {

/// A code address, or what src[0] is otherwise.
std::uint64_t destination_of(const AccessSite& site, unsigned lane) {
  const isa::Instruction& instruction = *site.instruction;
  const std::byte* const constants = site.launch->constants();
  std::uint64_t to = lane_of(constants, *site.warp, instruction.src[0], lane);
  if (!instruction.target_is_address) return to;
  if (instruction.target_is_pair) to |= lane_of(constants, *site.warp, instruction.src[1], lane) << 32;
  return to + instruction.immediate;
}

[[noreturn]] void fail(const AccessSite& site, unsigned lane, const std::string& what,
                       const std::string& remedy) {
  const isa::Kernel& kernel = *site.launch->kernel;
  throw base::KernelFault(
      kernel.location(site.pc),
      fmt::format("{} {}\n  {}", thread_name(site, lane), what, kernel.source_line(site.pc)), remedy);
}

}  // namespace

Pc indirect_target(const AccessSite& site, unsigned lane) {
  const std::uint64_t to = destination_of(site, lane);
  const Pc target = site.launch->kernel->indirect_target(*site.instruction, to);
  if (target != kNoPc) return target;
  const bool address = site.instruction->target_is_address;
  fail(site, lane,
       "branches to " + (address ? fmt::format("code address 0x{:x}, which is none of its targets", to)
                                 : fmt::format("target {} of {}", to, site.instruction->table_count)),
       address ? "check the address" : "check the index of brx.idx");
}

Pc call_target(const AccessSite& site, unsigned lane) {
  const isa::Kernel& kernel = *site.launch->kernel;
  const isa::Instruction& instruction = *site.instruction;
  const std::uint64_t address = destination_of(site, lane);
  if (instruction.target_is_address)
    if (const Pc target = kernel.indirect_target(instruction, address); target != kNoPc) return target;
  const auto found = kernel.function_addresses.find(address);
  const Pc entry = found == kernel.function_addresses.end() ? kNoPc : found->second.entry;
  // A function that another call may reach need not be one of this call's.
  bool callable = false;
  for (std::uint32_t i = 0; i < instruction.table_count; ++i)
    callable = callable || kernel.targets[instruction.table_first + i] == entry;
  if (entry != kNoPc && callable) return entry;
  const std::string what =
      found == kernel.function_addresses.end()
          ? fmt::format("address 0x{:x}, where no function is", address)
          : fmt::format("function {}, but {}", found->second.name,
                        entry != kNoPc ? "its parameters are not those of the call" : found->second.reason);
  fail(site, lane, "calls " + what, "check the function pointer and the prototype");
}

Pc return_target(const AccessSite& site, unsigned lane) {
  const std::uint64_t to = destination_of(site, lane);
  const Pc target = site.instruction->target_is_address ? site.launch->kernel->pc_at(to)
                                                        : Pc{static_cast<std::uint32_t>(to)};
  if (target != kNoPc) return target;
  fail(site, lane, fmt::format("returns to code address 0x{:x}, where there is no instruction", to),
       "check that the return address is kept");
}

}  // namespace heddle::core
