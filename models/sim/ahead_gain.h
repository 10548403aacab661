// Whether windows (sim/windows.h) pay for a machine at all, found out by trying both.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <random>

namespace heddle::sim {

/// The machine has its way: its processes run ahead in windows, or all runs one after another. Measured, the other one is tried for
/// about a millisecond now and then, and becomes its way if members take less host time to run. The longer that stays the same one,
/// the more seldom it is tried. No result of the simulation depends on it. Counted, the same run does the same every time: windows
/// pay as long as processes run some edges in each; else all runs one after another for a while, and then they are tried again.
class AheadGain {
 public:
  enum class Policy : std::uint8_t {
    kAhead,     ///< always
    kByTurns,   ///< for tests: now this, now that
    kMeasured,  ///< at first one after another
    kCounted,   ///< at first ahead
  };
  /// What windows have been so far: edges of processes, and how often a process has run in one.
  struct Count {
    std::uint64_t edges = 0, runs = 0;
  };
  using Clock = std::chrono::steady_clock;
  /// Windows, or edges in them, from one look() to the next.
  static constexpr unsigned kWindows = 32;
  static constexpr unsigned kEdges = 512;

  /// `now`: for tests, instead of the host's clock.
  explicit AheadGain(Policy policy, Clock::time_point (*now)() = &Clock::now)
      : policy_(policy), now_(now), ahead_(policy == Policy::kAhead || policy == Policy::kCounted) {}

  /// Simulation begins or goes on; it ends or pauses. Between them no time counts.
  void begin() {
    if (policy_ == Policy::kMeasured) looked_ = now_();
  }
  void end() {
    if (policy_ == Policy::kMeasured) part_ += now_() - looked_;
  }
  /// `work`: how often members have run in all. Whether processes are to run ahead from now on.
  [[nodiscard]] bool look(std::uint64_t work, Count windows);
  /// How much model time (SystemC resolution units) is to pass from one look() to the next while they do not run ahead.
  [[nodiscard]] std::uint64_t stretch() const { return stretch_; }

 private:
  using Time = std::chrono::duration<double, std::micro>;
  /// A trial has parts, of which the first do not count: threads have slept, caches are cold, ThreadGain tries for itself.
  static constexpr Time kPart{150};
  static constexpr unsigned kUncounted = 3;
  static constexpr unsigned kCounted = 6;
  static constexpr Time kShortestRest{20e3};
  static constexpr Time kLongestRest{1e6};
  static constexpr unsigned kRarer = 4;
  /// Windows are to pay by this much.
  static constexpr double kLeastGain = 1.03;
  static constexpr std::uint64_t kShortestStretch =
      1u << 14;  ///< 16 ns: kernels of large machines last for microseconds
  static constexpr std::uint64_t kMostByTurns = 1u << 17;
  static constexpr std::uint64_t kLongestStretch =
      1u << 26;  ///< shorter than what the kernel lets a run go ahead

  // Counted.
  static constexpr std::uint64_t kCountedRuns = 1u << 10;
  static constexpr std::uint64_t kEdgesOfARun = 5;
  static constexpr std::uint64_t kShortestWait = 1u << 18;  ///< of model time: a quarter of a microsecond
  static constexpr std::uint64_t kLongestWait = 1u << 22;

  void count(Count windows);
  void end_part(std::uint64_t work);
  void end_trial();
  /// Host time of a member's run, without the slowest parts, in which the host did something else.
  [[nodiscard]] static double typical(std::array<double, kCounted>& microseconds);

  Policy policy_;
  Clock::time_point (*now_)();
  bool ahead_;
  bool own_ = false;    ///< the machine's way
  bool rests_ = false;  ///< no trial is made: its own way, until rest_ is over
  unsigned parts_ = 0;  ///< of this trial
  std::array<double, kCounted> microseconds_{};
  double own_time_ = 0;  ///< of its own way, tried before the other one
  Time rest_ = kShortestRest;
  Time rested_{};
  Time part_{};
  std::uint64_t work_ = 0;  ///< when the part began
  Clock::time_point looked_;
  std::uint64_t stretch_ = kShortestStretch;
  Count counted_;
  std::uint64_t wait_ = kShortestWait;
  std::minstd_rand turns_;
};

}  // namespace heddle::sim
