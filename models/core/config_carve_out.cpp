// How the array of L1 and shared memory is divided.
#include <charconv>
#include <sstream>
#include <string>

#include "base/error.h"
#include "core/config.h"

namespace heddle::core {

std::vector<std::uint32_t> SharedMemoryConfig::carve_out_sizes() const {
  std::vector<std::uint32_t> sizes;
  std::istringstream words(carve_outs);
  for (std::string word; words >> word;) {
    std::uint32_t size = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error != std::errc() || end != word.data() + word.size() || (!sizes.empty() && size <= sizes.back()))
      throw base::InputError("core.shared_memory.carve_outs",
                             "'" + carve_outs + "' is not a list of sizes in ascending order",
                             "write KiB and blanks, as 0 8 16 32, or nothing for any size");
    sizes.push_back(size);
  }
  return sizes;
}

void CoreConfig::validate_carve_outs() const {
  if (l1d.unified_kib == 0 || l1d.size_kib != 0 || !l1d.enabled)
    throw base::InputError(
        "core.l1d.carve_out",
        "by_kernel divides the array of L1 and shared memory, and there is none, or L1 has a size",
        "set core.l1d.unified_kib, core.l1d.size_kib to 0 and core.l1d.enabled to true");
  const std::vector<std::uint32_t> sizes = shared_memory.carve_out_sizes();
  if (!sizes.empty() && sizes.back() < shared_memory.size_kib)
    throw base::InputError(
        "core.shared_memory.carve_outs",
        "none has room for all of shared memory (" + std::to_string(shared_memory.size_kib) + " KiB)",
        "add a size, or make core.shared_memory.size_kib smaller");
  for (const std::uint32_t size : sizes) {
    if (size >= l1d.unified_kib)
      throw base::InputError(
          "core.shared_memory.carve_outs",
          std::to_string(size) + " KiB leave nothing of " + std::to_string(l1d.unified_kib) + " KiB for L1",
          "use sizes below core.l1d.unified_kib");
    if ((l1d.unified_kib - size) * 1024 % (l1d.line_bytes * l1d.ways) != 0)
      throw base::InputError("core.l1d.ways",
                             std::to_string(l1d.ways) + " ways do not divide the L1 beside " +
                                 std::to_string(size) + " KiB of shared memory into whole sets",
                             "use fewer ways, a power of two");
  }
}

L1dConfig CoreConfig::resolved_l1d() const {
  L1dConfig resolved = l1d;
  if (l1d.carve_out == CarveOut::kByKernel) {
    const std::vector<std::uint32_t> sizes = shared_memory.carve_out_sizes();
    resolved.size_kib = l1d.unified_kib - (sizes.empty() ? 0 : sizes.front());
  } else if (resolved.size_kib == 0 && l1d.unified_kib > shared_memory.size_kib)
    resolved.size_kib = l1d.unified_kib - shared_memory.size_kib;
  return resolved;
}

std::uint32_t CoreConfig::l1d_kib_beside(std::uint32_t shared_bytes) const {
  if (l1d.carve_out == CarveOut::kFixed) return resolved_l1d().size_kib;
  const std::uint32_t needed = (shared_bytes + 1023) / 1024;
  for (const std::uint32_t size : shared_memory.carve_out_sizes())
    if (size >= needed) return l1d.unified_kib - size;
  return l1d.unified_kib - needed;
}

}  // namespace heddle::core
