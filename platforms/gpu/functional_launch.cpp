#include "gpu/functional_launch.h"

#include <algorithm>

#include "base/error.h"

namespace heddle::gpu {

functional::Counts run_without_time(const core::LaunchContext& context, const FunctionalSite& site) {
  if (const std::string why = functional::refusal(*context.kernel); !why.empty())
    throw base::InputError("kernel " + context.kernel->name, "it cannot run without time: " + why,
                           "simulate all of it: leave out --detail and --estimate");
  functional::MemoryImage image(
      [&](std::uint64_t address, std::span<std::byte> bytes) { site.memory.read(address, bytes); },
      [&](std::uint64_t address, std::span<const std::byte> bytes) { site.memory.write(address, bytes); },
      site.memory.end());
  functional::Machine machine({context, site.config.core, site.allocations, image,
                               std::max<std::uint64_t>(1, site.wave), site.on_check, site.clock});
  try {
    const functional::Counts counts = machine.run();
    image.write_back();
    return counts;
  } catch (...) {
    image.write_back();
    throw;
  }
}

}  // namespace heddle::gpu
