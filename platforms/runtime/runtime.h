// The state of the runtime in a program: its connection, modules, memory, streams, and the device's time.
//
// Calls of several threads are served one after another, in the order in which they come; what a call has asked the device
// for has happened when it returns. So streams do not overlap, and only what stands behind a host function in its stream waits. With
// runtime.concurrent_streams launches, and what stands behind them, wait until somebody waits for them (timeline.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

#include "runtime/abi.h"
#include "runtime/arrays.h"
#include "runtime/connection.h"
#include "runtime/graphs.h"
#include "runtime/memory.h"
#include "runtime/modules.h"
#include "runtime/streams.h"
#include "runtime/timeline.h"

namespace heddle::runtime {

/// cudaLimit.
enum Limit : int {
  kStack,
  kPrintfFifo,
  kHeap,
  kSyncDepth,
  kPendingLaunches,
  kL2Granularity,
  kL2Persisting,
  kLimits
};
using LimitValues = std::array<std::optional<std::size_t>, kLimits>;  ///< none: the machine's
inline constexpr LimitValues kFirstLimits = {
    std::nullopt, std::size_t{1} << 20, std::nullopt, 2, 2048, 64, 0};

class Runtime {
 public:
  /// Never destroyed: programs call the runtime while they end.
  static Runtime& get();

  /// Connects if that has not been done. Errors are said once and stay.
  Code open();
  /// A request to the session; a failed launch makes its code that of every later call.
  Connection::Answer ask(const Request& request, std::string_view payload = {}) {
    connection_.post(request, payload);
    return answer();
  }
  /// To the next request that Connection::post() has sent.
  Connection::Answer answer();
  [[nodiscard]] Code sticky() const { return sticky_; }
  /// Ends the session, whose device and memory are gone; the next call begins another one.
  void reset();

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] Connection& connection() { return connection_; }

  [[nodiscard]] bool overlaps() const { return machine_.concurrent_streams != 0; }
  /// Device time in ns since the program's first call; where streams overlap, that of the operation in progress.
  [[nodiscard]] double now() const;
  void advance(double ns, Engine engine);
  void advance_copy(std::uint64_t bytes, Engine engine) {
    advance(machine_.copy_ns + static_cast<double>(bytes) / machine_.copy_gbytes_per_s, engine);
  }
  /// The program has waited for it.
  void waited(const Moment& moment) { now_ = std::max(now_, moment.ns); }
  /// Of memory on the device, read or written.
  void advance_memory(std::uint64_t bytes) {
    const double rate = 2e-3 * machine_.memory_clock_mhz * machine_.memory_bus_bits / 8;  // bytes per ns
    advance(machine_.launch_ns + (rate > 0 ? static_cast<double>(bytes) / rate : 0), Engine::kMemory);
  }

  std::mutex mutex;
  std::unique_lock<std::mutex>* held = nullptr;  ///< of the call in progress; one that waits sets it again
  Modules modules;
  Memory memory;
  Arrays arrays;
  Streams streams;
  Graphs graphs;
  Timeline timeline;
  int flags = 0;  ///< cudaSetDeviceFlags
  LimitValues limits = kFirstLimits;
  Code deferred =
      Code::kSuccess;  ///< of an operation that a call has left behind; the next one that waits has it

 private:
  Connection connection_;
  Machine machine_;
  Code sticky_ = Code::kSuccess;
  double now_ = 0;
};

/// The error of the calling thread's last call that had one (cudaGetLastError).
Code& last_error();

/// "heddle: NAME: TEXT" on standard error.
void say(const char* function, const std::string& text);

/// A host function that waits for what is behind it.
struct WaitsForItself {};

/// What `body` answers. No exception may pass the border to C: host memory that there is not is an error of the call.
template <class Body>
Code guarded(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Code::kMemoryAllocation;
  } catch (const std::length_error&) {  // of a container
    return Code::kMemoryAllocation;
  } catch (const WaitsForItself&) {
    return Code::kNotPermitted;
  }
}

/// A function of the interface that uses the device: one call at a time, after what has made the device useless its code.
template <class Body>
int call(Body&& body) {
  Runtime& runtime = Runtime::get();
  std::unique_lock lock(runtime.mutex);
  runtime.held = &lock;
  Code code = runtime.sticky();
  if (code == Code::kSuccess)
    code = guarded([&] {
      const Code opened = runtime.open();
      return opened == Code::kSuccess ? body(runtime) : opened;
    });
  if (runtime.sticky() != Code::kSuccess) code = runtime.sticky();
  runtime.held = nullptr;
  if (code != Code::kSuccess && code != Code::kNotReady) last_error() = code;
  return static_cast<int>(code);
}

/// Functions that this runtime has not: says so, once for each, with what to do instead. cudaErrorNotSupported.
int refuse(const char* function, const char* instead);

}  // namespace heddle::runtime
