// What a host program sees of a device: memory, modules, launches. The SystemC GPU (platforms/gpu) and the
// scalar oracle (models/oracle) both implement it, so every workload runs unchanged on either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/lane_mask.h"
#include "host/allocation.h"
#include "host/module_bytes.h"
#include "isa/kernel.h"

namespace heddle::host {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

/// Kernel arguments in order; checked against the kernel's parameter list at launch (count and size).
class Args {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T> Args& add(const T& value) {
    std::vector<std::byte> bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    values_.push_back(std::move(bytes));
    return *this;
  }
  /// A struct whose layout is known only at run time.
  Args& add_bytes(std::vector<std::byte> bytes) {
    values_.push_back(std::move(bytes));
    return *this;
  }
  [[nodiscard]] const std::vector<std::vector<std::byte>>& values() const { return values_; }
  /// The parameter block of `kernel`. Throws base::InputError naming kernel, parameter, expected and actual
  /// size.
  [[nodiscard]] std::vector<std::byte> pack(const isa::Kernel& kernel) const;

 private:
  std::vector<std::vector<std::byte>> values_;
};

struct Launch {
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  /// All CTAs are resident at once, and may wait for each other: cooperative_groups::this_grid().sync(). A grid that
  /// does not fit is an InputError.
  bool cooperative = false;
  /// Only these CTAs of the grid run, by their linear number: what a kernel sees is the whole grid. None: all of them.
  std::uint64_t first_cta = 0, part = 0;
  [[nodiscard]] std::uint64_t ctas() const { return part != 0 ? part : grid.count(); }
  bool operator==(const Launch&) const = default;
};

using ModuleHandle = std::uint32_t;

/// Limits of the PTX execution model that hold on every device (CUDA C++ Programming Guide, compute
/// capability 3.0 on).
inline constexpr Dim3 kMaxGrid{0x7fff'ffff, 65535, 65535};
inline constexpr Dim3 kMaxBlock{1024, 1024, 64};
inline constexpr std::uint32_t kMaxThreadsPerCta = 1024;

/// What a host program may need to know about a device to choose launch shapes.
struct DeviceProperties {
  std::string name;  ///< of the platform
  std::uint32_t warp_size = base::kLanes;
  std::uint32_t multiprocessors = 1;  ///< cores
  std::uint32_t max_threads_per_block = kMaxThreadsPerCta;
  std::uint32_t max_threads_per_multiprocessor = kMaxThreadsPerCta;
  std::uint32_t max_blocks_per_multiprocessor = 1;
  std::uint32_t registers_per_multiprocessor = 0;  ///< 32 bits each
  std::uint32_t shared_bytes_per_block = 0;
  std::uint64_t l2_bytes = 0;
  std::uint32_t memory_partitions = 0;
  double clock_mhz = 0;  ///< of the cores
  Dim3 max_grid = kMaxGrid;
  Dim3 max_block = kMaxBlock;
};

/// All failures throw base::Error (InputError for bad arguments, KernelFault for what the kernel does).
///
/// Threads: a device takes one call at a time, from any thread of the host program. A call that comes while
/// another one is in progress, from another thread or from a callback of that call, throws an InputError that
/// names both and has no effect. Calls are not queued, since results would then depend on thread scheduling:
/// a multi-threaded program locks the device itself.
///
/// After a failed launch, launch() and synchronize() throw base::Error with ExitCode::kDeviceFailed.
/// Everything else keeps working, so that memory can be inspected. It holds the stores performed until the
/// launch stopped.
class Device {
 public:
  virtual ~Device() = default;

  /// Device memory, zero-filled, aligned to 256 bytes. `name` appears in out-of-bounds messages.
  virtual std::uint64_t allocate(std::uint64_t bytes, const std::string& name) = 0;
  virtual void free(std::uint64_t address) = 0;
  virtual void write(std::uint64_t address, std::span<const std::byte> bytes) = 0;
  virtual void read(std::uint64_t address, std::span<std::byte> bytes) = 0;

  /// A module in any form that the device has a front end for: PTX text (host/module_bytes.h), or machine code of sm_75 or
  /// sm_90 (frontend/sass/module_image.h). `name`
  /// identifies it in messages.
  virtual ModuleHandle load_module(std::span<const std::byte> bytes, const std::string& name) = 0;
  /// Frees the module's code and variables; its handle is not reused. Throws InputError for a handle that is
  /// not loaded, and if another loaded module refers to one of its functions or variables.
  virtual void unload(ModuleHandle module) = 0;
  /// Throws InputError that lists the available kernels, or says why the kernel is refused (frontend/ptx).
  virtual std::shared_ptr<const isa::Kernel> kernel(ModuleHandle module, const std::string& name) = 0;
  /// Address of a module-scope variable.
  virtual std::uint64_t symbol(ModuleHandle module, const std::string& name) = 0;

  /// Runs the kernel to completion: nothing else could run concurrently.
  virtual void launch(ModuleHandle module, const std::string& kernel, const Launch& shape,
                      const Args& args) = 0;
  /// All launches have finished when this returns. Throws base::Error (kDeviceFailed) if one has failed, even
  /// if its error was already reported.
  virtual void synchronize() {}

  [[nodiscard]] virtual DeviceProperties properties() const = 0;

  /// A module of other code for what a loaded one has: its variables are that one's, as far as that has them by name and they
  /// hold no addresses of functions. Devices may refuse.
  virtual ModuleHandle load_sharing(std::span<const std::byte> bytes, const std::string& name,
                                    ModuleHandle variables_of);
  /// Kernels' accesses that many bytes beyond the ends of buffers allocated from now on are not errors. A device says where
  /// it meets one first (once an instruction), or does not know of it.
  virtual void set_tolerance(std::uint64_t) {}
  /// Numbers of the pages (base::PageMarks::kPageBytes) that kernels have written since the last call, ascending; copies from the
  /// host may count. Nothing: the device does not know.
  virtual std::optional<std::vector<std::uint64_t>> take_written_pages() { return std::nullopt; }

  // Conveniences.
  ModuleHandle load_ptx_text(const std::string& text, const std::string& name) {
    return load_module(std::as_bytes(std::span(text)), name);
  }
  /// From a file, in any form.
  ModuleHandle load_ptx_file(const std::string& path) { return load_ptx_text(read_module_file(path), path); }
  template <class T>
  std::uint64_t upload(std::span<const T> values, const std::string& name) {
    const std::uint64_t address = allocate(values.size_bytes(), name);
    write(address, std::as_bytes(values));
    return address;
  }
  template <class T>
  std::uint64_t upload(const std::vector<T>& values, const std::string& name) {
    return upload(std::span<const T>(values), name);
  }
  template <class T>
  std::vector<T> download(std::uint64_t address, std::size_t count) {
    std::vector<T> values(count);
    read(address, std::as_writable_bytes(std::span<T>(values)));
    return values;
  }
};

/// Launch-shape limits shared by all devices (PTX limits); a GPU adds its own. Throws base::InputError.
void check_launch(const isa::Kernel& kernel, const Launch& shape, std::uint32_t max_threads_per_cta,
                  std::uint32_t max_shared_bytes);

}  // namespace heddle::host
