// What streams do at the same time (runtime.concurrent_streams).
//
// A launch is left with the session (Operation::kQueue) until somebody waits; then all that are left run together, and it is known
// when each has ended. Copies and fills run when they are called, unless a launch that is left stands before them in their stream;
// what takes time on the device's clock takes it of an engine, which does one thing after another.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "runtime/protocol.h"

namespace heddle::runtime {

class Runtime;

/// At this time of the device, in ns, and not before these launches have ended.
struct Moment {
  double ns = 0;
  std::set<std::uint64_t> launches;
  void join(const Moment& other);
};

enum class Engine : std::uint8_t { kToDevice, kToHost, kMemory, kCompute };

class Timeline {
 public:
  /// So much of the engine's time for what comes behind `done` and does not begin before `now`; `done` is its end then.
  void take(Moment& done, double now, double ns, Engine engine);
  /// Leaves a launch behind `done`, which is its end then.
  Code queue(Runtime& runtime, const Request& launch, const std::string& arguments, Moment& done);
  [[nodiscard]] bool any() const { return queued_ != 0; }
  /// Runs what is left. Moments of streams and events have no launches any more.
  void finish(Runtime& runtime);

 private:
  std::array<double, 4> free_{};  ///< of an engine: when it is
  std::uint64_t queued_ = 0;
};

}  // namespace heddle::runtime
