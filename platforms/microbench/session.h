// A device on which microbenchmarks run, one launch after the other, and their readings.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/gpu_device.h"
#include "microbench/benchmark.h"
#include "microbench/kernel_text.h"

namespace heddle::microbench {

/// The record of one warp (TimedKernel).
struct WarpRecord {
  std::uint32_t start = 0;  ///< %clock
  std::uint32_t stop = 0;
  std::uint32_t core = 0;
  std::vector<std::uint32_t> words;
  [[nodiscard]] std::uint32_t cycles() const { return stop - start; }
};

/// One launch of a timed kernel; has at least one warp.
struct TimedRun {
  std::vector<WarpRecord> warps;           ///< by number in the grid
  std::vector<std::uint64_t> lane_values;  ///< by thread, then value; unused upper halves are zero
  std::uint64_t launch_cycles = 0;         ///< of the model; others: 0

  /// From the first start to the last stop of all warps.
  [[nodiscard]] std::uint32_t span() const;
  [[nodiscard]] std::uint32_t first_start() const;
};

/// What the model alone knows is asked of another device. What it is.
class OnlyTheModel : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A timed kernel on the device. On the model its code has a unique address, aligned to any cache line.
struct LoadedKernel {
  host::ModuleHandle module = 0;
  std::string name;
  std::uint32_t record_words = 0;
  std::uint32_t lane_values = 0;
  std::uint32_t shared_bytes = 0;
  std::shared_ptr<const isa::Kernel> code;  ///< Session::code()
};

class PartitionedBuffer;

/// The platform on which benchmarks are timed: instructions in the order in which the kernels have them, whatever core.schedule says, and
/// partitions in turn (memory.address_map=interleaved), since benchmarks aim at them by address.
[[nodiscard]] gpu::GpuConfig as_written(gpu::GpuConfig config);

class Session {
 public:
  explicit Session(gpu::GpuDevice& device);
  /// Another device, a card or the oracle, as if it were the GPU of the configuration: kernels have that one's sizes, and readings
  /// are compared with its keys. Addresses are taken to lie in partitions as the configuration says.
  Session(host::Device& device, gpu::GpuConfig config);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const gpu::GpuConfig& config() const { return config_; }
  [[nodiscard]] host::Device& device() { return device_; }

  [[nodiscard]] LoadedKernel load(const TimedKernel& kernel);
  /// Runs the kernel with `ctas` CTAs of `threads` threads; `arguments` are its own parameters in order.
  template <class... T>
  TimedRun run(const LoadedKernel& kernel, std::uint32_t ctas, std::uint32_t threads, const T&... arguments) {
    const Buffers buffers = prepare(kernel, ctas, threads);
    host::Args args;
    args.add(buffers.records).add(buffers.values);
    (args.add(arguments), ...);
    return finish(kernel, buffers, ctas, threads, args);
  }
  template <class... T>
  TimedRun run(const TimedKernel& kernel, std::uint32_t ctas, std::uint32_t threads, const T&... arguments) {
    return run(load(kernel), ctas, threads, arguments...);
  }
  /// The kernel's instructions and registers. Throws OnlyTheModel.
  [[nodiscard]] const isa::Kernel& code(const LoadedKernel& kernel) const;
  /// A counter of the last launch (or the sum of all that match), by path in the statistics tree. Throws OnlyTheModel.
  [[nodiscard]] std::uint64_t count(const std::string& path);

  /// Fills the L2 with clean lines that nothing else uses. The next benchmark then causes no write-backs of
  /// earlier data and finds none of its own lines.
  void clean_l2();

  /// Drops the readings of the previous benchmark.
  void begin() { readings_.clear(); }
  void add(Reading reading) { readings_.push_back(std::move(reading)); }
  /// Adds a failed reading if any of the kernel's lane values is not `expected`.
  void check_values(const std::string& what, const std::vector<std::uint64_t>& values,
                    std::uint64_t expected);

  [[nodiscard]] const std::vector<Reading>& readings() const { return readings_; }

 private:
  struct Buffers {
    std::uint64_t records = 0;
    std::uint64_t values = 0;
    std::uint32_t warps = 0;
  };
  Buffers prepare(const LoadedKernel& kernel, std::uint32_t ctas, std::uint32_t threads);
  TimedRun finish(const LoadedKernel& kernel, const Buffers& buffers, std::uint32_t ctas,
                  std::uint32_t threads, const host::Args& args);

  host::Device& device_;
  gpu::GpuDevice* model_ = nullptr;  ///< the same device, if it is the model
  gpu::GpuConfig config_;
  std::unique_ptr<PartitionedBuffer> scrub_;  ///< the buffer that clean_l2() reads; nullptr: not yet
                                              ///< allocated
  host::ModuleHandle scrub_module_ = 0;
  std::vector<Reading> readings_;
};

}  // namespace heddle::microbench
