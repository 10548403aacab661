#include "generator/generated_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "sim/error.h"

namespace heddle::generator {

std::vector<std::byte> run(host::Device& device, const GeneratedKernel& kernel) {
  const host::ModuleHandle module =
      device.load_ptx_text(kernel.ptx, fmt::format("random-{}.ptx", kernel.seed));
  std::vector<std::uint64_t> addresses;
  host::Args args;
  for (const Buffer& buffer : kernel.buffers) {
    addresses.push_back(device.upload(buffer.initial, buffer.name));
    args.add(addresses.back());
  }
  device.launch(module, kernel.entry, kernel.shape, args);
  std::vector<std::byte> image;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto bytes = device.download<std::byte>(addresses[i], kernel.buffers[i].initial.size());
    image.insert(image.end(), bytes.begin(), bytes.end());
    device.free(addresses[i]);
  }
  return image;
}

std::string difference(const GeneratedKernel& kernel, const std::vector<std::byte>& expected,
                       const std::vector<std::byte>& got) {
  if (expected.size() != got.size()) return fmt::format("{} bytes, expected {}", got.size(), expected.size());
  std::size_t first = expected.size();
  std::size_t count = 0;
  for (std::size_t i = expected.size(); i-- > 0;)
    if (expected[i] != got[i]) {
      first = i;
      ++count;
    }
  if (count == 0) return {};
  std::size_t offset = first;
  std::size_t buffer = 0;
  while (offset >= kernel.buffers[buffer].initial.size()) offset -= kernel.buffers[buffer++].initial.size();
  const std::uint64_t threads = kernel.shape.block.count() * kernel.shape.grid.count();
  std::string owner;
  if (kernel.buffers[buffer].name == "out") {
    const std::uint64_t region = kernel.buffers[buffer].initial.size() / threads;
    const std::uint64_t thread = offset / region;
    owner = fmt::format(" (byte {} of thread {} of CTA {})", offset % region,
                        thread % kernel.shape.block.count(), thread / kernel.shape.block.count());
  }
  return fmt::format("buffer '{}', byte {:#x}{}: {:#04x}, expected {:#04x}; {} bytes differ",
                     kernel.buffers[buffer].name, offset, owner, std::to_integer<unsigned>(got[first]),
                     std::to_integer<unsigned>(expected[first]), count);
}

void save(const GeneratedKernel& kernel, const std::string& path, const std::string& why) {
  std::ofstream file(path);
  const host::Dim3& block = kernel.shape.block;
  file << fmt::format("// seed {}, {} CTAs of {} x {} x {} threads\n", kernel.seed, kernel.shape.grid.x,
                      block.x, block.y, block.z);
  std::string comment = why;
  for (std::size_t at = comment.find('\n'); at != std::string::npos; at = comment.find('\n', at + 3))
    comment.replace(at, 1, "\n// ");
  file << "// " << comment << "\n" << kernel.ptx;
  file.flush();
  if (!file) throw sim::InputError(path, "cannot write the failing kernel");
}

}  // namespace heddle::generator
