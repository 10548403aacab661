// What a replay measures ([Resync] §1.5.2, §5.2 to §5.4).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "resync/cycle_counter.h"
#include "resync/trace.h"

namespace heddle::resync {

/// Classes of a distance by its binary logarithm ([Resync] §5.4): 0-3, 4-7, 8-15, 16-31, 32-63.
inline constexpr unsigned kDistanceClasses = 5;
inline constexpr const char* kDistanceClassNames[kDistanceClasses] = {"0-3", "4-7", "8-15", "16-31", "32-63"};
[[nodiscard]] unsigned distance_class(std::uint64_t distance);

enum class MemoryPattern : std::uint8_t { kUniform, kAffine, kScattered };
inline constexpr const char* kMemoryPatternNames[] = {"uniform", "affine", "scattered"};

/// How the threads of one fetch access one operand. `address[i]` is that of `thread[i]`, threads ascending.
struct OperandAccess {
  MemoryPattern pattern = MemoryPattern::kUniform;
  std::uint64_t distance =
      0;  ///< affine: stride from thread to thread; scattered: largest minus smallest address
};
/// Uniform first; affine strides are positive integers (as in [mmt-sync]); one thread is uniform.
[[nodiscard]] OperandAccess classify_access(std::span<const unsigned> thread,
                                            std::span<const std::uint64_t> address);

struct ReplayStatistics {
  std::uint64_t fetches = 0;       ///< F
  std::uint64_t instructions = 0;  ///< I
  std::uint64_t cycles = 0;        ///< C, of the opportunistic machine
  unsigned threads = 0;

  /// By number of active threads, 1 .. kMaxThreads.
  template <class T>
  using ByActive = std::array<T, kMaxThreads + 1>;
  ByActive<std::uint64_t> active{};  ///< fetches
  ByActive<std::uint64_t>
      identical{};  ///< of these, execute-identical ones. With one thread always ([Resync:M14])
  ByActive<std::array<std::uint64_t, 3>> patterns{};                  ///< accesses, by MemoryPattern
  ByActive<std::array<std::uint64_t, kDistanceClasses>> strides{};    ///< affine accesses
  ByActive<std::array<std::uint64_t, kDistanceClasses>> intervals{};  ///< scattered accesses

  [[nodiscard]] double dlp() const { return ratio(instructions, fetches); }
  [[nodiscard]] double tlp() const { return ratio(fetches, cycles); }
  [[nodiscard]] double throughput() const { return ratio(instructions, cycles); }
  /// Adds up runs of several sets.
  void add(const ReplayStatistics& other);
  /// Throws std::logic_error if the histogram does not account for every fetch and instruction ([Resync:W2],
  /// 12).
  void check() const;

 private:
  static double ratio(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
  }
};

/// Counts fetch by fetch.
class ReplayMeter {
 public:
  /// `operands`: registers and addresses too.
  ReplayMeter(unsigned threads, unsigned fetch_units, bool operands)
      : cycles_(fetch_units), operands_(operands) {
    statistics_.threads = threads;
  }
  /// `record[t]` is what thread t of `mask` executes.
  void fetch(ThreadMask mask, const std::array<const TraceRecord*, kMaxThreads>& record) {
    const unsigned k = count(mask);
    ++statistics_.fetches;
    statistics_.instructions += k;
    ++statistics_.active[k];
    cycles_.fetch(mask);
    if (operands_) operands(mask, k, record);
  }
  [[nodiscard]] const ReplayStatistics& finish() {
    statistics_.cycles = cycles_.cycles();
    return statistics_;
  }

 private:
  void operands(ThreadMask mask, unsigned k, const std::array<const TraceRecord*, kMaxThreads>& record);
  ReplayStatistics statistics_;
  CycleCounter cycles_;
  bool operands_;
};

}  // namespace heddle::resync
