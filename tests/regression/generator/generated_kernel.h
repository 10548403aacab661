// A kernel with everything a run needs, and its run on any device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "generator/tree.h"
#include "host/device.h"

namespace heddle::generator {

struct Buffer {
  std::string name;
  std::vector<std::byte> initial;
};

/// Parameters of the kernel: the addresses of the buffers, in order.
struct GeneratedKernel {
  std::uint64_t seed = 0;
  std::string entry;
  std::string ptx;
  host::Launch shape;
  std::vector<Buffer> buffers;
};

/// The buffers of a seed: input, the threads' regions, global counters, the CTAs' tallies; sizes in bytes.
[[nodiscard]] std::vector<Buffer> make_buffers(std::uint64_t seed, const std::array<std::uint64_t, 4>& bytes);

/// PTX text and buffers of a tree.
[[nodiscard]] GeneratedKernel emit(const KernelTree& tree);
[[nodiscard]] GeneratedKernel generate(std::uint64_t seed, const TreeOptions& options = {});

/// Runs the kernel on fresh buffers; all buffers after the run, one behind the other.
[[nodiscard]] std::vector<std::byte> run(host::Device& device, const GeneratedKernel& kernel);

/// "buffer 'out', byte 0x48 (thread 1 of CTA 0): 0x03, expected 0x04; 12 bytes differ"; empty if equal.
[[nodiscard]] std::string difference(const GeneratedKernel& kernel, const std::vector<std::byte>& expected,
                                     const std::vector<std::byte>& got);

/// Writes the PTX to `path`, headed by comments that give seed, shape, sizes of the buffers and `why`.
void save(const GeneratedKernel& kernel, const std::string& path, const std::string& why);
/// A kernel that save() has written. Throws base::InputError if the file has no such head.
[[nodiscard]] GeneratedKernel load(const std::string& path);

}  // namespace heddle::generator
