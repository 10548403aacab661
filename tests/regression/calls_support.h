// What the tests of functions share: a GPU with a module, and kernels of one warp in which each lane stores a
// value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/gpu_device.h"
#include "gpu/platform_files.h"

namespace heddle::calls {

using host::Args;

inline constexpr std::uint32_t kBlock = 64;
inline constexpr std::uint32_t kThreads = 2 * kBlock;

template <class T>
std::vector<T> table(std::size_t count, const std::function<T(std::int32_t)>& value) {
  std::vector<T> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = value(static_cast<std::int32_t>(i));
  return all;
}

/// A device with one module.
class Machine {
 public:
  Machine(const std::string& platform, gpu::RunOptions options,
          const std::vector<std::string>& assignments = {})
      : device_(gpu::load_platform(platform, assignments), std::move(options)) {}

  gpu::GpuDevice& device() { return device_; }
  [[nodiscard]] host::ModuleHandle module() const { return module_; }
  void load(const std::string& stem) {
    module_ = device_.load_ptx_file(std::string(HEDDLE_SOURCE_DIR) + "/tests/data/calls/" + stem + ".ptx");
  }
  void load_text(const std::string& body) {
    module_ = device_.load_ptx_text(".version 7.5\n.target sm_75\n.address_size 64\n" + body, "text");
  }
  void run(const std::string& kernel, const Args& args, std::uint32_t threads = kThreads) {
    const std::uint32_t block = std::min(threads, kBlock);
    device_.launch(module_, kernel, {{threads / block, 1, 1}, {block, 1, 1}, 0}, args);
  }
  template <class T>
  std::uint64_t up(const std::vector<T>& values) {
    return device_.upload(values, "data");
  }
  template <class T>
  std::vector<T> down(std::uint64_t at, std::size_t count = kThreads) {
    return device_.download<T>(at, count);
  }
  std::uint64_t room(std::size_t bytes) { return device_.allocate(bytes, "out"); }
  [[nodiscard]] const gpu::LaunchRecord& last() const { return device_.last_launch(); }
  std::shared_ptr<const isa::Kernel> kernel(const std::string& name) { return device_.kernel(module_, name); }

 private:
  gpu::GpuDevice device_;
  host::ModuleHandle module_ = 0;
};

inline constexpr const char* kIndex =
    ".reg .b32 %i, %t<9>; .reg .b64 %at, %off; .reg .pred %p; mov.u32 %i, %tid.x; ld.param.u64 %at, [out]; "
    "mul.wide.u32 %off, %i, 4; add.u64 %at, %at, %off;\n";

/// Runs a hand-written kernel `k(out)` with one warp of a 32-lane block; what each lane stores.
inline std::vector<std::uint32_t> lanes_of(Machine& m, const std::string& functions,
                                           const std::string& body) {
  m.load_text(functions + "\n.visible .entry k(.param .u64 out) {\n" + kIndex + body + "\n}\n");
  const std::uint64_t out = m.room(32 * sizeof(std::uint32_t));
  m.run("k", Args().add(out), 32);
  return m.down<std::uint32_t>(out, 32);
}

inline std::vector<std::uint32_t> lanes(const std::function<std::uint32_t(std::uint32_t)>& value) {
  return table<std::uint32_t>(32, [&](std::int32_t i) { return value(static_cast<std::uint32_t>(i)); });
}

}  // namespace heddle::calls
