#include "generator/generated_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "generator/random_source.h"

namespace heddle::generator {

namespace {

std::vector<std::byte> random_bytes(std::uint64_t seed, std::size_t words) {
  RandomSource random(seed);
  std::vector<std::byte> bytes(words * 4);
  for (std::size_t i = 0; i < words; ++i) {
    // Small, large and floating-point values alike.
    const std::uint64_t draw = random.next();
    const auto value = static_cast<std::uint32_t>(
        random.pick<std::uint64_t>({draw, draw & 0xff, draw & 0xffff, 0x3f00'0000u + (draw & 0x0fff'ffffu)}));
    std::memcpy(bytes.data() + i * 4, &value, 4);
  }
  return bytes;
}

}  // namespace

std::vector<Buffer> make_buffers(std::uint64_t seed, const std::array<std::uint64_t, 4>& bytes) {
  std::vector<Buffer> buffers;
  buffers.push_back({"in", random_bytes(seed + 2, bytes[0] / 4)});
  buffers.push_back({"out", random_bytes(seed + 3, bytes[1] / 4)});
  buffers.push_back({"counters", random_bytes(seed + 4, bytes[2] / 4)});
  buffers.push_back({"tallies", std::vector<std::byte>(bytes[3])});
  // The counter that sums floats must start from a small integer, or the order of additions would show.
  std::memset(buffers[2].initial.data() + 40, 0, 4);
  return buffers;
}

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
  file << fmt::format("// buffers of {}, {}, {} and {} bytes\n", kernel.buffers[0].initial.size(),
                      kernel.buffers[1].initial.size(), kernel.buffers[2].initial.size(),
                      kernel.buffers[3].initial.size());
  std::string comment = why;
  for (std::size_t at = comment.find('\n'); at != std::string::npos; at = comment.find('\n', at + 3))
    comment.replace(at, 1, "\n// ");
  file << "// " << comment << "\n" << kernel.ptx;
  file.flush();
  if (!file) throw base::InputError(path, "cannot write the failing kernel");
}

GeneratedKernel load(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  GeneratedKernel kernel;
  kernel.entry = "random_kernel";
  kernel.ptx = text.str();
  host::Dim3& block = kernel.shape.block;
  std::array<std::uint64_t, 4> bytes{};
  const int found =
      std::sscanf(kernel.ptx.c_str(),
                  "// seed %" SCNu64 ", %" SCNu32 " CTAs of %" SCNu32 " x %" SCNu32 " x %" SCNu32
                  " threads // buffers of %" SCNu64 ", %" SCNu64 ", %" SCNu64 " and %" SCNu64 " bytes",
                  &kernel.seed, &kernel.shape.grid.x, &block.x, &block.y, &block.z, &bytes[0], &bytes[1],
                  &bytes[2], &bytes[3]);
  if (found != 9)
    throw base::InputError(path, "not a saved kernel: its head gives no seed, shape and buffers");
  kernel.buffers = make_buffers(kernel.seed, bytes);
  return kernel;
}

}  // namespace heddle::generator
