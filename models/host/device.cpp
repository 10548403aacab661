#include "host/device.h"

#include <fmt/format.h>

#include "base/error.h"

namespace heddle::host {

namespace {

std::string shape_text(const Dim3& d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); }

void check_dimensions(const std::string& place, const char* what, const Dim3& given, const Dim3& limit) {
  if (given.x == 0 || given.y == 0 || given.z == 0)
    throw base::InputError(place, fmt::format("{} {} has a dimension of 0", what, shape_text(given)),
                           "Every dimension must be at least 1.");
  if (given.x > limit.x || given.y > limit.y || given.z > limit.z)
    throw base::InputError(
        place, fmt::format("{} {} exceeds the limit {}", what, shape_text(given), shape_text(limit)),
        "Use the other dimensions as well, or give threads more to do.");
}

/// "its parameters: x .u64, n .u32, shape 24 bytes".
std::string parameter_list(const isa::Kernel& kernel) {
  std::string text;
  for (const isa::Param& param : kernel.params) {
    text += fmt::format("{}{} ", text.empty() ? "its parameters: " : ", ", param.name);
    text += param.bytes == isa::type_bytes(param.type) ? fmt::format(".{}", isa::type_name(param.type))
                                                       : fmt::format("{} bytes", param.bytes);
  }
  return text;
}

}  // namespace

ModuleHandle Device::load_sharing(std::span<const std::byte>, const std::string& name, ModuleHandle) {
  throw base::InputError(name, "this device does not load a second code for a module");
}

std::vector<std::byte> Args::pack(const isa::Kernel& kernel) const {
  const std::string place = "launch of kernel " + kernel.name;
  if (values_.size() != kernel.params.size())
    throw base::InputError(place,
                           fmt::format("{} argument{} given, but it has {} parameter{}", values_.size(),
                                       values_.size() == 1 ? "" : "s", kernel.params.size(),
                                       kernel.params.size() == 1 ? "" : "s"),
                           parameter_list(kernel));
  std::vector<std::byte> block(kernel.param_bytes);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const isa::Param& param = kernel.params[i];
    if (values_[i].size() != param.bytes)
      throw base::InputError(place,
                             fmt::format("argument {} is {} bytes, but parameter {} ({}) has {}", i + 1,
                                         values_[i].size(), i + 1, param.name, param.bytes),
                             parameter_list(kernel));
    std::memcpy(block.data() + param.offset, values_[i].data(), param.bytes);
  }
  return block;
}

void check_launch(const isa::Kernel& kernel, const Launch& shape, std::uint32_t max_threads_per_cta,
                  std::uint32_t max_shared_bytes) {
  const std::string place = "launch of kernel " + kernel.name;
  check_dimensions(place, "grid", shape.grid, kMaxGrid);
  check_dimensions(place, "block", shape.block, kMaxBlock);
  const std::uint64_t ctas = shape.grid.count();
  const bool of_grid = shape.part <= ctas && shape.first_cta <= ctas - shape.part;
  if ((shape.part == 0 && shape.first_cta != 0) || (shape.part != 0 && (shape.cooperative || !of_grid)))
    throw base::InputError(place,
                           fmt::format("{} CTAs from {} on of a{} grid of {}", shape.part, shape.first_cta,
                                       shape.cooperative ? " cooperative" : "", ctas),
                           "Launch CTAs that the grid has; a cooperative grid is launched as a whole.");
  const std::uint64_t threads = shape.block.count();
  if (threads > max_threads_per_cta)
    throw base::InputError(place,
                           fmt::format("a block of {} has {} threads, the device allows {}",
                                       shape_text(shape.block), threads, max_threads_per_cta),
                           "Use smaller blocks and more of them.");
  if (kernel.required_block) {
    const auto& [x, y, z] = *kernel.required_block;
    if (shape.block != Dim3{x, y, z})
      throw base::InputError(place,
                             fmt::format("the block is {}, the kernel's .reqntid requires {}",
                                         shape_text(shape.block), shape_text({x, y, z})),
                             "Launch it with blocks of exactly that shape.");
  }
  if (kernel.max_threads_per_cta != 0 && threads > kernel.max_threads_per_cta)
    throw base::InputError(place,
                           fmt::format("a block of {} has {} threads, the kernel's .maxntid allows {}",
                                       shape_text(shape.block), threads, kernel.max_threads_per_cta),
                           "Use smaller blocks and more of them.");
  const std::uint32_t fixed = kernel.declared_shared_bytes();
  const std::uint64_t shared = std::uint64_t{fixed} + shape.dynamic_shared_bytes;
  if (shared > max_shared_bytes)
    throw base::InputError(
        place,
        fmt::format("{} bytes of shared memory a block ({} static + {} dynamic), the device has {}", shared,
                    fixed, shape.dynamic_shared_bytes, max_shared_bytes),
        "Use less shared memory, or a platform with more.");
}

}  // namespace heddle::host
