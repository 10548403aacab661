// Whether host threads pay for the windows of a machine (sim/windows.h), found out by trying both.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace heddle::sim {

/// Windows of about the same number of edges are a class. Each class has its way, shared among threads or not. It tries the other
/// one in some windows now and then, and keeps the one whose edges take less host time; the longer that stays the same one, the
/// more seldom it tries. No result of the simulation depends on which way a window goes.
class ThreadGain {
 public:
  enum class Policy : std::uint8_t { kNever, kAlways, kMeasured };
  using Clock = std::chrono::steady_clock;
  /// `now`: for tests, instead of the host's clock.
  explicit ThreadGain(Policy policy, Clock::time_point (*now)() = &Clock::now) : policy_(policy), now_(now) {}

  /// A window begins, in which so many edges are expected. Whether threads share it.
  [[nodiscard]] bool begin(std::uint64_t edges);
  /// It has ended, with so many edges.
  void end(std::uint64_t edges);

 private:
  /// Of a trial of one way. The first windows do not count: threads have slept and caches are cold.
  static constexpr unsigned kUncounted = 8;
  static constexpr unsigned kCounted = 16;
  static constexpr unsigned kShortestRest = 128;
  static constexpr unsigned kLongestRest = 1u << 13;
  /// A window of fewer edges takes less time than threads need to begin.
  static constexpr std::uint64_t kFewEdges = 8;
  static constexpr unsigned kClasses = 6;  ///< by powers of two from kFewEdges on
  /// One of so many takes much longer than that, and is always shared: a trial of the other way would take long, too.
  static constexpr std::uint64_t kManyEdges = 2048;

  struct Class {
    bool shared = true;  ///< its way
    bool other = false;  ///< this trial is of the other way
    bool trying = true;
    unsigned windows = 0;  ///< of this trial, or of the rest between trials
    unsigned rest = kShortestRest;
    std::array<double, kCounted> nanoseconds{};  ///< for each edge, of the trial's windows
    double own = 0;                              ///< the same of its own way, from the trial before
  };
  /// Host time of an edge, without the slowest windows, in which the host did something else.
  [[nodiscard]] static double typical(std::array<double, kCounted>& nanoseconds);
  void end_trial(Class& which);

  Policy policy_;
  Clock::time_point (*now_)();
  std::array<Class, kClasses> classes_{};
  Class* measured_ = nullptr;  ///< of this window
  Clock::time_point began_;
};

}  // namespace heddle::sim
